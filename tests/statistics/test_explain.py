"""What the summary of causes says: headline, verdicts, tables, document."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gnbbench.data.loading import load
from gnbbench.diagnosis import CAUSES, Cause
from gnbbench.statistics.documents import document
from gnbbench.statistics.explain import REST, changes, code_of
from gnbbench.statistics.summary import Summary

Give = Callable[..., Summary]
SPACE = "\N{NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("same",), "same gives the same answers as sklearn in 900 predictions."),
        (("unsmoothed",), "14 of 900 predictions: nothing is added to the variances."),
        (("divisor",), "gives the same labels as sklearn, but: variances are divided by n"),
        (("crashed",), "crashed gives no labels to compare: it raises an exception"),
        (("uncompared",), "Nothing was compared: no run of sklearn has labels."),
        (
            ("unsmoothed", "mixed", "divisor", "same"),
            "unsmoothed and mixed differ from sklearn in labels; divisor gives the same "
            "labels but not the same probabilities or parameters; same gives the same "
            "answers as sklearn.",
        ),
    ],
)
def test_the_headline_says_what_differs_and_why(
    explain_of: Give, names: tuple[str, ...], words: str
) -> None:
    assert words in explain_of(*names).headline


def test_each_cause_makes_its_own_headline_and_three_are_named(explain_of: Give) -> None:
    for cause in CAUSES:
        text = explain_of("unsmoothed", causes=(Cause(cause, 14, None, ""),)).headline
        assert [name for name, words in CAUSES.items() if words in text] == [cause]
    causes = tuple(Cause(name, 1, None, "") for name in list(CAUSES)[:5])
    assert "; and 2 more causes." in explain_of("unsmoothed", causes=causes).headline


def test_missing_comparisons_and_omitted_rows_are_remarks(explain_of: Give) -> None:
    assert explain_of("mixed").warnings == ()
    # That nothing could be compared is in its verdict.
    assert explain_of("crashed").warnings == ()
    assert explain_of("mixed", n_predictions=800).warnings == (
        "mixed: 100 of 900 predictions could not be compared, because a run of it or of "
        "the reference failed.",
    )
    assert explain_of("left", n_disagreements=1463).warnings == (
        "left: all 1,463 disagreements are counted; the first 16 are listed.",
    )


def test_the_table_has_one_row_for_each_disagreement(explain_of: Give) -> None:
    frame = explain_of("mixed", "same", "left").table("disagreements")

    assert frame["implementation"].value_counts().to_dict() == {"mixed": 17, "left": 16}
    causes = frame["cause"].tolist()
    assert causes[13:17] == ["no-smoothing", "prior", "prior", "density-floor"]
    assert causes[-2:] == ["", ""]
    columns = ["run", "row", "truth", "reference_label", "label"]
    assert frame[columns].head(1).to_numpy().tolist() == [[0, 50, 1, 1, 2]]
    assert frame.loc[0, "reference_confidence"] == 0.8175
    empty = explain_of("same").table("disagreements")
    assert (len(empty), list(empty)) == (0, list(frame))


@pytest.mark.parametrize(
    ("label", "code"), [(np.int64(2), 2), (2.0, 2), ("2", None), (7, None), ([1], None)]
)
def test_a_label_is_a_class_or_none(label: Any, code: int | None) -> None:
    assert code_of(label, np.arange(3)) == code


def test_the_document_has_what_was_found_on_each(explain_of: Give) -> None:
    alone, several = document(explain_of("mixed")), document(explain_of("left", "mixed"))

    assert "implementations" not in alone
    same = set(several["implementations"][1]) - {"disagreements"}
    assert all(several["implementations"][1][key] == alone[key] for key in same)
    first = several["implementations"][0]
    assert all(several[key] == value for key, value in first.items())
    assert [one["cause"] for one in several["disagreements"]][-2:] == [None, None]
    details = [one["details"] for one in alone["disagreements"]]
    assert sum(one is not None for one in details) == 10
    assert details[0] == {
        "features": [5.9, 3.0, 4.2, 1.5],
        "reference_posterior": [0.0, 0.8175, 0.1825],
        "posterior": [0.0, 0.25, 0.75],
        "reference_contributions": [0.5, -0.25, 1.0, 0.25],
        "contributions": [0.5, -0.75, -1.0, 0.375],
    }
    assert len(document(explain_of("same", dataset=load("digits")))["feature_names"]) == 64


@pytest.mark.parametrize(("name", "same"), [("same", True), ("uncompared", False)])
def test_nothing_compared_is_not_the_same(explain_of: Give, name: str, same: bool) -> None:
    assert document(explain_of(name))["same"] is same


def test_ten_are_shown_in_full_and_each_cause_is_among_them(explain_of: Give) -> None:
    chosen = explain_of("mixed").details["in_full"]["mixed"]
    shared = explain_of("unsmoothed", "mixed", "same").details["in_full"]

    causes = [row.cause for row in chosen]
    assert causes == ["no-smoothing"] * 8 + ["prior", "density-floor"]
    assert [row.row for row in chosen] == sorted(row.row for row in chosen)
    assert [len(rows) for rows in shared.values()] == [3, 3, 0]


def _rest(summary: Summary) -> list[float]:
    by_row = summary.table("contributions").groupby(["run", "row"], sort=False)
    last = by_row.tail(1).iloc[0]
    assert last["feature"] == REST
    return [float(last[name]) for name in ("reference_contribution", "contribution")]


def test_the_largest_change_comes_first_and_the_rest_last(explain_of: Give) -> None:
    undefined = np.array([np.nan, 0.0, 0.0, np.inf])

    usual = explain_of("unsmoothed")
    odd = explain_of("unsmoothed", each={"contributions": undefined})

    table = usual.table("contributions").head(5)
    names = [f"{part} (cm)" for part in ("petal length", "sepal width", "petal width")]
    assert table["feature"].tolist() == [*names, "sepal length (cm)", REST]
    assert table["change"].tolist()[:4] == [-2.0, -0.5, 0.125, 0.0]
    # 1.5 of margin less the 1.5 of all features; log(1/3) less -0.875.
    assert _rest(usual) == [0.0, pytest.approx(np.log(1 / 3) + 0.875)]
    first = odd.table("contributions")["feature"].tolist()[:2]
    assert first == ["sepal length (cm)", "petal width (cm)"]
    assert np.isnan(_rest(odd)[1])


def test_values_undefined_in_both_are_unchanged() -> None:
    first = np.array([np.nan, np.inf, 1.0, 1.0 + 1e-13, 0.0])
    second = np.array([np.nan, np.inf, 1.0, 1.0, np.inf])

    assert changes(first, second).tolist() == [0.0, 0.0, 0.0, 0.0, np.inf]


def test_the_rest_is_left_out_where_rounding_hides_it(explain_of: Give) -> None:
    huge = np.array([1e15, -1e15, 0.0, 0.0])
    both = {"contributions": huge, "reference_contributions": huge}

    table = explain_of("unsmoothed", each=both).table("contributions")

    assert REST not in table["feature"].tolist()


@pytest.mark.parametrize(
    ("name", "each"),
    [
        ("other", {}),
        ("unsmoothed", {"posterior": None}),
        ("unsmoothed", {"posterior": np.array([0.0, 1.0, 0.0])}),
        ("unsmoothed", {"label": "7"}),
    ],
    ids=["no variant", "no probabilities", "saturated", "no class"],
)
def test_an_unknown_rest_is_left(explain_of: Give, name: str, each: dict[str, Any]) -> None:
    rest = _rest(explain_of(name, each=each))

    assert rest[0] == 0.0
    assert np.isnan(rest[1])
