"""What others published, as data; what the same protocol gives here; and the verdict."""

from gnbbench.claims.claim import Claim, Protocol, Reading, Source
from gnbbench.claims.directory import usual_directory
from gnbbench.claims.examination import examine
from gnbbench.claims.result import ClaimResult, Contrast, Measured, Verdict
from gnbbench.claims.table import read_claims

__all__ = [
    "Claim",
    "ClaimResult",
    "Contrast",
    "Measured",
    "Protocol",
    "Reading",
    "Source",
    "Verdict",
    "examine",
    "read_claims",
    "usual_directory",
]
