import os
from pathlib import Path
from typing import Any

import pytest

from gnbbench import errors
from gnbbench.files import json_of, replace_file


@pytest.mark.parametrize(
    "kind", [errors.DatasetError, errors.OptionError, errors.ResultsError]
)
def test_a_message_says_where_what_and_what_to_do(kind: Any) -> None:
    error = kind("here", "it is wrong", "Fix it.")

    assert isinstance(error, errors.GnbBenchError)
    assert str(error) == "here: it is wrong. Fix it."


@pytest.mark.parametrize(
    ("known", "guess"), [(["numpy"], "Did you mean 'numpy'? "), (["iris"], ""), ([], "")]
)
def test_a_name_is_offered_where_one_is_close(known: list[str], guess: str) -> None:
    error = errors.UnknownNameError("dataset", "nunpy", known)

    assert str(error) == f"Unknown dataset 'nunpy'. {guess}See: gnbbench list datasets"


def test_a_file_that_is_written_has_the_permissions_of_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        replace_file(tmp_path / "a", b"content")
    finally:
        os.umask(before)

    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


def test_deeply_nested_json_is_invalid(tmp_path: Path) -> None:
    (tmp_path / "deep.json").write_text("[" * 200_000)
    (tmp_path / "plain.json").write_text("[[]]")

    assert json_of(tmp_path / "plain.json") == [[]]
    with pytest.raises(ValueError, match="nested too deeply"):
        json_of(tmp_path / "deep.json")
