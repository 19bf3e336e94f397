from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnbbench.data.bundled import wine
from gnbbench.data.files import load_file
from gnbbench.errors import DatasetError, GnbBenchError

Write = Callable[..., Path]
PLAIN = [[1.0, 2.5], [3.0, 4.5], [5.0, 6.5]]


@pytest.mark.parametrize(
    "content",
    [
        "a,b,y\n1,2.5,p\n3,4.5,q\n5,6.5,p\n",
        "a;b;y\r\n1;2.5;p\r\n3;4.5;q\r\n5;6.5;p\r\n",
        'a\tb\ty\n"1"\t"2.5"\t"p"\n3\t4.5\tq\n5\t6.5\tp',
        '\ufeff"a","b","y"\n1,2.5,p\n3,4.5,q\n5,6.5,p\n',
        " a , b , y \n 1 , 2.5 , p \n3 ,4.5 , q\n5,6.5,p\n\n",
        "  a  b  y\n1 2.5 p\n 3\t4.5 q \n5 6.5 p\n",
        "b,y,a\n2.5,p,1\n4.5,q,3\n6.5,p,5\n",
    ],
)
def test_all_ways_to_write_a_table_give_the_same(write: Write, content: str) -> None:
    dataset = load_file(write(content), target="y")

    order = np.argsort(dataset.feature_names)
    assert dataset.X[:, order].tolist() == PLAIN
    assert dataset.y.tolist() == ["p", "q", "p"]
    assert sorted(dataset.feature_names) == ["a", "b"]
    assert dataset.X.flags.c_contiguous
    assert (dataset.name, dataset.target_name, dataset.notes) == ("data", "y", ())


def test_what_was_left_out_is_noted(write: Write) -> None:
    content = "id,a,y\nu,1,p\nv,?,q\nw,3,\nx,4,q\n"

    dataset = load_file(write(content), target="y", drop=["id"], missing="drop")

    assert dataset.X.tolist() == [[1.0], [4.0]]
    assert dataset.notes == (
        "Left out on request: column 'id'.",
        "Left out 2 of 4 rows for a missing value.",
    )


def test_names_that_look_like_markup_stay_as_they_are(write: Write) -> None:
    dataset = load_file(write("<script>,y\n1,<b>\n2,&\n"), target="y")

    assert dataset.feature_names == ("<script>",)
    assert dataset.class_names == ("&", "<b>")


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("a,y\n1,p\n", {}, "--target: not given"),
        (
            "a,y\n1,p\nx,q\n",
            {"target": "y"},
            "'a' holds text, 1 value (first 'x' in line 3)",
        ),
        ("a,y\n1,p\n,q\n", {"target": "y"}, "first in line 3, column 'a'"),
        ("a,y\n1,p\n2,\n", {"target": "y"}, "first in line 3, column 'y'"),
        ("a,y\n1,p\n\ninf,q\n", {"target": "y"}, "first in line 4, column 'a'"),
        ("a,y\n?,p\n1,1.5\n2,2\n", {"target": "y"}, "first in line 2, column 'a'"),
        ("a,y\n1,p\n2,p\n", {"target": "y"}, "one class only, 'p'"),
        ("a,y\n1,p\n,q\n", {"target": "y", "missing": "drop"}, "one class only, 'p'"),
        ("a,y\n,p\n,q\n", {"target": "y", "missing": "drop"}, "no row is complete"),
        (
            "a,y\n?,1\n1,1.5\n2,2\n",
            {"target": "y", "missing": "drop"},
            "first 1.5 in line 3",
        ),
    ],
)
def test_a_file_that_cannot_serve_gets_one_line(
    write: Write, content: str, options: Any, message: str
) -> None:
    with pytest.raises(GnbBenchError) as refusal:
        load_file(write(content), **options)

    assert message in str(refusal.value)
    assert str(refusal.value).isprintable()


def test_penguins_say_step_by_step_what_they_need(shared_data: Path) -> None:
    path = shared_data / "palmerpenguins" / "penguins.csv"
    with pytest.raises(
        DatasetError, match=r"'island', 'sex' hold text .such as 'Torgersen'"
    ):
        load_file(path, target="species")
    with pytest.raises(DatasetError, match=r"8 missing values in 2 of 344 rows.*in line 5"):
        load_file(path, target="species", drop=["island", "sex"])

    dataset = load_file(path, target="species", drop=["island", "sex"], missing="drop")

    assert dataset.X.shape == (342, 5)
    assert dataset.class_names == ("Adelie", "Chinstrap", "Gentoo")
    assert np.bincount(dataset.codes).tolist() == [151, 68, 123]


@pytest.mark.parametrize(
    ("path", "options", "shape", "n_classes"),
    [
        ("glass/glass.data", {"target": "c10", "drop": ["c0"]}, (214, 9), 6),
        ("ionosphere/ionosphere.data", {"target": "c34"}, (351, 34), 2),
        ("yeast/yeast.data", {"target": "c9", "drop": ["c0"]}, (1484, 8), 10),
        ("banknote/data_banknote_authentication.txt", {"target": "c4"}, (1372, 4), 2),
        ("wine-uci/wine.data", {"target": "c0"}, (178, 13), 3),
    ],
)
def test_real_files_without_a_header_are_read_once_that_is_said(
    shared_data: Path, path: str, options: Any, shape: tuple[int, int], n_classes: int
) -> None:
    with pytest.raises(DatasetError, match="--no-header"):
        load_file(shared_data / path, **options)

    dataset = load_file(shared_data / path, header=False, **options)

    assert dataset.X.shape == shape
    assert len(dataset.classes) == n_classes


def test_the_original_wine_is_the_bundled_one(shared_data: Path) -> None:
    path = shared_data / "wine-uci" / "wine.data"

    dataset = load_file(path, target="c0", header=False)

    assert np.array_equal(dataset.X, wine().X)
    assert np.array_equal(dataset.codes, wine().codes)


def test_student_performance_is_read_with_semicolons_and_quotes(shared_data: Path) -> None:
    path = shared_data / "student-performance" / "student-mat.csv"
    expected = pd.read_csv(path, sep=";")
    text = expected.select_dtypes(exclude="number").columns.tolist()

    dataset = load_file(path, target="school", drop=[n for n in text if n != "school"])

    numbers = expected.drop(columns=text)
    assert dataset.feature_names == tuple(numbers.columns)
    assert np.array_equal(dataset.X, numbers.to_numpy(dtype=float))
    assert dataset.class_names == ("GP", "MS")
