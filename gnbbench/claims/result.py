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
    """A figure as one reading of the protocol gives it here.

    Parameters
    ----------
    reading : Reading
    value : float
        In the metric's own unit; NaN where it failed. Of many seeds of one split each,
        their mean.
    repeats : ndarray of shape (n_repeats,), optional
        The figure under each of many seeds, or of many resampled sets of runs.
    is_resampled : bool, default=False
        Whether `repeats` are those of resampled sets of runs.
    n_runs : int, default=1
        Runs behind one value.
    total : int or None, default=None
        What a count is out of.
    low, high : float, default=NaN
        Ends of a 95 % interval, for times.
    spread : float, default=NaN
        Standard deviation, for times.
    message : str, default=""
        Why it failed, or what a reader should know.
    """

    reading: Reading
    value: float
    repeats: NDArray[np.float64] | None = None
    is_resampled: bool = False
    n_runs: int = 1
    total: int | None = None
    low: float = float("nan")
    high: float = float("nan")
    spread: float = float("nan")
    message: str = ""


@dataclass(frozen=True)
class Contrast:
    """The same figure of another implementation, under the first reading.

    Parameters
    ----------
    implementation : str
    value : float
    is_published : bool
        Whether it comes to the published figure too.
    """

    implementation: str
    value: float
    is_published: bool


@dataclass(frozen=True, eq=False)
class ClaimResult:
    """A claim held against what was measured.

    Parameters
    ----------
    claim : Claim
    verdict : Verdict
    measured : tuple of Measured
        One for each reading; empty where the data are not there.
    contrasts : tuple of Contrast
    explanation : str
        What explains the verdict, in sentences.
    seconds : float, default=NaN
        How long it took, without what other claims had measured before.
    is_cut : bool, default=False
        Whether fewer runs were made than the claim asks for.
    """

    claim: Claim
    verdict: Verdict
    measured: tuple[Measured, ...]
    contrasts: tuple[Contrast, ...]
    explanation: str
    seconds: float = float("nan")
    is_cut: bool = False

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
