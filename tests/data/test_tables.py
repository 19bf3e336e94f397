"""Both ways of cutting text, by pandas and by pyarrow, give the same rows and refusals."""

import csv as csv_module
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gnbbench.data import tables
from gnbbench.data.arrow import columns_of_text
from gnbbench.data.columns import ColumnRequest
from gnbbench.data.dataset import Dataset, describe
from gnbbench.data.fragments import Fragment, Labels, first_look
from gnbbench.data.loading import load
from gnbbench.data.parts import parts_of
from gnbbench.data.samples import labels_from_text, numbers_in
from gnbbench.data.separated import header_of, records
from gnbbench.data.stream import open_stream
from gnbbench.data.tables import TextTable, open_text
from gnbbench.errors import DatasetError, GnbBenchError

Write = Callable[..., Path]


def table(text: str, separator: str = ",", *, header: bool | None = None) -> TextTable:
    return TextTable(header_of("a.csv", text, separator, header=header), text)


def test_numbers_are_read_to_the_last_bit_and_the_text_column_stays_text() -> None:
    values = [0.1, 1 / 3, 2.2250738585072014e-308, 1.7976931348623157e308, 5e-324]
    text = "x,y\n" + "".join(f"{value!r},01\n" for value in values)

    rows = table(text).rows("y")

    assert rows["x"].tolist() == values
    assert rows["y"].tolist() == ["01"] * 5
    assert table("1,2\n3,4\n", header=False).rows("c1").shape == (2, 2)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_rows_know_their_line(end: str) -> None:
    lines = table(end.join(["", "x,y", "", '1,"a', 'b"', " ", "2,c", "3,d", ""]))
    spaced = table(end.join(["x y", "", " 1  a ", "2\tb", ""]), r"\s+")

    assert (len(lines.rows("y")), len(spaced.rows("y"))) == (3, 2)
    places = [lines.source.place(row) for row in range(3)]
    assert places == ["line 4", "line 7", "line 8"]
    assert [spaced.source.place(row) for row in range(2)] == ["line 3", "line 4"]


@given(
    st.lists(st.sampled_from(["1,a", '2,"b"', '"3","c\nd"', "", "  ", "4, e", "5,"])),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["", "\n", "\r\r", " \n"]),
    st.booleans(),
)
def test_no_row_is_lost_between_the_two_readers(
    lines: list[str], end: str, before: str, closed: bool
) -> None:
    """Pandas reads the values, the csv module finds the lines: both must count alike."""
    text = before + end.join(["x,y", "0,z", *lines]) + (end if closed else "")
    rows = [record for _, record in records(text, ",")][1:]

    body = table(text).rows("y")

    assert body["x"].tolist() == [int(row[0]) for row in rows]
    assert body["y"].fillna("").tolist() == [row[1] for row in rows]


CELLS = st.one_of(
    st.sampled_from(["", " ", "?", " ?", "NA", "nan", "-NaN", "inf", "+1", "1e5", "true"]),
    st.sampled_from(["1 ", " 7", "1_0", "0x1", "1e400", "1,5", "#N/A", " n/a", "a b", "'"]),
    st.floats().map(repr),
    st.text('a1" \r', max_size=3),
)


@pytest.mark.slow
@settings(max_examples=300)
@given(
    rows=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=6),
    quoting=st.sampled_from([csv_module.QUOTE_MINIMAL, csv_module.QUOTE_NONNUMERIC, None]),
    separator=st.sampled_from([",", ";", "\t"]),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_pyarrow_reads_what_pandas_reads_or_leaves_it_to_pandas(
    rows: list[tuple[str, str]], quoting: Any, separator: str, end: str
) -> None:
    pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
    if quoting is None:
        lines = [separator.join(row) for row in [("x", "y"), *rows]]
        text = end.join(lines) + end
    else:
        frame = pd.DataFrame(rows, columns=["x", "y"])
        text = frame.to_csv(index=False, sep=separator, lineterminator=end, quoting=quoting)
    cut = table(text, separator, header=True)

    read = columns_of_text(cut.rows_text(), cut.header, ["x"], "y")

    if read is None:
        return
    X, values, indices = read
    body = cut.rows("y")
    labels, missing = tables.label_texts(body, "y")
    numbers, wrong = numbers_in(body["x"])
    assert not wrong.any()
    assert np.array_equal(X[:, 0], numbers, equal_nan=True)
    assert [values[at] if at >= 0 else None for at in indices] == [
        None if gone else label for label, gone in zip(labels, missing, strict=True)
    ]
    assert len(set(values)) == len(values)


def test_pyarrow_reads_plain_text_itself() -> None:
    pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")

    for text in ("x,y\n1,a\n,b\n", 'x,y\r\n1,"a"\r\n2,"b, c"\r\n', "x,y\n 1, a\n ?, ?\n"):
        cut = table(text)
        assert columns_of_text(cut.rows_text(), cut.header, ["x"], "y") is not None


