"""One comparison on several datasets: a study for each, and a matrix over them."""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gnbbench.data.dataset import Dataset
from gnbbench.errors import MissingLibraryError, OptionError, ResultsError
from gnbbench.implementations.libraries import check_installed
from gnbbench.implementations.lookup import implementation, is_foreign
from gnbbench.interface.compare import carried_out, prepared
from gnbbench.interface.inputs import call_text, competitors_of, dataset_of
from gnbbench.interface.matrix_study import MatrixStudy
from gnbbench.interface.study import Study
from gnbbench.report.matrix_files import require_own
from gnbbench.statistics.matrix import Entry, Matrix
from gnbbench.studies.compare import Setting
from gnbbench.studies.directory import stored
from gnbbench.studies.plan import ComparePlan
from gnbbench.studies.progress import Progress, Silence
from gnbbench.studies.store import FILE_NAME


@dataclass(frozen=True)
class ManyPlan:
    """The plans of the studies on several datasets."""

    plans: tuple[ComparePlan, ...]  # One a dataset

    @property
    def directory_name(self) -> str:
        """Name of the results directory: study, identifier of all plans."""
        text = json.dumps([plan.as_dict() for plan in self.plans], sort_keys=True)
        return f"{ComparePlan.study}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


@dataclass(frozen=True)
class ManySettings:
    """A study on several datasets that is settled and possible."""

    parts: tuple[Setting, ...]  # One a dataset
    # A sentence for each optional implementation that is not installed
    left_out: tuple[str, ...] = ()

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
    def plan(self) -> ManyPlan:
        """The plans of all parts."""
        return ManyPlan(tuple(part.plan for part in self.parts))


def compare_many(
    data: Sequence[Any],
    *,
    optional: Sequence[str] = (),
    jobs: int | None = None,
    dask: str | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> MatrixStudy:
    """Return how implementations compare on each of several datasets."""
    made = many_prepared([dataset_of(one) for one in data], optional=optional, **options)
    return many_carried_out(
        made,
        jobs=jobs,
        dask=dask,
        out=out,
        overwrite=overwrite,
        progress=progress,
    )


def many_prepared(
    datasets: Sequence[Dataset],
    *,
    against: Any = None,
    reference: Any = "sklearn",
    optional: Sequence[str] = (),
    **options: Any,
) -> ManySettings:
    """Return a study on several datasets, with nothing measured or written yet."""
    _check_given_once(datasets)
    installed, left_out = _installed(optional)
    wanted = against
    if installed or (optional and against is not None):
        wanted, _ = competitors_of(against, reference, 1, None)
        wanted = _joined(wanted, installed)
    parts = [
        prepared(dataset, against=wanted, reference=reference, **options)
        for dataset in datasets
    ]
    return ManySettings(tuple(parts), left_out)


def many_carried_out(
    made: ManySettings,
    *,
    jobs: int | None = None,
    dask: str | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    command: str | None = None,
    progress: Progress | None = None,
) -> MatrixStudy:
    """Return the study after whatever of its records was missing has been measured."""
    target = None if out is None else Path(out)
    if target is not None:
        _require_usable(made, target, overwrite=overwrite)
    studies: dict[str, Study] = {}
    for place, (part, folder) in enumerate(zip(made.parts, made.folders, strict=True)):
        studies[folder] = carried_out(
            part,
            jobs=jobs,
            dask=dask,
            out=None if target is None else target / folder,
            overwrite=overwrite,
            command=command,
            progress=_PartProgress(progress or Silence(), made, place),
        )
    entries = [
        Entry(name, folder, study.details)
        for name, (folder, study) in zip(made.names, studies.items(), strict=True)
    ]
    repeat = command or _call_text(made)
    study = MatrixStudy(Matrix(tuple(entries), repeat, made.left_out), studies)
    if target is not None:
        study.save_matrix(target)
    return study


class _PartProgress:
    """Tells a listener of one dataset's study as of a part of the whole."""

    def __init__(self, listener: Progress, made: ManySettings, place: int) -> None:
        self._listener = listener
        self._prefix = made.names[place]
        self._total = sum(part.plan.runs for part in made.parts)
        self._before = sum(part.plan.runs for part in made.parts[:place])

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
    if not datasets:
        raise OptionError("DATASET", "none is given", "Give one, such as iris.")
    seen = [(dataset.name, dataset.sha256) for dataset in datasets]
    for name, digest in seen:
        if seen.count((name, digest)) > 1:
            remedy = "Give each dataset once."
            raise OptionError("DATASET", f"'{name}' is given twice", remedy)


def _require_usable(made: ManySettings, target: Path, *, overwrite: bool) -> None:
    """Raise where the directory, or a study within it, belongs to something else."""
    of_data = [
        {"name": name, "sha256": part.plan.sha256}
        for name, part in zip(made.names, made.parts, strict=True)
    ]
    require_own(target, of_data, overwrite=overwrite)
    for part, folder in zip(made.parts, made.folders, strict=True):
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


def _distinct(names: Sequence[str], numbered: str) -> tuple[str, ...]:
    """Return names of which no two are equal, numbered from 2 where they were."""
    found: list[str] = []
    for name in names:
        label, number = name, 2
        while label in found:
            label, number = name + numbered.format(number), number + 1
        found.append(label)
    return tuple(found)


def _call_text(made: ManySettings) -> str:
    plan = made.parts[0].plan
    names = [part.dataset.name for part in made.parts]
    return call_text("compare", names, against=list(plan.against), runs=plan.runs)
