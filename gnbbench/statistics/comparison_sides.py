"""One of two studies that are compared, from its records or its ``summary.json``."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from gnbbench.statistics.metrics import SplitSizes

METRIC_COLUMNS = ("point", "implementation", "metric", "mean", "low", "high", "runs")
_COMPARE_POINT = "all"


@dataclass(frozen=True)
class Side:
    """What a comparison needs to know of a study."""

    name: str  # What it is called, such as its directory
    study: str  # Kind of study
    plan: Mapping[str, Any]  # As recorded
    environment: Mapping[str, Any]  # As recorded
    reference: str
    implementations: tuple[str, ...]  # The reference first
    margin: float
    n_runs: int  # Runs at each point
    # Per point: "all" of a compare study, or the train fraction as text
    sizes: Mapping[str, SplitSizes]
    # Columns `METRIC_COLUMNS`. Beside the metrics of the summary ``agreement`` (share of
    # equal labels) and ``evaluated_runs`` (share of the runs), without an interval.
    metrics: pd.DataFrame
    timing: pd.DataFrame  # As in `gnbbench.statistics.summary.Summary`
    ratios: pd.DataFrame  # As in `gnbbench.statistics.summary.Summary`
    # Single runs: ``point`` and the columns of the summary's table; None where only the
    # summary is known
    runs: pd.DataFrame | None
    # As in `gnbbench.statistics.summary.Summary`; empty where it is not known
    timing_plan: Mapping[str, Any] = field(default_factory=dict)


def side(name: str, fields: Mapping[str, Any], runs: pd.DataFrame | None = None) -> Side:
    """Return a study as a side of a comparison."""
    is_sweep = fields["study"] == "sweep-split"
    sizes = _sweep_sizes(fields) if is_sweep else _compare_sizes(fields)
    metrics = _sweep_metrics(fields, sizes) if is_sweep else _compare_metrics(fields)
    n_runs = int(fields["n_runs"])
    if runs is not None:
        points = runs["fraction"].map(str) if is_sweep else _COMPARE_POINT
        runs = runs.assign(point=points)
    return Side(
        name=name,
        study=fields["study"],
        plan=fields["plan"],
        environment=fields["environment"],
        reference=fields["reference"],
        implementations=tuple(fields["implementations"]),
        margin=float(fields["margin"]),
        n_runs=n_runs,
        sizes=sizes,
        metrics=_numbers(pd.concat([metrics, _evaluated(metrics, n_runs)])),
        timing=_table(fields["timing"]),
        ratios=_table(fields["ratios"]),
        runs=runs,
        timing_plan=fields.get("timing_plan") or {},
    )


def _table(given: Any) -> pd.DataFrame:
    """Return a table; text for an infinite number and null become numbers."""
    if isinstance(given, pd.DataFrame):
        return given
    table = pd.DataFrame(list(given))
    return table.replace({"Infinity": float("inf"), "-Infinity": float("-inf")})


def _compare_sizes(fields: Mapping[str, Any]) -> dict[str, SplitSizes]:
    return {_COMPARE_POINT: SplitSizes(int(fields["n_train"]), int(fields["n_test"]))}


def _sweep_sizes(fields: Mapping[str, Any]) -> dict[str, SplitSizes]:
    # A fraction without a split has no sizes; nothing is ever divided by these zeros.
    table = _table(fields["fractions_table"]).fillna({"n_train": 0, "n_test": 0})
    return {
        str(row["fraction"]): SplitSizes(int(row["n_train"]), int(row["n_test"]))
        for row in table.to_dict("records")
    }


def _compare_metrics(fields: Mapping[str, Any]) -> pd.DataFrame:
    agreed = _table(fields["agreement"])
    agreed = agreed.assign(metric="agreement", mean=agreed["agreement"])
    agreed = agreed.assign(runs=agreed["compared_runs"])
    return _joined(_table(fields["metrics"]), agreed).assign(point=_COMPARE_POINT)


def _sweep_metrics(
    fields: Mapping[str, Any], sizes: Mapping[str, SplitSizes]
) -> pd.DataFrame:
    agreed = _table(fields["agreement"])
    tested = agreed["fraction"].map(str).map(lambda point: sizes[point].n_test)
    share = 1 - agreed["mismatches_mean"].astype("float64") / tested
    agreed = agreed.assign(metric="agreement", mean=share, runs=agreed["compared_runs"])
    joined = _joined(_table(fields["accuracy"]), agreed)
    return joined.assign(point=joined["fraction"].map(str))


def _joined(metrics: pd.DataFrame, agreed: pd.DataFrame) -> pd.DataFrame:
    columns = ["fraction", *METRIC_COLUMNS[1:]]
    parts = [table.reindex(columns=columns) for table in (metrics, agreed)]
    numbers = dict.fromkeys(METRIC_COLUMNS[3:], "float64")
    return pd.concat([part.astype(numbers) for part in parts], ignore_index=True)


def _evaluated(metrics: pd.DataFrame, n_runs: int) -> pd.DataFrame:
    """Return the share of runs that gave an accuracy, so that failures are compared too."""
    tested = metrics[metrics["metric"] == "test_accuracy"]
    nan = float("nan")
    share = tested["runs"] / n_runs
    return tested.assign(
        metric="evaluated_runs", mean=share, low=nan, high=nan, runs=float(n_runs)
    )


def _numbers(metrics: pd.DataFrame) -> pd.DataFrame:
    return metrics[list(METRIC_COLUMNS)].reset_index(drop=True)
