"""From what a model gave to a Finding: labels against labels, model against model."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.conformance.contract import (
    Array,
    BrokenContract,
    FloatArray,
    NotOffered,
    labels_of,
    parameters_of,
    table_of,
)
from gnbbench.conformance.result import Finding, Measure

ROUNDING = 1e-10
"""What two ways to the same model may differ by.

By at most 2 n u T = 2 * 60 * 1.1e-16 * 1e3 = 1.3e-11 for n rows, unit roundoff u and terms
of a log-likelihood up to T (Higham 2002, section 4.2), while the least of the faults
looked for, a wrong amount of smoothing, shows as 1e-9 or more.
"""

SAME_MODEL = Measure("difference", ROUNDING)

ANY_SMOOTHING = 1e-8
"""Share of a variance that counts as smoothing, ten times that of scikit-learn."""


def wrong_labels(model: Any, X: ArrayLike, expected: NDArray[Any]) -> Finding:
    """Return how many predicted labels are wrong."""
    predicted = labels_of(model, X)
    wrong = np.array(
        [got != want for got, want in zip(predicted, expected, strict=True)], dtype=bool
    )
    if not wrong.any():
        return Finding(0.0, message=f"all {len(expected)} labels right")
    row = int(wrong.argmax())
    return Finding(
        float(wrong.sum()),
        message=f"{wrong.sum()} of {len(expected)} labels wrong, the first in row {row}: "
        f"{predicted[row]!s} instead of {expected[row]!s}",
    )


def right_and_finite(
    model: Any, X: ArrayLike, expected: NDArray[Any], y: ArrayLike
) -> Finding:
    """Return how many labels are wrong; broken where a probability is not one."""
    finding = wrong_labels(model, X, expected)
    try:
        table = table_of(model, "predict_proba", X, y)
    except NotOffered:
        return finding
    odd = ~((table >= 0.0) & (table <= 1.0 + ROUNDING)).all(axis=1)
    if odd.any():
        message = f"probabilities {table[odd][0].tolist()} in row {int(odd.argmax())}"
        return Finding(finding.measured, holds=False, message=message)
    return finding


def differing_labels(
    got: Array, expected: Array, message: str = "{} of {} labels differ"
) -> Finding:
    """Return how many labels differ."""
    n_changed = int((got != expected).sum())
    return Finding(float(n_changed), message=message.format(n_changed, len(expected)))


def largest_error(errors: FloatArray, *, by_row: bool = False) -> Finding:
    """Return the largest error and where it is."""
    place = np.unravel_index(int(np.argmax(errors)), errors.shape)
    where = ", ".join(str(int(index)) for index in place)
    where = f"in row {int(place[0])}" if by_row else f"at [{where}]"
    return Finding(float(errors[place]), message=f"largest {where}")


def right_or_refused(examine: Callable[[], Finding]) -> Finding:
    """Return the finding, or a good one where an exception came in its place."""
    try:
        return examine()
    except (BrokenContract, NotOffered):
        raise
    except Exception as error:  # noqa: BLE001  any refusal will do
        return Finding(0.0, message=f"refused with {type(error).__name__}")


def alike(first: Any, second: Any, X: ArrayLike, y: ArrayLike) -> Finding:
    """Return by how much two models that should be the same differ."""
    differences = {
        **_of_parameters(first, second, y),
        **_of_posteriors(first, second, X, y),
    }
    measured, name = largest(differences)
    n_changed = int((labels_of(first, X) != labels_of(second, X)).sum())
    if n_changed:
        message = f"{n_changed} of {np.shape(X)[0]} labels differ"
        return Finding(measured, holds=False, message=message)
    return Finding(measured, message=f"labels equal; largest difference in {name}")


def variance_errors(var: FloatArray, exact: FloatArray) -> FloatArray:
    """Return relative errors of variances, whatever the smoothing that all of them have.

    Its amount is another check's: a constant of up to `ANY_SMOOTHING` is taken off.
    """
    excess = var - exact
    smoothing = np.clip(np.median(excess), 0.0, ANY_SMOOTHING * exact.max())
    errors: FloatArray = np.abs(excess - smoothing) / exact
    return errors


def largest(differences: dict[str, float]) -> tuple[float, str]:
    """Return the largest difference and its name, NaN counting as larger than all."""
    worst = (0.0, "labels alone" if not differences else next(iter(differences)))
    for name, value in differences.items():
        if np.isnan(value):
            return float("nan"), name
        worst = max(worst, (value, name), key=lambda pair: pair[0])
    return worst


def _of_parameters(first: Any, second: Any, y: ArrayLike) -> dict[str, float]:
    try:
        theta, var = parameters_of(first, y)
        expected, expected_var = parameters_of(second, y)
    except NotOffered:
        return {}
    with np.errstate(all="ignore"):
        of_means = np.abs(theta - expected) / np.sqrt(expected_var)
        of_variances = np.abs(var - expected_var) / expected_var
    return {"theta_": float(of_means.max()), "var_": float(of_variances.max())}


def _of_posteriors(first: Any, second: Any, X: ArrayLike, y: ArrayLike) -> dict[str, float]:
    name = "predict_proba"
    try:
        gap = table_of(first, name, X, y) - table_of(second, name, X, y)
    except NotOffered:
        return {}
    return {name: float(np.abs(gap).max())}
