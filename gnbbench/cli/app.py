"""The command ``gnbbench`` with all its subcommands."""

import gc
from typing import Annotated

import typer

from gnbbench import __version__
from gnbbench.cli.diff import TEXT as DIFF_TEXT
from gnbbench.cli.diff import DiffOptions, diff
from gnbbench.cli.exits import any_surroundings
from gnbbench.cli.listing import listing
from gnbbench.cli.signatures import PanelCommand, command
from gnbbench.cli.studies import (
    BatteryOptions,
    FileOptions,
    ListOptions,
    ShowOptions,
    StoredOptions,
    draw_stored,
    run_file,
    study_command,
)
from gnbbench.processes.interruption import watch_signals
from gnbbench.studies import kinds
from gnbbench.studies.options import GateOptions

COMPARE_TEXT = """Compare implementations over random train/test splits.

Example: gnbbench compare iris --runs 1000
"""
SWEEP_TEXT = """Compare implementations at several train fractions.

Example: gnbbench sweep-split wine --runs 1000 --against density-product
"""
SCALE_TEXT = """
Measure time and memory as the data grow.

One size varies at a time. While another one does, the number of samples stays at 10,000,
or at the end of its range that is closest to that.

Example: gnbbench scale --samples 1e3:1e5 --features 4:64 --classes 5
"""
ASSUMPTIONS_TEXT = """Test the naive and the normal assumption on a dataset.

Example: gnbbench assumptions wine
"""
EXPLAIN_TEXT = """Find the cause of every disagreement.

Example: gnbbench explain breast_cancer --against study-b
"""
CONFORMANCE_TEXT = """
Check implementations on a battery of hard cases.

Exit 1 if a check fails that is not expected to.

Example: gnbbench conformance sklearn
"""
CHECK_TEXT = """
Check whether your code is a right Gaussian naive Bayes, and if not, what to change.

The class or the functions in each file are found, compared with scikit-learn on real and
on made data, explained, run through the battery of hard cases, and timed.

Exit 0 if all files agree with scikit-learn, 1 if some do not, 2 if none can be run.

Example: gnbbench check my_gnb.py
"""
REPRODUCE_TEXT = """
Measure published figures again, and show both side by side.

Exit 1 if a claim that was reproduced when it was entered no longer is.

Example: gnbbench reproduce A --runs 100
"""
RUN_TEXT = """Run a study from a TOML file.

Example: gnbbench run configs/iris.toml
"""
REPORT_TEXT = """
Redraw the report of a stored study; nothing is measured.

Example: gnbbench report reports/compare-iris-0123abcd
"""

app = typer.Typer(
    name="gnbbench",
    help="Compare implementations of Gaussian naive Bayes: do they give the same answers, "
    "how fast are they, and why do they differ?",
    epilog="Start with: gnbbench compare iris --runs 1000",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
COMMANDS = {
    "compare": study_command(kinds.COMPARE, COMPARE_TEXT, GateOptions),
    "sweep-split": study_command(kinds.SWEEP, SWEEP_TEXT, GateOptions),
    "assumptions": study_command(kinds.ASSUMPTIONS, ASSUMPTIONS_TEXT),
    "explain": study_command(kinds.EXPLAIN, EXPLAIN_TEXT),
    "conformance": study_command(kinds.CONFORMANCE, CONFORMANCE_TEXT, BatteryOptions),
    "check": study_command(kinds.CHECK, CHECK_TEXT),
    "scale": study_command(kinds.SCALE, SCALE_TEXT),
    "reproduce": study_command(kinds.REPRODUCE, REPRODUCE_TEXT, ListOptions),
    "run": command(run_file, RUN_TEXT, FileOptions, ShowOptions, GateOptions),
    "report": command(draw_stored, REPORT_TEXT, StoredOptions, ShowOptions),
    "diff": command(diff, DIFF_TEXT, DiffOptions),
}
for name, function in COMMANDS.items():
    app.command(name, cls=PanelCommand)(function)
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
    # Modules, tables and figures are many objects that live on: looking for cycles among
    # them as often as Python does by itself is a tenth of a short command.
    gc.set_threshold(50_000)
    watch_signals()
    with any_surroundings():
        app()
