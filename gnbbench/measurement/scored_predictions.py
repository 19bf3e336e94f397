"""Predictions of a batch of runs from one look of each model at its samples.

Labels and probabilities of a naive Bayes follow from its joint log-likelihoods. Where an
implementation says how (`Implementation.posterior`), each model scores both sides of its
run in one call, and all runs are turned into labels and probabilities together. Nothing
is taken on trust: one run of every batch is predicted in full as well and must give the
same bits, and a run with anything unusual is left to be predicted in full.
"""

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gnbbench.implementations import Implementation
from gnbbench.measurement.predictions import Predictions, RunError, predictions
from gnbbench.measurement.sample import Sample
from gnbbench.splits import Split

FloatArray = NDArray[np.float64]


def scored_predictions(
    entry: Implementation, sample: Sample, splits: Sequence[Split]
) -> dict[int, Predictions]:
    """Return the predictions of all runs but those with anything unusual.

    Unusual are an exception, a warning, a class without training samples and a score that
    is not finite.
    """
    scores = {}
    for place, one in enumerate(splits):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                given = _scores(entry, sample, one)
            except Exception:  # noqa: BLE001, S112  predicted in full next, which records it
                continue
        if given is not None:
            scores[place] = given
    found = _predictions(entry, splits, scores)
    if found and not _is_confirmed(entry, sample, splits, found):
        return {}
    return found


def _scores(entry: Implementation, sample: Sample, one: Split) -> FloatArray | None:
    """Return the scores of the train side, then of the test side; None if unusual."""
    rows = sample.X[np.concatenate((one.train, one.test))]
    model = entry.make()
    model.fit(rows[: len(one.train)], sample.y[one.train])
    if not np.array_equal(model.classes_, sample.classes):
        return None
    scores: FloatArray = model.predict_joint_log_proba(rows)
    return scores if np.isfinite(scores).all() else None


def _predictions(
    entry: Implementation, splits: Sequence[Split], scores: dict[int, FloatArray]
) -> dict[int, Predictions]:
    if not scores or entry.posterior is None:
        return {}
    n_train = len(splits[0].train)
    stacked = np.stack(list(scores.values()))
    labels = stacked.argmax(axis=2)
    joint = stacked[:, n_train:]
    n_runs, n_test, n_classes = joint.shape
    flat = np.ascontiguousarray(joint).reshape(-1, n_classes)
    probabilities = entry.posterior(flat).reshape(n_runs, n_test, n_classes)
    return {
        place: Predictions(*values)
        for place, *values in zip(
            scores,
            labels[:, :n_train],
            labels[:, n_train:],
            probabilities,
            joint,
            strict=True,
        )
    }


def _is_confirmed(
    entry: Implementation,
    sample: Sample,
    splits: Sequence[Split],
    found: dict[int, Predictions],
) -> bool:
    """Return whether the first of these runs, predicted in full, gives the same bits."""
    place = next(iter(found))
    one = splits[place]
    X_train, X_test = sample.X[one.train], sample.X[one.test]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            full = predictions(entry, X_train, sample.y[one.train], X_test, sample.classes)
        except RunError:
            return False
    return all(
        np.array_equal(getattr(full, name), getattr(found[place], name))
        for name in ("train", "test", "probabilities", "joint_log_likelihood")
    )
