"""Causes in code as people write it are right or called unclear, never made up."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from faults import planted
from faults.plain_bayes import Formula, labels
from scipy.special import log_softmax, softmax
from scipy.stats import norm
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.naive_bayes import GaussianNB

from gnbbench.diagnosis import (
    Diagnosis,
    Trial,
    across_datasets,
    changed_samples,
    diagnose,
    diagnose_each,
    identification,
    kept_parameters,
    variants,
)
from gnbbench.diagnosis.acceptance import Identified, settled_by
from gnbbench.diagnosis.changed_samples import start_of_search
from gnbbench.diagnosis.diagnose import Known
from gnbbench.diagnosis.findings import remedy_of, remedy_of_crash, summary_of
from gnbbench.diagnosis.identification import DEPTH
from gnbbench.diagnosis.moments import ROUNDINGS, Batch, TrainedRun
from gnbbench.diagnosis.moves import hard_datasets, together
from gnbbench.diagnosis.observations import AGAIN, NUDGES, SINGLY
from gnbbench.diagnosis.variants import DEFAULT, FORMS, TIES, Amount, Variant, complexity
from gnbbench.implementations import Implementation, implementation
from gnbbench.splits import split, splits
from gnbbench.words import amount

pytestmark = pytest.mark.slow
Diagnose = Callable[..., Diagnosis]


@pytest.fixture
def shallow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turn one knob at most, however far another cause is sought."""
    monkeypatch.setattr(Known, "depths", (1, 1))


def written(**formula: Any) -> Callable[[], Any]:
    """Return a maker of a class that computes by a formula and offers only labels."""
    how = Formula(**formula)

    class Written:
        def fit(self, X: Any, y: Any) -> None:
            self.seen = X, y

        def predict(self, X: Any) -> Any:
            return labels(how, (*self.seen, X))

    return Written


def named(diagnosis: Diagnosis) -> list[str]:
    return [cause.cause for cause in diagnosis.causes]


def labelled(make: Callable[[], Any]) -> Callable[[], Any]:
    """Return a maker of code that offers the labels of another alone."""
    return lambda: planted.LabelsOnly(make())


def probable(make: Callable[[], Any]) -> Callable[[], Any]:
    """Return a maker of code that offers the labels and probabilities of another."""
    return lambda: planted.ProbabilitiesOnly(make())


def scoring(scores: Callable[[Any, Any], Any], smoothing: float = 0.0) -> Callable[[], Any]:
    """Return a maker of code that labels by scores of scikit-learn's numbers and rows."""

    class Scoring:
        def fit(self, X: Any, y: Any) -> None:
            self.model = GaussianNB(var_smoothing=smoothing).fit(X, y)

        def predict(self, X: Any) -> Any:
            with np.errstate(all="ignore"):
                return self.model.classes_[scores(self.model, X).argmax(axis=1)]

    return Scoring


def sample_variances(model: Any) -> Any:
    counts = model.class_count_[:, np.newaxis]
    return model.var_ * counts / (counts - 1)


def naive(model: Any, X: Any, var: Any) -> Any:
    """Return the scores of the formulas, with other variances."""
    away = (X[:, None] - model.theta_) ** 2 / var
    return np.log(model.class_prior_) - 0.5 * (np.log(2 * np.pi * var) + away).sum(axis=2)


class Changed(planted.PlainGNB):  # type: ignore[misc]  # faults has no types
    """Changes what it has learned by a function of itself, the samples and labels."""

    def __init__(self, change: Callable[[Any, Any, Any], object]) -> None:
        self.change = change

    def fit(self, X: Any, y: Any) -> "Changed":
        super().fit(X, y)
        self.change(self, X, y)
        return self


def with_variances(of: Callable[[Any], Any]) -> Callable[[], Any]:
    """Return a maker of code with other variances, a function of the model."""
    return partial(Changed, lambda m, *_: setattr(m, "var_", 0.0 * m.var_ + of(m)))


@pytest.mark.parametrize("label", [0, 2])
def test_one_label_for_all_is_constant_and_no_knob(
    label: int, diagnosis_of: Diagnose
) -> None:
    make = partial(planted.OneLabel, label)
    diagnosis = diagnosis_of(make, "wine", offers="labels", runs=3)

    assert named(diagnosis) == ["constant"]
    assert diagnosis.causes[0].summary == f"It gives the label {label} to all 162 rows."
    assert diagnosis.causes[0].explained == diagnosis.n_disagreements
    assert {one.causes for one in diagnosis.disagreements} == {("constant",)}


@pytest.mark.parametrize(
    ("score", "words"),
    [(0.5, ", with equal probabilities for all classes."), (np.nan, ", with NaN for prob")],
)
def test_one_label_from_useless_scores_is_constant_on_all_data(
    score: float, words: str
) -> None:
    """Even if multiplied densities, or other data, would give that label."""

    class Blank:
        def fit(self, X: Any, y: Any) -> None: ...

        def predict(self, X: Any) -> Any:
            return np.zeros(len(X), dtype=int)

        def predict_proba(self, X: Any) -> Any:
            return np.full((len(X), 2), score)

    for diagnosis in diagnosed_each("scales, many", Blank, n_made=2):
        assert [one.cause for one in diagnosis.causes if one.explained] == ["constant"]
        assert words in diagnosis.causes[0].summary


class Rounds(planted.PlainGNB):  # type: ignore[misc]  # faults has no types
    """Sees samples with so many significant digits; the prior may count several times."""

    def __init__(self, digits: int, repeats: int = 1, places: str = "") -> None:
        self.digits, self.repeats, self.places = digits, repeats, places

    def cast(self, X: Any) -> Any:
        if self.places == f", in {['fit', 'predict'][not hasattr(self, 'theta_')]} alone":
            return X
        if not self.digits:
            return np.trunc(X)
        return np.array([[float(f"{cell:.{self.digits}g}") for cell in row] for row in X])

    def joint(self, X: Any) -> Any:
        return super().joint(X) + (self.repeats - 1) * np.log(self.class_prior_)


@pytest.mark.usefixtures("shallow")
@pytest.mark.parametrize(
    ("digits", "repeats", "is_rounding", "places"),
    [
        *((2, 1, True, ""), (0, 1, True, ""), (2, 2, False, "")),
        *((0, 1, True, ", in fit alone"), (0, 1, True, ", in predict alone")),
    ],
)
def test_samples_that_are_rounded_are_named_where_that_is_all(
    digits: int, repeats: int, is_rounding: bool, places: str
) -> None:
    X, y = hard_datasets()["few"]
    largest = np.isin(y, np.argsort(-np.bincount(y))[:5])
    large = X[largest], y[largest]
    other = 7.0 * X[largest] + 1.5, y[largest]
    trials = [trial_of(of, 1) for of in (large, hard_datasets()["outliers"], other)]
    entry = Implementation(
        "rounds", lambda: planted.ProbabilitiesOnly(Rounds(digits, repeats, places))
    )

    diagnoses = diagnose_each(entry, implementation("sklearn"), trials)

    for diagnosis in diagnoses:
        assert (named(diagnosis) == ["rounding"]) is is_rounding
    assert sum(diagnosis.n_disagreements for diagnosis in diagnoses) > 0
    if is_rounding:
        words = "2 significant digits" if digits else "whole numbers, towards zero"
        assert f"It rounds samples to {words}{places}: sc" in diagnoses[0].causes[0].summary


def test_nothing_is_added_to_a_normaliser_that_a_density_lacks() -> None:
    """Nor do its labels tell whether single densities or their products underflow."""

    def joint(model: GaussianNB, X: Any) -> Any:
        gaps = X[:, np.newaxis] - model.theta_
        return np.exp(-((gaps / model.var_) ** 2) / 2).prod(axis=-1)

    trials = [trial_on(name, 2) for name in ("outliers", "few", "scales", "wine")]
    entry = Implementation("mine", labelled(scoring(joint)))

    found = diagnose_each(entry, implementation("sklearn"), trials)

    causes = {cause.cause: cause for diagnosis in found for cause in diagnosis.causes}
    assert {*causes} == {"density-formula", "underflow", "prior", "no-smoothing"}
    assert causes["underflow"].summary.startswith("It computes densities, which underflow")


class FlooredLow(planted.PlainGNB):  # type: ignore[misc]
    def log_density(self, X: Any, theta: Any, var: Any) -> Any:
        return np.maximum(super().log_density(X, theta, var), np.log(1e-300))


def test_a_floor_is_the_least_where_other_data_refute_a_larger_one() -> None:
    trials = [trial_on(name, 5) for name in ("outliers", "breast_cancer")]

    floored, _ = diagnose_each(
        Implementation("mine", FlooredLow), implementation("sklearn"), trials
    )

    (cause,) = floored.causes
    assert (cause.cause, cause.estimate) == ("density-floor", 1e-300)
    assert "does the same" not in cause.summary


def test_a_few_labels_show_no_amount_that_nothing_else_shows() -> None:
    """Exponentials of scores, whose priors are not divided, are lost a little later."""

    def joint(model: GaussianNB, X: Any) -> Any:
        n = model.class_count_[:, np.newaxis]
        spread, gaps = np.sqrt(model.var_ * n / (n - 1)), (X[:, np.newaxis] - model.theta_)
        logs = -(gaps**2) / (2 * spread) - 0.5 * np.log(2 * np.pi * spread**2)
        return np.exp(logs.sum(axis=-1) + np.log(model.class_count_ / len(n)))

    trials = [trial_on(name, 2) for name in hard_datasets()]
    trials.append(trial_on("breast_cancer", 4))
    entry = Implementation("mine", labelled(scoring(joint)))

    found = diagnose_each(entry, implementation("sklearn"), trials)

    causes = {cause for diagnosis in found for cause in named(diagnosis)}
    true = {"density-formula", "underflow", "variance-divisor", "no-smoothing"}
    assert causes - {"undecided"} == true


class ScalesRowsAsked(GaussianNB):  # type: ignore[misc]  # scikit-learn has no types
    """Scales training rows and rows to label, each by themselves."""

    def fit(self, X: Any, y: Any) -> Any:
        return super().fit((X - X.mean(axis=0)) / X.std(axis=0), y)

    def predict(self, X: Any) -> Any:
        return super().predict((X - X.mean(axis=0)) / (X.std(axis=0) + 1e-12))


def test_a_row_that_is_scaled_with_others_is_no_memory(diagnosis_of: Diagnose) -> None:
    found = diagnosis_of(ScalesRowsAsked, "breast_cancer", offers="labels", runs=2)

    (cause,) = found.causes
    assert cause.summary.startswith("The answer for a row depends on the rows asked for")
    assert "by what fit has kept" in cause.remedy


class DropsTheAxis(GaussianNB):  # type: ignore[misc]  # scikit-learn has no types
    def predict(self, X: Any) -> Any:
        return np.squeeze(super().predict(X))


# Code with a single possible cause -> the words of that cause.
ALONE: dict[str, tuple[Callable[[], Any], str, str, str]] = {
    "cancellation": (planted.CancellingVariance, "wine+1e7", "labels", "It computes"),
    "density-formula": (
        written(smoothing=("none", 0.0), mistake="x - mu/sigma"),
        *("wine", "labels", "x − mean / deviation"),
    ),
    "stateful": (
        planted.ForgetsWhilePredicting,
        *("wine", "labels", "of the rows in another order"),
    ),
    "crash": (planted.RaisesInFit, "iris", "everything", "3 of 3 runs failed"),
    "alone": (DropsTheAxis, "iris", "labels", "`predict` gives shape () instead of (1,)"),
}


@pytest.mark.parametrize("cause", ALONE)
def test_one_cause_alone_is_named(cause: str, diagnosis_of: Diagnose) -> None:
    """Lost scores are not a constant label; with an invalid density there is no prior."""
    make, where, offers, words = ALONE[cause]

    diagnosis = diagnosis_of(make, where, offers=offers, runs=3)

    assert named(diagnosis) == [cause]
    assert words in diagnosis.causes[0].summary
    assert (diagnosis.setting == "") == (cause == "crash")
    assert "as scikit-learn" not in diagnosis.verdict


def test_five_labels_are_undecided_and_the_remedy_is_more_runs(
    diagnosis_of: Diagnose,
) -> None:
    make = written(smoothing=("added", 0.01))

    few, many = (diagnosis_of(make, where, runs=6) for where in ("wine", "breast_cancer"))

    assert 0 < few.n_disagreements < 6
    assert named(few) == ["undecided"]
    assert "too few to tell" in few.causes[0].summary
    assert "--runs 200" in few.causes[0].remedy
    assert named(many) == ["smoothing-rule"]


