"""What a report of conformance is made of."""

from collections.abc import Callable

import pandas as pd
import pytest

from gnbbench.report.conformance_summary import (
    ConformanceSummary,
    failures_first,
    families,
    sentence,
)

Give = Callable[..., ConformanceSummary]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("perfect",), "perfect passes all 12 checks."),
        (("partial",), "partial passes all 10 checks that apply."),
        (("faulty",), "faulty passes 7 of 11 checks and fails 4."),
        (("nothing",), "None of 12 checks applies to nothing."),
        (("perfect", "faulty"), "1 of 2 implementations passes every check that applies"),
        (("perfect", "partial"), "All 2 implementations pass every check that applies"),
        (("faulty", "nothing"), "None of 2 implementations passes every check; faulty"),
    ],
)
def test_the_headline_counts_what_is_passed(
    conformance_of: Give, names: tuple[str, ...], words: str
) -> None:
    assert conformance_of(*names).headline.startswith(words)


def test_one_check_is_not_many(conformance_of: Give) -> None:
    whole = conformance_of("perfect").examined[0]
    one = type(whole)("a", "", "", whole.results[:1])

    assert sentence(one, "a") == "a passes the only check."


def test_only_what_was_not_expected_breaks_the_gate(conformance_of: Give) -> None:
    known = ("offsets-1", "offsets-4", "one-row-in-a-class-1")
    summary = conformance_of("faulty", expected=known)

    assert [result.check.id for _, result in summary.unexpected_failures] == ["weights-1"]
    assert len(conformance_of("faulty").unexpected_failures) == 4


def test_a_pass_that_was_to_fail_is_told(conformance_of: Give) -> None:
    expected = ("offsets-0", "offsets-1", "weights-0")

    alone = conformance_of("faulty", expected=expected).surprises
    board = conformance_of("perfect", "faulty", expected=expected).surprises

    assert alone == ("offsets-0 unexpectedly passes.",)
    assert board[0] == "offsets-0 unexpectedly passes on perfect and faulty."
    assert board[1:] == (
        "offsets-1 unexpectedly passes on perfect.",
        "weights-0 unexpectedly passes on perfect.",
    )


def test_the_frame_has_a_row_for_each_implementation_and_check(
    any_conformance: ConformanceSummary,
) -> None:
    table = any_conformance.frame()

    assert len(table) == 12 * len(any_conformance.examined)
    assert table["measured"].dtype == table["tolerance"].dtype == "float64"
    assert (table["outcome"] == "pass").sum() == sum(
        one.n_passed for one in any_conformance.examined
    )
    assert not pd.isna(table["id"]).any()


def test_the_best_implementation_comes_first(conformance_of: Give) -> None:
    ranked = conformance_of("nothing", "faulty", "partial", "perfect").ranked

    assert [one.implementation for one in ranked] == [
        "perfect",
        "partial",
        "faulty",
        "nothing",
    ]


def test_failures_come_first_and_passes_last(conformance_of: Give) -> None:
    outcomes = [
        result.outcome for result in failures_first(conformance_of("faulty").examined[0])
    ]

    assert outcomes[:5] == ["fail", "fail", "crash", "timeout", "not applicable"]
    assert set(outcomes[5:]) == {"pass"}


def test_families_keep_all_results(conformance_of: Give) -> None:
    found = families(conformance_of("faulty").examined[0])

    assert {name: len(results) for name, results in found.items()} == {
        "offsets": 5,
        "one row in a class": 3,
        "weights": 4,
    }
