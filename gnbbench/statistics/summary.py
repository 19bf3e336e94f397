"""The value that statistics pass to reports: the summary of a study of any kind."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, TypeVar, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.statistics.schema import SWEEP, empty_table, table_of

Outcome = Literal["identical", "equivalent", "different", "cannot tell", "failed"]
T = TypeVar("T")
Speed = Literal["faster", "slower", "not separated", "too noisy"]

# Measured at one point at most, so that reports need not name it.
TIMED = ("timing", "ratios", "timing_rounds", "memory")


@dataclass(frozen=True)
class Verdict:
    """The conclusion on one implementation, with the numbers behind it."""

    implementation: str  # Judged against the reference
    outcome: str  # An `Outcome`, or a word or two of another kind of study
    sentence: str  # Such as "Identical: none of 45,000 predictions differ."
    detail: str  # A second sentence with the interval or the bound behind the first
    is_partial: bool = False  # Whether some runs could not be compared in full


@dataclass(frozen=True)
class DecisionRegions:
    """Labels of every implementation over one grid in the plane of two features."""

    axis_names: tuple[str, str]  # Horizontal, vertical
    extent: tuple[float, float, float, float]  # Left, right, bottom, top, as the features
    codes: Mapping[str, NDArray[np.integer[Any]]]  # Row 0 is the bottom
    points: NDArray[np.float64]  # (n_points, 2): samples drawn over the regions
    point_codes: NDArray[np.integer[Any]]  # Their true class codes
    rows: NDArray[np.int64]  # Their places in the data; -1 if a study did not keep them
    caption: str  # What the models were fitted on, and how the other features were treated
    # Lead of each label in log-odds, 1 away from boundaries; only if scores are known
    margins: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    # Labels of the points; none in studies of earlier versions
    point_labels: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)

    @classmethod
    def of(cls, note: Mapping[str, Any] | None) -> "DecisionRegions | None":
        """Rebuild grids from the flat lists in a study's note; None without one."""
        if note is None:
            return None
        shape = tuple(note["shape"])
        codes = {name: np.asarray(flat, np.int64) for name, flat in note["codes"].items()}
        rows = note.get("rows", [-1] * len(note["points"]))
        margins = {name: np.ones(shape) for name in note.get("margins", {})}
        for name, leads in margins.items():
            places, values = note["margins"][name]
            leads.flat[places] = values
        return cls(
            axis_names=tuple(note["axis_names"]),
            extent=tuple(note["extent"]),
            codes={name: flat.reshape(shape) for name, flat in codes.items()},
            points=np.asarray(note["points"], dtype=np.float64).reshape(-1, 2),
            point_codes=np.asarray(note["point_codes"], dtype=np.int64),
            rows=np.asarray(rows, dtype=np.int64),
            caption=note["caption"],
            margins=margins,
            point_labels={
                name: np.asarray(labels, np.int64)
                for name, labels in note.get("point_labels", {}).items()
            },
        )


@dataclass(frozen=True)
class DatasetDescription:
    """The description of the data on the page."""

    name: str
    target_name: str
    origin: str
    licence: str
    sha256: str
    n_samples: int
    n_features: int
    n_duplicates: int | None  # Rows equal to an earlier one, label too; None: not counted
    n_distinct: int | None  # Rows that differ from all earlier ones; None: not counted
    class_names: tuple[str, ...]
    class_counts: tuple[int, ...]
    notes: tuple[str, ...]  # How the data were changed while loading
    features: pd.DataFrame  # Columns of the schema's table `features`

    @classmethod
    def of(cls, note: Mapping[str, Any]) -> "DatasetDescription":
        """Rebuild the description from the plain values in a study's note."""
        features = table_of("features", note["features"])
        for column in features.columns[1:]:
            # Uncounted values are None, which would make a column of objects.
            features[column] = pd.to_numeric(features[column])
        # Earlier versions did not count distinct rows.
        values = {"n_distinct": None} | {
            field.name: note[field.name] for field in fields(cls) if field.name in note
        }
        values = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
        return cls(**{**values, "features": features})


