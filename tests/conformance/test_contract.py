"""Checks use only what models offer; evidence is the worst case, NaN first."""

from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from gnbbench.conformance import contract
from gnbbench.conformance.problems import blobs, or_refused
from gnbbench.core import GaussianNB

X = np.array([[0.0], [1.0], [5.0], [6.0]])
y = np.array(["b", "b", "a", "a"])
PROBLEM = blobs()


class Old:
    """Offers classes in order of appearance, and variances under their old name."""

    def __init__(self) -> None:
        self.prior = 1.0

    def fit(self, X: Any, y: Any) -> None:  # noqa: ARG002  the contract's arguments
        self.classes_ = np.array(["b", "a"])
        self.theta_ = np.array([[0.5], [5.5]])
        self.sigma_ = np.array([[0.25], [4.0]])

    def predict(self, X: Any) -> Any:
        return ["b"] * len(X)

    def predict_proba(self, X: Any) -> Any:
        return [[0.75, 0.25]] * len(X)


def test_tables_come_in_sorted_order_of_the_classes_and_lists_count_as_labels() -> None:
    model = contract.fitted(Old, X, y)

    theta, var = contract.parameters_of(model, y)
    assert theta.ravel().tolist() == [5.5, 0.5]
    assert var.ravel().tolist() == [4.0, 0.25]
    assert contract.table_of(model, "predict_proba", X[:1], y).tolist() == [[0.25, 0.75]]
    assert contract.labels_of(model, X).tolist() == ["b"] * 4


@pytest.mark.parametrize(
    ("ask", "missing"),
    [
        (
            lambda: contract.fitted(Old, X, y, sample_weight=np.ones(4)),
            "fit takes no sample_weight",
        ),
        (
            lambda: contract.learned_in_batches(Old, [(X, y)], ["a", "b"]),
            "it has no partial_fit",
        ),
        (lambda: contract.configured(Old, priors=[1.0]), "it has no parameter priors"),
        (lambda: contract.parameters_of(object(), y), "it has no theta_"),
        (lambda: contract.table_of(type("", (), {"f": None}), "f", X, y), "it has no f"),
    ],
)
def test_missing_parts_are_named(ask: Any, missing: str) -> None:
    with pytest.raises(contract.NotOffered, match=missing):
        ask()


def test_parameters_are_set_by_scikit_learns_way_or_as_attributes() -> None:
    assert contract.configured(GaussianNB, var_smoothing=0.5).var_smoothing == 0.5
    assert contract.configured(Old, prior=0.5).prior == 0.5


def test_other_classes_or_a_table_of_another_shape_break_the_contract() -> None:
    model = contract.fitted(Old, X, y)
    with pytest.raises(contract.BrokenContract, match="classes_"):
        contract.table_of(model, "predict_proba", X, np.array(["a", "c"]))

    model.predict_proba = lambda X: np.ones(len(X))

    with pytest.raises(contract.BrokenContract, match=r"shape \(4,\)"):
        contract.table_of(model, "predict_proba", X, y)


def trained(kind: type[GaussianNB] = GaussianNB, **parameters: Any) -> GaussianNB:
    return kind(**parameters).fit(PROBLEM.X, PROBLEM.y)


def test_wrong_labels_are_counted_and_the_first_is_shown() -> None:
    expected = PROBLEM.labels.copy()
    expected[[3, 8]] = 7
    finding = contract.wrong_labels(trained(), PROBLEM.X_test, expected)

    assert finding.measured == 2.0
    assert f"row 3: {PROBLEM.labels[3]} instead of 7" in finding.message
    named, text = GaussianNB().fit(PROBLEM.X, PROBLEM.y.astype(str)), expected.astype(str)
    assert "' instead of '7'" in contract.wrong_labels(named, PROBLEM.X_test, text).message


class Constant(GaussianNB):
    def predict(self, X: Any) -> Any:
        return np.zeros(len(X), dtype=int)


def test_equal_models_are_alike_and_smoothing_differs_by_more_than_rounding() -> None:
    same, smoother, other = (
        contract.alike(model, trained(), PROBLEM.X_test, PROBLEM.y)
        for model in (trained(), trained(var_smoothing=2e-9), trained(Constant))
    )

    assert (same.measured, same.holds) == (0.0, True)
    assert smoother.measured is not None
    assert smoother.measured > contract.ROUNDING
    assert smoother.message.endswith("var_")
    assert not other.holds


def test_nan_is_the_largest_difference() -> None:
    odd, other = trained(), trained(var_smoothing=1.0)
    odd.var_[0, 0] = np.nan

    measured = contract.alike(odd, other, PROBLEM.X_test, PROBLEM.y).measured

    assert measured is not None
    assert np.isnan(measured)


@pytest.mark.parametrize("value", [np.nan, -0.5, 1.5])
def test_invalid_probabilities_fail_the_check(value: float) -> None:
    class Odd(GaussianNB):
        def predict_proba(self, X: Any) -> Any:
            return np.full((len(X), 3), value)

    of = PROBLEM.X_test, PROBLEM.labels, PROBLEM.y
    finding = contract.right_and_finite(trained(Odd), *of)

    assert (finding.measured, finding.holds) == (0.0, False)


def test_labels_that_are_wrong_are_counted_beside_a_table_of_other_classes() -> None:
    """As of code that leaves out a class of one row."""
    model, last = trained(), PROBLEM.y.max()
    model.classes_ = model.classes_[:last]
    labels = np.where(PROBLEM.labels == last, 0, PROBLEM.labels)
    model.predict = lambda X: labels  # type: ignore[method-assign]  # noqa: ARG005

    finding = contract.right_and_finite(model, PROBLEM.X_test, PROBLEM.labels, PROBLEM.y)

    assert finding.measured == (PROBLEM.labels == last).sum()
    assert not finding.holds
    assert "wrong, the first in row" in finding.message
    assert "classes_ is" in finding.message


def test_only_a_refusal_is_as_good_as_an_answer() -> None:
    def asked(kind: type[Exception]) -> contract.Finding:
        return or_refused(Mock(side_effect=kind("this")))(PROBLEM, GaussianNB)

    assert asked(ValueError) == contract.Finding(0.0, message="refused with ValueError")
    for kind in (contract.BrokenContract, contract.NotOffered):
        with pytest.raises(kind):
            asked(kind)
