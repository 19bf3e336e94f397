"""The protocol of a study: prepare, measure, summarise, report."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

import pandas as pd

from gnbbench.data.dataset import describe
from gnbbench.errors import ResultsError
from gnbbench.files import replace_file
from gnbbench.measurement.environment import environment
from gnbbench.progress import Progress, Silence
from gnbbench.report.blocks import Document, Table
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.files import PAGE_NAME, RUNS_FORMATS, card, contents, page
from gnbbench.report.sections import with_adaptations
from gnbbench.report.terminal import terminal
from gnbbench.statistics.summary import StudyNotes
from gnbbench.statistics.timing import recorded
from gnbbench.studies import directory as directories
from gnbbench.studies.plan import Prepared, call_text, repeated
from gnbbench.studies.reports import note_changes, timed_records
from gnbbench.studies.schema import ELSEWHERE, require_notes
from gnbbench.studies.store import FILE_NAME, Store

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

# Records of one study must come from one version of each of these.
DECISIVE_VERSIONS = ("gnbbench", "numpy", "scikit-learn")
PUBLIC = ("figures", "metrics", "parts", "runs", "save", "summary", "table", "verdict")
RUNS_KEPT = "{done} of {total} runs are kept in {directory}"


@dataclass(frozen=True)
class Judgement:
    """Whether a study fails the command, and why."""

    failure: str = ""  # Empty where nothing fails
    remarks: tuple[str, ...] = ()  # Printed even where nothing fails
    could_run: bool = True  # Whether anything named could be run
    is_shown: bool = False  # Whether the report says it already


T = TypeVar("T")


class Kind(ABC):
    """What one kind of study does at each step."""

    name: ClassVar[str]
    function: ClassVar[str]  # Public name of the Python function
    # The message after an interruption
    kept: ClassVar[str] = "what was measured is kept in {directory}"
    # Tables of the summary behind `Study.summary` and `Study.runs`; without a name the
    # former is made from the metrics
    frame_name: ClassVar[str] = ""
    runs_name: ClassVar[str] = "runs"
    # Turns a summary into a report
    report: ClassVar["staticmethod[[Any], Document]"]

    @abstractmethod
    def prepare(self, options: Any) -> Any:
        """Prepare the study for measuring; raise if it is impossible."""

    def measure(self, prepared: Any, store: Store, progress: Progress) -> None:
        """Add the records that the store lacks."""
        raise NotImplementedError("it has no store of its own")

    def summarize(self, store: Store) -> Any:
        """Return the summary of the records; raise if the study is unfinished."""
        raise NotImplementedError("it has no store of its own")

    def call(self, prepared: Prepared[Any]) -> str:
        """Return the Python call that repeats the study."""
        first = prepared.first or prepared.plan.get("dataset")
        arguments = () if first is None else (first,)
        keywords = {**prepared.keywords, **repeated(prepared)}
        return call_text(self.function, *arguments, **keywords)

    def frame(self, summary: Any) -> pd.DataFrame:
        """Return one row for each implementation and number, or the kind's main table."""
        table = summary.table(self.frame_name) if self.frame_name else summary.frame()
        return cast("pd.DataFrame", table)

    def runs(self, summary: Any) -> pd.DataFrame:
        """Return one row for each run and implementation, or the nearest to that."""
        return cast("pd.DataFrame", summary.table(self.runs_name))

    def judge(self, options: Any, summary: Any) -> Judgement:  # noqa: ARG002  of kinds that judge
        """Return what fails the command even if no gate was given."""
        return Judgement()

    def listed(self, options: Any) -> tuple[Table, Mapping[str, Any]]:
        """Return what would be examined: as a table, and as a document for JSON."""
        raise NotImplementedError

    def run(
        self,
        prepared: Any,
        *,
        out: Path | None = None,
        overwrite: bool = False,
        command: str = "",
        progress: Progress | None = None,
    ) -> "Study":
        """Return the finished study, after measuring the records it lacked."""
        listener = progress or Silence()
        if out is not None:
            directories.require_reachable(out)
        is_trusted = (
            out is None or directories.is_sealed(out) or not (out / FILE_NAME).exists()
        )
        replaced = timed_records(out) if out else None
        kept_aside = directories.clear(out) if overwrite and out is not None else []
        with Store() if out is None else directories.opened(out) as store:
            settle(store, prepared, command or self.call(prepared))
            if out is not None:
                directories.seal(out, is_finished=False)
            self.measure(prepared, store, listener)
            listener.begin("report")
            with directories.reading(Path(store.name).parent, is_trusted=is_trusted):
                if out is not None:
                    note_changes(self.summarize, store, out, replaced)
                study = Study(self, self.summarize(store), store.serialized())
                study.runs_format = getattr(prepared.options, "format", study.runs_format)
                notes = store.note("timing_notes")
                study.recorded = "" if store.is_changed else recorded(notes)
                study.kept_aside += kept_aside
                # Written while the store is still locked against other processes.
                if out is not None:
                    study.write_page(out)
        if out is not None:
            if not (out / FILE_NAME).exists():  # Somebody removed it meanwhile
                replace_file(out / FILE_NAME, study._database)
            directories.seal(out)
        return study


