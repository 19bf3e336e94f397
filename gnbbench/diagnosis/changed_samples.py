"""Answers of an implementation on samples that were rounded, shifted or made."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import CodeArray, FloatArray
from gnbbench.diagnosis import findings
from gnbbench.diagnosis.acceptance import (
    NEGLIGIBLE,
    PROVEN_SHARE,
    Identified,
    shown_otherwise,
)
from gnbbench.diagnosis.moments import ROUNDINGS, Batch, TrainedRun
from gnbbench.diagnosis.moves import VISIBLE_CANCELLATION
from gnbbench.diagnosis.observations import UNSEEN, Compared, Observation, foreign, observe
from gnbbench.diagnosis.other_models import Model, counting_models, other_models
from gnbbench.diagnosis.reproduction import (
    PROBABILITY_TOLERANCE,
    Search,
    labels_under,
    scores,
)
from gnbbench.diagnosis.tables import softmax
from gnbbench.diagnosis.variants import DEFAULT, TIES, Variant, is_noisy
from gnbbench.implementations import Implementation
from gnbbench.words import amount

# Rounding the samples must change more labels of the reference to be conclusive.
MOST_BY_CHANCE = 2
ASKED_AGAIN = 5  # Splits on which labels of rounded or shifted samples are predicted
# Offset in deviations at which single precision changes more than this share of labels.
SMALL_OFFSET, SINGLE_SHARE = 3e6, 0.003
# Share of the differing labels that rounding to single precision may leave.
LEFT_SHARE = 0.1
# Offsets at which numbers are finite and infinite in half precision, and the deviation.
HALF_OFFSETS, HALF_DEVIATION, HALF_ROWS = (63_500.0, 67_500.0), 200.0, 30
# Factor of features that are shuffled, to be seen by all that look at them.
SHUFFLED_SCALE = 1e4
SMOOTHINGS = (DEFAULT.smoothing, None)
# A cause and its words; both empty for none.
Shown = tuple[str, str]


# Where samples are rounded -> whether samples to learn from are, and those to label.
SIDES = {"": (1, 1), ", in fit alone": (1, 0), ", in predict alone": (0, 1)}


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


def _moved_most(
    first: Sequence[Observation], second: Sequence[Observation]
) -> tuple[int, CodeArray]:
    """Return how many labels differ on the splits where most do, and these splits."""
    pairs = zip(first, second, strict=True)
    counts = np.array([int((a.labels != b.labels).sum()) for a, b in pairs])
    places = np.argsort(-counts, kind="stable")[:ASKED_AGAIN]
    return int(counts[places].sum()), places


def _by_class(y: NDArray[Any]) -> list[CodeArray]:
    return [np.flatnonzero(y == label) for label in np.unique(y)]


def _first_rows(percent: int, X: FloatArray, _y: NDArray[Any]) -> CodeArray:
    return np.arange(int(percent / 100 * len(X)))


def _every_second(at: int, X: FloatArray, _y: NDArray[Any]) -> CodeArray:
    return np.arange(at, len(X), 2)


def _balanced(_X: FloatArray, y: NDArray[Any]) -> CodeArray:
    groups = _by_class(y)
    least = min(map(len, groups))
    return np.sort(np.concatenate([rows[:least] for rows in groups]))


def _all_but(at: int, groups: Any, _X: FloatArray, y: NDArray[Any]) -> CodeArray:
    """Return all places but the first or last, of all rows or of those of each class."""
    return np.delete(np.arange(len(y)), [rows[at] for rows in groups(y)])


# Training rows that code may leave out, in words -> the places of the others.
LEFT_OUT = {
    f"the {word}{of}": partial(_all_but, at, groups)
    for of, groups in (("", lambda y: [np.arange(len(y))]), (" of each class", _by_class))
    for word, at in (("first", 0), ("last", -1))
}
# Training rows that code may learn from, in words -> their places among all of them.
ROWS_USED: dict[str, Callable[[FloatArray, NDArray[Any]], CodeArray]] = {
    **{f"all rows but {words}": others for words, others in LEFT_OUT.items()},
    **{
        f"the first {percent} % of the rows": partial(_first_rows, percent)
        for percent in (90, 80, 75, 70, 50)
    },
    "rows 1, 3, 5, …": partial(_every_second, 0),
    "rows 2, 4, 6, …": partial(_every_second, 1),
    "as many rows of each class as the smallest has": _balanced,
    "one of several equal rows": lambda X, _y: np.sort(
        np.unique(X, axis=0, return_index=True)[1]
    ),
}
# Fewest differing labels that can show which rows are used, unless other data do.
FEWEST_DIFFERING = 3


# Answers of a reference on a split of rounded samples: it is asked once for all.
_once_rounded: dict[tuple[Any, int, str, str], Observation] = {}
MOST_REMEMBERED = 1000


@dataclass(frozen=True, eq=False)
class Question:
    """An implementation and the reference on one dataset, to be asked in other ways."""

    reference: Implementation
    entry: Implementation
    X: FloatArray  # (n, n_features)
    y: NDArray[Any]
    splits: Sequence[tuple[CodeArray, CodeArray]]
    classes: NDArray[Any]
    expected: Sequence[Observation]  # The reference's answers on the splits
    answers: Sequence[Observation]  # The implementation's

    def of(self, side: Implementation, X: FloatArray, splits: Any) -> list[Observation]:
        """Return the answers of a side on other samples with the same labels."""
        return observe(side, X, self.y, splits, self.classes, again=False)

    def n_moved(self, X: FloatArray, splits: Any) -> int:
        """Return how many labels differ between the sides, where most do."""
        sides = (self.of(side, X, splits) for side in (self.reference, self.entry))
        return _moved_most(*sides)[0]

    def is_single(self) -> bool:
        """Return whether rounding the samples to single precision changes no label of it.

        That is conclusive only if labels of the reference change, and not all rows have
        one; the code predicts on the splits where most of them do. Or whether the reference
        gives nearly all its labels if samples to learn from, or to label, are rounded.
        """
        with np.errstate(over="ignore"):
            rounded = self.X.astype(np.float32).astype(np.float64)
        if not np.isfinite(rounded).all():
            return False
        answers = self.of(self.reference, rounded, self.splits)
        n_moved, places = _moved_most(self.expected, answers)
        if n_moved <= MOST_BY_CHANCE:
            return False
        chosen, own = zip(*((self.splits[n], self.answers[n]) for n in places), strict=True)
        answers = self.of(self.entry, rounded, chosen)
        is_varied = np.ptp(np.concatenate([seen.labels for seen in own])) > 0
        if is_varied and not _moved_most([*own], answers)[0]:
            return True
        most = LEFT_SHARE * _moved_most(self.expected, self.answers)[0]
        others = (self._on_rounded(rounded, side, self.splits) for side in SIDES)
        return any(_moved_most(self.answers, [*other])[0] <= most for other in others)

    def _on_rounded(
        self, rounded: FloatArray, side: str, splits: Sequence[tuple[CodeArray, CodeArray]]
    ) -> list[Observation]:
        """Return the reference's answers where samples of a side are rounded."""
        learned, to_label = (len(self.X) * is_rounded for is_rounded in SIDES[side])
        asked = [(n + learned, m + to_label) for n, m in splits]
        X, y = np.concatenate([self.X, rounded]), np.tile(self.y, 2)
        return observe(self.reference, X, y, asked, self.classes, again=False)

    def is_half(self) -> bool:
        """Return whether all rows get one label only where half precision is infinite."""
        X, (train, test) = self.X, self.splits[0]
        few = [(train, test[:HALF_ROWS])]
        with np.errstate(all="ignore"):
            scaled = HALF_DEVIATION * (X - X.mean(axis=0)) / X.std(axis=0)
        scaled = scaled.clip(-8.0 * HALF_DEVIATION, 8.0 * HALF_DEVIATION)

        def n_labels(side: Implementation, offset: float) -> int:
            return len({*self.of(side, scaled + offset, few)[0].labels.tolist()})

        finite, infinite = HALF_OFFSETS
        if n_labels(self.entry, infinite) != 1 or n_labels(self.entry, finite) == 1:
            return False
        return min(n_labels(self.reference, offset) for offset in HALF_OFFSETS) > 1

    def roundings(self) -> list[str] | None:
        """Return how samples may be rounded so that the reference gives all its answers.

        None if it gives them anyway.
        """
        pairs = zip(self.expected, self.answers, strict=True)
        if all(_agree(*pair, most=NEGLIGIBLE) for pair in pairs):
            return None
        alike, (place, *_) = [], _moved_most(self.expected, self.answers)[1]
        data = self.X, np.searchsorted(self.classes, self.y), *self.splits[place]
        mark = hash((*((a.shape, a.tobytes()) for a in data), repr(self.classes.tolist())))
        for side, (how, rounded) in product(SIDES, ROUNDINGS.items()):
            key, X = (self.reference.make, mark, how, side), rounded(self.X)
            if np.array_equal(X, self.X):
                continue
            if key not in _once_rounded:
                [_once_rounded[key]] = self._on_rounded(X, side, [self.splits[place]])
            if _agree(_once_rounded[key], self.answers[place]):
                answers = self._on_rounded(X, side, self.splits)
                if all(map(_agree, answers, self.answers)):
                    alike.append(f"{how}{side}")
        if len(_once_rounded) > MOST_REMEMBERED:
            _once_rounded.clear()
        return alike

    def lost_digits(self) -> dict[str, Any]:
        """Return how digits are lost if labels match the reference's on centred features.

        They must differ before, with features so far from zero that digits may cancel. Both
        sides predict on the splits where most labels differ, then at an offset where
        squares in double precision keep their digits, but numbers in single precision do
        not.
        """
        X, mean = self.X, self.X.mean(axis=0)
        with np.errstate(all="ignore"):
            lost = np.nanmax(np.square(mean) / X.var(axis=0)) * np.finfo(np.float64).eps
        n_moved, places = _moved_most(self.expected, self.answers)
        if not VISIBLE_CANCELLATION < lost < np.inf or not n_moved:
            return {}
        asked = [self.splits[place] for place in places]
        if self.n_moved(X - mean, asked):
            return {}
        asked = [(train, np.arange(len(X))) for train, _ in asked]
        shifted = X - mean + SMALL_OFFSET * X.std(axis=0)
        is_coarse = self.n_moved(shifted, asked) > SINGLE_SHARE * len(asked) * len(X)
        return {"dtype": "float32"} if is_coarse else {"formula": "raw"}

    def rows_used(self, known: Sequence[str]) -> str:
        """Return the rows, in words, from which alone the reference learns its labels.

        `known` are those that other data have shown. Empty if there are no such rows.
        """
        X, y = self.X, self.y
        pairs = zip(self.expected, self.answers, strict=True)
        n_differing = sum(int((a.labels != b.labels).sum()) for a, b in pairs)
        for words, places in ROWS_USED.items():
            if n_differing < FEWEST_DIFFERING and words not in known:
                continue
            used = [(rows[places(X[rows], y[rows])], test) for rows, test in self.splits]
            for few in (1, len(used)):
                answers = self.of(self.reference, X, used[:few])
                alike = zip(answers, self.answers[:few], strict=True)
                if not all(np.array_equal(a.labels, b.labels) for a, b in alike):
                    break
            else:
                return words
        return ""

    def features_used(self) -> int:
        """Return after how many features it looks at no other; 0 if that is not shown.

        Those after them are shuffled and scaled, which must change labels otherwise.
        """
        n_features = self.X.shape[1]
        shuffled = np.random.default_rng(SEED).permutation(self.X)
        place = _moved_most(self.expected, self.answers)[1][0]

        def n_moved(n: int, side: Implementation, known: Observation, scale: float) -> int:
            X = np.hstack([self.X[:, :n], scale * shuffled[:, n:]])
            return _moved_most([known], self.of(side, X, [self.splits[place]]))[0]

        low, high, own = 0, n_features, (self.entry, self.answers[place])
        while low < high:  # A search by halves, after the last feature alone
            middle = high - 1 if high == n_features else (low + high) // 2
            is_still = n_moved(middle, *own, SHUFFLED_SCALE) == 0
            if high == n_features and not is_still:
                return 0
            low, high = (low, middle) if is_still else (middle + 1, high)
        moved = n_moved(high, self.reference, self.expected[place], 1.0)
        return high if moved >= ENOUGH_DIFFERING else 0


