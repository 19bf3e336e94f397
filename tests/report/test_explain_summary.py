"""What a report on causes is made of."""

from collections.abc import Callable

import numpy as np
import pytest

from gnbbench.data.bundled import digits
from gnbbench.report.explain_summary import COLUMNS, ExplainSummary

Give = Callable[..., ExplainSummary]


def test_the_frame_has_one_row_for_each_disagreement(explain_of: Give) -> None:
    frame = explain_of("mixed", "same", "left").frame()

    assert tuple(frame.columns) == COLUMNS
    assert frame["implementation"].value_counts().to_dict() == {"mixed": 17, "left": 16}
    causes = frame["cause"].tolist()
    assert causes[13:17] == ["no-smoothing", "prior", "prior", "density-floor"]
    assert causes[-2:] == ["", ""]
    columns = ["run", "row", "truth", "reference_label", "label"]
    assert frame[columns].head(1).to_numpy().tolist() == [[0, 50, 1, 1, 2]]
    assert frame.loc[0, "reference_confidence"] == 0.8175


def test_an_empty_frame_has_its_columns(explain_of: Give) -> None:
    frame = explain_of("same").frame()

    assert tuple(frame.columns) == COLUMNS
    assert frame.empty


def test_labels_have_the_names_of_their_classes(explain_of: Give) -> None:
    summary = explain_of("same")

    assert summary.label_name(np.int64(2)) == "virginica"
    assert summary.label_name(2.0) == "virginica"
    assert summary.code(np.int64(2)) == 2


@pytest.mark.parametrize("label", ["2", 7, None, [1], "<b>\x00"])
def test_a_label_that_is_no_class_is_told_as_python_writes_it(
    explain_of: Give, label: object
) -> None:
    summary = explain_of("same")

    assert summary.label_name(label) == repr(label)
    assert summary.code(label) is None


def test_what_is_left_out_of_the_list_is_a_remark(explain_of: Give) -> None:
    assert not any("are listed" in one for one in explain_of("mixed").warnings)
    assert explain_of("crashed").warnings == (
        "crashed: 900 predictions of 900 could not be compared, because a run of it or of "
        "the reference failed.",
    )


def test_several_share_a_headline(explain_of: Give) -> None:
    assert explain_of("unsmoothed", "mixed", "divisor", "same").headline == (
        "unsmoothed and mixed differ from sklearn in labels; divisor gives the same labels "
        "in another way; same does what sklearn does."
    )
    assert explain_of("same", "divisor").headline != explain_of("same", "other").headline


def test_other_data_have_other_names(explain_of: Give) -> None:
    summary = explain_of("same", dataset=digits())

    assert len(summary.feature_names) == 64
    assert summary.label_name(np.int64(7)) == "7"
