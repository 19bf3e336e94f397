"""What a report on causes is made of, and its words."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from gnbbench.data.loading import load
from gnbbench.diagnosis import CAUSES, Cause, Diagnosis
from gnbbench.report.explain_summary import (
    COLUMNS,
    ExplainSummary,
    explained_number,
    headline_of,
    is_reproduced,
    outcome_of,
    remainder,
    sureness,
    tone_of,
    verdict_of,
)

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
    summary = explain_of("same", dataset=load("digits"))

    assert len(summary.feature_names) == 64
    assert summary.label_name(np.int64(7)) == "7"


def _diagnosis(explain_of: Give, name: str) -> Diagnosis:
    return explain_of(name).diagnosed[0].diagnosis


@pytest.mark.parametrize(
    ("name", "tone", "outcome"),
    [
        ("same", "good", "no difference"),
        ("unsmoothed", "bad", "no-smoothing"),
        ("mixed", "bad", "no-smoothing, prior and density-floor"),
        ("divisor", "unsure", "variance-divisor"),
        ("tied", "unsure", "tie"),
        ("other", "bad", "not-gnb"),
        ("undefined", "bad", "nan"),
        ("crashed", "bad", "crash"),
        ("uncompared", "unsure", "nothing compared"),
    ],
)
def test_tone_and_outcome_follow_the_causes(
    explain_of: Give, name: str, tone: str, outcome: str
) -> None:
    diagnosis = _diagnosis(explain_of, name)

    assert tone_of(diagnosis) == tone
    assert outcome_of(diagnosis) == outcome


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("same", "same does what sklearn does in 900 predictions."),
        ("unsmoothed", "14 of 900 predictions: nothing is added to the variances."),
        ("divisor", "gives the labels of sklearn, and yet: variances are divided by n - 1"),
        ("crashed", "crashed gives no labels to compare: it raises an exception"),
        ("uncompared", "Nothing was compared: no run of sklearn has labels."),
    ],
)
def test_the_headline_says_what_differs_and_why(
    explain_of: Give, name: str, words: str
) -> None:
    assert words in headline_of(_diagnosis(explain_of, name), name, "sklearn")


@pytest.mark.parametrize("cause", sorted(CAUSES))
def test_another_cause_makes_another_headline(explain_of: Give, cause: str) -> None:
    diagnosis = replace(
        _diagnosis(explain_of, "unsmoothed"), causes=(Cause(cause, 14, None, ""),)
    )

    told = headline_of(diagnosis, "mine", "sklearn")

    assert CAUSES[cause] in told
    assert sum(words in told for words in CAUSES.values()) == 1


def test_many_causes_are_counted_beyond_three(explain_of: Give) -> None:
    causes = tuple(Cause(name, 1, None, "") for name in list(CAUSES)[:5])
    diagnosis = replace(_diagnosis(explain_of, "unsmoothed"), causes=causes)

    assert "; and 2 more causes." in headline_of(diagnosis, "mine", "sklearn")


def test_what_is_not_gnb_is_not_explained(explain_of: Give) -> None:
    other, left = (_diagnosis(explain_of, name) for name in ("other", "left"))

    assert explained_number(other) == 0
    assert not is_reproduced(other)
    assert remainder(other) == "3 of 3 disagreements remain unexplained."
    assert explained_number(left) == 14
    assert is_reproduced(left)
    assert remainder(left) == "2 of 16 disagreements remain unexplained."


def test_sureness_has_share_and_difference_where_there_are_any(explain_of: Give) -> None:
    assert sureness(_diagnosis(explain_of, "other")) == (
        "The setting found (nothing added to variances) reproduces 83.1\N{NO-BREAK SPACE}% "
        "of 900 predictions; the largest remaining probability difference is 0.43."
    )
    assert sureness(_diagnosis(explain_of, "left")).endswith("are not offered.")
    assert sureness(_diagnosis(explain_of, "crashed")) == "No prediction could be compared."


def test_nothing_compared_is_not_told_to_be_the_same(explain_of: Give) -> None:
    nothing = _diagnosis(explain_of, "uncompared")

    assert verdict_of(nothing, "mine", "sklearn").startswith("Nothing was compared")
    assert verdict_of(_diagnosis(explain_of, "same"), "mine", "sklearn") == "same:"
