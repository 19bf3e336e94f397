"""The battery: every check, in the order in which it is carried out and shown."""

import time
import warnings
from collections.abc import Callable, Sequence
from difflib import get_close_matches

from gnbbench.conformance.contract import Make, NotOffered
from gnbbench.conformance.edge_cases import BAD_INPUT, DEGENERATE, LABELS, SIZES, TIES
from gnbbench.conformance.equivalences import (
    BATCHES,
    MEMORY,
    REPETITION,
    SYMMETRY,
    WEIGHTS,
)
from gnbbench.conformance.known_answers import (
    CERTIFIED,
    PARAMETERS,
    PROBABILITIES,
    PUBLISHED,
)
from gnbbench.conformance.number_ranges import OFFSETS, PRECISION, SCALES
from gnbbench.conformance.result import Check, Family, Finding, Outcome, Result
from gnbbench.errors import GnbBenchError, OptionError
from gnbbench.processes.interruption import pass_on_interruption
from gnbbench.tracebacks import described

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


def checks_of(only: Sequence[str], option: str = "--only") -> tuple[Check, ...]:
    """Return the checks of these families or ids; all where none is named."""
    for name in only:
        require_check(name, option, or_family=True)
    return tuple(
        check for check in CHECKS if not only or {check.id, check.family} & set(only)
    )


def require_check(
    name: str,
    where: str,
    *,
    or_family: bool = False,
    error: Callable[[str, str, str], GnbBenchError] = OptionError,
) -> None:
    """Raise where no check, nor a family where one will do, has this name."""
    known = [check.id for check in CHECKS]
    if or_family:
        known += [check.family for check in CHECKS]
    if name not in known:
        guesses = get_close_matches(name, known, n=1)
        hint = f"Did you mean '{guesses[0]}'? " if guesses else ""
        what = f"there is no check {'or family ' * or_family}'{name}'"
        raise error(where, what, f"{hint}See: gnbbench conformance --list")


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
    except BaseException as error:  # noqa: BLE001  code of others may raise anything
        pass_on_interruption(error)
        return None, "fail", described(error)
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
