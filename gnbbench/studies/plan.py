"""Options become data, implementations, a plan, and a command that repeats the study."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

import pandas as pd

from gnbbench.data.dataset import Dataset, from_arrays, from_bunch, is_bunch
from gnbbench.data.loading import load
from gnbbench.errors import OptionError
from gnbbench.files import toml_beside
from gnbbench.implementations import Implementation
from gnbbench.implementations.catalogue import by_name
from gnbbench.records import Records
from gnbbench.statistics.summary import Summary
from gnbbench.studies.option import PYTHON, Options, options_of, shell_lines, typed
from gnbbench.studies.options import (
    DataSource,
    ExplainOptions,
    FileSource,
    each_to_load,
    to_load,
)

O = TypeVar("O", bound=Options)  # noqa: E741  options

PLAN_VERSION = 1
SPOT_CHECKS = 1000
# Longest name of a dataset within the name of a directory.
LONGEST_NAME = 40
# Values in a plan of runs for kinds without these options.
USUAL_RUNS = {"runs": 1, "stratify": True, "seed": 42, "margin": 0.01, "spot_checks": None}


def plan_digits(plan: Any) -> str:
    """Return the first eight hexadecimal digits of the plan's hash."""
    return hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()[:8]


def folder_name(name: str) -> str:
    """Return a name reduced to characters that any file system allows."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:LONGEST_NAME] or "data"


@dataclass(frozen=True, kw_only=True)
class Prepared(Generic[O]):
    """A study that can be run; nothing is measured or written yet."""

    options: O
    plan: Mapping[str, Any]  # All that its results depend on, ready for JSON
    dataset: Any = None  # Unless there is exactly one and it is in memory
    entries: tuple[Implementation, ...] = ()  # The reference first
    # Unless one dataset determines them: the start of the directory's name, and the first
    # argument and further keywords of the Python call that repeats the study
    stem: str = ""
    first: Any = None
    keywords: Mapping[str, Any] = field(default_factory=dict)

    @property
    def directory_name(self) -> str:
        """Default name of the results directory; no two plans share one."""
        plan = self.plan
        stem = self.stem or f"{plan['study']}-{folder_name(plan['dataset'])}"
        return f"{stem}-{plan_digits(plan)}"


def plan_of(study: str, **fields: Any) -> dict[str, Any]:
    """Return a plan ready for JSON, the kind of study first."""
    plan = {"study": study, "plan_version": PLAN_VERSION, **fields}
    result: dict[str, Any] = json.loads(json.dumps(plan))
    return result


def plan_of_runs(
    study: str,
    options: Options,
    entries: Mapping[str, Any],
    data: Mapping[str, Any],
    plan_options: Sequence[str],
    **overrides: Any,
) -> dict[str, Any]:
    """Return the plan of runs on a dataset.

    It has the fields of its implementations (`origins`) and data (`of_dataset`), the
    options of runs and the kind's `plan_options`; `overrides` replace these.
    """
    names = ("reference", "against")
    of_runs = {name: getattr(options, name, usual) for name, usual in USUAL_RUNS.items()}
    fields = {**data, **{name: entries[name] for name in names}, **of_runs, **entries}
    fields |= {name: getattr(options, name) for name in plan_options}
    return plan_of(study, **{**fields, **overrides})


def dataset_of(source: DataSource) -> Dataset:
    """Return the dataset that a name, a path, a dataset or arrays stand for."""
    data: Any = source.data
    labels: Any = getattr(source, "y", None)
    keywords = to_load(source)
    if not isinstance(data, Dataset | str | Path):
        for name, value in keywords.items():
            if value != DataSource.model_fields[name].default:
                raise OptionError(name, "it does not apply to arrays", "Leave it out.")
    if not isinstance(data, Dataset | str | Path) and not is_bunch(data):
        return from_arrays(data, labels)
    if labels is not None:
        raise OptionError("y", "the dataset already has labels", "Leave y out.")
    if isinstance(data, Dataset):
        return data
    if is_bunch(data):
        return from_bunch(data)
    return load(data, **keywords)


def sources_of(options: Any) -> list[DataSource]:
    """Return each of several datasets with the options to load it."""
    if getattr(options, "y", None) is not None:
        raise OptionError("y", "the datasets already have labels", "Leave y out.")
    pairs = zip(options.data, each_to_load(options, options.data), strict=True)
    return [
        entry if isinstance(entry, DataSource) else DataSource(data=entry, **keywords)
        for entry, keywords in pairs
    ]


def competitors_of(against: Any, reference: Any, runs: int = 1) -> tuple[Any, int | None]:
    """Return the competitors, and the number of runs they take part in; None for all.

    numpy and sklearn are each other's default. scikit-learn is too slow for the number of
    runs that numpy can do, so by default it takes part in a thousand at most.
    """
    if against is not None:
        return against, None
    if reference != "numpy":
        return ("numpy",), None
    return ("sklearn",), SPOT_CHECKS if runs > SPOT_CHECKS else None


def origins(entries: Sequence[Implementation]) -> dict[str, Any]:
    """Return the fields of a plan that identify its implementations."""
    typed = {entry.name: entry.specification for entry in entries}
    adapted = {entry.name: entry.adaptations for entry in entries if entry.adaptations}
    return {
        "reference": entries[0].name,
        "against": tuple(entry.name for entry in entries[1:]),
        "specifications": {n: text for n, text in typed.items() if text and text != n},
        "digests": {entry.name: entry.digest for entry in entries if entry.digest},
        **({"adaptations": adapted} if adapted else {}),
    }


def of_dataset(dataset: Dataset) -> dict[str, Any]:
    """Return the fields of a plan that identify its data."""
    known = {"dataset": dataset.name, "sha256": dataset.sha256}
    return {**known, "dataset_options": dict(dataset.parameters)}


def typed_names(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return the reference and the others as they were typed."""
    typed = plan["specifications"]
    return {
        "reference": typed.get(plan["reference"], plan["reference"]),
        "against": [typed.get(name, name) for name in plan["against"]],
    }


