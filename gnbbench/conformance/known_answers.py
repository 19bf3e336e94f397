"""Checks against known answers: published, certified by NIST, or by exact arithmetic."""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from gnbbench.arrays import FloatArray
from gnbbench.conformance import contract, problems
from gnbbench.conformance.contract import WRONG_LABELS, Criterion, Family, Finding, Make
from gnbbench.conformance.edge_cases import CLEAR_LEAD, SURE, leads_of, log_joint
from gnbbench.conformance.problems import CertifiedData, Problem
from gnbbench.data.loading import load
from gnbbench.files import toml_beside
from gnbbench.splits import split

PUBLISHED = Family(
    "published values",
    "A comparative analysis and implementation of Gaussian naive Bayes: stratified "
    "70/30 split, random_state=42",
)
# A mean confidence printed to four digits is off by at most half a unit of the last.
HALF_A_DIGIT = Criterion("probability", 0.5e-4)
_CASES = toml_beside(__file__, "named_cases.toml")


def _toy() -> Problem:
    X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    y = np.array([1, 1, 1, 2, 2, 2])
    return Problem(X, y, np.array([[-0.8, -1.0]]), np.array([1]))


PUBLISHED.check(
    "published-toy-example",
    "The example of scikit-learn's documentation gets the label 1.",
    on=_toy,
    source="scikit-learn, GaussianNB, Examples",
)(Problem.wrong_labels)


def _sides_of(name: str, how: Mapping[str, Any] | None) -> Problem:
    """Return both sides of a dataset's split; if none is given, all rows as both."""
    data = load(name)
    train = test = np.arange(len(data.y))
    if how is not None:
        train, test = attrgetter("train", "test")(split(data.y, 0, **how))
    return Problem(data.X[train], data.y[train], data.X[test], data.y[test])


def _mislabelled(problem: Problem, make: Make, published: Sequence[int]) -> Finding:
    """Compare the numbers of mislabelled test and training samples with a source."""
    model = problem.fitted(make)
    sides = ((problem.X_test, problem.labels), (problem.X, problem.y))
    tested = sides[: len(published)]
    counts = [int((contract.labels_of(model, X) != y).sum()) for X, y in tested]
    texts = (" and ".join(map(str, numbers)) for numbers in (counts, published))
    return Finding(
        float(np.abs(np.subtract(counts, published)).sum()),
        message="{} mislabelled, published {}".format(*texts),
    )


def _confidence(problem: Problem, make: Make, published: float) -> Finding:
    mean = float(problem.table(make).max(axis=1).mean())
    return Finding(abs(mean - published), message=f"{mean:.5f}, published {published}")


_FIGURES: dict[str, tuple[Callable[..., Finding], Criterion | None]] = {
    "mislabelled": (_mislabelled, None),
    "confidence": (_confidence, HALF_A_DIGIT),
}
for _id, _row in _CASES["published"].items():
    _figure = next(name for name in _FIGURES if name in _row)
    _compared, _measure = _FIGURES[_figure]
    PUBLISHED.check(
        f"published-{_id}",
        _row["statement"],
        source=_row.get("source"),
        on=partial(_sides_of, _row["data"], _row.get("split")),
        measure=_measure,
    )(partial(_compared, published=_row[_figure]))

CERTIFIED_DATA = Family("certified data", "NIST StRD")


def tolerance(data: CertifiedData) -> float:
    """Return the largest error of a stable computation of a variance.

    Certified values hold for decimal numbers. Rounding those to doubles moves the variance
    by at most 2 u k, k = |mean| / sd (Cauchy-Schwarz on its differential); a stable
    algorithm adds `stable_variance_bound`, and NIST gives 15 digits.
    """
    condition = float(np.abs(data.means).max()) / math.sqrt(data.variance)
    in_data = 2.0 * problems.UNIT_ROUNDOFF * condition
    return in_data + problems.stable_variance_bound(data.groups.shape[1], condition) + 1e-14