@dataclass(frozen=True)
class OtherModel:
    """What made samples show, and models that may give all labels, in batches of runs."""

    shown: Shown = ("", "")
    models: tuple[Callable[[Batch], CodeArray], ...] = ()

    def taken_for(self, result: Identified, seen: Compared) -> Identified:
        """Return this for the cause, with the labels here of its closest model."""
        closest, most = None, -1
        for labels_of in self.models:
            labels = labels_of(seen.batch)
            n_alike = int((labels == seen.labels).sum())
            if n_alike > most:
                closest, most = labels, n_alike
            if most == len(labels):
                break
        return replace(result, instead=self.shown, of_model=closest)


def asked_otherwise(
    result: Identified,
    whole: Search,
    question: Question,
    shown: Sequence[Shown],
    of_numbers: Callable[[], OtherModel],
    *,
    is_rounded: bool,
) -> Identified:
    """Return what changed samples, or fewer training rows, show if no variant fits.

    That is given what other data have `shown`, and what samples of whole numbers show.
    """
    is_stranger = result.outcome == "stranger"
    if (is_stranger or result.is_constant) and of_numbers().shown[0]:
        return of_numbers().taken_for(replace(result, is_constant=False), whole.seen)
    is_odd = is_stranger or is_noisy(result.variant)
    lost: dict[str, Any] = {}
    if is_odd and (question.is_half() or (not is_rounded and question.is_single())):
        # Squares in double precision may give one label as well.
        lost = question.lost_digits() if whole.seen.is_one_label else {}
        lost = lost or {"dtype": "float32"}
    elif is_stranger:
        lost = question.lost_digits()
    if lost:
        return shown_otherwise(replace(whole.base, **lost), whole.base, whole.seen)
    if result.outcome == "reproduced" or whole.base != DEFAULT:
        return result
    used = question.rows_used([words for _, words in shown])
    instead = replace(result, instead=(findings.ROWS, used), is_constant=False)
    if used or not is_stranger or result.is_constant or not (n := question.features_used()):
        return instead if used else result
    words = "the first feature" if n == 1 else f"the first {n} features"
    words += findings.AS_MANY if n == len(question.classes) else ""
    ways = (partial(_of_first, n, replace(DEFAULT, smoothing=s)) for s in SMOOTHINGS)
    first = OtherModel((findings.LEFT_OUT, words), tuple(ways))
    found = first.taken_for(result, whole.seen)
    # Saturated labels do not change either, but those are not labels of that model.
    is_theirs = np.mean(found.of_model == whole.seen.labels) >= PROVEN_SHARE
    return found if is_theirs else result


