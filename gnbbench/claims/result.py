"""What came of a claim: values, how far they spread, and the verdict."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from gnbbench.claims.claim import Claim, Reading

Verdict: TypeAlias = Literal[
    "reproduced",
    "within run-to-run spread",
    "not reproduced",
    "protocol not stated",
    "measured here",
    "not available",
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True, eq=False)
class Measured:
    """A figure as one reading of the protocol gives it here."""

    reading: Reading
    # In the metric's own unit; NaN where it failed. Of many seeds of one split each, their
    # mean.
    value: float
    # (n_repeats,): The figure under each of many seeds, or of many resampled sets of runs
    repeats: NDArray[np.float64] | None = None
    is_resampled: bool = False  # Whether `repeats` are those of resampled sets of runs
    n_runs: int = 1  # Runs behind one value
    total: int | None = None  # What a count is out of
    low: float = float("nan")  # Ends of a 95 % interval, for times
    high: float = float("nan")  # Ends of a 95 % interval, for times
    spread: float = float("nan")  # Standard deviation, for times
    message: str = ""  # Why it failed, or what a reader should know


@dataclass(frozen=True)
class Contrast:
    """The same figure of another implementation, under the first reading."""

    implementation: str
    value: float
    is_published: bool  # Whether it comes to the published figure too


@dataclass(frozen=True, eq=False)
class ClaimResult:
    """A claim held against what was measured."""

    claim: Claim
    verdict: Verdict
    # One for each reading; empty where the data are not there
    measured: tuple[Measured, ...]
    contrasts: tuple[Contrast, ...]
    explanation: str  # What explains the verdict, in sentences
    # How long it took, without what other claims had measured before
    seconds: float = float("nan")
    is_cut: bool = False  # Whether fewer runs were made than the claim asks for

    @property
    def is_lost(self) -> bool:
        """Whether the claim held when it was entered and does not any more.

        What cannot be measured here, or was with fewer runs than asked for, is not lost.
        """
        if self.is_cut or self.verdict == "not available":
            return False
        worse = {
            "reproduced": VERDICTS[1:],
            "within run-to-run spread": ("not reproduced",),
        }
        return self.verdict in worse.get(self.claim.expected, ())
