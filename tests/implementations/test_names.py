"""What a user types is taken apart, or refused on one line."""

import math
from pathlib import Path
from typing import Any

import pytest

from gnbbench.errors import ImplementationError
from gnbbench.implementations.names import parsed


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("numpy", ("name", "numpy", "")),
        ("study-a?divisor=n-1", ("name", "study-a", "")),
        ("a.b:C", ("module", "a.b", "C")),
        ("a.b:C.D", ("module", "a.b", "C.D")),
        ("a/b.py", ("file", "a/b.py", "")),
        ("/a:b/c.py:D", ("file", "/a:b/c.py", "D")),
        ("C:\\\\a.py:D?k=1", ("file", "C:\\\\a.py", "D")),
    ],
)
def test_the_kind_shows_in_the_form(text: str, parts: tuple[str, str, str]) -> None:
    specification = parsed(text)

    assert (specification.kind, specification.place, specification.attribute) == parts


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("-2", -2),
        ("1e-6", 1e-6),
        ("true", True),
        ("False", False),
        ("none", None),
        ("uniform", "uniform"),
        ("n-1", "n-1"),
        ("'true'", "true"),
        ("[0.2, 0.8]", [0.2, 0.8]),
        ("", ""),
        ("__import__('os').getcwd()", "__import__('os').getcwd()"),
        ("inf", math.inf),
    ],
)
def test_a_value_is_what_it_looks_like_and_is_never_run(text: str, value: Any) -> None:
    found = parsed(f"numpy?key={text}").parameters["key"]

    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("numpy?", "'' is not key=value"),
        ("numpy?k", "'k' is not key=value"),
        ("numpy?k=1&", "'' is not key=value"),
        ("numpy?a b=1", "'a b=1' is not key=value"),
        ("numpy?k=1&k=2", "the parameter 'k' is given twice"),
        ("numpy?k=[1,", "the value of 'k' cannot be read: [1,"),
        ("a/b.txt:C", "is not a Python file"),
        ("some/nb.R", "command, such as 'command:Rscript nb.R {train} {test}'"),
    ],
)
def test_unreadable_input_is_refused(text: str, message: str) -> None:
    with pytest.raises(ImplementationError) as caught:
        parsed(text)

    assert message in str(caught.value)


def test_the_absolute_text_means_the_same_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    again = parsed(parsed("mine.py?k=1").absolute)

    assert (again.place, again.attribute) == (str(tmp_path / "mine.py"), "")
    assert again.parameters == {"k": 1}
