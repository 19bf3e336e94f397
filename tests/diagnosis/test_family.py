"""The family scores as the textbook implementation does; made data show each knob."""

from copy import copy
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from gnbbench.diagnosis.family import contributions, densities, density, log_prior
from gnbbench.diagnosis.moments import Batch, TrainedRun
from gnbbench.diagnosis.moves import (
    QUESTIONS,
    hard_datasets,
    moved_labels,
    not_shown,
    simplest,
    with_knob,
)
from gnbbench.diagnosis.reproduction import scores, scores_of
from gnbbench.diagnosis.variants import (
    DEFAULT,
    FORMS,
    POOLINGS,
    SMOOTHING_RULES,
    SPACES,
    Amount,
    Variant,
)
from gnbbench.implementations.textbook import TextbookGaussianNB
from gnbbench.splits import split

FEWEST = 5

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
def test_scores_equal_those_of_the_textbook(
    name: str, two_blobs: tuple[np.ndarray, np.ndarray]
) -> None:
    variant, knobs = SAME[name]
    expected = TextbookGaussianNB(**knobs).fit(*two_blobs)

    values = scores(variant, run_of(two_blobs))

    joint = expected.predict_joint_log_proba(two_blobs[0])
    assert (np.abs(values.joint - joint) <= values.rounding).all()


def test_a_prior_that_was_computed_is_kept_for_its_own_variant_alone() -> None:
    X, y = np.arange(8.0).reshape(4, 2), np.array([0, 1, 1, 1])
    batch = run_of((X, y))
    flat, swapped = Variant(form="nearest mean"), Variant(prior="reordered")

    priors = [
        np.exp(log_prior(variant, batch.moments()))[0].tolist()
        for variant in (Variant(), flat, swapped, replace(swapped, prior_order=(1, 0)))
    ]

    assert priors == [
        pytest.approx(p) for p in ([0.25, 0.75], [0.5] * 2, [0.25, 0.75], [0.75, 0.25])
    ]


def test_another_knob_is_distinguished_from_rounding(
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


def batch_of(X: np.ndarray, y: np.ndarray) -> Batch:
    """The first run of a study with its usual options."""
    one = split(y, 0, seed=42)
    train, test = one.train, one.test
    return Batch.of([TrainedRun(X[train], y[train], X[test], int(y.max()) + 1, test)])


@cache
def batches() -> list[Batch]:
    return [batch_of(X, y) for X, y in hard_datasets().values()]


@pytest.mark.parametrize("question", QUESTIONS)
def test_each_knob_moves_labels_on_some_made_data(question: str) -> None:
    assert max(moved_labels(DEFAULT, batch, question) for batch in batches()) >= FEWEST


def test_causes_that_iris_cannot_show_are_listed() -> None:
    X, y = load_iris(return_X_y=True)

    hidden = not_shown(DEFAULT, batch_of(X, y))

    assert "dividing by n − 1" in hidden
    assert "no smoothing" in hidden


@pytest.mark.parametrize(
    "fields",
    [
        {"form": "first exponent"},
        {"form": "last exponent"},
        {"form": "previous exponent"},
        {"form": "next exponent"},
        {"form": "normaliser of the first feature"},
        {"form": "normaliser of the last feature"},
        {"pooling": "first feature"},
        {"pooling": "last feature"},
        {"prior": "each feature and once"},
    ],
)
def test_one_class_or_feature_may_stand_for_all(
    fields: dict[str, str], two_blobs: tuple[np.ndarray, np.ndarray]
) -> None:
    batch, (name,) = run_of(two_blobs), fields.values()
    (theta,), (var,), (counts,) = (
        getattr(batch.moments(), part) for part in ("theta", "var", "counts")
    )
    place = 0 if "first" in name else -1
    mean, normaliser, exponent = theta, var.copy(), var.copy()
    if name in ("previous exponent", "next exponent"):
        exponent = np.roll(var, 1 if name == "previous exponent" else -1, axis=0)
    elif "exponent" in name:
        exponent[:] = var[place]
    elif "normaliser of" in name:
        normaliser[:, np.arange(2) != place % 2] = 0.5 / np.pi
    elif "pooling" in fields:
        one = [place, place]
        mean, normaliser, exponent = theta[:, one], var[:, one], var[:, one]

    found = scores(Variant(smoothing=None, **fields), batch).joint  # type: ignore[arg-type]

    squared = (batch.samples[:, np.newaxis] - mean) ** 2 / exponent
    expected = -0.5 * (squared + np.log(2.0 * np.pi * normaliser)).sum(axis=2)
    n_times = 3 if "prior" in fields else 1
    np.testing.assert_allclose(found, expected + n_times * np.log(counts / counts.sum()))


def test_scores_of_several_settings_are_those_of_each_alone(
    two_blobs: tuple[np.ndarray, np.ndarray],
) -> None:
    options = [
        *(Variant(pooling=pooling) for pooling in POOLINGS),
        *(Variant(form=form) for form in FORMS),
        *(Variant(space=space) for space in SPACES),
    ]

    together = scores_of(options, run_of(two_blobs)).joint

    for found, variant in zip(together, options, strict=True):
        alone = scores(variant, run_of(two_blobs)).joint
        np.testing.assert_allclose(found, alone, 1e-12, err_msg=str(variant))


@pytest.mark.parametrize("form", ["normal", "first exponent", "next exponent"])
def test_densities_of_several_amounts_are_those_of_each_alone(
    form: str, two_blobs: tuple[np.ndarray, np.ndarray]
) -> None:
    moments = run_of(two_blobs).moments()
    options = [
        Variant(form=form, smoothing=Amount(rule, amount))
        for amount in (1e-3, 0.5)
        for rule in SMOOTHING_RULES
        if rule != "match"
    ]

    together = zip(*densities([*options, Variant(smoothing=None)], moments), strict=True)

    for both, variant in zip(together, [*options, Variant(smoothing=None)], strict=True):
        for own, alone in zip(both, density(variant, moments), strict=True):
            np.testing.assert_allclose(own, alone, 1e-12, err_msg=str(variant))


def test_a_changed_or_copied_variant_has_the_hash_of_its_fields() -> None:
    hash(DEFAULT)

    changed, copied = DEFAULT.changed(space="whole"), copy(DEFAULT)

    assert hash(changed) == hash(Variant(space="whole")) != hash(DEFAULT)
    assert "_hash" not in vars(copied)


class OneErrorLessAt:
    """A search in which amounts near a power of ten do well, and only that one is best."""

    def __init__(self, best: float) -> None:
        self.best = best

    def fit(self, variant: Variant) -> Any:
        amount = variant.smoothing.amount if variant.smoothing else 0.0
        errors = 0 if amount == self.best else 1 if 0.93 < amount / self.best < 0.995 else 9
        return SimpleNamespace(errors=errors, is_worse_than=lambda one: errors > one.errors)


def test_a_power_of_ten_just_outside_of_what_does_as_well_is_tried() -> None:
    search: Any = OneErrorLessAt(1e-3)
    start = Variant(smoothing=Amount("absolute", 9.4e-4))

    found, (low, high) = simplest(search, start, "smoothing")

    assert found.smoothing == Amount("absolute", 1e-3)
    assert low == 9.5e-4 < high == 1e-3


def test_a_density_without_normaliser_needs_no_smoothing_there() -> None:
    form = "no normaliser, variance for deviation"
    void = Variant(smoothing=Amount("normaliser", 100.0))

    assert with_knob(Variant(form=form), "smoothing", void).smoothing is None
    assert with_knob(Variant(), "smoothing", void).smoothing == void.smoothing