def _of_first(n: int, variant: Variant, batch: Batch) -> CodeArray:
    """Return the labels that the first features alone give by a variant."""
    cut = [replace(r, X_train=r.X_train[:, :n], X_test=r.X_test[:, :n]) for r in batch.runs]
    return labels_under(variant, Batch(tuple(cut), batch.samples[:, :n], batch.of_run))


# Rows of each class that are learned from and asked for, and the features.
LEARNED, ASKED, FEATURES = (90, 50, 30), 130, 4
# Labels of them that must differ from the reference's.
ENOUGH_DIFFERING = 10
SCALES, SEED = (1.0, 0.5, 3.0, 0.4), 3
# What rows without a winner get, in words.
FIRST, LARGEST, LAST, APPEARING = 0, 1, 2, 3
_RULES = ("first", "largest", "last", "appearance")
GIVEN = {code: TIES[rule] for code, rule in enumerate(_RULES)}
GIVEN[UNSEEN] = "no label"
# Factor of samples whose densities exceed 1, and log-scores at which products
# do, or densities are equal in a softmax.
SMALL, DOUBLE, SOFTMAX = 0.01, (-780.0, -650.0), (-42.0, -34.0)
# Those near which products in single precision do, log(1e-45) being -103.3, and are looked
# at more closely.
SINGLE, NEAR_SINGLE = (-105.0, -102.0), (-115.0, -85.0)


