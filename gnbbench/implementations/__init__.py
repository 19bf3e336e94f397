"""What a user can compare: a name or an object becomes an Implementation.

Submodules load on first use, so that names can be listed without NumPy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gnbbench.implementations.catalogue import Implementation
    from gnbbench.implementations.competitors import implementations
    from gnbbench.implementations.isolation import isolated
    from gnbbench.implementations.lookup import implementation

__all__ = ["Implementation", "implementation", "implementations", "isolated"]

_HOMES = {
    "Implementation": "catalogue",
    "implementation": "lookup",
    "implementations": "competitors",
    "isolated": "isolation",
}


def __getattr__(name: str) -> Any:
    """Load a name on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
