"""The records in a study's store: plain tables, read back as DataFrames.

A record is a measured row and is never modified once written. Counts that
would need one row per sample (votes, confusion, histograms) are summed within a
batch of runs; all these values are whole numbers, so that sums over
batches do not depend on how the runs were divided.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gnbbench.files import toml_beside

if TYPE_CHECKING:  # Processes that measure need only the names
    import pandas as pd


@dataclass(frozen=True)
class Metric:
    """A number that each implementation has, and how to present it."""

    name: str
    words: str = ""  # Its title, if that is not its name
    table: str = ""  # Table that shows it, "accuracy" or "confidence"; empty for none
    better: int = 0  # +1 if more is better, -1 if less is, 0 for neither
    low: float = 0.0
    high: float = 1.0
    unit: str = ""
    of_labels: bool = False  # Whether a row moves it only if its label differs
    of_runs: bool = True  # Whether each run has one; else all runs share one
    short: str = ""  # Its title in a terminal; empty to leave it out there

    @property
    def title(self) -> str:
        """Its title."""
        return self.words or self.name.replace("_", " ")

    @property
    def heading(self) -> str:
        """Its title with the unit."""
        return f"{self.title} ({self.unit})" if self.unit else self.title


_ROWS = toml_beside(__file__, "metrics.toml")
METRICS: Mapping[str, Metric] = {name: Metric(name, **row) for name, row in _ROWS.items()}
RUN_METRICS = tuple(metric.name for metric in METRICS.values() if metric.of_runs)

OPERATIONS = ("fit", "predict", "predict_proba")

NULL_COMPETITOR = "reference again"

# Reading every value of X once, timed beside implementations: nothing that uses all of
# them is faster.
READ_COMPETITOR = "one read of X"

N_RELIABILITY_BINS = 15

VOTES_LIMIT = 20_000

# Status of a run with labels and without valid probabilities, and all with labels.
INVALID = "invalid"
WITH_LABELS = ("ok", INVALID)

# Columns of each table as evaluation returns and the store keeps them, described there.
HOLDS = toml_beside(__file__, "records.toml")
TABLES: Mapping[str, tuple[str, ...]] = {
    name: (*text.split(), *(RUN_METRICS if name == "runs" else ()))
    for name, text in HOLDS["tables"].items()
}
# Columns of each table over a grid of sizes.
SCALE_TABLES = {name: text.split() for name, text in HOLDS["scale"].items()}


@dataclass(frozen=True)
class Records:
    """All tables and notes of a study, the input of statistics; ``records.toml`` has more.

    Class labels appear as codes: positions in the dataset's sorted classes. Code -1
    is a label that is none of them. NULL (NaN) stands for anything an implementation does
    not offer.
    """

    # The notes of the store
    plan: Mapping[str, Any]
    environment: Mapping[str, Any]
    dataset: Mapping[str, Any]
    # The tables of `TABLES`
    runs: "pd.DataFrame"
    pairs: "pd.DataFrame"
    disagreements: "pd.DataFrame"
    confusion: "pd.DataFrame"
    label_pairs: "pd.DataFrame"
    probability_differences: "pd.DataFrame"
    reliability: "pd.DataFrame"
    votes: "pd.DataFrame"
    timings: "pd.DataFrame"
    # Notes that a study may lack
    timing_notes: Mapping[str, Any] | None
    decision_regions: Mapping[str, Any] | None
    stream: Mapping[str, Any] | None = None
    memory: Mapping[str, Any] | None = None
    last_study: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class ScaleRecords:
    """All measurements over a grid of sizes; ``records.toml`` has more."""

    plan: Mapping[str, Any]
    environment: Mapping[str, Any]
    # The tables of `SCALE_TABLES`
    points: "pd.DataFrame"
    looks: "pd.DataFrame"
    pairs: "pd.DataFrame"
    timings: "pd.DataFrame"
    losses: "pd.DataFrame"
    memory: "pd.DataFrame"
    remarks: tuple[str, ...]  # Warnings of the measurements, one sentence each
    regime: str  # How times were measured, in one sentence
