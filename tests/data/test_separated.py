from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gnbbench.data.dataset import Dataset
from gnbbench.data.loading import load
from gnbbench.data.looks import Look
from gnbbench.data.separated import look_at_text
from gnbbench.errors import DatasetError, GnbBenchError

OPTIONS: dict[str, Any] = {
    "target": "y",
    "drop": (),
    "separator": None,
    "header": None,
    "missing": "error",
    "block_rows": None,
}


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str | bytes], Path]:
    def writer(content: str | bytes) -> Path:
        path = tmp_path / "data.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return writer


def look_at(path: Path, **options: Any) -> Look:
    return look_at_text(path, **{**OPTIONS, **options})[0]


def rows(look: Look) -> tuple[Any, list[int], list[int]]:
    blocks = [block for part in look.fragments for block in part.batches()]
    X = np.concatenate([block.X for block in blocks])
    codes = np.concatenate([block.codes for block in blocks])
    return X, codes.tolist(), [block.first_row for block in blocks]


def agrees(look: Look, dataset: Dataset) -> bool:
    X, codes, _ = rows(look)
    return (
        np.array_equal(X, dataset.X)
        and codes == dataset.codes.tolist()
        and np.array_equal(look.classes, dataset.classes)
        and look.columns.features == dataset.feature_names
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
        "x;y\n1;5\n2;6.0\n3; 5\n",
        "x,y\nTrue,a\nFalse,b\n,a\nTrue,b\n".replace(",a\nTrue", "False,a\nTrue"),
        "x,ü,y\n1,2,grün\n2,3,blau\n3,4,grün\n",
        "0,1,2\n1.5,a,1\n2.5,b,2\n".replace("a", "3").replace("b", "4"),
    ],
)
@pytest.mark.parametrize("piece_bytes", [1, 3, 8, 2**20])
def test_pieces_of_any_size_hold_what_the_file_holds(
    write: Callable[[str], Path], text: str, piece_bytes: int
) -> None:
    path = write(text)
    target = "2" if text.startswith("0") else "y"

    look = look_at(path, target=target, piece_bytes=piece_bytes)

    assert agrees(look, load(path, target=target))


values = st.text('a" ,;\n', max_size=4).map(lambda text: f"k{text}")


@pytest.mark.slow
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    max_examples=15,
    deadline=None,
)
@given(
    labels=st.lists(values, min_size=4, max_size=12).filter(
        lambda given: len(set(given)) > 1
    ),
    piece_bytes=st.integers(1, 90),
    block_rows=st.integers(1, 5),
)
def test_quotes_and_line_ends_in_labels_cut_no_record(
    write: Callable[[str], Path], labels: list[str], piece_bytes: int, block_rows: int
) -> None:
    frame = pd.DataFrame({"x": range(len(labels)), "y": labels})
    path = write(frame.to_csv(index=False))
    try:
        dataset = load(path, target="y")
    except GnbBenchError:
        with pytest.raises(GnbBenchError):
            look_at(path, piece_bytes=piece_bytes)
        return

    look = look_at(path, piece_bytes=piece_bytes, block_rows=block_rows)

    assert agrees(look, dataset)


def test_small_pieces_are_many_parts(write: Callable[[str], Path]) -> None:
    path = write("x,y\n" + "1,a\n2,b\n" * 50)

    look = look_at(path, piece_bytes=40)

    assert len(look.fragments) > 5
    assert rows(look)[2] == [part.first_row for part in look.fragments]


def test_without_a_header_columns_are_named_by_position(
    write: Callable[[str], Path],
) -> None:
    path = write("1.5,a\n2.5,b\n3.5,a\n")

    look = look_at(path, target="c1", header=False, piece_bytes=6)

    assert look.columns.features == ("c0",)
    assert rows(look)[0].ravel().tolist() == [1.5, 2.5, 3.5]


