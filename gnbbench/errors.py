"""What a user can mend: every message says what, where and what to do."""

from collections.abc import Iterable
from difflib import get_close_matches


class GnbBenchError(Exception):
    """Base of all errors that a user's input can cause and mend; one line each."""


class UnknownNameError(GnbBenchError):
    """A name that is in no list."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        guesses = get_close_matches(name, list(known), n=1)
        hint = f"Did you mean '{guesses[0]}'? " if guesses else ""
        super().__init__(f"Unknown {kind} '{name}'. {hint}See: gnbbench list {kind}s")


class MissingLibraryError(GnbBenchError):
    """A library that is compared by name, and is not installed."""

    def __init__(self, name: str, distribution: str, command: str) -> None:
        super().__init__(
            f"Implementation '{name}': {distribution} is not installed. "
            f"Install it: {command}"
        )


class PlacedError(GnbBenchError):
    """Base of errors that say where something is wrong, what, and what to do."""

    def __init__(self, where: str, what: str, remedy: str) -> None:
        super().__init__(f"{where}: {what}. {remedy}")


class DatasetError(PlacedError):
    """A file or array that cannot serve as a dataset."""


class OptionError(PlacedError):
    """An option whose value cannot be used."""


class ImplementationError(OptionError):
    """An implementation that cannot be found, loaded or made."""

    def __init__(self, where: str, what: str, remedy: str) -> None:
        super().__init__(where, " ".join(what.split()), remedy)


class ResultsError(PlacedError):
    """A results directory that cannot be written, read or resumed."""


class ConfigurationError(PlacedError):
    """A file that does not describe a study."""
