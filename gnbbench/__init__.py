"""Gaussian naive Bayes compared: the same answers, at what cost, and if not, why."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_PUBLIC = {
    "GaussianNB": "gnbbench.core",
    "compare": "gnbbench.studies.compare",
}

__all__ = ["GaussianNB", "__version__", "compare"]


def __getattr__(name: str) -> Any:
    """Load a public name on first use, so that importing the package costs nothing."""
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_PUBLIC[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted([*globals(), *_PUBLIC])
