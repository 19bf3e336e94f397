"""One comparison on several datasets: a study for each, and a matrix over them."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from gnbbench.data.dataset import Dataset
from gnbbench.errors import MissingLibraryError, OptionError, ResultsError
from gnbbench.implementations.catalogue import check_installed
from gnbbench.implementations.lookup import implementation, is_foreign
from gnbbench.report.files import (
    MATRIX_NAME,
    RUNS_NAME,
    require_replaceable,
    stored_document,
)
from gnbbench.statistics.documents import MATRIX_SCHEMA
from gnbbench.statistics.matrix import Entry, Matrix
from gnbbench.studies.compare import Compare, PreparedCompare
from gnbbench.studies.directory import stored
from gnbbench.studies.inputs import (
    call_text,
    competitors_of,
    dataset_of,
    named_options,
    sources_of,
)
from gnbbench.studies.options import CompareOptions
from gnbbench.studies.plan import ComparePlan
from gnbbench.studies.progress import Progress, Silence
from gnbbench.studies.store import FILE_NAME, Store
from gnbbench.studies.study import RUNS_KEPT, Kind, Study, View

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gnbbench.report.blocks import Document


@dataclass(frozen=True)
class MatrixPlan:
    """The plans of the studies on several datasets."""

    plans: tuple[ComparePlan, ...]  # One a dataset

    def as_dict(self) -> dict[str, Any]:
        """Return the plans as JSON knows them."""
        return {"study": "matrix", "plans": [plan.as_dict() for plan in self.plans]}

    @property
    def directory_name(self) -> str:
        """Name of the results directory: study, identifier of all plans."""
        text = json.dumps([plan.as_dict() for plan in self.plans], sort_keys=True)
        return f"{ComparePlan.study}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


@dataclass(frozen=True)
class PreparedMatrix:
    """A study on several datasets that is settled and possible."""

    options: CompareOptions
    parts: tuple[PreparedCompare, ...]  # One a dataset
    # A sentence for each optional implementation that is not installed
    left_out: tuple[str, ...] = ()

    @property
    def dataset(self) -> None:
        """There is not one."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the datasets, numbered where two are called alike."""
        return _distinct([part.dataset.name for part in self.parts], " ({})")

    @property
    def folders(self) -> tuple[str, ...]:
        """Folder of each study's files, within the directory of the whole."""
        plain = [
            re.sub(r"[^a-z0-9]+", "-", part.dataset.name.lower()).strip("-")[:40] or "data"
            for part in self.parts
        ]
        # That of the matrix's own figures.
        return _distinct(
            [f"{name}-data" if name == "figures" else name for name in plain], "-{}"
        )

    @property
    def plan(self) -> MatrixPlan:
        """The plans of all parts."""
        return MatrixPlan(tuple(part.plan for part in self.parts))


class CompareMany(Kind[CompareOptions, PreparedMatrix]):
    """A comparison on each of several datasets; its records are theirs."""

    name = "matrix"
    function = "compare"
    kept = RUNS_KEPT

    def prepare(self, options: CompareOptions) -> PreparedMatrix:
        datasets = [dataset_of(source) for source in sources_of(options)]
        _check_given_once(datasets)
        installed, left_out = _installed(options.optional)
        if installed:
            wanted, _ = competitors_of(options.against, options.reference)
            options = options.model_copy(update={"against": _joined(wanted, installed)})
        parts = [Compare().prepare_on(dataset, options) for dataset in datasets]
        return PreparedMatrix(options, tuple(parts), left_out)

    def run(
        self,
        prepared: PreparedMatrix,
        *,
        out: Path | None = None,
        overwrite: bool = False,
        command: str = "",
        progress: Progress | None = None,
    ) -> "MatrixStudy":
        if out is not None:
            _require_usable(prepared, out, overwrite=overwrite)
        studies: dict[str, Study] = {}
        places = zip(prepared.parts, prepared.folders, strict=True)
        for place, (part, folder) in enumerate(places):
            studies[folder] = Compare().run(
                part,
                out=None if out is None else out / folder,
                overwrite=overwrite,
                command=command,
                progress=_PartProgress(progress or Silence(), prepared, place),
            )
        entries = [
            Entry(name, folder, study.details)
            for name, (folder, study) in zip(prepared.names, studies.items(), strict=True)
        ]
        repeat = command or self.call(prepared)
        study = MatrixStudy(
            self, Matrix(tuple(entries), repeat, prepared.left_out), studies
        )
        if out is not None:
            study.view.write(out)
        return study

    def measure(self, prepared: PreparedMatrix, store: Store, progress: Progress) -> None:
        raise NotImplementedError("each dataset has a store of its own")

    def summarize(self, store: Store) -> Matrix:
        raise NotImplementedError("each dataset has a store of its own")

    def call(self, prepared: PreparedMatrix) -> str:
        part = prepared.parts[0]
        names = [part.dataset.name for part in prepared.parts]
        named = named_options(prepared.options, part.plan)
        return call_text(self.function, names, **named)

    def report(self, summary: Matrix) -> "Document":
        from gnbbench.report.matrix import report

        return report(summary)


