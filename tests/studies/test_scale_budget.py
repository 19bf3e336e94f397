"""Shares of a budget, and the cost of a visit, by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnbbench.studies.scale_budget import affordable, fair_shares, visit

BIG = 10**9


def test_a_quick_visit_has_twenty_rounds_and_a_slow_one_a_block() -> None:
    times = {"a": 1.0, "b": 0.5}

    rounds = [visit(times, "a", x_bytes=BIG, allowance=one).rounds for one in (1e3, 70, 1)]

    assert rounds == [20, 12, 4]


def test_rounds_are_whole_blocks_and_no_fewer_than_asked_for() -> None:
    alone = visit({"b": 1.0}, "a", x_bytes=BIG, allowance=1.0)
    with_three = visit({"a": 1.0, "b": 1.0, "c": 1.0}, "a", x_bytes=BIG, allowance=1.0)
    six = visit({"a": 1.0, "b": 1.0}, "a", x_bytes=BIG, allowance=1.0, fewest=6)

    assert (alone.rounds, with_three.rounds, six.rounds) == (4, 10, 8)


def test_the_reference_pays_for_the_null_competitor_too() -> None:
    found = visit(
        {"a": 1.0, "b": 1.0}, "a", x_bytes=BIG, allowance=1.0, further_seconds=2.0
    )

    assert found.seconds == {"a": 4 + 2 * 4 * 2 + 1.0, "b": 4 + 4 * 2 + 1.0}


def test_short_calls_are_counted_as_often_as_they_are_made() -> None:
    short = visit({"a": 1e-4}, "a", x_bytes=8, allowance=1e-9)

    assert short.seconds["a"] > 100 * 1e-4


@given(
    st.dictionaries(st.text(max_size=2), st.floats(0.0, 1e6), min_size=1, max_size=6),
    st.floats(0.0, 1e6),
)
def test_shares_are_fair(needs: dict[str, float], budget: float) -> None:
    shares = fair_shares(needs, budget)

    even = budget / len(needs)
    assert sum(shares.values()) == pytest.approx(budget, abs=1e-6)
    for name, need in needs.items():
        assert shares[name] >= min(need, even) * (1 - 1e-9) - 1e-9


def test_an_equal_split_would_not_be_fair() -> None:
    needs = {"a": 1.0, "b": 100.0}

    assert fair_shares(needs, 20.0) == {"a": 1.0, "b": 19.0}


def test_one_that_cannot_pay_for_the_next_point_stops_alone() -> None:
    costs = [{"a": 1.0, "b": 30.0}, {"a": 2.0, "b": 60.0}]

    assert affordable(costs, 20.0) == {"a": True, "b": False}
    assert affordable(costs, 40.0) == {"a": True, "b": True}
