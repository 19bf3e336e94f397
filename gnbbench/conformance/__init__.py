"""A battery of hard cases for any Gaussian naive Bayes."""

from gnbbench.conformance.battery import CHECKS, examine, run_check
from gnbbench.conformance.contract import Conformance, Finding, HardCase, Outcome, Result

__all__ = [
    "CHECKS",
    "Conformance",
    "Finding",
    "HardCase",
    "Outcome",
    "Result",
    "examine",
    "run_check",
]
