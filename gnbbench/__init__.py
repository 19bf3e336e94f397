"""Compare implementations of Gaussian naive Bayes: answers, speed and why they differ."""

from pkgutil import resolve_name
from typing import Any

__version__ = "0.1.0"

# Public name -> its location; loaded on first use, so that importing the package is cheap.
_PUBLIC = {
    "GaussianNB": "gnbbench.core:GaussianNB",
    "Study": "gnbbench.studies.study:Study",
    "check": "gnbbench.studies.check:check",
    "compare": "gnbbench.studies.compare:compare",
    "examine_assumptions": "gnbbench.studies.assumptions:assumptions",
    "examine_conformance": "gnbbench.studies.conformance:conformance",
    "explain": "gnbbench.studies.explain:explain",
    "load_dataset": "gnbbench.data.loading:load",
    "many_labels": "gnbbench.core.many_splits:many_labels",
    "many_splits": "gnbbench.core.many_splits:many_splits",
    "reproduce": "gnbbench.studies.reproduce:reproduce",
    "scale": "gnbbench.studies.scale:scale",
    "sweep_split": "gnbbench.studies.compare:sweep_split",
}

__all__ = ["__version__", *_PUBLIC]  # noqa: PLE0604  keys are strings


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = resolve_name(_PUBLIC[name])
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted(__all__)
