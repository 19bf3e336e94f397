"""Tests for what models keep, and whether their answers follow from it."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from statistics import NormalDist
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.naive_bayes import GaussianNB

from gnbbench.diagnosis import Diagnosis, Trial, diagnose_each, kept_parameters
from gnbbench.diagnosis.acceptance import reproduced
from gnbbench.diagnosis.across_datasets import ComparedSides
from gnbbench.diagnosis.changed_samples import ROWS_USED
from gnbbench.diagnosis.kept_parameters import Kept, Proposal
from gnbbench.diagnosis.moments import Batch, TrainedRun
from gnbbench.diagnosis.moves import hard_datasets
from gnbbench.diagnosis.observations import UNSEEN
from gnbbench.diagnosis.reproduction import Search
from gnbbench.diagnosis.variants import DEFAULT, Amount, Variant
from gnbbench.implementations import Implementation, implementation, isolated
from gnbbench.implementations.kept_numbers import kept_numbers, tables_in
from gnbbench.splits import split

pytestmark = pytest.mark.slow
Diagnose = Callable[..., Diagnosis]


def _in_arrays(model: Any, _: Any, means: Any, deviations: Any) -> None:
    model.m, model.s = means, deviations


def _in_columns(model: Any, _: Any, means: Any, deviations: Any) -> None:
    model.m, model.s = means.T, deviations.T


def _by_label(model: Any, labels: Any, means: Any, deviations: Any) -> None:
    """The last class comes first, as where it appears first."""
    model.m = dict(zip(labels[::-1], means[::-1].tolist(), strict=True))
    model.s = dict(zip(labels[::-1], deviations[::-1], strict=True))


def _in_pairs(model: Any, labels: Any, means: Any, deviations: Any) -> None:
    pairs = zip(means.tolist(), deviations.tolist(), strict=True)
    model.m = {
        label: [(m, s, 7) for m, s in zip(*both, strict=True)]
        for label, both in zip(labels, pairs, strict=True)
    }


def _in_objects(model: Any, _: Any, means: Any, deviations: Any) -> None:
    pairs = zip(means, deviations, strict=True)
    model.m = [SimpleNamespace(mean=m, s=s) for m, s in pairs]


class Called(SimpleNamespace):
    """Numbers in an object that can be called."""

    __call__ = SimpleNamespace.__repr__


def _in_called(model: Any, _: Any, means: Any, deviations: Any) -> None:
    pairs = zip(means, deviations, strict=True)
    model.m = [Called(mean=m, s=s) for m, s in pairs]


def _in_slots(model: Any, _: Any, means: Any, deviations: Any) -> None:
    pairs = zip(means.tolist(), deviations.tolist(), strict=True)
    model.m = [[*map(NormalDist, *both)] for both in pairs]


MEANS = partial(np.mean, axis=0)


class Keeps:
    """Labels by normal densities of the means and deviations that it keeps."""

    def __init__(
        self,
        keep: Callable[..., None],
        spread: Callable[[Any], Any],
        centre: Callable[[Any], Any] = MEANS,
        change: Callable[[Any], Any] = np.asarray,
        asked: Callable[[Any], Any] = np.asarray,
    ) -> None:
        self._keep, self._spread, self._centre = keep, spread, centre
        self._change, self._asked = change, asked

    def fit(self, X: Any, y: Any) -> "Keeps":
        self._labels, X = np.unique(y).tolist(), self._change(X)
        groups = [X[y == label] for label in self._labels]
        means = np.stack([self._centre(rows) for rows in groups])
        deviations = np.stack([self._spread(rows) for rows in groups])
        self._keep(self, self._labels, means, deviations)
        self._made: Any = lambda: (
            *(means, deviations),
            [len(rows) / len(y) for rows in groups],
        )
        return self

    def scores(self, X: Any) -> Any:
        means, deviations, shares = self._made()
        gaps = (self._asked(X)[:, np.newaxis] - means) / deviations
        logs = -0.5 * gaps**2 - np.log(deviations)
        return logs.sum(axis=2) + np.log(shares)

    def predict(self, X: Any) -> Any:
        return np.array(self._labels)[self.scores(X).argmax(axis=1)]


def _begun_with_1(rows: Any) -> Any:
    """Return deviations from sums of squares that start at 1, not at 0."""
    return np.sqrt((1.0 + ((rows - rows.mean(axis=0)) ** 2).sum(axis=0)) / len(rows))


KEEP = {
    _in_arrays: "self.s",
    _in_columns: "self.s",
    _by_label: "self.s",
    _in_pairs: "self.m[…][…][1]",
    _in_objects: "self.m[…].s",
    _in_called: "self.m[…].s",
    _in_slots: "self.m[…][…]._sigma",
}


@pytest.mark.parametrize(("keep", "where"), KEEP.items())
def test_means_and_deviations_are_found_wherever_they_are_kept(
    keep: Callable[..., None], where: str
) -> None:
    X, y = np.random.default_rng(0).normal(size=(60, 4)), np.repeat(["b", "a", "c"], 20)
    model = Keeps(keep, partial(np.std, axis=0)).fit(X, y)

    tables = {table.name: table for table in tables_in(kept_numbers(model), 3, 4)}

    deviations = {label: X[y == label].std(axis=0) for label in "abc"}
    found = tables[where]
    keys = found.classes if keep in {_by_label, _in_pairs} else "abc"
    np.testing.assert_array_equal(found.numbers, [deviations[key] for key in keys])


class KeepsOverallVariances:
    """Scores without priors, by the variances of all samples."""

    def fit(self, X: Any, y: Any) -> "KeepsOverallVariances":
        self.labels = np.unique(y)
        means = np.stack([X[y == label].mean(axis=0) for label in self.labels])
        var = X.var(axis=0) + 1e-9 * X.var(axis=0).max()
        self.table = np.stack([means, np.broadcast_to(var, means.shape)], axis=-1)
        return self

    def predict(self, X: Any) -> Any:
        squares = (X[:, np.newaxis] - self.table[..., 0]) ** 2 / self.table[..., 1]
        return self.labels[squares.sum(axis=2).argmin(axis=1)]


def test_shared_variances_are_neither_a_floor_nor_a_cause_beside_that() -> None:
    entry = Implementation("mine", KeepsOverallVariances)
    trials = [_trial(hard_datasets()[name], 5) for name in ("many", "outliers", "few")]

    found = diagnose_each(entry, implementation("sklearn"), trials)

    causes = {cause.cause for of_one in found for cause in of_one.causes}
    assert causes == {"shared-variances", "prior"}


def test_rows_of_samples_are_no_tables_of_parameters() -> None:
    class Keeps150Rows:
        rows, by_class, means = np.ones((150, 4)), np.ones((3, 50, 4)), np.ones((3, 4))

    names = {table.name for table in tables_in(kept_numbers(Keeps150Rows()), 3, 4)}

    assert "self.means" in names
    assert not any(name.startswith(("self.rows", "self.by_class")) for name in names)


def _rising(rows: Any) -> Any:
    """Return deviations times the square root of the feature's place."""
    return rows.std(axis=0) * np.sqrt(np.arange(1, rows.shape[1] + 1))