class MatrixStudy(Study):
    """A study on several datasets that was carried out.

    Attributes
    ----------
    details : Matrix
    studies : dict of str to Study
        One a dataset, by its folder.
    figures : mapping of str to matplotlib.figure.Figure
        Such as ``figures["matrix"]``, or ``figures["iris/accuracy"]`` of one dataset.
    """

    details: Matrix

    def __init__(
        self, kind: CompareMany, details: Matrix, studies: Mapping[str, Study]
    ) -> None:
        super().__init__(kind, details, b"")
        self.studies = dict(studies)
        self.figures = MatrixFigures(self.figures, self.studies)

    @property
    def parts(self) -> tuple[Study, ...]:
        """The studies of each dataset."""
        return tuple(self.studies.values())

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One row for each implementation and dataset."""
        return self.details.cells

    @property
    def runs(self) -> pd.DataFrame:
        """One row for each dataset, run and implementation."""
        return pd.concat({name: study.runs for name, study in self.studies.items()})

    @cached_property
    def view(self) -> View:
        """The report in each of its forms, with figures out of those of the studies."""
        from gnbbench.report.matrix import report

        parts = {folder: study.view.document for folder, study in self.studies.items()}
        return View(report(self.details, parts))

    def save(self, directory: str | Path) -> Path:
        """Write the matrix, and every study in a folder of its own."""
        for folder, study in self.studies.items():
            study.save(Path(directory) / folder)
        return self.view.write(Path(directory))


class MatrixFigures(Mapping[str, "Figure"]):
    """The figure of the matrix and those of the studies: "matrix", "iris/accuracy"."""

    def __init__(
        self, figures: Mapping[str, "Figure"], studies: Mapping[str, Study]
    ) -> None:
        self._figures = figures
        self._studies = studies

    def __getitem__(self, name: str) -> "Figure":
        folder, _, stem = name.rpartition("/")
        return (self._studies[folder].figures if folder else self._figures)[stem]

    def __iter__(self) -> Iterator[str]:
        yield from self._figures
        for folder, study in self._studies.items():
            yield from (f"{folder}/{name}" for name in study.figures)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _PartProgress:
    """Tells a listener of one dataset's study as of a part of the whole."""

    def __init__(self, listener: Progress, prepared: PreparedMatrix, place: int) -> None:
        self._listener = listener
        self._prefix = prepared.names[place]
        self._total = sum(part.plan.runs for part in prepared.parts)
        self._before = sum(part.plan.runs for part in prepared.parts[:place])

    def begin(self, stage: str, total: int | None = None, done: int = 0) -> None:
        stage = f"{self._prefix}: {stage}"
        if total is None:
            self._listener.begin(stage)
        else:
            self._listener.begin(stage, total=self._total, done=self._before + done)

    def advance(self, steps: int) -> None:
        self._listener.advance(steps)


def _installed(optional: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return which of the names are installed, and a sentence on each other."""
    found, left_out = [], []
    for name in optional:
        if is_foreign(name):
            raise OptionError(
                "optional", f"'{name}' is not in the catalogue", "Name it in against."
            )
        try:
            check_installed(implementation(name))
        except MissingLibraryError as error:
            left_out.append(str(error))
        else:
            found.append(name)
    return found, tuple(left_out)


def _joined(against: Any, installed: list[str]) -> Any:
    if isinstance(against, dict):
        return {**against, **{name: name for name in installed}}
    given = list(against) if isinstance(against, list | tuple) else [against]
    return [*given, *installed]


def _check_given_once(datasets: Sequence[Dataset]) -> None:
    seen = [(dataset.name, dataset.sha256) for dataset in datasets]
    for name, digest in seen:
        if seen.count((name, digest)) > 1:
            remedy = "Give each dataset once."
            raise OptionError("DATASET", f"'{name}' is given twice", remedy)


def _require_usable(prepared: PreparedMatrix, target: Path, *, overwrite: bool) -> None:
    """Raise where the directory, or a study within it, belongs to something else."""
    digests = {
        name: part.plan.sha256
        for name, part in zip(prepared.names, prepared.parts, strict=True)
    }
    require_same_datasets(target, digests, overwrite=overwrite)
    for part, folder in zip(prepared.parts, prepared.folders, strict=True):
        directory = target / folder
        if overwrite or not (directory / FILE_NAME).exists():
            continue
        with stored(directory) as store:
            kept = dict(store.note("plan") or {})
        kept.pop("command", None)
        if kept and kept != part.plan.as_dict():
            raise ResultsError(
                str(directory),
                "it holds the records of another plan",
                "Choose another directory with --out, or replace them with --overwrite.",
            )


def require_same_datasets(
    directory: Path, digests: Mapping[str, str | None], *, overwrite: bool
) -> None:
    """Raise if the report would replace files of something else, or of other datasets."""
    names = (MATRIX_NAME, RUNS_NAME, FILE_NAME)
    require_replaceable(directory, names, (MATRIX_SCHEMA,), "on several datasets")
    found = stored_document(directory)
    if not found or overwrite:
        return
    kept = [(data.get("name"), data.get("sha256")) for data in found["plan"]["datasets"]]
    if kept != list(digests.items()):
        remedy = "Choose another directory with --out, or replace it with --overwrite."
        raise ResultsError(str(directory), "it holds a study on other datasets", remedy)


def _distinct(names: Sequence[str], numbered: str) -> tuple[str, ...]:
    """Return names of which no two are equal, numbered from 2 where they were."""
    found: list[str] = []
    for name in names:
        label, number = name, 2
        while label in found:
            label, number = name + numbered.format(number), number + 1
        found.append(label)
    return tuple(found)
