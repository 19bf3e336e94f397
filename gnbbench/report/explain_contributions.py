"""Which disagreements are shown in full, and what each feature says in them."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.diagnosis import ExplainedDisagreement
from gnbbench.report.explain_summary import Diagnosed, ExplainSummary, is_reproduced

MOST_EXAMPLES = 10
REST = "prior and the rest"
# Sums of terms that round by more than this tell nothing of what is left beside them.
MOST_ROUNDING = 1e-3
# Contributions that differ by less are the same: several orders of sums, one value.
ALIKE = 1e-9

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Example:
    """A disagreement that is shown in full."""

    implementation: str
    is_reproduced: bool  # Whether the setting found is what the implementation does
    disagreement: ExplainedDisagreement


def examples(summary: ExplainSummary) -> tuple[Example, ...]:
    """Return the disagreements shown in full: the first ones, each cause at least once."""
    most = max(MOST_EXAMPLES // len(summary.diagnosed), 1)
    return tuple(
        Example(one.implementation, is_reproduced(one.diagnosis), disagreement)
        for one in summary.diagnosed
        for disagreement in _chosen(one, most)
    )


def _chosen(one: Diagnosed, most: int) -> list[ExplainedDisagreement]:
    kept = one.diagnosis.disagreements
    first_of_cause: dict[str | None, int] = {}
    for place, row in enumerate(kept):
        first_of_cause.setdefault(row.cause, place)
    leading = list(first_of_cause.values())[:most]
    others = [place for place in range(len(kept)) if place not in leading]
    return [kept[place] for place in sorted(leading + others[: most - len(leading)])]


def contribution_table(summary: ExplainSummary, example: Example) -> pd.DataFrame:
    """Return each feature's part in the log-odds of the reference's label."""
    one = example.disagreement
    with np.errstate(invalid="ignore"):
        change = one.contributions - one.reference_contributions
    table = pd.DataFrame(
        {
            "feature": summary.feature_names,
            "value": one.features,
            "reference": one.reference_contributions,
            "implementation": one.contributions,
            "change": change,
        }
    )
    order = np.lexsort((-_size(one.reference_contributions), -changes(table)))
    rest = _rest(summary, example)
    if not np.isfinite(rest).any():
        return table.iloc[order].reset_index(drop=True)
    values = [REST, np.nan, *rest, rest[1] - rest[0]]
    last = pd.DataFrame([values], columns=table.columns)
    return pd.concat([table.iloc[order], last], ignore_index=True)


def changes(table: pd.DataFrame) -> FloatArray:
    """Return by how much each part differs: 0 where alike, infinite where undefined."""
    first = table["reference"].to_numpy(dtype=np.float64)
    second = table["implementation"].to_numpy(dtype=np.float64)
    equal = (first == second) | (np.isnan(first) & np.isnan(second))
    with np.errstate(invalid="ignore"):
        size = np.abs(second - first)
        size[size <= ALIKE * np.maximum(np.abs(first), 1.0)] = 0.0
    result: FloatArray = np.where(equal, 0.0, np.where(np.isnan(size), np.inf, size))
    return result


def log_odds(summary: ExplainSummary, example: Example) -> tuple[float, float]:
    """Return the log-odds of the reference's label over the other one, under both."""
    one = example.disagreement
    first, second = summary.code(one.reference_label), summary.code(one.label)
    if one.posterior is None or first is None or second is None:
        return one.margin, float("nan")
    with np.errstate(all="ignore"):
        logs = np.log(one.posterior)
        odds = float(logs[first] - logs[second])
    return one.margin, odds if np.isfinite(odds) else float("nan")


def _rest(summary: ExplainSummary, example: Example) -> tuple[float, float]:
    """Return what log-odds hold beside the features' parts, NaN where it is not known."""
    one = example.disagreement
    reference, own = log_odds(summary, example)
    if not example.is_reproduced:
        own = float("nan")
    return _beside(reference, one.reference_contributions), _beside(own, one.contributions)


def _beside(odds: float, parts: FloatArray) -> float:
    with np.errstate(invalid="ignore", over="ignore"):
        rounding = len(parts) * np.finfo(np.float64).eps * float(np.abs(parts).sum())
        rest = odds - float(parts.sum())
    if not rounding <= MOST_ROUNDING:
        return float("nan")
    return 0.0 if abs(rest) <= 4.0 * rounding else rest


def _size(parts: FloatArray) -> FloatArray:
    return np.nan_to_num(np.abs(parts), nan=0.0, posinf=np.inf)
