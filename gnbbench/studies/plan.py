"""What a user hands over becomes data, implementations, a plan and words to repeat it."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from gnbbench.data.dataset import Dataset, from_arrays, from_bunch, is_bunch
from gnbbench.data.loading import load
from gnbbench.errors import OptionError
from gnbbench.implementations import Implementation
from gnbbench.implementations.catalogue import by_name
from gnbbench.measurement.split_rules import Sample
from gnbbench.records import Records
from gnbbench.statistics.summary import Summary
from gnbbench.studies.option import Options, shell_lines, typed
from gnbbench.studies.options import (
    DEFAULT_FRACTIONS,
    ExplainOptions,
    LabelledSource,
    Source,
    of_source,
)

PLAN_VERSION = 1
DEFAULT_BLOCK_ROWS = 65_536
SPOT_CHECKS = 1000
# Whatever data are called, their names in a directory's are no longer.
LONGEST_NAME = 40


def plan_digits(plan: Any) -> str:
    """Return eight hexadecimal digits that differ between plans, as JSON knows them."""
    text = json.dumps(plan, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def folder_name(name: str) -> str:
    """Return a name as a folder may have it."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:LONGEST_NAME] or "data"


@dataclass(frozen=True, kw_only=True)
class StudyPlan:
    """A plan of any kind of study, whose fields are what its results depend on."""

    study: ClassVar[str]

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as JSON knows it, the kind of study first."""
        plain = {"study": self.study, "plan_version": PLAN_VERSION, **asdict(self)}
        if not plain.get("adaptations"):
            plain.pop("adaptations", None)
        result: dict[str, Any] = json.loads(json.dumps(plain))
        return result

    @property
    def identifier(self) -> str:
        """Eight hexadecimal digits that differ between plans."""
        return plan_digits(self.as_dict())


@dataclass(frozen=True, kw_only=True)
class Plan(StudyPlan):
    """All that the results of any study depend on."""

    dataset: str  # Name of the dataset
    sha256: str  # Digest of its values and labels
    dataset_options: dict[str, Any]  # Whatever has to be given again to load it
    reference: str  # Name of the implementation that the others are held against
    against: tuple[str, ...]  # Names of the others
    runs: int = 100  # Number of randomised splits
    stratify: bool = True  # Whether both sides keep the shares of the classes
    seed: int = 42  # Run r is split with the random state seed + r
    margin: float = 0.01  # Differences of accuracy up to this count as equivalent
    # Runs, drawn at random, in which the others are held against the reference; in the rest
    # the reference alone is evaluated. None for all runs.
    spot_checks: int | None = None
    # Name of an implementation -> what was typed to have it, where that is not its name
    specifications: dict[str, str] = field(default_factory=dict)
    # Name of an implementation -> digest of its sources, where it comes from a file
    digests: dict[str, str] = field(default_factory=dict)
    # Name of an implementation -> what was done so that it could be used
    adaptations: dict[str, list[str]] = field(default_factory=dict)

    @property
    def compared_runs(self) -> frozenset[int] | None:
        """The runs that are spot checks, drawn with the seed; None for all runs."""
        if self.spot_checks is None:
            return None
        generator = np.random.default_rng(self.seed)
        drawn = generator.choice(self.runs, self.spot_checks, replace=False)
        return frozenset(drawn.tolist())

    @property
    def directory_name(self) -> str:
        """Name of the results directory: study, dataset, identifier."""
        return f"{self.study}-{folder_name(self.dataset)}-{self.identifier}"


@dataclass(frozen=True, kw_only=True)
class ComparePlan(Plan):
    """A plan of runs with test sides of one size."""

    study = "compare"

    test_size: float = 0.3  # Share of the samples on the test side
    # The two features of the decision regions; None for the best pair
    features: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class StreamPlan(Plan):
    """A plan of one run over data that are read in blocks, never as a whole.

    A row is on the train side where a hash of the seed and of its number is below a bound
    (`gnbbench.measurement.split_rules.SideRule`); classes have no influence on that.
    """

    study = "stream"

    runs: int = 1
    stratify: bool = False
    test_size: float = 0.3  # Share of the rows that is expected on the test side
    # Rows of a block at most. What ``partial_fit`` of others learns may depend on it.
    block_rows: int = DEFAULT_BLOCK_ROWS


@dataclass(frozen=True, kw_only=True)
class SweepPlan(Plan):
    """A plan of runs at each of several sizes of the train side."""

    study = "sweep-split"

    # Shares of the samples on the train side, ascending
    train_fractions: tuple[float, ...] = DEFAULT_FRACTIONS


def dataset_of(source: Source) -> Dataset:
    """Return the dataset that a name, a path, a dataset or arrays stand for."""
    data: Any = source.data
    labels: Any = getattr(source, "y", None)
    given = {name: getattr(source, name) for name in Source.model_fields if name != "data"}
    if not isinstance(data, Dataset | str | Path):
        for name, value in given.items():
            if value != Source.model_fields[name].default:
                raise OptionError(name, "it does not apply to arrays", "Leave it out.")
    if not isinstance(data, Dataset | str | Path) and not is_bunch(data):
        return from_arrays(data, labels)
    if labels is not None:
        raise OptionError("y", "the dataset already has labels", "Leave y out.")
    if isinstance(data, Dataset):
        return data
    if is_bunch(data):
        return from_bunch(data)
    return load(data, seed=given.pop("data_seed"), **given)


def sample_of(dataset: Dataset) -> Sample:
    """Return the arrays of a dataset that every run is cut from."""
    return Sample(dataset.X, dataset.y, dataset.classes, dataset.codes)


def sources_of(options: LabelledSource) -> list[Source]:
    """Return each of several datasets with the options to load it."""
    if options.y is not None:
        raise OptionError("y", "the datasets already have labels", "Leave y out.")
    fields = [name for name in Source.model_fields if name != "data"]
    shared = {name: getattr(options, name) for name in fields}
    return [
        entry if isinstance(entry, Source) else Source(data=entry, **shared)
        for entry in options.data
    ]


def competitors_of(
    against: Any, reference: Any, runs: int = 1, spot_checks: int | None = None
) -> tuple[Any, int | None]:
    """Return what the reference is compared with, and in how many runs.

    Left open, it is our core with scikit-learn's, each where the other is the reference.
    With our core as the reference a study may be larger than scikit-learn could do, which
    is then asked in a thousand runs at most.
    """
    if against is not None:
        return against, spot_checks
    if reference != "numpy":
        return ("numpy",), spot_checks
    if spot_checks is None and runs > SPOT_CHECKS:
        spot_checks = SPOT_CHECKS
    return ("sklearn",), spot_checks


def origins(entries: Sequence[Implementation]) -> dict[str, Any]:
    """Return the fields of a plan that name its implementations and where they are from."""
    typed = {entry.name: entry.specification for entry in entries}
    return {
        "reference": entries[0].name,
        "against": tuple(entry.name for entry in entries[1:]),
        "specifications": {n: text for n, text in typed.items() if text and text != n},
        "digests": {entry.name: entry.digest for entry in entries if entry.digest},
        "adaptations": {e.name: list(e.adaptations) for e in entries if e.adaptations},
    }


def of_dataset(dataset: Dataset) -> dict[str, Any]:
    """Return the fields of a plan that name its data."""
    return {
        "dataset": dataset.name,
        "sha256": dataset.sha256,
        "dataset_options": dict(dataset.parameters),
    }


def typed_names(plan: Any) -> dict[str, Any]:
    """Return the reference and the others as they were typed."""
    typed = plan.specifications
    return {
        "reference": typed.get(plan.reference, plan.reference),
        "against": [typed.get(name, name) for name in plan.against],
    }


def with_next(summary: Summary, records: Mapping[float, Records]) -> Summary:
    """Return the summary with what to go on with, given records by test size."""
    pairs = {size: of.pairs for size, of in records.items()}
    found = {"explained_by": explained_by(summary.plan, pairs)}
    if not summary.is_sweep and summary.plan["dataset_options"].get("source"):
        ((size, only),) = records.items()
        found["in_python"] = _in_python(summary, size, only.disagreements)
    return replace(summary, details={**summary.details, **found})


_IN_PYTHON = """\
import gnbbench
from gnbbench.implementations import implementation
from sklearn.model_selection import train_test_split

