"""Planted faults are named, both of two are, and nothing else ever is."""

import re
from collections.abc import Callable
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np
import pytest
from faults import planted
from faults.planted import PlainGNB
from scipy import stats
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.dummy import DummyClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from gnbbench.diagnosis import CAUSES, Diagnosis, diagnose
from gnbbench.diagnosis.changed_samples import ASKED_AGAIN, of_whole_numbers, other_model
from gnbbench.implementations import Implementation, implementation
from gnbbench.splits import splits

pytestmark = pytest.mark.slow

Diagnose = Callable[..., Diagnosis]

# Fault -> its cause, data that show it soon, and data on which labels alone reveal it.
TABLE: dict[type, str] = {
    planted.SampleVariance: "variance-divisor wine digits",
    planted.Unsmoothed: "no-smoothing wine breast_cancer",
    planted.HeavilySmoothed: "smoothing-rule wine wine",
    planted.AddsConstant: "smoothing-rule wine breast_cancer",
    planted.SmoothedPerFeature: "smoothing-rule wine",
    planted.FlooredVariance: "smoothing-rule wine iris",
    planted.UniformPrior: "prior wine breast_cancer",
    planted.SwappedPrior: "prior wine breast_cancer",
    planted.WrongPrior: "prior wine",
    planted.PriorForgottenInPredict: "prior wine breast_cancer",
    planted.FlooredDensity: "density-floor wine wine",
    planted.MultipliesDensities: "underflow digits digits",
    planted.SinglePrecision: "precision wine wine+1e7",
    planted.CancellingVariance: "cancellation wine+1e7 wine+1e7",
    planted.LabelsPermuted: "class-order wine iris",
    planted.ColumnsPermuted: "class-order wine",
    planted.FeaturesReversed: "feature-order wine",
    planted.FeaturesShifted: "feature-order wine",
    planted.DeviationForVariance: "density-formula wine breast_cancer",
    planted.MissingHalf: "density-formula wine breast_cancer",
    planted.BinaryLogarithm: "density-formula wine breast_cancer",
    planted.MissingSquare: "density-formula wine breast_cancer",
    planted.AlwaysFirst: "constant wine iris",
    DummyClassifier: "constant iris",
    planted.NearestMean: "nearest-mean wine wine",
    planted.NanProbabilities: "nan iris",
    planted.InventsLabel: "unseen-class wine iris",
    planted.RaisesInFit: "crash wine iris",
    planted.WrongShape: "crash wine",
}
FAULTS = {fault: row.split()[0] for fault, row in TABLE.items()}
SHOWN_ON = {fault: row.split()[1] for fault, row in TABLE.items()}
BY_LABELS = {fault: row.split()[2] for fault, row in TABLE.items() if len(row.split()) == 3}
PAIRS: dict[type, set[str]] = {
    planted.both(first, second): {FAULTS[first], FAULTS[second]}
    for first, second in (
        (planted.SampleVariance, planted.UniformPrior),
        (planted.Unsmoothed, planted.UniformPrior),
        (planted.FlooredDensity, planted.UniformPrior),
        (planted.LabelsPermuted, planted.SampleVariance),
        (planted.FeaturesReversed, planted.UniformPrior),
        (planted.HeavilySmoothed, planted.SwappedPrior),
    )
}
STRANGERS: dict[str, Callable[[], Any]] = {
    "logistic": partial(LogisticRegression, max_iter=5000),
    "quadratic": QuadraticDiscriminantAnalysis,
    "linear": LinearDiscriminantAnalysis,
    "neighbours": KNeighborsClassifier,
    "tree": partial(DecisionTreeClassifier, random_state=0),
    "bernoulli": BernoulliNB,
    "median": planted.MedianForMean,
}


def named(diagnosis: Diagnosis) -> list[str]:
    return [cause.cause for cause in diagnosis.causes]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_from_all_that_is_offered(
    fault: type, diagnosis_of: Diagnose
) -> None:
    diagnosis = diagnosis_of(fault, SHOWN_ON[fault], runs=1)

    assert named(diagnosis) == [FAULTS[fault]]
    assert diagnosis.unexplained == 0
    assert not diagnosis.same