@cache
def made_samples(n_classes: int = len(LEARNED)) -> tuple[Any, ...]:
    """Return skewed samples of a few classes, each with its own correlations.

    Models that are not naive, and other estimates, give many of them other labels. Of three
    classes the second is the largest, and the first the first to appear.
    """
    rng, sizes = np.random.default_rng(SEED), LEARNED[:n_classes]
    y = rng.permutation(np.repeat(range(n_classes), np.add(sizes, ASKED)))
    skewed = (rng.gamma(0.6, size=(len(y), FEATURES)) - 0.6) / np.sqrt(0.6)
    mixing = np.eye(FEATURES) + 0.4 * rng.normal(size=(n_classes, FEATURES, FEATURES))
    means = 12.0 + 0.4 * rng.normal(size=(n_classes, FEATURES))
    X = (np.einsum("nij,nj->ni", mixing[y], skewed) + means[y]) * SCALES
    learned = [np.flatnonzero(y == code)[:n] for code, n in enumerate(sizes)]
    train = np.sort(np.concatenate(learned))
    if n_classes > LAST:
        y = np.array([LARGEST, FIRST, LAST])[y]
        pair = [train[0], train[y[train] == FIRST][0]]
        X[pair], y[pair] = X[pair[::-1]], y[pair[::-1]]
    return X, y, [(train, np.setdiff1d(np.arange(len(y)), train))], np.arange(n_classes)


