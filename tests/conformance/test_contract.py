"""Models are asked for what they offer, and no more."""

from typing import Any

import numpy as np
import pytest

from gnbbench.conformance.contract import (
    BrokenContract,
    NotOffered,
    configured,
    fitted,
    has_argument,
    labels_of,
    learned_in_batches,
    parameters_of,
    probabilities_of,
)
from gnbbench.core import GaussianNB

X = np.array([[0.0], [1.0], [5.0], [6.0]])
y = np.array(["b", "b", "a", "a"])


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


def test_tables_come_in_sorted_order_of_the_classes() -> None:
    model = fitted(Old, X, y)

    assert parameters_of(model, y).theta.ravel().tolist() == [5.5, 0.5]
    assert parameters_of(model, y).var.ravel().tolist() == [4.0, 0.25]
    assert probabilities_of(model, X[:1], y).tolist() == [[0.25, 0.75]]


def test_lists_count_as_labels() -> None:
    assert labels_of(fitted(Old, X, y), X).tolist() == ["b"] * 4


@pytest.mark.parametrize(
    ("ask", "missing"),
    [
        (lambda: fitted(Old, X, y, sample_weight=np.ones(4)), "fit takes no sample_weight"),
        (lambda: learned_in_batches(Old, [(X, y)], ["a", "b"]), "it has no partial_fit"),
        (lambda: configured(Old, priors=[1.0]), "it has no parameter priors"),
        (lambda: parameters_of(object(), y), "it has no theta_"),
    ],
)
def test_what_is_missing_is_named(ask: Any, missing: str) -> None:
    with pytest.raises(NotOffered, match=missing):
        ask()


def test_parameters_are_set_by_scikit_learns_way_or_as_attributes() -> None:
    assert configured(GaussianNB, var_smoothing=0.5).var_smoothing == 0.5
    assert configured(Old, prior=0.5).prior == 0.5


def test_an_argument_is_known_by_its_name_alone() -> None:
    assert has_argument(GaussianNB(), "fit", "sample_weight")
    assert not has_argument(Old(), "fit", "sample_weight")


def test_other_classes_than_those_trained_on_break_the_contract() -> None:
    with pytest.raises(BrokenContract, match="classes_"):
        probabilities_of(fitted(Old, X, y), X, np.array(["a", "c"]))


def test_a_table_of_another_shape_breaks_the_contract() -> None:
    model = fitted(Old, X, y)
    model.predict_proba = lambda X: np.ones(len(X))

    with pytest.raises(BrokenContract, match=r"shape \(4,\)"):
        probabilities_of(model, X, y)
