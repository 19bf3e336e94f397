"""What a terminal shows of conformance."""

from collections.abc import Callable

from rich.cells import cell_len
from rich.console import Console, RenderableType

from gnbbench.report.conformance_summary import ConformanceSummary
from gnbbench.report.conformance_terminal import (
    check_list,
    conformance_table,
    failure_rows,
    family_line,
)

Give = Callable[..., ConformanceSummary]


def shown(content: RenderableType, width: int = 80) -> str:
    """Return what a console of that width prints."""
    console = Console(width=width, no_color=True, force_terminal=False, file=None)
    with console.capture() as capture:
        console.print(content)
    return capture.get()


def test_fits_eighty_columns(any_conformance: ConformanceSummary) -> None:
    text = shown(conformance_table(any_conformance))
    wide = shown(conformance_table(any_conformance), width=200).splitlines()

    assert max(cell_len(line) for line in text.splitlines()) <= 80
    tables = [line for line in wide if line.startswith(" ")]
    assert all(cell_len(line.rstrip()) <= 80 for line in tables)


def test_the_score_comes_before_the_failures(conformance_of: Give) -> None:
    lines = shown(conformance_table(conformance_of("faulty"))).splitlines()

    assert lines[0] == "faulty 1.9.1 · A GNB that is faulty · 12 checks"
    assert lines[1] == "faulty passes 7 of 11 checks and fails 4."
    assert lines[2].split() == []
    assert lines[5].split()[:2] == ["offsets-1", "fail"]


def test_a_failure_is_told_in_words(conformance_of: Give) -> None:
    rows = failure_rows(conformance_of("faulty").examined[0], ("offsets-1",))

    assert [row[:2] for row in rows] == [
        ("offsets-1", "fail, expected"),
        ("weights-1", "fail"),
        ("offsets-4", "crash"),
        ("one-row-in-a-class-1", "timeout"),
    ]
    assert rows[0][2] == (
        "Whatever the offsets may be, labels are those of exact arithmetic.\n"
        "Found: measured 0.0452, at most 0 allowed (labels); worst of 4 classes: got "
        "-3.1, exact 2.7"
    )


def test_families_are_summed_up(conformance_of: Give) -> None:
    assert family_line(conformance_of("perfect").examined[0]) == (
        "Passed: offsets 5/5, one row in a class 3/3, weights 4/4."
    )
    assert family_line(conformance_of("faulty").examined[0]).startswith("In part: offsets")
    assert family_line(conformance_of("nothing").examined[0]) == (
        "Not applicable: offsets, one row in a class, weights."
    )


def test_a_scoreboard_has_a_line_for_each(conformance_of: Give) -> None:
    text = shown(conformance_table(conformance_of("faulty", "perfect")))

    assert "2 implementations · 12 checks" in text
    assert "1 of 2 implementations passes every check that applies: perfect." in text
    lines = [line.split() for line in text.splitlines()]
    assert ["perfect", "12/12", "0", "0", "0", "0", "–"] in lines
    assert any(line[:6] == ["faulty", "7/11", "2", "1", "1", "1"] for line in lines)
    assert "offsets, one row in a" in text


def test_surprises_are_told(conformance_of: Give) -> None:
    text = shown(conformance_table(conformance_of("perfect", expected=("offsets-1",))))

    assert "Remark: offsets-1 unexpectedly passes." in text


def test_the_battery_is_listed_with_tolerance_and_source(conformance_of: Give) -> None:
    text = shown(check_list(conformance_of("perfect").checks))

    assert max(cell_len(line) for line in text.splitlines()) <= 80
    words = " ".join(text.split())
    assert "one-row-in-a-class-2" in words
    assert "1 × 10⁻⁹" in words
    assert "Chan, Golub and LeVeque (1983)" in words
