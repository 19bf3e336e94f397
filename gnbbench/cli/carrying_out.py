"""What commands do with a study: look at its options, measure, show, open."""

import shlex
import sys
from collections.abc import Callable
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from gnbbench.cli.exits import INTERRUPTED
from gnbbench.errors import OptionError

if TYPE_CHECKING:
    from gnbbench.interface.shown import Shown
    from gnbbench.interface.study import Study

REPORTS = Path("reports")
S = TypeVar("S", bound="Shown")


def check_jobs(jobs: int | None) -> None:
    """Raise unless the number of processes can be had."""
    if jobs is not None and jobs < 1:
        raise OptionError("--jobs", f"{jobs} is less than 1", "Give a whole number from 1.")


def time_limit(timeout: float) -> float | None:
    """Return the seconds that a call of code of others may take, None for no limit."""
    if not (isfinite(timeout) and timeout >= 0.0):
        remedy = "Give seconds above 0, or 0 for no limit."
        raise OptionError("--timeout", f"{timeout:g} is no time limit", remedy)
    return timeout or None


def carry_out(
    function: Callable[..., "Study"],
    made: Any,
    directory: Path,
    *,
    jobs: int | None,
    dask: str | None,
    overwrite: bool,
    quiet: bool,
    **options: Any,
) -> "Study":
    """Measure with a progress bar; an interruption keeps what was measured."""
    from gnbbench.cli.progress import Bar

    with Bar(hidden=quiet) as bar:
        try:
            return function(
                made,
                jobs=jobs,
                dask=dask,
                out=directory,
                overwrite=overwrite,
                command=_typed(),
                progress=bar,
                **options,
            )
        except KeyboardInterrupt:
            kept = f"{bar.steps_done} of {bar.steps_total} runs are kept in {directory}"
            if not getattr(made, "goes_on", True):
                kept = "nothing is kept of a stream that was not read to its end"
    typer.echo(f"gnbbench: interrupted; {kept}. The same command goes on.", err=True)
    raise typer.Exit(INTERRUPTED)


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
