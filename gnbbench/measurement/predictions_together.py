"""Predictions of runs that nobody is compared in, all training sets at once."""

import warnings
from collections.abc import Sequence

import numpy as np

from gnbbench.implementations import Implementation
from gnbbench.measurement.predictions import Predictions, RunError, predictions
from gnbbench.measurement.sample import Sample
from gnbbench.splits import Split

# Of a probability, between products of many training sets and one fit at a time.
ROUNDING = 1e-9


def predictions_together(
    entry: Implementation, sample: Sample, splits: Sequence[Split]
) -> dict[int, Predictions]:
    """Return the predictions of all these runs, or of none if anything is unusual.

    One of the runs is predicted by a single fit as well: its labels must be the same, its
    probabilities but for rounding. Joint log-likelihoods are left out.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            found = _together(entry, sample, splits)
            single = _single(entry, sample, splits[0])
        except (Warning, ValueError, RunError):
            # What is unusual shows, and is recorded, when runs are predicted one by one.
            return {}
    return found if _is_same(found[0], single) else {}


def _together(
    entry: Implementation, sample: Sample, splits: Sequence[Split]
) -> dict[int, Predictions]:
    if entry.together is None:
        raise ValueError(f"{entry.name} cannot fit many training sets together")
    masks = np.zeros((len(splits), len(sample.X)), dtype=bool)
    for mask, one in zip(masks, splits, strict=True):
        mask[one.train] = True
    found: dict[int, Predictions] = {}
    for labels, probabilities in entry.together(sample.X, sample.codes, masks):
        codes = labels.astype(np.intp)
        for own, table in zip(codes, probabilities, strict=True):
            one = splits[len(found)]
            said = Predictions(own[one.train], own[one.test], table[one.test], None)
            found[len(found)] = said
    return found


def _single(entry: Implementation, sample: Sample, one: Split) -> Predictions:
    X_train, X_test = sample.X[one.train], sample.X[one.test]
    return predictions(entry, X_train, sample.y[one.train], X_test, sample.classes)


def _is_same(found: Predictions, single: Predictions) -> bool:
    """Return whether labels are the same and probabilities but for rounding."""
    if found.probabilities is None or single.probabilities is None:
        return False
    return (
        np.array_equal(found.train, single.train)
        and np.array_equal(found.test, single.test)
        and bool(np.abs(found.probabilities - single.probabilities).max() <= ROUNDING)
    )
