"""Answers of an implementation on samples that were rounded, shifted or made."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import compress, product
from math import lgamma
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import CodeArray, FloatArray
from gnbbench.diagnosis import findings
from gnbbench.diagnosis.acceptance import NEGLIGIBLE, Identified, shown_otherwise
from gnbbench.diagnosis.family import Batch, TrainedRun, scores
from gnbbench.diagnosis.moves import VISIBLE_CANCELLATION
from gnbbench.diagnosis.observations import UNSEEN, Observation, observe, softmax
from gnbbench.diagnosis.reproduction import PROBABILITY_TOLERANCE, Search
from gnbbench.diagnosis.variants import DEFAULT, is_noisy
from gnbbench.implementations import Implementation
from gnbbench.words import amount, plural

# Rounding the samples must change more labels of the reference to be conclusive.
MOST_BY_CHANCE = 2
ASKED_AGAIN = 5  # Splits on which labels of rounded or shifted samples are predicted
# Offset in deviations at which single precision changes more than this share of labels.
SMALL_OFFSET, SINGLE_SHARE = 3e6, 0.003
# Share of the differing labels that rounding to single precision may leave.
LEFT_SHARE = 0.1
# Offsets at which numbers are finite and infinite in half precision, and the deviation.
HALF_OFFSETS, HALF_DEVIATION, HALF_ROWS = (63_500.0, 67_500.0), 200.0, 30
# A cause and its words; both empty for none.
Shown = tuple[str, str]
# Samples of each class, and a model of them: a cause, what it does in words, the
# log-densities of each class.
Groups = list[FloatArray]
Model = tuple[str, tuple[str, ...], FloatArray]
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

    def of_reference(self, X: FloatArray, n_splits: int | None = None) -> list[Observation]:
        """Return the reference's answers on other samples with the same labels."""
        splits = self.splits[:n_splits]
        return observe(self.reference, X, self.y, splits, self.classes, again=False)

    def both(
        self, X: FloatArray, splits: Sequence[tuple[CodeArray, CodeArray]]
    ) -> tuple[list[Observation], list[Observation]]:
        """Return the answers of the reference and of the implementation."""
        first, second = (
            observe(side, X, self.y, splits, self.classes, again=False)
            for side in (self.reference, self.entry)
        )
        return first, second

    def is_single(self) -> bool:
        """Return whether rounding the samples to single precision changes no label of it.

        That is conclusive only if labels of the reference change, and not all rows have
        one; the code predicts on the splits where most of them do. Or whether the reference
        gives nearly all its labels if samples to learn from, or to label, are rounded.
        """
        X, y, classes = self.X, self.y, self.classes
        with np.errstate(over="ignore"):
            rounded = X.astype(np.float32).astype(np.float64)
        if not np.isfinite(rounded).all():
            return False
        n_moved, places = _moved_most(self.expected, self.of_reference(rounded))
        if n_moved <= MOST_BY_CHANCE:
            return False
        chosen, own = zip(*((self.splits[n], self.answers[n]) for n in places), strict=True)
        answers = observe(self.entry, rounded, y, chosen, classes, again=False)
        is_varied = np.ptp(np.concatenate([seen.labels for seen in own])) > 0
        if is_varied and not _moved_most([*own], answers)[0]:
            return True
        together, labels, n = np.concatenate([X, rounded]), np.tile(y, 2), len(X)
        most = LEFT_SHARE * _moved_most(self.expected, self.answers)[0]
        for learned, to_label in ((0, n), (n, 0), (n, n)):
            asked = [(train + learned, test + to_label) for train, test in self.splits]
            others = observe(self.reference, together, labels, asked, classes, again=False)
            if _moved_most(self.answers, others)[0] <= most:
                return True
        return False

    def is_half(self) -> bool:
        """Return whether all rows get one label only where half precision is infinite."""
        X, (train, test) = self.X, self.splits[0]
        with np.errstate(all="ignore"):
            scaled = HALF_DEVIATION * (X - X.mean(axis=0)) / X.std(axis=0)
        scaled = scaled.clip(-8.0 * HALF_DEVIATION, 8.0 * HALF_DEVIATION)

        def n_labels(side: Implementation, offset: float) -> int:
            asked = scaled + offset, self.y, [(train, test[:HALF_ROWS])], self.classes
            return len({*observe(side, *asked, again=False)[0].labels.tolist()})

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
        alike = []
        for how, rounded in ROUNDINGS.items():
            for few in (1, None):
                answers = self.of_reference(rounded(self.X), few)
                if not all(map(_agree, answers, self.answers)):
                    break
            else:
                alike.append(how)
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
        if _moved_most(*self.both(X - mean, asked))[0]:
            return {}
        asked = [(train, np.arange(len(X))) for train, _ in asked]
        shifted = X - mean + SMALL_OFFSET * X.std(axis=0)
        n_moved = _moved_most(*self.both(shifted, asked))[0]
        is_coarse = n_moved > SINGLE_SHARE * len(asked) * len(X)
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
                asked = self.reference, X, y, used[:few], self.classes
                alike = zip(observe(*asked, again=False), self.answers[:few], strict=True)
                if not all(np.array_equal(a.labels, b.labels) for a, b in alike):
                    break
            else:
                return words
        return ""


