"""The steps of all commands that run studies: check, prepare, measure, show, judge."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from gnbbench.cli import exits
from gnbbench.cli.signatures import Command
from gnbbench.errors import OptionError
from gnbbench.files import replace_file
from gnbbench.processes.dask_cluster import OPEN, is_open
from gnbbench.studies.configuration import config_text, read_configuration
from gnbbench.studies.kinds import StudyKind, kind_of
from gnbbench.studies.option import OUTPUT, STUDY, Options, option, switch, typed
from gnbbench.studies.options import (
    REPORTS,
    ExecutionOptions,
    GateOptions,
    IsolationOptions,
    RunFileOptions,
    offline_of,
)
from gnbbench.studies.reports import finish


class Pace(ProgressColumn):
    """Steps done, total steps, and steps per second."""

    def render(self, task: Task) -> Text:
        """Render the counts of a task; empty if it has no steps."""
        rate = "" if not task.speed else f" {task.speed:,.0f}/s"
        is_counted = task.total is not None
        return Text(f"{task.completed:,.0f}/{task.total:,.0f}{rate}" if is_counted else "")


class Bar:
    """A progress bar for a study."""

    def __init__(self, *, hidden: bool = False) -> None:
        console = Console(stderr=True)
        self.steps_done = self.steps_total = 0
        self._task: TaskID | None = None
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            Pace(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=hidden or not console.is_terminal,
            refresh_per_second=4,
        )

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def stop(self) -> None:
        """Remove the bar."""
        self._bar.stop()

    def begin(self, stage: str, total: int | None = None, done: int = 0) -> None:
        """Show the next stage."""
        if self._task is not None:
            self._bar.remove_task(self._task)
        if total is not None:
            self.steps_done, self.steps_total = done, total
        self._task = self._bar.add_task(stage, total=total, completed=done)

    def advance(self, steps: int) -> None:
        """Show that more steps are done."""
        self.steps_done += steps
        if self._task is not None:
            self._bar.advance(self._task, steps)


if TYPE_CHECKING:
    from gnbbench.studies.study import Kind, Study


class ShowOptions(Options):
    """Options for the output at the end of a command."""

    json_text: bool = switch(OUTPUT, "Print the summary as JSON.", flag="--json")
    quiet: bool = switch(OUTPUT, "Print only the path of the report.", flag="--quiet -q")
    open_page: bool = switch(OUTPUT, "Open the report in a browser.", flag="--open")
    export_markdown: Path | None = option(
        OUTPUT, "Markdown file to write the printed text to as well."
    )


class PrintOptions(ShowOptions):
    """Options for the output at the end of a command, or instead of running it."""

    print_config: bool = switch(OUTPUT, "Only print the study as TOML, for gnbbench run.")


class FileOptions(ExecutionOptions, IsolationOptions, RunFileOptions):
    """Options that may accompany a configuration file."""

    config: Path = option(
        STUDY, "TOML file, such as configs/iris.toml.", ..., is_argument=True
    )
    offline: bool = offline_of()


class StoredOptions(Options):
    """A stored study and the destination of its report."""

    directory: Path = option(STUDY, "Results directory of a study.", ..., is_argument=True)
    out: Path | None = option(OUTPUT, "Directory for the report.  [default: DIRECTORY]")


class ListOptions(Options):
    """Option to list the claims instead of running the study."""

    shows_list: bool = switch(STUDY, "List the claims and exit.", flag="--list")


class BatteryOptions(ListOptions):
    """Option to list the checks instead of running the study."""

    shows_list: bool = switch(STUDY, "List the checks and exit.", flag="--list")


def study_command(kind: StudyKind, further: type[Options] = Options) -> Command:
    """Return the command for a kind of study: its function and option models."""

    def run(options: Options, show: PrintOptions, asked: Options) -> None:
        if getattr(asked, "shows_list", False):
            _show_list(kind, options, json=show.json_text)
        else:
            known = GateOptions.model_fields.keys() & vars(asked).keys()
            run_study(options, show, GateOptions(**{n: getattr(asked, n) for n in known}))

    return run, kind.options, PrintOptions, further


def _show_list(kind: StudyKind, options: Options, *, json: bool) -> None:
    """List what the study would examine, as a table or JSON."""
    from gnbbench.report.terminal import terminal
    from gnbbench.statistics.documents import as_text

    with exits.user_errors():
        table, listed = kind.load().listed(options)
    if json:
        typer.echo(as_text(listed), nl=False)
    else:
        Console().print(terminal([table]))


def run_file(file_options: FileOptions, show: ShowOptions, gates: GateOptions) -> None:
    """Run the study described in a configuration file."""
    further = dict(file_options)
    with exits.user_errors():
        configuration = read_configuration(further.pop("config"))
        options = configuration.to_options(**further)
        unused = {name: further[name] for name in further.keys() - vars(options).keys()}
        for word in typed(FileOptions, unused)[:1]:
            fault = f"{configuration.study} has no such option"
            raise OptionError(word, fault, f"See gnbbench {configuration.study} --help.")
    run_study(options, PrintOptions(**dict(show)), gates)


def draw_stored(stored: StoredOptions, show: ShowOptions) -> None:
    """Redraw the report of a stored study."""
    from gnbbench.studies.directory import reading, refuse_other_study
    from gnbbench.studies.stored import draw_again

    directory, out = stored.directory, stored.out
    with exits.user_errors():
        if out is not None and out.resolve() != directory.resolve():
            refuse_other_study(out)
        study = draw_again(directory)
        with reading(directory):
            study.save(out or directory)
    show_study(study, out or directory, show)


def run_study(options: Options, show: PrintOptions, gates: GateOptions) -> None:
    """Run a study, write and show its report, and apply the gates."""
    with exits.user_errors():
        kind, kind_options = kind_of(options)
        _refuse_directory(show.export_markdown)
        address = "" if show.print_config else getattr(kind_options, "dask", None)
        if address and is_open(address):
            typer.echo(f"gnbbench: {OPEN.format(' '.join(address.split()))}", err=True)
        with Bar(hidden=show.quiet or show.print_config) as bar:
            bar.begin("loading")
            prepared = exits.prepare(kind, kind_options, sys.argv[1:])
            runner = kind.load()
            if not show.print_config:
                directory = vars(kind_options)["out"] or REPORTS / prepared.directory_name
                study = _measured(runner, prepared, kind_options, directory, bar)
            else:
                text = config_text(prepared)
    if show.print_config:
        typer.echo(text, nl=False)
        return
    show_study(study, directory, show)
    exits.judge(gates, study.parts)
    judgement = runner.judge(kind_options, study.details)
    recorded = "" if show.quiet else study.recorded
    for text in filter(None, (recorded, *judgement.remarks)):
        typer.echo(f"gnbbench: {text}", err=True)
    if judgement.failure:
        is_shown = judgement.is_shown or study.details.headline == f"{judgement.failure}."
        if show.quiet or show.json_text or not is_shown:
            typer.echo(f"gnbbench: {judgement.failure}.", err=True)
        raise typer.Exit(exits.GATE_FAILED if judgement.could_run else exits.USER_INPUT)


def _measured(
    runner: "Kind", prepared: Any, options: Options, directory: Path, bar: Bar
) -> "Study":
    """Measure a study; if interrupted, say what was kept."""
    try:
        return runner.run(
            prepared,
            out=directory,
            overwrite=vars(options)["overwrite"],
            command=shlex.join(["gnbbench", *sys.argv[1:]]),
            progress=bar,
        )
    except KeyboardInterrupt:
        done, total = bar.steps_done, bar.steps_total
        kept = runner.kept.format(done=done, total=total, directory=directory)
    bar.stop()
    typer.echo(f"gnbbench: interrupted; {kept}; the same command continues.", err=True)
    raise typer.Exit(exits.INTERRUPTED)


def _refuse_directory(path: Path | None) -> None:
    """Raise where no file can be written in the end, before anything is measured."""
    if path and (path.is_dir() or not path.resolve().parent.is_dir()):
        what = f"{path} is not a file in an existing directory"
        raise OptionError("--export-markdown", what, "Give another one.")


def _write_markdown(path: Path, study: "Study") -> None:
    """Write the terminal output of a study to a file as Markdown."""
    from gnbbench.report.terminal import markdown

    try:
        replace_file(path.resolve(), markdown(study.document.terminal).encode())
    except OSError as error:
        what = f"{path} cannot be written ({error.strerror or error})"
        raise OptionError("--export-markdown", what, "Give another file.") from error


def show_study(study: "Study", directory: Path, show: ShowOptions) -> None:
    """Print the JSON, the path, or the table and the path."""
    with exits.user_errors():
        parts = dict.fromkeys((study, *study.parts))
        remarks = finish(directory, [path for part in parts for path in part.kept_aside])
    for remark in remarks:
        typer.echo(f"gnbbench: {remark}", err=True)
    page = directory / "index.html"
    if show.json_text:
        typer.echo((directory / "summary.json").read_text(encoding="utf-8"), nl=False)
    elif show.quiet:
        typer.echo(page)
    else:
        Console().print(study.table(), crop=False)
        typer.echo(f"\nReport: {page}")
    if show.export_markdown is not None:
        with exits.user_errors():
            _write_markdown(show.export_markdown, study)
    if show.open_page:
        typer.launch(str(page))
