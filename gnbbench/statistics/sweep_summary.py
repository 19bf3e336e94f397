"""What statistics hand to the report of a sweep: each train fraction, and all together."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from gnbbench.statistics.summary import DatasetDescription, Verdict

SWEEP_SCHEMA_VERSION = 1


@dataclass(frozen=True)
class SweepSummary:
    """Everything a report may show of a sweep over train fractions.

    All tables are tidy DataFrames with a plain RangeIndex; `fraction` is the share of the
    samples on the train side. A value that cannot be had is NaN, shown as a dash.

    Parameters
    ----------
    study : str
        Kind of study: "sweep-split".
    command : str
        Command line that repeats it.
    plan, environment : mapping
        As in `gnbbench.statistics.summary.Summary`; the plan has ``train_fractions``.
    dataset : DatasetDescription
    reference : str
    implementations : tuple of str
        The reference first.
    fractions : tuple of float
        Ascending.
    n_runs : int
        Runs at each fraction.
    margin : float
    headline : str
        The page's first sentence.
    verdicts : tuple of Verdict
        One per competitor, over all fractions.
    overall : DataFrame
        The headline table, one row per implementation: ``implementation``, ``runs``
        (compared with the reference, over all fractions), ``exact_runs``, ``exact_share``,
        ``mismatches_mean``, ``mismatches_median``, ``mismatches_max`` (disagreements per
        run), ``max_probability_difference``, ``test_accuracy`` (mean over all runs that
        have one), ``failed_runs`` (with an error, where there was a split). The reference
        has NaN where it would be compared with itself.
    fractions_table : DataFrame
        One row per fraction: ``fraction``, ``n_train``, ``n_test``, ``runs``,
        ``thin_runs`` (runs whose training side holds fewer than two samples of some
        class; evaluated like all others), ``impossible_runs`` (no such split exists),
        ``conservative`` (more than half of the samples are tested, which makes the
        corrected intervals too wide).
    accuracy : DataFrame
        ``fraction``, ``implementation``, ``metric`` ("train_accuracy", "test_accuracy",
        "gap": train minus test, run by run), ``mean``, ``spread`` (standard deviation over
        splits), ``low``, ``high`` (corrected 95 % interval), ``p5``, ``p95`` (of single
        runs), ``runs``.
    differences : DataFrame
        Competitor minus reference in test accuracy: ``fraction``, ``implementation``,
        ``mean``, ``low``, ``high``, ``p`` (Holm-corrected over fractions and
        implementations), ``outcome``.
    agreement : DataFrame
        ``fraction``, ``implementation``, ``compared_runs``, ``exact_runs``,
        ``exact_share``, ``mismatches_mean``, ``mismatches_median``, ``mismatches_max``,
        ``max_probability_difference``.
    mismatch_counts : DataFrame
        Histogram: ``fraction``, ``implementation``, ``disagreements`` (in a run), ``runs``.
    slopes : DataFrame
        Learning curve: ``implementation``, ``from_fraction``, ``to_fraction``, ``slope``
        (gain in mean test accuracy per ten points of train fraction), ``low``, ``high``.
    runs : DataFrame
        One row per fraction, run and implementation: ``fraction`` and the columns of
        `gnbbench.records.Records.runs`.
    timing, ratios : DataFrame
        As in `gnbbench.statistics.summary.Summary`, timed at one fraction.
    timing_regime : str
    warnings : tuple of str
    """

    study: str
    command: str
    plan: Mapping[str, Any]
    environment: Mapping[str, Any]
    dataset: DatasetDescription
    reference: str
    implementations: tuple[str, ...]
    fractions: tuple[float, ...]
    n_runs: int
    margin: float
    headline: str
    verdicts: tuple[Verdict, ...]
    overall: pd.DataFrame
    fractions_table: pd.DataFrame
    accuracy: pd.DataFrame
    differences: pd.DataFrame
    agreement: pd.DataFrame
    mismatch_counts: pd.DataFrame
    slopes: pd.DataFrame
    runs: pd.DataFrame
    timing: pd.DataFrame
    ratios: pd.DataFrame
    timing_regime: str
    warnings: tuple[str, ...]

    def frame(self) -> pd.DataFrame:
        """Return one row per fraction, implementation and number.

        Returns
        -------
        DataFrame
            Columns of `accuracy`; the columns of `agreement` follow as metrics, with
            their value in ``mean``.
        """
        keys = ["fraction", "implementation"]
        agreed = self.agreement.melt(id_vars=keys, var_name="metric", value_name="mean")
        return pd.concat([self.accuracy, agreed], ignore_index=True)
