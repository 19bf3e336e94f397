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

# Columns of each table as evaluation returns and the store keeps them. Counts carry
# the first run of their batch, and are read back as sums over it.
_COLUMNS = {
    "runs": "run implementation status message n_train n_test smallest_class",
    "pairs": (
        "run implementation n_test disagreements both_right only_reference_right "
        "only_implementation_right both_wrong max_probability_difference "
        "mean_probability_difference max_joint_log_likelihood_difference "
        "mean_joint_log_likelihood_difference"
    ),
    "disagreements": "run implementation row truth label reference_label margin",
    "confusion": "first_run implementation truth label count",
    "label_pairs": "first_run implementation reference_label label count",
    "probability_differences": "first_run implementation decade count",
    "reliability": "first_run implementation bin count right confidence_nano",
    "votes": "first_run implementation row label count",
    "timings": "operation implementation round position seconds",
}
TABLES: Mapping[str, tuple[str, ...]] = {
    name: (*text.split(), *(RUN_METRICS if name == "runs" else ()))
    for name, text in _COLUMNS.items()
}


@dataclass(frozen=True)
class Records:
    """All tables of a study, the input of statistics.

    Class labels appear as codes: positions in the dataset's sorted classes. Code -1
    is a label that is none of them. NULL (NaN) stands for anything an implementation does
    not offer.
    """

    # Kind of study ("study"), dataset, options; ``reference`` is a name, ``against`` a list
    # of names, ``margin`` a share of accuracy, ``command`` the command line
    plan: Mapping[str, Any]
    environment: Mapping[str, Any]  # Keys ``versions``, ``machine``, ``threads``
    # The fields of a dataset's description (see
    # `gnbbench.statistics.summary.DatasetDescription`), features as a list of rows
    dataset: Mapping[str, Any]
    # The tables of `TABLES`. ``status`` is "ok", "error", "timeout", "crash" or "invalid"
    # (it has labels, but its probabilities are invalid); ``smallest_class`` counts training
    # samples of the smallest class, 0 if one is absent; metrics are NaN without labels.
    runs: "pd.DataFrame"
    # One row per run in which both gave labels; ``both_right`` to ``both_wrong``
    # are McNemar's table, differences absolute, over all samples and classes tested
    pairs: "pd.DataFrame"
    # ``margin`` lies between the reference's two largest probabilities
    disagreements: "pd.DataFrame"
    confusion: "pd.DataFrame"  # Test side, zeros left out
    label_pairs: "pd.DataFrame"  # Zeros left out
    # Absolute differences p with ``10**decade <= p < 10**(decade + 1)`` (p = 1 counts in
    # decade -1); NULL decade counts exact zeros
    probability_differences: "pd.DataFrame"
    # Fifteen bins of equal width over (0, 1], confidence summed in units of 1e-9
    reliability: "pd.DataFrame"
    # How often a row got a label on the test side, including from the reference;
    # empty for more than `VOTES_LIMIT` samples
    votes: "pd.DataFrame"
    # ``position`` is that within the round, ``seconds`` are for one call. The reference
    # against itself appears under the name `NULL_COMPETITOR`.
    timings: "pd.DataFrame"
    # ``regime`` (sentence), ``inner_counts`` (operation -> calls per timing),
    # ``cold_seconds`` (operation -> implementation -> seconds), ``warnings`` (list of
    # sentences), ``skipped`` (implementation -> what was not timed and why), and
    # details of the measurement (`ImplementationTimings.notes`). Several processes
    # add ``processes``: a list of the details of each, whose ``rounds`` say where in
    # the consecutive rounds of ``timings`` the next one begins.
    timing_notes: Mapping[str, Any] | None
    # ``axis_names``, ``extent``, ``shape`` (rows, columns), ``codes`` (implementation ->
    # flat list of int), ``points``, ``point_codes``, ``caption``
    decision_regions: Mapping[str, Any] | None
    # For a streamed study: ``passes`` (list of ``stage`` "training" or "scoring", ``what``
    # "reading", "calls", "checks" (calls beside them, of a few blocks), "counting" or
    # "whole pass", ``implementation`` (of calls and checks), ``rows``,
    # ``seconds``), ``parameters`` (list of ``implementation``, ``parameter``,
    # ``largest_relative_difference`` from the reference's), ``variance_causes`` (list of
    # ``implementation`` and what `measurement.stream_models.variance_cause` gives),
    # ``remarks`` (list of sentences)
    stream: Mapping[str, Any] | None = None
    # ``rows`` (list of ``implementation``, ``operation``, ``traced_bytes``,
    # ``resident_bytes`` or null) and ``skipped`` (implementation -> why there is none);
    # None if it was not measured, as in stores of earlier versions
    memory: Mapping[str, Any] | None = None
    # Changes since an earlier study with this plan: ``taken`` (its date), ``environment``
    # and ``times`` as from `gnbbench.statistics.comparison`, ``labels`` (implementation
    # -> labels that differ from the reference's, then and now)
    last_study: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class ScaleRecords:
    """All measurements over a grid of sizes, the input of statistics."""

    # As in `Records`; the plan also has ``axes``: name of an axis -> ``sizes`` (list, empty
    # if it is only held) and ``held``
    plan: Mapping[str, Any]
    environment: Mapping[str, Any]
    # The grid: ``point``, ``axis`` ("samples", "features" or "classes"), ``size``,
    # ``n_samples``, ``n_features``, ``n_classes``
    points: "pd.DataFrame"
    # One row per implementation and point that was tried or left out first: ``point``,
    # ``implementation``, ``status`` ("ok", "error", "timeout", "crash", or "budget" where
    # it was left out), ``message``
    looks: "pd.DataFrame"
    # ``point``, ``implementation``, ``n_test``, ``disagreements``; competitors only
    pairs: "pd.DataFrame"
    # ``process``, ``point``, ``operation`` ("fit" or "predict"), ``implementation``,
    # ``round``, ``seconds``; `NULL_COMPETITOR` and `READ_COMPETITOR` among them
    timings: "pd.DataFrame"
    # Implementations that failed while being timed: ``process``, ``point``,
    # ``implementation``, ``status``, ``message``
    losses: "pd.DataFrame"
    # ``point``, ``implementation``, ``operation``, ``status``, ``message``,
    # ``traced_bytes``, ``resident_bytes`` (peaks beyond the input arrays; NaN if not
    # measured)
    memory: "pd.DataFrame"
    remarks: tuple[str, ...]  # Warnings of the measurements, one sentence each
    regime: str  # How times were measured, in one sentence