def settle(store: Store, prepared: Prepared[Any], command: str) -> None:
    """Note plan and environment in a new store; check that an old one has the same plan."""
    machine = environment()
    plan = {**prepared.plan, "command": command}
    if store.is_empty:
        notes = {"plan": plan, "environment": machine}
        if prepared.dataset is not None:
            notes["dataset"] = describe(prepared.dataset)
        store.add({}, notes)
        return
    kept = require_notes(store.name, store.notes(""))
    if {**kept, "command": command} != plan:
        raise directories.other_plan(Path(store.name).parent, kept, plan)
    then, now = store.note("environment")["versions"], machine["versions"]
    for package in DECISIVE_VERSIONS:
        if then.get(package) != now.get(package):
            what = f"{package} was {then.get(package)} at first, now {now.get(package)}"
            raise ResultsError(str(store.path), what, ELSEWHERE)


def settled(store: Store) -> StudyNotes:
    """Return what the store notes of its study."""
    plan = dict(store.note("plan"))
    command = plan.pop("command")
    return StudyNotes(plan, store.note("environment"), command)


def unfinished(store: Store, reached: str = "") -> ResultsError:
    """Return the error for an interrupted study, whose report would mislead."""
    what = "the study is not finished" + (f" ({reached})" if reached else "")
    command = store.note("plan")["command"]
    return ResultsError(str(store.name), what, f"Finish it first: {command}")


def require_finished(store: Store, done: int, wanted: int) -> None:
    """Raise if runs or times are missing."""
    if done < wanted or store.note("timing_notes") is None:
        raise unfinished(store, f"{done:,} of {wanted:,} runs")


def require_noted(store: Store, key: str) -> Any:
    """Return a note of a finished study; raise if the study was interrupted."""
    note = store.note(key)
    if note is None:
        raise unfinished(store)
    return note


@contextmanager
def counting(
    progress: Progress, stage: str, total: int, kept: Callable[[], int]
) -> Iterator[None]:
    """Report how much is stored at the start, and again after an interruption.

    An interruption may fall between the commit of a batch and the report of its progress.
    """
    progress.begin(stage, total=total, done=kept())
    try:
        yield
    except KeyboardInterrupt:
        progress.begin(stage, total=total, done=kept())
        raise


@contextmanager
def missing(
    store: Store, prefix: str, items: Mapping[str, T], progress: Progress, stage: str
) -> Iterator[dict[str, T]]:
    """Yield the items without a note, and report progress by those that have one."""
    done = store.notes(prefix)
    with counting(progress, stage, len(items), lambda: len(store.notes(prefix))):
        yield {name: item for name, item in items.items() if name not in done}


def every_note(
    store: Store, prefix: str, names: Collection[str], what: str = ""
) -> list[Any]:
    """Return the note of each name; raise if the study was interrupted."""
    notes = store.notes(prefix)
    if any(name not in notes for name in names):
        raise unfinished(store, f"{len(notes)} of {len(names)}{what}")
    return [notes[name] for name in names]


