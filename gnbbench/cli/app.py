"""The command ``gnbbench`` with all its subcommands."""

from typing import Annotated

import typer

from gnbbench import __version__
from gnbbench.cli.assumptions import assumptions
from gnbbench.cli.compare import compare
from gnbbench.cli.conformance import conformance
from gnbbench.cli.diff import diff
from gnbbench.cli.explain import explain
from gnbbench.cli.listing import listing
from gnbbench.cli.report import report
from gnbbench.cli.reproduce import reproduce
from gnbbench.cli.run import run
from gnbbench.cli.scale import scale
from gnbbench.cli.sweep_split import sweep_split

app = typer.Typer(
    name="gnbbench",
    help="Compare implementations of Gaussian naive Bayes: same answers? at what cost? "
    "and if not, why?",
    epilog="Start with: gnbbench compare iris --runs 1000",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("compare")(compare)
app.command("sweep-split")(sweep_split)
app.command("assumptions")(assumptions)
app.command("explain")(explain)
app.command("conformance")(conformance)
app.command("scale")(scale)
app.command("reproduce")(reproduce)
app.command("run")(run)
app.command("report")(report)
app.command("diff")(diff)
app.command("list")(listing)


def _version(asked: bool) -> None:  # noqa: FBT001  typer calls it with the flag
    if asked:
        typer.echo(f"gnbbench {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Show the version."
        ),
    ] = False,
) -> None:
    """Take the options that stand before a subcommand."""


def main() -> None:
    """Run the command line; the entry point of the package."""
    app()