@pytest.mark.parametrize("amount", [1e-6, 1e-3, 0.1, 1.0])
def test_an_amount_is_absolute_short_and_within_its_interval(
    amount: float, diagnosis_of: Diagnose
) -> None:
    diagnosis = diagnosis_of(written(smoothing=("added", amount)), "breast_cancer", runs=8)

    (cause,) = diagnosis.causes
    assert cause.estimate == amount
    assert cause.interval is not None
    assert cause.interval[0] <= amount <= cause.interval[1]
    assert "×" not in cause.summary


@pytest.mark.parametrize("smoothing", [("added", 1e-9), ("in the density", 5e-7)])
def test_undetectably_small_smoothing_is_called_none_or_less(
    smoothing: tuple[str, float], diagnosis_of: Diagnose
) -> None:
    """The bound holds wherever the amount is added."""
    diagnosis = diagnosis_of(written(smoothing=smoothing), "breast_cancer", runs=8)

    (cause,) = diagnosis.causes
    assert cause.cause == "no-smoothing"
    least = "or too little to show: a constant up to about 1e-6 does the same."
    assert cause.summary == f"It adds nothing to the variances, {least}"
    assert "1e-9 × the largest feature variance" in cause.remedy


def test_a_row_that_depends_on_its_neighbours_is_stateful_and_few_are_asked(
    diagnosis_of: Diagnose,
) -> None:
    asked: list[int] = []
    make = partial(planted.LooksAtItsNeighbours, asked)

    diagnosis = diagnosis_of(make, "wine", offers="labels", runs=2)

    assert named(diagnosis) == ["stateful"]
    assert "one by one" in diagnosis.causes[0].summary
    assert sum(asked) <= 3 * 54 + AGAIN + SINGLY + (2 * NUDGES + 1) * SINGLY


def test_state_shared_between_models_is_detected(diagnosis_of: Diagnose) -> None:
    """Which counts how often models were fitted, and moves the means by that."""
    fits = iter(range(100))

    def moved(model: Any, _X: Any, _y: Any) -> None:
        model.theta_ *= 1.0 + 0.05 * next(fits)

    diagnosis = diagnosis_of(partial(Changed, moved), "wine", offers="labels", runs=3)

    assert named(diagnosis)[0] == "stateful"
    assert "a new model" in diagnosis.causes[0].summary


def test_small_probabilities_that_all_rows_share_were_not_kept_from_zero() -> None:
    class Blind(planted.PlainGNB):  # type: ignore[misc]
        def joint(self, X: Any) -> Any:
            scores = np.log(self.class_prior_) - 0.5 * np.log(self.var_).sum(axis=1)
            return np.tile(scores, (len(X), 1))

    every = diagnosed_each("wine, breast_cancer", probable(Blind), n_runs=8)

    assert [named(diagnosis) for diagnosis in every] == [["constant"], ["constant"]]


def test_a_difference_of_2e_7_is_not_rounding(diagnosis_of: Diagnose) -> None:
    diagnosis = diagnosis_of(
        planted.SlightlyOffProbabilities, "iris", offers="probabilities", runs=1
    )

    assert diagnosis.causes
    assert not diagnosis.same
    assert "rounding" not in diagnosis.verdict
    assert named(diagnosis) == ["clipped"]
    assert "differ by up to 4.0 × 10⁻⁷" in diagnosis.causes[0].summary.replace("\xa0", " ")
    assert (diagnosis.largest_remaining_difference or 0.0) > 1e-8


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"form": "nearest mean"}, "the nearest class mean, which is Gaussian naive Bayes"),
        ({"form": "normaliser not logged"}, "the normaliser itself beside logarithms"),
        ({"form": "no logarithm"}, "a sum of densities in place of their logarithms"),
        ({"prior": "uniform"}, "all classes the same prior"),
        ({"form": "last left out"}, "leaves out the last feature"),
        ({"prior": "twice"}, "counts the prior twice"),
        ({"prior": "inverted"}, "subtracts its logarithm"),
        ({"prior": "log of one more"}, "adds log(1 + prior) to"),
        ({"prior": "odds"}, "takes count / (n − count) for a prior"),
        ({"prior": "rounded to 2"}, "rounds priors to 2 decimals"),
        ({"prior": "but for the last"}, "leaves out the prior of the last class alone"),
        ({"prior": "for the last alone"}, "It uses the prior of the last class alone."),
        ({"pooling": "one variance"}, "uses one variance of all numbers"),
        ({"pooling": "one mean a class"}, "uses one mean of all numbers of a class"),
        (
            {"pooling": "first feature"},
            "uses the mean and variance of a class's first feature for all of",
        ),
        (
            {"form": "last exponent"},
            "uses the last class's variances in the exponent of every class.",
        ),
        ({"prior": "each feature and once"}, "once for each feature and once more."),
        ({"form": "no variance"}, "squared distances that are not divided by the variance"),
        ({"label_order": "one too high"}, "has labels that are one too high"),
        (
            {"label_order": "by appearance", "column_order": "by appearance"},
            "It has scores in the order in which the classes first appear, but labels and "
            "probability columns in that of `np.unique(y)`.",
        ),
        ({"prior": (0.9, 0.1)}, "0.9 and 0.1 in every run, or a threshold other than 1/2"),
        ({"prior": "densities to base 10"}, "densities' logarithms to base 10"),
        ({"ties": "appearance", "space": "product"}, "comes first in the training rows"),
        (
            {"smoothing": Amount("floor", 1e-6)},
            "It uses max(variance, 1e-6) or max(standard deviation, 0.001).",
        ),
    ],
)
def test_each_knob_has_a_sentence_and_a_remedy(fields: Any, words: str) -> None:
    found = Identified(replace(Variant(), **fields), "reproduced")

    fields = {"class order": 0, **fields} if "label_order" in fields else fields
    for knob in {"class order", "form", "pooling", "prior", "space", "smoothing"} & set(
        fields
    ):
        assert words in summary_of(knob, found)
        assert "`" in remedy_of(knob, found, Variant(), 1.0)


def test_remedies_say_what_they_replace_or_that_none_is_known() -> None:
    add_one = Identified(Variant(prior="add-one"), "reproduced")
    deviation = Identified(Variant(form="deviation for variance"), "reproduced")

    assert "without adding 1 to its count" in remedy_of("prior", add_one, Variant(), 1.0)
    assert "`var = rows.var(" in remedy_of("form", deviation, Variant(), 1.0)
    # The knob called floor is one under densities, and its remedy another.
    floor = Identified(Variant(smoothing=Amount("floor", 0.01)), "reproduced")
    remedy = remedy_of("smoothing", floor, Variant(), 1.0)
    assert remedy.startswith("Add 1e-9 × the largest feature variance")
    instead = "of your max(variance, 0.01) or max(standard deviation, 0.1) to the variances"
    assert instead in remedy
    unknown = "ZeroDivisionError: x (nb.py, line 3: raise ZeroDivisionError('x'))"
    assert remedy_of_crash(unknown) == "No remedy is known for this error."
    assert remedy_of_crash("NameError: name 'reduce' is not defined (nb.py, line 1)") == ""
    assert remedy_of_crash("ValueError: shapes (nb.py, line 1: a + b; write a)") == ""
    two = "ValueError: too many values to unpack (expected 2) (nb.py, line 1: a, b = {})"
    assert "takes them to be two" in remedy_of_crash(two.format("np.unique(y)"))
    assert "takes them" not in remedy_of_crash(two.format("np.linalg.eig(X)"))
    assert "an array that is too small" in remedy_of_crash(
        "ended with signal SIGSEGV; kept"
    )


def test_of_amounts_that_do_the_same_the_shortest_absolute_one_is_simplest() -> None:
    amounts = {"largest": (1.585e-12, 1e-12), "absolute": (2e-6, 1e-6)}
    options = [Amount(rule, one) for rule, both in amounts.items() for one in both]
    ranks = [complexity(Variant(smoothing=one), Variant()) for one in options]

    assert ranks == sorted(ranks, reverse=True)
    assert len(set(ranks)) == 4


def test_labels_of_iris_could_not_show_the_divisor(diagnosis_of: Diagnose) -> None:
    diagnosis = diagnosis_of(written(ddof=1), "iris", runs=2)

    assert diagnosis.same
    assert "dividing by n − 1" in diagnosis.not_shown
    sound = diagnosis_of(planted.PlainGNB, "iris", offers="probabilities", runs=2)
    assert sound.not_shown == ()


def test_no_label_where_densities_vanish_is_underflow() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    X = rng.normal(size=(80, 300)) * 30.0 + 20.0 * y[:, np.newaxis]
    one = split(y, 0, seed=42)

    make = planted.NoLabelForLostScores
    entry = Implementation("mine", labelled(make))
    diagnosis = diagnose(entry, implementation("sklearn"), X, y, [(one.train, one.test)])

    assert named(diagnosis) == ["underflow"]
    assert diagnosis.causes[0].explained == diagnosis.n_disagreements > 0


class Foreign(planted.PlainGNB):  # type: ignore[misc]
    """Gives answers that are no labels to rows whose scores are all below a bound."""

    def __init__(self, answers: tuple[Any, ...], bound: float) -> None:
        super().__init__()
        self.answers, self.bound = np.array(answers, dtype=object), bound

    def predict(self, X: Any) -> Any:
        joint = self.joint(X)
        labels = self.classes_[joint.argmax(axis=1)].astype(object)
        is_low = (joint < self.bound).all(axis=1)
        labels[is_low] = self.answers[(X[is_low, 0] > 0.0) % len(self.answers)]
        return labels


@pytest.mark.parametrize(
    ("answers", "cause"), [((None,), "underflow"), ((10, 11), "unseen-class")]
)
def test_several_foreign_labels_are_no_lost_ones(
    answers: tuple[Any, ...], cause: str
) -> None:
    """As those that another model has left behind."""
    rng, y = np.random.default_rng(0), np.repeat([0, 1], 40)
    X = rng.normal(size=(80, 157)) * 30.0 + 4.0 * y[:, np.newaxis]
    splits = [(one.train, one.test) for one in (split(y, n, seed=42) for n in range(6))]
    entry = Implementation("mine", labelled(lambda: Foreign(answers, -745.13)))

    diagnosis = diagnose(entry, implementation("sklearn"), X, y, splits)

    assert named(diagnosis)[0] == cause
    assert diagnosis.causes[0].explained == diagnosis.n_disagreements > 0


@pytest.mark.parametrize(("answers", "is_start"), [((None,), True), ((10, 11), False)])
def test_several_foreign_labels_show_no_start_of_a_search(
    answers: tuple[Any, ...], *, is_start: bool
) -> None:
    entry = Implementation("mine", labelled(lambda: Foreign(answers, -20.0)))

    start = start_of_search(implementation("sklearn"), entry)

    assert start.shown[1].startswith("no label to rows") == is_start
    assert bool(start.models) == is_start


class StartsAtRow(planted.PlainGNB):  # type: ignore[misc]
    """Gives rows with low scores the label of a training row, by its place."""

    def __init__(self, place: int | None) -> None:
        self.place = place

    def fit(self, X: Any, y: Any) -> Any:
        self.label = np.unique(y)[0] if self.place is None else y[self.place]
        return super().fit(X, y)

    def predict(self, X: Any) -> Any:
        is_low = self.joint(X).max(axis=1) < -20.0
        return np.where(is_low, self.label, super().predict(X))


@pytest.mark.parametrize(
    ("place", "told"),
    [(0, "the class that comes first in the training rows"), (None, "the first class")],
)
def test_rows_with_low_scores_go_to_the_first_class_in_the_order_of_rows_or_labels(
    place: int | None, told: str
) -> None:
    entry = Implementation("mine", lambda: StartsAtRow(place))
    X, y = np.arange(12.0).reshape(6, 2), np.array([2, 2, 1, 0, 1, 0])
    run = TrainedRun(X, y, 1e4 * np.eye(2), 3, np.arange(2))

    start = start_of_search(implementation("sklearn"), entry)

    assert start.shown[1] == f"{told} to rows whose log-scores are all below about -20"
    assert start.models[0](Batch.of([run])).tolist() == [2 if place == 0 else 0] * 2


class RoundedMaxima(planted.PlainGNB):  # type: ignore[misc]
    """Takes the largest density of all features, and rounds its probabilities."""

    def joint(self, X: Any) -> Any:
        gaps = (X[:, np.newaxis] - self.theta_) ** 2 / self.var_
        return (-0.5 * (gaps + np.log(2.0 * np.pi * self.var_))).max(axis=2)

    def predict_proba(self, X: Any) -> Any:
        return softmax(self.joint(X), axis=1).round(3)


def test_rounded_probabilities_are_told_to_be_so_whatever_they_are_of(
    diagnosis_of: Diagnose,
) -> None:
    diagnosis = diagnosis_of(RoundedMaxima, "wine", offers="probabilities", runs=5)

    summaries = {cause.cause: cause.summary for cause in diagnosis.causes}
    assert summaries["clipped"] == "It rounds probabilities to 3 decimals."
    assert "not-gnb" in summaries
    assert "unnormalised" not in summaries


