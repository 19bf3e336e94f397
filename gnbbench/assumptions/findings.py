"""The one value that an examination of the assumptions hands to reports."""

from dataclasses import dataclass
from typing import Literal

import pandas as pd

Grade = Literal["strongly broken", "broken", "slightly broken", "tenable", "not tested"]


@dataclass(frozen=True)
class AssumptionVerdict:
    """What is concluded of one assumption, effect size first."""

    # Features independent within a class, or each normal within a class
    assumption: Literal["naive", "normal"]
    # By the largest effect among the classes (or features) whose test rejects; tenable
    # where none does
    grade: Grade
    sentence: str  # Grade, effect and cost
    detail: str  # The tests and the intervals behind it


@dataclass(frozen=True, eq=False)
class Assumptions:
    """Everything a report may show of the assumptions on one dataset.

    All tables are tidy DataFrames with a plain RangeIndex, in the order of classes and
    features; what is not defined is NaN.
    """

    dataset: str
    feature_names: tuple[str, ...]
    class_names: tuple[str, ...]
    n_samples: int
    n_runs: int  # The splits are those of every study with this seed
    n_train: int
    n_test: int
    seed: int
    verdicts: tuple[AssumptionVerdict, ...]  # The naive assumption, then the normal one
    # One row a class; see `gnbbench.assumptions.independence.independence`
    independence: pd.DataFrame
    correlations: pd.DataFrame  # See `gnbbench.assumptions.independence`
    largest_correlations: pd.DataFrame  # See `gnbbench.assumptions.independence`
    # One row a class and feature; see `gnbbench.assumptions.normality.normality`
    normality: pd.DataFrame
    histograms: pd.DataFrame  # See `gnbbench.assumptions.normality`
    densities: pd.DataFrame  # See `gnbbench.assumptions.normality`
    quantile_points: pd.DataFrame  # See `gnbbench.assumptions.normality`
    # Accuracy and log loss of GNB and of models without one assumption, model minus GNB,
    # and the same run by run; see `gnbbench.assumptions.costs.Costs`
    costs: pd.DataFrame
    differences: pd.DataFrame
    runs: pd.DataFrame
    notes: tuple[str, ...]  # What a reader must know, one sentence each
