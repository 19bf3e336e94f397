"""``gnbbench reproduce``: published figures beside measured ones."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gnbbench.cli import options
from gnbbench.cli.carrying_out import REPORTS, examine, show
from gnbbench.cli.exits import GATE_FAILED, user_errors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnbbench.claims import Claim


def reproduce(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ID]...",
            help="Claims, or sources such as A; all when none is named.",
            show_default=False,
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="Directory of student-mat.csv and student-por.csv (UCI 320)."),
    ] = None,
    runs: Annotated[
        int | None,
        typer.Option(help="Most runs of repeated protocols.  [default: as published]"),
    ] = None,
    claims: Annotated[
        Path | None,
        typer.Option(help="Directory of tables of claims.  [default: configs/claims]"),
    ] = None,
    out: options.Out = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    open_page: options.OpenPage = False,
    show_claims: Annotated[
        bool, typer.Option("--list", help="Show the claims; nothing is measured.")
    ] = False,
) -> None:
    """Measure what others published, and write a report of published beside measured.

    Exit 1 if a claim that was reproduced when it was entered no longer is.

    Example: gnbbench reproduce A --runs 100
    """
    from gnbbench.interface.reproduce import examined, reproduce_plan

    with user_errors():
        plan = reproduce_plan(ids or (), data=data, runs=runs, claims=claims)
        if show_claims:
            _show_claims(plan.claims, json=json)
            return
        directory = out or REPORTS / plan.directory_name
        study = examine(examined, plan, directory=directory, quiet=quiet)
    show(study, directory, json=json, quiet=quiet, open_page=open_page)
    lost = study.details.lost
    if lost:
        told = ", ".join(f"{one.claim.id} is {one.verdict}" for one in lost)
        typer.echo(f"gnbbench: gate failed: {told}.", err=True)
        raise typer.Exit(GATE_FAILED)


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