RISING = _rising, "1.0 to 3.6", "wine"


@pytest.mark.parametrize(
    ("keep", "spread", "ratio", "data"),
    [
        *((keep, *RISING) for keep in (_in_columns, _in_pairs)),
        (_in_pairs, _begun_with_1, "1.0 to 46", "breast_cancer"),
    ],
)
def test_labels_that_follow_from_what_is_kept_are_explained(
    keep: Any, spread: Any, ratio: str, data: str, diagnosis_of: Diagnose
) -> None:
    where, runs = KEEP[keep].replace("self", "self._model"), 20 if spread != _rising else 8

    diagnosis = diagnosis_of(partial(Keeps, keep, spread), data, offers="labels", runs=runs)

    (cause,) = diagnosis.causes
    labels = f"{diagnosis.n_predictions:,} of {diagnosis.n_predictions:,} labels"
    assert cause.evidence == f"On these data such a model gives {labels}."
    assert (cause.cause, diagnosis.unexplained) == ("learned", 0)
    assert cause.explained == diagnosis.n_disagreements > 0
    assert cause.summary == (
        f"The standard deviations that it keeps in `{where}` are {ratio} times those of "
        "each class's samples: with these numbers the textbook's formulas give its labels."
    )


LEARNED = "with these numbers the textbook's formulas give its labels"


def _skewed(rows: Any) -> Any:
    """Return means that count later rows for more."""
    return np.average(rows, axis=0, weights=np.arange(1, len(rows) + 1))


