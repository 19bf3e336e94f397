"""Moments of groups of rows: many at once and group by group, with the same bits."""

import numpy as np
import pytest

from gnbbench.core import moments
from gnbbench.core.moments import block_moments


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("weighted", [False, True])
def test_few_values_and_many_are_centred_to_the_same_bits(
    order: str, weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    codes = np.sort(rng.integers(0, 7, 200))
    X = np.array(rng.normal(1e6, 1.0, (200, 5)), order="C" if order == "C" else "F")
    weights = rng.random(200) if weighted else None
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    given = (X, np.arange(200), starts, weights)

    monkeypatch.setattr(moments, "REPEATED_VALUES", X.size)
    few = block_moments(*given)
    monkeypatch.setattr(moments, "REPEATED_VALUES", X.size - 1)
    many = block_moments(*given)

    for table in ("weight", "mean", "mean_rest", "squares"):
        assert getattr(few, table).tobytes() == getattr(many, table).tobytes()


def test_rows_centred_on_another_group_would_be_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X = np.random.default_rng(0).normal(size=(30, 2))
    given = (X, np.arange(30), np.array([0, 10]))
    right = block_moments(*given)
    centre = moments._centre
    monkeypatch.setattr(
        moments, "_centre", lambda rows, mean, bounds: centre(rows, mean[::-1], bounds)
    )

    assert block_moments(*given).squares.tobytes() != right.squares.tobytes()
