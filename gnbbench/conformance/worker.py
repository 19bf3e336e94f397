"""What a worker process does for the battery: loads an implementation, examines it."""

import sys
from typing import Any

from gnbbench.conformance.battery import CHECKS, one_line, run_check
from gnbbench.conformance.contract import Make
from gnbbench.implementations.objects import FunctionEstimator
from gnbbench.processes.messages import Payload, opened

# Of this process: the one implementation that is examined.
_makers: list[Make] = []


def load(given: list[Payload]) -> str:
    """Take the maker of models; return why that cannot be done here, or nothing."""
    try:
        _makers[:] = [opened(maker) for maker in given]
    except Exception as error:  # noqa: BLE001  loading runs code of others
        return one_line(error)
    return ""


def examine_check(check_id: str) -> dict[str, Any]:
    """Return what came of one check, under the names that a result has for it."""
    (check,) = (check for check in CHECKS if check.id == check_id)
    (make,) = _makers
    result = run_check(check, make)
    found = {name: value for name, value in vars(result).items() if name != "check"}
    measured = result.measured
    return {**found, "measured": None if measured is None else float(measured)}


def loaded_version() -> str:
    """Return the version of the package that the implementation comes from."""
    (make,) = _makers
    return version_of(make)


def version_of(make: Make) -> str:
    """Return the version of the package that a model comes from."""
    if hasattr(make, "version"):
        return str(make.version or "")
    try:
        module = type(make()).__module__
    except Exception:  # noqa: BLE001  every check will tell it
        return ""
    # What wraps code of others is no part of what is examined.
    if module == FunctionEstimator.__module__:
        return ""
    return str(getattr(sys.modules.get(module.partition(".")[0]), "__version__", ""))
