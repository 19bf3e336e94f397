import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets as sklearn_datasets

from gnbbench.data.catalogue import DATASETS, CatalogueEntry, names
from gnbbench.data.checks import FLAGS
from gnbbench.data.loading import load
from gnbbench.errors import DatasetError, GnbBenchError

Write = Callable[..., Path]


@pytest.mark.parametrize("entry", DATASETS, ids=names())
def test_an_entry_is_true_and_its_parameters_load_it_again(entry: CatalogueEntry) -> None:
    dataset = load(entry.name)

    assert dataset.name == entry.name
    assert dataset.X.shape == (entry.n_samples, entry.n_features)
    assert len(dataset.classes) == entry.n_classes
    assert load(**dataset.parameters).sha256 == dataset.sha256
    assert "\n" not in entry.description
    if entry.name == "gaussians":
        return
    X, y = getattr(sklearn_datasets, f"load_{entry.name}")(return_X_y=True)
    assert np.array_equal(dataset.X, X)
    assert np.array_equal(dataset.y, y)
    assert dataset.X.flags.c_contiguous
    assert len(dataset.feature_names) == X.shape[1]
    assert dataset.origin
    assert dataset.licence
    dataset.X[:] = 0
    assert np.array_equal(load(entry.name).X, X)


SEMICOLONS = {"separator": ";", "header": False, "drop": ["c3"], "missing": "drop"}
SIZES = "gaussians?n=60&d=2&k=4&seed=5&offset=1e3"
TEXT = "sex,age,G1,G3\nF,15,3,9\n M,16,?,10\n?,17,5,12\nF,18,6,?\nM,19,7,8\n"


@pytest.mark.parametrize(
    ("content", "options", "X"),
    [
        (SIZES, {}, None),
        (
            "1;?;p;9\n2;3;q;9\n4;5;p;9\n",
            {"target": "c2", **SEMICOLONS},
            [[2.0, 3.0], [4.0, 5.0]],
        ),
        (
            TEXT,
            {"target": " G3 < 9 ", "one_hot": True, "missing": "drop"},
            [[1, 0, 15, 3], [0, 1, 19, 7]],
        ),
    ],
)
def test_its_parameters_load_it_again(
    write: Write, content: str, options: Any, X: list[list[float]] | None
) -> None:
    dataset = load(content if content == SIZES else write(content), **options)

    again = load(**dataset.parameters)

    assert X is None or again.X.tolist() == X
    assert again.sha256 == dataset.sha256
    assert again.notes == dataset.notes
    assert again.parameters == dataset.parameters
    assert all(again.parameters[name] == options[name] for name in {*options} - {"target"})


def test_a_name_comes_before_a_file(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("a,y\n1,p\n2,q\n", "iris")
    monkeypatch.chdir(path.parent)

    assert len(load("iris").y) == 150
    assert len(load("./iris", target="y").y) == 2
    assert len(load(Path("iris"), target="y").y) == 2
    path.rename("flowers")
    assert load("flowers", target="y").name == "flowers"


PLAIN = [[1.0, 2.5], [3.0, 4.5], [5.0, 6.5]]


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ("irsi", {}, "'irsi'. Did you mean 'iris'? See: gnbbench list datasets"),
        ("gausians?offset=1.5", {}, "Did you mean 'gaussians'?"),
        ("breast-cancer", {}, "Did you mean 'breast_cancer'?"),
        ("", {}, "Unknown dataset ''"),
        ("zzz" * 2000, {}, "Unknown dataset 'zzz"),
        *((path, {}, "no such file") for path in ("irsi.csv", "data/irsi")),
        *((path, {}, "is a directory") for path in (".", "/")),
        ("iris", {"target": "y"}, "--target: it does not apply to the dataset 'iris'"),
        ("iris", {"missing": "drop"}, "--missing: it does not apply"),
        ("iris", {"drop": ["a"]}, "--drop: it does not apply"),
        ("iris", {"header": False}, "--no-header: it does not apply"),
        ("wine?n=9", {}, "wine: it has no parameter 'n'. Write wine alone."),
        ("gaussians?n=", {}, "gaussians?n: '' is not a whole number from 2"),
        ("gaussians", {"separator": ","}, "--sep: it does not apply"),
    ],
)
def test_mistyped_or_inapplicable_options_get_one_short_line(
    source: str, options: Any, message: str
) -> None:
    with pytest.raises(GnbBenchError) as refusal:
        load(source, **options)

    assert message in str(refusal.value)
    assert len(str(refusal.value)) < 200
    assert [*FLAGS, "offline"] == [*inspect.signature(load).parameters][1:]


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
    dataset = load(write(content), target="y")

    order = np.argsort(dataset.feature_names)
    assert dataset.X[:, order].tolist() == PLAIN
    assert dataset.y.tolist() == ["p", "q", "p"]
    assert sorted(dataset.feature_names) == ["a", "b"]
    assert dataset.X.flags.c_contiguous
    assert (dataset.name, dataset.target_name, dataset.notes) == ("data", "y", ())


