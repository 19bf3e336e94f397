"""Copies are whole or not there, whatever happens while they are written."""

import os
import threading
from pathlib import Path

import pytest

from gnbbench.data.copies import (
    Fetched,
    copies_of,
    directory,
    read_copy,
    write_copy,
)
from gnbbench.errors import DatasetError

ONE = Fetched(
    source="openml:61",
    name="größe\nü",
    origin="OpenML",
    text='a,"b\r\n",y\n1,2,"x"\n',
    licence="CC0",
    targets=("y",),
    aside=("a",),
    notes=("One.", "Two."),
)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GNBBENCH_CACHE", str(tmp_path / "deep" / "cache"))
    return tmp_path / "deep" / "cache"


def test_what_is_written_is_read_again(cache: Path) -> None:
    path = write_copy(ONE)

    assert path == cache / "openml-61.csv"
    assert read_copy(path) == ONE
    assert [*cache.iterdir()] == [path]


def test_copies_are_found_by_number_and_by_the_name_asked_for() -> None:
    by_number, by_name = write_copy(ONE), write_copy(ONE, asked="iris-2")

    assert set(copies_of("openml", "61")) == {by_number, by_name}
    assert copies_of("openml", "iris-2") == [by_name]
    for other in ("6", "1", "610", "iris", "2", "ris-2"):
        assert copies_of("openml", other) == []
    assert copies_of("uci", "61") == []


def test_every_flipped_byte_is_noticed() -> None:
    path = write_copy(ONE)
    whole = path.read_bytes()

    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert read_copy(path) is None, place
    path.write_bytes(whole)
    assert read_copy(path) == ONE


@pytest.mark.parametrize("content", [b"", b"\n", b"a,b\n1,2\n", b"\xff\xfe\n{}"])
def test_another_file_is_no_copy(cache: Path, content: bytes) -> None:
    cache.mkdir(parents=True)
    path = cache / "openml-61.csv"
    path.write_bytes(content)

    assert read_copy(path) is None
    assert read_copy(cache / "none.csv") is None
    assert read_copy(cache) is None


def test_half_a_file_is_noticed() -> None:
    path = write_copy(ONE)
    whole = path.read_bytes()

    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert read_copy(path) is None


def test_readers_see_whole_files_while_many_write() -> None:
    versions = [
        Fetched("openml:61", "a", "b", text=f"a,y\n{number},1\n" * 2000)
        for number in range(4)
    ]
    path = write_copy(versions[0])
    writers = [
        threading.Thread(target=lambda one=one: [write_copy(one) for _ in range(8)])
        for one in versions
    ]

    for writer in writers:
        writer.start()
    seen = [read_copy(path)]
    while any(writer.is_alive() for writer in writers):
        seen.append(read_copy(path))

    assert all(one in versions for one in seen)
    assert [*path.parent.iterdir()] == [path]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = write_copy(ONE)

    def full(_file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DatasetError, match=r"No space left on device.*GNBBENCH_CACHE=DIR"):
        write_copy(Fetched("openml:61", "a", "b", text="c"))

    assert read_copy(path) == ONE
    assert [*path.parent.iterdir()] == [path]


def test_a_cache_that_is_a_file_gets_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("GNBBENCH_CACHE", str(tmp_path / "file"))

    assert copies_of("openml", "61") == []
    with pytest.raises(DatasetError, match="cannot be written"):
        write_copy(ONE)


def test_without_the_variable_it_is_the_users_cache(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GNBBENCH_CACHE", "")

    assert directory().name == "gnbbench"
    assert directory().is_absolute()
