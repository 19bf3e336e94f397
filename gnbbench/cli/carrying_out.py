"""What commands do with a study: measure, show, open."""

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from gnbbench.cli.exits import INTERRUPTED

if TYPE_CHECKING:
    from gnbbench.interface.shown import Shown

REPORTS = Path("reports")
S = TypeVar("S", bound="Shown")


def examine(
    function: Callable[..., S],
    *settled: Any,
    directory: Path,
    quiet: bool,
    **options: Any,
) -> S:
    """Carry out, with a progress bar, a study that is written at its end alone."""
    from gnbbench.cli.progress import Bar

    with Bar(hidden=quiet) as bar:
        try:
            return function(
                *settled, out=directory, command=_typed(), progress=bar, **options
            )
        except KeyboardInterrupt:
            pass
    typer.echo("gnbbench: interrupted before the report was whole.", err=True)
    raise typer.Exit(INTERRUPTED)


def _typed() -> str:
    """Return the command as it was typed."""
    return shlex.join(["gnbbench", *sys.argv[1:]])


def show(
    study: "Shown",
    directory: Path,
    *,
    json: bool,
    quiet: bool,
    open_page: bool,
) -> None:
    """Print what was asked for: JSON, the path, or the table and the path."""
    page = directory / "index.html"
    if json:
        typer.echo((directory / "summary.json").read_text(encoding="utf-8"), nl=False)
    elif quiet:
        typer.echo(page)
    else:
        from rich.console import Console

        Console().print(study.table())
        typer.echo(f"\nReport: {page}")
    if open_page:
        typer.launch(str(page))
