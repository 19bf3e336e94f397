"""What is true of a comparison: its runs redone by scikit-learn and plain NumPy."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from faults.hard_for_words import Hard
from scipy import stats
from sklearn.metrics import cohen_kappa_score, precision_recall_fscore_support
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

import gnbbench

SEED = 42
REFERENCE = "sklearn"
LOSS_CLIP = np.finfo(float).eps
MODELS = {"numpy": gnbbench.GaussianNB, REFERENCE: GaussianNB}


SCORES_OF_LABELS = (
    *("train accuracy", "test accuracy"),
    *("precision (macro)", "recall (macro)", "F1 (macro)"),
)


@dataclass(frozen=True)
class Answers:
    """What one implementation gave in one run."""

    labels: Any
    probabilities: Any  # None where it offers none
    scores: Mapping[str, float]
    is_invalid: bool = False  # Whether its probabilities are left out

    def of_labels(self) -> "Answers":
        """Return these answers without probabilities if any of them is NaN."""
        if self.probabilities is None or not np.isnan(self.probabilities).any():
            return self
        scores = {name: self.scores[name] for name in SCORES_OF_LABELS}
        return Answers(self.labels, None, scores, is_invalid=True)


@dataclass(frozen=True)
class Compared:
    """One implementation beside the reference."""

    planned: int
    own: Mapping[int, Answers]  # Of the runs that did not fail
    reference: Mapping[int, Answers]
    tests: Mapping[int, Any]  # The rows of each test side
    groups: Any  # Of each row, the number of its distinct features
    y: Any

    @cached_property
    def shared(self) -> list[int]:
        """The runs in which both gave labels."""
        return sorted(set(self.own) & set(self.reference))

    @cached_property
    def apart(self) -> dict[int, Any]:
        """Of each shared run, which labels differ."""
        return {r: self.own[r].labels != self.reference[r].labels for r in self.shared}

    @property
    def predictions(self) -> int:
        return sum(len(apart) for apart in self.apart.values())

    @property
    def differing(self) -> int:
        return int(sum(apart.sum() for apart in self.apart.values()))

    @property
    def per_run(self) -> list[int]:
        return [int(apart.sum()) for apart in self.apart.values()]

    @property
    def exact(self) -> int:
        return self.per_run.count(0)

    @property
    def failed(self) -> int:
        """How many runs failed; one without a split did not."""
        return len(self.tests) - len(self.own)

    @cached_property
    def disputed(self) -> set[int]:
        """The rows that ever got another label."""
        pairs = ((self.tests[r], apart) for r, apart in self.apart.items())
        return {int(row) for rows, apart in pairs for row in rows[apart]}

    @cached_property
    def tested(self) -> set[int]:
        """The rows that were ever tested in a shared run."""
        return {int(row) for run in self.shared for row in self.tests[run]}

    def distinct(self, rows: set[int]) -> int:
        """Return how many of these rows have different features."""
        return len({int(self.groups[row]) for row in rows})

    @property
    def probabilities(self) -> list[tuple[Any, Any]]:
        """Of each shared run, those of both, if both offer any."""
        sides = ((self.own[r], self.reference[r]) for r in self.shared)
        both = ((own.probabilities, other.probabilities) for own, other in sides)
        return [(a, b) for a, b in both if a is not None and b is not None]

    @cached_property
    def gaps(self) -> list[Any]:
        """Of each shared run, the absolute differences of probabilities."""
        return [np.abs(a - b) for a, b in self.probabilities]

    @property
    def is_undefined(self) -> bool:
        """Whether a probability is NaN for only one of the two."""
        return any(np.any(np.isnan(a) != np.isnan(b)) for a, b in self.probabilities)

    @property
    def largest_gap(self) -> float:
        return max((float(gap.max()) for gap in self.gaps), default=np.nan)

    @property
    def mean_gap(self) -> float:
        return float(np.concatenate(self.gaps).mean()) if self.gaps else np.nan

    def values(self, metric: str) -> Any:
        """Return a metric for each of its runs that has it."""
        scores = [answers.scores.get(metric, np.nan) for answers in self.own.values()]
        return np.array([score for score in scores if not np.isnan(score)])

    def differences(self, metric: str) -> Any:
        """Return its metric minus the reference's for every run in which both have it."""
        pairs = [(self.own[r].scores, self.reference[r].scores) for r in self.shared]
        both = [own.get(metric, np.nan) - other.get(metric, np.nan) for own, other in pairs]
        return np.array([value for value in both if not np.isnan(value)])

    @property
    def kappa(self) -> float:
        pairs = [(self.own[r].labels, self.reference[r].labels) for r in self.shared]
        if not pairs:
            return np.nan
        first, second = coded(*(np.concatenate(side) for side in zip(*pairs, strict=True)))
        if max(*first, *second) == 0:
            return np.nan
        return float(cohen_kappa_score(first, second))

    @property
    def mcnemar(self) -> float:
        """Return the mid-p value of McNemar's test on run 0."""
        if 0 not in self.shared:
            return np.nan
        truth = self.y[self.tests[0]]
        own, other = (side[0].labels == truth for side in (self.own, self.reference))
        more, less = int((own & ~other).sum()), int((other & ~own).sum())
        if more + less == 0:
            return np.nan
        below = stats.binom.cdf(min(more, less) - 1, more + less, 0.5)
        at = stats.binom.pmf(min(more, less), more + less, 0.5)
        return min(1.0, float(2 * below + at)) if more != less else float(1 - at / 2)

    @property
    def sign_test(self) -> float:
        """Return p of an exact test over distinct rows: is it right as often as not?"""
        balance: dict[int, int] = {}
        for run, apart in self.apart.items():
            rows = self.tests[run][apart]
            own, other = (side[run].labels[apart] for side in (self.own, self.reference))
            for row, a, b in zip(rows, own, other, strict=True):
                change = int(a == self.y[row]) - int(b == self.y[row])
                group = int(self.groups[row])
                balance[group] = balance.get(group, 0) + change
        up, down = (sum(s * v > 0 for v in balance.values()) for s in (1, -1))
        return float(stats.binomtest(up, up + down).pvalue) if up + down else np.nan