def _digits(make: Make, data: CertifiedData) -> Finding:
    """Return the relative error of means and variances, with groups as classes."""
    # A single group is duplicated.
    groups = np.resize(data.groups, (max(2, len(data.groups)), data.groups.shape[1]))
    X, y = groups.reshape(-1, 1), np.repeat(np.arange(len(groups)), groups.shape[1])
    theta, var = contract.parameters_of(contract.fitted(make, X, y), y)
    means, variance = np.resize(data.means, theta.shape), data.variance
    # Smoothing is not an error here; another check tests its amount.
    smoothed = variance + contract.ANY_SMOOTHING * float(np.var(X - X[0]))
    off = var - np.clip(var, variance, smoothed)
    of_mean = float(np.max(np.abs(theta - means) / np.abs(means)))
    errors = (of_mean, float(np.max(np.abs(off)) / variance))
    digits = [15.0 if e == 0.0 else min(15.0, -math.log10(e)) for e in errors]
    return Finding(
        max(errors), message=f"digits right: mean {digits[0]:.1f}, variance {digits[1]:.1f}"
    )


for _data in problems.CERTIFIED.values():
    CERTIFIED_DATA.check(
        f"certified-{_data.name.lower()}",
        _data.statement,
        measure=Criterion("relative error", tolerance(_data)),
        source=f"NIST StRD, {_data.source}",
    )(partial(_digits, data=_data))

PARAMETERS = Family(
    "parameters",
    "scikit-learn, user guide, eq. of Gaussian naive Bayes; bound: Higham 2002",
    on=problems.blobs,
)
# Sums of n = 60 terms in any order are off by n u = 6.7e-15 of the terms' magnitudes, and
# a variance and a score are three such sums deep.
SUMMED = 2e-14
# Scores of the problem add up terms of 1e2 in all: an absolute error of 1e2 * SUMMED.
SCORED = 2e-12


def _unequal_classes() -> Problem:
    return replace(problems.blobs(), y=np.repeat([0, 1, 2], [10, 20, 30]))


@PARAMETERS.check(
    "exact-means",
    "theta_ holds the exact class means, up to the rounding of a sum.",
    measure=Criterion("standard deviations", SUMMED),
)
def _means(problem: Problem, make: Make) -> Finding:
    exact = problem.exact()
    theta, _ = problem.parameters(make)
    return contract.largest_error(np.abs(theta - exact.theta) / np.sqrt(exact.var))


@PARAMETERS.check(
    "exact-variances",
    "var_ holds the exact class variances with the divisor n.",
    measure=Criterion("relative error", SUMMED),
)
def _variances(problem: Problem, make: Make) -> Finding:
    _, var = problem.parameters(make)
    exact = problem.exact(problems.NO_SMOOTHING).var
    return contract.largest_error(contract.variance_errors(var, exact))


def _nothing_but_smoothing() -> Problem:
    """The variance of a feature that is constant in a class is the smoothing."""
    X = np.array([[1.0, 0.0], [1.0, 8.0], [2.0, 4.0], [4.0, 12.0]])
    y = np.array([0, 0, 1, 1])
    return Problem(X, y, X, y)


@PARAMETERS.check(
    "exact-smoothing",
    "1e-9 of the largest variance of all features is added to every variance.",
    on=_nothing_but_smoothing,
    measure=Criterion("relative error", SUMMED),
)
def _smoothing(problem: Problem, make: Make) -> Finding:
    var = problem.parameters(make)[1][0, 0]
    epsilon = float(problem.exact().epsilon)
    message = f"{var:.6g} instead of {epsilon:.6g}"
    return Finding(float(abs(var - epsilon) / epsilon), message=message)


@PARAMETERS.check(
    "exact-priors",
    "class_prior_ holds the class frequencies of the training data.",
    on=_unequal_classes,
    measure=Criterion("absolute error", SUMMED),
)
def _priors(problem: Problem, make: Make) -> Finding:
    model = problem.fitted(make)
    contract.require(model, "class_prior_")
    order = contract.class_order(model, problem.y)
    priors = contract.by_class(model, "class_prior_", problem.y)[order]
    return contract.largest_error(np.abs(priors - np.array([10, 20, 30]) / 60))


@PARAMETERS.check(
    "exact-joint-log-likelihood",
    "predict_joint_log_proba gives the exact joint log-likelihood.",
    measure=Criterion("nats", SCORED),
)
def _joint(problem: Problem, make: Make) -> Finding:
    exact = problem.exact().joint_log_likelihood(problem.X_test)
    answers = problem.table(make, "predict_joint_log_proba")
    return contract.largest_error(np.abs(answers - exact))


