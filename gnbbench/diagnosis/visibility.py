"""Which knobs could not show on some data, and synthetic data on which each does."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import FloatArray
from gnbbench.diagnosis.family import Batch, scores
from gnbbench.diagnosis.reproduction import predicted
from gnbbench.diagnosis.variants import Amount, Variant

Labelled = tuple[FloatArray, NDArray[np.int64]]

ROWS, SEED = 400, 20
# Question -> fields of variants, any of which would show it.
QUESTIONS: dict[str, tuple[dict[str, object], ...]] = {
    "dividing by n − 1": ({"divisor": "n-1"},),
    "no smoothing": ({"smoothing": None},),
    "adding 1e-6 to variances": ({"smoothing": Amount("absolute", 1e-6)},),
    "equal priors": ({"prior": "uniform"},),
    "add-one priors": ({"prior": "add-one"},),
    "multiplied densities": ({"space": "product"},),
    "logarithms of densities": ({"space": "log of density"},),
    "a floor of 1e-10 under densities": (
        {"floor": Amount("add", 1e-10)},
        {"floor": Amount("clip", 1e-10)},
    ),
    "single precision": ({"dtype": "float32"},),
    "variances as E[x²] − E[x]²": ({"formula": "mean"},),
}


def moved_labels(base: Variant, batch: Batch, question: str) -> int:
    """Return how many labels change at most if the question's knob is moved."""
    with np.errstate(all="ignore"):
        plain = predicted(base, scores(base, batch).joint, batch)
        others = [replace(base, **fields) for fields in QUESTIONS[question]]  # type: ignore[arg-type]
        return max(
            int((predicted(other, scores(other, batch).joint, batch) != plain).sum())
            for other in others
        )


def not_shown(base: Variant, batch: Batch) -> tuple[str, ...]:
    """Return what could be done differently without changing a label on these rows."""
    return tuple(name for name in QUESTIONS if not moved_labels(base, batch, name))


# What makes each synthetic dataset hard.
HAVING = {
    "scales": "mixed scales",
    "few": "small classes",
    "many": "many features",
    "outliers": "outliers",
    "far": "a large offset",
}


def hard_datasets() -> dict[str, Labelled]:
    """Return synthetic data by name; each knob changes labels on at least one of them.

    "scales" has one feature of large variance beside small ones that decide, so that
    smoothing shows; "few" many classes of few rows, so that the divisor and priors do;
    "many" so many features that products of densities are lost; "outliers" rows far off
    in one feature each, so that densities are lost one by one and floors show; "far" an
    offset at which single precision and cancelling variances fail.
    """
    rng = np.random.default_rng(SEED)
    y = rng.permutation(np.repeat([0, 1], ROWS // 2))
    sides = y[:, np.newaxis] - 0.5
    scales = rng.normal(size=(ROWS, 4)) * np.where(y, 1.0, 2.0)[:, np.newaxis] + sides
    small = rng.permutation(np.repeat(np.arange(36), np.arange(36) // 2 + 4))
    few = rng.normal(size=(len(small), 3)) + 0.05 * small[:, np.newaxis]
    many = rng.normal(size=(ROWS, 400)) * 6.0 + 0.5 * sides
    outliers = rng.normal(size=(ROWS, 40)) * np.where(y, 1.2, 1.0)[:, np.newaxis] + sides
    outliers[np.arange(0, ROWS, ROWS // 40), np.arange(40)] += 90.0
    far = rng.normal(size=(ROWS, 3)) + 2.0 * sides + 1e8
    return {
        "scales": (scales * [1e4, 1e-3, 1e-4, 2e-4], y),
        "few": (few, small),
        "many": (many, y),
        "outliers": (outliers, y),
        "far": (far, y),
    }