def asked_otherwise(
    result: Identified,
    whole: Search,
    question: Question,
    shown: Sequence[Shown],
    of_numbers: Callable[[], Shown],
    *,
    is_rounded: bool,
) -> Identified:
    """Return what changed samples, or fewer training rows, show if no variant fits.

    That is given what other data have `shown`, and what samples of whole numbers show.
    """
    is_stranger = result.outcome == "stranger"
    if (is_stranger or result.is_constant) and of_numbers()[0]:
        return replace(result, instead=of_numbers(), is_constant=False)
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
    return instead if used else result


# Rows of each class that are learned from and asked for, and the features.
LEARNED, ASKED, FEATURES = (90, 50, 30), 130, 4
# Labels of them that must differ from the reference's.
ENOUGH_DIFFERING = 10
SCALES, SEED = (1.0, 0.5, 3.0, 0.4), 3
# What rows without a winner get, in words.
GIVEN = {0: "the first class", len(LEARNED) - 1: "the last class", UNSEEN: "no label"}
# Factor of samples whose densities exceed 1, and log-scores at which products underflow.
SMALL, DOUBLE = 0.01, (-780.0, -650.0)
# Those near which products in single precision do, log(1e-45) being -103.3, and are looked
# at more closely.
SINGLE, NEAR_SINGLE = (-105.0, -102.0), (-115.0, -85.0)
RIDGES = (0.0, *(10.0**n for n in range(-9, 2)))


@cache
def made_samples() -> TrialData:
    """Return skewed samples of three classes, each with its own correlations.

    Models that are not naive, and other estimates, give many of them other labels.
    """
    rng, n_classes = np.random.default_rng(SEED), len(LEARNED)
    y = rng.permutation(np.repeat(range(n_classes), np.add(LEARNED, ASKED)))
    skewed = (rng.gamma(0.6, size=(len(y), FEATURES)) - 0.6) / np.sqrt(0.6)
    mixing = np.eye(FEATURES) + 0.4 * rng.normal(size=(n_classes, FEATURES, FEATURES))
    means = 12.0 + 0.4 * rng.normal(size=(n_classes, FEATURES))
    X = (np.einsum("nij,nj->ni", mixing[y], skewed) + means[y]) * SCALES
    learned = [np.flatnonzero(y == code)[:n] for code, n in enumerate(LEARNED)]
    train = np.sort(np.concatenate(learned))
    return X, y, [(train, np.setdiff1d(np.arange(len(y)), train))], np.arange(n_classes)