@cache
def _labels_of_models(n_classes: int) -> list[list[tuple[Model, CodeArray]]]:
    """Return how models label made samples, the plain one first; then with one prior."""
    X, y, ((train, test),), classes = made_samples(n_classes)
    groups = [X[train][y[train] == code] for code in classes]
    with np.errstate(all="ignore"):
        pairs = [(model, model.log_densities(groups, X[test])) for model in other_models()]
    pairs.sort(key=lambda pair: bool(pair[0].words))
    return [
        [(change(m), change(m).labels(densities, groups)) for m, densities in pairs]
        for change in (replace, Model.with_one_prior)
    ]


def other_model(reference: Implementation, entry: Implementation) -> OtherModel:
    """Return the only model that gives all labels of made samples, or of two classes.

    None if there are several, or if the reference gives nearly the same. A model with fewer
    deviations from naive Bayes comes first.
    """
    start = start_of_search(reference, entry)
    models = (_of_classes(n, reference, entry) for n in (len(LEARNED), 2))
    return start if start.models else next(filter(None, models), OtherModel())


def _of_classes(n: int, *sides: Implementation) -> OtherModel | None:
    """Return the model that samples of so many classes show; None without all labels."""
    expected, answers = (observe(s, *made_samples(n), again=False)[0] for s in sides)
    labels, n_differing = answers.labels, (answers.labels != expected.labels).sum()
    if (labels < 0).any() or n_differing < ENOUGH_DIFFERING:
        return None if (labels < 0).any() else OtherModel()
    alike: list[Model] = []
    for tables in _labels_of_models(n):
        if np.count_nonzero(labels != tables[0][1]) >= ENOUGH_DIFFERING:
            alike += [model for model, own in tables if np.array_equal(own, labels)]
    if not alike:
        return _unsure(expected, labels)
    least = min(len(model.words) for model in alike)
    plainest = [model for model in alike if len(model.words) == least]
    if len({(model.cause, model.words) for model in plainest}) != 1:
        return OtherModel()
    words, ridges = " and ".join(plainest[0].words), {model.ridge for model in plainest}
    if len(ridges) == 1 and (ridge := plainest[0].ridge):
        words += f", with {amount(ridge)} added on the diagonal"
    models = [*plainest, *(varied for one in plainest for varied in one.varied())]
    return OtherModel((plainest[0].cause, words), tuple(m.of_runs for m in models))


