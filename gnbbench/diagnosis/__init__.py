"""Disagreements to causes: what an implementation does differently, by its name."""

from gnbbench.diagnosis.diagnose import Trial, diagnose, diagnose_each
from gnbbench.diagnosis.findings import CAUSES, Cause, Diagnosis, ExplainedDisagreement

__all__ = [
    "CAUSES",
    "Cause",
    "Diagnosis",
    "ExplainedDisagreement",
    "Trial",
    "diagnose",
    "diagnose_each",
]
