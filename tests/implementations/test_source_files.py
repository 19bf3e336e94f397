"""A file's digest covers what decides its answers, and nothing besides."""

from pathlib import Path

import pytest

from gnbbench.implementations.modules import digest_of, module_of


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """Write a file that imports neighbours, one of them through another."""
    (tmp_path / "main.py").write_text("from near import x\nfrom pack import inner\n")
    (tmp_path / "near.py").write_text("import far\nx = far.x\n")
    (tmp_path / "far.py").write_text("x = 1\n")
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("")
    (tmp_path / "pack" / "inner.py").write_text("from . import beside\n")
    (tmp_path / "pack" / "beside.py").write_text("")
    (tmp_path / "other.py").write_text("")
    return tmp_path / "main.py"


@pytest.mark.parametrize(
    "edited",
    ["main.py", "near.py", "far.py", "pack/__init__.py", "pack/inner.py", "pack/beside.py"],
)
def test_an_edit_of_what_is_imported_changes_the_digest(edited: str, main: Path) -> None:
    before = digest_of(main)
    path = main.parent / edited
    path.write_text(path.read_text() + "# edited\n")

    assert digest_of(main) != before


def test_an_edit_of_anything_else_or_a_move_does_not(main: Path, tmp_path: Path) -> None:
    before = digest_of(main)
    (main.parent / "other.py").write_text("x = 2\n")

    moved = main.parent.rename(tmp_path.with_name(tmp_path.name + "-moved"))

    assert digest_of(moved / "main.py") == before


def test_a_file_is_loaded_once_and_anew_even_within_the_clocks_resolution(
    tmp_path: Path,
) -> None:
    path = tmp_path / "value.py"
    for value in (1, 2, 3):
        path.write_text(f"VALUE = {value}\n")
        digest = digest_of(path)
        assert value == module_of(path, digest).VALUE
        assert module_of(path, digest) is module_of(path, digest)
