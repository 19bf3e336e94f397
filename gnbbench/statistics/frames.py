"""The tables of a Summary as one long table."""

import pandas as pd

COLUMNS = ("implementation", "metric", "mean", "spread", "low", "high", "runs")


def long_frame(
    metrics: pd.DataFrame,
    agreement: pd.DataFrame,
    differences: pd.DataFrame,
    timing: pd.DataFrame,
    ratios: pd.DataFrame,
) -> pd.DataFrame:
    """Return one row per implementation and number, whatever table it came from."""
    agreed = agreement.melt(id_vars="implementation", var_name="metric", value_name="mean")
    compared = agreement.set_index("implementation")["compared_runs"]
    parts = [
        metrics,
        differences.assign(metric=differences["metric"] + "_difference"),
        agreed.assign(runs=agreed["implementation"].map(compared)),
        _seconds(timing),
        ratios.rename(columns={"ratio": "mean"}).assign(
            metric=ratios["operation"] + "_ratio"
        ),
    ]
    tables = [part.reindex(columns=list(COLUMNS)) for part in parts if not part.empty]
    numbers = dict.fromkeys(COLUMNS[2:], "float64")
    return pd.concat([table.astype(numbers) for table in tables], ignore_index=True)


def _seconds(timing: pd.DataFrame) -> pd.DataFrame:
    renamed = timing.rename(
        columns={
            "mean_seconds": "mean",
            "standard_deviation_seconds": "spread",
            "rounds": "runs",
        }
    )
    return renamed.assign(metric=timing["operation"] + "_seconds")