def with_next(summary: Summary, records: Mapping[float, Records]) -> Summary:
    """Add suggested next steps, based on the records of each test size."""
    pairs = {size: recorded.pairs for size, recorded in records.items()}
    details = {"explained_by": explained_by(summary.plan, pairs)}
    if not summary.is_sweep and summary.plan["dataset_options"].get("source"):
        ((size, only),) = records.items()
        details["in_python"] = _in_python(summary, size, only.disagreements)
    return replace(summary, details={**summary.details, **details})


def _in_python(
    summary: Summary, size: float, disagreements: pd.DataFrame
) -> dict[str, str]:
    """Return the most disputed row, and code that shows it in one run."""
    worst = summary.disputed_rows.sort_values("disputed", ascending=False, kind="stable")
    for row, name in worst[["row", "implementation"]].itertuples(index=False):
        of_row = (disagreements["row"] == row) & (disagreements["implementation"] == name)
        typed_as = summary.plan["specifications"]
        known = {*by_name(), *typed_as}
        if not of_row.any() or not {name, summary.reference} <= known:
            continue
        source = dict(summary.plan["dataset_options"])
        run = int(disagreements.loc[of_row, "run"].min())
        lines = toml_beside(__file__, "texts.toml")["in_python"].format(
            data=call_text("load_dataset", source.pop("source"), **source),
            row=row,
            size=size,
            state=summary.plan["seed"] + run,
            stratify="data.y" if summary.plan["stratify"] else None,
            names=tuple(typed_as.get(name, name) for name in (summary.reference, name)),
        )
        return {"row": str(row), "run": str(run), "implementation": name, "lines": lines}
    return {}


def explained_by(
    plan: Mapping[str, Any], pairs: Mapping[float, pd.DataFrame]
) -> dict[str, str]:
    """Return the command that explains each implementation whose labels differ.

    `pairs` has the records of each test size; the one with the most disagreements is used.
    Data and implementations that only Python can pass have no command.
    """
    known = {**{name: name for name in by_name()}, **plan["specifications"]}
    commands: dict[str, str] = {}
    if "source" not in plan["dataset_options"] or plan["reference"] not in known:
        return commands
    for name in [name for name in plan["against"] if name in known]:
        by_size = {size: p[p["implementation"] == name] for size, p in pairs.items()}
        size = max(by_size, key=lambda size: by_size[size]["disagreements"].sum())
        differing = by_size[size].loc[by_size[size]["disagreements"] > 0, "run"]
        if differing.empty:
            continue
        usual = ExplainOptions.model_fields["runs"].default
        options = dict(plan["dataset_options"])
        values = {
            "data": options.pop("source"),
            **options,
            **{key: plan[key] for key in ("seed", "stratify")},
            "against": known[name],
            "reference": known[plan["reference"]],
            "test_size": size,
            "runs": usual if differing.min() < usual else plan["runs"],
        }
        arguments = typed(ExplainOptions, values)
        commands[name] = shell_lines(["gnbbench", "explain", *arguments])
    return commands


def call_text(function: str, *arguments: Any, **options: Any) -> str:
    """Return the Python call that repeats a study."""
    named = [f"{name}={value!r}" for name, value in options.items()]
    return f"gnbbench.{function}({', '.join([*map(repr, arguments), *named])})"


def repeated(prepared: Prepared[Any]) -> dict[str, Any]:
    """Return the options that differ from their defaults, names as in the plan."""
    options, plan = prepared.options, prepared.plan
    fields = options_of(type(options), PYTHON).items()
    left_out = {name for name, (field, _) in fields if field.kw_only is False}
    left_out |= set(DataSource.model_fields) if isinstance(options, FileSource) else set()
    changed = {n: value for n, value in options.changed().items() if n not in left_out}
    if "against" in plan and "against" in type(options).model_fields:
        changed |= typed_names(plan)
        if plan["reference"] == "sklearn":
            del changed["reference"]
    return {n: str(v) if isinstance(v, Path) else v for n, v in changed.items()}