def test_labels_of_none_ask_for_their_scores(diagnosis_of: Diagnose) -> None:
    """Another number does not: the control."""

    class GivesNone(planted.InventsLabel):  # type: ignore[misc]  # faults has no types
        def predict(self, X: Any) -> Any:
            labels = super().predict(X).astype(object)
            return np.where(labels == 99, None, labels)

    for fault, asks in ((GivesNone, True), (planted.InventsLabel, False)):
        (cause,) = diagnosis_of(fault, "wine", offers="labels", runs=2).causes
        assert ("scores of a row that gets None" in cause.remedy) is asks


@pytest.mark.parametrize(("fault", "where"), BY_LABELS.items())
def test_a_fault_is_named_from_labels_alone(
    fault: type, where: str, diagnosis_of: Diagnose
) -> None:
    diagnosis = diagnosis_of(fault, where, offers="labels", runs=8)

    assert named(diagnosis) == [FAULTS[fault]]
    n = diagnosis.n_disagreements
    assert diagnosis.causes[0].explained in {n, n or 360}


# By probabilities one fault of each cause; NaN is named elsewhere, and searched for long.
LAST = {cause: fault for fault, cause in FAULTS.items() if cause != "nan"}


@pytest.mark.parametrize(
    ("fault", "offers", "runs"),
    [(fault, "probabilities", 1) for fault in LAST.values()]
    + [(fault, "labels", 3) for fault in FAULTS if fault not in BY_LABELS],
)
def test_a_fault_is_named_wherever_it_shows(
    fault: type, offers: str, runs: int, diagnosis_of: Diagnose
) -> None:
    diagnosis = diagnosis_of(fault, "breast_cancer", offers=offers, runs=runs)

    # A few labels may be met by chance, so that they prove no amount; and a wrong order of
    # features may end in one label for all.
    few = offers == "labels" and 0 < diagnosis.n_disagreements < 18
    constant = "order" in FAULTS[fault] and named(diagnosis) == ["constant"]
    found = named(diagnosis)
    is_told = found == [FAULTS[fault]] or (few and found == ["undecided"])
    assert is_told or diagnosis.same or constant


@pytest.mark.parametrize("fault", PAIRS)
def test_two_faults_at_once_are_both_named(fault: type, diagnosis_of: Diagnose) -> None:
    runs = 8 if "feature-order" in PAIRS[fault] else 2

    diagnosis = diagnosis_of(fault, "wine", runs=runs, offers="probabilities")

    assert set(named(diagnosis)) == PAIRS[fault]


# The other unknown programs are diagnosed by labels alone, below: each searches all knobs.
@pytest.mark.parametrize(
    ("stranger", "cause"),
    [
        ("quadratic", "full-covariances"),
        ("linear", "full-covariances"),
        ("bernoulli", "density-formula"),
        ("median", "estimates"),
    ],
)
def test_other_models_get_no_other_cause(
    stranger: str, cause: str, diagnosis_of: Diagnose
) -> None:
    diagnosis = diagnosis_of(STRANGERS[stranger], "iris", offers="probabilities", runs=1)

    assert named(diagnosis) == [cause]
    assert diagnosis.causes[0].explained == diagnosis.n_disagreements


@pytest.mark.parametrize("stranger", ["logistic", "neighbours", "tree"])
def test_labels_of_no_gaussian_naive_bayes_get_no_other_cause(
    stranger: str, diagnosis_of: Diagnose
) -> None:
    diagnosis = diagnosis_of(STRANGERS[stranger], "wine", offers="labels", runs=2)

    assert named(diagnosis) in (["not-gnb"], ["undecided"])
    assert named(diagnosis) == ["not-gnb"] or diagnosis.n_disagreements < 9


@pytest.mark.parametrize("where", ["iris", "wine", "breast_cancer", "digits"])
@pytest.mark.parametrize(("own", "other"), [("numpy", "sklearn"), ("sklearn", "numpy")])
def test_sound_implementations_get_no_cause(
    own: str, other: str, where: str, diagnosis_of: Diagnose
) -> None:
    diagnosis = diagnosis_of(implementation(own).make, where, seed=1, reference=other)

    assert diagnosis.same
    assert diagnosis.causes == ()
    assert "no difference" in diagnosis.verdict