data, row = {data}, {row}
train, _ = train_test_split(
    range(len(data.y)), test_size={size}, random_state={state}, stratify={stratify}
)
for name in {names}:
    model = implementation(name).make()
    model.fit(data.X[train], data.y[train])
    print(name, model.predict(data.X[[row]]))"""


def _in_python(
    summary: Summary, size: float, disagreements: pd.DataFrame
) -> dict[str, str]:
    """Return the row most often in dispute, and the lines that show it in one run."""
    worst = summary.disputed_rows.sort_values("disputed", ascending=False, kind="stable")
    for row, name in worst[["row", "implementation"]].itertuples(index=False):
        of_row = (disagreements["row"] == row) & (disagreements["implementation"] == name)
        typed_as = summary.plan["specifications"]
        known = {*by_name(), *typed_as}
        if not of_row.any() or not {name, summary.reference} <= known:
            continue
        source = dict(summary.plan["dataset_options"])
        run = int(disagreements.loc[of_row, "run"].min())
        lines = _IN_PYTHON.format(
            data=call_text("load_dataset", source.pop("source"), **source),
            row=row,
            size=size,
            state=summary.plan["seed"] + run,
            stratify="data.y" if summary.plan["stratify"] else None,
            names=tuple(typed_as.get(one, one) for one in (summary.reference, name)),
        )
        return {"row": str(row), "run": str(run), "implementation": name, "lines": lines}
    return {}


def explained_by(
    plan: Mapping[str, Any], pairs: Mapping[float, pd.DataFrame]
) -> dict[str, str]:
    """Return the command that explains each implementation whose labels differ.

    `pairs` are the records of each test size, of which that with most disagreements is
    explained. Data and implementations that cannot be typed have none.
    """
    known = {**{name: name for name in by_name()}, **plan["specifications"]}
    found: dict[str, str] = {}
    if "source" not in plan["dataset_options"] or plan["reference"] not in known:
        return found
    for name in [name for name in plan["against"] if name in known]:
        own = {size: p[p["implementation"] == name] for size, p in pairs.items()}
        size = max(own, key=lambda size: own[size]["disagreements"].sum())
        differing = own[size].loc[own[size]["disagreements"] > 0, "run"]
        if differing.empty:
            continue
        usual = ExplainOptions.model_fields["runs"].default
        values = {
            **of_source(plan["dataset_options"]),
            **{key: plan[key] for key in ("seed", "stratify")},
            "against": known[name],
            "reference": known[plan["reference"]],
            "test_size": size,
            "runs": usual if differing.min() < usual else plan["runs"],
        }
        found[name] = shell_lines(["gnbbench", "explain", *typed(ExplainOptions, values)])
    return found


def call_text(function: str, *given: Any, **options: Any) -> str:
    """Return the Python call that repeats a study."""
    named = [f"{name}={value!r}" for name, value in options.items()]
    return f"gnbbench.{function}({', '.join([*map(repr, given), *named])})"


def named_options(options: Options, plan: Any) -> dict[str, Any]:
    """Return what differs from the defaults, implementations as a plan names them."""
    left_out = {*Source.model_fields, "reference", "against"}
    given = {n: value for n, value in options.given().items() if n not in left_out}
    typed = typed_names(plan)
    if plan.reference == "sklearn":
        del typed["reference"]
    return given | typed
