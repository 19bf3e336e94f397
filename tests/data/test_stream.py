import gzip
import os
import pickle
import sys
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from faults.streams import rows_of

from gnbbench.data.loading import load
from gnbbench.data.stream import THREAD_NAME, RowBatch, Stream, open_stream, read_ahead
from gnbbench.data.tables import open_text
from gnbbench.errors import DatasetError, GnbBenchError


def opened(stored: Any, **more: Any) -> Stream:
    return open_stream(stored.path, **stored.options, **more)


@pytest.mark.parametrize("block_rows", [1, 7, 59, 60, 61, None])
def test_a_stream_is_what_the_loader_says_in_batches_of_any_size(
    stored: Any, block_rows: int | None, complaints: Any
) -> None:
    stream, dataset = opened(stored, block_rows=block_rows), stored.dataset

    for _ in range(2):
        assert complaints(stream.batches(), dataset, stream.block_rows) == []
    assert stream.feature_names == dataset.feature_names
    assert stream.class_names == dataset.class_names
    assert np.array_equal(stream.classes, dataset.classes)
    assert stream.class_counts.tolist() == np.bincount(dataset.codes).tolist()
    assert stream.n_rows == len(dataset.X)
    assert stream.block_rows == (block_rows or 2**21 // dataset.X.shape[1])
    assert (stream.name, stream.where) == (stored.path.stem, str(stored.path))


def test_fragments_read_alone_and_elsewhere_have_the_same_rows(
    stored: Any, complaints: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(stored.path.parent)
    here = open_stream(stored.path.name, **stored.options, block_rows=2)
    stream = pickle.loads(pickle.dumps(here))  # noqa: S301
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")

    assert stream.where == stored.path.name
    read = {f.first_row: list(f.batches()) for f in reversed(stream.fragments)}

    batches = [batch for fragment in stream.fragments for batch in read[fragment.first_row]]
    assert complaints(batches, stored.dataset, 2) == []
    for fragment, following in pairwise(stream.fragments):
        assert fragment.first_row + fragment.n_rows == following.first_row
    for fragment in stream.fragments:
        assert sum(len(one.codes) for one in read[fragment.first_row]) == fragment.n_rows
        assert len(pickle.dumps(fragment)) < 4000


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("with_truth", [False, True])
@pytest.mark.usefixtures("either_reader")
def test_text_becomes_the_columns_that_the_loader_makes_of_it(
    suffix: str, with_truth: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
    rng = np.random.default_rng(0)
    columns = {
        "sex": rng.choice(["F", "M"], 400),
        "x": rng.normal(size=400),
        "colour": np.array(["light blue", "red", "w,1", None])[rng.integers(0, 4, 400)],
        **({"seen": rng.random(400) < 0.5} if with_truth else {}),
        "y": rng.choice(["a", "b"], 400),
    }
    frame = pd.DataFrame(columns)
    frame.to_csv(tmp_path / "d.csv", index=False)
    frame.to_parquet(tmp_path / "d.parquet", row_group_size=90)
    in_pieces = partial(open_text, fragment_bytes=2000)
    monkeypatch.setattr("gnbbench.data.stream.open_text", in_pieces)

    given: dict[str, Any] = {"target": "y", "one_hot": True}
    expected = load(tmp_path / "d.csv", missing="drop", **given)
    stream = open_stream(tmp_path / f"d{suffix}", missing="drop", block_rows=70, **given)

    X, _ = rows_of(stream)
    assert stream.feature_names == expected.feature_names
    assert stream.notes == expected.notes
    np.testing.assert_array_equal(X, expected.X)
    with pytest.raises(DatasetError, match=r"missing values.*column 'colour'"):
        list(open_stream(tmp_path / f"d{suffix}", **given).batches())


def test_too_many_categories_are_an_identifier(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("id,y\n" + "".join(f"n{row},{row % 2}\n" for row in range(300)))

    with pytest.raises(DatasetError, match="'id' has more than 256 categories"):
        open_stream(path, target="y", one_hot=True)


Fault = Callable[[list[RowBatch]], list[RowBatch]]
FAULTS: list[tuple[Fault, str]] = [
    (lambda batches: batches[:-1], "56 rows, not 60"),
    (
        lambda batches: [replace(b, first_row=n) for n, b in enumerate(batches)],
        "a batch starts at row 1, not 7",
    ),
    (lambda batches: batches[::-1], "a batch starts at row 56, not 0"),
    (
        lambda batches: [replace(b, codes=np.roll(b.codes, 1)) for b in batches],
        "labels differ",
    ),
    # One buffer for all batches, as of a source that does not copy.
    (
        lambda batches: [replace(b, X=batches[-1].X[: len(b.codes)]) for b in batches],
        "values differ",
    ),
]


@pytest.mark.parametrize(("fault", "complaint"), FAULTS)
def test_a_planted_fault_is_complained_of(
    tmp_path: Path, frame: pd.DataFrame, complaints: Any, fault: Fault, complaint: str
) -> None:
    path = tmp_path / "a.csv"
    frame.to_csv(path, index=False)
    stream = open_stream(path, target="kind", block_rows=7)
    dataset = load(path, target="kind")

    assert complaints(stream.batches(), dataset, 7) == []
    assert complaint in " ".join(complaints(fault([*stream.batches()]), dataset, 7))


def test_the_digest_knows_the_columns_but_neither_path_nor_time_nor_blocks(
    stored: Any, tmp_path: Path
) -> None:
    stream = opened(stored, block_rows=9)
    again = open_stream(**stream.parameters)
    (tmp_path / "elsewhere").mkdir()
    moved = stored.path.rename(tmp_path / "elsewhere" / "other")
    for file in [moved, *moved.rglob("*.parquet")]:
        os.utime(file, (1, 1))
    fewer = {**stored.options, "drop": [stored.dataset.feature_names[0]]}

    assert (again.parameters, again.block_rows) == (stream.parameters, 9)
    assert again.sha256 == stream.sha256
    assert open_stream(moved, **stored.options, block_rows=5).sha256 == stream.sha256
    assert open_stream(moved, **fewer).sha256 != stream.sha256


def rewritten(path: Path) -> None:
    """Change one value of some file at this path, and the time of the file."""
    file = next(iter(sorted(path.rglob("*.parquet"))), path) if path.is_dir() else path
    content = file.read_bytes()
    if path.suffix in {".csv", ".tsv"}:
        file.write_bytes(content.replace(b"-0.", b"-1.", 1))
    elif path.suffix == ".npy":
        array = np.load(file)
        array[0, 0] += 1
        np.save(file, array)
    else:
        frame = pd.read_parquet(file, partitioning=None)
        frame["a"] = frame["a"].to_numpy() + 100.0
        frame.to_parquet(file, index=False)
    os.utime(file, (1, 1))


def test_a_change_between_two_looks_is_an_error_and_another_digest(stored: Any) -> None:
    stream = opened(stored)
    rewritten(stored.path)

    with pytest.raises(DatasetError, match="it changed during the study"):
        list(stream.batches())
    assert opened(stored).sha256 != stream.sha256
    assert threads() == []


def test_a_change_while_it_is_read_is_an_error(stored: Any) -> None:
    stream = opened(stored, block_rows=1)
    batches = stream.fragments[-1].batches()
    next(batches)
    for file in [stored.path, *stored.path.rglob("*.parquet")]:
        os.utime(file, (1, 1))

    if stored.path.suffix in {".csv", ".tsv"}:
        assert sum(len(batch.codes) for batch in batches) == 59  # it was read in one go
    else:
        with pytest.raises(DatasetError, match="it changed during the study"):
            list(batches)


def test_a_file_that_vanished_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x,y\n1,a\n2,b\n")
    stream = open_stream(path, target="y")
    path.unlink()

    with pytest.raises(DatasetError, match="it disappeared during the study"):
        list(stream.batches())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "kinds"}, "it has no column 'kinds'"),
        ({"target": None}, "--target: not given"),
        ({"drop": ...}, "no column is left besides the target"),
        ({"missing": "fill"}, "--missing: 'fill' is unknown"),
        ({"block_rows": 0}, "--block-rows: 0 is less than 1"),
    ],
)
def test_bad_options_are_refused(
    stored: Any, options: dict[str, Any], message: str
) -> None:
    every = {"drop": stored.dataset.feature_names} if "drop" in options else {}

    with pytest.raises(GnbBenchError, match=message):
        open_stream(stored.path, **{**stored.options, **options, **every})