@pytest.mark.parametrize(
    ("make", "where", "reference", "causes"),
    [
        # What the faults are planted in, and standard deviations called sigma.
        (PlainGNB, "digits", "sklearn", []),
        (planted.DeviationsAsSigma, "iris", "sklearn", []),
        # No label differs; then neither does a probability.
        (planted.SampleVariance, "iris", "sklearn", ["variance-divisor"]),
        (planted.OnlyParameters, "iris", "sklearn", ["variance-divisor"]),
        (GaussianNB, "breast_cancer", "study-b", ["smoothing-rule"]),
    ],
)
def test_answers_beyond_labels_decide(
    make: Callable[[], Any],
    where: str,
    reference: str,
    causes: list[str],
    diagnosis_of: Diagnose,
) -> None:
    diagnosis = diagnosis_of(make, where, reference=reference)

    assert named(diagnosis) == causes
    assert diagnosis.same == (not causes)
    assert (diagnosis.n_disagreements == 0) == (reference == "sklearn")


def test_amounts_are_estimated(diagnosis_of: Diagnose) -> None:
    smoothing = diagnosis_of(planted.AddsConstant, "iris", offers="probabilities", runs=2)
    floor = diagnosis_of(planted.FlooredDensity, "iris", offers="probabilities", runs=2)

    assert smoothing.causes[0].estimate == pytest.approx(0.05)
    assert floor.causes[0].estimate == pytest.approx(1e-4)


def _laplace(_self: Any, X: Any, theta: Any, var: Any) -> Any:
    scale = np.sqrt(var / 2)
    return -np.log(2 * scale) - np.abs(X - theta) / scale


def _student(self: Any, X: Any, theta: Any, var: Any) -> Any:
    (n,) = self.counts[(self.var_ == var).all(axis=1)]
    return stats.t.logpdf(X, n - 1, theta, np.sqrt(var * (n + 1) / (n - 1)))


def _median_distances(_self: Any, rows: Any) -> Any:
    return (1.4826 * np.median(np.abs(rows - np.median(rows, axis=0)), axis=0)) ** 2


def _over_all_rows(self: Any, var: Any, X: Any) -> Any:
    return var * (self.counts / len(X))[:, None] + 1e-9


class Unsure(PlainGNB):  # type: ignore[misc]
    """Gives the first label to rows that no class has for certain."""

    def predict(self, X: Any) -> Any:
        is_unsure = self.predict_proba(X).max(axis=1) < 0.8
        return np.where(is_unsure, self.classes_[0], super().predict(X))


class Starts(PlainGNB):  # type: ignore[misc]
    """Looks for the largest score from a number on."""

    def __init__(self, start: float, *, from_largest: bool = False) -> None:
        self.start, self.from_largest = start, from_largest

    def predict(self, X: Any) -> Any:
        joint = self.joint(X)
        found = joint.max(axis=1) > self.start
        first = self.class_prior_.argmax() if self.from_largest else 0
        return self.classes_[np.where(found, joint.argmax(axis=1), first)]


class ProductInSingle(PlainGNB):  # type: ignore[misc]
    """Multiplies densities in single precision."""

    def predict(self, X: Any) -> Any:
        gaps = (X[:, np.newaxis] - self.theta_) ** 2
        densities = np.exp(-gaps / (2 * self.var_)) / np.sqrt(2 * np.pi * self.var_)
        shares = self.class_prior_.astype(np.float32)
        for feature in range(X.shape[1]):
            shares = shares * densities[:, :, feature].astype(np.float32)
        return self.classes_[shares.argmax(axis=1)]


BELOW = "to rows whose log-scores are all below about "
STARTS, LARGEST = f"the first class {BELOW}", "the class with the most training rows"


class Rotated(PlainGNB):  # type: ignore[misc]
    """Naive in the principal components of all samples."""

    def cast(self, X: Any) -> Any:
        self.turned = getattr(self, "turned", np.linalg.svd(X - X.mean(axis=0))[2].T)
        return X @ self.turned


