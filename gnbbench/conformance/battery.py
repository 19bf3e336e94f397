"""The battery: all checks in display order, each run on its own within a time limit."""

import math
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import cache
from typing import Any

from gnbbench.conformance import contract, edge_cases, equivalences, known_answers
from gnbbench.conformance.contract import Family, Finding, HardCase, Make, Outcome, Result
from gnbbench.conformance.number_ranges import OFFSETS, PRECISION, SCALES
from gnbbench.errors import GnbBenchError, OptionError, meant
from gnbbench.implementations import Implementation
from gnbbench.implementations.adapting import AdaptedModel, LimitError
from gnbbench.implementations.isolation import payload_of
from gnbbench.implementations.lookup import unwatched, watched
from gnbbench.processes import client
from gnbbench.tracebacks import described, pass_on_interruption

FAMILIES: tuple[Family, ...] = (
    *(known_answers.PUBLISHED, known_answers.CERTIFIED_DATA, known_answers.PARAMETERS),
    *(OFFSETS, SCALES, PRECISION),
    *(edge_cases.DEGENERATE, edge_cases.SIZES, edge_cases.TIES, edge_cases.LABELS),
    *(equivalences.MEMORY, equivalences.BATCHES, equivalences.WEIGHTS),
    *(equivalences.SYMMETRY, known_answers.PROBABILITIES, equivalences.REPETITION),
    edge_cases.BAD_INPUT,
)
CHECKS = tuple(check for family in FAMILIES for check in family.checks)
"""Ids are unique."""


def checks_of(only: Sequence[str], option: str = "--only") -> tuple[HardCase, ...]:
    """Return the checks with these families or ids; all if none is named."""
    for name in only:
        require_check(name, option, or_family=True)
    return tuple(c for c in CHECKS if not only or {c.id, c.family} & set(only))


def require_check(
    name: str,
    where: str,
    *,
    or_family: bool = False,
    error: Callable[[str, str, str], GnbBenchError] = OptionError,
) -> None:
    """Raise if no check (or family, if allowed) has this name."""
    known = [check.id for check in CHECKS]
    if or_family:
        known += [check.family for check in CHECKS]
    if name not in known:
        kind = "check or family" if or_family else "check"
        what = f"there is no {kind} '{name}'"
        raise error(where, what, meant(name, known, "See: gnbbench conformance --list"))


def run_check(check: HardCase, make: Make) -> Result:
    """Run one check, whatever the implementation raises.

    An exception is a failure, a call of ``sys.exit`` a crash. This does not guard against
    hangs; `examine` does.
    """
    start = time.perf_counter()
    outcome, finding = _outcome(check, make)
    seconds = time.perf_counter() - start
    return Result(check, outcome, finding.measured, finding.message, seconds)


def _outcome(check: HardCase, make: Make) -> tuple[Outcome, Finding]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            finding = check.examine(make)
    except (contract.NotOffered, LimitError) as missing:
        return "not applicable", Finding(message=str(missing))
    except SystemExit as end:
        return "crash", Finding(message=f"it asked Python to exit with {end.code!r}")
    except BaseException as error:  # noqa: BLE001  third-party code may raise anything
        pass_on_interruption(error)
        return "fail", Finding(message=described(error))
    # NaN is never within the tolerance.
    measured = math.nan if finding.measured is None else finding.measured
    is_within = check.tolerance is None or measured <= check.tolerance
    return "pass" if finding.holds and is_within else "fail", finding


# Checks on many rows, classes or features, the fastest first: the last within a budget.
LARGE = (
    *("thousand-classes", "rare-class", "many-rows", "large-class"),
    *("ten-thousand-features", "many-rows-to-label", "float16-counts", "float32-sums"),
)
LEAST_SECONDS = 2.0  # For a check that a budget still allows
# How long a subprocess may take to start and to load the implementation.
LOADING_SECONDS = 120.0
REMEDY = "Give it as file.py:Class."


