from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support

from gnbbench.records import Records
from gnbbench.statistics.labels import class_scores, confusion, label_names

NAMES = ("a", "b", "c")
SCORES = ["precision", "recall", "f1", "support"]


def _scores(records: Records, name: str = "numpy") -> np.ndarray:
    labels = label_names(NAMES, records.confusion)
    cells = confusion(records.confusion, ["sklearn", name], NAMES, labels)
    table = class_scores(cells)
    own = table[table["implementation"] == name]
    assert own["class_name"].tolist() == list(NAMES)
    return np.asarray(own[SCORES].to_numpy(dtype=float))


@pytest.mark.parametrize("strange", [2, -1])
def test_agrees_with_scikit_learn(
    random_study: Callable[..., Any], records_of: Callable[..., Records], strange: int
) -> None:
    """Also where some labels are none of the classes."""
    study = random_study(changed={"numpy": 0.4})
    given = np.where(study.labels["numpy"] == 2, strange, study.labels["numpy"])
    labels = {"sklearn": study.labels["sklearn"], "numpy": given}
    expected = precision_recall_fscore_support(
        study.truth.ravel(), given.ravel(), labels=[0, 1, 2], zero_division=0
    )

    found = _scores(records_of(study, labels=labels))

    assert found == pytest.approx(np.transpose(expected))
    assert found[:, 0] != pytest.approx(expected[1])


def test_a_class_never_predicted_has_precision_0(
    random_study: Callable[..., Any], records_of: Callable[..., Records]
) -> None:
    study = random_study()
    labels = {"sklearn": study.labels["sklearn"], "numpy": np.zeros_like(study.truth)}

    found = _scores(records_of(study, labels=labels))

    assert found[1:, :3].tolist() == [[0, 0, 0], [0, 0, 0]]
    assert found[0, 1] == 1.0


def test_without_predictions_scores_are_nan(
    random_study: Callable[..., Any], records_of: Callable[..., Records]
) -> None:
    found = _scores(records_of(random_study(n_runs=2), failed={"numpy": [0, 1]}))

    assert np.isnan(found[:, :3]).all()
    assert (found[:, 3] == 0).all()