@pytest.mark.parametrize(
    ("changes", "data", "told"),
    [
        (
            {"spread": lambda rows: np.sqrt(rows.var(axis=0) * len(rows) + 1e-3)},
            "wine",
            "keeps in `self.s` are those of each class's samples, not divided by the "
            f"number of rows, with 0.001 added to the variances: {LEARNED}",
        ),
        (
            {
                "centre": _skewed,
                "spread": lambda rows: np.sqrt(((rows - _skewed(rows)) ** 2).mean(axis=0)),
            },
            "few",
            "The means in `self.m` are off by up to 0.36 deviations, and the standard "
            "deviations that it keeps in `self.s` are those of each class's samples about "
            f"these means: {LEARNED}",
        ),
        (
            {"centre": _skewed, "spread": lambda rows: np.maximum(rows.std(axis=0), 0.9)},
            "few",
            "that it keeps in `self.s` are those of each class's samples, or 0.9 where "
            f"these are smaller: {LEARNED}",
        ),
        (
            {"centre": _skewed, "spread": lambda rows: rows.std(axis=0) + 0.1},
            "few",
            "that it keeps in `self.s` are those of each class's samples, with 0.1 added "
            f"to the deviations: {LEARNED}",
        ),
        (
            {"change": lambda X: (X - X.mean(axis=0)) / X.std(axis=0)},
            "few",
            "are those of each class's samples once standardised: with these numbers and "
            "rows to label as they are given, the textbook's formulas give its labels.",
        ),
        (
            {"change": np.trunc, "spread": lambda rows: np.sqrt(rows.var(axis=0) + 1e-4)},
            "iris",
            "samples once rounded to whole numbers, towards zero, with 1e-4 added to the "
            "variances: with these numbers and rows to label as they are given, the ",
        ),
        (
            {"change": np.log1p, "asked": np.log1p},
            "breast_cancer",
            "samples once replaced by log(1 + x): with these numbers and rows to label "
            "that are changed alike, the textbook's formulas give its labels.",
        ),
        (
            {"centre": _skewed},
            "few",
            "The means in `self.m` are off by up to 0.36 deviations, and the standard "
            "deviations that it keeps in `self.s` are those of each class's samples: ",
        ),
    ],
)
def test_how_kept_numbers_follow_from_the_samples_is_told(
    changes: dict[str, Any], data: str, told: str
) -> None:
    made = {"keep": _in_arrays, "spread": partial(np.std, axis=0), **changes}
    samples = _overlapping() if data == "few" else LOADED[data](return_X_y=True)
    entry = Implementation("mine", partial(Keeps, **made))

    (diagnosis,) = diagnose_each(entry, implementation("sklearn"), [_trial(samples, 8)])

    (cause,) = (cause for cause in diagnosis.causes if cause.cause != "tie")
    assert cause.cause == "learned"
    assert told in cause.summary


@pytest.mark.parametrize(
    ("kept", "words"),
    [
        (lambda m, _: m.var, ""),
        (lambda m, n: m.var * n / (n - 1.0), " with divisor n − 1"),
        (lambda m, n: m.var * n / (n - 2.0), " with divisor n − 2"),
        (lambda m, n: m.var * n / (n + 1.0), " with divisor n + 1"),
        (lambda m, _: m.var + m.theta**2, " plus the squares of the classes' means"),
        (lambda m, _: m.var + 1e-3, ", with 0.001 added to the variances"),
        (
            lambda m, _: m.var + 1e-5 * m.pooled.max(axis=1)[:, None, None],
            ", with 1e-5 × the largest feature variance added to the variances",
        ),
        (lambda m, _: np.round(m.var + 0.01, 2) + 0.01, None),
        (lambda m, _: np.round(m.var, 3), ", rounded to 3 decimals"),
        (lambda m, _: m.var.astype(np.float16), ", rounded to half precision"),
        (
            lambda m, _: np.round(m.var, 4) + 1e-9 * m.pooled.max(axis=1)[:, None, None],
            ", rounded to 4 decimals",
        ),
    ],
)
def test_how_kept_variances_follow_from_the_samples(
    kept: Callable[[Any, Any], Any], words: str | None
) -> None:
    X, y = load_iris(return_X_y=True)
    rows = [np.arange(len(X)), np.flatnonzero(np.arange(len(X)) % 3)]
    moments = Batch.of([TrainedRun(X[r], y[r], X, 3, r) for r in rows]).moments()
    spreads = kept(moments, moments.counts[..., None])

    relation = Kept("m", moments.theta, {"s": spreads}, moments).relation("s", 1)

    assert (relation and relation.words) == words