WITHOUT_DETERMINANT = planted.fault(
    "WithoutDeterminant",
    variance=lambda _self, rows: np.cov(rows.T, bias=True),
    smoothed=lambda _self, var, _X: var,
    log_density=lambda _, X, mean, cov: (mean - X) @ np.linalg.inv(cov) * (X - mean) / 2,
)
MEAN_MATRIX = planted.fault(
    "MeanMatrix",
    variance=lambda _self, rows: np.cov(rows.T),
    smoothed=lambda _self, var, _X: np.stack([var.mean(axis=0)] * len(var)),
    log_density=lambda _, X, mean, cov: (mean - X) @ np.linalg.inv(cov) * (X - mean) / 2,
)
RIDGED = planted.fault(  # For two classes
    "Ridged",
    variance=lambda _self, rows: np.cov(rows.T, bias=True) + 0.1 * np.eye(rows.shape[1]),
    smoothed=lambda self, var, _X: var if len(self.classes_) == 2 else var[None],
    log_density=lambda _, X, mean, cov: (
        ((mean - X) @ np.linalg.inv(cov) * (X - mean) - np.log(np.linalg.det(cov)) / 4) / 2
    ),
)
DISTANCES = "squares of 1.4826 × median distances for variances"


@pytest.mark.parametrize("fault", [planted.SampleVariance, planted.UniformPrior, RIDGED])
def test_densities_of_many_features_are_small_and_yet_not_lost(fault: type) -> None:
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 1], 60)
    X = 6.0 * rng.normal(size=(len(y), 600)) + 0.5 * y[:, np.newaxis]
    train, test = np.split(rng.permutation(len(y)), [120])
    entry, splits = Implementation("mine", fault), [(train, test)]

    diagnosis = diagnose(entry, implementation("sklearn"), X, y, splits)

    assert named(diagnosis) == [FAULTS.get(fault, "full-covariances")]


@pytest.mark.parametrize(
    ("make", "cause", "words"),
    [
        (QuadraticDiscriminantAnalysis, "full-covariances", "for each class"),
        (RIDGED, "full-covariances", "for each class, with 0.1 added on the diagonal"),
        (WITHOUT_DETERMINANT, "full-covariances", "for each class without its determinant"),
        (LinearDiscriminantAnalysis, "full-covariances", "for all classes together"),
        (MEAN_MATRIX, "full-covariances", "for all classes together"),
        (
            partial(QuadraticDiscriminantAnalysis, priors=[1 / 3] * 3),
            *("full-covariances", "for each class and the same prior for all classes"),
        ),
        (
            planted.fault("Laplace", log_density=_laplace),
            *("density-formula", "the Laplace density"),
        ),
        (
            planted.fault("Student", log_density=_student),
            *("density-formula", "Student's t density"),
        ),
        (planted.fault("Off", variance=_median_distances), "estimates", DISTANCES),
        (
            planted.fault("Whole", smoothed=_over_all_rows),
            *("estimates", "variances divided by the number of all samples"),
        ),
        (Unsure, "decision", "the first class to rows without a probability of 0.8"),
        (partial(Starts, 0.0), "decision", f"{STARTS}0"),
        (partial(Starts, -100.0), "decision", f"{STARTS}-100"),
        (partial(Starts, -106.0), "decision", f"{STARTS}-106"),
        (
            partial(Starts, -50.0, from_largest=True),
            *("decision", f"{LARGEST} {BELOW}-50"),
        ),
        (ProductInSingle, "underflow", f"{STARTS}-103"),
        (partial(Starts, -1e9), "decision", f"{STARTS}-1e9"),
        (partial(Starts, -np.inf), "", ""),
        (planted.MultipliesDensities, "", ""),
        (planted.FlooredDensity, "", ""),
        (planted.UniformPrior, "", ""),
        (planted.HeavilySmoothed, "", ""),
        (planted.MissingHalf, "", ""),
        (Rotated, "", ""),
        (partial(LogisticRegression, max_iter=5000), "", ""),
        (RidgeClassifier, "", ""),
        (KNeighborsClassifier, "", ""),
    ],
)
def test_models_that_are_not_naive_show_on_made_samples_alone(
    make: Callable[[], Any], cause: str, words: str
) -> None:
    """Others, and naive ones with a knob moved, give labels of no such model."""
    for offered in (planted.LabelsOnly, planted.ProbabilitiesOnly):
        asked = hasattr(make(), "predict_proba") or offered is planted.LabelsOnly
        entry = Implementation("mine", partial(lambda offers: offers(make()), offered))
        if asked:
            assert other_model(implementation("sklearn"), entry).shown == (cause, words)


