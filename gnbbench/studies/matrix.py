"""One comparison on several datasets: a study of each, and a matrix over all."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from gnbbench.errors import MissingLibraryError, OptionError, ResultsError
from gnbbench.implementations.catalogue import check_installed, missing_libraries
from gnbbench.implementations.lookup import implementation, is_foreign
from gnbbench.progress import Progress, Silence
from gnbbench.report.blocks import Document
from gnbbench.report.files import stored_document
from gnbbench.report.matrix import report
from gnbbench.report.sections import with_adaptations
from gnbbench.statistics.documents import MATRIX_SCHEMA
from gnbbench.statistics.matrix import Entry, Matrix
from gnbbench.studies import plan as planning
from gnbbench.studies.compare import Compare, PreparedCompare
from gnbbench.studies.directory import other_plan, plan_in, refuse_link, refuse_other_study
from gnbbench.studies.options import CompareOptions
from gnbbench.studies.store import FILE_NAME
from gnbbench.studies.study import RUNS_KEPT, Figures, Kind, Study
from gnbbench.words import distinct, listing

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, kw_only=True)
class PreparedMatrix(planning.Prepared[CompareOptions]):
    """A comparison on several datasets, ready to be measured."""

    parts: tuple[PreparedCompare, ...]  # One per dataset
    # A sentence on optional implementations that are not installed
    left_out: tuple[str, ...] = ()

    @property
    def directory_name(self) -> str:
        """Default name of the results directory."""
        return f"compare-{planning.plan_digits([part.plan for part in self.parts])}"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the datasets, numbered where two are equal."""
        return distinct(part.dataset.name for part in self.parts)

    @property
    def folders(self) -> tuple[str, ...]:
        """Folder of each study, within the results directory."""
        plain = [planning.folder_name(part.dataset.name) for part in self.parts]
        # The matrix keeps its own figures under "figures".
        return distinct((f"{n}-data" if n == "figures" else n for n in plain), "{}-{}")


class CompareMany(Kind):
    """A comparison on several datasets, each with its own records."""

    name = "matrix"
    function = "compare"
    kept = RUNS_KEPT
    report = staticmethod(report)

    def prepare(self, options: CompareOptions) -> PreparedMatrix:
        datasets = [planning.dataset_of(source) for source in planning.sources_of(options)]
        known = [(dataset.name, dataset.sha256) for dataset in datasets]
        if twice := [name for name, digest in known if known.count((name, digest)) > 1]:
            what, remedy = f"'{twice[0]}' is given twice", "Give each dataset once."
            raise OptionError("DATASET", what, remedy)
        installed, left_out = _installed(options.optional)
        if installed:
            wanted, _ = planning.competitors_of(options.against, options.reference)
            options = options.model_copy(update={"against": _joined(wanted, installed)})
        parts = [Compare().prepare_on(dataset, options) for dataset in datasets]
        return PreparedMatrix(
            options=options,
            plan=parts[0].plan,
            first=[dataset.name for dataset in datasets],
            parts=tuple(parts),
            left_out=left_out,
        )

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
        named = zip(prepared.names, studies.items(), strict=True)
        entries = [Entry(name, folder, study.details) for name, (folder, study) in named]
        matrix = Matrix(tuple(entries), command or self.call(prepared), prepared.left_out)
        study = MatrixStudy(self, matrix, studies)
        recorded = zip(prepared.names, studies.values(), strict=True)
        old = {name: part.recorded for name, part in recorded if part.recorded}
        if old:
            where = "" if len(old) == len(studies) else f" on {listing(list(old))}"
            text = next(iter(old.values()))
            study.recorded = text.replace("measured", f"measured{where}", 1)
        if out is not None:
            study.write_page(out)
        return study


