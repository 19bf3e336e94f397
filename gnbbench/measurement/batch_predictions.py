"""What one implementation predicts in every run of a batch, and where it failed."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.implementations import Implementation
from gnbbench.measurement.predictions import Predictions, RunError, predictions
from gnbbench.measurement.split_rules import Sample
from gnbbench.splits import Split


@dataclass(frozen=True)
class Answers:
    """What one implementation said, keyed by the place of the run in its batch."""

    name: str  # Of the implementation
    said: dict[int, Predictions] = field(default_factory=dict)
    failed: dict[int, RunError] = field(default_factory=dict)  # Of the runs that failed
    # Messages of the runs with a warning
    warned: dict[int, str] = field(default_factory=dict)

    def places(self, *needed: str) -> list[int]:
        """Return where it gave labels and whatever is named, in order."""
        return [
            place
            for place, one in sorted(self.said.items())
            if all(getattr(one, name) is not None for name in needed)
        ]

    def stacked(self, what: str, places: Sequence[int]) -> NDArray[Any]:
        """Return one array over these runs, the runs along its first axis."""
        return np.stack([getattr(self.said[place], what) for place in places])


def answers(
    sample: Sample, splits: Sequence[Split], entry: Implementation, *, alone: bool = False
) -> Answers:
    """Return what fresh models of an implementation say of these runs."""
    found = Answers(entry.name)
    if alone and entry.together is not None:
        found.said.update(predictions_together(entry, sample, splits))
    elif entry.posterior is not None:
        found.said.update(scored_predictions(entry, sample, splits))
    for place, one in enumerate(splits):
        if place not in found.said:
            _ask(found, place, entry, sample, one)
    return found


def _ask(
    found: Answers, place: int, entry: Implementation, sample: Sample, one: Split
) -> None:
    """Add what the implementation says of one run, or why it says nothing."""
    X_train, X_test = sample.X[one.train], sample.X[one.test]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found.said[place] = predictions(
                entry, X_train, sample.y[one.train], X_test, sample.classes
            )
        except RunError as error:
            found.failed[place] = error
    if caught:
        texts = dict.fromkeys(str(warning.message) for warning in caught)
        found.warned[place] = "warned: " + "; ".join(texts)


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