def test_several_knobs_are_moved_until_that_was_in_vain_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    depths: list[int] = []

    def nothing(*asked: Any) -> list[Proposal]:
        depths.append(asked[-1])
        return []

    monkeypatch.setattr(kept_parameters, "_proposed_on", nothing)

    assert list(kept_parameters._proposed([(None, None)] * 4, DEFAULT)) == []  # type: ignore[list-item]
    assert depths == [1, 2, 1, 2, 1, 1]


def test_rows_to_label_are_changed_alike_only_where_rows_alone_tell_how() -> None:
    """What left rows out on one dataset has no labels for what changes rows on another."""
    numbers, seen = np.ones((1, 2, 1)), SimpleNamespace(labels=np.zeros(3))
    kept = Kept("m", numbers, {"s": numbers}, SimpleNamespace(), "the first of each class")  # type: ignore[arg-type]

    labels = Proposal("s", 1, DEFAULT, is_both=True).labels(kept, seen)  # type: ignore[arg-type]

    assert (labels == UNSEEN).all()


class OneMean(Keeps):
    """Keeps the means of all samples for each class."""

    def fit(self, X: Any, y: Any) -> "Keeps":
        self._centre = lambda rows: X.mean(axis=0) + 0.0 * rows[0]
        return super().fit(X, y)


class OfAllRows(Keeps):
    """Divides the sums of each class by the number of all rows."""

    def fit(self, X: Any, y: Any) -> "Keeps":
        self._centre = lambda rows: rows.sum(axis=0) / len(X)
        return super().fit(X, y)


@pytest.mark.parametrize(
    ("keeps", "data", "told"),
    [
        (OneMean, "wine", "all samples"),
        (OfAllRows, "few", "each class's samples, divided by the number of all rows"),
    ],
)
def test_what_means_are_of_is_told(keeps: type[Keeps], data: str, told: str) -> None:
    entry = Implementation("mine", partial(keeps, _in_arrays, partial(np.std, axis=0)))
    X, y = _overlapping() if data == "few" else LOADED[data](return_X_y=True)
    trial = _trial((X - X.mean(axis=0), y), 8)

    (diagnosis,) = diagnose_each(entry, implementation("sklearn"), [trial])

    assert diagnosis.causes[0].summary.startswith(
        f"The means in `self.m` are those of {told}, and the standard deviations that "
        "it keeps in `self.s` are those of each class's samples: "
    )


@pytest.mark.parametrize(
    ("theta", "numbers", "is_told"),
    [
        (1e8, 0.33, False),  # Shares, where squares of means have lost all digits of that
        (1e8, 1e16, False),  # Squares of means, no amount that is added
        (1.0, 1.0, True),
    ],
)
def test_kept_numbers_are_no_variances_for_large_means(
    theta: float, numbers: float, *, is_told: bool
) -> None:
    shape, means = (1, 2, 3), np.linspace(theta, theta + 3.0, 6).reshape(1, 2, 3)
    kept = numbers * (means / theta) ** 2 if numbers > 1.0 else np.full(shape, numbers)
    moments = SimpleNamespace(
        counts=np.array([[5.0, 9.0]]),
        theta=means,
        var=np.ones(shape),
        pooled=np.ones((1, 3)),
        ranges=np.ones((1, 3)),
    )
    of_models = Kept("m", means * (1.0 + 1e-10), {"s": kept}, moments)  # type: ignore[arg-type]

    assert (of_models.relation("s", 1) is not None) == is_told
    assert not of_models.off


@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        (
            np.arange(1.0, 7.0).reshape(1, 2, 3),
            " are those of each class's samples, but no",
        ),
        # One number above all variances, such as a class's rows, is no floor of them.
        (np.full((1, 1, 3), 3.0), " are those of each class's samples, but no"),
        (
            np.sqrt([[[5.0] * 3, [9.0] * 3]]),
            " and the standard deviations in `s` are those of each class's samples, not "
            "divided by the number of rows: look at what is made of them.",
        ),
    ],
)
def test_right_means_are_told_whatever_lies_beside(numbers: Any, told: str) -> None:
    means, var = np.ones((1, 2, 3)), np.ones((1, 2, 3))
    counts, pooled = np.array([[5.0, 9.0]]), np.ones((1, 3))
    more = {"pooled": pooled, "ranges": pooled}
    moments = SimpleNamespace(counts=counts, theta=means, var=var, **more)

    assert Kept("m", means, {"s": numbers}, moments).right.startswith(  # type: ignore[arg-type]
        f" The means in `m`{told}"
    )
    assert not Kept("m", means + 1.0, {"s": numbers}, moments).right  # type: ignore[arg-type]
    third = SimpleNamespace(counts=counts, theta=means / 3e-4, var=var, **more)
    in_single = (means / 3e-4).astype(np.float32)
    assert Kept("m", in_single, {"s": numbers}, third).right == (  # type: ignore[arg-type]
        " The means in `m` are those of each class's samples, rounded to single precision."
    )
    counted_from_1 = means * np.array([5.0 / 6.0, 0.9])[:, np.newaxis]
    assert Kept("m", counted_from_1, {"s": numbers}, moments).right == (  # type: ignore[arg-type]
        " The means in `m` are those of each class's samples with divisor n + 1."
    )


