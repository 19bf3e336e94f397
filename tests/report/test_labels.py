"""Names that can be drawn and told apart."""

from hypothesis import given
from hypothesis import strategies as st

from gnbbench.report.labels import drawable, figure_names, printable, short_names, shorten


@given(
    st.lists(st.text(min_size=1, max_size=60), unique=True, max_size=6), st.integers(4, 30)
)
def test_short_names_are_all_different(names: list[str], width: int) -> None:
    short = short_names(names, width)

    assert list(short) == names
    assert len(set(short.values())) == len(names)


@given(st.lists(st.text(min_size=1, max_size=60), unique=True, max_size=6))
def test_names_in_figures_are_all_different_and_drawable(names: list[str]) -> None:
    short = figure_names(names)

    assert len(set(short.values())) == len(names)
    assert all(drawable(name) == name for name in short.values())


def test_shorten_keeps_both_ends() -> None:
    short = shorten("a" * 50 + "z" * 50, 21)

    assert len(short) == 21
    assert short == "a" * 10 + "…" + "z" * 10


def test_printable_has_one_line_and_no_control_characters() -> None:
    assert printable("a\n\tb\x1b[31m") == "a b�[31m"