@dataclass(frozen=True)
class Truth:
    """What is true of one study, or of one train fraction of a sweep."""

    hard: Hard
    n_train: int
    n_test: int
    subjects: Mapping[str, Compared]  # The reference beside itself too
    fractions: Mapping[float, "Truth"] = field(default_factory=dict)

    @property
    def competitors(self) -> list[str]:
        return [name for name in self.subjects if name != REFERENCE]


def truth_of(hard: Hard, runs: int, *, undefined: bool = False, **size: float) -> Truth:
    """Return the truth about a comparison over a number of runs of this size.

    Probabilities with a NaN are left out, unless `undefined` ones are looked at. Where
    there is no such split there is no run.
    """
    X, y = np.asarray(hard.X, dtype=float), np.asarray(hard.y)
    classes = np.unique(y)
    groups = np.unique(X, axis=0, return_inverse=True)[1].ravel()
    models = {REFERENCE: REFERENCE, **hard.against}
    answers: dict[str, dict[int, Answers]] = {name: {} for name in models}
    tests, n_train = {}, 0
    for run in range(runs):
        try:
            train, test = split_of(hard, y, run, **size)
        except ValueError:
            break
        tests[run], n_train = test, len(train)
        for name, model in models.items():
            answer = _answers(MODELS.get(model, model), (X, y), (train, test), classes)
            if answer is not None:
                answers[name][run] = answer if undefined else answer.of_labels()
    subjects = {
        name: Compared(runs, own, answers[REFERENCE], tests, groups, y)
        for name, own in answers.items()
    }
    return Truth(hard, n_train, len(tests.get(0, ())), subjects)


def split_of(hard: Hard, y: Any, run: int, **size: float) -> Any:
    """Return the training and test rows of a run."""
    stratify = y if hard.stratify else None
    rows = np.arange(len(y))
    return train_test_split(rows, **size, random_state=SEED + run, stratify=stratify)


