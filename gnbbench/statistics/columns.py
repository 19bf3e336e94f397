"""Columns of the tables of runs: of every point, of a stream, of a sweep.

Times are in seconds, shares between 0 and 1, differences implementation minus reference,
``low`` and ``high`` the ends of 95 % intervals unless it is said otherwise. What there is
no number for is NaN. `gnbbench.statistics.schema` says which kind of study has which.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str
    description: str
    dtype: str | None = None  # None leaves it to the values
    in_sweep: bool = False  # Only where a study has several points


@dataclass(frozen=True)
class Table:
    """A table of a summary."""

    description: str
    columns: tuple[Column, ...]


POINT = Column("point", "Number of the point (train fraction), from 0", "int64")
IMPLEMENTATION = Column("implementation", "Name", "str")
OPERATION = Column("operation", '"fit", "predict" or "predict_proba"', "str")
METRIC = Column("metric", "Name of the metric", "str")
MEAN = Column("mean", "Over the runs that have it", "float64")
LOW = Column("low", "Lower end of the 95 % interval", "float64")
HIGH = Column("high", "Upper end of the 95 % interval", "float64")
LABEL = Column("label", "Class name that was given", "str")
TRUTH = Column("truth", "Class name", "str")
COUNT = Column("count", "Predictions over all runs", "int64")
DISAGREEMENTS = Column("disagreements", "Labels other than the reference's", "int64")
COMPARED = (
    Column("exact_runs", "Compared runs without a disagreement", "int64"),
    Column("exact_share", "Of the compared runs", "float64", in_sweep=True),
    Column("mismatches_mean", "Disagreements per run", "float64", in_sweep=True),
    Column("mismatches_median", "Disagreements per run", "float64", in_sweep=True),
    Column("mismatches_max", "Disagreements per run", "float64", in_sweep=True),
)
MAX_PROBABILITY = Column("max_probability_difference", "Absolute", "float64")
BYTES = (
    Column("traced_bytes", "Allocated by Python and NumPy, beyond arrays given", "float64"),
    Column("resident_bytes", "Growth of a fresh process, whoever allocated", "float64"),
)

RUN_TABLES: Mapping[str, Table] = {
    "points": Table(
        "One row per point.",
        (
            Column("fraction", "Share of the samples to train on, as asked for", "float64"),
            Column("n_train", "Training samples of each run", "int64"),
            Column("n_test", "Test samples of each run", "int64"),
            Column("runs", "Runs", "int64"),
            Column(
                "thin_runs", "Those with a class of fewer than two to train on", "int64"
            ),
            Column("impossible_runs", "Runs of which no such split exists", "int64"),
            Column("conservative", "More than half tested: intervals too wide", "bool"),
        ),
    ),
    "agreement": Table(
        "One row per competitor.",
        (
            IMPLEMENTATION,
            Column("predictions", "Compared predictions", "int64"),
            DISAGREEMENTS,
            Column("agreement", "Share of equal labels", "float64"),
            *COMPARED,
            Column("compared_runs", "Runs in which both gave labels", "int64"),
            Column("row_bound", "95 % bound on rows that differ where none did", "float64"),
            Column("disputed_rows", "Rows labelled differently in some run", "int64"),
            MAX_PROBABILITY,
            Column("mean_probability_difference", "Absolute", "float64"),
            Column("max_joint_log_likelihood_difference", "Absolute", "float64"),
            Column("mean_joint_log_likelihood_difference", "Absolute", "float64"),
            Column("kappa", "Cohen's, of pooled labels; NaN where undefined", "float64"),
            Column("mcnemar_p", "Mid-p on run 0; NaN without a discordant pair", "float64"),
        ),
    ),
    "metrics": Table(
        "One row per implementation and metric. Spread and interval are NaN for one run, "
        "and for the expected calibration error, which pools the runs.",
        (
            IMPLEMENTATION,
            METRIC,
            MEAN,
            Column("spread", "Standard deviation over splits, no interval", "float64"),
            LOW,
            HIGH,
            Column("p5", "5th percentile of single runs", "float64", in_sweep=True),
            Column("p95", "95th percentile of single runs", "float64", in_sweep=True),
            Column("runs", "Those that have the metric", "int64"),
        ),
    ),
    "differences": Table(
        "Competitor minus reference, paired within runs; without calibration error.",
        (
            IMPLEMENTATION,
            METRIC,
            Column("runs", "Those in which both have the metric", "int64"),
            MEAN,
            LOW,
            HIGH,
            Column("p", "After Holm over all of a metric; NaN: all are zero", "float64"),
            Column("outcome", "What the difference is called", "str"),
        ),
    ),
    "timing": Table(
        "One row per implementation and operation, timed at one point.",
        (
            IMPLEMENTATION,
            OPERATION,
            Column("median_seconds", "Median of the processes' medians", "float64"),
            Column("p5_seconds", "5th percentile of the rounds", "float64"),
            Column("p95_seconds", "95th percentile of the rounds", "float64"),
            Column("minimum_seconds", "Quickest round", "float64"),
            Column("mean_seconds", "Of the rounds", "float64"),
            Column("standard_deviation_seconds", "Of the rounds", "float64"),
            Column("cold_seconds", "First call", "float64"),
            Column("rounds", "Rounds", "int64"),
        ),
    ),
    "ratios": Table(
        "Times of each competitor over the reference's.",
        (
            IMPLEMENTATION,
            OPERATION,
            Column("ratio", "Median of the paired ratios", "float64"),
            Column("low", "Lower end of the interval, corrected by Holm", "float64"),
            Column("high", "Upper end of the interval, corrected by Holm", "float64"),
            Column("floor_low", "Of the reference against itself", "float64"),
            Column("floor_high", "Of the reference against itself", "float64"),
            Column("speed", '"faster", "slower" or "not separated"', "str"),
            Column("outliers", "Ratios far from their median; they stay in", "int64"),
            Column("ties", "Rounds in which both times were equal", "int64"),
            Column("autocorrelation", "Of successive rounds", "float64"),
            Column("processes", "Processes that rounds were timed in", "int64"),
            Column("process_low", "Smallest of one process; NaN for one", "float64"),
            Column("process_high", "Largest of one process; NaN for one", "float64"),
        ),
    ),
    "memory": Table("Peaks on run 0.", (IMPLEMENTATION, OPERATION, *BYTES)),
    "label_pairs": Table(
        "Every pair of labels, zeros included.",
        (
            IMPLEMENTATION,
            Column("reference_label", "Class name that the reference gave", "str"),
            LABEL,
            COUNT,
        ),
    ),
    "probability_differences": Table(
        "Histogram of absolute differences: exact zeros, those below 1e-16, then one bin "
        "per power of ten. Empty where no probabilities were offered.",
        (
            IMPLEMENTATION,
            Column("low", "Lower edge of the bin", "float64"),
            Column("high", "Upper edge of the bin", "float64"),
            Column("count", "Probabilities", "int64"),
        ),
    ),
    "disputed_rows": Table(
        "One row per competitor and disputed row of the data, most disputed first.",
        (
            IMPLEMENTATION,
            Column("row", "Index in the dataset"),
            TRUTH,
            Column("tested", "Runs in which it was labelled"),
            Column("disputed", "Runs in which labels differed"),
            Column("votes", 'Text, such as "virginica 97 %, versicolor 3 %"', "str"),
            Column("reference_votes", "Likewise, of the reference", "str"),
            Column("smallest_margin", "Between the reference's two best probabilities"),
        ),
    ),
    "class_scores": Table(
        "Scores over pooled test predictions; a class never predicted has precision 0.",
        (
            IMPLEMENTATION,
            Column("class_name", "Class", "str"),
            Column("precision", "Share", "float64"),
            Column("recall", "Share", "float64"),
            Column("f1", "Share", "float64"),
            Column("support", "Predictions of samples of the class"),
        ),
    ),
    "confusion": Table(
        "Every cell, summed over runs. Labels that are none of the classes have a column "
        "of their own, if there are any.",
        (
            IMPLEMENTATION,
            TRUTH,
            LABEL,
            COUNT,
            Column("share", "Of the truth's row", "float64"),
        ),
    ),
    "reliability": Table(
        "Confidence against accuracy, fifteen bins; empty ones are left out.",
        (
            IMPLEMENTATION,
            Column("low", "Lower edge of the bin", "float64"),
            Column("high", "Upper edge of the bin", "float64"),
            COUNT,
            Column("mean_confidence", "In the bin", "float64"),
            Column("accuracy", "In the bin", "float64"),
            Column("accuracy_low", "Wilson's interval, on rows", "float64"),
            Column("accuracy_high", "Wilson's interval, on rows", "float64"),
        ),
    ),
    "timing_rounds": Table(
        "Every timing.",
        (
            IMPLEMENTATION,
            OPERATION,
            Column("process", "Number of the process, from 0", "int64"),
            Column("round", "Number of the round, from 0", "int64"),
            Column("seconds", "Of one call", "float64"),
            Column("loops", "Calls in that timing", "int64"),
        ),
    ),
    "features": Table(
        "What the data say of each feature.",
        (
            Column("feature", "Name"),
            Column("minimum", "Smallest value"),
            Column("maximum", "Largest value"),
            Column("mean", "Mean"),
            Column("standard_deviation", "Standard deviation"),
            Column("distinct", "Number of distinct values"),
        ),
    ),
}

STREAM_TABLES: Mapping[str, Table] = {
    "passes": Table(
        "What the passes over a stream took.",
        (
            Column("stage", '"training" or "scoring"', "str"),
            Column("what", '"reading", "calls" or "whole pass"', "str"),
            Column("implementation", "Of the calls, else empty", "str"),
            Column("rows", "Rows that passed by", "int64"),
            Column("seconds", "In all", "float64"),
            Column("rows_per_second", "NaN where the clock stood still", "float64"),
            Column("times_reading", "Over the seconds of reading", "float64"),
        ),
    ),
    "parameters": Table(
        "How far trained models are apart.",
        (
            IMPLEMENTATION,
            Column("parameter", "Name of the attribute", "str"),
            Column(
                "largest_relative_difference",
                "From the reference's; NaN where one does not offer it. A mean is held "
                "against the larger of its absolute value and its standard deviation",
                "float64",
            ),
        ),
    ),
}

SWEEP_TABLES: Mapping[str, Table] = {
    "overall": Table(
        "All runs of all train fractions alike, one row per implementation; the reference "
        "has NaN where it would be compared with itself.",
        (
            IMPLEMENTATION,
            Column("runs", "Compared with the reference", "float64"),
            Column("exact_runs", "Those without a disagreement", "float64"),
            *COMPARED[1:],
            MAX_PROBABILITY,
            Column("test_accuracy", "Mean over the runs that have one", "float64"),
            Column("failed_runs", "With an error, where there was a split", "int64"),
        ),
    ),
    "mismatch_counts": Table(
        "Runs by their number of disagreements.",
        (IMPLEMENTATION, DISAGREEMENTS, Column("runs", "Runs with as many", "int64")),
    ),
    "slopes": Table(
        "Learning curve: gain from one train fraction to the next.",
        (
            IMPLEMENTATION,
            Column("from_fraction", "Smaller train fraction", "float64"),
            Column("to_fraction", "Next train fraction", "float64"),
            Column("slope", "Mean gain in test accuracy per ten points", "float64"),
            LOW,
            HIGH,
        ),
    ),
}

# The number of the point leads their rows.
POINTED = frozenset({*RUN_TABLES, "mismatch_counts"} - {"features"})
