"""The command ``gnbbench`` with all its subcommands."""

import gc
from typing import Annotated

import typer

from gnbbench import __version__
from gnbbench.cli import list_export_diff, studies
from gnbbench.cli.exits import any_surroundings, open_standard_streams
from gnbbench.cli.signatures import Command, CommandGroup, PanelCommand, command
from gnbbench.files import toml_beside
from gnbbench.studies import kinds
from gnbbench.studies.options import FailureOptions, GateOptions
from gnbbench.tracebacks import watch_signals

HELP: dict[str, str] = toml_beside(__file__, "commands.toml")
app = typer.Typer(
    name="gnbbench",
    cls=CommandGroup,
    help="Compare implementations of Gaussian naive Bayes: do they give the same answers, "
    "how fast are they, and why do they differ?",
    epilog="Start with: gnbbench compare iris --runs 1000",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
COMMANDS: dict[str, Command] = {
    "compare": studies.study_command(kinds.COMPARE, GateOptions),
    "sweep-split": studies.study_command(kinds.SWEEP, GateOptions),
    "assumptions": studies.study_command(kinds.ASSUMPTIONS),
    "explain": studies.study_command(kinds.EXPLAIN, FailureOptions),
    "conformance": studies.study_command(kinds.CONFORMANCE, studies.BatteryOptions),
    "check": studies.study_command(kinds.CHECK),
    "export": (list_export_diff.export_splits, list_export_diff.ExportOptions),
    "scale": studies.study_command(kinds.SCALE, FailureOptions),
    "reproduce": studies.study_command(kinds.REPRODUCE, studies.ListOptions),
    "run": (studies.run_file, studies.FileOptions, studies.ShowOptions, GateOptions),
    "report": (studies.draw_stored, studies.StoredOptions, studies.ShowOptions),
    "diff": (list_export_diff.diff, list_export_diff.DiffOptions),
    "list": (list_export_diff.listing, list_export_diff.ListingOptions),
}
for name, (run, *models) in COMMANDS.items():
    app.command(name, cls=PanelCommand)(command(run, HELP[name], *models))


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
    """Parse the options before a subcommand."""


def main() -> None:
    """Run the command line; the entry point of the package."""
    # Modules, tables and figures are many long-lived objects: collecting as often as Python
    # does by default takes a tenth of the time of a short command.
    gc.set_threshold(50_000)
    open_standard_streams()
    watch_signals()
    with any_surroundings():
        app()