def test_one_label_that_two_causes_would_change_is_undecided_and_names_both(
    diagnosis_of: Diagnose,
) -> None:
    diagnosis = diagnosis_of(planted.SwappedPrior, "wine", offers="labels", runs=20)

    assert diagnosis.n_disagreements == 1
    assert named(diagnosis) == ["undecided"]
    assert "smoothing-rule" in diagnosis.rivals
    assert diagnosis.causes[0].summary == (
        "1 label is too few to tell; perhaps classes have different priors, perhaps "
        "variances are smoothed by a different amount or rule."
    )


@pytest.mark.parametrize(
    ("make", "where", "offers", "runs"),
    [
        (planted.UniformPrior, "breast_cancer", "labels", 8),
        (planted.SwappedPrior, "wine", "everything", 20),
    ],
)
def test_many_labels_or_probabilities_leave_no_alternative(
    make: Any, where: str, offers: str, runs: int, diagnosis_of: Diagnose
) -> None:
    diagnosis = diagnosis_of(make, where, offers=offers, runs=runs)

    assert named(diagnosis) == ["prior"]
    assert diagnosis.rivals == ()


@cache
def known() -> dict[str, Any]:
    loads = {"iris": load_iris, "wine": load_wine, "breast_cancer": load_breast_cancer}
    few_digits = {"five digits": load_digits(n_class=5, return_X_y=True)}
    return hard_datasets() | few_digits | {k: f(return_X_y=True) for k, f in loads.items()}


def trial_of(samples: Any, runs: int) -> Trial:
    X, y = samples
    cuts = splits(y, range(runs), test_size=0.3)
    return Trial(X, y, [(one.train, one.test) for one in cuts])


@cache
def trial_on(name: str, runs: int) -> Trial:
    """Return a trial whose answers of the reference are known already."""
    trial = trial_of(known()[name], runs)
    return replace(trial, expected=trial.observed(implementation("sklearn")))


def diagnosed_each(
    names: str,
    make: Callable[[], Any] | None = None,
    *,
    n_runs: int = 10,
    n_made: int = 5,
    **formula: Any,
) -> list[Diagnosis]:
    """Return what is found on made data in `n_made` runs, or on breast_cancer, in turn."""
    trials = [
        trial_on(name, n_runs if name == "breast_cancer" else n_made)
        for name in names.split(", ")
    ]
    entry = Implementation("mine", make or written(**formula), "as written")
    return diagnose_each(entry, implementation("sklearn"), trials)


def test_what_other_data_prove_explains_one_label_for_all_rows() -> None:
    """Scores that are all lost give the first class, whatever loses them."""
    mistake: dict[str, Any] = {"smoothing": ("none", 0.0), "mistake": "variance squared"}
    mistake["space"] = "log of density"

    (alone,) = diagnosed_each("breast_cancer", **mistake)
    *_, both = diagnosed_each("few, outliers, breast_cancer", **mistake)

    assert named(alone) == ["constant"]
    assert {"density-formula", "underflow"} <= set(named(both))
    assert both.unexplained == 0


def test_an_amount_is_added_to_variances_where_the_divisor_is_known_elsewhere() -> None:
    """With n instead of n - 1, another form in the density gives the same labels."""
    formula: dict[str, Any] = {"smoothing": ("added", 1e-9), "ddof": 1, "floor": 1e-10}

    few, scales = diagnosed_each("few, scales", space="log of density", **formula)

    assert named(few) == ["variance-divisor"]
    assert named(scales) == ["smoothing-rule", "variance-divisor"]
    assert scales.causes[0].summary.startswith("It adds 1e-9 to every variance")


def test_a_number_stands_where_other_data_show_it_with_the_prior_that_they_prove() -> None:
    """With other priors, one in the exponent alone would fit breast_cancer."""
    formula: dict[str, Any] = {"smoothing": ("in the density", 1e-4), "prior": "none"}

    *_, found = diagnosed_each(
        "scales, few, outliers, breast_cancer", n_runs=20, space="log of density", **formula
    )

    (text,) = (cause.summary for cause in found.causes if "1e-4" in cause.summary)
    assert "It uses sqrt(2π × variance + 1e-4) and 2 × variance + 1e-4 in the" in text


def test_three_formulas_at_once_are_found_from_what_other_data_prove_of_them() -> None:
    """Each dataset shows two, and a floor of 1e-10 would do as well on one of them."""
    formula: dict[str, Any] = {"mistake": "variance for deviation", "prior": "add-one"}

    *_, found = diagnosed_each(
        "scales, outliers, breast_cancer",
        n_runs=20,
        smoothing=("added", 1e-9),
        floor=1e-9,
        space="log of density",
        **formula,
    )

    assert {"density-formula", "density-floor"} <= {*named(found)}
    (floor,) = (cause for cause in found.causes if cause.cause == "density-floor")
    assert floor.estimate == 1e-9
    assert found.unexplained == 0


def test_an_amount_of_three_digits_is_the_same_on_all_data() -> None:
    """One that is relative to the largest variance would fit breast_cancer alone."""
    added = ("added", 0.0123)
    found = diagnosed_each("few, breast_cancer", smoothing=added, n_runs=20)

    texts = [[cause.summary for cause in diagnosis.causes] for diagnosis in found]
    assert {re.sub(r"0.012\d", "0.012d", " ".join(text)) for text in texts} == {
        "It adds about 0.012d to every variance."
    }
    assert not any(diagnosis.unexplained for diagnosis in found)


def test_causes_proved_on_later_data_explain_earlier_ones() -> None:
    """Data with equal priors alone cannot distinguish it from another mistake."""
    mistake: dict[str, Any] = {"smoothing": ("none", 0.0), "mistake": "half twice"}

    (alone,) = diagnosed_each("outliers", **mistake)
    first, second = diagnosed_each("outliers, few", **mistake)

    text = "It uses the factor 1/2 twice in the exponent."
    assert [cause.summary for cause in alone.causes] != [text]
    assert [cause.summary for cause in first.causes] == [text]
    assert [cause.summary for cause in second.causes] == [text]
    assert first.unexplained == 0


def adds_shares(model: Any, X: Any) -> Any:
    """Priors without their logarithms, added to those of densities that underflow."""
    densities = norm.pdf(X[:, None], model.theta_, np.sqrt(sample_variances(model)))
    return model.class_prior_ + np.log(densities).sum(axis=2)


def test_no_amount_is_guessed_where_other_data_prove_that_there_is_none() -> None:
    """One of 1e-8 would need one knob fewer on these data alone."""
    names = "few, scales, outliers, breast_cancer"

    *_, last = diagnosed_each(names, scoring(adds_shares), n_runs=20, n_made=2)

    assert named(last) == ["no-smoothing", "prior", "variance-divisor"]


def skips_tiny(model: Any, X: Any) -> Any:
    """An amount in two places of the density, and no feature of tiny variance."""
    widened = 2 * model.var_ + 1e-4
    away = (X[:, None] - model.theta_) ** 2 / widened
    parts = np.log(np.pi * (widened - 1e-4) + 1e-4) + 2 * away
    used = np.where(model.var_ > 1e-7, parts, 0.0)
    return np.log(model.class_prior_) - 0.5 * used.sum(axis=2)


def test_one_label_for_all_rows_of_one_dataset_refutes_no_amount_on_another() -> None:
    """There are many reasons for one label."""
    scales, breast_cancer = diagnosed_each("scales, breast_cancer", scoring(skips_tiny))

    assert named(scales) == ["constant"]
    assert named(breast_cancer) == ["smoothing-rule"]
    assert breast_cancer.causes[0].estimate == pytest.approx(1e-4, rel=0.2)


def test_causes_proved_on_two_datasets_are_combined_on_a_third() -> None:
    """Its labels alone leave one of them open."""
    formula: dict[str, Any] = {"ddof": 1, "smoothing": ("none", 0.0)}

    (alone,) = diagnosed_each("breast_cancer", n_runs=20, **formula)
    *_, third = diagnosed_each("few, scales, breast_cancer", n_runs=20, **formula)

    assert named(alone) == ["no-smoothing", "undecided"]
    assert named(third) == ["no-smoothing", "variance-divisor"]


def test_two_labels_prove_no_two_settings_that_undo_each_other() -> None:
    """A share of the variances of the rows to label is added, which moves two labels.

    Rows far away are left aside, which would show it.
    """
    added = 1e-9
    make = scoring(
        lambda m, X: naive(m, X, m.var_ + added * X[X[:, 3] < 1e4].var(axis=0).max())
    )
    (found,) = diagnosed_each("breast_cancer", make, n_runs=20)

    assert (found.n_disagreements, named(found)) == (2, ["undecided"])


def equal_for_few(most: int) -> Any:
    """Return scores with equal priors, if there are at most so many classes."""

    def score(model: Any, X: Any) -> Any:
        is_equal = len(model.classes_) <= most
        return naive(model, X, model.var_) - np.log(model.class_prior_) * is_equal

    return scoring(score, 1e-9)


@pytest.mark.parametrize(
    ("most", "end"),
    [(2, "; it does so with 2 classes, not with 36."), (99, "or leaves priors out.")],
)
def test_what_other_numbers_of_classes_rule_out_is_said_of_the_others_alone(
    most: int, end: str
) -> None:
    few, cancer = diagnosed_each("few, breast_cancer", equal_for_few(most), n_runs=20)

    assert named(cancer) == ["prior"]
    assert named(few) == ["prior"] * (most > 36)
    assert cancer.causes[0].summary.endswith(end)


def strange_on_many(of_few: Callable[[Any, Any], Any]) -> Callable[[], Any]:
    """Return code that does something else with 400 features than the formulas do."""

    def score(model: Any, X: Any) -> Any:
        is_strange = X.shape[1] == 400
        return naive(model, X, model.var_[:, ::-1]) if is_strange else of_few(model, X)

    return scoring(score)


@pytest.mark.parametrize(
    ("of_few", "causes"),
    [
        (lambda m, X: naive(m, X, m.var_ + 0.01), ["not-gnb"]),
        (
            lambda m, X: naive(m, X, m.var_) - np.log(m.class_prior_),
            ["no-smoothing", "prior"],
        ),
    ],
)
def test_beside_data_that_fit_no_setting_plain_steps_are_named_but_no_amount(
    of_few: Callable[[Any, Any], Any], causes: list[str]
) -> None:
    names, make = "many, breast_cancer", strange_on_many(of_few)
    many, cancer = diagnosed_each(names, make, n_runs=20, n_made=2)

    assert named(many) == ["not-gnb"]
    assert named(cancer) == causes


@pytest.mark.parametrize(("is_rolled", "causes"), [(False, []), (True, ["prior"])])
def test_priors_by_class_are_not_tried_on_other_numbers_of_classes(
    is_rolled: bool, causes: list[str]
) -> None:
    def score(model: Any, X: Any) -> Any:
        scores = naive(model, X, model.var_)
        best = scores.max(axis=1, keepdims=True)
        log_prior = np.log(model.class_prior_)
        rolled = scores - log_prior + np.roll(log_prior, 1)
        return rolled if is_rolled else np.where(np.isclose(scores, best), best, scores)

    names = "many, few, breast_cancer"
    many, few, cancer = diagnosed_each(names, scoring(score, 1e-9), n_runs=20)

    assert named(few) == named(cancer) == causes
    assert named(many) == (causes or ["not-gnb"])


def test_an_amount_is_what_all_datasets_leave_open() -> None:
    """Data that hardly show n - 1 alone suggest a different smoothing."""
    formula: dict[str, Any] = {"ddof": 1, "smoothing": ("added", 1e-9)}

    (alone,) = diagnosed_each("scales", **formula)
    diagnoses = diagnosed_each("scales, few, breast_cancer", **formula)

    assert named(alone) == ["smoothing-rule"]
    assert "1e-9 to every variance" not in alone.causes[0].summary
    of_each = [{cause.cause: cause for cause in one.causes} for one in diagnoses]
    assert {
        c.summary[:29] for one in of_each for c in [one.get("smoothing-rule")] if c
    } == {"It adds 1e-9 to every varianc"}
    assert not any("no-smoothing" in one for one in of_each)


def test_an_amount_is_sought_with_the_divisor_that_other_data_prove() -> None:
    """A breast_cancer of two classes alone shows 1.1e-5 and no divisor."""
    formula: dict[str, Any] = {"ddof": 1, "smoothing": ("added", 1e-5)}

    diagnoses = diagnosed_each("few, scales, breast_cancer", n_runs=20, **formula)

    told = {c.summary[:30] for one in diagnoses for c in one.causes}
    assert {text for text in told if "every variance" in text} == {
        "It adds 1e-5 to every variance"
    }


