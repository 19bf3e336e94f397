"""What all commands on studies do: check, prepare, measure, show, judge."""

import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from gnbbench.cli.exits import GATE_FAILED, INTERRUPTED, user_errors
from gnbbench.cli.gates import check_junit, copy_junit, judge
from gnbbench.cli.progress import Bar
from gnbbench.cli.signatures import command, options_typed, values_typed
from gnbbench.studies.kinds import StudyKind, check_names, kind_of
from gnbbench.studies.option import OUTPUT, STUDY, Options, option, switch
from gnbbench.studies.options import (
    ExecutionOptions,
    GateOptions,
    IsolationOptions,
    OutputOptions,
    offline_of,
)

if TYPE_CHECKING:
    from gnbbench.studies.study import Kind, Study

REPORTS = Path("reports")


class ShowOptions(Options):
    """What a command prints when it is done."""

    json_text: bool = switch(OUTPUT, "Print the summary as JSON.", flag="--json")
    quiet: bool = switch(OUTPUT, "Print the path of the report only.", flag="--quiet -q")
    open_page: bool = switch(OUTPUT, "Open the report in a browser.", flag="--open")


class PrintOptions(ShowOptions):
    """What a command prints when it is done, or instead."""

    print_config: bool = switch(OUTPUT, "Print the study as a file for gnbbench run.")


class FileOptions(ExecutionOptions, IsolationOptions, OutputOptions):
    """What goes with a file that describes a study."""

    config: Path = option(
        STUDY, "A TOML file, such as configs/iris.toml.", ..., is_argument=True
    )
    offline: bool = offline_of()


class StoredOptions(Options):
    """A study that was carried out, and where its report goes."""

    directory: Path = option(STUDY, "Results directory of a study.", ..., is_argument=True)
    out: Path | None = option(OUTPUT, "Where the report goes.  [default: DIRECTORY]")


def study_command(kind: StudyKind, document: str) -> Callable[..., None]:
    """Return the command of a kind of study."""
    gates = (GateOptions,) if kind.has_gates else ()

    def run(typed: Mapping[str, Any]) -> None:
        with user_errors():
            options = options_typed(kind.options, typed)
            show = options_typed(PrintOptions, typed)
            asked = options_typed(GateOptions, typed) if gates else GateOptions()
        carry_out(options, show, asked)

    return command(run, document, kind.options, PrintOptions, *gates)


def run_file(typed: Mapping[str, Any]) -> None:
    """Carry out the study that a file describes."""
    from gnbbench.studies.configuration import read_configuration

    with user_errors():
        given = values_typed(FileOptions, typed)
        FileOptions(**given)
        show = PrintOptions(**values_typed(ShowOptions, typed))
        asked = options_typed(GateOptions, typed)
        options = read_configuration(given.pop("config")).made(**given)
    carry_out(options, show, asked)


def draw_stored(typed: Mapping[str, Any]) -> None:
    """Write the report of a stored study again."""
    from gnbbench.studies.directory import refuse_other_study
    from gnbbench.studies.stored import draw_again

    show = options_typed(ShowOptions, typed)
    wanted = options_typed(StoredOptions, typed)
    directory, out = wanted.directory, wanted.out
    with user_errors():
        if out is not None and out.resolve() != directory.resolve():
            refuse_other_study(out)
        study = draw_again(directory)
        study.save(out or directory)
    show_study(study, out or directory, show)


def carry_out(
    options: Options, show: PrintOptions, asked: GateOptions, junit: Path | None = None
) -> None:
    """Carry out a study, write and print what was asked for, and judge it."""
    with user_errors():
        check_junit(asked.junit or junit)
        kind, settled = kind_of(options)
        check_names(settled)
        with Bar(hidden=show.quiet or show.print_config) as bar:
            bar.begin("loading")
            carrier = kind.load()
            prepared = carrier.prepare(settled)
            if not show.print_config:
                directory = _directory(settled, prepared)
                study = _measured(carrier, prepared, settled, directory, bar)
                copy_junit(study, junit)
    if show.print_config:
        _print_config(prepared)
        return
    show_study(study, directory, show)
    judge(asked, study.parts)
    for text in carrier.surprises(settled, study.details):
        typer.echo(f"gnbbench: {text}", err=True)
    failure = carrier.failure(study.details)
    if failure:
        typer.echo(f"gnbbench: gate failed: {failure}.", err=True)
        raise typer.Exit(GATE_FAILED)


def _directory(options: Options, prepared: Any) -> Path:
    given: Path | None = getattr(options, "out", None)
    return given or REPORTS / str(prepared.plan.directory_name)


def _measured(
    carrier: "Kind[Any, Any]", prepared: Any, options: Options, directory: Path, bar: Bar
) -> "Study":
    """Measure; an interruption keeps what was measured, and says so."""
    try:
        return carrier.run(
            prepared,
            out=directory,
            overwrite=getattr(options, "overwrite", False),
            command=shlex.join(["gnbbench", *sys.argv[1:]]),
            progress=bar,
        )
    except KeyboardInterrupt:
        done, total = bar.steps_done, bar.steps_total
        kept = carrier.kept.format(done=done, total=total, directory=directory)
    bar.stop()
    typer.echo(f"gnbbench: interrupted; {kept}. The same command goes on.", err=True)
    raise typer.Exit(INTERRUPTED)


def _print_config(prepared: Any) -> None:
    from gnbbench.studies.configuration import config_text

    with user_errors():
        text = config_text(prepared)
    typer.echo(text, nl=False)


def show_study(study: "Study", directory: Path, show: ShowOptions) -> None:
    """Print what was asked for: JSON, the path, or the table and the path."""
    page = directory / "index.html"
    if show.json_text:
        typer.echo((directory / "summary.json").read_text(encoding="utf-8"), nl=False)
    elif show.quiet:
        typer.echo(page)
    else:
        from rich.console import Console

        Console().print(study.table())
        typer.echo(f"\nReport: {page}")
    if show.open_page:
        typer.launch(str(page))
