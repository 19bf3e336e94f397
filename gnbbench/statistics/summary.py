"""The one value that statistics hand to reports: every figure a page or a table shows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.statistics.frames import long_frame
from gnbbench.statistics.streamed import Streamed

SCHEMA_VERSION = 1

_ROUNDS = ("implementation", "operation", "process", "round", "seconds", "loops")
_MEMORY = ("implementation", "operation", "traced_bytes", "resident_bytes")


def _none(columns: tuple[str, ...]) -> pd.DataFrame:
    """Return a table without rows."""
    return pd.DataFrame(columns=list(columns))


Outcome = Literal["identical", "equivalent", "different", "cannot tell", "failed"]
Speed = Literal["faster", "slower", "not separated"]


@dataclass(frozen=True)
class Verdict:
    """What is concluded of one implementation, in words and with the numbers behind them.

    Parameters
    ----------
    implementation : str
        The one that is judged against the reference.
    outcome : {"identical", "equivalent", "different", "cannot tell", "failed"}
        Decided in this order; `failed` where no run gave labels.
    sentence : str
        The finding as one sentence, such as
        "Identical: none of 45,000 predictions differ."
    detail : str
        A second sentence with the interval or the bound behind the first.
    """

    implementation: str
    outcome: Outcome
    sentence: str
    detail: str


@dataclass(frozen=True)
class DecisionRegions:
    """Labels of every implementation over one grid in the plane of two features.

    Parameters
    ----------
    axis_names : tuple of two str
        Names of the horizontal and the vertical coordinate.
    extent : tuple of four float
        Left, right, bottom, top of the grid, in the units of the features.
    codes : mapping of str to ndarray of shape (n_rows, n_columns)
        Class codes per implementation; row 0 is the bottom.
    points : ndarray of shape (n_points, 2)
        The samples drawn over the regions.
    point_codes : ndarray of shape (n_points,)
        Their true class codes.
    caption : str
        Says on what the models were fitted and what became of the other features.
    """

    axis_names: tuple[str, str]
    extent: tuple[float, float, float, float]
    codes: Mapping[str, NDArray[np.integer[Any]]]
    points: NDArray[np.float64]
    point_codes: NDArray[np.integer[Any]]
    caption: str


@dataclass(frozen=True)
class DatasetDescription:
    """What the page says of the data.

    Parameters
    ----------
    name, target_name, origin, licence, sha256 : str
    n_samples, n_features : int
    n_duplicates : int or None
        Rows equal to an earlier one in every feature and in the label; None where they
        were not counted.
    class_names : tuple of str
    class_counts : tuple of int
    notes : tuple of str
        What was done to the data on the way in (rows dropped, columns dropped).
    features : DataFrame
        Columns ``feature``, ``minimum``, ``maximum``, ``mean``,
        ``standard_deviation``, ``distinct`` (number of distinct values).
    """

    name: str
    target_name: str
    origin: str
    licence: str
    sha256: str
    n_samples: int
    n_features: int
    n_duplicates: int | None
    class_names: tuple[str, ...]
    class_counts: tuple[int, ...]
    notes: tuple[str, ...]
    features: pd.DataFrame


@dataclass(frozen=True)
class Summary:
    """Everything a report may show of a compare study; a report reads nothing else.

    All tables are tidy DataFrames with a plain RangeIndex. "Competitors" are the
    implementations without the reference. A value that an implementation does not
    offer is NaN (shown as a dash, never guessed).

    Parameters
    ----------
    study : str
        Kind of study: "compare" or "stream".
    command : str
        Command line that repeats it.
    plan, environment : mapping
        JSON-able; the environment has the keys ``versions`` (package -> version),
        ``machine`` (name -> value) and ``threads`` (a sentence).
    dataset : DatasetDescription
    reference : str
    implementations : tuple of str
        The reference first, then the others in the order asked for.
    n_runs, n_train, n_test : int
        Runs, and samples on each side of every split.
    margin : float
        Largest difference that does not matter, a share (0.01 is one point of accuracy).
    headline : str
        The page's first sentence: the verdict, or a count of verdicts.
    verdicts : tuple of Verdict
        One per competitor.
    agreement : DataFrame
        One row per competitor: ``implementation``, ``predictions`` (compared),
        ``disagreements``, ``agreement`` (share), ``exact_runs`` (runs without a
        disagreement), ``compared_runs`` (runs in which both gave labels), ``row_bound``
        (95 % upper bound on the share of rows that differ when none did, from the
        distinct rows that were tested, else NaN), ``disputed_rows``,
        ``max_probability_difference``, ``mean_probability_difference``,
        ``max_joint_log_likelihood_difference``,
        ``mean_joint_log_likelihood_difference``, ``kappa`` (Cohen, pooled labels; NaN
        where undefined), ``mcnemar_p`` (mid-p on run 0; NaN without a discordant pair).
    label_pairs : DataFrame
        ``implementation``, ``reference_label``, ``label`` (class names), ``count``;
        every cell, zeros included.
    probability_differences : DataFrame
        Histogram of absolute differences per competitor: ``implementation``,
        ``low``, ``high`` (bin edges; the first bin is exactly 0 with low = high = 0, the
        next, if there are any, all below 1e-16 with low = 0, then one bin per power of
        ten), ``count``. Empty where no probabilities were offered.
    disputed_rows : DataFrame
        ``implementation``, ``row`` (index in the dataset), ``truth``, ``tested``
        (runs in which it was labelled), ``disputed`` (runs in which labels differed),
        ``votes`` and ``reference_votes`` (text, such as "virginica 97 %, versicolor 3 %"),
        ``smallest_margin`` (of the reference's two best probabilities).
    metrics : DataFrame
        ``implementation``, ``metric``, ``mean``, ``spread`` (standard deviation over
        splits, never an interval), ``low``, ``high`` (corrected 95 % interval of the
        mean), ``runs`` (those that have the metric). Spread and interval are NaN for one
        run, and for the expected calibration error, which pools the runs.
        Metrics: ``train_accuracy``, ``test_accuracy``, ``precision``, ``recall``,
        ``f1``, ``mean_confidence``, ``mean_confidence_right``,
        ``mean_confidence_wrong``, ``log_loss``, ``brier_score``,
        ``expected_calibration_error``.
    differences : DataFrame
        Competitor minus reference, paired within runs: ``implementation``, ``metric``,
        ``mean``, ``low``, ``high``, ``p`` (Holm-corrected over competitors; NaN when
        all differences are zero), ``outcome``, ``runs`` (those in which both have the
        metric). The expected calibration error is not among them.
    runs : DataFrame
        One row per run and implementation: ``run``, ``implementation``, ``status``
        ("ok", "error", "timeout", "crash"), ``message``, then the metrics of one run.
    class_scores : DataFrame
        ``implementation``, ``class_name``, ``precision``, ``recall``, ``f1``,
        ``support`` over the pooled test predictions. A class never predicted has
        precision 0.
    confusion : DataFrame
        ``implementation``, ``truth``, ``label`` (class names), ``count``, ``share`` (of
        the truth's row), summed over runs; every cell. Labels that are none of the
        classes have a column of their own, if any implementation gave one.
    reliability : DataFrame
        ``implementation``, ``low``, ``high`` (confidence bin), ``count``,
        ``mean_confidence``, ``accuracy``, ``accuracy_low``, ``accuracy_high`` (Wilson,
        on rows); empty bins left out.
    timing : DataFrame
        ``implementation``, ``operation`` ("fit", "predict", "predict_proba"),
        ``median_seconds``, ``p5_seconds``, ``p95_seconds``, ``minimum_seconds``,
        ``mean_seconds``, ``standard_deviation_seconds``, ``cold_seconds``, ``rounds``.
    ratios : DataFrame
        Competitor over reference: ``implementation``, ``operation``, ``ratio``,
        ``low``, ``high`` (95 %, Holm-corrected), ``floor_low``, ``floor_high`` (the
        reference against itself), ``speed`` ("faster", "slower", "not separated"),
        ``outliers``, ``ties``, ``autocorrelation``, ``processes``, ``process_low`` and
        ``process_high`` (smallest and largest ratio of one process; NaN for one).
    timing_regime : str
        Says how it was timed, in one sentence.
    warnings : tuple of str
        Remarks a reader must see, one sentence each (noise, failures, small tests).
    decision_regions : DecisionRegions or None
        None where two features cannot be had.
    streamed : Streamed or None
        None where the data were in memory.
    timing_rounds : DataFrame
        Every timing of ``implementation`` and ``operation``: ``process``, ``round``,
        ``seconds`` (of one call), ``loops`` (calls in that timing).
    memory : DataFrame
        Peak beyond the arrays given, on run 0: ``implementation``, ``operation``,
        ``traced_bytes`` (allocated by Python and NumPy), ``resident_bytes`` (growth of a
        fresh process, whoever allocated; NaN where not measured).
    timing_plan : mapping
        How times were taken, as values: ``regime``, ``threads``, ``processes`` and
        further ones; empty where it is not known.
    """

    study: str
    command: str
    plan: Mapping[str, Any]
    environment: Mapping[str, Any]
    dataset: DatasetDescription
    reference: str
    implementations: tuple[str, ...]
    n_runs: int
    n_train: int
    n_test: int
    margin: float
    headline: str
    verdicts: tuple[Verdict, ...]
    agreement: pd.DataFrame
    label_pairs: pd.DataFrame
    probability_differences: pd.DataFrame
    disputed_rows: pd.DataFrame
    metrics: pd.DataFrame
    differences: pd.DataFrame
    runs: pd.DataFrame
    class_scores: pd.DataFrame
    confusion: pd.DataFrame
    reliability: pd.DataFrame
    timing: pd.DataFrame
    ratios: pd.DataFrame
    timing_regime: str
    warnings: tuple[str, ...]
    decision_regions: DecisionRegions | None
    streamed: Streamed | None = None
    timing_rounds: pd.DataFrame = field(default_factory=partial(_none, _ROUNDS))
    memory: pd.DataFrame = field(default_factory=partial(_none, _MEMORY))
    timing_plan: Mapping[str, Any] = field(default_factory=dict)

    def frame(self) -> pd.DataFrame:
        """Return one row per implementation and number, for a notebook or a file.

        Returns
        -------
        DataFrame
            ``implementation``, ``metric``, ``mean``, ``spread``, ``low``, ``high``,
            ``runs``; see `gnbbench.statistics.frames.long_frame` for the metrics.
        """
        return long_frame(
            self.metrics, self.agreement, self.differences, self.timing, self.ratios
        )