# Values of each feature of samples of whole numbers, and how often they are exchanged.
EXCHANGES, VALUES = 4, 6


def of_whole_numbers(reference: Implementation, entry: Implementation) -> OtherModel:
    """Return the model of counts or categories that samples of whole numbers show.

    Labels by categories alone stay when the values of each feature are exchanged.
    """
    rng, n_classes = np.random.default_rng(SEED), len(LEARNED)
    _, y, splits, classes = made_samples()
    shares = rng.dirichlet(np.full(VALUES, 0.6), size=(n_classes, FEATURES)) + 0.02
    ends = shares.cumsum(axis=-1) / shares.sum(axis=-1, keepdims=True)
    values = (rng.uniform(size=(len(y), FEATURES, 1)) > ends[y]).sum(axis=-1)
    exchanged = [
        np.stack([rng.permutation(VALUES)[column] for column in values.T], axis=1)
        for _ in range(EXCHANGES)
    ]

    def labels_of(side: Implementation, X: CodeArray) -> CodeArray:
        return observe(side, X.astype(float), y, splits, classes, again=False)[0].labels

    expected, labels = (labels_of(side, values) for side in (reference, entry))
    n_given = np.sort(np.bincount(labels[labels >= 0], minlength=n_classes))
    n_moved = min((labels_of(reference, X) != expected).sum() for X in exchanged)
    if min(n_given[-2], (labels != expected).sum(), n_moved) < ENOUGH_DIFFERING:
        return OtherModel()
    ((train, test),) = splits
    run = TrainedRun(values[train], y[train], values[test], n_classes, test)
    alike = [m for m in counting_models() if np.array_equal(m.of_run(run), labels)]
    if alike:
        (words,) = alike[0].words
        same = (model.of_runs for model in alike if model.words == alike[0].words)
        return OtherModel((findings.FORM, words), tuple(same))
    moved = ((labels_of(entry, X) != labels).sum() for X in exchanged)
    is_still = all(n <= MOST_BY_CHANCE for n in moved)
    return OtherModel((findings.CATEGORIES, "") if is_still else ("", ""))


def _below(
    values: FloatArray, expected: CodeArray, labels: CodeArray
) -> tuple[int | None, float]:
    """Return the label of all rows whose value is below a bound, and the bound.

    None if values do not tell which labels differ. The bound has the fewest digits.
    """
    differs = labels != expected
    fallback, *others = {*labels[differs].tolist()} or {None}
    is_kept = ~differs & (labels != fallback)
    rest, low = values[is_kept], values[differs].max(initial=-np.inf)
    is_whole = {*labels[is_kept]} == {*expected} - {fallback}
    if others or fallback not in GIVEN or not is_whole or not low < rest.min():
        return None, low
    middle = (low + rest.min()) / 2.0
    bounds = (round(middle, n) for n in range(-15, 9))
    bound = next((near for near in bounds if low < near <= rest.min()), middle)
    return fallback, bound


def _fallen_back(
    fallback: int, bound: float, batch: Batch, *, by_probability: bool = False
) -> CodeArray:
    """Return the usual labels, and the fallback where scores are below a bound."""
    joint = scores(DEFAULT, batch).joint
    level = (softmax(joint) if by_probability else joint).max(axis=1)
    by_rule = {
        LARGEST: batch.moments().counts.argmax(axis=1)[batch.of_run],
        LAST: batch.n_classes - 1,
        APPEARING: np.nanargmin(batch.moments().first, axis=1)[batch.of_run],
    }
    code = by_rule.get(fallback, fallback)
    return np.asarray(np.where(level < bound, code, joint.argmax(axis=1)))


