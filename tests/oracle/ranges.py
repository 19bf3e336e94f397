"""Rules that the numbers of ``summary.json`` keep by themselves."""

from collections.abc import Iterator, Mapping
from typing import Any

SHARES = {
    *("agreement", "exact_share", "accuracy", "precision", "recall", "f1", "share"),
    *("p", "p_holm", "mcnemar_p", "row_bound", "mean_confidence", "reproduced_share"),
    *("test_accuracy", "max_probability_difference", "mean_probability_difference"),
}
# Metrics whose values, and the ends of whose intervals, are shares; losses are above 0.
OF_SHARES = {
    *("train_accuracy", "test_accuracy", "precision", "recall", "f1", "mean_confidence"),
    *("mean_confidence_right", "mean_confidence_wrong", "expected_calibration_error"),
}
OF_LOSSES = {"log_loss", "brier_score"}
INSIDE = 1e-9  # Rounding


def ranges(value: Any, place: str = "") -> Iterator[str]:
    """Yield values out of range: shares, losses, counts, intervals."""
    if isinstance(value, Mapping):
        yield from (f"{place}: {fault}" for fault in _row(value, place))
        for name, part in value.items():
            yield from ranges(part, f"{place}.{name}" if place else str(name))
    elif isinstance(value, list):
        for part in value:
            yield from ranges(part, place)


def _row(row: Mapping[str, Any], place: str) -> Iterator[str]:
    numbers = {k: float(v) for k, v in row.items() if _is_number(v)}
    for name in SHARES & set(numbers):
        if not -INSIDE <= numbers[name] <= 1 + INSIDE:
            yield f"{name} is {numbers[name]}"
    yield from _interval(row, numbers, place)
    part, whole = (numbers.get(name) for name in ("disagreements", "predictions"))
    if part is not None and whole is not None:
        if part > whole:
            yield f"{part} disagreements of {whole}"
        if (
            whole
            and abs(numbers.get("agreement", 1 - part / whole) - 1 + part / whole) > INSIDE
        ):
            yield f"agreement is {numbers['agreement']} with {part} of {whole} apart"


def _interval(
    row: Mapping[str, Any], numbers: Mapping[str, float], place: str
) -> Iterator[str]:
    low, high = numbers.get("low"), numbers.get("high")
    name = next((n for n in ("mean", "ratio", "exponent", "slope") if n in numbers), None)
    if low is None or high is None or name is None:
        return
    if not low - INSIDE <= numbers[name] <= high + INSIDE:
        yield f"{row.get('metric', '')} {name} {numbers[name]} lies outside {low} to {high}"
    metric = row.get("metric")
    if low == high:
        yield f"{metric} has an interval without width at {low}"
    if not place.endswith(("metrics", "costs")):
        return
    if metric in OF_SHARES and (low < -INSIDE or high > 1 + INSIDE):
        yield f"{metric} is said to be from {low} to {high}"
    if metric in OF_LOSSES and low < -INSIDE:
        yield f"{metric} is said to be from {low} to {high}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


PLANTED: tuple[Mapping[str, Any], ...] = (
    {"metrics": [{"metric": "test_accuracy", "mean": 0.98, "low": 0.95, "high": 1.01}]},
    {"metrics": [{"metric": "log_loss", "mean": 0.07, "low": -0.03, "high": 0.17}]},
    {"metrics": [{"metric": "f1", "mean": 1.0, "low": 1.0, "high": 1.0}]},
    {"differences": [{"metric": "f1", "mean": 0.5, "low": 0.6, "high": 0.7}]},
    {"differences": [{"metric": "f1", "mean": -0.5, "low": -0.5, "high": -0.5}]},
    {"differences": [{"p": 1.2}]},
    {"agreement": [{"agreement": 0.9, "disagreements": 3, "predictions": 20}]},
)
SOUND: Mapping[str, Any] = {
    "metrics": [{"metric": "test_accuracy", "mean": 0.98, "low": 0.95, "high": 0.99}],
    "differences": [{"metric": "f1", "mean": -0.5, "low": -0.6, "high": 0.7, "p": 0.4}],
    "agreement": [{"agreement": 0.85, "disagreements": 3, "predictions": 20}],
}
