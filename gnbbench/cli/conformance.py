"""``gnbbench conformance``: a battery of hard cases, with the number measured in each."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gnbbench.cli.exits import user_errors
from gnbbench.cli.signatures import command, options_typed
from gnbbench.cli.studies import PrintOptions, carry_out
from gnbbench.studies.option import GATES, STUDY, Option, Options
from gnbbench.studies.options import ConformanceOptions
from gnbbench.studies.shared_options import GateOptions

if TYPE_CHECKING:
    from gnbbench.studies.study import Study

TEXT = """Put implementations through a battery of hard cases, and write a report.

Exit 1 if a check fails that is not expected to.

Example: gnbbench conformance sklearn
"""


class BatteryOptions(Options):
    """What is done besides the study, or instead."""

    show_checks: Annotated[
        bool, Option(STUDY, "Show the checks; nothing is examined.", flag="--list")
    ] = False
    junit: Annotated[
        Path | None, Option(GATES, "Also write JUnit XML to this file.", metavar="FILE")
    ] = None


def _conformance(typed: Mapping[str, Any]) -> None:
    with user_errors():
        options = options_typed(ConformanceOptions, typed)
        show = options_typed(PrintOptions, typed)
        asked = options_typed(BatteryOptions, typed)
        if asked.show_checks:
            _show_checks(options.only or (), json=show.json_text)
            return
        if asked.junit is not None:
            from gnbbench.report.junit import require_file

            require_file(asked.junit)

    def write(study: "Study") -> None:
        from gnbbench.report.junit import conformance_junit, write_document

        if asked.junit is not None:
            write_document(conformance_junit(study.details), asked.junit)

    carry_out(options, show, GateOptions(), write)


def _show_checks(only: Sequence[str], *, json: bool) -> None:
    """Print the battery: a table, or JSON."""
    from gnbbench.studies.conformance import chosen_checks

    checks = chosen_checks(only)
    if json:
        from gnbbench.report.conformance_documents import checks_json_text

        typer.echo(checks_json_text(checks), nl=False)
        return
    from rich.console import Console

    from gnbbench.report.conformance import check_list
    from gnbbench.report.terminal import terminal_table

    Console().print(terminal_table(check_list(checks)))


conformance = command(_conformance, TEXT, ConformanceOptions, PrintOptions, BatteryOptions)