class OfSome(Keeps):
    """Learns from some of the rows."""

    def __init__(self, rows: Callable[[Any, Any], Any], added: float) -> None:
        super().__init__(_in_arrays, partial(_smoothed, added))
        self._rows = rows

    def fit(self, X: Any, y: Any) -> "Keeps":
        rows = self._rows(X, y)
        return super().fit(X[rows], y[rows])


@pytest.mark.parametrize(
    ("words", "data"),
    [
        ("all rows but the first of each class", "few"),
        ("all rows but the last of each class", "few"),
        ("rows 1, 3, 5, …", "breast_cancer"),
        ("rows 2, 4, 6, …", "breast_cancer"),
    ],
)
@pytest.mark.parametrize("added", [0.0, 0.1])
def test_rows_that_are_left_out_are_told(words: str, data: str, added: float) -> None:
    entry = Implementation("mine", partial(OfSome, ROWS_USED[words], added))
    X, y = _overlapping() if data == "few" else LOADED[data](return_X_y=True)
    trial = _trial((X / X.std(axis=0), y), 8)

    (diagnosis,) = diagnose_each(entry, implementation("sklearn"), [trial])

    (cause,) = diagnosis.causes
    added_to = f"in {words}, with 0.1 added to the variances: {LEARNED}"
    assert (added_to if added else f"It learns from {words} only") in cause.summary


def test_an_amount_that_is_kept_is_named_where_labels_alone_would_prove_none() -> None:
    """Other answers of the same code fit nothing, so that chance might explain these."""
    entry = Implementation("mine", partial(OnlySome, _in_arrays, partial(_smoothed, 1e-4)))
    trials = _two_trials()

    strange, plain = diagnose_each(entry, implementation("sklearn"), trials)

    assert [cause.cause for cause in strange.causes] == ["not-gnb"]
    (cause,) = plain.causes
    assert (cause.cause, cause.estimate) == ("smoothing-rule", 1e-4)
    assert cause.interval == (1e-4, 1e-4)


@pytest.mark.parametrize(
    ("added", "to"), [(("absolute", 0.1), "variances"), (("deviation", 0.1), "deviations")]
)
def test_an_amount_is_named_where_it_is_added(added: tuple[str, float], to: str) -> None:
    var, is_inside = np.linspace(0.5, 2.0, 6).reshape(1, 2, 3), to == "variances"
    kept = np.sqrt(var + 0.1) if is_inside else np.sqrt(var) + 0.1
    counts, pooled = np.array([[5.0, 9.0]]), np.ones((1, 3))
    more = {"pooled": pooled, "ranges": pooled}
    moments = SimpleNamespace(counts=counts, theta=var, var=var, **more)
    beside = np.sqrt(var) + 0.3 * is_inside  # Which stands first
    of_models = Kept("m", var, {"d": beside, "s": kept}, moments)  # type: ignore[arg-type]

    shown = of_models.shown_in(DEFAULT)

    assert shown is not None
    assert shown.smoothing == Amount(*added)
    assert f", with 0.1 added to the {to}: look at this amount, and at" in of_models.right


def test_an_amount_is_named_as_it_is_kept_where_labels_suggest_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    suggested = Variant(smoothing=Amount("absolute", 1e-10))

    def suggesting(sides: Sequence[ComparedSides], *_: Any) -> list[ComparedSides]:
        searches = [Search(DEFAULT, side.answers) for side in sides]
        results = [reproduced(search, search.fit(suggested)) for search in searches]
        pairs = zip(sides, results, strict=True)
        return [replace(side, result=result) for side, result in pairs]

    monkeypatch.setattr(
        sys.modules["gnbbench.diagnosis.diagnose"], "reconciled", suggesting
    )
    spread = partial(np.std, axis=0)
    entry = Implementation(
        "mine", partial(Keeps, _in_arrays, lambda rows: spread(rows) + 1e-6)
    )
    trial = _trial(hard_datasets()["scales"], 5)

    (diagnosis,) = diagnose_each(entry, implementation("sklearn"), [trial])

    (cause,) = diagnosis.causes
    assert cause.estimate == 1e-6
    assert "(standard deviation + 1e-6)²" in cause.summary


