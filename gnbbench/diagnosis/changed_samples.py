"""Answers of an implementation on samples that were rounded or shifted."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import CodeArray, FloatArray
from gnbbench.diagnosis.acceptance import NEGLIGIBLE, Identified, shown_otherwise
from gnbbench.diagnosis.moves import VISIBLE_CANCELLATION
from gnbbench.diagnosis.observations import Observation, observe, softmax
from gnbbench.diagnosis.reproduction import PROBABILITY_TOLERANCE, Search
from gnbbench.diagnosis.variants import DEFAULT, is_noisy
from gnbbench.implementations import Implementation
from gnbbench.words import plural

# Rounding the samples must change more labels of the reference to be conclusive.
MOST_BY_CHANCE = 2
# Splits on which labels of rounded or shifted samples are predicted.
ASKED_AGAIN = 5
# Offset in deviations at which single precision changes more than this share of labels.
SMALL_OFFSET, SINGLE_SHARE = 3e6, 0.003
# Samples, their labels, the splits, all classes.
TrialData = tuple[FloatArray, NDArray[Any], Sequence[tuple[CodeArray, CodeArray]], Any]


def _decimal(X: FloatArray, digits: int) -> FloatArray:
    """Round numbers to this many decimals."""
    return np.asarray(np.round(X, digits))


def _significant(X: FloatArray, digits: int) -> FloatArray:
    """Round numbers to this many significant digits."""
    places = digits - 1 - np.floor(np.log10(np.abs(np.where(X == 0.0, 1.0, X))))
    # Negative powers of ten are not exact in double precision.
    more, less = 10.0 ** np.maximum(places, 0.0), 10.0 ** np.maximum(-places, 0.0)
    return np.asarray(np.round(X * more / less) / more * less)


# How samples may be rounded -> the function that does it.
ROUNDINGS: dict[str, Callable[[FloatArray], FloatArray]] = {
    **{plural(n, "decimal"): partial(_decimal, digits=n) for n in range(7)},
    **{f"{n} significant digits": partial(_significant, digits=n) for n in range(2, 7)},
}


def is_single(
    sides: tuple[Implementation, Implementation],
    trial_data: TrialData,
    before: tuple[list[Observation], list[Observation]],
) -> bool:
    """Return whether rounding the samples to single precision changes none of its labels.

    That is conclusive only if labels of the reference change; the code predicts on the
    splits where most of them do.
    """
    (reference, entry), (X, y, splits, classes) = sides, trial_data
    with np.errstate(over="ignore"):
        rounded = X.astype(np.float32).astype(np.float64)
    if not np.isfinite(rounded).all():
        return False
    expected = observe(reference, rounded, y, splits, classes, again=False)
    n_moved, places = _moved_most(before[0], expected)
    if n_moved <= MOST_BY_CHANCE:
        return False
    chosen = [splits[place] for place in places]
    answers = observe(entry, rounded, y, chosen, classes, again=False)
    return not _moved_most([before[1][place] for place in places], answers)[0]


def roundings(
    sides: tuple[Implementation, Implementation],
    trial_data: TrialData,
    before: tuple[list[Observation], list[Observation]],
) -> list[str] | None:
    """Return how samples may be rounded so that the reference gives all the code's answers.

    None if it gives them anyway.
    """
    (reference, _), (X, y, splits, classes) = sides, trial_data
    if all(map(partial(_agree, most=NEGLIGIBLE), *before)):
        return None
    alike = []
    for how, rounded in ROUNDINGS.items():
        asked = partial(observe, reference, rounded(X), y, classes=classes, again=False)
        refuted = not _agree(asked(splits[:1])[0], before[1][0])
        if not refuted and all(map(_agree, asked(splits), before[1])):
            alike.append(how)
    return alike


def _agree(
    first: Observation, second: Observation, most: float = PROBABILITY_TOLERANCE
) -> bool:
    """Return whether labels are the same, and probabilities if both have them."""
    if not np.array_equal(first.labels, second.labels):
        return False
    if first.log_posterior is None or second.log_posterior is None:
        return True
    one, other = softmax(first.log_posterior), softmax(second.log_posterior)
    return np.allclose(one, other, rtol=0.0, atol=most, equal_nan=True)


def lost_digits(
    sides: tuple[Implementation, Implementation],
    trial_data: TrialData,
    before: tuple[list[Observation], list[Observation]],
) -> dict[str, Any]:
    """Return how digits are lost if labels match the reference's on centred features.

    They must differ before, with features so far from zero that digits may cancel. Both
    sides predict on the splits where most labels differ, then at an offset where squares
    in double precision keep their digits, but numbers in single precision do not.
    """
    X, y, splits, classes = trial_data
    mean = X.mean(axis=0)
    with np.errstate(all="ignore"):
        lost = np.nanmax(np.square(mean) / X.var(axis=0)) * np.finfo(np.float64).eps
    n_moved, places = _moved_most(*before)
    if not VISIBLE_CANCELLATION < lost < np.inf or not n_moved:
        return {}
    asked = [splits[place] for place in places]
    after = (observe(side, X - mean, y, asked, classes, again=False) for side in sides)
    if _moved_most(*after)[0]:
        return {}
    asked, shifted = [(train, np.arange(len(X))) for train, _ in asked], X - mean
    shifted += SMALL_OFFSET * X.std(axis=0)
    after = (observe(side, shifted, y, asked, classes, again=False) for side in sides)
    n_moved = _moved_most(*after)[0]
    is_coarse = n_moved > SINGLE_SHARE * len(asked) * len(X)
    return {"dtype": "float32"} if is_coarse else {"formula": "raw"}


def _moved_most(
    first: list[Observation], second: list[Observation]
) -> tuple[int, CodeArray]:
    """Return how many labels differ on the splits where most do, and these splits."""
    pairs = zip(first, second, strict=True)
    counts = np.array(
        [int((before.labels != after.labels).sum()) for before, after in pairs]
    )
    places = np.argsort(-counts, kind="stable")[:ASKED_AGAIN]
    return int(counts[places].sum()), places


def _first_rows(percent: int, X: FloatArray, _y: NDArray[Any]) -> CodeArray:
    return np.arange(int(percent / 100 * len(X)))


def _balanced(_X: FloatArray, y: NDArray[Any]) -> CodeArray:
    labels, counts = np.unique(y, return_counts=True)
    first = [np.flatnonzero(y == label)[: counts.min()] for label in labels]
    return np.sort(np.concatenate(first))


# Training rows that code may learn from, in words -> their places among all of them.
ROWS_USED: dict[str, Callable[[FloatArray, NDArray[Any]], CodeArray]] = {
    "all rows but the first": lambda X, _y: np.arange(1, len(X)),
    "all rows but the last": lambda X, _y: np.arange(len(X) - 1),
    **{
        f"the first {percent} % of the rows": partial(_first_rows, percent)
        for percent in (90, 80, 75, 70, 50)
    },
    "as many rows of each class as the smallest has": _balanced,
    "one of several equal rows": lambda X, _y: np.sort(
        np.unique(X, axis=0, return_index=True)[1]
    ),
}
# Fewest differing labels that can show which rows are used, unless other data do.
FEWEST_DIFFERING = 3


def rows_used(
    sides: tuple[Implementation, Implementation],
    trial_data: TrialData,
    before: tuple[list[Observation], list[Observation]],
    known: Sequence[str],
) -> str:
    """Return the rows, in words, from which alone the reference learns the code's labels.

    `known` are those that other data have shown. Empty if there are no such rows.
    """
    (reference, _), (X, y, splits, classes) = sides, trial_data
    pairs = list(zip(*before, strict=True))
    n_differing = sum(int((a.labels != b.labels).sum()) for a, b in pairs)
    for words, places in ROWS_USED.items():
        if n_differing < FEWEST_DIFFERING and words not in known:
            continue
        used = [(train[places(X[train], y[train])], test) for train, test in splits]
        for few in (1, len(splits)):
            answers = observe(reference, X, y, used[:few], classes, again=False)
            alike = zip(answers, before[1][:few], strict=True)
            if not all(np.array_equal(a.labels, b.labels) for a, b in alike):
                break
        else:
            return words
    return ""


def asked_otherwise(
    result: Identified,
    whole: Search,
    sides: tuple[Any, Any, Any],
    rows: Sequence[str],
    *,
    is_rounded: bool,
) -> Identified:
    """Return what changed samples, or fewer training rows, show if no variant fits."""
    is_stranger = result.outcome == "stranger"
    is_odd = is_stranger or is_noisy(result.variant)
    lost: dict[str, Any] = {}
    if is_odd and not is_rounded and is_single(*sides):
        lost = {"dtype": "float32"}
    elif is_stranger:
        lost = lost_digits(*sides)
    if lost:
        return shown_otherwise(replace(whole.base, **lost), whole.base, whole.seen)
    if result.outcome == "reproduced" or whole.base != DEFAULT:
        return result
    used = rows_used(*sides, rows)
    return replace(result, rows_used=used, is_constant=False) if used else result
