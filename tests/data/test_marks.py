import os
from pathlib import Path

import pytest

from gnbbench.data.marks import mark_of
from gnbbench.errors import DatasetError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a"
    path.write_text("12")
    return path


def test_a_file_left_alone_is_the_same(path: Path) -> None:
    mark = mark_of(path)
    path.read_text()

    mark.refuse_changed()


def test_another_size_is_a_change_even_at_the_same_time(path: Path) -> None:
    mark = mark_of(path)
    path.write_text("123")
    os.utime(path, ns=(mark.modified_ns, mark.modified_ns))

    with pytest.raises(DatasetError, match="a: it changed since it was first looked at"):
        mark.refuse_changed()


def test_another_time_is_a_change_even_at_the_same_size(path: Path) -> None:
    mark = mark_of(path)
    os.utime(path, ns=(mark.modified_ns, mark.modified_ns + 1000))

    with pytest.raises(DatasetError, match="it changed since"):
        mark.refuse_changed()


def test_a_file_that_is_gone_is_a_change(path: Path) -> None:
    mark = mark_of(path)
    path.unlink()

    with pytest.raises(DatasetError, match="it is gone since"):
        mark.refuse_changed()


def test_a_file_that_never_was_cannot_be_marked(path: Path) -> None:
    with pytest.raises(DatasetError, match="there is no such file"):
        mark_of(path.with_name("b"))


def test_messages_show_the_path_as_it_was_given(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    mark = mark_of(Path("a"))
    path.unlink()

    assert mark.path == path
    with pytest.raises(DatasetError, match=r"^a: it is gone"):
        mark.refuse_changed()
