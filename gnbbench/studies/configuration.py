"""Studies as TOML files: reading them, with the line of every mistake, and writing them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field

from gnbbench.data.catalogue import find, is_of_repository, names
from gnbbench.errors import ConfigurationError, OptionError
from gnbbench.files import text_of
from gnbbench.studies.kinds import MATRIX, STUDIES, StudyKind, kind_named
from gnbbench.studies.option import EXECUTION, FILE, Options, options_of, plain_type
from gnbbench.studies.options import CompareOptions, DataSource, FileSource, StreamOptions
from gnbbench.toml_tables import Key, TableReader, hint, optional_keys

# Options that need several datasets.
SEVERAL_KEYS = ("optional",)
# Kinds of study that a file can name; several datasets make a compare a matrix.
IN_FILES = tuple(kind for kind in STUDIES if kind is not MATRIX)


def _types_of(model: type[Options]) -> dict[str, Any]:
    """Return the type of each option in a TOML file; paths are strings."""
    types = {n: plain_type(field) for n, (field, _) in options_of(model, FILE).items()}
    return {name: str if kind is Path else kind for name, kind in types.items()}


def option_keys(study: StudyKind) -> dict[str, Any]:
    """Return the keys that [options] may have for a kind of study."""
    takes_data = issubclass(study.options, FileSource)
    of_data = set(DataSource.model_fields) if takes_data else set()
    types = _types_of(study.options)
    return {name: kind for name, kind in types.items() if name not in of_data}


SEVERAL_TABLES: Any = Annotated[
    tuple[dict[str, Any], ...] | dict[str, Any],
    Field(description="a table, or several as [[dataset]]"),
]
TOP = optional_keys(
    "top", {"study": str, "dataset": SEVERAL_TABLES, "options": dict[str, Any]}
)
# A table [dataset]; only a stream has several paths.
DATASET = optional_keys(
    "dataset", {"name": str, "path": str, "paths": tuple[str, ...], **_types_of(DataSource)}
)
OPTION_KEYS = {name for study in IN_FILES for name in option_keys(study)}


@dataclass(frozen=True)
class Configuration:
    """A study as a file describes it."""

    study: str  # Kind of study, such as "compare"
    datasets: tuple[Mapping[str, Any], ...]  # Options of `DataSource`
    options: Mapping[str, Any]  # The table [options]
    several: bool = False  # Whether datasets are a list, [[dataset]]

    def to_options(self, **further: Any) -> Options:
        """Return the options of the study, with further ones from the command."""
        model: type[Options] = kind_named(self.study).options
        # The file decides what is studied, the command where and how it runs.
        in_files = options_of(model, FILE).items()
        in_file = {name for name, (_, option) in in_files if option.panel != EXECUTION}
        accepted = set(model.model_fields) - in_file
        from_command = {name: value for name, value in further.items() if name in accepted}
        if self.several:
            of_data = {
                n: from_command.pop(n) for n in DataSource.model_fields if n in from_command
            }
            sources = [DataSource(**source, **of_data) for source in self.datasets]
            return CompareOptions(data=sources, **{**from_command, **self.options})
        source = self.datasets[0] if self.datasets else {}
        return model(**{**from_command, **source, **self.options})


def read_configuration(path: Path) -> Configuration:
    """Return the study that a file describes."""
    text = text_of(path, ConfigurationError, "Give a TOML file, such as configs/iris.toml.")
    return configuration(text, name=str(path), directory=path.parent)


def configuration(
    text: str, *, name: str = "configuration", directory: Path = Path()
) -> Configuration:
    """Return the study that a TOML text describes."""
    return _ConfigurationReader(text, name).read(directory)


def config_text(prepared: Any) -> str:
    """Return a configuration that `configuration` reads as the same study."""
    from gnbbench.studies.plan import typed_names

    parts = getattr(prepared, "parts", None)
    plans = [part.plan for part in parts or [prepared]]
    study = plans[0]["study"]
    head = f"# Repeat it with: gnbbench run FILE\nstudy = {_toml(study)}\n"
    title = "[[dataset]]" if parts else "[dataset]"
    if isinstance(prepared.options, FileSource):
        head += "".join(f"\n{title}\n{_dataset_statements(plan)}" for plan in plans)
    keys = option_keys(kind_named(study))
    # The options of a plan of runs come first, with the values of the plan.
    of_runs = plans[0] if "reference" in keys else {}
    ordered = [*(name for name in of_runs if name in keys), *keys]
    values = {name: of_runs.get(name, getattr(prepared.options, name)) for name in ordered}
    values |= typed_names(plans[0]) if of_runs else {}
    values = {name: value for name, value in values.items() if value not in ((), [])}
    return f"{head}\n[options]\n{_statements(values)}"


def _dataset_statements(plan: Mapping[str, Any]) -> str:
    """Return the keys of a plan's dataset, one per line."""
    options = dict(plan["dataset_options"])
    if "source" not in options:
        remedy = "Save the samples as CSV and name that file."
        what = "the data are arrays, which have no name"
        raise OptionError("--print-config", what, remedy)
    source = options.pop("source")
    if not isinstance(source, str):
        options = {"paths": source, **options}
        return "# Paths are relative to this file.\n" + _statements(options)
    # A file may have the name of a dataset, but only a file has a target.
    is_listed = find(source) is not None and "target" not in options
    is_name = is_listed or is_of_repository(source)
    dataset = {"name" if is_name else "path": source, **options}
    note = "" if is_name else "# The path is relative to this file.\n"
    return note + _statements(dataset)


