"""Implementations that installed packages announce."""

from importlib.metadata import EntryPoint, entry_points

from gnbbench.errors import ImplementationError

GROUP = "gnbbench.implementations"


def announced() -> dict[str, EntryPoint]:
    """Return the entry points of the group "gnbbench.implementations" by name.

    Nothing is imported. Where two packages announce one name, the first that Python finds
    has it.
    """
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=GROUP):
        found.setdefault(point.name, point)
    return found


def loaded(point: EntryPoint) -> object:
    """Return what the entry point stands for."""
    try:
        found: object = point.load()
    except Exception as error:
        package = point.dist.name if point.dist else "its package"
        raise ImplementationError(
            point.name,
            f"the entry point {point.value} of {package} does not load "
            f"({type(error).__name__}: {error})",
            f"Install {package} anew, or ask those who make it.",
        ) from error
    return found
