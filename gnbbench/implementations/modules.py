"""An importable module by its dotted name, or why it cannot be had."""

import contextlib
import importlib
import io
from types import ModuleType

from gnbbench.errors import ImplementationError


def imported(name: str) -> ModuleType:
    """Return the module; what it prints while it is imported is dropped."""
    if not all(part.isidentifier() for part in name.split(".")):
        raise ImplementationError(
            name, "is no name of a module", "Give package.module:Class or file.py:Class."
        )
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and f"{name}.".startswith(f"{error.name}."):
            raise ImplementationError(
                name,
                f"there is no module '{error.name}' here",
                "Install it, or give the file: path/to/file.py:Class.",
            ) from error
        raise _does_not_load(name, error) from error
    except (Exception, SystemExit) as error:
        raise _does_not_load(name, error) from error


def _does_not_load(name: str, error: BaseException) -> ImplementationError:
    return ImplementationError(
        name,
        f"raises {type(error).__name__} when it is imported: {error}",
        f"Mend that; see all with: python -c 'import {name}'",
    )