class Figures(Mapping[str, "Figure"]):
    """The figures of a study by name; each is drawn on first use."""

    def __init__(self, drawings: Mapping[str, Drawing | Absence]) -> None:
        items = drawings.items()
        self._drawings = {name: d for name, d in items if isinstance(d, Drawing)}

    def __getitem__(self, name: str) -> "Figure":
        return self._drawings[name].figure

    def __iter__(self) -> Iterator[str]:
        return iter(self._drawings)

    def __len__(self) -> int:
        return len(self._drawings)


class Study:
    """A finished study: its numbers, its figures and its report.

    ``dir(study)`` lists the public names; all others may change.

    Parameters
    ----------
    kind : Kind
        Its kind.
    details : object
        Every number of the report, as tables; has a ``headline``.
    database : bytes
        The records, as an SQLite file.
    """

    def __init__(self, kind: Kind, details: Any, database: bytes = b"") -> None:
        self.details = details
        self.recorded = ""  # A remark if nothing had to be measured
        self.kept_aside: list[Path] = []  # Changed files that were renamed, not replaced
        self.runs_format = RUNS_FORMATS[0]
        self._kind = kind
        self._database = database
        self._saved: Path | None = None  # The page written last

    @property
    def parts(self) -> "tuple[Study, ...]":
        """One study for each dataset; this one if there is only one dataset."""
        return (self,)

    @cached_property
    def document(self) -> Document:
        """The report."""
        return with_adaptations(self._kind.report(self.details), self.details.plan)

    @property
    def verdict(self) -> str:
        """The result in one sentence: the headline of the page."""
        return self.document.headline

    @property
    def drawings(self) -> tuple[Drawing | Absence, ...]:
        """Every figure with its caption, alt text and data, or why it cannot be drawn."""
        return self.document.drawings

    @cached_property
    def figures(self) -> Mapping[str, "Figure"]:
        """Every figure by its name, such as ``figures["accuracy"]``."""
        return Figures({drawing.name: drawing for drawing in self.drawings})

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One row for each implementation and number."""
        return self._kind.frame(self.details)

    @property
    def metrics(self) -> pd.DataFrame:
        """The means in `summary`, with a column for each implementation."""
        if "mean" not in self.summary:
            what = "it has no means of metrics"
            raise ResultsError(self._kind.name, what, "Use summary.")
        keys = self.summary.columns.intersection(["fraction", "metric", "implementation"])
        # A pivot would lose what belongs to no fraction.
        means = self.summary.set_index(list(keys))["mean"]
        return means.unstack("implementation", sort=False)  # noqa: PD010

    @property
    def runs(self) -> pd.DataFrame:
        """One row for each run and implementation, with the metrics of that run."""
        return self._kind.runs(self.details)

    def table(self) -> "RenderableType":
        """Return what a terminal of 80 columns shows: the verdict, then the numbers."""
        return terminal(self.document.terminal)

    def page(self) -> str:
        """Return the whole page as HTML."""
        return page(self.document)

    def save(self, directory: str | Path) -> Path:
        """Write page, figures, tables and records; return the path of the page.

        Parameters
        ----------
        directory : str or Path
            Created if it does not exist. Files of an earlier report are replaced; one that
            was changed since is kept as ``*.bak`` and listed in ``kept_aside``.

        Returns
        -------
        Path

        Raises
        ------
        ResultsError
            If the directory cannot be written, or holds another study.
        """
        target = Path(directory)
        directories.refuse_others(target, self.document.payload)
        page = self.write_page(target)
        if not (target / FILE_NAME).exists():
            replace_file(target / FILE_NAME, self._database)
        directories.seal(target)
        return page

    def write_page(self, directory: Path) -> Path:
        """Write the report without the records; return the path of the page."""
        files = contents(self.document, self.runs_format)
        self.kept_aside += directories.write_report(directory, files)
        self._saved = directory / PAGE_NAME
        return self._saved

    def _repr_html_(self) -> str:
        """Return a card for a notebook: the result, and a link to the page."""
        return card(self.document, self._saved)

    def __dir__(self) -> list[str]:
        return [*PUBLIC, *(name for name in super().__dir__() if name.startswith("_"))]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.document.setting} {self.verdict}>"