VALUES = partial(OneHotEncoder, handle_unknown="ignore")


@pytest.mark.parametrize(
    ("make", "shown"),
    [
        (MultinomialNB, ("density-formula", "the multinomial distribution")),
        (
            partial(MultinomialNB, alpha=0.1, fit_prior=False),
            ("density-formula", "the multinomial distribution"),
        ),
        (BernoulliNB, ("density-formula", "the Bernoulli distribution")),
        (partial(CategoricalNB, min_categories=9), ("categories", "")),
        (lambda: make_pipeline(VALUES(), LogisticRegression()), ("categories", "")),
        (GaussianNB, ("", "")),
        (planted.UniformPrior, ("", "")),
        (planted.AlwaysFirst, ("", "")),
        (KNeighborsClassifier, ("", "")),
        # One feature may keep its order by chance.
        (lambda: make_pipeline(SelectKBest(k=1), GaussianNB()), ("", "")),
        (partial(DecisionTreeClassifier, random_state=0), ("", "")),
        (partial(LogisticRegression, max_iter=5000), ("", "")),
    ],
)
def test_counts_and_categories_show_on_whole_numbers(
    make: Callable[[], Any], shown: tuple[str, str]
) -> None:
    entry = Implementation("mine", make)

    assert of_whole_numbers(implementation("sklearn"), entry).shown == shown


@pytest.mark.parametrize(
    ("columns", "model", "left_out"),
    [
        (np.s_[:, :2], GaussianNB(), ["the first 2 features"]),
        (
            np.s_[:, :3],
            GaussianNB(),
            ["the first 3 features, as many as there are classes"],
        ),
        # Weighs the first of the features that it sees most of all.
        (np.s_[:, ::-1], KNeighborsClassifier(), []),
    ],
)
def test_all_features_but_the_first_may_be_left_out(
    columns: Any, model: Any, left_out: list[str], diagnosis_of: Diagnose
) -> None:
    """As where their number was counted on other data."""
    seen = FunctionTransformer(itemgetter(columns))

    diagnosis = diagnosis_of(
        lambda: make_pipeline(seen, model), "wine", offers="labels", runs=3
    )

    causes = [cause.estimate for cause in diagnosis.causes if cause.cause == "left-out"]
    assert causes == left_out
    assert not diagnosis.unexplained


@pytest.mark.parametrize(("added", "is_all"), [(0.0, True), (1e6, False)])
def test_a_model_that_made_samples_show_explains_only_labels_that_it_gives_here(
    added: float, is_all: bool, diagnosis_of: Diagnose
) -> None:
    """An amount that made samples do not show makes other labels of some data."""

    def variance(_self: Any, rows: Any) -> Any:
        off = np.median(np.abs(rows - np.median(rows, axis=0)), axis=0)
        return off**2 + added * (rows.mean(axis=0) > 200.0)

    make = planted.fault("Off", variance=variance)
    diagnosis = diagnosis_of(make, "wine", offers="labels", runs=8)

    (cause,) = diagnosis.causes
    assert cause.cause == "estimates"
    assert cause.explained + diagnosis.unexplained == diagnosis.n_disagreements
    assert (diagnosis.unexplained == 0) == is_all
    given = "On these data such a model gives {0} of {0} labels."
    assert (cause.evidence == given.format(diagnosis.n_predictions)) == is_all
    assert cause.explained > 0


