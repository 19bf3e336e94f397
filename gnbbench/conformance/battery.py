"""The battery: every check, in the order in which it is carried out and shown."""

from gnbbench.conformance.answers import BAD_INPUT, PROBABILITIES
from gnbbench.conformance.edge_cases import DEGENERATE, LABELS, SIZES, TIES
from gnbbench.conformance.equivalences import (
    BATCHES,
    MEMORY,
    REPETITION,
    SYMMETRY,
    WEIGHTS,
)
from gnbbench.conformance.known_answers import CERTIFIED, PARAMETERS, PUBLISHED
from gnbbench.conformance.number_ranges import OFFSETS, PRECISION, SCALES
from gnbbench.conformance.result import Check, Family

FAMILIES: tuple[Family, ...] = (
    PUBLISHED,
    CERTIFIED,
    PARAMETERS,
    OFFSETS,
    SCALES,
    PRECISION,
    DEGENERATE,
    SIZES,
    TIES,
    LABELS,
    MEMORY,
    BATCHES,
    WEIGHTS,
    SYMMETRY,
    PROBABILITIES,
    REPETITION,
    BAD_INPUT,
)
CHECKS: tuple[Check, ...] = tuple(check for family in FAMILIES for check in family.checks)
"""Ids are unique."""
