"""One check on one implementation, in this process."""

import time
import warnings

from gnbbench.conformance.contract import Make, NotOffered
from gnbbench.conformance.result import Check, Finding, Outcome, Result


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
