"""``gnbbench.examine_conformance``: what an implementation gets right, check by check."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import RenderableType

from gnbbench.conformance import CHECKS, examine
from gnbbench.interface.conformance_plan import ConformancePlan, conformance_plan
from gnbbench.interface.shown import Shown
from gnbbench.measurement.environment import environment
from gnbbench.report import conformance as conformance_report
from gnbbench.report.blocks import Document
from gnbbench.report.conformance_summary import ConformanceSummary
from gnbbench.report.files import write
from gnbbench.report.html import page
from gnbbench.report.terminal import terminal
from gnbbench.studies.inputs import call_text
from gnbbench.studies.progress import Progress, Silence
from gnbbench.words import listing, plural


class ConformanceStudy(Shown):
    """Implementations that were put through the battery."""

    details: ConformanceSummary

    def __init__(self, details: ConformanceSummary) -> None:
        self.details = details

    @cached_property
    def report(self) -> Document:
        """All that the report says."""
        return conformance_report.report(self.details)

    def _table(self) -> RenderableType:
        return terminal(self.report)

    def frame(self) -> pd.DataFrame:
        """Return one row for each implementation and check."""
        return self.details.frame()

    def _write(self, directory: Path) -> Path:
        return write(self.report, directory)

    def _page(self) -> str:
        return page(self.report)


def conformance(
    implementation: Any,
    *,
    only: str | Sequence[str] | None = None,
    timeout_seconds: float = 30.0,
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> ConformanceStudy:
    """Return which checks of the battery an implementation passes.

    Parameters
    ----------
    implementation : str, class, function, estimator instance, or a sequence of them
        As `gnbbench.implementations.implementation` takes them; several make a scoreboard.
    only : str or sequence of str, default=None
        Families or ids of checks; all when None.
    timeout_seconds : float, default=30.0
        Limit of each check.
    out : str or Path, default=None
        Results directory. Nothing is written when None.
    progress : Progress, default=None
        Is told how far the study is.

    Returns
    -------
    ConformanceStudy

    Raises
    ------
    GnbBenchError
        If an implementation, a check or the directory cannot be used; nothing is written
        then.

    Examples
    --------
    >>> study = conformance("numpy", only="tie-first-class")
    >>> study.details.headline
    'numpy passes the only check.'
    """
    many = isinstance(implementation, list | tuple)
    given = list(implementation) if many else [implementation]
    chosen = [only] if isinstance(only, str) else list(only or ())
    plan = conformance_plan(given, only=chosen, timeout_seconds=timeout_seconds)
    return examined(plan, out=out, progress=progress)


def examined(
    plan: ConformancePlan,
    *,
    out: str | Path | None = None,
    command: str | None = None,
    progress: Progress | None = None,
) -> ConformanceStudy:
    """Return the study of a plan, written where a directory is given."""
    listener = progress or Silence()
    if out is not None:
        conformance_report.require_replaceable(Path(out), plan.names)
    ids = [check.id for check in plan.checks]
    found = []
    listener.begin("conformance", total=len(plan.entries))
    for entry in plan.entries:
        found.append(examine(entry, only=ids, timeout_seconds=plan.timeout_seconds))
        listener.advance(1)
    details = ConformanceSummary(
        examined=tuple(found),
        plan=plan.as_dict(),
        environment=environment(),
        command=command or _call(plan),
        expected=plan.expected,
        warnings=_remarks(plan),
    )
    study = ConformanceStudy(details)
    if out is not None:
        listener.begin("report")
        study.save(out)
    return study


def _remarks(plan: ConformancePlan) -> tuple[str, ...]:
    remarks = []
    if plan.only:
        number = plural(len(plan.checks), "check")
        remarks.append(
            f"Only {listing(list(plan.only))}: {number} of the battery's {len(CHECKS)}."
        )
    if plan.left_out:
        names = listing(list(plan.left_out))
        remarks.append(f"Not installed: {names}. See: gnbbench list implementations")
    return tuple(remarks)


def _call(plan: ConformancePlan) -> str:
    options: Mapping[str, Any] = {"timeout_seconds": plan.timeout_seconds}
    chosen = {"only": list(plan.only)} if plan.only else {}
    specified = [entry.specification or entry.name for entry in plan.entries]
    given: Any = specified[0] if len(specified) == 1 else specified
    return call_text("examine_conformance", given, **chosen, **options)
