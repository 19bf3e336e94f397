"""The one road of every study: prepare, measure, summarise, report."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, wraps
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, ParamSpec, Protocol, TypeVar, cast

import pandas as pd

from gnbbench.data.dataset import Dataset
from gnbbench.errors import ResultsError
from gnbbench.studies.directory import opened
from gnbbench.studies.kinds import kind_of
from gnbbench.studies.option import PYTHON, Options, options_of
from gnbbench.studies.progress import Progress, Silence
from gnbbench.studies.steps import Settled, settle
from gnbbench.studies.store import FILE_NAME, Store

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

    from gnbbench.report.blocks import Document, Table
    from gnbbench.report.figures.drawing import Absence, Drawing

O = TypeVar("O", bound=Options)  # noqa: E741  options
P = ParamSpec("P")


class Prepared(Protocol):
    """A study that is settled and possible, with nothing measured or written yet."""

    @property
    def plan(self) -> Settled:
        """All that its results depend on."""

    @property
    def dataset(self) -> Dataset | None:
        """What is described in the records, where it is in memory."""


R = TypeVar("R", bound=Prepared)

RUNS_KEPT = "{done} of {total} runs are kept in {directory}"


class Kind(ABC, Generic[O, R]):
    """What one kind of study does at each step of the road."""

    name: ClassVar[str]
    function: ClassVar[str]  # Public name of the Python function
    # What an interruption leaves
    kept: ClassVar[str] = "what was measured is kept in {directory}"

    @abstractmethod
    def prepare(self, options: O) -> R:
        """Return the study settled; whatever makes it impossible is raised here."""

    @abstractmethod
    def measure(self, prepared: R, store: Store, progress: Progress) -> None:
        """Fill the store with all records that are not there yet."""

    @abstractmethod
    def summarize(self, store: Store) -> Any:
        """Return the summary of the records alone; an unfinished study is refused."""

    @abstractmethod
    def call(self, prepared: R) -> str:
        """Return the Python call that repeats the study."""

    def frame(self, summary: Any) -> pd.DataFrame:
        """Return one row for each implementation and number."""
        frame: pd.DataFrame = summary.frame()
        return frame

    def runs(self, summary: Any) -> pd.DataFrame:
        """Return one row for each run and implementation."""
        runs: pd.DataFrame = summary.runs
        return runs

    @abstractmethod
    def report(self, summary: Any) -> "Document":
        """Return all that the report says."""

    def surprises(self, options: O, summary: Any) -> tuple[str, ...]:  # noqa: ARG002  of kinds
        """Return what is to be told besides the report, though nothing fails."""
        return ()

    def failure(self, summary: Any) -> str:  # noqa: ARG002  of kinds that judge themselves
        """Return what fails somebody's build without being asked for; empty for nothing."""
        return ""

    def listed(self, options: O) -> "tuple[Table, Mapping[str, Any]]":
        """Return what would be examined, as a table and as JSON has it."""
        raise NotImplementedError

    def view(self, summary: Any) -> "View":
        """Return the report in each of its forms."""
        return View(self.report(summary))

    def run(
        self,
        prepared: R,
        *,
        out: Path | None = None,
        overwrite: bool = False,
        command: str = "",
        progress: Progress | None = None,
    ) -> "Study":
        """Return the study after whatever of its records was missing has been measured."""
        listener = progress or Silence()
        with Store() if out is None else opened(out, overwrite=overwrite) as store:
            repeat = command or self.call(prepared)
            settle(store, prepared.dataset, prepared.plan, repeat)
            self.measure(prepared, store, listener)
            listener.begin("report")
            study = Study(self, self.summarize(store), store.serialized())
            # The report is written while the store still keeps other processes away.
            if out is not None:
                study.save(out)
        return study


def run(options: Options) -> "Study":
    """Return the study that a Python call asks for, carried out."""
    kind, settled = kind_of(options)
    carrier = kind.load()
    given = {name: getattr(settled, name) for name in ("out", "overwrite", "progress")}
    return carrier.run(carrier.prepare(settled), **given)


def unfinished(store: Store, reached: str = "") -> ResultsError:
    """Return the refusal of an interrupted study: a report on part of it would mislead."""
    what = "the study is not finished" + (f" ({reached})" if reached else "")
    command = store.note("plan")["command"]
    return ResultsError(str(store.name), what, f"Finish it first: {command}")


def require_finished(store: Store, done: int, wanted: int) -> None:
    """Raise where runs or times are missing."""
    if done < wanted or store.note("timing_notes") is None:
        raise unfinished(store, f"{done:,} of {wanted:,} runs")


def require_noted(store: Store, key: str) -> Any:
    """Return what a finished study noted; raise where the study was interrupted."""
    found = store.note(key)
    if found is None:
        raise unfinished(store)
    return found


def settled_plan(store: Store) -> tuple[dict[str, Any], str]:
    """Return the plan of the records, and the command that repeats them."""
    plan = dict(store.note("plan"))
    return plan, plan.pop("command")


class View:
    """A report as figures, in a terminal, as a page and as files."""

    def __init__(self, document: "Document") -> None:
        self.document = document

    @property
    def drawings(self) -> "tuple[Drawing | Absence, ...]":
        """Every figure with its caption, alt text and data, or why it cannot be drawn."""
        return self.document.drawings

    def table(self) -> "RenderableType":
        """Return what a terminal shows."""
        from gnbbench.report.terminal import terminal

        return terminal(self.document)

    def page(self) -> str:
        """Return the whole page."""
        from gnbbench.report.html import page

        return page(self.document)

    def write(self, directory: Path) -> Path:
        """Write the files of the report; the path of the page."""
        from gnbbench.report.files import write

        return write(self.document, directory)