def test_an_odd_prior_that_other_data_refute_is_not_named() -> None:
    """Of an amount in the exponent alone, beside the usual smoothing."""

    def score(model: Any, X: Any) -> Any:
        away = (X[:, None] - model.theta_) ** 2 / (model.var_ + 1e-3)
        logs = np.log(2 * np.pi * model.var_) + away
        return np.log(model.class_prior_) - 0.5 * logs.sum(axis=2)

    names, make = "few, breast_cancer, wine", scoring(score, 1e-9)
    diagnoses = diagnosed_each(names, make, n_runs=20, n_made=2)

    assert not any("prior" in named(one) for one in diagnoses)


def test_answers_that_are_labels_nowhere_lost_no_label() -> None:
    """Those of a product that vanishes on one dataset alone did: the control."""

    class Score(planted.PlainGNB):  # type: ignore[misc]  # faults has no types
        is_label = False

        def predict(self, X: Any) -> Any:
            with np.errstate(all="ignore"):
                products = np.exp(self.joint(X))
            labels = self.classes_[products.argmax(axis=1)].astype(object)
            labels[products.max(axis=1) == 0.0] = None
            return labels if self.is_label else products[:, 1] - 5.0

    class Label(Score):
        is_label = True

    for diagnosis in diagnosed_each("many, scales", labelled(Score)):
        assert named(diagnosis) == ["unseen-class"]
    (lost, _) = diagnosed_each("many, scales", labelled(Label))
    assert "underflow" in named(lost)


def test_an_amount_within_deviations_is_found_beside_another_divisor() -> None:
    """Alone, either knob is best stood for by another amount."""

    def change(model: Any, X: Any, y: Any) -> None:
        groups = [X[y == label] for label in model.classes_]
        model.var_ = np.array([(g.std(axis=0, ddof=1) + 1e-6) ** 2 for g in groups])

    (diagnosis,) = diagnosed_each("outliers", probable(partial(Changed, change)))

    assert diagnosis.setting == "(standard deviation + 1e-6)²; variances divided by n − 1"


def test_an_amount_beside_a_proved_form_is_found() -> None:
    def score(model: Any, X: Any) -> Any:
        return naive(model, X, (model.var_ + 1e-9) ** 2)

    diagnoses = diagnosed_each("few, scales, breast_cancer", scoring(score), n_runs=20)

    assert {cause for one in diagnoses for cause in named(one)} == {
        "density-formula",
        "smoothing-rule",
    }


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        ("square root", "the square root of the prior"),
        ("to base 10", "the prior's logarithm to base 10"),
        ("beside log2", "densities' logarithms to base 2"),
        ("largest first", "from the largest to the smallest"),
    ],
)
def test_a_prior_taken_otherwise_is_named_on_data_of_many_classes(
    prior: str, words: str
) -> None:
    first, second = diagnosed_each("scales, few", smoothing=("added", 1e-9), prior=prior)

    assert [cause.summary for cause in first.causes] == ["It adds 1e-9 to every variance."]
    assert named(second) == ["prior"]
    assert words in second.causes[0].summary


@pytest.mark.parametrize(
    ("smoothing", "words"),
    [
        (("feature", 0.001), "0.001 × the variance of the same feature over all samples"),
        (("largest deviation", 1e-9), "1e-9 × the largest standard deviation of a feature"),
        (("range", 1e-4), "1e-4 × the squared range of the same feature over all samples"),
        (("class mean", 0.01), "0.01 × the mean of the variances within the class"),
    ],
)
def test_datasets_at_odds_over_smoothing_agree_in_the_rule_that_does_for_all(
    smoothing: tuple[str, float], words: str
) -> None:
    """Labels alone that an absolute amount gives too are explained by that."""
    diagnoses = diagnosed_each("scales, breast_cancer", smoothing=smoothing, n_made=2)

    assert [named(one) for one in diagnoses] == [["smoothing-rule"]] * 2
    assert all(words in one.causes[0].summary for one in diagnoses)


def undivided(model: Any, X: Any) -> Any:
    away = ((X[:, None] - model.theta_) ** 2).sum(axis=2) / 2
    return np.log(model.class_prior_) - np.log(model.var_).sum(axis=1) / 2 - away


def alike(model: Any, X: Any) -> Any:
    """Return scores with the mean of each class's means."""
    mean = np.broadcast_to(model.theta_.mean(axis=1, keepdims=True), model.theta_.shape)
    return naive(SimpleNamespace(**{**vars(model), "theta_": mean}), X, model.var_)


def alike_and_wide(model: Any, X: Any) -> Any:
    """Return scores with one mean and variance of a class, halved twice in exponents."""
    mean = model.theta_.mean(axis=1, keepdims=True)
    var = (model.var_ + (model.theta_ - mean) ** 2).mean(axis=1, keepdims=True)
    away = ((X[:, None] - mean) ** 2 / var / 4).sum(axis=2)
    return np.log(model.class_prior_) - away - X.shape[1] * np.log(var[:, 0]) / 2


def undivided_at_all(model: Any, X: Any) -> Any:
    return np.log(model.class_prior_) - ((X[:, None] - model.theta_) ** 2).sum(axis=2) / 2


def held(model: Any, X: Any) -> Any:
    away = (X[:, None] - model.theta_) ** 2 / model.var_
    logs = -0.5 * (np.log(2 * np.pi * model.var_) + away)
    return np.log(model.class_prior_) + np.minimum(logs, 0.0).sum(axis=2)


def floored(model: Any, X: Any) -> Any:
    return naive(model, X, np.maximum(model.var_ - model.epsilon_, model.epsilon_))


def with_two_more(model: Any, X: Any) -> Any:
    return naive(model, X, model.var_) + np.log1p(2.0 / model.class_count_)


def added_to_densities(model: Any, X: Any) -> Any:
    away = (X[:, None] - model.theta_) ** 2 / model.var_
    densities = np.exp(-away / 2) / np.sqrt(2 * np.pi * model.var_)
    return np.log(model.class_prior_) + np.log(densities + 0.01).sum(axis=2)


def weighed(model: Any, X: Any) -> Any:
    """Return log-densities times priors."""
    uniform = SimpleNamespace(theta_=model.theta_, class_prior_=1.0)
    return model.class_prior_ * naive(uniform, X, model.var_)


def divided_outside(model: Any, X: Any) -> Any:
    """Return scores of densities whose exponents lack a pair of parentheses."""
    gaps = (X[:, None] - model.theta_) ** 2
    logs = -gaps - np.log(2 * model.var_) - np.log(2 * np.pi * model.var_) / 2
    return np.log(model.class_prior_) + logs.sum(axis=2)


def without_minus(model: Any, X: Any) -> Any:
    away = (X[:, None] - model.theta_) ** 2 / model.var_
    densities = np.exp(away / 2) / np.sqrt(2 * np.pi * model.var_)
    return model.class_prior_ * densities.prod(axis=2)


def without_the_first_far_off(model: Any, X: Any) -> Any:
    """Return scores of all features but the first where means are large, else of none."""
    if model.theta_.max() < 1e6:
        return np.sin(7.0 * model.theta_.sum(axis=1) * X.sum(axis=1, keepdims=True))
    parts = {"theta_": model.theta_[:, 1:], "class_prior_": model.class_prior_}
    return naive(SimpleNamespace(**parts), X[:, 1:], model.var_[:, 1:])


def most_where_lost(model: Any, X: Any) -> Any:
    """Return products of priors and densities, and counts where all are zero."""
    away = (X[:, None] - model.theta_) ** 2 / model.var_
    products = np.exp(-away / 2) / np.sqrt(2 * np.pi * model.var_)
    products = model.class_prior_ * products.prod(axis=2)
    return np.where(products.any(axis=1)[:, None], products, model.class_count_)


@pytest.mark.parametrize(
    ("scores", "names", "cause", "words"),
    [
        (undivided, "few, breast_cancer", "density-formula", "not divided by the variance"),
        (alike, "few, breast_cancer", "one-mean", "one mean of all numbers of a class"),
        (alike_and_wide, "few, wine", "density-formula", "factor 1/2 twice"),
        (undivided_at_all, "few, breast_cancer", "density-formula", "as if all were 1"),
        (held, "breast_cancer", "density-formula", "holds each density at 1 at most"),
        (
            divided_outside,
            "few",
            "density-formula",
            "exp(−(x − mean)²) / (2 × variance) in",
        ),
        (without_minus, "few", "density-formula", "without its minus sign"),
        (floored, "wine, breast_cancer", "smoothing-rule", "0.001 × the largest feature"),
        (weighed, "few, wine", "prior", "multiplies the sum of log-densities by the prior"),
        (with_two_more, "few", "prior", "are in proportion to count + 2, not"),
        (without_the_first_far_off, "few, scales, far", "not-gnb", "No setting"),
    ],
)
def test_forms_and_poolings_are_named(
    scores: Callable[[Any, Any], Any], names: str, cause: str, words: str
) -> None:
    smoothing = 1e-3 if scores is floored else 0.0
    *_, last = diagnosed_each(names, scoring(scores, smoothing), n_runs=8, n_made=2)

    assert cause in named(last)
    assert words in next(c.summary for c in last.causes if c.cause == cause)


def test_densities_that_grow_with_distance_are_said_to_overflow() -> None:
    told = {
        "product": "It multiplies densities, which overflow;",
        "log of density": "It takes logarithms of densities that have overflowed;",
    }
    for space, words in told.items():
        variant = Variant(form="no minus", space=space)
        assert summary_of("space", Identified(variant, "reproduced")).startswith(words)


def test_a_floor_is_found_where_nothing_is_added_to_variances() -> None:
    (found,) = diagnosed_each("breast_cancer", scoring(added_to_densities), n_runs=12)

    assert named(found) == ["density-floor", "no-smoothing"]


def test_the_largest_class_may_get_the_rows_whose_densities_vanish() -> None:
    y = np.repeat([0, 1, 2], [80, 240, 80])
    rng, widths = np.random.default_rng(0), np.where(y == 1, 1.0, 1.3)
    X = rng.normal(size=(400, 40)) * widths[:, np.newaxis]
    X[np.arange(0, 400, 10), np.arange(40)] += 90.0  # Where the wider classes win
    entry = Implementation("mine", scoring(most_where_lost, 1e-9), "")

    (found,) = diagnose_each(entry, implementation("sklearn"), [trial_of((X, y), 12)])

    assert named(found) == ["underflow"]
    assert "the class with the most training rows gets" in found.causes[0].summary


class Densities:
    """Densities that are not normalised for probabilities, all zero where they are lost."""

    def fit(self, X: Any, y: Any) -> None:
        model = GaussianNB(var_smoothing=0.0).fit(X, y)
        self.prior, self.classes_ = model.class_prior_, model.classes_
        self.theta, self.scale = model.theta_, np.sqrt(model.var_) + 1e-9

    def predict_proba(self, X: Any) -> Any:
        away = (np.asarray(X)[:, None] - self.theta) / self.scale
        density = np.exp(-0.5 * away**2) / (np.sqrt(2 * np.pi) * self.scale)
        return density.prod(axis=2) * self.prior

    def predict(self, X: Any) -> Any:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def test_densities_that_are_not_normalised_underflow_and_have_no_floor() -> None:
    (diagnoses,) = diagnosed_each("outliers", Densities)

    assert named(diagnoses) == ["underflow", "unnormalised", "smoothing-rule"]
    assert diagnoses.causes[0].explained == diagnoses.n_disagreements > 0


def test_means_in_double_precision_are_not_told_to_be_in_single() -> None:
    steps = {
        "log_density": lambda _, X, theta, var: np.log(
            np.exp(-((X - theta) ** 2) / var / 2) / var
        ),
        "smoothed": lambda _self, var, _X: var + 1e-9,
        "predict_proba": property(),
    }
    (found,) = diagnosed_each("outliers", planted.fault("Mine", **steps))

    assert "precision" not in named(found)


def test_products_lost_in_single_precision_explain_no_rows_that_score_well() -> None:
    def joint(self: Any, X: Any) -> Any:
        logs = [self.log_density(X, *of) for of in zip(self.theta_, self.var_, strict=True)]
        return np.exp(logs).astype(np.float32).prod(axis=2).T * self.class_prior_

    make = planted.fault("Mine", joint=joint, smoothed=lambda _self, var, _X: var)
    scales, many = diagnosed_each("scales, many", labelled(make))

    assert (named(scales), named(many)) == (["no-smoothing"], ["underflow"])


