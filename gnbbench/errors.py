"""What a user can mend: every message says what, where and what to do."""

from collections.abc import Iterable
from difflib import get_close_matches


class GnbBenchError(Exception):
    """Base of all errors that a user's input can cause and mend; one line each."""


class UnknownNameError(GnbBenchError):
    """A name that is in no list.

    Parameters
    ----------
    kind : str
        What was looked for, such as "dataset".
    name : str
        What was given.
    known : iterable of str
        The names there are.

    Examples
    --------
    >>> print(UnknownNameError("dataset", "irsi", ["iris", "wine"]))
    Unknown dataset 'irsi'. Did you mean 'iris'? See: gnbbench list datasets
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        guesses = get_close_matches(name, list(known), n=1)
        hint = f"Did you mean '{guesses[0]}'? " if guesses else ""
        super().__init__(f"Unknown {kind} '{name}'. {hint}See: gnbbench list {kind}s")


class MissingLibraryError(GnbBenchError):
    """A library that is compared by name, and is not installed.

    Parameters
    ----------
    name : str
        The implementation asked for.
    distribution : str
        What would have to be installed.
    command : str
        What to type to install it.

    Examples
    --------
    >>> print(MissingLibraryError("spark", "pyspark", "pip install pyspark"))
    Implementation 'spark': pyspark is not installed. Install it: pip install pyspark
    """

    def __init__(self, name: str, distribution: str, command: str) -> None:
        super().__init__(
            f"Implementation '{name}': {distribution} is not installed. "
            f"Install it: {command}"
        )


class DatasetError(GnbBenchError):
    """A file or array that cannot serve as a dataset.

    Parameters
    ----------
    where : str
        Path or name of the data.
    what : str
        What is wrong, with row and column where they are known.
    remedy : str
        What to do about it.

    Examples
    --------
    >>> print(DatasetError("a.csv", "column 'x' has no values", "Drop it: --drop x"))
    a.csv: column 'x' has no values. Drop it: --drop x
    """

    def __init__(self, where: str, what: str, remedy: str) -> None:
        super().__init__(f"{where}: {what}. {remedy}")


class OptionError(GnbBenchError):
    """An option whose value cannot be used.

    Parameters
    ----------
    option : str
        The option as it is typed, such as "--test-size".
    what : str
        What is wrong with the value given.
    remedy : str
        What to give instead.

    Examples
    --------
    >>> print(OptionError("--runs", "0 is less than 1", "Give a whole number from 1."))
    --runs: 0 is less than 1. Give a whole number from 1.
    """

    def __init__(self, option: str, what: str, remedy: str) -> None:
        super().__init__(f"{option}: {what}. {remedy}")


class ImplementationError(OptionError):
    """An implementation that cannot be found, loaded or made.

    Parameters
    ----------
    where : str
        What was typed for it, or its file with the line.
    what : str
        What is wrong; put on one line, however it was given.
    remedy : str
        What to do about it.

    Examples
    --------
    >>> print(ImplementationError("a.py", "has no 'GBN'", "Did you mean 'GNB'?"))
    a.py: has no 'GBN'. Did you mean 'GNB'?
    """

    def __init__(self, where: str, what: str, remedy: str) -> None:
        super().__init__(where, " ".join(what.split()), remedy)


class ResultsError(GnbBenchError):
    """A results directory that cannot be written, read or resumed.

    Parameters
    ----------
    where : str
        The directory or file.
    what : str
        What is wrong.
    remedy : str
        What to do about it.
    """

    def __init__(self, where: str, what: str, remedy: str) -> None:
        super().__init__(f"{where}: {what}. {remedy}")


class ConfigurationError(GnbBenchError):
    """A file that does not describe a study.

    Parameters
    ----------
    where : str
        The file, with the line where it is known.
    what : str
        What is wrong.
    remedy : str
        What to write instead.

    Examples
    --------
    >>> print(ConfigurationError("a.toml, line 3", "'runs' is text", "Give 100."))
    a.toml, line 3: 'runs' is text. Give 100.
    """

    def __init__(self, where: str, what: str, remedy: str) -> None:
        super().__init__(f"{where}: {what}. {remedy}")
