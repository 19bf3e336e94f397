"""Errors that users can fix: every message says what, where and what to do."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any


class GnbBenchError(Exception):
    """Base class of all errors caused by the user's input; one line each."""


def meant(name: str, known: Iterable[str], after: str = "", instead: str = "") -> str:
    """Return "Did you mean" the closest known name, or `instead`; then `after`."""
    bare = {option.lstrip("-"): option for option in known}  # Dashes are no likeness
    guesses = get_close_matches(name.lstrip("-"), bare, n=1)
    question = f"Did you mean '{bare[guesses[0]]}'?" if guesses else instead
    return " ".join(filter(None, (question, after)))


class UnknownNameError(GnbBenchError):
    """An unknown name of a dataset or an implementation."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        remedy = meant(name, known, f"See: gnbbench list {kind}s")
        super().__init__(f"Unknown {kind} '{name}'. {remedy}")


class MissingLibraryError(GnbBenchError):
    """Libraries to compare that are not installed."""

    def __init__(self, libraries: Mapping[str, str], command: str) -> None:
        named = (name if name == of else f"{name} ({of})" for name, of in libraries.items())
        super().__init__(f"Not installed: {', '.join(named)}. Install with: {command}")


class PlacedError(GnbBenchError):
    """Base class of errors: where, what, what to do, and options that fix it."""

    def __init__(self, where: str, what: str, remedy: str, **fix: object) -> None:
        super().__init__(f"{where}: {what}. {remedy}")
        self.where, self.what, self.remedy, self.fix = where, what, remedy, fix

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.where, self.what, self.remedy), {"fix": self.fix}


class DatasetError(PlacedError):
    """A file or array that cannot be used as a dataset."""


class OptionError(PlacedError):
    """An option with an invalid value."""


def refuse_undecoded(text: object) -> None:
    """Raise at a text or path with bytes that are not UTF-8, which no report could name."""
    shown = str(text) if isinstance(text, str | Path) else ""
    if shown.encode(errors="ignore").decode() != shown:
        remedy = "Rename it, or set a locale of UTF-8."
        raise OptionError(ascii(shown)[1:-1], "it is not UTF-8", remedy)


class ImplementationError(OptionError):
    """An implementation that cannot be found, loaded or instantiated."""

    def __init__(self, where: str, what: str, remedy: str) -> None:
        super().__init__(where, " ".join(what.split()), remedy)


class ResultsError(PlacedError):
    """A results directory that cannot be written, read or resumed."""


class ConfigurationError(PlacedError):
    """An invalid configuration file."""


def install_command(*packages: str) -> str:
    """Return the command that installs packages."""
    return f"pip install {' '.join(sorted(set(packages)))}"