def test_probabilities_that_pile_up_hide_no_labels_and_no_cause() -> None:
    class Kept(Densities):
        kept: Any = ()

        def predict_proba(self, X: Any) -> Any:
            rows = super().predict_proba(X)
            self.kept = [*self.kept, *rows / rows.sum(axis=1, keepdims=True)]
            return np.array(self.kept)

        def predict(self, X: Any) -> Any:
            return self.classes_[super().predict_proba(X).argmax(axis=1)]

    (found,) = diagnosed_each("outliers", Kept)

    assert named(found)[:2] == ["underflow", "stateful"]
    assert found.causes[0].explained == found.n_disagreements > 0


class NoneWhereLost:
    """Starts its search for the largest from zero."""

    def fit(self, X: Any, y: Any) -> None:
        self.inner = Densities()
        self.inner.fit(X, y)

    def predict(self, X: Any) -> Any:
        rows, best = self.inner.predict_proba(X), self.inner.predict(X).tolist()
        return [name if any(row) else None for name, row in zip(best, rows, strict=True)]


def test_rows_without_a_label_are_those_of_the_product_on_all_data() -> None:
    for found in diagnosed_each("many, outliers", NoneWhereLost):
        assert "underflow" in named(found)
        assert "unseen-class" not in named(found)


# The variances of the class before: no variant of the formulas.
NEIGHBOURS = scoring(lambda model, X: naive(model, X, np.roll(model.var_, 1, axis=0)))


def test_few_labels_name_nothing_beside_a_stranger() -> None:
    (alone,) = diagnosed_each("far", NEIGHBOURS)
    both = diagnosed_each("far, scales", NEIGHBOURS)

    assert 0 < alone.n_disagreements < 12
    assert named(alone) == ["undecided"]
    assert [named(one) for one in both] == [["not-gnb"], ["not-gnb"]]
    assert "these answers and those on other data." in both[0].causes[0].summary


def test_labels_of_the_class_before_are_an_order_even_where_some_are_never_given() -> None:
    class Before(GaussianNB):  # type: ignore[misc]
        def predict(self, X: Any) -> Any:
            return self.classes_[super().predict_joint_log_proba(X).argmax(axis=1) - 1]

    (diagnoses,) = diagnosed_each("few", labelled(Before))

    assert named(diagnoses) == ["class-order"]
    assert "labels in the order (35, 0, 1," in diagnoses.causes[0].summary


def shrunk(model: Any, X: Any) -> Any:
    """Variances drawn towards their mean over the features: no variant of the formulas."""
    var = sample_variances(model)
    return naive(model, X, 0.8 * var + 0.2 * var.mean(axis=1, keepdims=True))


def test_unknown_code_gets_no_cause_that_only_one_dataset_suggests() -> None:
    (alone,) = diagnosed_each("breast_cancer", scoring(shrunk), n_runs=3)
    both = diagnosed_each("breast_cancer, outliers", scoring(shrunk), n_runs=3, n_made=2)

    assert len(alone.causes) > 1  # Knobs turned until they fitted
    assert [named(one) for one in both] == [["not-gnb"], ["not-gnb"]]


def test_what_a_withdrawn_dataset_supports_is_withdrawn_as_well() -> None:
    """Shares of a half halve the variances, like an exponent without 1/2; others do not."""

    def by_shares(self: Any, var: Any, _X: Any) -> Any:
        return 2.0 * self.prior()[:, None] ** 2 * var + 1e-9

    make = planted.fault("Shares", smoothed=by_shares)
    names = "outliers, far, breast_cancer"
    diagnoses = diagnosed_each(names, make, n_runs=2, n_made=1)

    assert [named(one) for one in diagnoses] == [["not-gnb"]] * 3


def expanded(model: Any, X: Any) -> Any:
    """Squared distances as x² − 2 x mean + mean², by products."""
    theta, precision = model.theta_, 1.0 / model.var_
    away = X**2 @ precision.T - 2.0 * X @ (theta * precision).T
    away += (theta**2 * precision).sum(axis=1) - np.log(precision).sum(axis=1)
    return np.log(model.class_prior_) - 0.5 * away


class OfProducts:
    """Scores all rows by products; its normaliser has no square root, and it adds 1e-9."""

    def fit(self, X: Any, y: Any) -> None:
        self.classes_ = np.unique(y)
        groups = [X[y == label] for label in self.classes_]
        theta = np.array([rows.mean(axis=0) for rows in groups])
        var = np.array([rows.var(axis=0) for rows in groups]) + 1e-9
        shares = [len(rows) / len(X) for rows in groups]
        self._quadratic, self._linear = -0.5 / var, theta / var
        parts = np.log(2 * np.pi * var) + 0.5 * theta**2 / var
        self._constant = np.log(shares) - parts.sum(axis=1)

    def _scores(self, X: Any) -> Any:
        return X**2 @ self._quadratic.T + X @ self._linear.T + self._constant

    def predict(self, X: Any) -> Any:
        return self.classes_[self._scores(X).argmax(axis=1)]

    def predict_proba(self, X: Any) -> Any:
        return softmax(self._scores(X), axis=1)


def test_what_probabilities_show_holds_beside_data_that_fit_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Products lose all digits where means are large."""
    monkeypatch.setattr(across_datasets, "MOST_STRANGE", 1)

    *others, far = diagnosed_each("scales, breast_cancer, far", OfProducts, n_runs=8)

    assert "not-gnb" in named(far)
    for one in others:
        assert set(named(one)) == {"density-formula", "smoothing-rule"}


class FirstSeen:
    """Squares before it subtracts; a score that is no number is never the best."""

    def fit(self, X: Any, y: Any) -> None:
        self.groups = {label: X[y == label] for label in dict.fromkeys(y.tolist())}
        self.n = len(X)

    def predict(self, X: Any) -> list[Any]:
        return [self._label(x) for x in X]

    def _label(self, x: Any) -> Any:
        best, label = -np.inf, next(iter(self.groups))
        for one, rows in self.groups.items():
            mean = rows.mean(axis=0)
            var = (rows**2).mean(axis=0) - mean**2
            with np.errstate(all="ignore"):
                terms = np.log(2.0 * np.pi * var) + (x - mean) ** 2 / var
                score = np.log(len(rows) / self.n) - 0.5 * terms.sum()
            if score > best:
                best, label = score, one
        return label


def test_scores_that_are_no_numbers_are_of_no_density_that_underflows() -> None:
    """The class seen first gets rows for which all variances cancel below zero."""
    (far,) = diagnosed_each("far", FirstSeen)

    assert named(far) == ["cancellation"]


def test_the_reference_is_asked_for_rounded_samples_on_one_split(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Probabilities that differ there are those of no rounding, and need no other split."""
    asked, plain = [], changed_samples.Question._on_rounded

    def counted(question: Any, X: Any, side: str, splits: Any) -> Any:
        asked.append(len(splits))
        return plain(question, X, side, splits)

    monkeypatch.setattr(changed_samples.Question, "_on_rounded", counted)
    monkeypatch.setattr(changed_samples, "_once_rounded", {})
    diagnosed_each("few", lambda: GaussianNB(var_smoothing=1e-3))

    assert asked == [1] * len(asked)
    assert 0 < len(asked) <= len(changed_samples.SIDES) * len(ROUNDINGS)


class SharedSquares:
    """Divides squares pooled over all classes by n, and but for the first class again."""

    def fit(self, X: Any, y: Any) -> None:
        groups = {label: X[y == label] for label in dict.fromkeys(y.tolist())}
        pooled = sum(len(rows) * rows.var(axis=0) for rows in groups.values()) / len(X)
        self.params = {
            label: (rows.mean(axis=0), pooled / len(X) ** (place > 0), len(rows) / len(X))
            for place, (label, rows) in enumerate(groups.items())
        }

    def predict(self, X: Any) -> list[Any]:
        return [max(self.params, key=lambda c: self._score(x, *self.params[c])) for x in X]

    def _score(self, x: Any, mean: Any, var: Any, prior: float) -> float:
        terms = np.log(2.0 * np.pi * var) + (x - mean) ** 2 / var
        return float(np.log(prior) - 0.5 * terms.sum())


