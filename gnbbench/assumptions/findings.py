"""The one value that an examination of the assumptions hands to reports."""

from dataclasses import dataclass
from typing import Literal

import pandas as pd

Grade = Literal["strongly broken", "broken", "slightly broken", "tenable", "not tested"]


@dataclass(frozen=True)
class AssumptionVerdict:
    """What is concluded of one assumption, effect size first.

    Parameters
    ----------
    assumption : {"naive", "normal"}
        Features independent within a class; each normal within a class.
    grade : {"strongly broken", "broken", "slightly broken", "tenable", "not tested"}
        By the largest effect among the classes (or features) whose test rejects; tenable
        where none does.
    sentence : str
        Grade, effect and cost.
    detail : str
        The tests and the intervals behind it.
    """

    assumption: Literal["naive", "normal"]
    grade: Grade
    sentence: str
    detail: str


@dataclass(frozen=True, eq=False)
class Assumptions:
    """Everything a report may show of the assumptions on one dataset.

    All tables are tidy DataFrames with a plain RangeIndex, in the order of classes and
    features; what is not defined is NaN.

    Parameters
    ----------
    dataset : str
    feature_names, class_names : tuple of str
    n_samples, n_runs, n_train, n_test, seed : int
        The splits are those of every study with this seed.
    verdicts : tuple of AssumptionVerdict
        The naive assumption, then the normal one.
    independence : DataFrame
        One row a class; see `gnbbench.assumptions.independence.independence`.
    correlations, largest_correlations : DataFrame
        See `gnbbench.assumptions.correlations`.
    normality : DataFrame
        One row a class and feature; see `gnbbench.assumptions.normality.normality`.
    histograms, densities, quantile_points : DataFrame
        See `gnbbench.assumptions.shapes`.
    costs, differences, runs : DataFrame
        Accuracy and log loss of GNB and of models without one assumption, model minus GNB,
        and the same run by run; see `gnbbench.assumptions.costs.Costs`.
    notes : tuple of str
        What a reader must know, one sentence each.
    """

    dataset: str
    feature_names: tuple[str, ...]
    class_names: tuple[str, ...]
    n_samples: int
    n_runs: int
    n_train: int
    n_test: int
    seed: int
    verdicts: tuple[AssumptionVerdict, ...]
    independence: pd.DataFrame
    correlations: pd.DataFrame
    largest_correlations: pd.DataFrame
    normality: pd.DataFrame
    histograms: pd.DataFrame
    densities: pd.DataFrame
    quantile_points: pd.DataFrame
    costs: pd.DataFrame
    differences: pd.DataFrame
    runs: pd.DataFrame
    notes: tuple[str, ...]
