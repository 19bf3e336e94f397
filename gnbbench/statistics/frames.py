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
    """Return one row per implementation and number, whatever table it came from.

    Parameters
    ----------
    metrics, agreement, differences, timing, ratios : DataFrame
        Tables of a Summary.

    Returns
    -------
    DataFrame
        Columns ``implementation``, ``metric``, ``mean``, ``spread``, ``low``, ``high``,
        ``runs``. Metrics of runs keep their names. A competitor's differences from the
        reference follow as ``test_accuracy_difference`` and so on, then the columns of
        the agreement table (in ``mean``), then per operation ``fit_seconds`` (``mean``
        and ``spread`` over timed calls, ``runs`` counts rounds) and ``fit_ratio``
        (``mean`` is the median ratio). What a row does not have is NaN.
    """
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