def _unsure(expected: Observation, labels: CodeArray) -> OtherModel:
    """Return that unsure rows get one certain label, and below which probability."""
    if expected.log_posterior is None:
        return OtherModel()
    sure = softmax(expected.log_posterior).max(axis=1)
    fallback, bound = _below(sure, expected.labels, labels)
    if fallback is None:
        return OtherModel()
    text = f"{GIVEN[fallback]} to rows without a probability of {bound:g}"
    model = partial(_fallen_back, fallback, bound, by_probability=True)
    return OtherModel((findings.DECISION, text), (model,))


def start_of_search(reference: Implementation, entry: Implementation) -> OtherModel:
    """Return that rows whose scores are below a bound get one label, and the bound.

    Rows lie farther and farther from the classes; a product of densities has such a bound
    where it underflows. Near that of single precision more rows are asked for.
    """
    sides, n = (reference, entry), len(made_samples()[2][0][1])
    top, expected, labels = _far_away(sides, np.logspace(-0.5, 5.5, n))
    fallback, bound = _below(top, expected, labels)
    n_kept = np.count_nonzero((labels == expected) & (top > bound))
    n_lost = np.count_nonzero(labels != expected)
    is_shown = min(n_kept, n_lost) >= ENOUGH_DIFFERING
    is_lost = any(low < bound < high for low, high in (DOUBLE, SOFTMAX))
    if fallback is None or not is_shown or is_lost:
        return OtherModel()
    if fallback == FIRST and _goes_by_rows(entry):
        fallback = APPEARING
    words = f"{GIVEN[fallback]} to rows whose log-scores are all below about "
    cause, about = findings.DECISION, amount(bound + 0.0)
    if NEAR_SINGLE[0] < bound < NEAR_SINGLE[1]:
        # Scores fall with the square of the distance.
        near, far = (_far_away((), np.full(n, times))[0] for times in (2.0, 4.0))
        slope = (near - far) / 12.0
        squares = (near + 4.0 * slope - np.linspace(*NEAR_SINGLE, n)) / slope
        top, expected, labels = _far_away(sides, np.sqrt(np.maximum(squares, 0.0)))
        is_plain, closer = _below(top, expected, labels)
        bound = closer if is_plain is not None else -103.0
        is_single = is_plain is None or SINGLE[0] < bound < SINGLE[1]
        cause = findings.UNDERFLOW if is_single else findings.DECISION
        about = amount(round(bound) if is_single else bound)
    model = partial(_fallen_back, fallback, bound)
    return OtherModel((cause, words + about), (model,))


def _goes_by_rows(entry: Implementation) -> bool:
    """Return whether the farthest rows get the class of the first row to learn from."""
    _, y, ((train, test),), _ = made_samples()
    times = np.full(len(test), 10.0**5.5)
    _, _, labels = _far_away((entry, entry), times, turned=True)
    return bool(y[train[-1]] != FIRST and (labels == y[train[-1]]).all())


def _far_away(
    sides: Sequence[Implementation], times: FloatArray, *, turned: bool = False
) -> tuple[FloatArray, CodeArray, CodeArray]:
    """Return the largest log-scores of rows so many times as far out, and their labels.

    If asked for, the last row to learn from comes first.
    """
    X, y, ((train, test),), classes = made_samples()
    splits = [(train[::-1] if turned else train, test)]
    centre, spread = X[train].mean(axis=0), X.copy()
    spread[test] = centre + times[:, np.newaxis] * (X[test] - centre)
    spread *= SMALL  # Densities exceed 1
    run = TrainedRun(spread[train], y[train], spread[test], len(classes), test)
    top = scores(DEFAULT, Batch.of([run])).joint.max(axis=1)
    asked = (observe(side, spread, y, splits, classes, again=False) for side in sides)
    expected, labels = [_with_unlike(seen) for (seen,) in asked] or (y[test], y[test])
    return top, expected, labels


def _with_unlike(seen: Observation) -> CodeArray:
    """Return codes of labels; of several that are none of the classes, another than one."""
    code = UNSEEN if len(foreign(seen.labels, seen.raw_labels)) == 1 else UNSEEN - 1
    return np.where(seen.labels == UNSEEN, code, seen.labels)
