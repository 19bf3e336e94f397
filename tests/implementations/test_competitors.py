"""A study's implementations have names that differ, and the reference first."""

from pathlib import Path
from typing import Any

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from gnbbench.errors import OptionError
from gnbbench.implementations import implementations
from gnbbench.implementations.isolation import IsolatedModel


class Plain:
    """Says the first label it saw; without parameters to copy."""

    def fit(self, X: Any, y: Any) -> None:
        del X
        self.first = y[0]

    def predict(self, X: Any) -> list[Any]:
        return [self.first] * len(X)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Write a student's file with a function."""
    path = tmp_path / "mine.py"
    path.write_text(
        "def fit_predict(X, y, X_test):\n    return y[:1].repeat(len(X_test))\n"
    )
    return path


def test_equal_names_are_numbered() -> None:
    found = implementations("sklearn", [Plain(), Plain(), GaussianNB()])

    assert [entry.name for entry in found] == ["sklearn", "Plain", "Plain 2", "GaussianNB"]


def test_a_mapping_gives_names_and_one_competitor_need_not_be_a_list() -> None:
    found = implementations("sklearn", {"mine": Plain(), "theirs": LogisticRegression()})

    assert [entry.name for entry in found] == ["sklearn", "mine", "theirs"]
    assert len(implementations("sklearn", "numpy")) == 2
    assert len(implementations("sklearn", Plain())) == 2


def test_names_given_twice_are_refused() -> None:
    with pytest.raises(OptionError, match="'numpy' is named twice"):
        implementations("sklearn", ["numpy", "numpy"])
    with pytest.raises(OptionError, match="nothing to compare"):
        implementations("sklearn", [])


def test_what_was_typed_and_what_was_read_outlive_a_name(file: Path) -> None:
    _, renamed = implementations("sklearn", {"first try": str(file)})

    assert renamed.name == "first try"
    assert renamed.specification == str(file)
    assert renamed.digest
    assert renamed.foreign


@pytest.mark.slow
def test_code_of_others_alone_is_isolated_under_a_time_limit(file: Path) -> None:
    reference, known, foreign = implementations(
        "sklearn", ["numpy?var_smoothing=0.1", str(file)], timeout_seconds=30.0
    )

    assert isinstance(reference.make(), GaussianNB)
    assert known.make().var_smoothing == 0.1
    assert isinstance(foreign.make(), IsolatedModel)