def other_model(reference: Implementation, entry: Implementation) -> Shown:
    """Return the cause and words of the only model that gives all labels of made samples.

    Empty if there is none, or if the reference gives nearly the same. A model with fewer
    deviations from naive Bayes comes first.
    """
    X, y, splits, classes = made_samples()
    if (start := start_of_search(reference, entry))[0]:
        return start
    expected, answers = (
        observe(side, X, y, splits, classes, again=False)[0] for side in (reference, entry)
    )
    labels, n_differing = answers.labels, (answers.labels != expected.labels).sum()
    if (labels < 0).any() or n_differing < ENOUGH_DIFFERING:
        return "", ""
    ((train, test),) = splits
    groups = [X[train][y[train] == code] for code in classes]
    shares = np.log([len(rows) / len(train) for rows in groups])
    with np.errstate(all="ignore"):
        makers = _correlated, _estimated, _students
        models = [model for made in makers for model in made(groups, X[test])]
    (plain,) = (joint for _, words, joint in models if not words)
    found = set()
    for prior, more in ((shares, ()), (0.0, ("the same prior for all classes",))):
        usual = (plain + prior).argmax(axis=1)
        if np.count_nonzero(labels != usual) >= ENOUGH_DIFFERING:
            alike = (np.array_equal((m[2] + prior).argmax(axis=1), labels) for m in models)
            found |= {(m[0], (*m[1], *more)) for m in compress(models, alike)}
    found = found or _unsure(expected, labels)
    least = min((len(words) for _, words in found), default=0)
    plainest = [model for model in found if len(model[1]) == least]
    if len(plainest) != 1:
        return "", ""
    cause, words = plainest[0]
    return cause, " and ".join(words)


def _correlated(groups: Groups, X: FloatArray) -> Iterator[Model]:
    """Yield log-densities with full covariance matrices, with and without a ridge."""
    gaps = X[:, np.newaxis] - np.stack([rows.mean(axis=0) for rows in groups])
    scatter = np.stack([len(rows) * np.cov(rows.T, bias=True) for rows in groups])
    counts = np.array([len(rows) for rows in groups])[:, np.newaxis, np.newaxis]
    n, within, whole = counts.sum(), scatter.sum(axis=0), np.concatenate(groups)
    shared = within / n, within / (n - len(groups)), np.cov(whole.T, bias=True)
    matrices = {
        "for each class": (scatter / counts, scatter / (counts - 1)),
        "for all classes together": (*shared, np.cov(whole.T)),
    }
    for whose, options in matrices.items():
        for matrix, ridge, weight in product(options, RIDGES, (0.5, 0.0)):
            full = np.broadcast_to(matrix + ridge * np.eye(FEATURES), scatter.shape)
            squared = np.einsum("nki,kij,nkj->nk", gaps, np.linalg.inv(full), gaps)
            logs = weight * np.linalg.slogdet(full)[1]
            yield findings.COVARIANCES, (whose,), -0.5 * squared - logs


def _trimmed(rows: FloatArray, percent: int) -> FloatArray:
    """Return means without so many of the smallest and of the largest numbers."""
    n = percent * len(rows) // 100
    return np.asarray(np.sort(rows, axis=0)[n : len(rows) - n].mean(axis=0))


def _rounded(of: Callable[..., Any], digits: int, power: int = 1) -> Callable[..., Any]:
    """Return a function that takes the power of a rounded estimate."""
    return lambda rows, *_: of(rows, axis=0).round(digits) ** power


def _off(rows: FloatArray) -> FloatArray:
    """Return median distances from the medians."""
    return np.asarray(np.median(np.abs(rows - np.median(rows, axis=0)), axis=0))


# Estimates in words -> what they are of the rows of a class; usual ones have no words.
CENTRES: dict[str, Callable[[FloatArray], Any]] = {
    "": lambda rows: rows.mean(axis=0),
    "medians for means": lambda rows: np.median(rows, axis=0),
    "sums divided by n − 1 for means": lambda r: r.sum(axis=0) / (len(r) - 1),
    "means rounded down": lambda rows: np.floor(rows.mean(axis=0)),
    **{
        f"means without the {n} % smallest and largest numbers": partial(
            _trimmed, percent=n
        )
        for n in (5, 10, 20, 25)
    },
    **{f"means rounded to {plural(n, 'decimal')}": _rounded(np.mean, n) for n in range(2)},
}
# ... and of the rows and their centres: squares of deviations.
SPREADS: dict[str, Callable[[FloatArray, FloatArray], Any]] = {
    "": lambda rows, _: rows.var(axis=0),
    "squared median distances for variances": lambda rows, _: _off(rows) ** 2,
    "squares of 1.4826 × median distances for variances": (
        lambda rows, _: (1.4826 * _off(rows)) ** 2
    ),
    "squared mean distances for variances": (
        lambda rows, centre: np.abs(rows - centre).mean(axis=0) ** 2
    ),
    "variances divided by n − the number of classes": (
        lambda rows, _: rows.var(axis=0) * len(rows) / (len(rows) - len(LEARNED))
    ),
    "squared quarters of ranges for variances": lambda r, _: (np.ptp(r, axis=0) / 4) ** 2,
    **{
        f"variances rounded to {plural(n, 'decimal')}": _rounded(np.var, n)
        for n in range(2)
    },
    **{
        f"deviations rounded to {plural(n, 'decimal')}": _rounded(np.std, n, 2)
        for n in range(2)
    },
}


