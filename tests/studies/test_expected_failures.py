"""Files that list checks whose failure is known."""

from pathlib import Path

import pytest

from gnbbench.conformance import CHECKS
from gnbbench.errors import ConfigurationError
from gnbbench.studies.conformance import expected_failures

FIRST, SECOND = CHECKS[0].id, CHECKS[1].id


def test_ids_are_read_without_comments_and_repetitions(tmp_path: Path) -> None:
    file = tmp_path / "known.txt"
    file.write_text(f"# known\n\n  {SECOND}  # why\n{FIRST}\n{SECOND}\n")

    assert expected_failures(file) == (SECOND, FIRST)


def test_a_file_of_comments_expects_nothing(tmp_path: Path) -> None:
    file = tmp_path / "known.txt"
    file.write_text("\ufeff# nothing yet\n")

    assert expected_failures(file) == ()


def test_an_unknown_id_is_told_with_its_line_and_the_likely_one(tmp_path: Path) -> None:
    file = tmp_path / "known.txt"
    file.write_text(f"# known\n{FIRST}\n{FIRST}x\n")

    with pytest.raises(
        ConfigurationError, match=r"known\.txt, line 3: there is no"
    ) as told:
        expected_failures(file)

    assert f"Did you mean '{FIRST}'?" in str(told.value)


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "known.txt"
    if content is not None:
        file.write_bytes(content)

    with pytest.raises(ConfigurationError, match="cannot be read"):
        expected_failures(file)
