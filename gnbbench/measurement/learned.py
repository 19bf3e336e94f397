"""What trained models learned, held against each other: means, variances, priors.

In a training pass the smoothing amount needs care. scikit-learn's ``partial_fit`` takes the
amount of the new batch off all variances before it updates them, where it should take off
the one that it had added. With e_t the amount of batch t and n_t(c) the rows of class c so
far, what stays in the variances of class c on top of the true ones is

    E_t(c) = n_{t-1}(c) / n_t(c) * (E_{t-1}(c) + e_{t-1} - e_t),    E_1(c) = 0,

and e_t itself: one amount for all features of a class. `SmoothingTrace` follows it, so that
a difference of variances can be shown to be this and nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import FloatArray

PARAMETERS = ("theta_", "var_", "epsilon_", "class_prior_")
# Differences of variances up to this, relative, are rounding and need no cause.
ROUNDING = 1e-12
# A cause must leave less than this share of the difference.
LEFT = 0.01


class SmoothingTrace:
    """What is on top of the variances, if batches are smoothed as scikit-learn does."""

    def __init__(self, n_classes: int) -> None:
        self._count = np.zeros(n_classes)
        self._carried = np.zeros(n_classes)
        self._epsilon: float | None = None

    def follow(self, new: NDArray[np.intp], epsilon: float) -> None:
        """Take note of one batch."""
        total = self._count + new
        share = np.where(new > 0, self._count / np.maximum(total, 1), 1.0)
        if self._epsilon is not None:
            self._carried = share * (self._carried + self._epsilon - epsilon)
        self._count, self._epsilon = total, epsilon

    @property
    def amounts(self) -> FloatArray | None:
        """What is on top of the variances of each class; None before the first batch."""
        return None if self._epsilon is None else self._carried + self._epsilon


@dataclass(frozen=True)
class Learned:
    """Parameters of one trained model, where it offers them."""

    # Of those in `PARAMETERS` that it offers, in the order of all classes
    values: Mapping[str, FloatArray]
    carried: FloatArray | None = None  # (n_classes,): From its `SmoothingTrace`

    def amounts(self) -> dict[str, FloatArray]:
        """Return what may have been added to its variances, by the name of the rule."""
        column = np.zeros((1, 1))
        amounts = {}
        if "epsilon_" in self.values:
            amounts["own"] = column + self.values["epsilon_"]
        else:
            amounts["none"] = column
        if self.carried is not None:
            amounts["batch"] = self.carried[:, np.newaxis]
        return amounts


def learned(
    model: Any, n_classes: int, n_features: int, carried: FloatArray | None = None
) -> Learned:
    """Return the parameters that a trained model offers in the usual shapes."""
    shapes: dict[str, tuple[int, ...]] = {
        "theta_": (n_classes, n_features),
        "var_": (n_classes, n_features),
        "epsilon_": (),
        "class_prior_": (n_classes,),
    }
    values = {}
    for name, shape in shapes.items():
        value = getattr(model, name, None)
        if value is None and name == "var_":
            value = getattr(model, "sigma_", None)
        if value is None:
            continue
        array = np.asarray(value)
        if array.dtype.kind in "fiu" and array.shape == shape:
            values[name] = array.astype(np.float64)
    return Learned(values, carried)


def parameter_differences(own: Learned, reference: Learned) -> dict[str, float | None]:
    """Return the largest relative difference of each parameter.

    Variances, the smoothing amount and priors are held against the reference's own value,
    a mean against the larger of its absolute value and the standard deviation of its
    feature in the class: a mean may be zero.
    """
    return {name: _largest(name, own.values, reference.values) for name in PARAMETERS}


def variance_cause(own: Learned, reference: Learned) -> dict[str, Any] | None:
    """Return which smoothing explains that variances differ, if one does."""
    if "var_" not in own.values or "var_" not in reference.values:
        return None
    variances = np.maximum(reference.values["var_"], np.finfo(np.float64).tiny)
    apart = own.values["var_"] - reference.values["var_"]
    largest = float(np.abs(apart / variances).max())
    if not ROUNDING < largest < np.inf:
        return None
    candidates = []
    for (rule, amount), (reference_rule, reference_amount) in product(
        own.amounts().items(), reference.amounts().items()
    ):
        left = float(np.abs((apart - (amount - reference_amount)) / variances).max())
        candidates.append((left, rule, reference_rule))
    # The first of equals: each by its own amount, where that explains as much.
    left, rule, reference_rule = min(candidates, key=lambda candidate: candidate[0])
    if left > LEFT * largest:
        return None
    return {"own": rule, "reference": reference_rule, "largest": largest, "left": left}


def _largest(
    name: str, own: Mapping[str, FloatArray], reference: Mapping[str, FloatArray]
) -> float | None:
    if name not in own or name not in reference:
        return None
    scale = np.abs(reference[name])
    if name == "theta_" and "var_" in reference:
        scale = np.maximum(scale, np.sqrt(np.maximum(reference["var_"], 0.0)))
    with np.errstate(invalid="ignore"):
        apart = np.abs(own[name] - reference[name])
        relative = apart / np.maximum(scale, np.finfo(np.float64).tiny)
    value = float(relative.max())
    return value if np.isfinite(value) else None
