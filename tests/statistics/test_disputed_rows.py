from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnbbench.records import Records
from gnbbench.statistics.labels import NO_CLASS, disputed_rows, vote_shares

LABELS = {0: "setosa", 1: "versicolor", 2: "virginica", -1: NO_CLASS}


def _disputed(records: Records) -> pd.DataFrame:
    return disputed_rows(
        records.disagreements,
        records.votes,
        LABELS,
        reference="sklearn",
        competitors=tuple(records.plan["against"]),
    )


def test_rows_and_counts_are_those_of_the_labels(
    random_study: Callable[..., Any], records_of: Callable[..., Records]
) -> None:
    study = random_study(changed={"numpy": 0.1}, n_runs=40)
    differ = study.labels["numpy"] != study.labels["sklearn"]

    table = _disputed(records_of(study)).set_index("row")

    assert sorted(table.index) == np.unique(study.rows[differ]).tolist()
    for row, found in table.iterrows():
        assert found["tested"] == (study.rows == row).sum()
        assert found["disputed"] == (differ & (study.rows == row)).sum()
        assert found["truth"] == LABELS[study.truth[study.rows == row][0]]
    assert table["disputed"].is_monotonic_decreasing


def test_votes_worked_out_by_hand(records_of: Callable[..., Records], made: Any) -> None:
    """One row tested in four runs, disputed in the last."""
    table = _disputed(records_of(made))

    assert len(table) == 1
    row = table.iloc[0]
    assert (row["row"], row["truth"], row["tested"], row["disputed"]) == (
        7,
        "virginica",
        4,
        1,
    )
    assert row["votes"] == "virginica 75 %, versicolor 25 %"
    assert row["reference_votes"] == "virginica 100 %"
    assert row["smallest_margin"] == pytest.approx(0.1)


@pytest.fixture
def made(random_study: Callable[..., Any]) -> Any:
    study = random_study(n_runs=4, n_test=1)
    twos = np.full((4, 1), 2)
    labels = {"sklearn": twos, "numpy": np.array([[2], [2], [2], [1]])}
    probabilities = {"sklearn": np.tile([0.0, 0.45, 0.55], (4, 1, 1))}
    return type(study)(twos, np.full((4, 1), 7), labels, probabilities)


def test_margin_is_the_smallest_over_the_disputes(
    records_of: Callable[..., Records], made: Any
) -> None:
    labels = {**made.labels, "numpy": np.array([[1], [2], [2], [1]])}
    probabilities = np.array([[[0.0, 0.3, 0.7]], *[[[0.0, 0.45, 0.55]]] * 3])

    table = _disputed(
        records_of(made, labels=labels, probabilities={"sklearn": probabilities})
    )

    assert table["smallest_margin"].tolist() == pytest.approx([0.1])


def test_margin_is_nan_without_probabilities(
    records_of: Callable[..., Records], made: Any
) -> None:
    table = _disputed(records_of(made, probabilities={}))

    assert np.isnan(table["smallest_margin"].iloc[0])


def test_an_unknown_label_is_named(records_of: Callable[..., Records], made: Any) -> None:
    labels = {**made.labels, "numpy": np.full((4, 1), -1)}

    table = _disputed(records_of(made, labels=labels))

    assert table["votes"].tolist() == [f"{NO_CLASS} 100 %"]


def test_where_votes_were_not_recorded_nothing_is_guessed(
    records_of: Callable[..., Records], made: Any
) -> None:
    records = records_of(made)

    table = disputed_rows(
        records.disagreements,
        records.votes.iloc[:0],
        LABELS,
        reference="sklearn",
        competitors=("numpy",),
    )

    assert table["disputed"].tolist() == [1]
    assert table["tested"].isna().all()
    assert table["votes"].tolist() == [""]


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({"a": 3, "b": 97}, "b 97 %, a 3 %"),
        ({"a": 10, "b": 0}, "a 100 %"),
        ({"a": 999, "b": 1}, "a >99 %, b <1 %"),
        ({"b": 1, "a": 1}, "b 50 %, a 50 %"),
        ({}, ""),
    ],
)
def test_shares_in_words(counts: dict[str, int], expected: str) -> None:
    assert vote_shares(counts) == expected
