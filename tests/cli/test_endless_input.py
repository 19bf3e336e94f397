"""Input without end or measure: refused by a process of its own, in one line."""

import gzip
import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow
import pytest
from faults.commands import start

from gnbbench.data import separated
from gnbbench.data.separated import read_text
from gnbbench.errors import DatasetError

COMPARE = ("compare", "{}", "--target", "y")
STREAM = (*COMPARE, "--stream")
ENDLESS = "it is a device or a pipe"
ROWS = b"a,b,y\n" + b"1,2,x\n2,1,z\n" * 9
# What is endless is refused at each place where a file is named.
CASES = (
    (COMPARE, "/dev/zero", ENDLESS),
    (STREAM, "pipe", ENDLESS),
    (("run", "{}"), "/dev/zero", ENDLESS),
    (("run", "{}"), "pipe", ENDLESS),
    (("diff", "{}", "{}"), "/dev/zero", "/dev/zero: it is not a directory"),
    (("conformance", "numpy", "--expect-fail", "{}"), "pipe", ENDLESS),
    (("compare", "iris", "--against", "{}:GNB"), "pipe.py", "cannot be read: " + ENDLESS),
    (COMPARE, "line.csv", "the sample in line 20 is longer than 64 MiB"),
    (STREAM, "line.csv", "the sample in line 20 is longer than 64 MiB"),
    (COMPARE, "bomb.csv.gz", "gzip unpacks it to more than 200 times its size"),
    (STREAM, "bomb.csv.zst", "zstd unpacks it to more than 200 times its size"),
    (COMPARE, "label.csv", "line 20 has 100,000 characters in 'y'"),
    (COMPARE, "value.csv", "a value after line 19 is longer than 131,072 characters"),
)


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give a directory of pipes without a writer, of long lines and of bombs."""
    folder = tmp_path_factory.mktemp("endless")
    for name in ("pipe", "pipe.py"):
        os.mkfifo(folder / name)
    (folder / "line.csv").write_bytes(ROWS)
    os.truncate(folder / "line.csv", 200_000_000)
    bomb = ROWS + b"1,2,x\n" * 13_000_000
    (folder / "bomb.csv.gz").write_bytes(gzip.compress(bomb, 1))
    (folder / "bomb.csv.zst").write_bytes(pyarrow.compress(bomb, "zstd", asbytes=True))
    (folder / "label.csv").write_bytes(ROWS + b"1,2," + b"x" * 100_000 + b"\n")
    (folder / "value.csv").write_bytes(ROWS + b"1,2," + b"x" * 140_000 + b"\n")
    yield folder
    (folder / "line.csv").unlink()


@pytest.mark.slow
@pytest.mark.parametrize(("words", "place", "remark"), CASES)
def test_endless_or_huge_files_are_one_line_errors(
    words: tuple[str, ...], place: str, remark: str, here: Path
) -> None:
    code, err = start(here, *(word.format(place) for word in words)).end()

    assert code == 2, err
    assert err.startswith("gnbbench: ")
    assert len(err.splitlines()) == 1
    assert remark in err


def test_limits_are_raised_by_the_setting_that_the_refusal_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(ROWS + b"1," + b" " * 2**21 + b"2,x\n" + ROWS * 2**16)
    monkeypatch.setenv("GNBBENCH_MAX_MIB", "4")
    monkeypatch.setattr(separated, "FRAGMENT_BYTES", 2**19)

    with pytest.raises(DatasetError, match=r"line 20 is longer than 1 MiB.*MAX_MIB=8"):
        read_text(path)
    monkeypatch.setenv("GNBBENCH_MAX_MIB", "8")
    path.write_bytes(ROWS * 2**17)
    with pytest.raises(DatasetError, match=r"longer than 8 MiB\. Read .*MAX_MIB=16"):
        read_text(path)
    monkeypatch.setenv("GNBBENCH_MAX_MIB", "16")
    assert len(read_text(path)) == 2**17 * len(ROWS)


def test_a_file_that_changes_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(ROWS)

    def touched(_content: bytes) -> int:
        os.utime(path, (2, 2))
        return 1

    monkeypatch.setattr(separated, "end_of_lines", touched)
    with pytest.raises(DatasetError, match=r"a\.csv: it changed while it was read"):
        read_text(path)
