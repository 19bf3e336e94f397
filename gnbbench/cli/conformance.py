"""``gnbbench conformance``: a battery of hard cases, with the number measured in each."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gnbbench.cli import options
from gnbbench.cli.carrying_out import REPORTS, examine, show
from gnbbench.cli.exits import GATE_FAILED, user_errors
from gnbbench.errors import OptionError

if TYPE_CHECKING:
    from gnbbench.conformance import Check
    from gnbbench.interface.conformance import ConformanceStudy

MOST_NAMED = 5


def conformance(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...",
            help="What is examined; several make a scoreboard.",
            show_default=False,
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Scoreboard of all installed implementations.")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option(help="Family or id of checks; repeatable.")
    ] = None,
    expect_fail: Annotated[
        Path | None,
        typer.Option(help="File of the checks whose failure is known, an id a line."),
    ] = None,
    junit: Annotated[
        Path | None, typer.Option(help="Also write JUnit XML to this file.")
    ] = None,
    timeout: Annotated[float, typer.Option(help="Seconds that a check may take.")] = 30.0,
    out: options.Out = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    open_page: options.OpenPage = False,
    show_checks: Annotated[
        bool, typer.Option("--list", help="Show the checks; nothing is examined.")
    ] = False,
) -> None:
    """Put implementations through a battery of hard cases, and write a report.

    Exit 1 if a check fails that is not expected to.

    Example: gnbbench conformance sklearn
    """
    from gnbbench.interface.conformance import examined
    from gnbbench.interface.conformance_plan import chosen_checks, conformance_plan
    from gnbbench.interface.expected_failures import expected_failures
    from gnbbench.report.junit import conformance_junit, require_file, write_document

    with user_errors():
        if show_checks:
            _show_checks(chosen_checks(only or ()), json=json)
            return
        if bool(names) == every:
            what = "names and --all exclude each other" if every else "nothing is named"
            raise OptionError("NAME", what, "Name implementations, or give --all.")
        if junit is not None:
            require_file(junit)
        plan = conformance_plan(
            None if every else names,
            only=only or (),
            timeout_seconds=timeout,
            expected=expected_failures(expect_fail) if expect_fail else (),
        )
        directory = out or REPORTS / plan.directory_name
        study = examine(examined, plan, directory=directory, quiet=quiet)
        if junit is not None:
            write_document(conformance_junit(study.details), junit)
    show(study, directory, json=json, quiet=quiet, open_page=open_page)
    _judge(study, expect_fail)


def _show_checks(checks: "tuple[Check, ...]", *, json: bool) -> None:
    """Print the battery: a table, or JSON."""
    if json:
        from gnbbench.report.conformance_documents import checks_json_text

        typer.echo(checks_json_text(checks), nl=False)
        return
    from rich.console import Console

    from gnbbench.report.conformance import check_list
    from gnbbench.report.terminal import terminal_table

    Console().print(terminal_table(check_list(checks)))


def _judge(study: "ConformanceStudy", expect_fail: Path | None) -> None:
    """Say what passes though it was to fail, and exit with 1 if something else fails."""
    for told in study.details.surprises:
        typer.echo(f"gnbbench: {told} Take it out of {expect_fail}", err=True)
    failed: dict[str, list[str]] = {}
    for name, result in study.details.unexpected_failures:
        failed.setdefault(name, []).append(result.check.id)
    if failed:
        several = len(failed) > 1
        told = ", ".join(
            f"{name} fails {len(ids) if several else _first(ids)}"
            for name, ids in failed.items()
        )
        typer.echo(f"gnbbench: gate failed: {told}.", err=True)
        raise typer.Exit(GATE_FAILED)


def _first(ids: list[str]) -> str:
    """Return the first few names, and how many there are besides."""
    beyond = len(ids) - MOST_NAMED
    return ", ".join(ids[:MOST_NAMED]) + (f" and {beyond} more" if beyond > 0 else "")