def test_omissions_are_noted(write: Write) -> None:
    content = "id,a,y\nu,1,p\nv,?,q\nw,3,\nx,4,q\n"

    dataset = load(write(content), target="y", drop=["id"], missing="drop")

    assert dataset.X.tolist() == [[1.0], [4.0]]
    first, second = dataset.notes
    assert first == "Left out on request: column 'id'."
    assert second == "Left out 2 of 4 rows for a missing value."


@pytest.mark.parametrize(
    "numbers", [range(1, 31), range(30, 0, -1), [*range(5, 34), 4.0], [*range(1, 30), 29]]
)
def test_a_feature_that_may_number_the_rows_is_noted(write: Write, numbers: Any) -> None:
    lines = [f"{n},{2 * n},{n + 0.5},{'pq'[row % 2]}\n" for row, n in enumerate(numbers)]

    def notes(rows: int) -> tuple[str, ...]:
        return load(write("".join(["my id,a,b,y\n", *lines[:rows]])), target="y").notes

    low = int(min(numbers))
    assert notes(30) == (
        f"Feature 'my id' has each whole number from {low} to {low + 29} once, as row "
        "numbers do. If it is one, leave it out: --drop 'my id'.",
    ) * (len(set(numbers)) == 30)
    assert notes(19) == ()


CANNOT_SERVE: list[tuple[str | bytes, dict[str, Any], str]] = [
    *(
        (empty, {}, ".csv: the file is empty")
        for empty in (b"", b" \r\n\n", b"\xef\xbb\xbf")
    ),
    ("x,y\n".encode("utf-16"), {}, ".csv: it is UTF-16, not UTF-8"),
    ("x,y\n".encode("utf-32"), {}, ".csv: it is UTF-32, not UTF-8"),
    (b"PK\x03\x04rest", {}, ".csv: it is an archive, such as .npz"),
    (b"% a\n@RELATION iris\n@DATA\n1,2\n", {}, ".csv: it is an ARFF file"),
    (b'[{"a":1,"y":"p"},{"a":2,"y":"q"}]', {}, ".csv: it is a JSON file. Convert it to"),
    (b'{"a":{"0":1},\n "y":{"0":"p"}}', {}, ".csv: it is a JSON file"),
    (b"# made by hand\nx,y\n1,a\n2,b\n", {}, ".csv: the first line is a comment (#)"),
    (b"\x7fELF\x00\x01", {}, ".csv: it is a binary file"),
    (b"PAR1\x00\x01", {}, ".csv: it is a Parquet file, which only compare"),
    (b"\x93NUMPY\x01\x00", {}, ".csv: it is a NumPy array, which only compare"),
    ("a,y\n1,p\nx,q\n", {}, "'a' holds text, 1 value (first 'x' in line 3)"),
    ("a,y\n1,p\n,q\n", {}, "first in line 3, column 'a'"),
    ("a,y\n1,p\n2,\n", {}, "first in line 3, column 'y'"),
    ("a,y\n1,p\n\ninf,q\n", {}, "first in line 4, column 'a'"),
    ("a,y\n?,p\n1,1.5\n2,2\n", {}, "first in line 2, column 'a'"),
    ("a,y\n1,p\n,q\n", {"missing": "drop"}, "only one class, 'p'"),
    ("a,y\n,p\n,q\n", {"missing": "drop"}, "no row is complete"),
    ("a,y\n?,1\n1,1.5\n2,2\n", {"missing": "drop"}, "first 1.5 in line 3"),
    (TEXT, {"target": "G4>=10"}, "'G4', named in 'G4>=10'. Did you"),
    (TEXT, {"target": " 'g3'>=10"}, "named in \" 'g3'>=10\". Did you mean 'G3'"),
    (TEXT, {"target": "G3=10"}, "'G3=10' has '='. Write =="),
    (TEXT, {"target": "sex>1", "missing": "drop"}, "holds text (first 'F' in line 2)"),
    (TEXT, {"target": "G3>=99", "one_hot": True, "missing": "drop"}, "from 8 to 9"),
    (TEXT, {"target": "G3>=10"}, "with --one-hot; or leave out: --drop sex"),
    (TEXT, {"target": "G3<9", "one_hot": True}, "3 missing values in 3 of 5 rows, first"),
]


