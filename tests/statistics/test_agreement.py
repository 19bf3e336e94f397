"""How far labels agree with the reference's, worked out by hand and by others."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from faults.invented import random_study, records_of
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.contingency_tables import mcnemar

from gnbbench.records import Records
from gnbbench.statistics.intervals import kappa, mcnemar_mid_p, row_bound, rows_tested
from gnbbench.statistics.labels import agreement, probability_differences
from gnbbench.statistics.metrics import SplitSizes

SIZES = SplitSizes(105, 45)


def _row(records: Records, name: str = "numpy") -> Any:
    names = records.plan["against"]
    table = agreement(records, names, SIZES, n_rows=149)
    assert table["implementation"].tolist() == names
    return table.set_index("implementation").loc[name]


@pytest.mark.parametrize("strange", [2, -1])
def test_kappa_equals_that_of_the_pooled_labels(strange: int) -> None:
    """Also where some labels are none of the classes."""
    study = random_study(changed={"numpy": 0.2})
    reference, codes = study.labels["sklearn"], study.labels["numpy"]
    labels = {"sklearn": reference, "numpy": np.where(codes == 2, strange, codes)}
    expected = cohen_kappa_score(reference.ravel(), labels["numpy"].ravel())

    found = _row(records_of(study, labels=labels))["kappa"]
    assert found == pytest.approx(expected, rel=1e-12)


def test_mean_differences_weigh_runs_by_their_samples() -> None:
    records = records_of(random_study(changed={"numpy": 0.1}, n_runs=3))
    pairs = records.pairs.assign(
        n_test=[10, 30, 60],
        mean_probability_difference=[0.5, 0.1, np.nan],
        mean_joint_log_likelihood_difference=[0.2, np.nan, 0.3],
        max_joint_log_likelihood_difference=[4.0, np.nan, 7.0],
    )

    row = _row(replace(records, pairs=pairs))

    assert row["mean_probability_difference"] == pytest.approx((5 + 3) / 40)
    assert row["mean_joint_log_likelihood_difference"] == pytest.approx((2 + 18) / 70)
    assert row["max_joint_log_likelihood_difference"] == 7.0


def test_missing_comparisons_are_zero_or_nan() -> None:
    labels_only = _row(records_of(random_study(with_probabilities=False)))
    row = _row(records_of(random_study(n_runs=3), failed={"numpy": range(3)}))

    assert np.isnan(labels_only["max_probability_difference"])
    assert labels_only["agreement"] == 1.0
    counts = ["predictions", "disagreements", "exact_runs", "compared_runs"]
    assert (row[[*counts, "disputed_rows"]] == 0).all()
    assert row[["agreement", "row_bound", "kappa", "mcnemar_p"]].isna().all()


@pytest.mark.parametrize("counts", [[[45]], [[7, 0], [0, 0]], np.zeros((0, 0))])
def test_is_undefined_where_chance_alone_agrees(counts: np.ndarray) -> None:
    assert math.isnan(kappa(counts))


counts = st.integers(0, 300)


@given(counts, counts)
def test_is_the_exact_p_value_of_statsmodels_less_the_chance_of_this_table(
    first: int, second: int
) -> None:
    assume(first + second > 0)
    table = [[3, first], [second, 4]]
    exact = mcnemar(table, exact=True).pvalue
    chance = stats.binom.pmf(first, first + second, 0.5)

    p = mcnemar_mid_p(first, second)

    taken = chance / 2 if first == second else chance
    assert p == pytest.approx(exact - taken, rel=1e-9, abs=1e-300)
    assert p != pytest.approx(exact, rel=1e-6, abs=0)
    assert p == mcnemar_mid_p(second, first)
    assert 0 < p <= 1


@pytest.mark.parametrize("n_found", [0, 1, 7])
@pytest.mark.parametrize("n_rows", [1, 45, 149, 569])
def test_bound_is_the_exact_one_sided_binomial_limit(n_rows: int, n_found: int) -> None:
    found = min(n_found, n_rows)
    exact = stats.binomtest(found, n_rows, alternative="less").proportion_ci(0.95).high

    assert row_bound(n_rows, found) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize(("n_runs", "tolerance"), [(1, 0), (4, 1), (100, 0)])
def test_tested_rows_are_as_many_as_of_random_splits(n_runs: int, tolerance: int) -> None:
    rng = np.random.default_rng(0)
    found = [
        np.unique([rng.permutation(150)[:45] for _ in range(n_runs)]).size
        for _ in range(1 + 300 * tolerance)
    ]

    expected = pytest.approx(np.mean(found), abs=tolerance)
    assert rows_tested(150, test_share=0.3, n_runs=n_runs) == expected


def _binned(decade: list[float | None], count: list[int]) -> pd.DataFrame:
    counts = pd.DataFrame({"implementation": "numpy", "decade": decade, "count": count})
    return probability_differences(counts, ["numpy"])


def test_differences_below_rounding_share_one_bin_of_their_own() -> None:
    """Decade -324 has no lower edge that is not 0 in double precision."""
    table = _binned([None, -324, -17, -16], [9, 1, 2, 4])

    first = [[0.0, 0.0, 9.0], [0.0, 1e-16, 3.0], [1e-16, 1e-15, 4.0]]
    assert table[["low", "high", "count"]].to_numpy().tolist()[:3] == first
    assert table["count"].sum() == 16
    assert len(table) == 18