def truth_of_sweep(hard: Hard, runs: int, fractions: Sequence[float]) -> Truth:
    """Return what is true of a sweep, over all fractions and at each."""
    parts = {fraction: truth_of(hard, runs, train_size=fraction) for fraction in fractions}
    first = next(iter(parts.values()))

    def together(name: str, side: str) -> dict[int, Any]:
        merged: dict[int, Any] = {}
        for place, part in enumerate(parts.values()):
            values = getattr(part.subjects[name], side)
            merged |= {place * runs + run: value for run, value in values.items()}
        return merged

    subjects = {
        name: replace(
            subject,
            planned=runs * len(parts),
            **{side: together(name, side) for side in ("own", "reference", "tests")},
        )
        for name, subject in first.subjects.items()
    }
    return Truth(hard, first.n_train, first.n_test, subjects, parts)


def _answers(make: Any, data: Any, sides: Any, classes: Any) -> Answers | None:
    """Return labels, probabilities and scores; None where a call fails."""
    (X, y), (train, test) = data, sides
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model = make().fit(X[train], y[train])
            labels = np.asarray(model.predict(X[test]))
            learned = np.asarray(model.predict(X[train]))
            offered = getattr(model, "predict_proba", None)
            shares = None if offered is None else np.asarray(offered(X[test]), dtype=float)
        except Exception:  # noqa: BLE001  whatever code of others raises is a failed run
            return None
    scores = dict(_label_scores(y[test], labels))
    scores["train accuracy"] = float(np.mean(learned == y[train]))
    if shares is None:
        return Answers(labels, None, scores)
    full = np.zeros((len(test), len(classes)))
    full[:, np.searchsorted(classes, model.classes_)] = shares
    scores |= dict(_probability_scores(full, y[test], labels, classes))
    return Answers(labels, full, scores)


def coded(first: Any, second: Any) -> Any:
    """Return labels of any two types as numbers from 0, equal if their texts are."""
    texts = np.concatenate([first.astype(str), second.astype(str)])
    return np.split(np.unique(texts, return_inverse=True)[1], [len(first)])


def _label_scores(truth: Any, labels: Any) -> Iterator[tuple[str, float]]:
    yield "test accuracy", float(np.mean(labels == truth))
    pair = coded(truth, labels)
    scores = precision_recall_fscore_support(*pair, average="macro", zero_division=0)
    yield from zip(SCORES_OF_LABELS[2:], scores, strict=False)


def _probability_scores(
    shares: Any, truth: Any, labels: Any, classes: Any
) -> Iterator[tuple[str, float]]:
    confidence, right = shares.max(axis=1), labels == truth
    yield "mean confidence", float(confidence.mean())
    for word, which in (("right", right), ("wrong", ~right)):
        if which.any():
            yield f"mean confidence where {word}", float(confidence[which].mean())
    own = shares[np.arange(len(truth)), np.searchsorted(classes, truth)]
    yield "clipped", float((own < LOSS_CLIP).sum())
    clipped = np.clip(own, LOSS_CLIP, 1 - LOSS_CLIP)
    yield "log loss", float(-np.log(clipped).mean())
    one_hot = truth[:, None] == classes
    squared = np.square(shares - one_hot).sum(axis=1)
    yield "Brier score", float(squared.mean())


def disputed_in_more_runs(hard: Hard, name: str, runs: int) -> float:
    """Return the share of distinct rows that get a different label in any run."""
    X, y = np.asarray(hard.X, dtype=float), np.asarray(hard.y)
    groups = np.unique(X, axis=0, return_inverse=True)[1].ravel()
    own, reference = (MODELS.get(m, m) for m in (hard.against[name], REFERENCE))
    disputed: set[int] = set()
    with np.errstate(all="ignore"):
        for run in range(runs):
            train, test = split_of(hard, y, run, test_size=hard.test_size)
            models = [make().fit(X[train], y[train]) for make in (own, reference)]
            labels = [model.predict(X[test]) for model in models]
            disputed.update(groups[test[labels[0] != labels[1]]].tolist())
    return len(disputed) / len(np.unique(groups))


def corrected_p(differences: Any, n_train: int, n_test: int, step: float = 0.0) -> float:
    """Return p of Nadeau and Bengio's corrected t test (2003, eq. 9).

    Runs differ by a step at least, as if one of them had another label.
    """
    j = len(differences)
    spread = max(np.std(differences, ddof=1), step / np.sqrt(j)) if j > 1 else 0.0
    if spread == 0:
        return np.nan
    error = spread * np.sqrt(1 / j + n_test / n_train)
    return float(2 * stats.t.sf(abs(np.mean(differences)) / error, j - 1))