def test_hardly_more_than_one_label_in_each_run_shows_no_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Several knobs and amounts give such labels, and none of them on other data."""
    monkeypatch.setattr(kept_parameters, "kept_of", lambda *_: None)

    every = diagnosed_each("scales, few, far, breast_cancer", SharedSquares)

    assert {name for one in every for name in named(one)} == {"constant", "not-gnb"}


class WithoutPriors(GaussianNB):  # type: ignore[misc]  # scikit-learn has no types
    """Adds 1e-9 of the smallest feature variance; its probabilities lack priors."""

    def fit(self, X: Any, y: Any) -> Any:
        self.var_smoothing = 0.0
        super().fit(X, y)
        self.var_ += 1e-9 * X.var(axis=0).min()
        return self

    def predict_log_proba(self, X: Any) -> Any:
        return log_softmax(
            self._joint_log_likelihood(X) - np.log(self.class_prior_), axis=1
        )


def test_an_amount_that_other_data_prove_holds_where_probabilities_are_odd() -> None:
    """In equal shares priors change nothing."""
    scales, cancer = diagnosed_each("scales, breast_cancer", WithoutPriors, n_runs=20)

    assert named(scales) == ["smoothing-rule"]
    assert "smoothing-rule" in named(cancer)
    assert "not-gnb" not in named(cancer)


@pytest.mark.parametrize(("left", "is_settled"), [(0.1, True), (3.0, False)])
def test_what_is_known_settles_answers_whose_sums_leave_a_little(
    left: float, *, is_settled: bool
) -> None:
    """Sums in another order round otherwise, by more than was allowed for."""
    known = replace(DEFAULT, divisor="n-1")
    none = {"is_settled": False, "n_compared": 9, "largest_difference": 1e-13}
    fits = {
        known: SimpleNamespace(**none, is_sufficient=True, distance=left),
        DEFAULT: SimpleNamespace(**none, is_sufficient=False, distance=9.0),
    }
    search = SimpleNamespace(fit=fits.get, base=DEFAULT, pruned=lambda fit, **_: fit)

    settled = settled_by([known], search)  # type: ignore[arg-type]

    assert settled == (fits[known] if is_settled else None)


def means_in(dtype: Any) -> Callable[[], Any]:
    """Return a maker of code with means of another precision, all else in double."""
    return labelled(partial(Changed, lambda m, *_: setattr(m, "theta_", dtype(m.theta_))))


def cast(self: Any, X: Any) -> Any:
    return planted.PlainGNB.joint(self, np.float64(np.float32(X)))


def cast_first(self: Any, X: Any, y: Any) -> Any:
    return planted.PlainGNB.fit(self, np.float64(np.float32(X)), y)


SINGLE = "It computes in single precision"
CENTRED = "It gives scikit-learn's labels once the mean of each feature"


@pytest.mark.usefixtures("shallow")
@pytest.mark.parametrize(
    ("make", "summary"),
    [
        (labelled(planted.SinglePrecision), SINGLE),
        (means_in(np.float32), SINGLE),
        (means_in(np.float16), SINGLE),
        # Where all rows get one label, squares in double precision could be the reason.
        (labelled(planted.fault("Cast", fit=cast_first)), CENTRED),
        (labelled(planted.fault("Cast", joint=cast)), SINGLE),
        (labelled(planted.fault("Cast", fit=cast_first, joint=cast)), SINGLE),
        (planted.CancellingVariance, "It computes variances as E[x²] − E[x]²"),
        (scoring(expanded, 1e-9), CENTRED),
    ],
)
def test_labels_decided_by_rounding_are_recognised_by_other_samples(
    make: Any, summary: str
) -> None:
    """Samples in single precision change nothing; samples of mean zero change all."""
    (diagnoses,) = diagnosed_each("far", make)

    assert diagnoses.causes[0].summary.startswith(summary)
    assert diagnoses.causes[0].explained == diagnoses.n_disagreements


def test_digits_on_other_data_refute_single_precision_where_all_is_lost() -> None:
    """Squares of samples far from zero are alike for all classes in any precision."""
    squares = {"variance": lambda _self, rows: (rows**2).mean(axis=0)}

    for on_one in diagnosed_each("far, scales", planted.fault("Mine", **squares)):
        assert named(on_one) == ["variance-centre"]


def test_one_label_that_no_rounding_changes_does_not_show_single_precision() -> None:
    """Products of densities; those that are undefined are never larger than the first."""

    def joint(self: Any, X: Any) -> Any:
        products = np.exp(planted.PlainGNB.joint(self, X))
        return np.where(np.isnan(products), [np.inf, -1.0], products)

    steps = {"joint": joint, "smoothed": lambda _self, var, _X: var}
    steps["variance"] = planted.CancellingVariance.variance
    (far,) = diagnosed_each("far", labelled(planted.fault("Mine", **steps)))

    assert far.n_disagreements > 200
    assert named(far) == ["cancellation"]


@pytest.mark.parametrize(
    ("refuted", "limit"),
    [
        (set(), ""),
        ({2, 3}, "it does so on some data only"),
        ({3, 36}, "it does so with 2 classes, not with 3 or 36"),
    ],
)
def test_a_limit_names_the_numbers_of_classes(refuted: set[int], limit: str) -> None:
    assert across_datasets._limit({2}, refuted) == limit


def test_priors_given_for_three_classes_are_not_tried_on_two() -> None:
    class Given(GaussianNB):  # type: ignore[misc]
        def fit(self, X: Any, y: Any) -> Any:
            self.priors = (0.01, 0.01, 0.98) if len(np.unique(y)) == 3 else None
            return super().fit(X, y)

    two, three = diagnosed_each("breast_cancer, iris", probable(Given))

    assert together([Variant(prior=(0.1, 0.9), divisor="n-1")]) == Variant(divisor="n-1")
    assert two.same
    assert named(three) == ["prior"]


@pytest.mark.parametrize("fails", [True, False])
def test_an_amount_is_told_where_later_calls_fail_but_not_where_they_answer_otherwise(
    fails: bool,
) -> None:
    class OneTable(GaussianNB):  # type: ignore[misc]
        seen = 0

        def predict(self, X: Any) -> Any:
            self.seen = self.seen or len(X)
            if len(X) != self.seen and fails:
                raise ValueError("one table at a time")
            var = self.var_ - self.epsilon_ + (len(X) != self.seen)
            return self.classes_[naive(self, X, var).argmax(axis=1)]

    (found,) = diagnosed_each("scales", labelled(OneTable))

    assert {*named(found)} - {"alone"} == {"stateful", *["no-smoothing"] * fails}


def test_labels_that_pile_up_from_call_to_call_are_counted() -> None:
    class Kept(GaussianNB):  # type: ignore[misc]
        kept: Any = ()

        def predict(self, X: Any) -> Any:
            self.kept = [*self.kept, *super().predict(X)]
            return np.array(self.kept)

    (found,) = diagnosed_each("scales", labelled(Kept))

    assert "in another order, it gives 160 labels for 40 rows" in found.causes[0].summary


def test_a_floor_is_found_beside_nothing_that_is_added() -> None:
    """Alone, amounts that hardly differ from nothing do slightly better than nothing."""

    steps = {
        "smoothed": lambda _self, var, _X: var,
        "log_density": lambda _, X, mean, var: np.log(norm.pdf(X, mean, var**0.5) + 1e-9),
    }

    (found,) = diagnosed_each("breast_cancer", probable(planted.fault("Mine", **steps)))

    assert named(found) == ["no-smoothing", "density-floor"]
    assert found.causes[1].estimate == 1e-9


def test_an_amount_near_the_usual_one_is_told_apart_from_it() -> None:
    """The largest variance is that of 280 rows less one, as some libraries have it."""

    def smoothed(_: Any, var: Any, X: Any) -> Any:
        return var + 1e-9 * X.var(axis=0, ddof=1).max()

    (found,) = diagnosed_each("scales", probable(planted.fault("Mine", smoothed=smoothed)))

    (cause,) = found.causes
    words = "1.0036e-9 × the largest feature variance"
    assert cause.summary == f"It adds {words} to every variance."
    assert "in place of your 1.0036e-9 × the largest" in cause.remedy


def test_an_amount_that_other_data_refute_is_no_stand_in_for_a_divisor() -> None:
    """Here both explain the one label of breast_cancer that n - 1 moves."""

    def score(model: Any, X: Any) -> Any:
        var = sample_variances(model)
        exponents = (X[:, None] - model.theta_) ** 2 / (2.0 * var)
        densities = np.exp(-exponents) / np.sqrt(2.0 * np.pi * np.sqrt(var))
        return model.class_prior_ * densities.prod(axis=2)

    names = "many, few, scales, breast_cancer"
    every = diagnosed_each(names, scoring(score), n_runs=20, n_made=2)

    assert {"variance-divisor", "no-smoothing"} <= {*named(every[-1])}
    assert not any("smoothing-rule" in named(diagnosis) for diagnosis in every)


def test_a_normaliser_that_is_missing_is_no_large_amount_in_it() -> None:
    """Beside an amount that no power of ten is, which other causes help to find."""

    class Unnormalised(GaussianNB):  # type: ignore[misc]
        def predict(self, X: Any) -> Any:
            var = self.var_ - self.epsilon_ + 2e-9
            away = ((X[:, None] - self.theta_) ** 2 / var).sum(axis=2)
            scores = np.log(self.class_count_ + 1) - 0.5 * away
            return self.classes_[scores.argmax(axis=1)]

    make = labelled(Unnormalised)
    (alone,) = diagnosed_each("breast_cancer", make)
    few, scales, cancer = diagnosed_each("few, scales, breast_cancer", make)

    assert set(named(alone)) == {"density-formula", "no-smoothing"}
    assert set(named(few)) == {"density-formula", "prior"}
    for one in (scales, cancer):
        causes = {cause.cause: cause for cause in one.causes}
        assert set(causes) == {"density-formula", "smoothing-rule"}
        assert causes["smoothing-rule"].estimate == pytest.approx(2e-9, rel=0.2)


def test_a_normaliser_is_not_missing_on_some_data_and_smoothed_on_others() -> None:
    """Here 1e-6 is added to the product of all deviations, which is no setting."""

    class SmoothedProduct(GaussianNB):  # type: ignore[misc]
        def predict(self, X: Any) -> Any:
            var = self.var_ - self.epsilon_
            away = ((X[:, None] - self.theta_) ** 2 / var).sum(axis=2)
            widths = np.log(np.sqrt(var).prod(axis=1) + 1e-6)
            scores = np.log(self.class_prior_) - widths - 0.5 * away
            return self.classes_[scores.argmax(axis=1)]

    both = diagnosed_each("scales, breast_cancer", labelled(SmoothedProduct), n_made=2)

    assert not {"smoothing-rule", "density-formula"} & {*named(both[0]), *named(both[1])}
    assert all(diagnosis.n_disagreements for diagnosis in both)


def test_a_prior_of_the_last_class_alone_is_seen_where_all_else_is_lost() -> None:
    """One label for all rows is no reason for an amount that would give it too."""
    none: Any = {"smoothing": ("none", 0.0), "space": "product"}
    far, outliers, many, few, scales, cancer = diagnosed_each(
        "far, outliers, many, few, scales, breast_cancer", prior="last alone", **none
    )

    assert named(many) == ["underflow"]
    assert [named(one) for one in (far, few)] == [["prior"]] * 2
    assert set(named(outliers)) == {"prior", "underflow"}
    for one in (scales, cancer):
        assert set(named(one)) == {"prior", "no-smoothing"}
    uses = "It uses the prior of the last class alone."
    every = [cause for one in (few, scales, cancer) for cause in one.causes]
    assert {cause.summary for cause in every if cause.cause == "prior"} == {uses}


@pytest.mark.parametrize(
    ("variances", "alone", "both"),
    [
        (lambda m: m.var_.max(axis=0), "nearest-mean", "learned"),
        (lambda m: m.counts @ m.var_ / m.counts.sum(), "nearest-mean", "shared-variances"),
    ],
)
def test_the_nearest_mean_is_not_a_cause_where_other_data_refute_it(
    variances: Any, alone: str, both: str
) -> None:
    make = labelled(with_variances(variances))

    (diagnosis,) = diagnosed_each("scales", make)
    of_both = diagnosed_each("scales, breast_cancer", make, n_runs=8)

    assert named(diagnosis) == [alone]
    assert [named(one) for one in of_both] == [[both], [both]]


@pytest.mark.parametrize("of", [0, 1])
def test_a_softmax_of_densities_is_named_and_no_amount(of: int) -> None:
    """All densities below 1e-16 are equal there; also where variances have n - 1."""

    class OfDensities:
        def fit(self, X: Any, y: Any) -> None:
            self.model = GaussianNB(var_smoothing=0.0).fit(X, y)
            self.classes_ = self.model.classes_
            self.var = sample_variances(self.model) if of else self.model.var_

        def predict_proba(self, X: Any) -> Any:
            return softmax(np.exp(naive(self.model, X, self.var)), axis=1)

        def predict(self, X: Any) -> Any:
            return self.classes_[self.predict_proba(X).argmax(axis=1)]

    found = diagnosed_each("few, scales, breast_cancer", OfDensities, n_made=2)

    causes = {cause.cause: cause for one in found for cause in one.causes}
    assert {*causes} <= {"underflow", "no-smoothing", "variance-divisor", "tie"}
    assert ("variance-divisor" in causes) == bool(of)
    assert causes["underflow"].summary.startswith("It takes the softmax of densities")
    assert causes["underflow"].summary.endswith("; the first class gets such rows.")
    assert causes["underflow"].remedy.startswith("Take the softmax of sums")


@pytest.mark.parametrize("rule", ["first", "largest", "appearance"])
def test_which_class_gets_rows_without_a_density_is_told(rule: str) -> None:
    """Two runs on one dataset do not tell it, but those on another do."""

    class Products(GaussianNB):  # type: ignore[misc]  # scikit-learn has no types
        def fit(self, X: Any, y: Any) -> Any:
            model = super().fit(X, y)
            classes = {"largest": self.class_count_.argmax(), "appearance": y[0]}
            self.lost = classes.get(rule, 0)
            return model

        def predict(self, X: Any) -> Any:
            scores = np.exp(naive(self, X, self.var_))
            return np.where(scores.any(axis=1), scores.argmax(axis=1), self.lost)

    for found in diagnosed_each("many, outliers", labelled(Products), n_made=2):
        text = next(c.summary for c in found.causes if c.cause == "underflow")
        assert text.endswith(f"; {TIES[rule]} gets such rows.")


def of_the_first(model: Any, X: Any) -> Any:
    """With the first feature's mean and variance for all."""
    mean, var = model.theta_[:, 0], model.var_[:, 0]
    squares = ((X[:, :, np.newaxis] - mean) ** 2).sum(axis=1)
    return np.log(model.class_prior_) - np.log(var) / 2.0 - squares / (4.0 * var)


def test_labels_that_saturate_are_not_said_to_be_of_the_first_feature() -> None:
    """However the others change, the class of the largest variance gets nearly all rows."""
    (found,) = diagnosed_each("many", scoring(of_the_first), n_made=2)

    assert "left-out" not in {cause.cause for cause in found.causes}


def test_nothing_but_left_out_features_is_named_where_no_label_differs() -> None:
    """An amount may bring the probabilities of one dataset near."""

    class First(GaussianNB):  # type: ignore[misc]
        def fit(self, X: Any, y: Any) -> Any:
            return super().fit(X[:, :1], y)

        def predict(self, X: Any) -> Any:
            return super().predict(X[:, :1])

        def predict_proba(self, X: Any) -> Any:
            return super().predict_proba(X[:, :1])

    every = diagnosed_each("few, scales, wine", probable(First), n_made=2)

    assert [named(one) for one in every] == [["left-out"], ["probabilities"], ["left-out"]]


def labels_of_products(model: Any, X: Any) -> Any:
    """Of densities that are at least 1e-6."""
    gaps = (X[:, np.newaxis] - model.theta_) ** 2 / model.var_
    densities = np.exp(-0.5 * gaps) / np.sqrt(2.0 * np.pi * model.var_)
    return np.maximum(densities, 1e-6).prod(axis=2) * model.class_prior_


def test_a_product_of_floored_densities_may_still_underflow() -> None:
    every = diagnosed_each("many, outliers, wine", scoring(labels_of_products))

    assert [{*named(one)} for one in every] == [
        {"underflow"},
        {"density-floor"},
        {"density-floor"},
    ]


def of_determinants(model: Any, X: Any) -> Any:
    """With the logarithm of the determinant of the inverse, which underflows."""
    logs = 0.5 * np.log((1.0 / model.var_).prod(axis=1)) + np.log(model.class_prior_)
    return logs - 0.5 * ((X[:, None] - model.theta_) ** 2 / model.var_).sum(axis=2)


def test_where_densities_of_other_data_are_not_lost_none_are_multiplied() -> None:
    make = scoring(of_determinants, 1e-9)
    (alone,) = diagnosed_each("many", make)
    many, _ = diagnosed_each("many, outliers", make)

    assert alone.causes[0].summary.startswith("It multiplies densities")
    assert many.causes[0].summary.startswith("It takes the logarithm of a determinant")


