"""A study described by a TOML file: read with every mistake's line, and written."""

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeAlias

from gnbbench.data.catalogue import find, is_of_repository, names
from gnbbench.errors import ConfigurationError, OptionError
from gnbbench.studies.configuration_keys import (
    DATASET_KEYS,
    OPTION_KEYS,
    SEVERAL_KEYS,
    STUDIES,
    TOP_KEYS,
    Kind,
    option_names,
    plan_option_names,
)
from gnbbench.studies.plan import Plan
from gnbbench.studies.timing_options import TimingOptions
from gnbbench.studies.toml_lines import line_of

# Where a value stands: tables and keys by name, one of several tables by its place.
Key: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True)
class Configuration:
    """A study as a file describes it."""

    study: str  # Kind of study, such as "compare"
    # Keywords of `gnbbench.data.loading.load`, for each dataset
    datasets: tuple[Mapping[str, Any], ...]
    # Fields of the study's plan; what is not given has the plan's default
    options: Mapping[str, Any]
    # Whether datasets are listed as ``[[dataset]]``, be it one: their studies share a page,
    # and the options may hold ``optional``, names of implementations that are left out
    # where they are not installed
    several: bool = False

    @property
    def dataset(self) -> Mapping[str, Any]:
        """The dataset, or the first of several."""
        return self.datasets[0]


def read_configuration(path: Path) -> Configuration:
    """Return the study that a file describes."""
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
    """Return the study that a TOML text describes."""
    return _Reader(text.replace("\r\n", "\n"), name).read(directory)


def config_text(plan: Plan, timing: TimingOptions | None = None) -> str:
    """Return a configuration that `configuration` reads as the same study."""
    options = {name: getattr(plan, name) for name in plan_option_names(plan.study)}
    typed = plan.specifications
    options["reference"] = typed.get(plan.reference, plan.reference)
    options["against"] = [typed.get(name, name) for name in plan.against]
    options |= timing.as_dict() if timing else {}
    return (
        f"# Repeat it with: gnbbench run FILE\nstudy = {_toml(plan.study)}\n"
        f"\n[dataset]\n{_dataset_statements(plan)}\n[options]\n{_statements(options)}"
    )


def several_config_text(plans: Sequence[Plan], timing: TimingOptions | None = None) -> str:
    """Return a configuration of one study on several datasets."""
    head, _, rest = config_text(plans[0], timing).partition("\n[dataset]\n")
    options = rest[rest.index("\n[options]\n") :]
    tables = "".join(f"\n[[dataset]]\n{_dataset_statements(plan)}" for plan in plans)
    return head + tables + options


def _dataset_statements(plan: Plan) -> str:
    """Return the keys of a plan's dataset, a line each."""
    given = dict(plan.dataset_options)
    if "source" not in given:
        remedy = "Save the samples as CSV and name that file."
        raise OptionError(
            "--print-config", "the data are arrays, which have no name", remedy
        )
    source = str(given.pop("source"))
    # A file may be called like a dataset; it has a target, which no such name takes.
    is_listed = find(source) is not None and "target" not in given
    is_name = is_listed or is_of_repository(source)
    dataset = {"name" if is_name else "path": source, **given}
    note = "" if is_name else "# The path is relative to this file.\n"
    return note + _statements(dataset)


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
        several = isinstance(top["dataset"], list)
        names = (*option_names(study), *(SEVERAL_KEYS if several else ()))
        self._check(options, {name: OPTION_KEYS[name] for name in names}, ("options",))
        lists = {name: tuple(v) for name, v in options.items() if isinstance(v, list)}
        datasets = self._datasets(top["dataset"], study, directory)
        return Configuration(study, datasets, {**options, **lists}, several)

    def _datasets(self, given: Any, study: str, directory: Path) -> tuple[Any, ...]:
        """Return the keywords of `load`, for the one table or each of several."""
        if isinstance(given, dict):
            return (self._dataset(given, ("dataset",), directory),)
        if study != "compare":
            what = f"{study} takes no [[dataset]]"
            raise self._error(("dataset",), what, "Give one table, [dataset].")
        if not given:
            remedy = 'Give one, such as [[dataset]] with name = "iris".'
            raise self._error(("dataset",), "there is no dataset in the list", remedy)
        return tuple(
            self._dataset(table, ("dataset", place), directory)
            for place, table in enumerate(given)
        )

    def _dataset(self, table: Any, where: Key, directory: Path) -> dict[str, Any]:
        """Return the keywords of `load`: one source, and what goes with it."""
        self._check(table, DATASET_KEYS, where)
        given = dict(table)
        if ("name" in given) == ("path" in given):
            what = "the table [dataset] has neither name nor path, or both"
            raise self._error(where, what, 'Give one, such as name = "iris".')
        if "path" in given:
            return {"source": directory / given.pop("path"), **given}
        name = given.pop("name")
        if find(name) is None and not is_of_repository(name):
            what = f"unknown dataset '{name}'"
            raise self._error((*where, "name"), what, _hint(name, names()))
        return {"source": name, **given}

    def _check(
        self, table: Mapping[str, Any], known: Mapping[str, Kind], within: Key
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

    def _error(self, key: Key, what: str, remedy: str) -> ConfigurationError:
        where = f"{self._name}, line {line_of(self._text, key)}"
        return ConfigurationError(where, what, remedy)


def _remedy(key: str, known: Mapping[str, Kind]) -> str:
    """Return what to do about an unknown key: move it, leave it out, or spell it."""
    studies = [study for study in STUDIES if key in option_names(study)]
    if key in SEVERAL_KEYS and known is not DATASET_KEYS and known is not TOP_KEYS:
        return "It goes with datasets that are listed as [[dataset]]."
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
