"""``gnbbench.reproduce``: published figures beside measured ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import RenderableType

from gnbbench.claims import Claim, examine, read_claims, usual_directory
from gnbbench.errors import OptionError
from gnbbench.interface.shown import Shown
from gnbbench.measurement.environment import environment
from gnbbench.report import reproduce as reproduce_report
from gnbbench.report.blocks import Document
from gnbbench.report.files import FIGURES_NAME, require_replaceable, write
from gnbbench.report.html import page
from gnbbench.report.reproduce_documents import SCHEMA
from gnbbench.report.reproduce_summary import ReproduceSummary
from gnbbench.report.terminal import terminal
from gnbbench.studies.inputs import call_text
from gnbbench.studies.progress import Progress, Silence

LEAST_RUNS = 10


@dataclass(frozen=True)
class ReproducePlan:
    """Which figures are measured, and from what."""

    claims: tuple[Claim, ...]  # One at least
    ids: tuple[str, ...] = ()  # What was asked for; empty for all
    data: Path | None = None  # Directory of files that do not come with gnbbench
    runs: int | None = None  # Most runs of a repeated protocol; as its table says when None

    @property
    def directory_name(self) -> str:
        """Usual name of the results directory: one for all claims, one for a selection."""
        return "-".join(["reproduce", *self.ids])[:80] if self.ids else "reproduce"

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as JSON can hold it."""
        return {
            "claims": list(self.ids) or "all",
            "data": None if self.data is None else str(self.data),
            "runs": self.runs,
        }


class ReproduceStudy(Shown):
    """Published figures that were measured."""

    details: ReproduceSummary

    def __init__(self, details: ReproduceSummary) -> None:
        self.details = details

    @cached_property
    def report(self) -> Document:
        """All that the report says."""
        return reproduce_report.report(self.details)

    def _table(self) -> RenderableType:
        return terminal(self.report)

    def frame(self) -> pd.DataFrame:
        """Return one row for each claim."""
        return self.details.frame()

    def _write(self, directory: Path) -> Path:
        return write(self.report, directory)

    def _page(self) -> str:
        return page(self.report)


def reproduce(
    ids: str | Sequence[str] | None = None,
    *,
    data: str | Path | None = None,
    runs: int | None = None,
    claims: str | Path | None = None,
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> ReproduceStudy:
    """Return published figures beside measured ones, with a verdict for each.

    Parameters
    ----------
    ids : str or sequence of str, default=None
        Ids of claims, or keys of sources such as "A"; all when None.
    data : str or Path, default=None
        Directory of files that do not come with gnbbench.
    runs : int, default=None
        Most runs of a repeated protocol; as its table says when None.
    claims : str or Path, default=None
        Directory of tables of claims; gnbbench's own when None.
    out : str or Path, default=None
        Results directory. Nothing is written when None.
    progress : Progress, default=None
        Is told how far the study is.

    Returns
    -------
    ReproduceStudy

    Raises
    ------
    GnbBenchError
        If a claim, a table, the data or the directory cannot be used; nothing is written
        then.

    Examples
    --------
    >>> study = reproduce("guide-iris-mislabelled")
    >>> study.details.headline
    '1 of 1 published figure is reproduced.'
    """
    asked = [ids] if isinstance(ids, str) else list(ids or ())
    plan = reproduce_plan(asked, data=data, runs=runs, claims=claims)
    return examined(plan, out=out, progress=progress)


def reproduce_plan(
    ids: Sequence[str] = (),
    *,
    data: str | Path | None = None,
    runs: int | None = None,
    claims: str | Path | None = None,
) -> ReproducePlan:
    """Return a plan that is possible, with nothing measured yet."""
    if runs is not None and runs < LEAST_RUNS:
        remedy = f"Give a whole number from {LEAST_RUNS}."
        raise OptionError("--runs", f"{runs} runs show no spread", remedy)
    if data is not None and not Path(data).is_dir():
        remedy = "Give the directory that holds student-mat.csv and student-por.csv."
        raise OptionError("--data", f"{data} is no directory", remedy)
    directory = usual_directory() if claims is None else Path(claims)
    known = read_claims(directory)
    return ReproducePlan(
        chosen(known, ids), tuple(ids), None if data is None else Path(data), runs
    )


def chosen(known: Sequence[Claim], ids: Sequence[str]) -> tuple[Claim, ...]:
    """Return the claims of these ids or sources, in the order of the tables."""
    asked = {name.lower() for name in ids}
    names = {name for claim in known for name in (claim.id, claim.source.key.lower())}
    for name in ids:
        if name.lower() not in names:
            guesses = get_close_matches(name.lower(), sorted(names), n=1)
            hint = f"Did you mean '{guesses[0]}'? " if guesses else ""
            what = f"there is no claim or source '{name}'"
            raise OptionError("ID", what, f"{hint}See: gnbbench reproduce --list")
    return tuple(
        claim
        for claim in known
        if not asked or {claim.id, claim.source.key.lower()} & asked
    )


def examined(
    plan: ReproducePlan,
    *,
    out: str | Path | None = None,
    command: str | None = None,
    progress: Progress | None = None,
) -> ReproduceStudy:
    """Return the study of a plan, written where a directory is given."""
    listener = progress or Silence()
    if out is not None:
        names = ("claims.csv", FIGURES_NAME)
        require_replaceable(Path(out), names, (SCHEMA,), "of published figures")
    results = examine(plan.claims, data=plan.data, most_runs=plan.runs, progress=listener)
    details = ReproduceSummary(
        tuple(results), plan.as_dict(), environment(), command or _call(plan)
    )
    study = ReproduceStudy(details)
    if out is not None:
        listener.begin("report")
        study.save(out)
    return study


def _call(plan: ReproducePlan) -> str:
    given = [list(plan.ids)] if plan.ids else []
    data = {} if plan.data is None else {"data": str(plan.data)}
    runs = {} if plan.runs is None else {"runs": plan.runs}
    return call_text("reproduce", *given, **data, **runs)
