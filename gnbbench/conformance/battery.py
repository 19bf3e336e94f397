"""The battery: every check, in the order in which it is carried out and shown."""

import time
import warnings

from gnbbench.conformance.answers import BAD_INPUT, PROBABILITIES
from gnbbench.conformance.contract import Make, NotOffered
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
from gnbbench.conformance.result import Check, Family, Finding, Outcome, Result

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


def run_check(check: Check, make: Make) -> Result:
    """Return what came of one check, whatever the implementation does short of dying.

    An exception is a failure, a call of ``sys.exit`` a crash. Nothing guards against a hang
    here: `gnbbench.conformance.examine` does.
    """
    start = time.perf_counter()
    measured, outcome, message = _outcome(check, make)
    seconds = time.perf_counter() - start
    return Result(check, outcome, measured, message, seconds)


def _outcome(check: Check, make: Make) -> tuple[float | None, Outcome, str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            finding = check.examine(make)
    except NotOffered as missing:
        return None, "not applicable", str(missing)
    except SystemExit as end:
        return None, "crash", f"it asked Python to exit with {end.code!r}"
    except Exception as error:  # noqa: BLE001  code of others may raise anything
        return None, "fail", one_line(error)
    verdict: Outcome = "pass" if _holds(check, finding) else "fail"
    return finding.measured, verdict, finding.message


def _holds(check: Check, finding: Finding) -> bool:
    """Return whether the finding is within the tolerance; NaN never is."""
    if check.tolerance is None:
        return finding.holds
    return (
        finding.holds
        and finding.measured is not None
        and finding.measured <= check.tolerance
    )


def one_line(error: BaseException) -> str:
    """Return the kind of an exception and its message, on one line."""
    message = " ".join(str(error).split())
    kind = type(error).__name__
    return f"{kind}: {message}" if message else kind
