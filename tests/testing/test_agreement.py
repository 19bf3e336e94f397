"""One assertion: it holds for a sound model, and names what is wrong with another."""

from typing import Any

import numpy as np
import pytest
from faults import planted
from faults.planted import LabelsOnly, PlainGNB, SampleVariance, UniformPrior
from sklearn.datasets import load_iris, load_wine
from sklearn.naive_bayes import GaussianNB

from gnbbench.errors import DatasetError, ImplementationError, UnknownNameError
from gnbbench.testing import assert_agreement

IRIS = load_iris(return_X_y=True)
WINE = load_wine(return_X_y=True)
WITH_NAN = np.where(IRIS[0] > 7.0, np.nan, IRIS[0])


def complaint(model: Any, data: tuple[Any, Any] = WINE, **options: Any) -> str:
    """Return the message of the failed assertion."""
    with pytest.raises(AssertionError) as caught:
        assert_agreement(model, *data, **options)
    return str(caught.value)


def fit_predict(X_train: Any, y_train: Any, X_test: Any) -> Any:
    return PlainGNB().fit(X_train, y_train).predict(X_test)


MODULE = "sklearn.naive_bayes:GaussianNB"


@pytest.mark.parametrize(
    "model", ["numpy", MODULE, GaussianNB, GaussianNB(), PlainGNB, fit_predict]
)
def test_a_sound_model_agrees_however_it_is_given(model: Any) -> None:
    assert_agreement(model, *WINE, runs=5)


def test_a_disagreement_is_named_with_its_cause_evidence_and_samples() -> None:
    message = complaint(UniformPrior)

    first, *rest = message.splitlines()
    assert first.startswith(
        "UniformPrior does not agree with sklearn over 20 splits (test_size=0.3, seed=42): "
        "4 of 1080 labels differ, in 4 runs; largest probability difference 0.1, "
        "at most 1e-08 allowed"
    )
    assert rest[0].startswith("Diagnosis: UniformPrior differs from the reference in 4")
    assert rest[1].startswith("  prior, which explains 4: ")
    assert rest[2] == "First of 4 disagreements:"
    assert rest[3].startswith("  run 0, sample 66: UniformPrior says 0, the reference 1, ")
    assert rest[3].endswith("(prior)")
    assert len(rest) == 3 + 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "cause"),
    [(SampleVariance, "variance-divisor"), (planted.Unsmoothed, "no-smoothing")],
)
def test_probabilities_tell_a_fault_that_changes_no_label(fault: type, cause: str) -> None:
    message = complaint(fault, IRIS)

    assert "none of 900 labels differ; largest probability difference" in message
    assert f"\n  {cause}: " in message
    assert "First of" not in message


def test_a_tolerance_of_1_leaves_labels_alone() -> None:
    assert_agreement(SampleVariance, *IRIS, probability_tolerance=1)

    message = complaint(UniformPrior, probability_tolerance=1)

    assert "4 of 1080 labels differ" in message
    assert "largest probability difference" not in message.splitlines()[0]
    assert "  prior, which explains 4: " in message


@pytest.mark.slow
def test_tolerance_and_splits_are_the_callers() -> None:
    asked: dict[str, Any] = {"test_size": 0.5, "seed": 7, "stratify": False, "runs": 4}

    assert_agreement(planted.SinglePrecision, *WINE, runs=2, probability_tolerance=1e-4)
    message = complaint(UniformPrior, **asked, probability_tolerance=0.0)

    assert "at most 1e-08 allowed" in complaint(planted.SinglePrecision, runs=1)
    assert "over 4 splits (test_size=0.5, seed=7)" in message
    assert "of 356 labels" in message


@pytest.mark.slow
def test_without_probabilities_only_labels_are_compared() -> None:
    assert_agreement(LabelsOnly(SampleVariance()), *IRIS, runs=3)

    with pytest.raises(AssertionError, match="labels differ"):
        assert_agreement(LabelsOnly(UniformPrior()), *WINE)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (
            planted.RaisesInFit,
            "no answer in 2 runs (RuntimeError: no memory of this (planted.py",
        ),
        (planted.InventsLabel, "8 of 108 labels differ, in 2 runs"),
    ],
)
def test_a_missing_or_impossible_answer_is_not_agreement(fault: type, words: str) -> None:
    message = complaint(fault, runs=2)

    assert words in message
    assert "Diagnosis: " in message


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"runs": 0}, ValueError, "runs=0 should be at least 1"),
        ({"probability_tolerance": -1.0}, ValueError, "should be 0 or more"),
        ({"probability_tolerance": float("nan")}, ValueError, "should be 0 or more"),
        ({"reference": "sklaern"}, UnknownNameError, "Did you mean 'sklearn'"),
        ({"y": IRIS[1][:-1]}, ValueError, r"y of shape \(149,\)"),
        ({"y": [*IRIS[1][:-1], 9]}, DatasetError, "has one sample"),
        ({"X": WITH_NAN}, ImplementationError, r"sklearn: fails on run 0 .*NaN"),
    ],
)
def test_invalid_arguments_are_refused(
    options: dict[str, Any], error: type[Exception], words: str
) -> None:
    given = {"X": IRIS[0], "y": IRIS[1], **options}

    with pytest.raises(error, match=words):
        assert_agreement("numpy", **given)