class OfLargest(Keeps):
    """Adds 1e-10 of the largest feature variance."""

    def fit(self, X: Any, y: Any) -> "Keeps":
        added = 1e-10 * X.var(axis=0).max()
        self._spread = lambda rows: np.sqrt(rows.var(axis=0) + added)
        return super().fit(X, y)


def test_a_share_of_the_largest_variance_is_named_where_a_number_would_do() -> None:
    entry = Implementation("mine", partial(OfLargest, _in_arrays, partial(np.std, axis=0)))
    trial = _trial(load_breast_cancer(return_X_y=True), 20)

    (diagnosis,) = diagnose_each(entry, implementation("sklearn"), [trial])

    (cause,) = diagnosis.causes
    assert "adds 1e-10 × the largest feature variance" in cause.summary


class OfOtherShares:
    """Keeps a structured array with a share of some variances, which may be added later."""

    def __init__(self, unit: Callable[[Any, Any], Any], n_later: int = 0) -> None:
        self._unit, self._n_later = unit, n_later

    def fit(self, X: Any, y: Any) -> "OfOtherShares":
        labels = np.unique(y)
        kind = [("m", float, X.shape[1]), ("v", float, X.shape[1])]
        self.kept = np.zeros(len(labels), dtype=kind)
        self.kept["m"] = [X[y == label].mean(axis=0) for label in labels]
        self.kept["v"] = [X[y == label].var(axis=0) for label in labels]
        added = 1e-9 * self._unit(X, self.kept["v"])
        self.kept["v"] += added
        self._later = added * self._n_later
        self._labels, self._priors = labels, np.log([np.mean(y == c) for c in labels])
        return self

    def predict(self, X: Any) -> Any:
        v, squares = self.kept["v"] + self._later, (X[:, np.newaxis] - self.kept["m"]) ** 2
        logs = self._priors - 0.5 * (np.log(v) + squares / v).sum(axis=2)
        return self._labels[logs.argmax(axis=1)]


@pytest.mark.parametrize(
    ("unit", "told"),
    [
        (lambda X, _: X.var(axis=0).mean(), "the mean of the feature variances"),
        (lambda X, _: X.var(), "the variance of all numbers"),
        (lambda X, _: X.var(axis=0).sum(), "the sum of the feature variances"),
        # Two labels alone differ
        (lambda _, v: v.max(), "the largest variance within any class"),
    ],
)
def test_a_share_of_other_variances_is_named_where_it_is_kept(
    unit: Callable[[Any, Any], Any], told: str
) -> None:
    entry = Implementation("mine", partial(OfOtherShares, unit))
    trial = _trial(load_breast_cancer(return_X_y=True), 20)

    (diagnosis,) = diagnose_each(entry, implementation("sklearn"), [trial])

    (cause,) = diagnosis.causes
    assert cause.summary == f"It adds 1e-9 × {told} to every variance."
    assert cause.interval == (1e-9, 1e-9)


def test_an_amount_that_is_kept_may_be_added_twice() -> None:
    """Labels alone would suggest 4.5e-8 × the mean of the feature variances."""
    entry = Implementation(
        "mine", partial(OfOtherShares, lambda X, _: X.var(axis=0).max(), 1)
    )
    trial = _trial(load_breast_cancer(return_X_y=True), 20)

    (diagnosis,) = diagnose_each(entry, implementation("sklearn"), [trial])

    (cause,) = diagnosis.causes
    assert cause.summary == "It adds 2e-9 × the largest feature variance to every variance."


def test_an_amount_in_the_density_is_not_named_where_another_is_in_what_is_kept() -> None:
    """Labels alone would allow either beside a floor."""
    small = partial(_smoothed, 1e-9)
    entry = Implementation("mine", partial(Clips, _in_arrays, small))
    trials = [_trial(hard_datasets()[name], 5) for name in ("scales", "few")]
    trials.append(_trial(load_breast_cancer(return_X_y=True), 20))

    scales = diagnose_each(entry, implementation("sklearn"), trials)[0]

    causes = {cause.cause: cause for cause in scales.causes}
    assert set(causes) == {"smoothing-rule", "density-floor"}
    assert causes["smoothing-rule"].summary.startswith("It adds 1e-9 to every variance")


