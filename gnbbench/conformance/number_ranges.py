"""Checks on the same data far from zero, in other units, and in narrow types."""

from dataclasses import replace
from functools import cache, partial

import numpy as np

from gnbbench.conformance import contract, problems
from gnbbench.conformance.contract import Criterion, Family, Finding, Make
from gnbbench.conformance.edge_cases import clear
from gnbbench.conformance.problems import Problem

OFFSETS = Family(
    "offsets", "Chan, Golub and LeVeque (1983): the shift of a variance changes nothing"
)


# All sums are exact: values are multiples of 2**-8 and the offset is whole.
for _power in (3, 6, 9, 12):
    OFFSETS.check(
        f"offset-1e{_power}",
        f"Adding 1e{_power} to all values changes no label.",
        on=problems.blobs_with(partial(np.add, 10.0**_power)),
    )(Problem.wrong_labels)


@OFFSETS.check(
    "offset-1e9-variances",
    "With 1e9 added to all values, var_ has the digits of a stable sum.",
    on=problems.blobs,
    # The smallest standard deviation of the problem is about 0.35.
    measure=Criterion("relative error", problems.stable_variance_bound(20, 1e9 / 0.35)),
)
def _shifted_variances(problem: Problem, make: Make) -> Finding:
    model = contract.fitted(make, problem.X + 1e9, problem.y)
    _, var = contract.parameters_of(model, problem.y)
    exact = problem.exact(problems.NO_SMOOTHING).var
    worst = float(contract.variance_errors(var, exact).max())
    return Finding(worst, message="the larger the offset, the fewer digits remain")


SCALES = Family(
    "scales", "a unit of measurement changes neither posterior nor relative smoothing"
)
# Multiplying by a power of two is exact. Where variances leave the range of float64, an
# error is acceptable too.
_or_refused = problems.or_refused(Problem.wrong_labels)
for _power in (-170, -150, -6, 6, 150, 170):
    _leaves, _factor = abs(_power) > 160, 2.0 ** round(_power * np.log2(10.0))
    SCALES.check(
        f"scale-1e{_power}",
        f"At about 1e{_power}, squares leave float64: labels stay right or an error comes."
        if _leaves
        else f"Multiplying all values by about 1e{_power} changes no label.",
        on=problems.blobs_with(partial(np.multiply, _factor)),
    )(_or_refused if _leaves else Problem.wrong_labels)

SCALES.check(
    "scale-1e-4-of-half",
    "Two features of about 1e-4 decide beside two of 0.1.",
    on=problems.blobs_with(partial(np.multiply, np.exp2([-13, -4, -13, -4]))),
)(Problem.wrong_labels)

PRECISION = Family(
    "precision", "every value of the narrow type is a float64, which gives the right answer"
)


def _narrow(dtype: str) -> Problem:
    # The grid of the problem fits into eleven bits, so no value is rounded.
    return problems.blobs().with_samples(lambda X: X.astype(dtype))


def _bytes() -> Problem:
    """Grey levels: squares and differences of bytes overflow in bytes."""
    grey = problems.blobs().with_samples(lambda X: np.clip(np.round(20 * X + 110), 0, 255))
    problem = problems.undisputed(grey.X, grey.y, grey.X_test)
    return problem.with_samples(lambda X: X.astype(np.uint8))


def _whole(dtype: str) -> Problem:
    """Whole numbers so small that a mean, or a row to label, cut to one moves labels."""
    blobs = problems.blobs().with_samples(lambda X: 2.0 * X)
    rounded = np.asarray(np.round(blobs.X), dtype=np.float64)
    problem = problems.undisputed(rounded, blobs.y, blobs.X_test)
    return replace(problem, X=problem.X.astype(dtype))


def _bools(dtype: str) -> Problem:
    """Truth values, whose products and sums are truth values as well."""
    generator, y = np.random.default_rng(32), np.tile([0, 1, 2], 40)
    drawn = generator.random((120, 8)) < generator.uniform(0.1, 0.9, (3, 8))[y]
    rows = drawn.astype(np.float64)
    problem = clear(rows[:60], y[:60], rows[60:], 0.05, np.inf)
    return problem.with_samples(lambda X: X.astype(dtype))