@pytest.mark.parametrize(("content", "options", "message"), CANNOT_SERVE)
def test_a_file_that_cannot_serve_gets_one_line(
    write: Write, content: str | bytes, options: Any, message: str
) -> None:
    path = write(content)
    with pytest.raises(GnbBenchError) as refusal:
        load(path, **{"target": "y", **options})

    assert message in str(refusal.value)
    assert str(refusal.value).isprintable()
    command = f"Use: gnbbench compare {path} --stream --target "
    assert (command in str(refusal.value)) == ("only compare" in message)


def test_penguins_say_step_by_step_what_they_need(shared_data: Path) -> None:
    path = shared_data / "palmerpenguins" / "penguins.csv"
    with pytest.raises(DatasetError, match=r"'island', 'sex' hold text .such as 'Tor"):
        load(path, target="species")
    with pytest.raises(DatasetError, match=r"8 missing values in 2 of 344 rows.*in line 5"):
        load(path, target="species", drop=["island", "sex"])

    dataset = load(path, target="species", drop=["island", "sex"], missing="drop")

    assert load("breast_cancer").class_names == ("malignant", "benign")
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
def test_real_files_without_a_header_are_read_with_no_header(
    shared_data: Path, path: str, options: Any, shape: tuple[int, int], n_classes: int
) -> None:
    with pytest.raises(DatasetError, match="--no-header"):
        load(shared_data / path, **options)

    dataset = load(shared_data / path, header=False, **options)

    assert dataset.X.shape == shape
    assert len(dataset.classes) == n_classes
    if "wine" in path:
        assert np.array_equal(dataset.X, load("wine").X)
        assert np.array_equal(dataset.codes, load("wine").codes)


def test_targets_that_compare_and_text_that_is_encoded(write: Write) -> None:
    dataset = load(write(TEXT), target="G3<9", one_hot=True, missing="drop")

    assert dataset.feature_names == ("sex=F", "sex=M", "age", "G1")
    assert dataset.X.tolist() == [[1, 0, 15, 3], [0, 1, 19, 7]]
    assert dataset.y.tolist() == [0, 1]
    assert dataset.class_names == ("G3 >= 9", "G3 < 9")
    assert dataset.target_name == "G3 < 9"
    assert dataset.notes == (
        "Left out 3 of 5 rows for a missing value.",
        "Encoded 1 text column as 2 of 0 and 1, one per category: 'sex'.",
    )


def test_a_column_of_that_very_name_comes_before_a_comparison(write: Write) -> None:
    path = write("a,G3,G3>=10\n1,9,<b>\n2,11, w\n3,12,<b> \n")

    named = load(path, target="G3>=10", drop=["G3"])
    compared = load(path, target="`G3`>=10", drop=["G3>=10"])
    of_text = load(path, target="`G3>=10` == 'w'", one_hot=True)

    assert named.y.tolist() == ["<b>", "w", "<b>"]
    assert compared.y.tolist() == [0, 1, 1]
    assert of_text.y.tolist() == [0, 1, 0]
    assert of_text.class_names == ("G3>=10 != 'w'", "G3>=10 == 'w'")
    assert of_text.notes == ()


def test_student_performance_equals_the_result_of_pandas(shared_data: Path) -> None:
    path = shared_data / "student-performance" / "student-mat.csv"
    table = pd.read_csv(path, sep=";")

    dataset = load(path, separator=";", target="G3>=10", one_hot=True)

    wanted = pd.get_dummies(table.drop(columns="G3"), prefix_sep="=", dtype=float)
    found = pd.DataFrame(dataset.X, columns=list(dataset.feature_names))
    assert set(found) == set(wanted)
    assert np.array_equal(found[list(wanted)], wanted.to_numpy(dtype=float))
    assert np.array_equal(dataset.y, (table["G3"] >= 10).to_numpy(dtype=int))
    assert dataset.class_names == ("G3 < 10", "G3 >= 10")
