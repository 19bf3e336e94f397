"""The same data far from zero, where E[x²] - E[x]² cancels."""

from fractions import Fraction
from functools import partial

from gnbbench.conformance.contract import Make, fitted, parameters_of
from gnbbench.conformance.evidence import variance_errors, wrong_labels
from gnbbench.conformance.exact import exact_model, stable_variance_bound
from gnbbench.conformance.problems import blobs
from gnbbench.conformance.result import Check, Finding

STATISTICS = "Chan, Golub and LeVeque (1983): the shift of a variance changes nothing"


def _labels(make: Make, *, offset: float) -> Finding:
    """Both sums are exact: values are multiples of 2**-8 and the offset is whole."""
    problem = blobs()
    model = fitted(make, problem.X + offset, problem.y)
    return wrong_labels(model, problem.X_test + offset, problem.labels)


def _variances(make: Make, *, offset: float) -> Finding:
    problem = blobs()
    learned = parameters_of(fitted(make, problem.X + offset, problem.y), problem.y)
    exact = exact_model(problem.X, problem.y, smoothing=Fraction(0))
    worst = float(variance_errors(learned.var, exact.var).max())
    return Finding(worst, message="the larger the offset, the fewer digits are left")


def _label_check(power: int) -> Check:
    return Check(
        f"offset-1e{power}",
        "offsets",
        f"Adding 1e{power} to all values changes no label.",
        0.0,
        "labels",
        STATISTICS,
        partial(_labels, offset=10.0**power),
    )


def _variance_check(power: int) -> Check:
    # The smallest standard deviation of the problem is about 0.35.
    return Check(
        f"offset-1e{power}-variances",
        "offsets",
        f"Adding 1e{power} to all values leaves var_ the digits of a stable sum.",
        stable_variance_bound(20, 10.0**power / 0.35),
        "relative error",
        STATISTICS,
        partial(_variances, offset=10.0**power),
    )


CHECKS = (
    _label_check(3),
    _label_check(6),
    _label_check(9),
    _label_check(12),
    _variance_check(9),
)