def test_an_amount_is_not_sought_with_an_order_of_other_classes() -> None:
    """Labels of one dataset fit an order of its three classes; the other has two."""

    def spread(rows: Any) -> Any:
        squares = (rows**2).mean(axis=0) - np.abs(rows.mean(axis=0))
        return np.sqrt(squares + 0.3)

    entry = Implementation("mine", partial(Keeps, _in_arrays, spread))
    trials = [_trial(hard_datasets()["scales"], 5), _trial(load_iris(return_X_y=True), 5)]

    with np.errstate(invalid="ignore"):
        found = diagnose_each(entry, implementation("sklearn"), trials)

    assert all(diagnosis.n_disagreements for diagnosis in found)


def test_an_order_of_labels_of_one_dataset_is_not_tried_on_another() -> None:
    """With two classes the second largest score is the smallest."""
    entry = Implementation(
        "mine", partial(SecondBest, _in_arrays, partial(_smoothed, 1e-4))
    )
    trials = _two_trials()

    found = diagnose_each(entry, implementation("sklearn"), trials)

    assert all(diagnosis.n_disagreements for diagnosis in found)


def _smoothed(amount: float, rows: Any) -> Any:
    return np.sqrt(rows.var(axis=0) + amount)


LOADED = {"wine": load_wine, "breast_cancer": load_breast_cancer, "iris": load_iris}


def _overlapping() -> tuple[Any, Any]:
    """Return classes of ten rows whose features have other units."""
    y, rng = np.repeat(np.arange(12), 10), np.random.default_rng(0)
    X = rng.normal(size=(120, 5)) + 1.5 * rng.normal(size=(12, 5))[y]
    return X * [1.0, 0.5, 3.0, 1.0, 2.0] + 1.0, y


def _trial(samples: tuple[Any, Any], n_runs: int) -> Trial:
    X, y = samples
    return Trial(
        X, y, [(one.train, one.test) for one in (split(y, n) for n in range(n_runs))]
    )


def _two_trials() -> list[Trial]:
    return [_trial(LOADED[n](return_X_y=True), 8) for n in ("wine", "breast_cancer")]


def diagnosed(keep: Any, spread: Any, X: Any, y: Any) -> Diagnosis:
    entry = Implementation("mine", partial(Keeps, keep, spread))
    return diagnose_each(entry, implementation("sklearn"), [_trial((X, y), 8)])[0]


@pytest.mark.parametrize("keep", [_in_arrays, _in_columns])
def test_with_as_many_classes_as_features_numbers_lie_as_the_means_do(keep: Any) -> None:
    X, y = load_wine(return_X_y=True)

    (cause,) = diagnosed(keep, _rising, X[:, [0, 1, 6]], y).causes

    assert cause.cause == "learned"
    assert "are 1.0 to 1.7 times those" in cause.summary  # The root of 3


def test_where_a_class_has_no_variance_kept_numbers_have_no_ratio() -> None:
    X, y = load_wine(return_X_y=True)
    X = np.column_stack([X, np.where(y == 0, 3.0, X[:, 0])])

    (cause,) = diagnosed(_in_arrays, lambda rows: _rising(rows) + 0.3, X, y).causes

    assert cause.cause == "learned"
    assert "are 1.5 to 7.4 times those" in cause.summary


class Clips(Keeps):
    """Takes no distance for more than three deviations."""

    def scores(self, X: Any) -> Any:
        means, deviations, shares = self._made()
        gaps = np.minimum(np.abs(X[:, np.newaxis] - means) / deviations, 3.0)
        logs = -0.5 * gaps**2 - np.log(deviations)
        return logs.sum(axis=2) + np.log(shares)


class SecondBest(Keeps):
    """Gives the label of the second largest score."""

    def predict(self, X: Any) -> Any:
        return np.array(self._labels)[np.argsort(self.scores(X), axis=1)[:, -2]]


class OnlySome(Keeps):
    """Labels at random where there are more than two classes."""

    def predict(self, X: Any) -> Any:
        is_known = len(self._labels) == 2
        return super().predict(X) if is_known else AtRandom.predict(self, X)  # type: ignore[arg-type]


class AtRandom(Keeps):
    """Draws labels by the sample's first feature alone."""

    def predict(self, X: Any) -> Any:
        return np.array(self._labels)[(np.asarray(X)[:, 0] * 1e4).astype(int) % 3]


