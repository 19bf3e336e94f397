from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.contingency_tables import mcnemar

from gnbbench.records import Records
from gnbbench.statistics.agreement import agreement, row_bound
from gnbbench.statistics.metrics import SplitSizes

SIZES = SplitSizes(105, 45)


def _row(records: Records, name: str = "numpy") -> Any:
    names = records.plan["against"]
    table = agreement(records, names, SIZES, n_rows=149)
    assert table["implementation"].tolist() == names
    return table.set_index("implementation").loc[name]


def test_counts_are_those_of_the_labels(
    random_study: Callable[..., Any], records_of: Callable[..., Records]
) -> None:
    study = random_study(changed={"numpy": 0.05}, n_runs=30)
    differ = study.labels["numpy"] != study.labels["sklearn"]

    row = _row(records_of(study))

    assert row["predictions"] == 30 * 45
    assert row["disagreements"] == differ.sum() > 0
    assert row["agreement"] == pytest.approx(1 - differ.mean())
    assert row["exact_runs"] == (~differ.any(axis=1)).sum()
    assert row["disputed_rows"] == np.unique(study.rows[differ]).size
    assert np.isnan(row["row_bound"])


def test_kappa_is_that_of_the_pooled_labels(
    random_study: Callable[..., Any], records_of: Callable[..., Records]
) -> None:
    study = random_study(changed={"numpy": 0.2})
    expected = cohen_kappa_score(
        study.labels["sklearn"].ravel(), study.labels["numpy"].ravel()
    )

    assert _row(records_of(study))["kappa"] == pytest.approx(expected, rel=1e-12)


def test_a_label_that_is_none_of_the_classes_counts_in_kappa(
    random_study: Callable[..., Any], records_of: Callable[..., Records]
) -> None:
    study = random_study(changed={"numpy": 0.2})
    strange = np.where(study.labels["numpy"] == 2, -1, study.labels["numpy"])
    labels = {"sklearn": study.labels["sklearn"], "numpy": strange}
    expected = cohen_kappa_score(labels["sklearn"].ravel(), strange.ravel())

    assert _row(records_of(study, labels=labels))["kappa"] == pytest.approx(expected)


def test_mcnemar_is_of_run_0_and_never_pooled(
    random_study: Callable[..., Any], records_of: Callable[..., Records]
) -> None:
    study = random_study(changed={"numpy": 0.2}, n_runs=20)
    right = {name: codes == study.truth for name, codes in study.labels.items()}
    first = (right["sklearn"] & ~right["numpy"])[0].sum()
    second = (~right["sklearn"] & right["numpy"])[0].sum()
    exact = mcnemar([[0, first], [second, 0]], exact=True).pvalue
    pooled = mcnemar([[0, 20 * first], [20 * second, 0]], exact=True).pvalue

    p = _row(records_of(study))["mcnemar_p"]

    assert 0.499 * exact < p < exact
    assert p > 100 * pooled


def test_mcnemar_is_nan_where_run_0_failed(
    random_study: Callable[..., Any], records_of: Callable[..., Records]
) -> None:
    study = random_study(changed={"numpy": 0.2})

    assert not np.isnan(_row(records_of(study))["mcnemar_p"])
    assert np.isnan(_row(records_of(study, failed={"numpy": [0]}))["mcnemar_p"])


@pytest.mark.parametrize(("n_runs", "rows"), [(1, 45), (20, 149), (200, 149)])
def test_bound_counts_the_rows_tested_and_not_the_runs(
    random_study: Callable[..., Any],
    records_of: Callable[..., Records],
    n_runs: int,
    rows: int,
) -> None:
    row = _row(records_of(random_study(n_runs=n_runs)))

    assert row["row_bound"] == pytest.approx(row_bound(rows), rel=1e-12)


def test_probability_differences_are_over_all_compared_probabilities(
    random_study: Callable[..., Any], records_of: Callable[..., Records]
) -> None:
    study = random_study(changed={"numpy": 0.1})
    gap = np.abs(study.probabilities["numpy"] - study.probabilities["sklearn"])

    row = _row(records_of(study))

    assert row["max_probability_difference"] == gap.max()
    assert row["mean_probability_difference"] == pytest.approx(gap.mean(), rel=1e-12)
    assert np.isnan(row["max_joint_log_likelihood_difference"])


def test_mean_differences_weigh_runs_by_their_samples(
    random_study: Callable[..., Any], records_of: Callable[..., Records]
) -> None:
    records = records_of(random_study(changed={"numpy": 0.1}, n_runs=3))
    pairs = records.pairs.assign(
        n_test=[10, 30, 60],
        mean_probability_difference=[0.5, 0.1, np.nan],
    )

    row = _row(replace(records, pairs=pairs))

    assert row["mean_probability_difference"] == pytest.approx((5 + 3) / 40)


def test_without_probabilities_their_differences_are_nan(
    random_study: Callable[..., Any], records_of: Callable[..., Records]
) -> None:
    row = _row(records_of(random_study(with_probabilities=False)))

    assert np.isnan(row["max_probability_difference"])
    assert row["agreement"] == 1.0


def test_without_a_compared_run_everything_is_zero_or_nan(
    random_study: Callable[..., Any], records_of: Callable[..., Records]
) -> None:
    row = _row(records_of(random_study(n_runs=3), failed={"numpy": range(3)}))

    counts = [
        "predictions",
        "disagreements",
        "exact_runs",
        "compared_runs",
        "disputed_rows",
    ]
    assert (row[counts] == 0).all()
    assert row[["agreement", "row_bound", "kappa", "mcnemar_p"]].isna().all()
