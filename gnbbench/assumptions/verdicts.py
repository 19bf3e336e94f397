"""One verdict an assumption: how badly it is broken, and what that costs."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from gnbbench.assumptions.costs import KERNEL, LDA, MARGIN, QDA, QUANTILES, YEO_JOHNSON
from gnbbench.assumptions.findings import AssumptionVerdict, Grade
from gnbbench.assumptions.independence import TEST
from gnbbench.statistics.intervals import ROUNDING
from gnbbench.statistics.metrics import LEVEL
from gnbbench.words import counted, points_between

Row: TypeAlias = "pd.Series[Any]"

# Cohen (1988): a correlation of 0.5 is large, one of 0.3 is medium.
NAIVE_GRADES: tuple[tuple[float, Grade], ...] = (
    (0.5, "strongly broken"),
    (0.3, "broken"),
    (0.0, "slightly broken"),
)
# A dependence is named beside |r| where it exceeds it by more than this.
WAVES_MATTER = 0.05
# 1 - Q–Q correlation in large samples: exponential 0.10, uniform 0.02, logistic 0.01.
NORMAL_GRADES: tuple[tuple[float, Grade], ...] = (
    (0.05, "strongly broken"),
    (0.015, "broken"),
    (0.0, "slightly broken"),
)


def naive_verdict(
    independence: pd.DataFrame, differences: pd.DataFrame
) -> AssumptionVerdict:
    """Return what is concluded of independent features.

    A class is graded by its strongest pair that the permutation test calls dependent: from
    0.5 strongly broken, from 0.3 broken. The cost is that against QDA (LDA pools classes),
    and where features depend on each other in a way that QDA cannot use, that against the
    kernel model.
    """
    changes = _changes((QDA, LDA, KERNEL), differences)
    sizes, p_values = independence["max_dependence"], independence["p_permutation"]
    if p_values.isna().all():
        known = independence["max_abs_r"].max()
        effect = "" if math.isnan(known) else f"max |r| {_correlation(known)}; "
        why = independence["note"].iloc[0] or "too few samples or features that vary"
        text = f"Naive: not tested ({effect}{why}), {_cost(QDA, differences)}."
        return AssumptionVerdict("naive", "not tested", text, changes)
    found = _graded(sizes, p_values, NAIVE_GRADES)
    worst = independence.iloc[found.worst]
    where = found.where("classes")
    effect = f"max |r| {_correlation(worst['max_abs_r'])}"
    if worst["max_dependence"] > worst["max_abs_r"] + WAVES_MATTER:
        effect = f"max dependence {_correlation(worst['max_dependence'])}, {effect}"
    pairs, dependent = (int(independence[c].sum()) for c in ("pairs", "dependent_pairs"))
    detail = (
        f"{counted(dependent, pairs, 'pair')} of features within classes "
        f"{'is' if dependent == 1 else 'are'} dependent (permutation test over all of them "
        f"at 5 %). The strongest is '{worst['dependent_feature']}' and "
        f"'{worst['dependent_other_feature']}' in class '{worst['class_name']}'. There the "
        f"mean |r| is {_correlation(worst['mean_abs_r'])}"
    )
    if not math.isnan(worst["total_correlation"]):
        detail += (
            f" and the total correlation {_nats(worst['total_correlation'])}; independent "
            f"features would show {_nats(worst['chance_total_correlation'])} by chance"
        )
    tested = independence["p_holm"].notna().sum()
    if tested:
        rejected = (independence["p_holm"] < LEVEL).sum()
        detail += f". {TEST} rejects in {rejected} of {tested} classes (Holm-corrected)"
    cost = _cost(QDA, differences)
    if found.counts and not _is_shown(QDA, differences) and _is_shown(KERNEL, differences):
        cost = _cost(KERNEL, differences)
    sentence = f"Naive: {where} ({effect}), {cost}."
    return AssumptionVerdict("naive", found.grade, sentence, f"{detail}. {changes}")


def normal_verdict(normality: pd.DataFrame, differences: pd.DataFrame) -> AssumptionVerdict:
    """Return what is concluded of normal features.

    Each class and feature whose test rejects after Holm is graded by its Q–Q correlation:
    to 0.95 strongly broken, to 0.985 broken. The cost is that against GNB on Yeo–Johnson
    transformed features; quantiles also gain by pulling in outliers.
    """
    cost = _cost(YEO_JOHNSON, differences)
    changes = _changes((YEO_JOHNSON, QUANTILES), differences)
    tested = normality[normality["p_holm"].notna()]
    if tested.empty:
        text = f"({normality['note'].iloc[0]})"
        return AssumptionVerdict(
            "normal", "not tested", f"Normal: not tested {text}, {cost}.", changes
        )
    sizes = 1.0 - normality["qq_correlation"]
    found = _graded(sizes, normality["p_holm"], NORMAL_GRADES)
    worst = normality.iloc[found.worst]
    effect = f"lowest Q–Q correlation {_correlation(worst['qq_correlation'])}"
    tests = " or ".join(pd.unique(tested["test"]))
    detail = (
        f"The lowest Q–Q correlation is that of '{worst['feature']}' in class "
        f"'{worst['class_name']}': skewness {_signed(worst['skewness'])}, excess kurtosis "
        f"{_signed(worst['excess_kurtosis'])}. {tests} rejects in {found.rejected} of "
        f"{found.tested} pairs of class and feature (Holm-corrected)."
    )
    sentence = f"Normal: {found.where('pairs of class and feature')} ({effect}), {cost}."
    return AssumptionVerdict("normal", found.grade, sentence, f"{detail} {changes}")


@dataclass(frozen=True)
class _Graded:
    """How many cells have which grade; the worst of those whose test rejects leads."""

    worst: int  # Its place
    grade: Grade
    counts: Mapping[Grade, int]  # Worst grade first, cells whose test rejects alone
    tested: int

    @property
    def rejected(self) -> int:
        return sum(self.counts.values())

    def where(self, cells: str) -> str:
        """Return the grades with their numbers, such as "broken in 2 of 3 classes"."""
        if not self.counts:
            return "tenable"
        (grade, number), *others = self.counts.items()
        first = f"{grade} in {number} of {self.tested} {cells}"
        return ", ".join([first, *(f"{other} in {n}" for other, n in others)])


def _graded(
    sizes: "pd.Series[float]",
    p_values: "pd.Series[float]",
    grades: Sequence[tuple[float, Grade]],
) -> _Graded:
    tested, rejected = p_values.notna(), p_values < LEVEL
    shown = sizes.where(rejected if rejected.any() else tested)
    found = [next(grade for least, grade in grades if s >= least) for s in sizes[rejected]]
    counts = {grade: found.count(grade) for _, grade in grades if grade in found}
    leading: Grade = next(iter(counts), "tenable")
    return _Graded(int(np.nanargmax(shown.to_numpy())), leading, counts, int(tested.sum()))


def _is_shown(model: str, differences: pd.DataFrame) -> bool:
    """Tell whether a model without the assumption is shown to lose less."""
    row = _change(model, "log_loss", differences)
    return bool(row["outcome"] == "different" and row["mean"] < 0)


def _cost(model: str, differences: pd.DataFrame) -> str:
    """Return what the assumption costs in log loss against a model without it."""
    row = _change(model, "log_loss", differences)
    if not row["runs"]:
        return f"cost unknown: in no run did both GNB and {model} succeed"
    if row["outcome"] in {"identical", "equivalent"}:
        return f"costs less than {MARGIN:g} nats against {model}"
    if _is_shown(model, differences):
        return f"costs {_nats(-row['mean'])} against {model}"
    return "no cost could be demonstrated"


def _changes(models: Sequence[str], differences: pd.DataFrame) -> str:
    """Return the differences of the models from GNB, with their intervals."""
    told = []
    for model in models:
        loss = _change(model, "log_loss", differences)
        accuracy = _change(model, "test_accuracy", differences)
        if not loss["runs"]:
            told.append(f"{model} has no result.")
            continue
        points = points_between(*(accuracy[end] for end in ("mean", "low", "high")))
        told.append(
            f"{model} minus GNB: log loss {_signed(loss['mean'])} nats{_interval(loss)}; "
            f"accuracy {points}."
        )
    return " ".join(told)


def _change(model: str, metric: str, differences: pd.DataFrame) -> Row:
    of_model = differences["implementation"] == model
    return differences[of_model & (differences["metric"] == metric)].iloc[0]


def _interval(row: Row) -> str:
    if math.isnan(row["low"]):
        return ""
    return f", 95 % interval {_signed(row['low'])} to {_signed(row['high'])}"


def _signed(nats: float) -> str:
    return f"{nats:+.2f}".replace("-", "−")


def _nats(value: float) -> str:
    return "infinite" if math.isinf(value) else f"{value:.2f} nats"


def _correlation(value: float) -> str:
    """Return two decimals, more where two would make it a full 1."""
    if value < 0.995 or value > 1.0 - ROUNDING:
        return f"{value:.2f}"
    return f"{math.floor(value * 1e4) / 1e4:.4f}"