@PARAMETERS.check(
    "exact-posterior",
    "predict_proba gives the exact posterior probabilities.",
    measure=Criterion("absolute error", SCORED),
)
def _posterior(problem: Problem, make: Make) -> Finding:
    exact = problem.exact().posterior(problem.X_test)
    return contract.largest_error(np.abs(problem.table(make) - exact))


PARAMETERS.check(
    "exact-posterior-unequal-priors",
    "predict_proba weights classes of 10, 20 and 30 rows by their frequencies.",
    on=_unequal_classes,
    measure=Criterion("absolute error", SCORED),
)(_posterior)


def _labels_with(problem: Problem, make: Make, name: str, value: Any) -> Finding:
    """Count wrong labels of a model with this parameter.

    Priors are given to a model of two batches as well.
    """
    contract.require_argument(make(), "__init__", name)
    added = value * problem.X.var(axis=0).max() if name == "var_smoothing" else 0.0
    joint = log_joint(problem.X, problem.y, problem.X_test, added=added)
    joint += np.log(value) if name == "priors" else 0.0  # Classes are equally large
    sure, labels = leads_of(joint) > CLEAR_LEAD, joint.argmax(axis=1)
    make_with = partial(contract.configured, make, **{name: value})
    models = {"": problem.fitted(make_with)}
    with suppress(contract.NotOffered):
        contract.require_batches(make if name == "priors" else object)
        batches = [(problem.X[::2], problem.y[::2]), (problem.X[1::2], problem.y[1::2])]
        model = contract.learned_in_batches(make_with, batches, [0, 1, 2])
        models = {" after partial_fit": model, **models}
    rows, wanted = problem.X_test[sure], labels[sure]
    for how, model in models.items():
        finding = contract.right_and_finite(model, rows, wanted, problem.y)
        if finding.measured or not finding.holds:
            return replace(finding, message=f"{finding.message}{how}")
    return finding


for _id, _row in _CASES["given"].items():
    PARAMETERS.check(
        f"given-{_id}",
        _row["statement"],
        on=problems.blobs_with(partial(np.multiply, np.exp2(_row.get("exponents", [0])))),
        measure=WRONG_LABELS,
        source=SURE,
    )(partial(_labels_with, name=_row["parameter"], value=_row["value"]))

# Log-likelihoods of the problem add up terms of 1e2: exp of them is off by 1e2 u each, and
# a sum of three, normalised, by less than ten times that.
OF_SCORES = 1e-12
PROBABILITIES = Family(
    "probabilities",
    "fractions of a sum; rounding of the log-likelihoods, about 1e2, is 1e2 * 2**-52",
    Criterion("absolute error", OF_SCORES),
    problems.blobs,
)


@PROBABILITIES.check("probabilities-sum", "Probabilities are not negative and sum to one.")
def _sums(problem: Problem, make: Make) -> Finding:
    table = problem.table(make)
    if (table < 0.0).any():
        return Finding(holds=False, message=f"a probability is {table.min():.3g}")
    return contract.largest_error(np.abs(table.sum(axis=1) - 1.0), by_row=True)


def _far_rows(distance: float) -> FloatArray:
    """Return rows at a distance along each axis and diagonal; every class has some."""
    axes = np.vstack([np.eye(4), -np.eye(4)])
    diagonals = np.array(np.meshgrid(*[[-1.0, 1.0]] * 4)).reshape(4, -1).T
    return distance * np.vstack([axes, diagonals])


@PROBABILITIES.check(
    "probabilities-far-labels",
    "A million standard deviations away, labels are right and probabilities finite.",
    measure=WRONG_LABELS,
)
def _far_labels(problem: Problem, make: Make) -> Finding:
    """Scores of 1e12 are rounded by 1e-4; margins that far out are 1e11."""
    rows = _far_rows(1e6)
    labels = problem.exact().joint_log_likelihood(rows).argmax(axis=1)
    return contract.right_and_finite(problem.fitted(make), rows, labels, problem.y)


