"""Commands of studies whose checks, or claims, can be shown before they are examined."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import typer

from gnbbench.cli.exits import user_errors
from gnbbench.cli.signatures import command, options_typed
from gnbbench.cli.studies import PrintOptions, carry_out
from gnbbench.studies.kinds import CONFORMANCE, REPRODUCE, StudyKind
from gnbbench.studies.option import GATES, STUDY, Options, option, switch
from gnbbench.studies.options import GateOptions

CONFORMANCE_TEXT = """
Put implementations through a battery of hard cases, and write a report.

Exit 1 if a check fails that is not expected to.

Example: gnbbench conformance sklearn
"""
REPRODUCE_TEXT = """
Measure what others published, and write a report of published beside measured.

Exit 1 if a claim that was reproduced when it was entered no longer is.

Example: gnbbench reproduce A --runs 100
"""


class BatteryOptions(Options):
    """What is done besides the study, or instead."""

    shows_list: bool = switch(STUDY, "Show the checks; nothing is examined.", flag="--list")
    junit: Path | None = option(GATES, "Also write JUnit XML to this file.", metavar="FILE")


class ClaimOptions(Options):
    """What is done instead of the study."""

    shows_list: bool = switch(STUDY, "Show the claims; nothing is measured.", flag="--list")


def _listed_command(
    kind: StudyKind, document: str, further: type[Options]
) -> Callable[..., None]:
    """Return the command of a kind of study that can list what it examines."""

    def run(typed: Mapping[str, Any]) -> None:
        with user_errors():
            options = options_typed(kind.options, typed)
            show = options_typed(PrintOptions, typed)
            asked = options_typed(further, typed).model_dump()
            if asked["shows_list"]:
                _show_list(kind, options, json=show.json_text)
                return
        carry_out(options, show, GateOptions(), junit=asked.get("junit"))

    return command(run, document, kind.options, PrintOptions, further)


def _show_list(kind: StudyKind, options: Options, *, json: bool) -> None:
    """Print what would be examined: a table, or JSON."""
    from rich.console import Console

    from gnbbench.report.terminal import terminal_table
    from gnbbench.statistics.documents import as_text

    table, listed = kind.load().listed(options)
    if json:
        typer.echo(as_text(listed), nl=False)
    else:
        Console().print(terminal_table(table))


conformance = _listed_command(CONFORMANCE, CONFORMANCE_TEXT, BatteryOptions)
reproduce = _listed_command(REPRODUCE, REPRODUCE_TEXT, ClaimOptions)
