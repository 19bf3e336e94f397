import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from gnbbench.statistics.agreement import mcnemar_mid_p

counts = st.integers(0, 300)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (1, 0, 0.5),  # 2 x 1/2 - 1/2
        (1, 1, 0.75),  # 1 - (1/2) / 2
        (1, 7, 0.0390625),  # 2 x 9/256 - 8/256
        (2, 5, 0.2890625),  # 2 x 29/128 - 21/128
    ],
)
def test_worked_out_by_hand(first: int, second: int, expected: float) -> None:
    assert mcnemar_mid_p(first, second) == pytest.approx(expected, rel=1e-12)


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


@given(counts, counts)
def test_order_does_not_matter_and_p_is_a_probability(first: int, second: int) -> None:
    assume(first + second > 0)

    p = mcnemar_mid_p(first, second)

    assert p == mcnemar_mid_p(second, first)
    assert 0 < p <= 1


def test_no_discordant_pair_gives_no_p_value() -> None:
    assert math.isnan(mcnemar_mid_p(0, 0))