def _estimated(groups: Groups, X: FloatArray) -> Iterator[Model]:
    """Yield log-densities with other estimates, and a Laplace density of the usual ones."""
    counts = np.array([len(rows) for rows in groups])[:, np.newaxis]
    for (of_centres, centre), (of_spreads, spread) in product(
        CENTRES.items(), SPREADS.items()
    ):
        centres = np.stack([centre(rows) for rows in groups])
        gaps = X[:, np.newaxis] - centres
        words = tuple(filter(None, (of_centres, of_spreads)))
        pairs = list(zip(groups, centres, strict=True))
        options = [np.stack([spread(*pair) for pair in pairs])]
        if of_centres and not of_spreads:  # About these centres, and with divisor n - 1
            options += [np.stack([((r - m) ** 2).mean(axis=0) for r, m in pairs])]
            options += [var * counts / (counts - 1) for var in options]
        for var in options:
            joint = -0.5 * (np.log(var) + gaps**2 / var).sum(axis=-1)
            yield findings.ESTIMATES, words, joint
            for scale in (np.sqrt(var / 2.0), np.sqrt(var)):
                joint = -(np.log(scale) + np.abs(gaps) / scale).sum(axis=-1)
                yield findings.FORM, ("the Laplace density", *words), joint


# Values of each feature of samples of whole numbers, and what may be added to counts.
EXCHANGES, VALUES, ADDED = 4, 6, (1.0, 1e-9, 0.01, 0.1, 0.5)


def of_whole_numbers(reference: Implementation, entry: Implementation) -> Shown:
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
        asked = X.astype(np.float64), y, splits, classes
        return observe(side, *asked, again=False)[0].labels

    expected, labels = (labels_of(side, values) for side in (reference, entry))
    n_given = np.sort(np.bincount(labels[labels >= 0], minlength=n_classes))
    n_moved = min((labels_of(reference, X) != expected).sum() for X in exchanged)
    if min(n_given[-2], (labels != expected).sum(), n_moved) < ENOUGH_DIFFERING:
        return "", ""
    ((train, test),) = splits
    for words, logs in _counting(values[train], y[train], values[test]):
        for prior in (np.log(np.bincount(y[train])), 0.0):
            if np.array_equal((logs + prior).argmax(axis=1), labels):
                return findings.FORM, words
    moved = ((labels_of(entry, X) != labels).sum() for X in exchanged)
    is_same = all(n <= MOST_BY_CHANCE for n in moved)
    return findings.CATEGORIES if is_same else "", ""


def _counting(
    learned: CodeArray, y: CodeArray, X: CodeArray
) -> Iterator[tuple[str, FloatArray]]:
    """Yield log-likelihoods of counts and of zeros by amounts added."""
    for added in ADDED:
        sums = np.stack([learned[y == code].sum(axis=0) for code in np.unique(y)]) + added
        yield (
            "the multinomial distribution",
            X @ np.log(sums / sums.sum(axis=1, keepdims=True)).T,
        )
        share = np.stack(
            [
                (rows.sum(axis=0) + added) / (len(rows) + 2.0 * added)
                for rows in (learned[y == code] > 0 for code in np.unique(y))
            ]
        )
        yield (
            "the Bernoulli distribution",
            (X > 0) @ np.log(share).T + (X == 0) @ np.log1p(-share).T,
        )


