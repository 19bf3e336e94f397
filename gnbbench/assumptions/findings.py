"""What an examination of the assumptions finds, and the summary that reports read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from gnbbench.assumptions.costs import GNB, KERNEL, MODELS, QDA, YEO_JOHNSON
from gnbbench.statistics.schema import TABLES, columns_of
from gnbbench.statistics.summary import DatasetDescription, Summary, Verdict
from gnbbench.words import plural

Grade = Literal["strongly broken", "broken", "slightly broken", "tenable", "not tested"]

# Assumption -> the model without it.
WITHOUT = {"naive": QDA, "normal": YEO_JOHNSON}
# Table, keys and measures that a notebook gets a row each of.
_MEASURES = {
    "naive": (
        "independence",
        "class_name",
        "max_abs_r mean_abs_r max_abs_spearman mean_abs_spearman total_correlation p_holm "
        "max_dependence p_permutation",
    ),
    "normal": (
        "normality",
        "class_name feature",
        "qq_correlation skewness excess_kurtosis p_holm",
    ),
}


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
    """What was found of the assumptions on one dataset, as a study keeps it.

    All tables are tidy DataFrames with a plain RangeIndex, in the order of classes and
    features; what is not defined is NaN. `gnbbench.statistics.schema` has their columns.
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
    notes: tuple[str, ...]  # What a reader must know, one sentence each


def summarize_assumptions(
    found: Assumptions,
    *,
    data: DatasetDescription,
    plan: Mapping[str, Any],
    environment: Mapping[str, Any],
    command: str,
) -> Summary:
    """Return everything a report may show of the assumptions."""
    sizes = pd.DataFrame(
        [(found.n_runs, found.n_train, found.n_test)], columns=["runs", "n_train", "n_test"]
    )
    # Studies stored by earlier versions lack columns that came later.
    tables = {
        name: getattr(found, name).reindex(columns=columns_of("assumptions", name))
        for name in TABLES["assumptions"]
    }
    reference, *_ = models = tuple(model.name for model in MODELS)
    return Summary(
        study="assumptions",
        command=command,
        headline=headline(found.verdicts, found.differences, found.costs),
        plan=plan,
        environment=environment,
        reference=reference,
        implementations=models,
        tables={"points": sizes, **tables},
        verdicts=tuple(
            Verdict(verdict.assumption, verdict.grade, verdict.sentence, verdict.detail)
            for verdict in found.verdicts
        ),
        warnings=found.notes,
        data=data,
        details={
            "correlation": plan["correlation"],
            "feature_names": found.feature_names,
            # In the document they have names of their own.
            "verdicts": found.verdicts,
        },
    )


def headline(
    verdicts: tuple[AssumptionVerdict, ...], differences: pd.DataFrame, costs: pd.DataFrame
) -> str:
    """Return both grades and whether they cost anything, in one sentence."""
    naive, normal = (verdict.grade for verdict in verdicts)
    if naive == normal == "not tested":
        grades = "Neither assumption is tested"
    elif naive == normal:
        grades = f"Both assumptions are {naive}"
    else:
        grades = f"The naive assumption is {naive}, the normal one {normal}"
    losses = differences[differences["metric"] == "log_loss"]
    less = losses[(losses["outcome"] == "different") & (losses["mean"] < 0)]
    better = set(less["implementation"])
    costly = [name for name, model in WITHOUT.items() if model in better]
    # It drops both assumptions: its gain is the cost of one that does not hold.
    if "naive" not in costly and KERNEL in better and "broken" in naive:
        costly.insert(0, "naive")
    if not costly:
        means = costs[costs["metric"] == "log_loss"].set_index("implementation")["mean"]
        pair = f"{QDA}: log loss {means[QDA]:.3f} against {means[GNB]:.3f}"
        found = f"demonstrated in {plural(int(losses['runs'].max()), 'run')} ({pair})"
        return f"{grades}; no cost could be {found}."
    broken = f"the {costly[0]} one" if len(costly) == 1 else "either"
    return f"{grades}; breaking {broken} costs log loss."


def numbers(summary: Summary) -> pd.DataFrame:
    """Return one row a number, whatever table it came from."""
    parts = [
        summary.table(table)
        .melt(keys.split(), measures.split(), "measure", "value")
        .assign(about=about)
        for about, (table, keys, measures) in _MEASURES.items()
    ]
    names = {"implementation": "model", "metric": "measure", "mean": "value"}
    parts += [
        summary.table(table).rename(columns=names).assign(about=about)
        for about, table in (("cost", "costs"), ("difference from GNB", "differences"))
    ]
    named = ["class_name", "feature", "model"]
    columns = ["about", *named, "measure", "value", "low", "high"]
    table = pd.concat(parts, ignore_index=True).reindex(columns=columns)
    return table.assign(**{name: table[name].fillna("") for name in named})
