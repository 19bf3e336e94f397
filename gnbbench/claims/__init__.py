"""What others published, as data; what the same protocol gives here; and the verdict."""

from gnbbench.claims.claim import (
    Claim,
    ClaimResult,
    Contrast,
    Measured,
    Protocol,
    Reading,
    Source,
    Verdict,
)
from gnbbench.claims.measurements import examine
from gnbbench.claims.table import read_claims, usual_directory

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
