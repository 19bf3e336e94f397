"""One verdict an assumption: how badly it is broken, and what that costs."""

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from gnbbench.assumptions.costs import LDA, MARGIN, QDA, QUANTILES, YEO_JOHNSON
from gnbbench.assumptions.findings import AssumptionVerdict, Grade
from gnbbench.assumptions.independence import TEST
from gnbbench.statistics.intervals import ROUNDING
from gnbbench.statistics.metrics import LEVEL
from gnbbench.words import points_between

Row: TypeAlias = "pd.Series[Any]"

# Cohen (1988): a correlation of 0.5 is large, one of 0.3 is medium.
NAIVE_GRADES: tuple[tuple[float, Grade], ...] = (
    (0.5, "strongly broken"),
    (0.3, "broken"),
    (0.0, "slightly broken"),
)
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

    Graded by the largest |r| of the classes whose test rejects after Holm: from 0.5
    strongly broken, from 0.3 broken. The cost is that against QDA (LDA pools classes).
    """
    cost = _cost(QDA, differences)
    changes = _changes((QDA, LDA), differences)
    if independence["p_holm"].isna().all():
        known = independence["max_abs_r"].max()
        effect = "" if math.isnan(known) else f"max |r| {_correlation(known)}; "
        text = f"({effect}{independence['note'].iloc[0]})"
        return AssumptionVerdict(
            "naive", "not tested", f"Naive: not tested {text}, {cost}.", changes
        )
    sizes = independence["max_abs_r"]
    worst, grade, share = _graded(independence, sizes, NAIVE_GRADES)
    where = "" if grade == "tenable" else f" in {share} classes"
    effect = f"max |r| {_correlation(worst['max_abs_r'])}"
    detail = (
        f"The largest |r| is that of '{worst['feature']}' and '{worst['other_feature']}' "
        f"in class '{worst['class_name']}'. There the mean |r| is "
        f"{_correlation(worst['mean_abs_r'])} and the total correlation "
        f"{_nats(worst['total_correlation'])}; independent features would show "
        f"{_nats(worst['chance_total_correlation'])} by chance. "
        f"{TEST} rejects in {share} classes (Holm-corrected)."
    )
    sentence = f"Naive: {grade}{where} ({effect}), {cost}."
    return AssumptionVerdict("naive", grade, sentence, f"{detail} {changes}")


def normal_verdict(normality: pd.DataFrame, differences: pd.DataFrame) -> AssumptionVerdict:
    """Return what is concluded of normal features.

    Graded by the lowest Q–Q correlation of the classes and features whose test rejects
    after Holm: to 0.95 strongly broken, to 0.985 broken. The cost is that against GNB on
    Yeo–Johnson transformed features; quantiles also gain by pulling in outliers.
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
    worst, grade, share = _graded(normality, sizes, NORMAL_GRADES)
    where = "" if grade == "tenable" else f" in {share} pairs of class and feature"
    effect = f"lowest Q–Q correlation {_correlation(worst['qq_correlation'])}"
    tests = " or ".join(pd.unique(tested["test"]))
    detail = (
        f"The lowest Q–Q correlation is that of '{worst['feature']}' in class "
        f"'{worst['class_name']}': skewness {_signed(worst['skewness'])}, excess kurtosis "
        f"{_signed(worst['excess_kurtosis'])}. {tests} rejects in {share} "
        "pairs of class and feature (Holm-corrected)."
    )
    sentence = f"Normal: {grade}{where} ({effect}), {cost}."
    return AssumptionVerdict("normal", grade, sentence, f"{detail} {changes}")


def _graded(
    table: pd.DataFrame, sizes: "pd.Series[float]", grades: Sequence[tuple[float, Grade]]
) -> tuple[Row, Grade, str]:
    """Return the worst row whose test rejects, its grade, and in how many it does."""
    tested = table["p_holm"].notna()
    rejected = table["p_holm"] < LEVEL
    share = f"{rejected.sum()} of {tested.sum()}"
    shown = sizes.where(rejected if rejected.any() else tested)
    worst = int(np.nanargmax(shown.to_numpy()))
    grade = next(grade for least, grade in grades if shown.iloc[worst] >= least)
    return table.iloc[worst], grade if rejected.any() else "tenable", share


def _cost(model: str, differences: pd.DataFrame) -> str:
    """Return what the assumption costs in log loss against a model without it."""
    row = _change(model, "log_loss", differences)
    if not row["runs"]:
        return f"cost unknown: in no run did both GNB and {model} succeed"
    if row["outcome"] in {"identical", "equivalent"}:
        return f"costs less than {MARGIN:g} nats against {model}"
    if row["outcome"] == "different" and row["mean"] < 0:
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
