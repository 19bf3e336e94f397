"""Parameters of trained models, compared: means, variances, priors.

In a training pass the smoothing amount needs care. Before it updates the variances,
scikit-learn's ``partial_fit`` subtracts the amount of the new batch instead of the amount
that it had added. With e_t the amount of batch t and n_t(c) the rows of class c so far, the
variances of class c exceed the true ones by

    E_t(c) = n_{t-1}(c) / n_t(c) * (E_{t-1}(c) + e_{t-1} - e_t),    E_1(c) = 0,

plus e_t itself, the same for all features of a class. `SmoothingTrace` follows it, so that
a difference of variances can be proved to be this and nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import FloatArray

PARAMETERS = ("theta_", "var_", "epsilon_", "class_prior_")
# Relative differences of variances up to this are rounding and need no cause.
ROUNDING = 1e-12
# A cause must leave less than this share of the difference unexplained.
LEFT = 0.01


class SmoothingTrace:
    """The excess of the variances if batches are smoothed as by scikit-learn."""

    def __init__(self, n_classes: int) -> None:
        self._count = np.zeros(n_classes)
        self._carried = np.zeros(n_classes)
        self._epsilon: float | None = None

    def follow(self, new: NDArray[np.intp], epsilon: float) -> None:
        """Follow one batch."""
        total = self._count + new
        share = np.where(new > 0, self._count / np.maximum(total, 1), 1.0)
        if self._epsilon is not None:
            self._carried = share * (self._carried + self._epsilon - epsilon)
        self._count, self._epsilon = total, epsilon

    @property
    def amounts(self) -> FloatArray | None:
        """The excess in the variances of each class; None before the first batch."""
        return None if self._epsilon is None else self._carried + self._epsilon


@dataclass(frozen=True)
class Learned:
    """The parameters that one trained model offers."""

    values: Mapping[str, FloatArray]  # Those of `PARAMETERS`, in the order of all classes
    carried: FloatArray | None = None  # (n_classes,): From its `SmoothingTrace`

    def amounts(self) -> dict[str, FloatArray]:
        """Return what may have been added to its variances, by the name of a rule."""
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
    """Return the parameters that a trained model offers in the expected shapes."""
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


def parameter_differences(
    competitor: Learned, reference: Learned
) -> dict[str, float | None]:
    """Return the largest relative difference of each parameter.

    Differences are relative to the reference's value; those of means, which may be zero,
    to the larger of its magnitude and the standard deviation of the feature in the class.
    """
    return {
        name: _largest(name, competitor.values, reference.values) for name in PARAMETERS
    }


def variance_cause(competitor: Learned, reference: Learned) -> dict[str, Any] | None:
    """Return the kind of smoothing that explains a difference of variances, if any."""
    if "var_" not in competitor.values or "var_" not in reference.values:
        return None
    variances = np.maximum(reference.values["var_"], np.finfo(np.float64).tiny)
    apart = competitor.values["var_"] - reference.values["var_"]
    largest = float(np.abs(apart / variances).max())
    if not ROUNDING < largest < np.inf:
        return None
    candidates = []
    for (rule, amount), (reference_rule, reference_amount) in product(
        competitor.amounts().items(), reference.amounts().items()
    ):
        left = float(np.abs((apart - (amount - reference_amount)) / variances).max())
        candidates.append((left, rule, reference_rule))
    # The first of equals: the models' own amounts, where these explain as much.
    left, rule, reference_rule = min(candidates, key=lambda candidate: candidate[0])
    if left > LEFT * largest:
        return None
    return {"own": rule, "reference": reference_rule, "largest": largest, "left": left}


def _largest(
    name: str, competitor: Mapping[str, FloatArray], reference: Mapping[str, FloatArray]
) -> float | None:
    if name not in competitor or name not in reference:
        return None
    scale = np.abs(reference[name])
    if name == "theta_" and "var_" in reference:
        scale = np.maximum(scale, np.sqrt(np.maximum(reference["var_"], 0.0)))
    with np.errstate(invalid="ignore"):
        apart = np.abs(competitor[name] - reference[name])
        relative = apart / np.maximum(scale, np.finfo(np.float64).tiny)
    value = float(relative.max())
    return value if np.isfinite(value) else None