def _large(dtype: str) -> Problem:
    """Whole numbers of which squares need more bits."""
    return problems.blobs().with_samples(lambda X: (2**20 * X).astype(dtype))


for _dtype, _samples in (
    *(("float32", _narrow), ("float16", _narrow)),
    *(("int32", _large), ("int64", _whole), ("bool", _bools)),
):
    _done = "Training in {} gives"
    _done = _done if _samples is _whole else "Training and prediction in {} give"
    PRECISION.check(
        f"{_dtype}-input",
        f"{_done.format(_dtype)} the labels of float64.",
        on=partial(_samples, _dtype),
    )(Problem.wrong_labels)
PRECISION.check(
    "uint8-input", "Bytes are neither squared nor subtracted as bytes.", on=_bytes
)(Problem.wrong_labels)


@cache
def _far_and_many() -> Problem:
    """Return 200,000 rows around 1,000: sums of 1e8, which float32 rounds to tens.

    Rounding learned parameters to float32 (3e-5) moves log-odds by less than 1e-2; the test
    rows have log-odds above 0.1 with parameters summed in float64.
    """
    generator = np.random.default_rng(31)
    y = np.tile([0, 1], 100_000)
    noise = generator.normal(size=(len(y), 2))
    X = (1000.0 + 1.5 * y[:, np.newaxis] + noise).astype(np.float32).astype(np.float64)
    score = [
        -((X - rows.mean(axis=0)) ** 2 / rows.var(axis=0) + np.log(rows.var(axis=0)))
        for rows in (X[y == 0], X[y == 1])
    ]
    log_odds = 0.5 * (score[1] - score[0]).sum(axis=1)
    asked = np.flatnonzero(np.abs(log_odds) > 0.1)[:2_000]
    return Problem(X, y, X[asked], (log_odds[asked] > 0.0).astype(np.int64))


@PRECISION.check(
    "float32-sums",
    "200,000 float32 values about 1,000 are not summed in float32.",
    on=_far_and_many,
)
def _float32_sums(problem: Problem, make: Make) -> Finding:
    model = contract.fitted(make, problem.X.astype(np.float32), problem.y.copy())
    return contract.wrong_labels(model, problem.X_test.astype(np.float32), problem.labels)


@PRECISION.check(
    "float32-counts",
    "Rows after the 2**24th are counted for float32 input.",
    measure=Criterion("rows", 0.0),
)
def _float32_counts(make: Make) -> Finding:
    """2**24 + 1 is not a float32; the first 2**24 rows are one row with that weight."""
    start = (np.array([[0.0], [1.0]], dtype=np.float32), np.array([0, 1]))
    row = (np.array([[0.5]], dtype=np.float32), np.array([0]))
    weights = [np.full(2, 2.0**24), *[np.ones(1)] * 10]
    model = contract.learned_in_batches(
        make, [start, *[row] * 10], [0, 1], sample_weight=weights
    )
    contract.require(model, "class_count_")
    counts = np.asarray(model.class_count_, dtype=np.float64)[
        contract.class_order(model, [0, 1])
    ]
    lost = float(2.0**24 + 10 - counts[0])
    return Finding(abs(lost), message=f"{lost:g} of 10 rows after 16777216 are not counted")


@PRECISION.check(
    "float16-counts",
    "70,000 float16 rows per class give the right labels and finite probabilities.",
)
def _float16_counts(make: Make) -> Finding:
    """float16 cannot count 70,000 rows."""
    y = np.repeat([0, 1], 70_000)
    X = (np.tile([-1.0, 0.0, 1.0, 0.0], 35_000) + 10.0 * y).astype(np.float16)[:, None]
    model = contract.fitted(make, X, y)
    asked = np.array([[0.0], [1.0], [9.0], [10.0]], dtype=np.float16)
    return contract.right_and_finite(model, asked, np.array([0, 0, 1, 1]), y)