@pytest.fixture
def look_at(either_reader: None) -> Callable[..., Any]:  # noqa: ARG001
    """Return a function that reads a file, with and without pyarrow."""

    def look(
        path: Path, *, fragment_bytes: int = 2**20, block_rows: int = 1000, **options: Any
    ) -> tuple[tuple[str, ...], Labels, tuple[Fragment, ...]]:
        request = ColumnRequest(**{"target": "y", **options})
        source = open_text(parts_of([path], "text"), str(path), request, fragment_bytes)
        columns = source.columns
        looked = first_look(source.readers, columns, labels_from_text, block_rows)
        return columns.features, *looked

    return look


def rows_of(fragments: tuple[Fragment, ...]) -> tuple[Any, list[int], list[int]]:
    batches = [batch for fragment in fragments for batch in fragment.batches()]
    X = np.concatenate([batch.X for batch in batches])
    codes = np.concatenate([batch.codes for batch in batches])
    return X, codes.tolist(), [batch.first_row for batch in batches]


def agrees(look: Any, dataset: Dataset) -> bool:
    features, labels, fragments = look
    X, codes, _ = rows_of(fragments)
    return (
        np.array_equal(X, dataset.X)
        and codes == dataset.codes.tolist()
        and np.array_equal(labels.classes, dataset.classes)
        and features == dataset.feature_names
    )


@pytest.mark.parametrize(
    "text",
    [
        "x,y\n1,a\n2,b\n3,a\n",
        "x,y\r\n1,a\r\n2,b\r\n3,a",
        "x,y\r1,a\r2,b\r3,a\r",
        "\ufeffx,y\n1,a\n\n\n2,b\n3,a\n\n",
        "x y\n1  a\n2 b\n 3 a\n",
        'x,y\n1,"a\nb"\n2,"c ""d"", e"\n3,"a\nb"\n',
        '"x","y"\n1,a\n2,b\n3,a\n',
        'x,y\n1,"a\nb"\n\n2,"c"\n3,"a\nb"\n4,"c"\n',
        "x;y\n1;5\n2;6.0\n3; 5\n",
        "x,y\nTrue,a\nFalse,b\nFalse,a\nTrue,b\n",
        "x,ü,y\n1,2,grün\n2,3,blau\n3,4,grün\n",
        "0,1,y\n1.5,3,1\n2.5,4,2\n",
    ],
)
@pytest.mark.parametrize("fragment_bytes", [1, 3, 8, 2**20])
def test_fragments_of_any_size_hold_what_the_file_holds(
    write: Write, look_at: Any, text: str, fragment_bytes: int
) -> None:
    path = write(text)

    looked = look_at(path, fragment_bytes=fragment_bytes, header=True)
    assert agrees(looked, load(path, target="y", header=True))


@pytest.mark.slow
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=15,
)
@given(
    labels=st.lists(
        st.text('a" ,;\n', max_size=4).map(lambda text: f"k{text}"), min_size=4, max_size=12
    ).filter(lambda given: len(set(given)) > 1),
    fragment_bytes=st.integers(1, 90),
    block_rows=st.integers(1, 5),
)
def test_quotes_and_line_ends_in_labels_cut_no_record(
    write: Write, look_at: Any, labels: list[str], fragment_bytes: int, block_rows: int
) -> None:
    frame = pd.DataFrame({"x": range(len(labels)), "y": labels})
    path = write(frame.to_csv(index=False))
    try:
        dataset = load(path, target="y")
    except GnbBenchError:
        with pytest.raises(GnbBenchError):
            look_at(path, fragment_bytes=fragment_bytes)
        return

    look = look_at(path, fragment_bytes=fragment_bytes, block_rows=block_rows)

    assert agrees(look, dataset)


def test_small_pieces_are_many_fragments_whose_columns_may_have_no_names(
    write: Write, look_at: Any
) -> None:
    path = write("1.5,a\n2.5,b\n" * 50)

    features, _, fragments = look_at(path, target="c1", header=False, fragment_bytes=40)

    assert features == ("c0",)
    assert len(fragments) > 5
    X, _, first_rows = rows_of(fragments)
    assert X.ravel().tolist() == [1.5, 2.5] * 50
    assert first_rows == [fragment.first_row for fragment in fragments]