def test_a_cause_that_moves_no_label_is_borne_out_by_probabilities() -> None:
    class AddOne(GaussianNB):  # type: ignore[misc]
        def fit(self, X: Any, y: Any) -> Any:
            counts = np.bincount(y) + 1
            self.priors, self.var_smoothing = counts / counts.sum(), 1e-15
            return super().fit(X, y)

    (diagnosis,) = diagnosed_each("breast_cancer", AddOne, n_runs=5)

    evidence = {cause.cause: cause.evidence for cause in diagnosis.causes}
    assert evidence["smoothing-rule"].startswith("Fixing this alone restores ")
    assert evidence["prior"].startswith("Without it, probabilities differ by up to ")


def sum_of_densities(model: Any, X: Any) -> Any:
    """Nothing multiplied; on breast_cancer it gives one label to all rows but one."""
    densities = norm.pdf(X[:, None], model.theta_, np.sqrt(model.var_))
    return model.class_prior_ * densities.sum(axis=2)


@pytest.mark.usefixtures("shallow")
def test_nearly_one_label_proves_no_knob_where_other_answers_are_a_strangers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    others = {form: words for form, words in FORMS.items() if "sum" not in words}
    monkeypatch.setattr(variants, "FORMS", others)

    every = diagnosed_each("breast_cancer, few", scoring(sum_of_densities), n_runs=20)
    assert [named(one) for one in every] == [["not-gnb"], ["not-gnb"]]


def test_a_floor_is_reported_with_all_that_fit_as_well() -> None:
    """Densities of outliers vanish under any floor."""
    (alone,) = diagnosed_each("outliers", smoothing=("largest", 1e-9), floor=1e-12)

    (cause,) = alone.causes
    assert cause.summary == (
        "A density of 0 rules no class out: with a tiny positive number in its place, such "
        "as 1e-300, the textbook's formulas give its labels."
    )
    low, high = cause.interval or (1.0, 0.0)
    assert low < 1e-30
    assert high > 1e-12


def test_a_floor_that_one_dataset_shows_is_tried_with_what_others_prove() -> None:
    data = "breast_cancer, outliers, scales"
    diagnoses = diagnosed_each(data, smoothing=("added", 1e-6), floor=1e-12, n_made=2)

    rule, floor, again = (named(one)[0] for one in diagnoses)
    assert (rule, floor, again) == ("smoothing-rule", "density-floor", "smoothing-rule")
    assert not any(cause.cause == "not-gnb" for one in diagnoses for cause in one.causes)


@pytest.mark.parametrize(("n_flipped", "cause"), [(2, "no-smoothing"), (3, "not-gnb")])
def test_two_labels_of_their_own_do_not_hide_what_all_others_show(
    n_flipped: int, cause: str
) -> None:
    X, y = hard_datasets()["scales"]
    tested = np.concatenate([one.test for one in splits(y, range(5), test_size=0.3)])
    flipped = X[np.flatnonzero(np.bincount(tested) == 1)[:n_flipped], 1]
    how = Formula(smoothing=("none", 0.0))

    class Flipping:
        def fit(self, X: Any, y: Any) -> None:
            self.seen = X, y

        def predict(self, X: Any) -> Any:
            given = labels(how, (*self.seen, X))
            return np.where(np.isin(X[:, 1], flipped), 1 - given, given)

    (diagnoses,) = diagnosed_each("scales", Flipping)

    assert named(diagnoses) == [cause]
    n_left = n_flipped if cause == "no-smoothing" else 0
    assert diagnoses.unexplained == n_left


def guarded(model: Any, X: Any, elsewhere: float) -> Any:
    """Where a deviation is zero, a density of 1 at the mean and another one elsewhere."""
    spread, gaps = np.sqrt(model.var_), X[:, None] - model.theta_
    flat = np.where(gaps == 0.0, 0.0, np.log(elsewhere))
    logs = np.where(spread == 0.0, flat, norm.logpdf(gaps / spread) - np.log(spread))
    return np.log(model.class_prior_) + logs.sum(axis=2)


@pytest.mark.parametrize("elsewhere", [1.0, 1e-6, 0.0])
def test_a_density_in_place_of_one_without_spread_is_named(elsewhere: float) -> None:
    make = scoring(partial(guarded, elsewhere=elsewhere))

    (diagnosis,) = diagnosed_each("five digits", make, n_made=1)

    text = f"It uses the density 1 at the mean and {amount(elsewhere)} elsewhere"
    assert diagnosis.causes[0].summary.startswith(text)
    assert diagnosis.unexplained == 0


def adds_in_the_density(model: Any, X: Any, *, to_deviations: bool) -> Any:
    """The amount is added to the variance in the exponent, and in the normaliser."""
    var, gaps = model.var_, X[:, None] - model.theta_
    width = np.sqrt(2 * np.pi * var + 1e-4)
    width = np.sqrt(2 * np.pi) * (np.sqrt(var) + 1e-4) if to_deviations else width
    logs = -np.log(width) - gaps**2 / (2 * (var + 1e-4))
    return np.log(model.class_prior_) + logs.sum(axis=2)


@pytest.mark.parametrize(
    ("to_deviations", "normaliser"),
    [
        (False, "sqrt(2π × variance + 1e-4)"),
        (True, "sqrt(2π) × (standard deviation + 1e-4)"),
    ],
)
def test_an_amount_in_two_places_is_named_with_what_to_write_instead(
    to_deviations: bool, normaliser: str, diagnosis_of: Diagnose
) -> None:
    scores = partial(adds_in_the_density, to_deviations=to_deviations)
    diagnosis = diagnosis_of(scoring(scores), "digits", runs=2)

    (cause,) = diagnosis.causes
    assert f"{normaliser} and 2 × (variance + 1e-4) in the density" in cause.summary
    assert "1e-4 to the variances that are kept" in cause.remedy


@pytest.mark.usefixtures("shallow")
def test_probabilities_of_zero_are_no_others_that_were_not_compared() -> None:
    """Those that are left have the odds of the reference."""

    class KeepsThree(GaussianNB):  # type: ignore[misc]
        def predict_proba(self, X: Any) -> Any:
            table = super().predict_proba(X)
            table[table < np.sort(table, axis=1)[:, -3:][:, :1]] = 0.0
            return table / table.sum(axis=1, keepdims=True)

    few, cancer = diagnosed_each("few, breast_cancer", probable(KeepsThree))

    assert named(few) == ["probabilities"]
    assert "they differ by up to" in few.causes[0].summary
    assert cancer.same


def test_a_prior_in_numbers_is_none_where_data_of_the_same_shares_refute_it() -> None:
    """What other data prove of the divisor and the amount explains all of them."""

    def scores(model: Any, X: Any) -> Any:
        of_samples = SimpleNamespace(**vars(model) | {"var_": sample_variances(model)})
        return adds_in_the_density(of_samples, X, to_deviations=True)

    (alone,) = diagnosed_each("scales", scoring(scores), n_made=2)
    refuted, _ = diagnosed_each("scales, outliers", scoring(scores), n_made=2)
    few, scales, cancer = diagnosed_each(
        "few, scales, breast_cancer", scoring(scores), n_runs=20, n_made=2
    )

    assert named(alone) == ["prior"]
    assert named(refuted) == ["not-gnb"]
    assert {*named(scales)} == {"smoothing-rule", "variance-divisor"}
    assert "variance-divisor" in named(few)
    assert "smoothing-rule" in named(cancer)


def test_one_small_number_in_two_places_and_as_a_floor_is_no_sum_of_densities() -> None:
    class Adds(planted.Unsmoothed):  # type: ignore[misc]  # faults has no types
        def log_density(self, X: Any, theta: Any, var: Any) -> Any:
            density = np.exp(-((X - theta) ** 2) / (2 * var + 1e-4))
            return np.log(density / np.sqrt(2 * np.pi * var + 1e-4) + 1e-4)

        def prior(self) -> Any:
            return 0.0 * super().prior() + 1.0

    every = diagnosed_each("few, outliers, scales, wine", labelled(Adds), n_runs=6)

    assert {"smoothing-rule", "density-floor"} == {*named(every[2])}


def by_appearance(model: Any, _X: Any, y: Any, name: str) -> None:
    places = [*map(model.classes_.tolist().index, dict.fromkeys(np.asarray(y).tolist()))]
    setattr(model, name, getattr(model, name)[places])


def about_the_whole_mean(model: Any, X: Any, _y: Any) -> None:
    model.var_ += (model.theta_ - X.mean(axis=0)) ** 2


def largest_of_any_class(model: Any, X: Any, _y: Any) -> None:
    model.var_ -= 1e-9 * X.var(axis=0).max()
    model.var_ += 1e-3 * model.var_.max()


def smoothed(model: Any, X: Any, _y: Any, amount: Callable[[Any], float]) -> None:
    model.var_ += amount(X) - 1e-9 * X.var(axis=0).max()


def smoothed_otherwise(share: float, words: str, of: Callable[[Any], float]) -> Any:
    change = partial(smoothed, amount=lambda X: share * of(X))
    return change, "smoothing-rule", f"{share:g} × {words}".replace("e-0", "e-")


@pytest.mark.parametrize(
    ("change", "cause", "words"),
    [
        smoothed_otherwise(
            1.1e-9, "the largest feature variance", lambda X: X.var(axis=0).max()
        ),
        smoothed_otherwise(
            0.01, "the smallest feature variance", lambda X: X.var(axis=0).min()
        ),
        smoothed_otherwise(
            1e-9, "the sum of the feature variances", lambda X: X.var(axis=0).sum()
        ),
        smoothed_otherwise(0.001, "the variance of all numbers", np.var),
        (partial(by_appearance, name="theta_"), "class-order", "means in the order in"),
        (partial(by_appearance, name="var_"), "class-order", "variances in the order in"),
        (
            lambda model, *_: setattr(model, "theta_", model.theta_[::-1]),
            *("class-order", "means in the reverse order of the classes, but variances"),
        ),
        (
            lambda m, *_: setattr(m, "theta_", np.float16(m.theta_)),
            "precision",
            "in single precision or less",
        ),
        (about_the_whole_mean, "variance-centre", "about the mean of all samples"),
        (
            largest_of_any_class,
            *("smoothing-rule", "0.001 × the largest variance within any class"),
        ),
        (lambda _model, _X, _y: None, "", ""),
    ],
)
def test_parameters_of_other_classes_are_named(
    change: Callable[[Any, Any, Any], None], cause: str, words: str
) -> None:
    make = probable(partial(Changed, change))
    every = diagnosed_each("few, breast_cancer", make, n_runs=4, n_made=2)

    causes = [cause for diagnosis in every for cause in diagnosis.causes]
    assert {one.cause for one in causes} == {cause} - {""}
    assert all(words in one.summary for one in causes)


def test_an_amount_near_the_usual_one_moves_no_prior_that_changes_nothing() -> None:
    """Where classes are equal, a prior counted often only adds to what rounding excuses."""
    change = partial(smoothed, amount=lambda X: 1.007e-9 * X.var(axis=0).max())

    (found,) = diagnosed_each("outliers", probable(partial(Changed, change)), n_runs=2)

    assert named(found) == ["smoothing-rule"]
    assert found.causes[0].estimate == pytest.approx(1.007e-9, rel=1e-3)


def test_a_floor_relative_to_a_class_is_no_amount_that_only_labels_fit() -> None:
    def floored(model: Any, _X: Any, _y: Any) -> None:
        model.var_ = np.maximum(model.var_, 1e-3 * model.var_.max(axis=1, keepdims=True))

    make = probable(partial(Changed, floored))
    (found,) = diagnosed_each("breast_cancer", make, n_runs=6)

    assert found.n_disagreements
    assert named(found) == ["learned"]


@pytest.mark.usefixtures("shallow")
def test_what_labels_of_two_datasets_fit_is_refuted_by_probabilities_of_a_third() -> None:
    """Variances from 0.01 to 100 look like equal ones where features are large."""

    def clipped(model: Any, _X: Any, _y: Any) -> None:
        model.var_ = model.var_.clip(1e-2, 100.0)

    make = probable(partial(Changed, clipped))
    every = diagnosed_each("few, scales, breast_cancer", make, n_runs=4)

    assert sum(one.n_disagreements for one in every) > 100
    assert {name for one in every for name in named(one)} == {"learned"}


def test_a_divisor_that_is_never_zero_is_one_of_n_less_1() -> None:
    X, y = load_iris(return_X_y=True)
    X, y = np.concatenate([X, X[:1] + 0.1]), np.concatenate([y, [3]])
    train = np.r_[0:30, 50:90, 100:140, 150]
    trial = Trial(X, y, [(train, np.setdiff1d(np.arange(len(y)), train))])

    def guarded(_: Any, rows: Any) -> Any:
        return rows.var(axis=0) * len(rows) / max(len(rows) - 1, 1)

    entry = Implementation("mine", planted.fault("Guarded", variance=guarded))
    (found,) = diagnose_each(entry, implementation("sklearn"), [trial])

    assert named(found) == ["variance-divisor"]