class Figures(Mapping[str, "Figure"]):
    """The figures of a study by name; drawn when the first one is asked for."""

    def __init__(self, draw: "Callable[[], tuple[Drawing | Absence, ...]]") -> None:
        self._draw = draw

    @cached_property
    def drawings(self) -> "tuple[Drawing | Absence, ...]":
        """Every drawing, or absence, with its caption, alt text and data."""
        return self._draw()

    @cached_property
    def _drawn(self) -> "dict[str, Figure]":
        drawn = ((entry.name, getattr(entry, "figure", None)) for entry in self.drawings)
        return {name: figure for name, figure in drawn if figure is not None}

    def __getitem__(self, name: str) -> "Figure":
        return self._drawn[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._drawn)

    def __len__(self) -> int:
        return len(self._drawn)


class Study:
    """A study that was carried out.

    Parameters
    ----------
    kind : Kind
        What its kind does.
    details : object
        Every figure of the report, as tables; has a ``headline``.
    database : bytes
        The records, as an SQLite file.

    Attributes
    ----------
    details : object
        Every figure of the report, as tables; has a ``headline``.
    figures : mapping of str to matplotlib.figure.Figure
        Such as ``figures["accuracy"]``.
    """

    def __init__(self, kind: Kind[Any, Any], details: Any, database: bytes) -> None:
        self.details = details
        self._drawn = Figures(lambda: self.view.drawings)
        self.figures: Mapping[str, Figure] = self._drawn
        self._kind = kind
        self._database = database

    @cached_property
    def view(self) -> View:
        """The report in each of its forms."""
        return self._kind.view(self.details)

    @property
    def drawings(self) -> "tuple[Drawing | Absence, ...]":
        """Every figure with its caption, alt text and data, or why it cannot be drawn."""
        return self._drawn.drawings

    @property
    def parts(self) -> "tuple[Study, ...]":
        """The studies of each dataset: this one, where there is one."""
        return (self,)

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One row for each implementation and number."""
        return self._kind.frame(self.details)

    def frame(self) -> pd.DataFrame:
        """Return a copy of `summary`.

        Returns
        -------
        DataFrame
        """
        return self.summary.copy()

    @property
    def runs(self) -> pd.DataFrame:
        """One row for each run and implementation, with the metrics of that run."""
        return self._kind.runs(self.details)

    def table(self) -> "RenderableType":
        """Return what a terminal shows: the verdict in words, then the numbers.

        Returns
        -------
        rich.console.RenderableType
            Fits 80 columns.
        """
        return self.view.table()

    def page(self) -> str:
        """Return the whole page as HTML.

        Returns
        -------
        str
        """
        return self.view.page()

    def save(self, directory: str | Path) -> Path:
        """Write the page, the figures, the tables and the records.

        Parameters
        ----------
        directory : str or Path
            Made if it does not exist; files of an earlier report are replaced.

        Returns
        -------
        Path
            Of ``index.html``.

        Raises
        ------
        ResultsError
            If the directory cannot be written.
        """
        from gnbbench.report.files import replace_file

        target = Path(directory)
        index = self.view.write(target)
        if not (target / FILE_NAME).exists():
            replace_file(target / FILE_NAME, self._database)
        return index

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, for a notebook."""
        return (
            '<iframe title="gnbbench report" style="width:100%;height:80vh;border:0" '
            f'srcdoc="{escape(self.page())}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.details.headline}>"


def study_function(
    model: Callable[P, O],
) -> Callable[[Callable[[O], Study]], Callable[P, Study]]:
    """Make a function of options one that takes each of them by name, and explains it."""
    options = cast("type[O]", model)
    fields = options_of(options, PYTHON)
    first = [name for name in fields if fields[name][0].kw_only is False]
    ordered = [*first, *(name for name in fields if name not in first)]
    signature = inspect.Signature([_parameter(name, fields[name][0]) for name in ordered])

    def decorate(function: Callable[[O], Study]) -> Callable[P, Study]:
        @wraps(function)
        def call(*given: P.args, **named: P.kwargs) -> Study:
            return function(options(**signature.bind(*given, **named).arguments))

        call.__doc__ = _documented(function.__doc__ or "", options, ordered)
        # Where `inspect` looks; that of the function it was made of is not the one to show.
        vars(call)["__signature__"] = signature
        del vars(call)["__wrapped__"]
        return call

    return decorate


def _parameter(name: str, field: Any) -> inspect.Parameter:
    is_positional = field.kw_only is False
    return inspect.Parameter(
        name,
        inspect.Parameter.POSITIONAL_OR_KEYWORD
        if is_positional
        else inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if field.is_required() else field.default,
        annotation=field.annotation,
    )


def _documented(text: str, model: type[Options], names: list[str]) -> str:
    """Return a docstring with a section on the parameters before that on the result."""
    lines = ["Parameters", "----------"]
    fields = options_of(model, PYTHON)
    for name in names:
        field, option = fields[name]
        kind = inspect.formatannotation(field.annotation).replace("typing.", "")
        default = "" if field.is_required() else f", default={field.default!r}"
        lines += [f"{name} : {'object' if kind == 'Any' else kind}{default}"]
        lines += [f"    {option.text.partition('  [')[0]}"]
    section = "\n".join(f"    {line}" for line in lines)
    before, _, after = text.partition("\n    Returns\n")
    return f"{before.rstrip()}\n\n{section}\n\n    Returns\n{after}"