@pytest.mark.parametrize(
    ("spread", "told"),
    [
        (_rising, ""),
        (partial(np.std, axis=0), "are those of each class's samples: look at"),
        (
            partial(np.std, axis=0, ddof=1),
            "are those of each class's samples with divisor n − 1: look at",
        ),
    ],
)
def test_what_is_kept_is_no_cause_where_labels_do_not_follow_from_it(
    spread: Any, told: str, diagnosis_of: Diagnose
) -> None:
    """But that it is right is told, as the fault must lie in what is made of it."""
    make = partial(AtRandom, _in_arrays, spread)

    (cause,) = diagnosis_of(make, "wine", offers="labels").causes

    assert cause.cause == "not-gnb"
    kept = "The means in `self._model.m` and the standard deviations in `self._model.s` "
    assert (f"{kept}{told}" in cause.summary) == bool(told)


class KeepsInSingle(Keeps):
    """Keeps means in single precision."""

    def fit(self, X: Any, y: Any) -> "KeepsInSingle":
        super().fit(X, y)
        kept = vars(self)
        kept |= {"m": kept["m"].astype(np.float32), "_made": None}
        return self


def test_rows_of_the_means_are_no_spreads() -> None:
    X, y = load_iris(return_X_y=True)
    entry = Implementation("mine", partial(KeepsInSingle, _in_arrays, _rising))
    X = 1.5 * (X - X.mean(axis=0)) + 1e8  # Single precision has steps of 8 there
    batch = Batch.of([TrainedRun(X, y, X, 3, np.arange(len(X)))])
    compared = SimpleNamespace(answers=SimpleNamespace(batch=batch), classes=np.arange(3))

    kept = kept_parameters.kept_of(entry, compared)  # type: ignore[arg-type]

    assert kept is not None
    assert not {"self.m[0]", "self.m[1]"} & {*kept.spreads}
    assert kept.change == ""


def test_an_isolated_model_tells_what_it_keeps() -> None:
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.repeat([0, 1], 15)
    model = isolated(GaussianNB, timeout_seconds=60).make()
    model.fit(X, y)

    there, here = model.kept_numbers(), kept_numbers(GaussianNB().fit(X, y))

    assert there.paths == here.paths
    np.testing.assert_array_equal(there.values, here.values)


class LessTheMean(Keeps):
    """Subtracts the size of the mean from the mean square, not its square."""

    def fit(self, X: Any, y: Any) -> "Keeps":
        added = 1e-9 * X.var(axis=0).max()

        def spread(rows: Any) -> Any:
            with np.errstate(invalid="ignore"):
                less = (rows**2).mean(axis=0) - np.abs(rows.mean(axis=0))
                return np.sqrt(less + added)

        self._spread = spread
        return super().fit(X, y)


def test_no_number_is_fitted_that_does_not_explain_one_label_for_all_rows() -> None:
    entry = Implementation("mine", partial(LessTheMean, _in_arrays, np.std))
    trials = [_trial(load(return_X_y=True), 5) for load in (load_iris, load_breast_cancer)]
    trials.append(_trial(hard_datasets()["scales"], 5))

    found = diagnose_each(entry, implementation("sklearn"), trials)

    causes = {cause.cause for diagnosis in found for cause in diagnosis.causes}
    assert causes == {"learned", "constant"}


class AveragesSquares(GaussianNB):  # type: ignore[misc]
    """Takes the mean over the features for their sum."""

    smoothing = 1e-9

    def fit(self, X: Any, y: Any) -> "AveragesSquares":
        self.var_smoothing = self.smoothing
        super().fit(X, y)
        return self

    def _joint_log_likelihood(self, X: Any) -> Any:
        gaps = (X[:, np.newaxis] - self.theta_) ** 2 / self.var_
        logs = -0.5 * gaps.mean(axis=2) - 0.5 * np.log(self.var_).sum(axis=1)
        return logs + np.log(self.class_prior_)


@pytest.mark.parametrize(
    ("smoothing", "told"),
    [
        (1e-9, "samples, smoothed as scikit-learn's are: look at what is made of them"),
        (
            1e-3,
            "samples, with 0.001 × the largest feature variance added to the variances: ",
        ),
    ],
)
def test_variances_that_are_kept_smoothed_are_right(smoothing: float, told: str) -> None:
    make = type("Mine", (AveragesSquares,), {"smoothing": smoothing})

    trials = [_trial(load_breast_cancer(return_X_y=True), 8)]
    (diagnosis,) = diagnose_each(
        Implementation("mine", make), implementation("sklearn"), trials
    )

    (cause,) = diagnosis.causes
    assert cause.cause == "not-gnb"
    assert told in cause.summary