def test_rows_with_gaps_go_when_asked(write: Callable[[str], Path]) -> None:
    path = write("x,z,y\n1,1,a\n?,1,b\n2,2,b\n3,3,\n4,NA,c\n5,5,a\n6,inf,NA\n")

    look = look_at(path, missing="drop", piece_bytes=8, block_rows=1)

    assert agrees(look, load(path, target="y", missing="drop"))
    assert look.classes.tolist() == ["a", "b"]
    assert look.class_counts.tolist() == [2, 1]
    assert rows(look)[2] == [0, 1, 2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,y\n1,a\n2,b\n3,b,4\n", "line 4 has 3 values, not 2 as the first line"),
        ("x,y\n1,a\n2,b\n3\n", "line 4 has 1 values, not 2 as the first line"),
        ("x,y\n1,a\n2,b\n3,\n", "missing values, first in line 4, column 'y'"),
        ("x,y\n1,1\n2,2\n\n3,2.5\n", "'y' is continuous: 3 distinct.*first 2.5 in line 5"),
        ("x,y\n1,a\n2,a\n3,a\n", "target 'y' has one class only, 'a'"),
        ('x,y\n1,a\n2,b\n3,"b\n', "a quote opened in line 4 is not closed. Close it."),
        ("x,y\n1,a\n2,b\n3,\xff\n".encode("latin1"), "not UTF-8: byte 0xff in line 4"),
        ("x,y\n", "no row under the header"),
        (" \n", "the file is empty"),
        ("", "the file is empty"),
        (b"x,y\n1,\0\n", "it is a binary file"),
        ("1.5,2\n3,4\n", "the first line holds numbers"),
    ],
)
@pytest.mark.parametrize("piece_bytes", [4, 2**20])
def test_the_first_look_names_what_is_wrong(
    write: Callable[[Any], Path], text: str | bytes, message: str, piece_bytes: int
) -> None:
    path = write(text)

    with pytest.raises(DatasetError, match=message):
        look_at(path, piece_bytes=piece_bytes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,z,y\n1,0,a\n2,0,b\n\n,0,b\n", "missing values, first in line 5, column 'x'"),
        (
            "x,z,y\n1,0,a\n2,0,b\n3,-inf,b\n",
            "infinite or too large, first in line 4, column 'z'",
        ),
        (
            "x,z,y\n1,0,a\n2,0,b\nred,0,b\n",
            r"'x' holds text, 1 value \(first 'red' in line 4\)",
        ),
    ],
)
@pytest.mark.parametrize("piece_bytes", [4, 2**20])
def test_reading_names_what_is_wrong(
    write: Callable[[str], Path], text: str, message: str, piece_bytes: int
) -> None:
    look = look_at(write(text), piece_bytes=piece_bytes)

    with pytest.raises(DatasetError, match=message):
        rows(look)


def test_text_is_not_to_be_encoded(write: Callable[[str], Path]) -> None:
    look = look_at(write("x,z,y\n1,red,a\n2,3,b\n"))

    with pytest.raises(DatasetError, match=r"Leave out: --drop z$"):
        rows(look)


@pytest.mark.parametrize(
    ("text", "line"),
    [("x,y\n1,a\n2,b\nTrue,a\n", 4), ("x,y\nTrue,a\n,b\nFalse,b\n,b\n2,b\n", 6)],
)
def test_a_feature_is_all_truth_values_or_none(
    write: Callable[[str], Path], text: str, line: int
) -> None:
    look = look_at(write(text), piece_bytes=4, missing="error")

    message = f"'x' mixes numbers with true and false, in line {line} too"
    with pytest.raises(DatasetError, match=message):
        list(look.fragments[-1].batches())


def test_a_label_of_another_spelling_is_the_same_class(
    write: Callable[[str], Path],
) -> None:
    path = write("x,y\n1,1\n2,2\n3,1.0\n4, 2\n5,02\n")

    look = look_at(path, piece_bytes=5)

    assert agrees(look, load(path, target="y"))
    assert look.class_counts.tolist() == [2, 3]
