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


def test_an_edit_of_anything_else_does_not(main: Path) -> None:
    before = digest_of(main)
    (main.parent / "other.py").write_text("x = 2\n")

    assert digest_of(main) == before


def test_the_same_sources_elsewhere_have_the_same_digest(
    main: Path, tmp_path: Path
) -> None:
    copy = main.parent.rename(tmp_path.with_name(tmp_path.name + "-moved"))

    moved = digest_of(copy / "main.py")
    copy.rename(tmp_path)

    assert moved == digest_of(main)


def test_an_edit_shows_even_within_the_clocks_resolution(tmp_path: Path) -> None:
    path = tmp_path / "value.py"
    values = []
    for value in (1, 2, 3):
        path.write_text(f"VALUE = {value}\n")
        values.append(module_of(path, digest_of(path)).VALUE)

    assert values == [1, 2, 3]


def test_a_file_of_equal_digest_is_loaded_once(tmp_path: Path) -> None:
    path = tmp_path / "value.py"
    path.write_text("VALUE = 1\n")
    digest = digest_of(path)

    assert module_of(path, digest) is module_of(path, digest)
