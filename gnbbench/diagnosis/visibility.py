"""Which knobs of the family could not show on some data: moving them moves no label."""

from dataclasses import replace

import numpy as np

from gnbbench.diagnosis.family import Batch, scores
from gnbbench.diagnosis.reproduction import predicted
from gnbbench.diagnosis.variants import Amount, Variant

# What is asked -> fields of variants, any of which would show it.
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
            int((predicted(one, scores(one, batch).joint, batch) != plain).sum())
            for one in others
        )


def not_shown(base: Variant, batch: Batch) -> tuple[str, ...]:
    """Return what could be done otherwise without moving a label on these rows."""
    return tuple(name for name in QUESTIONS if not moved_labels(base, batch, name))