def threads() -> list[str]:
    names = [thread.name for thread in threading.enumerate()]
    return [name for name in names if name.startswith(THREAD_NAME)]


def test_items_come_in_order_from_one_other_thread_which_ends() -> None:
    seen = set()

    def numbers() -> Generator[int, None, None]:
        for number in range(20):
            seen.add(threading.get_ident())
            yield number

    assert list(read_ahead(numbers())) == list(range(20))
    assert len(seen - {threading.get_ident()}) == len(seen) == 1
    assert threads() == []


def test_the_next_item_is_made_while_one_is_used_and_none_beyond() -> None:
    made_second = threading.Event()

    def numbers() -> Generator[int, None, None]:
        yield 0
        made_second.set()
        yield 1
        pytest.fail("made two ahead")

    items = read_ahead(numbers())

    assert next(items) == 0
    assert made_second.wait(timeout=60)
    assert len(threads()) == 1
    items.close()
    assert threads() == []


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a directory with one table as CSV and Parquet: numbers, text, some missing."""
    directory, rng = tmp_path_factory.mktemp("measured"), np.random.default_rng(0)
    table = pd.DataFrame({name: rng.normal(size=400).round(3) for name in "abg"})
    table["s"] = rng.choice(["u", "v w", "=x"], 400)
    table.loc[5:9, "g"] = table.loc[3, "a"] = np.nan
    table.to_csv(directory / "made.csv", index=False)
    table.to_parquet(directory / "made.parquet")
    np.save(directory / "made.npy", table[["a", "b", "g"]])
    return directory


@pytest.mark.parametrize(
    ("target", "drop"),
    [("g>=0.5", "s"), ("a < -1e-1", "s"), ("s == 'v w'", "g"), ("s != '=x'", "g")],
)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_comparison_makes_the_labels_that_it_makes_of_the_whole(
    measured: Path, suffix: str, target: str, drop: str
) -> None:
    given: Any = {"target": target, "drop": [drop], "missing": "drop"}
    whole = load(str(measured / "made.csv"), **given)

    stream = open_stream(measured / f"made.{suffix}", **given, block_rows=70)

    batches = list(stream.batches())
    assert np.array_equal(np.concatenate([batch.X for batch in batches]), whole.X)
    assert np.array_equal(np.concatenate([b.codes for b in batches]), whole.codes)
    assert len(set(whole.codes[:70])) == 2
    assert np.array_equal(stream.classes, whole.classes)
    assert stream.class_names == whole.class_names
    assert stream.target_name == whole.target_name
    assert open_stream(**stream.parameters).sha256 == stream.sha256


def test_a_column_of_an_array_is_compared_too(measured: Path) -> None:
    given: Any = {"target": "x2>=0.5", "missing": "drop"}

    stream = open_stream(measured / "made.npy", **given)

    csv = {**given, "target": "g>=0.5", "drop": ["s"]}
    codes = load(str(measured / "made.csv"), **csv).codes
    assert stream.class_counts.tolist() == np.bincount(codes).tolist()
    assert stream.class_names == ("x2 < 0.5", "x2 >= 0.5")


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("g>=50", "'g >= 50' holds in no row of "),
        ("g<50", "'g < 50' holds in every row of "),
        ("s>1", "column 's' holds text (first '"),
        ("g=='x'", "column 'g' holds numbers, which cannot be compared with the text 'x'"),
    ],
)
@pytest.mark.parametrize("block_rows", [1, 400])
def test_a_comparison_is_refused_of_a_stream_as_of_the_whole(
    measured: Path, target: str, words: str, block_rows: int
) -> None:
    given: Any = {"target": target, "missing": "drop", "drop": "" if "s" in target else "s"}
    path = measured / "made.csv"
    with pytest.raises(GnbBenchError) as refusal:
        load(str(path), **given)
    with pytest.raises(GnbBenchError) as found:
        open_stream(path, **given, block_rows=block_rows)

    assert str(found.value) == str(refusal.value)
    assert words in str(found.value)


def test_a_stream_of_other_rows_is_distinguished_from_the_whole(measured: Path) -> None:
    path = measured / "made.csv"
    given: Any = {"drop": ["s"], "missing": "drop"}

    codes = [
        np.concatenate([b.codes for b in open_stream(path, target=t, **given).batches()])
        for t in ("g>=0.5", "g>=0.4")
    ]

    assert np.array_equal(codes[0], load(str(path), target="g>=0.5", **given).codes)
    assert not np.array_equal(codes[0], codes[1])


def closed(items: Generator[int, None, None]) -> None:
    next(items)
    items.close()


def exhausted(items: Generator[int, None, None]) -> None:
    assert [next(items), next(items)] == [0, 1]
    with pytest.raises(OSError, match="no item 2"):
        next(items)


def interrupted(items: Generator[int, None, None]) -> None:
    def consume() -> None:
        with closing(items):
            for number in items:
                raise ArithmeticError(number)

    with pytest.raises(ArithmeticError, match="0"):
        consume()


@pytest.mark.parametrize("used", [closed, exhausted, interrupted])
def test_nothing_is_made_before_it_is_asked_for_nor_after_the_end(
    used: Callable[[Generator[int, None, None]], None],
) -> None:
    """Closed, or ended by an exception of the source or the consumer."""
    made, ended = [], []

    def numbers() -> Generator[int, None, None]:
        try:
            for number in range(100):
                if used is exhausted and number == 2:
                    raise OSError("no item 2")
                made.append(number)
                yield number
        finally:
            ended.append(True)

    items = read_ahead(numbers())
    assert (made, threads()) == ([], [])
    used(items)

    assert ended == [True]
    assert len(made) <= 2
    assert threads() == []


GIVEN: Mapping[str, Any] = {"target": "s", "drop": ["g"], "missing": "drop"}


def zstd(content: bytes) -> bytes:
    """Compress in two frames, as some programs do."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    halves = content[: len(content) // 2], content[len(content) // 2 :]
    return b"".join(pyarrow.compress(half, "zstd", asbytes=True) for half in halves)


