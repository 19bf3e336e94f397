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
from statsmodels.stats.inter_rater import cohens_kappa

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

    assert _row(records_of(study, labels=labels))["kappa"] == pytest.approx(
        expected, rel=1e-12
    )


@pytest.mark.parametrize(("n_runs", "rows"), [(1, 45), (20, 149), (200, 149)])
def test_bound_counts_the_rows_tested_and_not_the_runs(n_runs: int, rows: int) -> None:
    row = _row(records_of(random_study(n_runs=n_runs)))

    assert row["row_bound"] == pytest.approx(row_bound(rows), rel=1e-12)


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


@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_scikit_learn_and_bit_for_bit_with_statsmodels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 4, size=200)
    second = np.where(rng.random(200) < 0.7, first, rng.integers(0, 4, size=200))
    counts = np.zeros((4, 4))
    np.add.at(counts, (first, second), 1)

    assert kappa(counts) == pytest.approx(cohen_kappa_score(first, second), rel=1e-12)
    assert kappa(counts) == cohens_kappa(counts, return_results=False)
    assert kappa(counts) != pytest.approx(np.mean(first == second), rel=1e-3)


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


@pytest.mark.parametrize("n_runs", [1, 4, 100])
def test_expected_number_of_tested_rows_equals_that_of_random_splits(n_runs: int) -> None:
    rng = np.random.default_rng(0)
    found = [
        np.unique([rng.permutation(150)[:45] for _ in range(n_runs)]).size
        for _ in range(300 if n_runs == 4 else 1)
    ]

    tolerance = 1 if n_runs == 4 else 0
    assert rows_tested(150, test_share=0.3, n_runs=n_runs) == pytest.approx(
        np.mean(found), abs=tolerance
    )


def _binned(decade: list[float | None], count: list[int]) -> pd.DataFrame:
    counts = pd.DataFrame({"implementation": "numpy", "decade": decade, "count": count})
    return probability_differences(counts, ["numpy"])


def test_bins_join_without_a_gap_up_to_1() -> None:
    table = _binned([-16.0, -3.0], [4, 2])

    assert table[["low", "high", "count"]].iloc[0].tolist() == [0, 0, 0]
    assert table["low"].tolist()[1:] == pytest.approx([10.0**d for d in range(-16, 0)])
    assert table["low"].tolist()[2:] == table["high"].tolist()[1:-1]
    assert table["high"].iloc[-1] == 1.0
    assert table["count"].sum() == 6


def test_differences_below_rounding_share_one_bin_of_their_own() -> None:
    """Decade -324 has no lower edge that is not 0 in double precision."""
    table = _binned([None, -324, -17, -16], [9, 1, 2, 4])

    first = [[0.0, 0.0, 9.0], [0.0, 1e-16, 3.0], [1e-16, 1e-15, 4.0]]
    assert table[["low", "high", "count"]].to_numpy().tolist()[:3] == first
    assert table["count"].sum() == 16
    assert len(table) == 18
