"""``gnbbench.scale``: time and memory against samples, features and classes."""

from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import RenderableType

from gnbbench.implementations import implementations
from gnbbench.interface.inputs import call_text, competitors_of, origins, store_of
from gnbbench.interface.shown import Shown
from gnbbench.interface.study import Figures
from gnbbench.measurement.scale import available_bytes
from gnbbench.report.blocks import Document
from gnbbench.report.files import replace_file, write
from gnbbench.report.html import page
from gnbbench.report.scale import report
from gnbbench.report.terminal import terminal
from gnbbench.statistics.scale import summarize_scale
from gnbbench.statistics.scale_summary import ScaleSummary
from gnbbench.studies.progress import Progress, Silence
from gnbbench.studies.scale import ScaleSetting, measure_scale, scale_records
from gnbbench.studies.scale_grid import KINDS, Given, axis
from gnbbench.studies.scale_plan import (
    DEFAULT_BUDGET_SECONDS,
    DEFAULT_PROCESSES,
    ScalePlan,
)
from gnbbench.studies.store import FILE_NAME, Store

DEFAULT_SIZES = {"samples": "1e3:1e6", "features": "4:256", "classes": "2:64"}


class ScaleStudy(Shown):
    """A study of time and memory against sizes that was carried out."""

    details: ScaleSummary

    def __init__(self, details: ScaleSummary, database: bytes) -> None:
        self.details = details
        self.figures = Figures(lambda: self.document.drawings)
        self._database = database

    @cached_property
    def document(self) -> Document:
        """All that the report says."""
        return report(self.details)

    def frame(self) -> pd.DataFrame:
        """Return one row for each size, operation and implementation."""
        return self.details.times.copy()

    def _table(self) -> RenderableType:
        return terminal(self.document)

    def _write(self, directory: Path) -> Path:
        index = write(self.document, directory)
        if not (directory / FILE_NAME).exists():
            replace_file(directory / FILE_NAME, self._database)
        return index

    def _page(self) -> str:
        return page(self.document)


def scale(
    *,
    samples: Given = DEFAULT_SIZES["samples"],
    features: Given = DEFAULT_SIZES["features"],
    classes: Given = DEFAULT_SIZES["classes"],
    against: Any = None,
    reference: Any = "sklearn",
    budget_seconds: float = DEFAULT_BUDGET_SECONDS,
    processes: int = DEFAULT_PROCESSES,
    seed: int = 42,
    threads: int = 1,
    timeout_seconds: float | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> ScaleStudy:
    """Return how time and memory grow with samples, features and classes.

    One size varies at a time; the others are held at 10 000 samples, 20 features and 5
    classes, or at the end of their own range that is nearest to that.

    Parameters
    ----------
    samples, features, classes : str, int, or sequence of int
        A range such as "1e3:1e6", some sizes, or one number that holds the size.
    against : str, estimator, or a list or mapping of them, default=None
        What is compared with the reference; "numpy" when None, or "sklearn" where "numpy"
        is the reference.
    reference : str or estimator, default="sklearn"
        What the others are held against.
    budget_seconds : float, default=60
        Time for all. An implementation that would pass its share stops along that axis.
    processes : int, default=3
        Fresh processes in which all times are taken over again.
    seed : int, default=42
        Of the samples, and of the orders of competitors.
    threads : int, default=1
        Limit for BLAS and OpenMP.
    timeout_seconds : float, default=None
        As in `gnbbench.compare`.
    out : str or Path, default=None
        Results directory; an interrupted study resumes there. In memory when None.
    overwrite : bool, default=False
        Whether records of another plan in `out` are replaced.
    progress : Progress, default=None
        Is told how far the study is.

    Returns
    -------
    ScaleStudy

    Raises
    ------
    GnbBenchError
        If an option or the directory cannot be used; nothing is written then.

    Examples
    --------
    >>> study = scale(samples="1e3:1e5", features=20, classes=5)  # doctest: +SKIP
    >>> study.frame()  # doctest: +SKIP
    """
    made = scale_prepared(
        samples=samples,
        features=features,
        classes=classes,
        against=against,
        reference=reference,
        budget_seconds=budget_seconds,
        processes=processes,
        seed=seed,
        threads=threads,
        timeout_seconds=timeout_seconds,
    )
    return scale_carried_out(made, out=out, overwrite=overwrite, progress=progress)


def scale_prepared(
    *,
    samples: Given = DEFAULT_SIZES["samples"],
    features: Given = DEFAULT_SIZES["features"],
    classes: Given = DEFAULT_SIZES["classes"],
    against: Any = None,
    reference: Any = "sklearn",
    timeout_seconds: float | None = None,
    **options: Any,
) -> ScaleSetting:
    """Return a study that is settled and possible, with nothing measured or written yet."""
    given = {"samples": samples, "features": features, "classes": classes}
    axes = {kind.name: axis(kind, given[kind.name]) for kind in KINDS}
    against, _ = competitors_of(against, reference, 1, None)
    entries = implementations(reference, against, timeout_seconds=timeout_seconds)
    specifications, digests = origins(entries)
    plan = ScalePlan(
        reference=entries[0].name,
        against=tuple(entry.name for entry in entries[1:]),
        axes=axes,
        specifications=specifications,
        digests=digests,
        **options,
    )
    plan.require_memory(available_bytes())
    return ScaleSetting(entries, plan)


def scale_carried_out(
    made: ScaleSetting,
    *,
    out: str | Path | None = None,
    overwrite: bool = False,
    command: str | None = None,
    progress: Progress | None = None,
) -> ScaleStudy:
    """Return the study after whatever of its records was missing has been measured."""
    listener = progress or Silence()
    repeat = command or _call(made.plan)
    with store_of(out, overwrite=overwrite) as store:
        measure_scale(made, store, command=repeat, progress=listener)
        listener.begin("report")
        study = stored_scale(store)
        # The report is written while the store still keeps other processes away.
        if out is not None:
            study.save(out)
    return study


def stored_scale(store: Store) -> ScaleStudy:
    """Return the study that records tell of, without a measurement."""
    return ScaleStudy(summarize_scale(scale_records(store)), store.serialized())


def _call(plan: ScalePlan) -> str:
    """Return the Python call that repeats a study."""
    sizes = {name: list(one.sizes) or one.held for name, one in plan.axes.items()}
    names = ("against", "reference", "budget_seconds", "processes", "seed", "threads")
    options: dict[str, Any] = {**sizes, **{name: getattr(plan, name) for name in names}}
    options["against"] = list(plan.against)
    return call_text("scale", **options)
