"""The same data in other units, up to the ends of the range of float64."""

from functools import partial

import numpy as np

from gnbbench.conformance.contract import Make, fitted, labels_of
from gnbbench.conformance.evidence import right_or_refused, wrong_labels
from gnbbench.conformance.problems import blobs
from gnbbench.conformance.result import Check, Finding

UNITS = "a unit of measurement changes neither posterior nor relative smoothing"


def _labels(make: Make, *, exponent: int) -> Finding:
    """Multiplying by a power of two is exact."""
    problem = blobs()
    scale = 2.0**exponent
    model = fitted(make, problem.X * scale, problem.y)
    return wrong_labels(model, problem.X_test * scale, problem.labels)


def _labels_or_exception(make: Make, *, exponent: int) -> Finding:
    """Variances leave the range of float64, so that an error is as good as labels."""
    problem = blobs()
    labels_of(fitted(make, problem.X, problem.y), problem.X_test)
    return right_or_refused(lambda: _labels(make, exponent=exponent))


def _within(power: int) -> Check:
    return Check(
        f"scale-1e{power}",
        "scales",
        f"Multiplying all values by about 1e{power} changes no label.",
        0.0,
        "labels",
        UNITS,
        partial(_labels, exponent=round(power * np.log2(10.0))),
    )


def _beyond(power: int) -> Check:
    return Check(
        f"scale-1e{power}",
        "scales",
        f"At about 1e{power}, squares leave float64: labels stay right, or an exception.",
        0.0,
        "labels",
        UNITS,
        partial(_labels_or_exception, exponent=round(power * np.log2(10.0))),
    )


CHECKS = (
    _beyond(-170),
    _within(-150),
    _within(-6),
    _within(6),
    _within(150),
    _beyond(170),
)
