"""Rules on the two assumptions: correlations, shapes, and what it costs."""

import re
from collections.abc import Callable, Iterator, Mapping

import numpy as np
from scipy import stats

from oracle.comparing import N, Texts
from oracle.said import NUMBER, Number
from oracle.truth import Truth

_FREE = ("QDA", "Kernel logistic", "Yeo–Johnson + GNB")  # Of the assumption
_NO_COST = re.compile(r"\bno cost (?:could|can|was)\b", re.IGNORECASE)


def costs(texts: Texts, _: Truth) -> Iterator[str]:
    """No cost is denied where a model without the assumption does better, by a test."""
    better = set()
    for said in texts:
        row = said.row
        if said.heading == "result" and {"model", "p (Holm)", "metric"} <= set(row):
            change = next(text for name, text in row.items() if name.startswith("minus"))
            number, p = NUMBER.search(change), NUMBER.search(row["p (Holm)"])
            if number and p and (Number.of(p[0]).value < 0.05):
                gain = Number.of(number[0]).value * (-1 if "loss" in row["metric"] else 1)
                if gain > 0 and row["model"] in _FREE:
                    better.add(f"{row['model']}: {row['metric']} {change}")
    for said in texts:
        if said.place == "headline" and better and _NO_COST.search(said.plain):
            yield f"'{said.text}', though {'; '.join(sorted(better))}"


def largest_correlations(truth: Truth) -> tuple[dict[str, float], dict[str, float]]:
    """Return the largest |r| of each class, and of each that is large enough to test."""
    X, y = np.asarray(truth.hard.X, dtype=float), np.asarray(truth.hard.y)
    largest, tested = {}, {}
    for label in np.unique(y):
        rows = X[y == label]
        rows = rows[:, np.ptp(rows, axis=0) > 1e-12 * np.abs(rows).max()]
        if rows.shape[1] > 1 and len(rows) > 2:
            r = np.abs(np.corrcoef(rows.T))
            largest[str(label)] = float(r[np.triu_indices(len(r), 1)].max())
            if len(rows) >= 3 * rows.shape[1]:
                tested[str(label)] = largest[str(label)]
    return largest, tested


def correlations(texts: Texts, truth: Truth) -> Iterator[str]:
    """Yield largest correlations that are not NumPy's.

    Banner and tile name that of the classes with three samples for each feature, if any.
    """
    largest, tested = largest_correlations(truth)
    for said in texts:
        shown = re.findall(rf"(?:max \|r\||\|r\| up to) ({N})", said.plain)
        if said.heading.startswith("Largest correlation") and said.place == "tile of value":
            shown += [text.lstrip("−") for text in NUMBER.findall(said.text)]
        expected = max((tested or largest).values(), default=np.nan)
        if said.heading == "largest |r|" and NUMBER.fullmatch(said.text):
            shown, expected = [said.text], largest.get(said.row["class"], np.nan)
        for text in shown:
            number = Number.of(text)
            if not abs(number.value - expected) <= 1.01 * number.step * (
                1 if number.step < 0.01 else 0.5
            ):
                yield f"{said.place}: |r| {text} is {expected:.4f}"


def normality(texts: Texts, truth: Truth) -> Iterator[str]:
    """Q–Q correlation, skewness and kurtosis are SciPy's."""
    X, y = np.asarray(truth.hard.X, dtype=float), np.asarray(truth.hard.y)
    measures: Mapping[str, Callable[[np.ndarray], float]] = {
        "Q–Q correlation": lambda x: float(stats.probplot(x)[1][2]),
        "skewness": lambda x: float(stats.skew(x)),
        "excess kurtosis": lambda x: float(stats.kurtosis(x)),
    }
    for said in texts:
        if said.heading not in measures or not NUMBER.fullmatch(said.text):
            continue
        values = X[y.astype(str) == said.row["class"], int(said.row["feature"][1:])]
        with np.errstate(all="ignore"):
            exact = measures[said.heading]((values - values.mean()) / values.std())
        if not Number.of(said.text).rounds(exact):
            yield f"{said.row['feature']}: {said.heading} {said.text} is {exact:.4f}"
