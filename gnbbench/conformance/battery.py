"""The battery: every check, in the order in which it is carried out and shown."""

from gnbbench.conformance.families import (
    batches,
    certified,
    degenerate,
    labels,
    memory,
    offsets,
    parameters,
    precision,
    probabilities,
    published,
    refusals,
    repetition,
    scales,
    sizes,
    symmetry,
    ties,
    weights,
)
from gnbbench.conformance.result import Check

CHECKS: tuple[Check, ...] = (
    *published.CHECKS,
    *certified.CHECKS,
    *parameters.CHECKS,
    *offsets.CHECKS,
    *scales.CHECKS,
    *precision.CHECKS,
    *degenerate.CHECKS,
    *sizes.CHECKS,
    *ties.CHECKS,
    *labels.CHECKS,
    *memory.CHECKS,
    *batches.CHECKS,
    *weights.CHECKS,
    *symmetry.CHECKS,
    *probabilities.CHECKS,
    *repetition.CHECKS,
    *refusals.CHECKS,
)
"""Ids are unique."""