def examine(
    entry: Implementation,
    checks: Sequence[HardCase] = CHECKS,
    *,
    timeout_seconds: float = 30.0,
    budget_seconds: float = math.inf,
    process: client.FreshProcess | None = None,
    file: str = "",
) -> contract.Conformance:
    """Run every check in a subprocess; once the budget of CPU is spent, begin no other.

    The implementation is loaded in its own interpreter, which runs check after check as
    long as it behaves. A process that hangs is killed, one that dies is replaced, and
    none is left behind. In a given process it is known which lines of a file run.
    """
    maker, version = payload_of(entry.make, entry.name, REMEDY), ""
    results: list[Result] = []
    with client.FreshProcess() if process is None else nullcontext(process) as worker:
        worker.begin = lambda there: there.call(load, maker, file, seconds=LOADING_SECONDS)
        examined = _examined_in_process(worker, checks, timeout_seconds, budget_seconds)
        for result, examined_version in examined:
            results.append(result)
            version = version or examined_version
    results.sort(key=lambda result: checks.index(result.check))
    return contract.Conformance(entry.name, entry.description, version, tuple(results))


def _examined_in_process(
    process: client.FreshProcess, checks: Sequence[HardCase], seconds: float, budget: float
) -> Iterator[tuple[Result, str]]:
    """Yield results and versions from a worker, replaced whenever it dies.

    If it dies while loading, all checks fail.
    """
    try:
        process.started()
    except client.CallFailure as failure:
        result = _judged(failure)
        result["message"] = f"while it was loaded: {result['message']}"
        for check in checks:
            yield Result(check, **result), ""
        return
    small = [check for check in checks if check.id not in LARGE]
    large = [check for check in checks if check.id in LARGE]
    large.sort(key=lambda check: LARGE.index(check.id))
    for check in checks if budget == math.inf else [*small, *large]:
        if budget <= 0.0:
            return
        start, version = time.perf_counter(), ""
        allowed = min(seconds, max(budget, LEAST_SECONDS))
        try:
            result = process.call(examine_check, check.id, seconds=allowed)
            version, spent = result.pop("version"), result.pop("cpu")
        except client.CallFailure as failure:
            spent = time.perf_counter() - start
            result = _judged(failure, spent)
        budget -= spent
        yield Result(check, **result), version


def _judged(failure: client.CallFailure, seconds: float = 0.0) -> dict[str, Any]:
    """Return the result that the end of a worker implies."""
    outcome, message = "crash", str(failure)
    if isinstance(failure, client.CallTimeout):
        outcome, message = "timeout", f"no answer within {failure.seconds:g} s"
    elif isinstance(failure, client.CallCrash):
        message = f"the process {failure.how}".replace("was ended by", "died of")
    return {"outcome": outcome, "measured": None, "message": message, "seconds": seconds}


_makers: list[Make] = []  # Of what this process examines
_done: list[str] = []  # Ids of checks


def load(make: Make, file: str = "") -> None:
    """Set the maker of models for all checks, and the file whose lines are watched."""
    if file:
        watched(file)
    _makers[:] = [make]
    _done.clear()


def examine_check(check_id: str) -> dict[str, Any]:
    """Return the fields of one check's result, its CPU time, the package's version."""
    (check,) = (check for check in CHECKS if check.id == check_id)
    (make,) = _makers
    start = time.process_time()
    row = dict(vars(run_check(check, make)), version=version_of(make))
    row["cpu"] = time.process_time() - start
    _done.append(check_id)
    del row["check"]
    if row["measured"] is not None:
        row["measured"] = float(row["measured"])
    return row


def marked_in_checks(
    process: client.FreshProcess, results: Sequence[Result], file: str
) -> set[int]:
    """Return the lines that were marked in the checks; none if a process did not run all.

    The file is loaded again without marks if it is used once more.
    """
    try:
        there = process.call(done_there, seconds=LOADING_SECONDS)
        marked = process.call(unwatched, file, seconds=LOADING_SECONDS) if file else ()
    except client.CallFailure:
        return set()
    return set(marked) if {result.check.id for result in results} <= {*there} else set()


def done_there() -> list[str]:
    """Return the checks that this process has run."""
    return _done


@cache
def version_of(make: Make) -> str:
    """Return the version of the package that a model comes from."""
    if hasattr(make, "version"):
        return str(make.version or "")
    try:
        module = type(make()).__module__
    except Exception:  # noqa: BLE001  every check will report it
        return ""
    # The adapter around third-party code is not examined.
    if module == AdaptedModel.__module__:
        return ""
    return str(getattr(sys.modules.get(module.partition(".")[0]), "__version__", ""))
