"""The line of a key, whatever way of writing it TOML allows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnbbench.studies.configuration import line_of

ODD = '''# study = "commented"
"study" = "compare" # runs = 3

[ dataset ] # [options]
'name' = """
[options]
runs = 5
"""
drop = [
  "runs = 1", # ]
  'a"]b',

  "c",
]

[options]
"ru\\u006es" = 7
against . "deep" = 1
inline = { first = 1, "second" = [
  2 ] }
long = \'\'\'
seed = 9\'\'\'
seed = 1
[[several]]
x = 1
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("study",), 2),
        (("dataset",), 4),
        (("dataset", "name"), 5),
        (("dataset", "drop"), 9),
        (("options",), 16),
        (("options", "runs"), 17),
        (("options", "against"), 18),
        (("options", "against", "deep"), 18),
        (("options", "inline", "second"), 19),
        (("options", "long"), 21),
        (("options", "seed"), 23),
        (("several",), 24),
    ],
)
def test_a_key_is_found_where_its_statement_begins(
    path: tuple[str, ...], line: int
) -> None:
    assert line_of(ODD, path) == line


def test_a_key_that_is_not_there_is_in_the_first_line() -> None:
    assert line_of(ODD, ("nothing",)) == 1
    assert line_of(ODD, ("study", "below text")) == 1


def test_a_search_for_the_text_of_the_key_would_not_do() -> None:
    """Negative control: the first line that says "runs =" is none of the key's."""
    naive = next(n for n, text in enumerate(ODD.split("\n"), 1) if "runs =" in text)

    assert naive != line_of(ODD, ("options", "runs"))


# Statements of one key each, with the lines they take.
STATEMENTS = st.sampled_from(
    [
        "{} = 1",
        '"{}" = "\u2028 \x85"',
        "'{}' = [\n1,\n# {} = 2\n]",
        '{} = """\n\n"""',
        "{} = '''a\nb = 1'''",
        "{}.deep = 1979-05-27",
        "\n# comment\n\n{} = {{ x = [\n] }}",
        "\t{}\t=\ttrue # x",
    ]
)


@given(st.lists(STATEMENTS, min_size=1, max_size=8))
def test_lines_add_up_over_statements(statements: list[str]) -> None:
    texts = [text.format(f"k{n}", f"k{n}") for n, text in enumerate(statements)]

    found = [line_of("\n".join(texts), (f"k{n}",)) for n in range(len(texts))]

    begins, line = [], 1
    for text in texts:
        leading = len(text) - len(text.lstrip("\n"))
        begins.append(line + (3 if leading else 0))
        line += text.count("\n") + 1
    assert found == begins