def spread(items: Sequence[T]) -> list[T]:
    """Return the first, the middle and the last item, each once."""
    return [items[n] for n in sorted({0, len(items) // 2, len(items) - 1}) if items]


class Lookup:
    """Single values of a table by its key columns; NaN if there is no such row."""

    def __init__(self, table: pd.DataFrame, *keys: str) -> None:
        rows = table.to_dict("records")
        self._rows = {tuple(row[key] for key in keys): row for row in rows}

    def row(self, *key: Hashable) -> Mapping[Any, Any]:
        """Return the values of a row by column; empty if there is no such row."""
        return self._rows.get(key, {})

    def number(self, column: str, *key: Hashable) -> float:
        """Return a value as a float; NaN if there is no such row or no value."""
        value = self._rows.get(key, {}).get(column)
        return float("nan") if value is None or pd.isna(value) else float(value)

    def text(self, column: str, *key: Hashable) -> str:
        """Return a value as text; empty if there is no such row or no value."""
        value: Any = self._rows.get(key, {}).get(column)
        return "" if value is None or pd.isna(value) else str(value)

    def triple(self, column: str, *key: Hashable) -> tuple[float, float, float]:
        """Return a value with its interval, from the columns ``low`` and ``high``."""
        low, high = (self.number(end, *key) for end in ("low", "high"))
        return self.number(column, *key), low, high


@dataclass(frozen=True)
class StudyNotes:
    """What every store notes of its study."""

    plan: Mapping[str, Any]
    environment: Mapping[str, Any]
    command: str


@dataclass(frozen=True, eq=False)
class Summary:
    """Everything a report may show of a study of any kind; a report reads nothing else.

    `gnbbench.statistics.schema` says which tables a kind has; each is an attribute as well.
    Results that an implementation does not offer are NaN, shown as a dash, never guessed.
    """

    study: str  # Kind of study
    command: str  # Repeats it
    headline: str  # The page's first sentence
    plan: Mapping[str, Any]
    environment: Mapping[str, Any]  # ``versions``, ``machine``, ``threads`` (a sentence)
    reference: str
    implementations: tuple[str, ...]  # The reference first, the others in the order given
    tables: Mapping[str, pd.DataFrame]  # By name; those of runs lead with ``point``
    verdicts: tuple[Verdict, ...] = ()  # One per competitor
    warnings: tuple[str, ...] = ()  # Remarks a reader must see, one sentence each
    data: DatasetDescription | None = None  # None if there are several, or none
    details: Mapping[str, Any] = field(default_factory=dict)  # Everything except tables
    _shown: dict[str, pd.DataFrame] = field(default_factory=dict, init=False, repr=False)

    def __getattr__(self, name: str) -> pd.DataFrame:
        """Return a table of this kind of study by its name."""
        if name.startswith("_"):  # As copies and notebooks ask for
            raise AttributeError(name)
        return self.table(name)

    def table(self, name: str) -> pd.DataFrame:
        """Return a table; the train fraction of a sweep, or nothing, replaces `point`."""
        table = self.tables.get(name)
        if table is None:
            return empty_table(self.study, name)
        if name in self._shown:
            return self._shown[name]
        if "point" not in table or "fraction" not in self.tables["points"]:
            return table
        self._shown[name] = shown = table.drop(columns="point")
        if self.is_sweep and name not in ("points", *TIMED):
            fractions = self.tables["points"].set_index("point")["fraction"]
            shown.insert(0, "fraction", table["point"].map(fractions))
        return shown

    def lookup(self, name: str) -> Lookup:
        """Return the rows of a table by implementation, and by metric or operation."""
        table = self.table(name)
        keys = ("implementation", "metric", "operation")
        return Lookup(table, *(key for key in keys if key in table))

    @property
    def dataset(self) -> DatasetDescription:
        """The description of the data; an error for a study on none or on several."""
        if self.data is None:
            raise LookupError(f"a study of {self.study} has no single dataset")
        return self.data

    @property
    def is_sweep(self) -> bool:
        """Whether runs were made at several train fractions."""
        return self.study == SWEEP

    @property
    def detail(self) -> str:
        """A sentence below the headline, for kinds of study that have one."""
        return str(self.details.get("detail", ""))

    @property
    def fractions(self) -> tuple[float, ...]:
        """Train fractions, ascending."""
        return tuple(float(value) for value in self.tables["points"]["fraction"])

    def at(self, fraction: float) -> "Summary":
        """Return what there is at one train fraction, as a study of one point."""
        points = self.tables["points"]
        point = int(points.loc[points["fraction"] == fraction, "point"].iloc[0])
        of_point = {
            name: table[table["point"] == point].reset_index(drop=True)
            for name, table in self.tables.items()
            if "point" in table
        }
        regions = self.details.get("regions", {}).get(point)
        details = {**self.details, "decision_regions": regions}
        return replace(self, study="compare", tables=of_point, details=details)

    @property
    def n_runs(self) -> int:
        """Runs at each point."""
        return int(self.tables["points"]["runs"].max())

    @property
    def n_train(self) -> int:
        """Training samples of a run at the first point."""
        return int(self.tables["points"]["n_train"].iloc[0])

    @property
    def n_test(self) -> int:
        """Test samples of a run at the first point."""
        return int(self.tables["points"]["n_test"].iloc[0])

    @property
    def margin(self) -> float:
        """Largest difference that does not matter; 0.01 is one point of accuracy."""
        return float(self.plan["margin"])

    @property
    def timing_regime(self) -> str:
        """How it was timed, in one sentence."""
        return str(self.details["timing_regime"])

    @property
    def decision_regions(self) -> DecisionRegions | None:
        """The regions; None without two features."""
        return cast("DecisionRegions | None", self.details.get("decision_regions"))

    @property
    def is_streamed(self) -> bool:
        """Whether the data were read in batches."""
        return "passes" in self.tables

    def frame(self) -> pd.DataFrame:
        """Return one row per implementation and number, whatever table it came from."""
        agreed, differences = self.agreement, self.differences
        keys = [key for key in ("fraction", "implementation") if key in agreed]
        melted = agreed.melt(id_vars=keys, var_name="metric", value_name="mean")
        compared = agreed.set_index(keys)["compared_runs"].rename("runs")
        names = {"mean_seconds": "mean", "standard_deviation_seconds": "spread"}
        timing = self.timing.rename(columns={**names, "rounds": "runs"})
        ratios = self.ratios.rename(columns={"ratio": "mean"})
        parts = [
            self.metrics,
            differences.assign(metric=differences["metric"] + "_difference"),
            melted.join(compared, on=keys),
            timing.assign(metric=timing["operation"] + "_seconds"),
            ratios.assign(metric=ratios["operation"] + "_ratio"),
        ]
        columns = list(self.metrics.columns)
        tables = [part.reindex(columns=columns) for part in parts if not part.empty]
        numbers = dict.fromkeys(columns[columns.index("mean") :], "float64")
        return pd.concat([table.astype(numbers) for table in tables], ignore_index=True)
