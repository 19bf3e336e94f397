from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import confusion_matrix

from gnbbench.records import Records
from gnbbench.statistics.labels import NO_CLASS, confusion, label_names, label_pairs

NAMES = ("a", "b", "c")
LABELS = dict(enumerate(NAMES))


def _square(
    table: pd.DataFrame, index: str, name: str, column: str = "count"
) -> np.ndarray:
    own = table[table["implementation"] == name]
    wide = own.pivot_table(index=index, columns="label", values=column, sort=False)
    return np.asarray(wide.to_numpy())


def test_confusion_is_that_of_scikit_learn(
    random_study: Callable[..., Any], records_of: Callable[..., Records]
) -> None:
    study = random_study(changed={"numpy": 0.3})
    truth, given = study.truth.ravel(), study.labels["numpy"].ravel()

    table = confusion(records_of(study).confusion, ["sklearn", "numpy"], NAMES, LABELS)

    assert (
        _square(table, "truth", "numpy").tolist() == confusion_matrix(truth, given).tolist()
    )
    shares = confusion_matrix(truth, given, normalize="true")
    assert _square(table, "truth", "numpy", "share") == pytest.approx(shares)


def test_label_pairs_are_the_confusion_of_the_reference_with_the_competitor(
    random_study: Callable[..., Any], records_of: Callable[..., Records]
) -> None:
    study = random_study(changed={"numpy": 0.3})
    expected = confusion_matrix(
        study.labels["sklearn"].ravel(), study.labels["numpy"].ravel()
    )

    table = label_pairs(records_of(study).label_pairs, ["numpy"], LABELS)

    assert _square(table, "reference_label", "numpy").tolist() == expected.tolist()
    assert expected.tolist() != expected.T.tolist()


def test_every_cell_is_there_also_for_an_implementation_without_labels() -> None:
    counts = pd.DataFrame(
        {"implementation": ["x"], "truth": [0], "label": [1], "count": [4]}
    )

    table = confusion(counts, ["x", "y"], NAMES, LABELS)

    assert len(table) == 18
    assert table["count"].sum() == 4
    assert table.loc[table["implementation"] == "y", "share"].isna().all()


def test_a_class_never_tested_has_no_share() -> None:
    counts = pd.DataFrame(
        {"implementation": ["x"], "truth": [0], "label": [1], "count": [4]}
    )

    table: Any = confusion(counts, ["x"], NAMES, LABELS).set_index(["truth", "label"])

    assert table.loc[("a", "b"), "share"] == 1.0
    assert table.loc[("a", "a"), "share"] == 0.0
    assert np.isnan(table.loc[("c", "a"), "share"])


def test_an_unknown_label_has_a_column_of_its_own_but_no_row() -> None:
    counts = pd.DataFrame(
        {"implementation": ["x"], "truth": [0], "label": [-1], "count": [4]}
    )
    labels = label_names(NAMES, counts)

    table = confusion(counts, ["x"], NAMES, labels)

    assert table["label"].unique().tolist() == [*NAMES, NO_CLASS]
    assert NO_CLASS not in set(table["truth"])
    assert table.set_index(["truth", "label"]).loc[("a", NO_CLASS), "count"] == 4


def test_no_extra_column_where_all_labels_are_known() -> None:
    known = pd.DataFrame({"label": [0, 1], "reference_label": [2, 2]})
    strange = pd.DataFrame({"label": [0, 1], "reference_label": [2, -1]})

    assert label_names(NAMES, known) == LABELS
    assert label_names(NAMES, known, strange)[-1] == NO_CLASS


def test_an_empty_table_gives_zeros() -> None:
    counts = pd.DataFrame(columns=["implementation", "reference_label", "label", "count"])

    table = label_pairs(counts, ["x"], LABELS)

    assert table["count"].tolist() == [0] * 9
