"""Narrow input types: the values are exact, so labels and sums must be as in float64."""

from functools import cache, partial

import numpy as np

from gnbbench.conformance.contract import (
    Make,
    class_order,
    fitted,
    learned_in_batches,
    probabilities_of,
    require,
)
from gnbbench.conformance.evidence import wrong_labels
from gnbbench.conformance.problems import Problem, blobs, settled
from gnbbench.conformance.result import Check, Finding

WIDENING = "every value of the narrow type is a float64: the truth is that of float64"


def _same_labels(make: Make, *, dtype: str) -> Finding:
    # The grid of the problem fits eleven bits, so that no value is rounded.
    problem = blobs()
    model = fitted(make, problem.X.astype(dtype), problem.y)
    return wrong_labels(model, problem.X_test.astype(dtype), problem.labels)


def _uint8(make: Make) -> Finding:
    """Train on grey levels; squares and differences of bytes wrap around in bytes."""
    blob = blobs()
    X, asked = (np.clip(np.round(20.0 * Z + 110.0), 0, 255) for Z in (blob.X, blob.X_test))
    problem = settled(X, blob.y, asked)
    model = fitted(make, problem.X.astype(np.uint8), problem.y)
    return wrong_labels(model, problem.X_test.astype(np.uint8), problem.labels)


@cache
def _far_and_many() -> Problem:
    """Return 200 000 rows about 1000: sums of 1e8, of which float32 keeps tens.

    Rounding learned parameters to float32 (3e-5) moves log-odds by less than 1e-2; the rows
    asked have log-odds above 0.1 with parameters summed in float64.
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
    asked = np.flatnonzero(np.abs(log_odds) > 0.1)[:20_000]
    return Problem(X, y, X[asked], (log_odds[asked] > 0.0).astype(np.int64))


def _float32_sums(make: Make) -> Finding:
    problem = _far_and_many()
    model = fitted(make, problem.X.astype(np.float32), problem.y.copy())
    return wrong_labels(model, problem.X_test.astype(np.float32), problem.labels)


def _float16_counts(make: Make) -> Finding:
    """70 000 rows of a class are more than float16 can count."""
    y = np.repeat([0, 1], 70_000)
    X = (np.tile([-1.0, 0.0, 1.0, 0.0], 35_000) + 10.0 * y).astype(np.float16)[:, None]
    model = fitted(make, X, y)
    asked = np.array([[0.0], [1.0], [9.0], [10.0]], dtype=np.float16)
    finding = wrong_labels(model, asked, np.array([0, 0, 1, 1]))
    if hasattr(model, "predict_proba"):
        probabilities = probabilities_of(model, asked, y)
        if not np.isfinite(probabilities).all():
            message = "probabilities are not finite"
            return Finding(finding.measured, holds=False, message=message)
    return finding


def _float32_counts(make: Make) -> Finding:
    """2**24 and one row is no float32; the many come as one row of that weight."""
    start = (np.array([[0.0], [1.0]], dtype=np.float32), np.array([0, 1]))
    one = (np.array([[0.5]], dtype=np.float32), np.array([0]))
    heavy = np.full(2, 2.0**24)
    model = learned_in_batches(
        make,
        [start, *[one] * 10],
        [0, 1],
        sample_weight=[heavy, *[np.ones(1)] * 10],
    )
    require(model, "class_count_")
    counts = np.asarray(model.class_count_, dtype=np.float64)[class_order(model, [0, 1])]
    lost = float(2.0**24 + 10 - counts[0])
    return Finding(abs(lost), message=f"{lost:g} of 10 rows after 16777216 are not counted")


def _dtype_check(dtype: str) -> Check:
    return Check(
        f"{dtype}-input",
        "precision",
        f"Training and prediction in {dtype} give the labels of float64.",
        0.0,
        "labels",
        WIDENING,
        partial(_same_labels, dtype=dtype),
    )


CHECKS = (
    _dtype_check("float32"),
    _dtype_check("float16"),
    Check(
        "uint8-input",
        "precision",
        "Bytes are neither squared nor subtracted as bytes.",
        0.0,
        "labels",
        WIDENING,
        _uint8,
    ),
    Check(
        "float32-sums",
        "precision",
        "200 000 float32 values about 1000 are not summed in float32.",
        0.0,
        "labels",
        WIDENING,
        _float32_sums,
    ),
    Check(
        "float32-counts",
        "precision",
        "Rows after the 2**24th are counted for float32 input.",
        0.0,
        "rows",
        WIDENING,
        _float32_counts,
    ),
    Check(
        "float16-counts",
        "precision",
        "70 000 float16 rows a class give the right labels and finite probabilities.",
        0.0,
        "labels",
        WIDENING,
        _float16_counts,
    ),
)
