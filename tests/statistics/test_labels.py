"""Tables of labels, scores of classes, rows in dispute, confidence against accuracy."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from faults.invented import random_study, records_of
from sklearn.metrics import precision_recall_fscore_support

from gnbbench.records import Records
from gnbbench.statistics import labels as of_labels
from gnbbench.statistics.intervals import wilson_interval
from gnbbench.statistics.metrics import SplitSizes

NAMES = ("a", "b", "c")
LABELS = dict(enumerate(NAMES))


def _cells(label: int) -> pd.DataFrame:
    """Return the confusion of one that gave four samples of class 0 this label."""
    cell = {"implementation": "x", "truth": 0, "label": label, "count": 4}
    return pd.DataFrame([cell])


def test_every_cell_is_there_and_has_a_share_where_something_was_tested() -> None:
    table = of_labels.confusion(_cells(1), ["x", "y"], NAMES, LABELS)

    assert len(table) == 18
    assert table["count"].sum() == 4
    assert table.loc[table["implementation"] == "y", "share"].isna().all()
    cells: Any = table[table["implementation"] == "x"].set_index(["truth", "label"])
    assert cells.loc[("a", "b"), "share"] == 1.0
    assert cells.loc[("a", "a"), "share"] == 0.0
    assert np.isnan(cells.loc[("c", "a"), "share"])
    counts = pd.DataFrame(columns=["implementation", "reference_label", "label", "count"])
    assert of_labels.label_pairs(counts, ["x"], LABELS)["count"].tolist() == [0] * 9


def test_an_unknown_label_has_its_own_column_but_no_row() -> None:
    counts = _cells(-1)

    table = of_labels.confusion(counts, ["x"], NAMES, of_labels.label_names(NAMES, counts))

    assert table["label"].unique().tolist() == [*NAMES, of_labels.NO_CLASS]
    assert of_labels.NO_CLASS not in set(table["truth"])
    assert table.set_index(["truth", "label"]).loc[("a", of_labels.NO_CLASS), "count"] == 4


SCORES = ["precision", "recall", "f1", "support"]


def _scores(records: Records, name: str = "numpy") -> np.ndarray:
    labels = of_labels.label_names(NAMES, records.confusion)
    cells = of_labels.confusion(records.confusion, ["sklearn", name], NAMES, labels)
    table = of_labels.class_scores(cells)
    own = table[table["implementation"] == name]
    assert own["class_name"].tolist() == list(NAMES)
    return np.asarray(own[SCORES].to_numpy(dtype=float))


@pytest.mark.parametrize("strange", [2, -1])
def test_agrees_with_scikit_learn(strange: int) -> None:
    """Also where some labels are none of the classes."""
    study = random_study(changed={"numpy": 0.4})
    given = np.where(study.labels["numpy"] == 2, strange, study.labels["numpy"])
    labels = {"sklearn": study.labels["sklearn"], "numpy": given}
    expected = precision_recall_fscore_support(
        study.truth.ravel(), given.ravel(), labels=[0, 1, 2], zero_division=0
    )

    scores = _scores(records_of(study, labels=labels))

    assert scores == pytest.approx(np.transpose(expected))
    assert scores[:, 0] != pytest.approx(expected[1])


def test_a_class_never_predicted_has_precision_0() -> None:
    study = random_study()
    labels = {"sklearn": study.labels["sklearn"], "numpy": np.zeros_like(study.truth)}

    scores = _scores(records_of(study, labels=labels))

    assert scores[1:, :3].tolist() == [[0, 0, 0], [0, 0, 0]]
    assert scores[0, 1] == 1.0


def test_without_predictions_scores_are_nan() -> None:
    scores = _scores(records_of(random_study(n_runs=2), failed={"numpy": [0, 1]}))

    assert np.isnan(scores[:, :3]).all()
    assert (scores[:, 3] == 0).all()


LABEL_NAMES = {0: "setosa", 1: "versicolor", 2: "virginica", -1: of_labels.NO_CLASS}


def _disputed(records: Records) -> pd.DataFrame:
    return of_labels.disputed_rows(
        records.disagreements,
        records.votes,
        LABEL_NAMES,
        reference="sklearn",
        competitors=tuple(records.plan["against"]),
    )


def test_votes_worked_out_by_hand(made: Any) -> None:
    """One row tested in four runs, disputed in the last."""
    (row,) = _disputed(records_of(made)).to_dict("records")

    assert row.pop("smallest_margin") == pytest.approx(0.1)
    assert row == {
        "implementation": "numpy",
        "row": 7,
        "truth": "virginica",
        "tested": 4,
        "disputed": 1,
        "votes": "virginica: 75 %, versicolor: 25 %",
        "reference_votes": "virginica: 100 %",
    }


@pytest.fixture
def made() -> Any:
    study = random_study(n_runs=4, n_test=1)
    twos = np.full((4, 1), 2)
    labels = {"sklearn": twos, "numpy": np.array([[2], [2], [2], [1]])}
    probabilities = {"sklearn": np.tile([0.0, 0.45, 0.55], (4, 1, 1))}
    return type(study)(twos, np.full((4, 1), 7), labels, probabilities)


def test_without_probabilities_is_no_margin_and_unknown_labels_are_named(made: Any) -> None:
    labels = {**made.labels, "numpy": np.full((4, 1), -1)}

    table = _disputed(records_of(made, labels=labels, probabilities={}))

    assert np.isnan(table["smallest_margin"].iloc[0])
    assert table["votes"].tolist() == [f"{of_labels.NO_CLASS}: 100 %"]


def test_without_recorded_votes_nothing_is_guessed(made: Any) -> None:
    records = records_of(made)

    table = _disputed(replace(records, votes=records.votes.iloc[:0]))

    assert table["disputed"].tolist() == [1]
    assert table["tested"].isna().all()
    assert table["votes"].tolist() == [""]


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({"a": 3, "b": 97}, "b: 97 %, a: 3 %"),
        ({"a": 10, "b": 0}, "a: 100 %"),
        ({"a": 999, "b": 1}, "a: >99 %, b: <1 %"),
        ({"b": 1, "a": 1}, "b: 50 %, a: 50 %"),
        ({}, ""),
    ],
)
def test_shares_in_words(counts: dict[str, int], expected: str) -> None:
    assert of_labels.vote_shares(counts) == expected


SIZES = SplitSizes(105, 45)


def _bins(**columns: list[int]) -> pd.DataFrame:
    return pd.DataFrame({"implementation": "numpy", **columns})


def test_band_does_not_narrow_with_more_splits_of_the_same_rows() -> None:
    bins = _bins(bin=[14], count=[45000], right=[40000], confidence_nano=[44000 * 10**9])

    row = of_labels.reliability(bins, ["numpy"], SIZES, n_rows=150).iloc[0]

    assert (row["accuracy_low"], row["accuracy_high"]) == wilson_interval(133, 150)
    narrow_low, narrow_high = wilson_interval(40000, 45000)
    assert row["accuracy_high"] - row["accuracy_low"] > 10 * (narrow_high - narrow_low)


@pytest.mark.parametrize("count", [1, 3, 500, 44_999])
def test_band_holds_the_accuracy(count: int) -> None:
    for right in (0, 1, count // 2, count):
        bins = _bins(
            bin=[9, 14],
            count=[count, 45_000 - count],
            right=[right, 0],
            confidence_nano=[count * 630_000_000, 0],
        )

        row = of_labels.reliability(bins, ["numpy"], SIZES, n_rows=150).iloc[0]

        assert row["accuracy_low"] <= row["accuracy"] <= row["accuracy_high"]