def _students(groups: Groups, X: FloatArray) -> Iterator[Model]:
    """Yield log-densities of Student's t, with one degree of freedom or nearly n."""
    n = np.array([len(rows) for rows in groups])[:, np.newaxis]
    gaps = X[:, np.newaxis] - np.stack([rows.mean(axis=0) for rows in groups])
    var = np.stack([rows.var(axis=0) for rows in groups])
    factors = 1.0, n / (n - 1), (n + 1) / (n - 1)  # Those of a posterior predictive last
    for factor, degrees in product(factors, (np.ones_like(n), n - 1, n)):
        scale, of = degrees * factor * var, np.vectorize(lgamma)
        logs = of((degrees + 1) / 2) - of(degrees / 2) - 0.5 * np.log(scale)
        joint = (logs - (degrees + 1) / 2 * np.log1p(gaps**2 / scale)).sum(axis=-1)
        yield findings.FORM, ("Student's t density",), joint


def _below(values: FloatArray, expected: CodeArray, labels: CodeArray) -> tuple[str, float]:
    """Return the label of all rows whose value is below a bound, in words, and the bound.

    Empty if values do not tell which labels differ. The bound has the fewest digits.
    """
    differs = labels != expected
    fallback, *others = {*labels[differs].tolist()} or {None}
    rest, low = (
        values[~differs & (labels != fallback)],
        values[differs].max(initial=-np.inf),
    )
    if others or fallback not in GIVEN or not len(rest) or not low < rest.min():
        return "", low
    middle = (low + rest.min()) / 2.0
    bounds = (round(middle, n) for n in range(-15, 9))
    bound = next((near for near in bounds if low < near <= rest.min()), middle)
    return GIVEN[fallback], bound


def _unsure(expected: Observation, labels: CodeArray) -> set[tuple[str, tuple[str, ...]]]:
    """Return that unsure rows get one certain label, and below which probability."""
    if expected.log_posterior is None:
        return set()
    sure = softmax(expected.log_posterior).max(axis=1)
    fallback, bound = _below(sure, expected.labels, labels)
    text = f"{fallback} to rows without a probability of {bound:g}"
    return {(findings.DECISION, (text,))} if fallback else set()


def start_of_search(reference: Implementation, entry: Implementation) -> Shown:
    """Return that rows whose scores are below a bound get one label, and the bound.

    Rows lie farther and farther from the classes; a product of densities has such a bound
    where it underflows. Near that of single precision more rows are asked for.
    """
    sides, n = (reference, entry), len(made_samples()[2][0][1])
    top, expected, labels = _far_away(sides, np.logspace(-0.5, 5.5, n))
    fallback, bound = _below(top, expected, labels)
    n_kept = np.count_nonzero((labels == expected) & (top > bound))
    n_lost = np.count_nonzero(labels != expected)
    if (
        not fallback
        or min(n_kept, n_lost) < ENOUGH_DIFFERING
        or DOUBLE[0] < bound < DOUBLE[1]
    ):
        return "", ""
    words = f"{fallback} to rows whose log-scores are all below about "
    if not NEAR_SINGLE[0] < bound < NEAR_SINGLE[1]:
        return findings.DECISION, words + amount(bound + 0.0)
    # Scores fall with the square of the distance.
    near, far = (_far_away((), np.full(n, times))[0] for times in (2.0, 4.0))
    slope = (near - far) / 12.0
    squares = (near + 4.0 * slope - np.linspace(*NEAR_SINGLE, n)) / slope
    top, expected, labels = _far_away(sides, np.sqrt(np.maximum(squares, 0.0)))
    is_plain, closer = _below(top, expected, labels)
    if is_plain and not SINGLE[0] < closer < SINGLE[1]:
        return findings.DECISION, words + amount(closer)
    return findings.UNDERFLOW, f"{words}{amount(round(closer)) if is_plain else -103}"


def _far_away(
    sides: Sequence[Implementation], times: FloatArray
) -> tuple[FloatArray, CodeArray, CodeArray]:
    """Return the largest log-scores of rows so many times as far out, and their labels."""
    X, y, splits, classes = made_samples()
    ((train, test),) = splits
    centre, spread = X[train].mean(axis=0), X.copy()
    spread[test] = centre + times[:, np.newaxis] * (X[test] - centre)
    spread *= SMALL  # Densities exceed 1
    run = TrainedRun(spread[train], y[train], spread[test], len(classes), test)
    top = scores(DEFAULT, Batch.of([run])).joint.max(axis=1)
    asked = (observe(side, spread, y, splits, classes, again=False) for side in sides)
    expected, labels = [seen[0].labels for seen in asked] or (y[test], y[test])
    return top, expected, labels
