"""Names and objects become implementations with distinct names."""

from typing import Any

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from gnbbench.errors import OptionError, UnknownNameError
from gnbbench.implementations import implementation, implementations


class Plain:
    """Says the first label it saw; without parameters to copy."""

    def fit(self, X: Any, y: Any) -> None:
        del X
        self.first = y[0]

    def predict(self, X: Any) -> list[Any]:
        return [self.first] * len(X)


def test_names_of_the_catalogue_make_fresh_estimators() -> None:
    entry = implementation("sklearn")

    assert isinstance(entry.make(), GaussianNB)
    assert entry.make() is not entry.make()


def test_an_object_is_copied_unfitted_with_its_parameters() -> None:
    given = GaussianNB(var_smoothing=0.5).fit([[0.0], [1.0]], [0, 1])

    made = implementation(given).make()

    assert made.var_smoothing == 0.5
    assert not hasattr(made, "theta_")


def test_an_object_without_parameters_is_copied_whole() -> None:
    given = Plain()

    made = implementation(given).make()

    assert isinstance(made, Plain)
    assert made is not given


def test_a_class_is_called_for_every_model() -> None:
    assert isinstance(implementation(Plain).make(), Plain)


def test_equal_names_are_numbered() -> None:
    found = implementations("sklearn", [Plain(), Plain(), GaussianNB()])

    assert [entry.name for entry in found] == ["sklearn", "Plain", "Plain 2", "GaussianNB"]


def test_a_mapping_gives_names() -> None:
    found = implementations("sklearn", {"mine": Plain(), "theirs": LogisticRegression()})

    assert [entry.name for entry in found] == ["sklearn", "mine", "theirs"]


def test_one_competitor_need_not_be_a_list() -> None:
    assert len(implementations("sklearn", "numpy")) == 2
    assert len(implementations("sklearn", Plain())) == 2


@pytest.mark.parametrize("given", [3, object(), "".join])
def test_what_cannot_fit_and_predict_is_refused(given: Any) -> None:
    with pytest.raises(OptionError, match="has no fit and no predict"):
        implementation(given)


def test_unknown_names_get_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'sklearn'"):
        implementation("sklern")


def test_names_given_twice_are_refused() -> None:
    with pytest.raises(OptionError, match="'numpy' is named twice"):
        implementations("sklearn", ["numpy", "numpy"])
    with pytest.raises(OptionError, match="nothing to compare"):
        implementations("sklearn", [])
