"""A battery of hard cases that any Gaussian naive Bayes can be put through."""

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