def _held(_self: Any, X: Any, theta: Any, var: Any) -> Any:
    exponent = np.clip(-((X - theta) ** 2) / (2 * var), -5.0, 0.0)
    return exponent - 0.5 * np.log(2 * np.pi * var)


def _and_one(_self: Any, X: Any, theta: Any, var: Any) -> Any:
    return np.log1p(np.exp(-((X - theta) ** 2) / (2 * var)) / np.sqrt(2 * np.pi * var))


@pytest.mark.parametrize(
    ("density", "cause", "words"),
    [
        (_and_one, "density-floor", r"log\(density \+ 1\) or"),
        (_held, "density-floor", r"exp\(…\) of at least \S+ in each density"),
        (
            lambda _, X, theta, var: -((X - theta) ** 2) / (2 * var**2),
            *("density-formula", "without its normaliser, with the variance"),
        ),
    ],
)
def test_odd_densities_are_told_in_words(
    density: Callable[..., Any], cause: str, words: str, diagnosis_of: Diagnose
) -> None:
    make = planted.fault("Odd", log_density=density)

    diagnosis = diagnosis_of(make, "breast_cancer", offers="labels", runs=8)

    assert named(diagnosis) == [cause]
    assert re.search(words, diagnosis.causes[0].summary)


def test_code_is_asked_for_changed_samples_on_few_splits() -> None:
    X, y = load_iris(return_X_y=True)
    cuts = [(cut.train, cut.test) for cut in splits(y, range(8))]
    fits: list[int] = []

    def counted() -> Any:
        fits.append(1)
        return planted.SinglePrecision()

    entry = Implementation("mine", counted)
    diagnosis = diagnose(entry, implementation("sklearn"), X + 1e7, y, cuts)

    assert named(diagnosis) == ["precision"]
    # Eight splits, the first once more at the end, made samples near and far, two offsets
    # for half precision, and those changed.
    assert 13 < len(fits) <= 13 + ASKED_AGAIN


def test_a_tie_is_not_a_fault_of_formulas() -> None:
    X = np.array([[-2.0], [-1.0], [1.0], [2.0], [0.0], [0.0]])
    y = np.array([0, 0, 1, 1, 0, 1])
    splits = [(np.arange(4), np.array([4, 5, 0, 3]))]

    entry = Implementation("last", planted.LastOfEquals)
    diagnosis = diagnose(entry, implementation("sklearn"), X, y, splits)

    assert [(cause.cause, cause.explained) for cause in diagnosis.causes] == [("tie", 2)]


def test_a_class_of_one_sample_makes_the_sample_variance_undefined() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(30, 3)), np.r_[0, np.repeat([1, 2], 15)[:29]]
    splits = [(np.arange(0, 30, 2), np.arange(1, 30, 2))]

    entry = Implementation("mine", planted.SampleVariance)
    diagnosis = diagnose(entry, implementation("sklearn"), X, y, splits)

    assert named(diagnosis) == ["variance-divisor"]


def test_a_disagreement_is_described_in_full(diagnosis_of: Diagnose) -> None:
    diagnosis = diagnosis_of(planted.HeavilySmoothed, "wine")
    X, y = np.asarray(diagnosis.disagreements[0].features), diagnosis.disagreements[0]

    assert len(diagnosis.disagreements) == diagnosis.n_disagreements
    assert y.causes == ("smoothing-rule",)
    assert y.reference_label != y.label
    assert y.reference_contributions.shape == y.contributions.shape == X.shape
    assert y.margin > 0
    assert y.reference_posterior is not None
    assert y.reference_posterior.sum() == pytest.approx(1.0)


def test_causes_are_out_of_the_closed_list() -> None:
    others = {"tie", "not-gnb", "undecided", "stateful", "probabilities", "left-out"}
    others |= {"unnormalised", "contradiction", "mutation", "shared-variances"}
    others |= {"clipped", "hard-case", "left-out-rows", "one-variance", "rounding"}
    others |= {"variance-centre", "full-covariances", "estimates", "decision"}
    others |= {"categories", "one-mean", "alone", "learned", "left-out-class"}
    assert set(FAULTS.values()) | others == set(CAUSES)