@PROBABILITIES.check(
    "log-probabilities-far",
    "A hundred standard deviations away, predict_log_proba does not underflow.",
    measure=Criterion("rows", 0.0),
)
def _far_logarithms(problem: Problem, make: Make) -> Finding:
    """At 100 standard deviations probabilities underflow, their logarithms do not."""
    rows = _far_rows(100.0)
    logs = contract.table_of(problem.fitted(make), "predict_log_proba", rows, problem.y)
    joint = problem.exact().joint_log_likelihood(rows)
    largest = joint.max(axis=1, keepdims=True)
    total = largest + np.log(np.exp(joint - largest).sum(axis=1, keepdims=True))
    is_off = ~(np.abs(logs - (joint - total)) <= OF_SCORES * np.abs(joint))
    return _of_rows(is_off, (logs, joint - total), 6, "all logarithms right")


def _of_rows(is_off: Any, tables: tuple[Any, Any], digits: int, right: str) -> Finding:
    """Return how many rows of two tables differ, and where they do first."""
    n, place = np.count_nonzero(is_off.any(axis=1)), is_off.argmax()
    got, wanted = (f"{table.flat[place]:.{digits}g}" for table in tables)
    text = f"{n} of {len(is_off)} rows differ, the first: {got} instead of {wanted}"
    return Finding(float(n), message=text if n else right)


@PROBABILITIES.check(
    "small-probabilities",
    "Probabilities down to 1e-12 are neither zero nor raised.",
    measure=Criterion("rows", 0.0),
    source="logarithms to a quarter, which no definition of the variance reaches",
)
def _small(problem: Problem, make: Make) -> Finding:
    rows = _far_rows(3.0)
    shares = problem.exact().posterior(rows)
    kept = (shares.min(axis=1) > 1e-12) & (shares.min(axis=1) < 1e-7)
    rows, shares = rows[kept], shares[kept]
    table = contract.table_of(problem.fitted(make), "predict_proba", rows, problem.y)
    with np.errstate(all="ignore"):
        gaps = np.abs(np.log(table) - np.log(shares))
    is_off = ~(gaps <= 0.25 * np.abs(np.log(shares)) + 0.25)
    return _of_rows(is_off, (table, shares), 2, "all within a quarter")


@PROBABILITIES.check(
    "score",
    "score is the share of right labels, by weight if there are weights.",
    measure=Criterion("difference", 0.005),
    source="scikit-learn: ClassifierMixin.score; two decimals are enough",
)
def _score(problem: Problem, make: Make) -> Finding:
    """Where one gives a percentage, say, it is another thing."""
    model = problem.fitted(make)
    contract.require(model, "score")
    contract.require_argument(model, "score", "y")
    y = np.where(np.arange(len(problem.labels)) % 3, problem.labels, 3)
    is_right = contract.labels_of(model, problem.X_test) == y
    options, weights = {}, np.ones(len(y))
    if contract.has_argument(model, "score", "sample_weight"):
        weights = 1.0 + is_right
        options = {"sample_weight": weights}
    score = model.score(problem.X_test, y, **options)
    if not (isinstance(score, float) and 0.0 <= score <= 1.0):
        raise contract.NotOffered("its score is no share")
    share = float(np.average(is_right, weights=weights))
    return Finding(abs(score - share), message=f"{score:.3g} instead of {share:.3g}")


@PROBABILITIES.check(
    "joint-to-posterior", "predict_joint_log_proba, normalised, is predict_proba."
)
def _normalised(problem: Problem, make: Make) -> Finding:
    joint = problem.table(make, "predict_joint_log_proba")
    weights = np.exp(joint - joint.max(axis=1, keepdims=True))
    shares = weights / weights.sum(axis=1, keepdims=True)
    return contract.largest_error(np.abs(shares - problem.table(make)), by_row=True)


@PROBABILITIES.check(
    "probabilities-to-labels",
    "predict gives the class of the largest probability, with columns in order of labels.",
    measure=WRONG_LABELS,
)
def _labels(problem: Problem, make: Make) -> Finding:
    """Labels by appearance, or numbers as text, are in another order."""
    every = ["b", "c", "a"], ["v", "n", "r"], ["yes", "no"], ["off", "on"], [9, 10, 2]
    for names in map(np.array, every):
        named = problem.named(names)
        # The test rows have no ties, so the largest probability is unique.
        model = named.fitted(make)
        best = contract.table_of(model, "predict_proba", named.X_test, named.y).argmax(1)
        labels = contract.labels_of(model, named.X_test)
        finding = contract.differing_labels(np.unique(names)[best], labels)
        if finding.measured:
            break
    return finding