class _ConfigurationReader(TableReader):
    """Reads the description of a study."""

    example = "configs/every_option.toml"

    def read(self, directory: Path) -> Configuration:
        top = self.loaded()
        self.check(top, TOP, ())
        if "study" not in top:
            raise self.refusal("'study' is missing")
        name, options = top["study"], top.get("options", {})
        known = [kind.name for kind in IN_FILES]
        if name not in known:
            raise self.error(("study",), f"unknown study '{name}'", hint(name, known))
        study = kind_named(name)
        takes_data = issubclass(study.options, FileSource)
        if takes_data and "dataset" not in top:
            raise self.refusal("'dataset' is missing")
        several, keys = isinstance(top.get("dataset"), tuple), option_keys(study)
        if not several:
            keys = {name: kind for name, kind in keys.items() if name not in SEVERAL_KEYS}
        self.check(options, optional_keys("options", keys), ("options",))
        datasets = self._datasets(top["dataset"], study, directory) if takes_data else ()
        return Configuration(name, datasets, options, several)

    def _datasets(
        self, tables: Any, study: StudyKind, directory: Path
    ) -> tuple[Mapping[str, Any], ...]:
        """Return the options of each source."""
        if isinstance(tables, dict):
            is_stream = study.options is StreamOptions
            return (self._dataset(tables, ("dataset",), directory, is_stream=is_stream),)
        if study.options is not CompareOptions:
            what = f"{study.name} takes one dataset"
            raise self.error(("dataset",), what, "Give one table, [dataset].")
        if not tables:
            remedy = 'Give one, such as [[dataset]] with name = "iris".'
            raise self.error(("dataset",), "there is no dataset in the list", remedy)
        return tuple(
            self._dataset(table, ("dataset", place), directory)
            for place, table in enumerate(tables)
        )

    def _dataset(
        self, table: Any, where: Key, directory: Path, *, is_stream: bool = False
    ) -> dict[str, Any]:
        """Return the options of a source from its table."""
        self.check(table, DATASET, where)
        options = dict(table)
        if sum(key in options for key in ("name", "path", "paths")) != 1:
            what = "the table [dataset] has neither name nor path, or both"
            raise self.error(where, what, 'Give one, such as name = "iris".')
        if "path" in options:
            return {"data": directory / options.pop("path"), **options}
        if "paths" in options:
            if not is_stream:
                what = "only a stream reads one dataset from several paths"
                raise self.error((*where, "paths"), what, "List them as [[dataset]].")
            return {"data": [directory / path for path in options.pop("paths")], **options}
        name = options.pop("name")
        if find(name) is None and not is_of_repository(name):
            remedy = hint(name.partition("?")[0], names())
            remedy = f'A file is given as path = "{name}".' if Path(name).suffix else remedy
            raise self.error((*where, "name"), f"unknown dataset '{name}'", remedy)
        return {"data": name, **options}

    def unknown(self, key: str, model: type[BaseModel]) -> str:
        """Return the remedy for an unknown key: move, leave out or correct it."""
        within_options = model not in {TOP, DATASET}
        if key in SEVERAL_KEYS and within_options:
            return "It needs several datasets, listed as [[dataset]]."
        if key in DATASET.model_fields:
            return "It belongs in [dataset]."
        if key in OPTION_KEYS and within_options:
            studies = [kind.name for kind in IN_FILES if key in option_keys(kind)]
            return f"It is an option of {' and '.join(studies)}; leave it out."
        if key in OPTION_KEYS:
            return "It belongs in [options]."
        return super().unknown(key, model)


def _statements(table: Mapping[str, Any]) -> str:
    pairs = ((key, value) for key, value in table.items() if value is not None)
    return "".join(f"{key} = {_toml(value)}\n" for key, value in pairs)


def _toml(value: Any) -> str:
    """Return a value as TOML, whose strings are JSON's except for one character."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, float):
        return repr(value)
    text = str(value) if isinstance(value, Path) else value
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