class MatrixStudy(Study):
    """A finished comparison on several datasets, with the study of each by its folder."""

    details: Matrix

    def __init__(
        self, kind: CompareMany, details: Matrix, studies: Mapping[str, Study]
    ) -> None:
        super().__init__(kind, details)
        self.studies = dict(studies)

    @property
    def parts(self) -> tuple[Study, ...]:
        """The study of each dataset."""
        return tuple(self.studies.values())

    @cached_property
    def document(self) -> Document:
        """The report, with figures from those of the studies."""
        parts = {folder: study.document for folder, study in self.studies.items()}
        plans = [part.details.plan for part in self.parts]
        return with_adaptations(report(self.details, parts), *plans)

    @cached_property
    def figures(self) -> Mapping[str, "Figure"]:
        """Figures of the matrix, such as "matrix", and of datasets: "iris/accuracy"."""
        of_parts = {
            f"{folder}/{drawing.name}": drawing
            for folder, study in self.studies.items()
            for drawing in study.drawings
        }
        return Figures({drawing.name: drawing for drawing in self.drawings} | of_parts)

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One row for each implementation and dataset."""
        return self.details.cells

    @property
    def runs(self) -> pd.DataFrame:
        """One row for each dataset, run and implementation."""
        return pd.concat({name: study.runs for name, study in self.studies.items()})

    def save(self, directory: str | Path) -> Path:
        """Write the matrix, and each study into its own folder; return the page's path."""
        for folder, study in self.studies.items():
            study.save(Path(directory) / folder)
        return self.write_page(Path(directory))


class _PartProgress:
    """Reports the progress of one dataset's study as part of the whole."""

    def __init__(self, listener: Progress, prepared: PreparedMatrix, place: int) -> None:
        runs = prepared.options.runs
        self._prefix = prepared.names[place]
        self._before, self._total = place * runs, len(prepared.parts) * runs
        self._listener = listener
        self.advance = listener.advance

    def begin(self, stage: str, total: int | None = None, done: int = 0) -> None:
        if total is not None:
            total, done = self._total, self._before + done
        self._listener.begin(f"{self._prefix}: {stage}", total=total, done=done)


def _installed(optional: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return the installed implementations, and a sentence on the others."""
    if foreign := [name for name in optional if is_foreign(name)]:
        what = f"'{foreign[0]}' is not in the catalogue"
        raise OptionError("optional", what, "Name it in against.")
    missing = missing_libraries(*map(implementation, optional))
    installed = [name for name in optional if name not in {entry.name for entry in missing}]
    try:
        check_installed(*map(implementation, optional))
    except MissingLibraryError as error:
        return installed, (str(error),)
    return installed, ()


def _joined(against: Any, installed: list[str]) -> Any:
    if isinstance(against, dict):
        return {**against, **{name: name for name in installed}}
    specifications = list(against) if isinstance(against, list | tuple) else [against]
    return [*specifications, *installed]


def _require_usable(prepared: PreparedMatrix, target: Path, *, overwrite: bool) -> None:
    """Raise if the directory, or a folder in it, belongs to something else."""
    plans = [part.plan for part in prepared.parts]
    digests = {n: plan["sha256"] for n, plan in zip(prepared.names, plans, strict=True)}
    require_same_datasets(target, digests, overwrite=overwrite)
    for plan, folder in zip(plans, prepared.folders, strict=True):
        directory = target / folder
        if overwrite:
            continue
        if not os.path.lexists(directory / FILE_NAME):
            refuse_other_study(directory)
            continue
        kept = plan_in(directory)
        kept.pop("command", None)
        if kept and kept != plan:
            raise other_plan(directory, kept, plan)


def require_same_datasets(
    directory: Path, digests: Mapping[str, str | None], *, overwrite: bool
) -> None:
    """Raise if the report would replace files of anything but these datasets."""
    stored = stored_document(directory)
    if stored.get("schema") != MATRIX_SCHEMA:
        refuse_other_study(directory)
    if not stored or overwrite:
        return
    refuse_link(directory)
    kept = [(data.get("name"), data.get("sha256")) for data in stored["plan"]["datasets"]]
    if kept != list(digests.items()):
        remedy = "Use --overwrite or another --out."
        raise ResultsError(
            str(directory), "this directory holds a study on other datasets", remedy
        )
