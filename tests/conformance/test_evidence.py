"""Evidence tells the worst case, and NaN is worse than any number."""

from typing import Any

import numpy as np
import pytest

from gnbbench.conformance.contract import BrokenContract, NotOffered
from gnbbench.conformance.evidence import (
    ROUNDING,
    alike,
    largest,
    right_and_finite,
    right_or_refused,
    wrong_labels,
)
from gnbbench.conformance.problems import blobs
from gnbbench.conformance.result import Finding
from gnbbench.core import GaussianNB

PROBLEM = blobs()


def trained(**parameters: Any) -> GaussianNB:
    return GaussianNB(**parameters).fit(PROBLEM.X, PROBLEM.y)


def test_wrong_labels_are_counted_and_the_first_is_shown() -> None:
    expected = PROBLEM.labels.copy()
    expected[[3, 8]] = 7

    finding = wrong_labels(trained(), PROBLEM.X_test, expected)

    assert finding.measured == 2.0
    assert f"row 3: {PROBLEM.labels[3]} instead of 7" in finding.message


def test_equal_models_do_not_differ() -> None:
    finding = alike(trained(), trained(), PROBLEM.X_test, PROBLEM.y)

    assert (finding.measured, finding.holds) == (0.0, True)


def test_another_smoothing_differs_by_more_than_rounding() -> None:
    other = trained(var_smoothing=2e-9)

    finding = alike(other, trained(), PROBLEM.X_test, PROBLEM.y)

    assert finding.measured is not None
    assert finding.measured > ROUNDING
    assert finding.message.endswith("var_")


def test_models_with_other_labels_are_not_alike_whatever_their_numbers() -> None:
    class Constant(GaussianNB):
        def predict(self, X: Any) -> Any:
            return np.zeros(len(X), dtype=int)

    other = Constant().fit(PROBLEM.X, PROBLEM.y)

    assert not alike(other, trained(), PROBLEM.X_test, PROBLEM.y).holds


def test_nan_is_the_largest_difference() -> None:
    value, name = largest({"theta_": 1.0, "var_": float("nan"), "predict_proba": 2.0})

    assert np.isnan(value)
    assert name == "var_"


@pytest.mark.parametrize("value", [np.nan, -0.5, 1.5])
def test_what_is_no_probability_breaks_the_finding(value: float) -> None:
    class Odd(GaussianNB):
        def predict_proba(self, X: Any) -> Any:
            return np.full((len(X), 3), value)

    model = Odd().fit(PROBLEM.X, PROBLEM.y)

    finding = right_and_finite(model, PROBLEM.X_test, PROBLEM.labels, PROBLEM.y)

    assert (finding.measured, finding.holds) == (0.0, False)


def test_a_refusal_is_as_good_as_an_answer() -> None:
    def refuse() -> Finding:
        raise ValueError("too large")

    assert right_or_refused(refuse) == Finding(0.0, message="refused with ValueError")


@pytest.mark.parametrize("kind", [BrokenContract, NotOffered])
def test_what_is_no_refusal_goes_through(kind: type[Exception]) -> None:
    def break_off() -> Finding:
        raise kind("this")

    with pytest.raises(kind):
        right_or_refused(break_off)
