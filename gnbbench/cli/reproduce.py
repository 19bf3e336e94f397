"""``gnbbench reproduce``: published figures beside measured ones."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gnbbench.cli.exits import user_errors
from gnbbench.cli.signatures import command, options_typed
from gnbbench.cli.studies import PrintOptions, carry_out
from gnbbench.studies.option import STUDY, Option, Options
from gnbbench.studies.options import ReproduceOptions
from gnbbench.studies.shared_options import GateOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnbbench.claims import Claim

TEXT = """Measure what others published, and write a report of published beside measured.

Exit 1 if a claim that was reproduced when it was entered no longer is.

Example: gnbbench reproduce A --runs 100
"""


class ListOptions(Options):
    """What is done instead of the study."""

    show_claims: Annotated[
        bool, Option(STUDY, "Show the claims; nothing is measured.", flag="--list")
    ] = False


def _reproduce(typed: Mapping[str, Any]) -> None:
    with user_errors():
        options = options_typed(ReproduceOptions, typed)
        show = options_typed(PrintOptions, typed)
        if options_typed(ListOptions, typed).show_claims:
            from gnbbench.studies.reproduce import Reproduce

            prepared = Reproduce().prepare(options)
            _show_claims(prepared.plan.chosen, json=show.json_text)
            return
    carry_out(options, show, GateOptions())


def _show_claims(claims: "Sequence[Claim]", *, json: bool) -> None:
    """Print the claims: a table, or JSON."""
    if json:
        from gnbbench.report.reproduce_documents import claims_json_text

        typer.echo(claims_json_text(claims), nl=False)
        return
    from rich.console import Console

    from gnbbench.report.reproduce import claim_list
    from gnbbench.report.terminal import terminal_table

    Console().print(terminal_table(claim_list(claims)))


reproduce = command(_reproduce, TEXT, ReproduceOptions, PrintOptions, ListOptions)