@pytest.fixture(scope="module", params=[(gzip.compress, "gz"), (zstd, "zst")])
def packed(measured: Path, request: pytest.FixtureRequest) -> Path:
    """Give the table compressed."""
    compress, suffix = request.param
    path = measured / f"packed.csv.{suffix}"
    path.write_bytes(compress((measured / "made.csv").read_bytes()))
    return path


def test_a_compressed_file_is_the_file_that_it_was(
    measured: Path, packed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_pieces = partial(open_text, fragment_bytes=1000)
    monkeypatch.setattr("gnbbench.data.stream.open_text", in_pieces)
    whole = load(str(measured / "made.csv"), **GIVEN)

    unpacked, stream = load(str(packed), **GIVEN), open_stream(packed, **GIVEN)

    assert unpacked.name == stream.name == "packed"
    assert np.array_equal(unpacked.X, whole.X)
    assert np.array_equal(unpacked.y, whole.y)
    # Forwards, then backwards.
    assert len(stream.fragments) > 5
    for fragments in (stream.fragments, stream.fragments[::-1]):
        for fragment in fragments:
            for batch in fragment.batches():
                rows = slice(batch.first_row, batch.first_row + len(batch.X))
                assert np.array_equal(batch.X, whole.X[rows])
                assert np.array_equal(batch.codes, whole.codes[rows])
    assert stream.n_rows == len(whole.X)


@pytest.mark.parametrize("fault", ["cut", "changed", "no text"])
def test_damaged_archives_get_one_line(packed: Path, fault: str, tmp_path: Path) -> None:
    content, path = packed.read_bytes(), tmp_path / f"a.csv{packed.suffix}"
    compress, packer = (gzip.compress, "gzip") if path.suffix == ".gz" else (zstd, "zstd")
    middle = len(content) // 2
    faults = {
        "cut": content[:middle],
        "changed": content[:middle] + bytes(64) + content[middle + 64 :],
        "no text": compress(b"PAR1" + bytes(99)),
    }
    path.write_bytes(faults[fault])
    damaged = f"it is damaged: {packer} cannot unpack it"
    words = "a binary file" if fault == "no text" else damaged
    for open_it in (load, open_stream):
        with pytest.raises(DatasetError, match=words):
            open_it(str(path), **GIVEN)


def test_without_a_library_for_zstd_one_line_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv.zst"
    path.write_bytes(zstd(b"a,b,y\n1,2,x\n2,1,z\n"))
    for name in ("pyarrow", "compression.zstd"):
        monkeypatch.setitem(sys.modules, name, None)

    for open_it in (load, open_stream):
        with pytest.raises(DatasetError, match="Install it: pip install pyarrow"):
            open_it(str(path), **GIVEN)
