"""A comparison means what is written, or is refused with what to write."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnbbench.data.columns import OPPOSITES, ColumnComparison, comparison_in, is_comparison
from gnbbench.errors import OptionError

TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("text", "column", "sign", "value"),
    [
        ("G3>=10", "G3", ">=", 10.0),
        ("  G3  <  -1.5e2 ", "G3", "<", -150.0),
        ("G3<=.5", "G3", "<=", 0.5),
        ("G3>+7.", "G3", ">", 7.0),
        ("sepal length (cm)!=5", "sepal length (cm)", "!=", 5.0),
        ("species == 'Adelie'", "species", "==", "Adelie"),
        ('species != "a == b"', "species", "!=", "a == b"),
        ("`a>b` == 'it''s'", "a>b", "==", "it's"),
        ("'wow!'>1", "wow!", ">", 1.0),
        ("a == ''", "a", "==", ""),
        ("a=='10'", "a", "==", "10"),
        ("größe>1", "größe", ">", 1.0),
    ],
)
def test_a_comparison_is_read(
    text: str, column: str, sign: str, value: float | str
) -> None:
    comparison = comparison_in(text)

    assert (comparison.column, comparison.value) == (column, value)
    assert comparison.operator == sign
    assert comparison.text == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("G3=10", "'G3=10' has '='. Write ==."),
        ("G3=>10", "has '=>'. Write >=."),
        ("G3<>10", "Write !=."),
        ("G3>>10", "has '>>'. Write one of < <= > >= == !=."),
        (
            ">=10",
            "'>=10' is not a comparison. Write a column, a sign and a value, such as G3",
        ),
        ("  ``>=10", "is not a comparison"),
        ("G3>=", "is not a comparison"),
        ("G3>=ten", "has 'ten' where a value belongs. Write a number, or text in quotes"),
        ("a=='x", "where a value belongs"),
        ("`a>1", "is not a comparison"),
        ("a==Adelie", "text in quotes: 'Adelie'."),
        ("a>1_0", "has '1_0' where a value belongs"),
        ("a>0x10", "has '0x10' where a value belongs"),
        ("a>nan", "has 'nan' where a value belongs"),
        ("a>1e999", "has a number that is too large"),
        ("a>1 and b>2", "has '1 and b>2' where a value belongs"),
        ("1<a<3", "has 'a<3' where a value belongs"),
        ("'a' 'b'==1", "is not a comparison"),
    ],
)
def test_a_mistake_is_reported_with_the_correction(text: str, message: str) -> None:
    with pytest.raises(OptionError) as refusal:
        comparison_in(text)

    assert message in str(refusal.value)
    assert str(refusal.value).startswith("--target: ")


def as_text(comparison: ColumnComparison) -> str:
    """Return a comparison as a user writes it, whatever the column is called."""
    column, shown = comparison.column, comparison.class_names[1]
    return f"`{column.replace('`', '``')}`{shown.removeprefix(column)}"


@given(TEXTS.filter(bool), st.sampled_from(sorted(OPPOSITES)), NUMBERS | TEXTS)
def test_written_text_is_read_back(column: str, sign: str, value: float | str) -> None:
    written = ColumnComparison(column, sign, value)

    comparison = comparison_in(as_text(written))

    assert (comparison.column, comparison.value) == (column, value)
    assert comparison.operator == sign
    assert comparison.class_names == written.class_names


def test_a_quote_that_is_not_doubled_would_be_seen() -> None:
    written = ColumnComparison("a", "==", "it's")

    with pytest.raises(OptionError, match="where a value belongs"):
        comparison_in(as_text(written).replace("''", "'"))


@given(st.text(st.sampled_from("aG3 <>=!'\"`.e-+0\n\0ß"), max_size=14) | TEXTS)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        comparison = comparison_in(text)
    except OptionError:
        return
    assert comparison.column
    assert comparison.operator in OPPOSITES
    assert is_comparison(text)


@pytest.mark.parametrize("sign", OPPOSITES)
@pytest.mark.parametrize("value", [9.0, 10.0, 11.0])
def test_the_other_side_is_called_by_what_holds_there(sign: str, value: float) -> None:
    at_ten = ColumnComparison("x", sign, 10.0)
    other = comparison_in(at_ten.class_names[0])

    assert at_ten.holds(value) == (not other.holds(value))
    assert comparison_in(at_ten.class_names[1]).holds(value) == at_ten.holds(value)