def test_rows_with_gaps_go_on_request(write: Write, look_at: Any) -> None:
    path = write("x,z,y\n1,1,a\n?,1,b\n2,2,b\n3,3,\n4,NA,c\n5,5,a\n6,inf,NA\n")

    look = look_at(path, missing="drop", fragment_bytes=8, block_rows=1)

    assert agrees(look, load(path, target="y", missing="drop"))
    assert look[1].classes.tolist() == ["a", "b"]
    assert look[1].counts.tolist() == [2, 1]
    assert rows_of(look[2])[2] == [0, 1, 2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,y\n1,a,b\n2,b,c\n", "line 2 has 3 values, the first line 2"),
        ("x,y", "no rows under the header"),
        ("x,y\n\n  \n", "no rows under the header"),
        ("x,y\n1,a\n2,b\n3,b,4\n", "line 4 has 3 values, the first line 2"),
        ("x,y\n1,a\n2,b\n3\n", "line 4 has 1 values, the first line 2"),
        ("x,y\n1,a\n2,b\n3,\n", "missing value.*first in line 4, column 'y'"),
        ("x,y\n1,1\n2,2\n\n3,2.5\n", "'y' is continuous: 3 distinct.*first 2.5 in line 5"),
        ("x,y\n1,a\n2,a\n3,a\n", "target 'y' has only one class, 'a'"),
        ('x,y\n1,a\n2,b\n3,"b\n', "a quote opened in line 4 is not closed. Close it."),
        ("x,y\n1,a\n2,b\n3,\xff\n".encode("latin1"), "not UTF-8: byte 0xff in line 4"),
        ("x,y\n", "no rows under the header"),
        (" \n", "the file is empty"),
        ("", "the file is empty"),
        (b"x,y\n1,\0\n", "it is a binary file"),
        ("1.5,2\n3,4\n", "the first line holds numbers"),
    ],
)
@pytest.mark.parametrize("fragment_bytes", [4, 2**20])
def test_the_first_look_names_what_is_wrong(
    write: Write, look_at: Any, text: str | bytes, message: str, fragment_bytes: int
) -> None:
    path = write(text)

    with pytest.raises(DatasetError, match=message):
        look_at(path, fragment_bytes=fragment_bytes)
    with pytest.raises(DatasetError, match=message):
        load(path, target="y")


def test_a_value_that_is_longer_than_any_is_a_quote_that_is_not_closed() -> None:
    with pytest.raises(DatasetError, match="a quote after line 1 is not closed"):
        table('x,y\n1,"' + "q" * 140_000 + "\n").rows("y")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,z,y\n1,0,a\n2,0,b\n\n,0,b\n", "missing values, first in line 5, column 'x'"),
        ("x,z,y\n1,0,a\n2,0,b\n3,-inf,b\n", "too large, first in line 4, column 'z'"),
        (
            "x,z,y\n1,0,a\n2,0,b\nred,0,b\n",
            r"'x' holds text, 1 value \(first 'red' in line 4\).*, or leave out: --drop x$",
        ),
        ("x,y\n1,a\n2,b\nTrue,a\n", "'x' mixes numbers with true and false, in line 4 too"),
        ("x,y\nTrue,a\n,b\nFalse,b\n,b\n2,b\n", "'x' mixes numbers with true and false"),
    ],
)
def test_reading_names_what_is_wrong(
    write: Write, look_at: Any, text: str, message: str
) -> None:
    path = write(text)
    _, _, fragments = look_at(path, fragment_bytes=4)

    with pytest.raises(DatasetError, match=message):
        rows_of(fragments[-1:])


def test_a_label_of_another_spelling_is_the_same_class(write: Write, look_at: Any) -> None:
    path = write("x,y\n1,1\n2,2\n3,1.0\n4, 2\n5,02\n")

    look = look_at(path, fragment_bytes=5)

    assert agrees(look, load(path, target="y"))
    assert look[1].counts.tolist() == [2, 3]


def test_a_value_too_long_for_the_csv_module_is_one_line(write: Write) -> None:
    long = "3" * 140_000
    path = write(f"a,b,y\n1,2,a\n{long}x,2,a\n4,5,b\n")
    message = "a value after line [12] is longer than 131,072 characters"

    with pytest.raises(DatasetError, match=message):
        load(path, target="y")
    with pytest.raises(DatasetError, match=message):
        list(open_stream(path, target="y").batches())


def test_many_columns_are_read_and_described(write: Write) -> None:
    n = 5_000
    names, values = ",".join(f"f{i}" for i in range(n)), ",".join(["1"] * n)

    dataset = load(write(f"{names},y\n{values},a\n{values},b\n"), target="y", drop=["f7"])

    assert dataset.X.shape == (2, n - 1)
    assert describe(dataset)["features"][-1]["feature"] == f"f{n - 1}"


def test_a_wide_table_is_what_pandas_reads() -> None:
    """Of one with many columns only the nulls that occur are looked for."""
    names = [f"c{place}" for place in range(1200)]
    rows = [[f"{row}.{place}" for place in range(1200)] for row in range(5)]
    for place, null in enumerate(("NA", " nan", "?", "")):
        rows[3][200 + 250 * place] = null
    lines = [[*names, "y"], *([*row, "ab"[place % 2]] for place, row in enumerate(rows))]
    cut = table("".join(",".join(line) + "\n" for line in lines))

    read = columns_of_text(cut.rows_text(), cut.header, names, "y")

    assert read is not None
    expected = cut.rows("y")[names].to_numpy(dtype=np.float64)
    assert np.isnan(expected).sum() == 4
    assert np.array_equal(read[0], expected, equal_nan=True)
