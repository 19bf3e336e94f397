"""The family scores as the textbook implementation does, knob by knob."""

from typing import Any

import numpy as np
import pytest

from gnbbench.diagnosis.family import Batch, TrainedRun, contributions, scores
from gnbbench.diagnosis.variants import Amount, Variant
from gnbbench.implementations.textbook import TextbookGaussianNB

SAME: dict[str, tuple[Variant, dict[str, Any]]] = {
    "default": (Variant(), {"relative_smoothing": 1e-9}),
    "none": (Variant(smoothing=None), {}),
    "absolute": (Variant(smoothing=Amount("absolute", 0.1)), {"absolute_smoothing": 0.1}),
    "divisor": (Variant(smoothing=None, divisor="n-1"), {"divisor": "n-1"}),
    "uniform": (Variant(smoothing=None, prior="uniform"), {"priors": "uniform"}),
    "floor": (Variant(smoothing=None, floor=Amount("add", 1e-3)), {"log_floor": 1e-3}),
    "formula": (Variant(smoothing=None, formula="mean"), {"variance": "one-pass"}),
    "single": (Variant(smoothing=None, dtype="float32"), {"dtype": "float32"}),
}


def run_of(blobs: tuple[np.ndarray, np.ndarray]) -> Batch:
    X, y = blobs
    return Batch.of([TrainedRun(X, y, X, 2, np.arange(len(X)))])


@pytest.mark.parametrize("name", SAME)
def test_scores_are_those_of_the_textbook(
    name: str, two_blobs: tuple[np.ndarray, np.ndarray]
) -> None:
    variant, knobs = SAME[name]
    expected = TextbookGaussianNB(**knobs).fit(*two_blobs)

    found = scores(variant, run_of(two_blobs))

    joint = expected.predict_joint_log_proba(two_blobs[0])
    assert (np.abs(found.joint - joint) <= found.rounding).all()


def test_another_knob_is_told_from_rounding(
    two_blobs: tuple[np.ndarray, np.ndarray],
) -> None:
    plain = scores(Variant(), run_of(two_blobs))

    other = scores(Variant(smoothing=None), run_of(two_blobs))

    assert (np.abs(plain.joint - other.joint) > plain.rounding).any()


@pytest.mark.parametrize("variant", [Variant(), Variant(floor=Amount("add", 1e-3))])
def test_contributions_add_up_to_the_log_odds_without_priors(
    variant: Variant, two_blobs: tuple[np.ndarray, np.ndarray]
) -> None:
    run = run_of(two_blobs)

    parts = contributions(variant, run, 3, 0, 1)

    joint = scores(variant, run).joint[3]
    assert parts.shape == (2,)
    assert parts.sum() == pytest.approx(joint[0] - joint[1])
