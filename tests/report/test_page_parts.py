"""Parts that the pages of all kinds share."""

from collections.abc import Callable

import pytest
from jinja2 import UndefinedError

from gnbbench.report.figures.drawing import Absence
from gnbbench.report.page_parts import shared_parts, template, who_and_what
from gnbbench.statistics.summary import Summary


def test_both_kinds_have_the_same_parts(
    summary_of: Callable[[str], Summary], sweep_of: Callable[[str], Summary]
) -> None:
    compare = shared_parts(summary_of("usual"), (), None)
    sweep = shared_parts(sweep_of("identical"), (), None)

    assert list(compare) == list(sweep)
    assert list(compare["shared_tables"]) == list(sweep["shared_tables"])


@pytest.mark.parametrize(
    ("name", "tone"),
    [("identical", "good"), ("density", "unsure"), ("several", "bad")],
)
def test_the_worst_verdict_sets_the_tone(
    sweep_of: Callable[[str], Summary], name: str, tone: str
) -> None:
    assert shared_parts(sweep_of(name), (), None)["tone"] == tone


def test_an_absence_keeps_its_reason(sweep_of: Callable[[str], Summary]) -> None:
    parts = shared_parts(sweep_of("identical"), (Absence("a", "A", "Why."),), None)

    assert parts["figures"]["a"].reason == "Why."


def test_a_name_that_is_not_given_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        template("sweep.html").render()


def test_who_is_held_against_whom(sweep_of: Callable[[str], Summary]) -> None:
    assert who_and_what(sweep_of("identical")) == "numpy against sklearn on wine"
