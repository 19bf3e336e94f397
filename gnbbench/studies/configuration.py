"""A study described by a TOML file: read with every mistake's line, and written."""

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from gnbbench.datasets.catalogue import find, names
from gnbbench.errors import ConfigurationError, OptionError
from gnbbench.studies.configuration_keys import (
    DATASET_KEYS,
    OPTION_KEYS,
    STUDIES,
    TOP_KEYS,
    Kind,
    option_names,
)
from gnbbench.studies.plan import Plan
from gnbbench.studies.toml_lines import line_of


@dataclass(frozen=True)
class Configuration:
    """A study as a file describes it.

    Parameters
    ----------
    study : str
        Kind of study, such as "compare".
    dataset : mapping
        Keywords of `gnbbench.datasets.loading.load`.
    options : mapping
        Fields of the study's plan; what is not given has the plan's default.
    """

    study: str
    dataset: Mapping[str, Any]
    options: Mapping[str, Any]


def read_configuration(path: Path) -> Configuration:
    """Return the study that a file describes.

    Parameters
    ----------
    path : Path
        TOML, UTF-8.

    Returns
    -------
    Configuration
        With the path of a dataset's file relative to the file that names it.

    Raises
    ------
    ConfigurationError
        If the file cannot be read or does not describe a study; says the line.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        what = f"it cannot be read ({error.strerror or error})"
        remedy = "Give a TOML file, such as configs/iris.toml."
        raise ConfigurationError(str(path), what, remedy) from error
    except UnicodeDecodeError as error:
        what = f"byte {error.start} is not UTF-8"
        raise ConfigurationError(str(path), what, "Save it as UTF-8.") from error
    return configuration(text, name=str(path), directory=path.parent)


def configuration(
    text: str, *, name: str = "configuration", directory: Path = Path()
) -> Configuration:
    r"""Return the study that a TOML text describes.

    Parameters
    ----------
    text : str
    name : str
        What errors call it.
    directory : Path
        What the path of a dataset's file is relative to.

    Returns
    -------
    Configuration

    Raises
    ------
    ConfigurationError
        If a key is unknown or missing, or a value has the wrong type; says the line.

    Examples
    --------
    >>> found = configuration('study = "compare"\ndataset.name = "iris"')
    >>> found.dataset, found.options
    ({'source': 'iris'}, {})
    """
    return _Reader(text.replace("\r\n", "\n"), name).read(directory)


def config_text(plan: Plan) -> str:
    """Return a configuration that `configuration` reads as the same study.

    Parameters
    ----------
    plan : Plan

    Returns
    -------
    str
        TOML that ends in a newline.

    Raises
    ------
    OptionError
        If the data came from arrays, which no file can name.

    Examples
    --------
    >>> from gnbbench.studies.plan import ComparePlan
    >>> plan = ComparePlan(
    ...     dataset="iris", sha256="", dataset_options={"source": "iris"},
    ...     reference="sklearn", against=("numpy",),
    ... )
    >>> print(config_text(plan).partition("[options]")[0].rstrip())
    # Repeat it with: gnbbench run FILE
    study = "compare"
    <BLANKLINE>
    [dataset]
    name = "iris"
    """
    given = dict(plan.dataset_options)
    if "source" not in given:
        remedy = "Save the samples as CSV and name that file."
        raise OptionError(
            "--print-config", "the data are arrays, which have no name", remedy
        )
    source = str(given.pop("source"))
    # A file may be called like a dataset; it has a target, which no name takes.
    is_name = find(source) is not None and "target" not in given
    dataset = {"name" if is_name else "path": source, **given}
    options = {name: getattr(plan, name) for name in option_names(plan.study)}
    note = "" if is_name else "# The path is relative to this file.\n"
    return (
        f"# Repeat it with: gnbbench run FILE\nstudy = {_toml(plan.study)}\n"
        f"\n[dataset]\n{note}{_statements(dataset)}\n[options]\n{_statements(options)}"
    )


class _Reader:
    """Reads one text; knows where its keys stand."""

    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name

    def read(self, directory: Path) -> Configuration:
        try:
            top = tomllib.loads(self._text)
        except tomllib.TOMLDecodeError as error:
            raise ConfigurationError(
                self._name, f"it is not TOML: {error}", "See configs/every_option.toml."
            ) from error
        self._check(top, TOP_KEYS, ())
        for key in ("study", "dataset"):
            if key not in top:
                what, remedy = f"'{key}' is missing", "See configs/every_option.toml."
                raise ConfigurationError(self._name, what, remedy)
        study, options = top["study"], top.get("options", {})
        if study not in STUDIES:
            raise self._error(("study",), f"unknown study '{study}'", _hint(study, STUDIES))
        known = {name: OPTION_KEYS[name] for name in option_names(study)}
        self._check(options, known, ("options",))
        self._check(top["dataset"], DATASET_KEYS, ("dataset",))
        lists = {name: tuple(v) for name, v in options.items() if isinstance(v, list)}
        dataset = self._dataset(dict(top["dataset"]), directory)
        return Configuration(study, dataset, {**options, **lists})

    def _dataset(self, given: dict[str, Any], directory: Path) -> dict[str, Any]:
        """Return the keywords of `load`: one source, and what goes with it."""
        if ("name" in given) == ("path" in given):
            what = "the table [dataset] has neither name nor path, or both"
            raise self._error(("dataset",), what, 'Give one, such as name = "iris".')
        if "path" in given:
            return {"source": directory / given.pop("path"), **given}
        name = given.pop("name")
        if find(name) is None:
            what = f"unknown dataset '{name}'"
            raise self._error(("dataset", "name"), what, _hint(name, names()))
        return {"source": name, **given}

    def _check(
        self, table: Mapping[str, Any], known: Mapping[str, Kind], within: tuple[str, ...]
    ) -> None:
        """Raise at the first key that is unknown or has the wrong type."""
        for key, value in table.items():
            where = (*within, key)
            if key not in known:
                place = f" in [{within[0]}]" if within else ""
                raise self._error(where, f"unknown key '{key}'{place}", _remedy(key, known))
            if not known[key].fits(value):
                what = f"'{key}' is {_words(value)}"
                raise self._error(where, what, f"Give {known[key].words}.")

    def _error(self, key: tuple[str, ...], what: str, remedy: str) -> ConfigurationError:
        where = f"{self._name}, line {line_of(self._text, key)}"
        return ConfigurationError(where, what, remedy)


def _remedy(key: str, known: Mapping[str, Kind]) -> str:
    """Return what to do about an unknown key: move it, leave it out, or spell it."""
    studies = [study for study in STUDIES if key in option_names(study)]
    if key in OPTION_KEYS and known is not DATASET_KEYS and known is not TOP_KEYS:
        return f"It is an option of {' and '.join(studies)}; leave it out."
    if key in OPTION_KEYS:
        return "It belongs into [options]."
    if key in DATASET_KEYS:
        return "It belongs into [dataset]."
    return _hint(key, known)


def _hint(given: str, known: Iterable[str]) -> str:
    guesses = get_close_matches(given, list(known), n=1)
    if guesses:
        return f"Did you mean '{guesses[0]}'?"
    return f"There is: {', '.join(known)}."


def _words(value: Any) -> str:
    """Return what a value is, as TOML calls it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    plain = {str: "text", int: "a whole number", float: "a number with a point"}
    plain |= {list: "a list", dict: "a table"}
    return plain.get(type(value), "a date or time")


def _statements(table: Mapping[str, Any]) -> str:
    given = ((key, value) for key, value in table.items() if value is not None)
    return "".join(f"{key} = {_toml(value)}\n" for key, value in given)


def _toml(value: Any) -> str:
    """Return a value as TOML; JSON's strings are TOML's but for one character."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
