"""Files that are tracked hold no marks of a conflict that somebody forgot to resolve."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_MARK = re.compile(rb"^(<{7}|>{7}|\|{7})( |$)", re.MULTILINE)


def marks(content: bytes) -> list[bytes]:
    """Return the first words of each mark of a conflict."""
    return [match[1] for match in _MARK.finditer(content)]


def tracked_files() -> list[Path]:
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout: which files are tracked is not known")
    command = ["git", "-C", str(ROOT), "ls-files", "-z"]
    listed = subprocess.run(command, capture_output=True, check=True).stdout
    return [ROOT / name.decode() for name in listed.split(b"\0") if name]


def test_no_tracked_file_holds_the_mark_of_a_conflict() -> None:
    files = [path for path in tracked_files() if path.is_file()]

    assert len(files) > 300
    assert [path.name for path in files if marks(path.read_bytes())] == []


def test_marks_are_found_at_the_start_of_a_line() -> None:
    head = b"<" * 7 + b" HEAD"

    assert len(marks(head + b"\na\n=======\nb\n" + b">" * 7 + b" 683ab3f (words)")) == 2
    assert marks(b"a " + head + b"\n=======\n" + b"=" * 80) == []