class Softened(planted.PlainGNB):  # type: ignore[misc]  # faults has no types
    """Gives probabilities of scores that are multiplied, or of other labels."""

    def __init__(self, factor: float, threshold: float = 0.5) -> None:
        self.factor, self.threshold = factor, threshold

    def predict_proba(self, X: Any) -> Any:
        return softmax(self.factor * self.joint(X), axis=1)

    def predict(self, X: Any) -> Any:
        is_second = self.predict_proba(X)[:, 1] > self.threshold
        return self.classes_[is_second.astype(int)]


@pytest.mark.usefixtures("shallow")
@pytest.mark.parametrize(
    ("factor", "threshold", "cause", "words"),
    [
        (0.5, 0.5, "probabilities", "of log-scores multiplied by 0.5: they differ"),
        (1 / 30, 0.5, "probabilities", "of log-scores divided by the number of features"),
        (1.0, 0.3, "contradiction", "of one run. Its probabilities are scikit-learn's."),
        (1.0, 0.5, "", ""),
    ],
)
def test_probabilities_of_multiplied_scores_and_labels_of_another_threshold_are_told(
    factor: float, threshold: float, cause: str, words: str
) -> None:
    make = probable(partial(Softened, factor, threshold))
    (found,) = diagnosed_each("breast_cancer", make, n_runs=6)

    assert named(found) == [cause] * bool(cause)
    assert all(words in one.summary for one in found.causes)
    assert sum(one.explained for one in found.causes) == found.n_disagreements


def test_probabilities_of_the_reference_are_told_to_be_so_once_normalised() -> None:
    class Doubled(Softened):
        def predict_proba(self, X: Any) -> Any:
            return 2.0 * super().predict_proba(X)

    (found,) = diagnosed_each("breast_cancer", partial(Doubled, 1.0, 0.3), n_runs=6)

    summaries = {cause.cause: cause.summary for cause in found.causes}
    assert {*summaries} == {"contradiction", "unnormalised"}
    assert "Normalised, its probabilities are" in summaries["contradiction"]


@pytest.mark.parametrize(
    ("digits", "deep"),
    [
        (3, [DEPTH, DEPTH]),  # The rest of the data can show no more than these
        (17, []),
    ],
)
def test_what_two_datasets_leave_open_is_searched_no_deeper_on_others(
    digits: int, deep: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    explore = identification._explore

    def explored(search: Any, depth: int) -> None:
        if search.seen.log_posterior is not None:
            asked.append(depth)
        explore(search, 1)

    def rounds_means(model: Any, _X: Any, _y: Any) -> None:
        model.theta_ = np.round(model.theta_, digits)

    monkeypatch.setattr(identification, "_explore", explored)
    every = diagnosed_each(
        "few, outliers, scales, breast_cancer",
        probable(partial(Changed, rounds_means)),
        n_runs=2,
        n_made=1,
    )

    assert [depth for depth in asked if depth > 1] == deep
    assert all(one.same == (digits > 3) for one in every)


def test_an_amount_added_to_deviations_in_two_places_is_named() -> None:
    class Adds(planted.Unsmoothed):  # type: ignore[misc]  # faults has no types
        def log_density(self, X: Any, theta: Any, var: Any) -> Any:
            deviation = np.sqrt(var)
            z = (X - theta) / (deviation + 1e-3)
            return -(z**2) / 2 - np.log(np.sqrt(2 * np.pi) * deviation + 1e-3)

    every = diagnosed_each("few, breast_cancer", probable(Adds), n_runs=4)

    words = "sqrt(2π × variance) + 0.001 and (x − mean) / (standard deviation + 0.001)"
    for diagnosis in every:
        assert named(diagnosis) == ["smoothing-rule"]
        assert words in diagnosis.causes[0].summary


@pytest.mark.parametrize(("shift", "is_named"), [(1e-13, False), (1.0, True)])
def test_scores_equal_up_to_rounding_are_not_memory(shift: float, is_named: bool) -> None:
    """Favours the second class in calls with few rows."""

    def by_call(model: Any, X: Any) -> Any:
        favour = shift * np.array([0.0, 1.0 if len(X) < AGAIN else -1.0])
        return model.predict_joint_log_proba(X) + favour

    half = np.random.default_rng(0).normal(size=(80, 3))
    X, y = np.concatenate([half, half + (0.5 if is_named else 0.0)]), np.repeat([0, 1], 80)
    train = np.r_[np.arange(40), np.arange(80, 120)]
    cuts = [(train, np.setdiff1d(np.arange(160), train))]
    entry = Implementation("by call", scoring(by_call), "as written")

    diagnosis = diagnose(entry, implementation("sklearn"), X, y, cuts)

    assert ("stateful" in [cause.cause for cause in diagnosis.causes]) == is_named


class OfTwoClasses(GaussianNB):  # type: ignore[misc]  # scikit-learn has no types
    """Right for two classes: the second, or else the first."""

    def predict(self, X: Any) -> Any:
        return (self.predict_proba(X)[:, 1] >= 0.5).astype(int)


@pytest.mark.usefixtures("shallow")
@pytest.mark.parametrize(
    ("n_known", "text"),
    [
        (2, "It gives only 2 of the 36 labels: 0 and 1. No setting"),
        (10, "It gives only 10 of the 36 labels: 0, 1, 2 and 7 more. No setting"),
        (30, "No setting"),
    ],
)
def test_labels_never_given_are_counted_if_most_are(n_known: int, text: str) -> None:
    class Limited(GaussianNB):  # type: ignore[misc]  # scikit-learn has no types
        def predict(self, X: Any) -> Any:
            return self.predict_joint_log_proba(X)[:, :n_known].argmax(axis=1)

    (few,) = diagnosed_each("few", labelled(Limited))

    assert named(few) == ["not-gnb"]
    assert few.causes[0].summary.startswith(text)
    assert ("; if you do, see why" in few.causes[0].remedy) == (n_known < 30)


def test_code_for_only_two_classes_is_reported_as_such() -> None:
    (of_iris,) = diagnosed_each("iris", labelled(OfTwoClasses))
    (of_two_classes,) = diagnosed_each("scales", labelled(OfTwoClasses))

    assert of_iris.causes[0].summary.startswith(
        "It is made for two classes: it gives 1 to rows where that label has a probability "
        "of at least 1/2, and 0 to all others."
    )
    assert "Score every class" in of_iris.causes[0].remedy
    assert of_two_classes.causes == ()


def test_code_that_gives_a_third_label_elsewhere_is_not_made_for_two_classes() -> None:
    """Of three classes that lie apart two may look like the answers of a threshold."""

    class Squares(GaussianNB):  # type: ignore[misc]  # scikit-learn has no types
        def fit(self, X: Any, y: Any) -> Any:
            super().fit(X, y)
            self.var_ += self.theta_**2
            return self

    of_iris, more = diagnosed_each("iris, wine", labelled(Squares), n_runs=20)

    for diagnosis in (of_iris, more):
        assert {"variance-centre"} <= {*named(diagnosis)} <= {"variance-centre", "tie"}
        (cause, *_) = diagnosis.causes
        assert "means of squares for variances" in cause.summary


def test_what_code_for_two_classes_does_is_named_where_there_are_two() -> None:
    def of_two(model: Any, X: Any) -> Any:
        return (model.predict_joint_log_proba(X) - np.log(model.class_prior_))[:, :2]

    more, found = diagnosed_each("few, breast_cancer", scoring(of_two), n_runs=20)

    assert "made for two classes: of more it gives only" in more.causes[0].summary
    assert set(named(found)) == {"no-smoothing", "prior"}


@pytest.mark.parametrize(
    ("which", "kept"), [("last", slice(-1)), ("first", slice(1, None)), ("", slice(None))]
)
def test_a_class_that_is_never_given_is_named(which: str, kept: slice) -> None:
    """Two classes get one label then, which is no reason to look for NaN."""

    def of_others(model: Any, X: Any) -> Any:
        scores = np.full((len(X), len(model.classes_)), -np.inf)
        scores[:, kept] = model.predict_joint_log_proba(X)[:, kept]
        return scores

    entry = scoring(of_others, 1e-9)
    several = diagnosed_each("iris, breast_cancer", entry, n_runs=5)

    shown = {cause.summary for found in several for cause in found.causes}
    said = f"It never gives the {which} class: its labels are those of the largest score"
    assert shown == ({f"{said} among the others."} if which else set())


@pytest.mark.usefixtures("shallow")
def test_few_labels_prove_nothing_where_probabilities_are_in_another_order() -> None:
    def shrunk(model: Any, X: Any, _y: Any) -> None:
        model.theta_ = 0.9 * model.theta_ + 0.1 * X.mean(axis=0)

    (found,) = diagnosed_each("iris", probable(partial(Changed, shrunk)), n_made=6)

    assert 0 < found.n_disagreements < 12
    assert named(found) == ["not-gnb"]


class Clipped(planted.PlainGNB):  # type: ignore[misc]  # faults has no types
    def smoothed(self, var: Any, _X: Any) -> Any:
        return np.clip(var, 1e-2, 1e2)


def test_probabilities_that_are_nearly_all_0_or_1_prove_no_fitted_amount(
    diagnosis_of: Diagnose,
) -> None:
    """Some rows are in between, and refute what gives 99.9 % of all labels."""
    diagnosis = diagnosis_of(Clipped, "breast_cancer", offers="probabilities", runs=20)

    assert named(diagnosis) == ["learned"]


class CountsValues:
    """Counts values like words; of those never seen, the first label's are as many."""

    def fit(self, X: Any, y: Any) -> None:
        self.labels = np.array(list(dict.fromkeys(y.tolist())))
        self.counts = [Counter(X[y == label].ravel().tolist()) for label in self.labels]
        self.size = len(np.unique(X))

    def predict(self, X: Any) -> Any:
        sizes = np.array([[count.total() + self.size] for count in self.counts])
        tables = np.array(
            [[[count[x] + 1 for x in row] for row in X.tolist()] for count in self.counts]
        )
        return self.labels[np.log(tables / sizes[:, None]).sum(axis=2).argmax(axis=0)]


@pytest.mark.usefixtures("shallow")
def test_lost_densities_are_not_named_where_each_run_has_one_label() -> None:
    """No setting gives the labels of other datasets, and one label a run proves nothing."""
    names = ", ".join(("iris", "wine", "breast_cancer", *hard_datasets()))
    every = diagnosed_each(names, CountsValues, n_runs=4, n_made=2)

    assert "not-gnb" in {cause for diagnosis in every for cause in named(diagnosis)}
    assert all("underflow" not in named(diagnosis) for diagnosis in every)


class ZeroOfManyFeatures:
    """Takes a column that most data lack for its labels, and gives zeros."""

    def fit(self, X: Any, _y: Any) -> None:
        self.labels = X[:, 57]

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X), dtype=int)


@pytest.mark.parametrize(
    ("names", "cause"), [("iris, wine, many", "constant"), ("many", "underflow")]
)
def test_one_label_is_of_lost_densities_only_where_code_mostly_runs(
    names: str, cause: str
) -> None:
    *_, many = diagnosed_each(names, ZeroOfManyFeatures)

    assert named(many) == [cause]


class RootOfProduct:
    """Adds a millionth to the root of the product of variances, and takes no priors."""

    def fit(self, X: Any, y: Any) -> None:
        self.model = GaussianNB(var_smoothing=0.0).fit(X, y)

    def predict(self, X: Any) -> Any:
        away = (X[:, None] - self.model.theta_) ** 2 / self.model.var_
        with np.errstate(all="ignore"):
            root = np.sqrt(self.model.var_.prod(axis=1)) + 1e-6
            scores = np.exp(-0.5 * away.sum(axis=2)) / root
        return self.model.classes_[scores.argmax(axis=1)]


def test_what_is_withdrawn_limits_no_finding_to_some_data() -> None:
    """Without a normaliser some data would need priors, which others lack."""
    names = "wine, breast_cancer, scales, outliers, few"
    wine, *_, few = diagnosed_each(names, RootOfProduct, n_runs=20)

    for diagnosis in (wine, few):
        (cause,) = diagnosis.causes
        assert cause.summary == "It gives all classes the same prior, or leaves priors out."


class SecondBest:
    """Gives the label with the second largest score: of two classes the worst."""

    def fit(self, X: Any, y: Any) -> "SecondBest":
        self.model = GaussianNB().fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        joint = self.model.predict_joint_log_proba(X)
        return self.model.classes_[joint.argsort(axis=1)[:, -2]]


def test_the_second_best_label_is_told_from_the_worst() -> None:
    for found in diagnosed_each("wine, breast_cancer", SecondBest, n_runs=5):
        assert [cause.summary for cause in found.causes] == [
            "It has the label of the second largest score, not of the largest."
        ]
