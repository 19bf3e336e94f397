"""Targets that are comparisons and features of text, of files with every trouble."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnbbench.data.loading import load
from gnbbench.errors import GnbBenchError

Write = Callable[..., Path]
CONTENT = "sex,age,G1,G3\nF,15,3,9\n M,16,?,10\n?,17,5,12\nF,18,6,?\nM,19,7,8\n"


def test_missing_values_of_every_kind_follow_the_rule(write: Write) -> None:
    path = write(CONTENT)
    with pytest.raises(
        GnbBenchError, match="3 missing values in 3 of 5 rows, first in line 3"
    ):
        load(path, target="G3<9", one_hot=True)

    dataset = load(path, target="G3<9", one_hot=True, missing="drop")

    assert dataset.feature_names == ("sex=F", "sex=M", "age", "G1")
    assert dataset.X.tolist() == [[1, 0, 15, 3], [0, 1, 19, 7]]
    assert dataset.y.tolist() == [0, 1]
    assert dataset.class_names == ("G3 >= 9", "G3 < 9")
    assert dataset.target_name == "G3 < 9"
    assert dataset.notes == (
        "Left out 3 of 5 rows for a missing value.",
        "Encoded 1 column of text as 2 of 0 and 1, one a level: 'sex'.",
    )


def test_its_parameters_load_it_again(write: Write) -> None:
    dataset = load(write(CONTENT), target=" G3 < 9 ", one_hot=True, missing="drop")

    assert load(**dataset.parameters).sha256 == dataset.sha256
    assert dataset.parameters["one_hot"] is True
    assert dataset.parameters["target"] == "G3 < 9"


def test_a_column_of_that_very_name_comes_first(write: Write) -> None:
    path = write("a,G3,G3>=10\n1,9,u\n2,11,v\n3,12,u\n")

    named = load(path, target="G3>=10", drop=["G3"])
    compared = load(path, target="`G3`>=10", drop=["G3>=10"])

    assert named.y.tolist() == ["u", "v", "u"]
    assert compared.y.tolist() == [0, 1, 1]


def test_text_of_the_compared_column_needs_no_encoding(write: Write) -> None:
    dataset = load(write("a,kind\n1,u v\n2, w\n3,w \n"), target='kind == "w"')

    assert dataset.y.tolist() == [0, 1, 1]
    assert dataset.class_names == ("kind != 'w'", "kind == 'w'")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "G4>=10"}, "no column 'G4', named at character 1 of 'G4>=10'. Did you"),
        (
            {"target": " 'g3'>=10"},
            "named at character 2 of \" 'g3'>=10\". Did you mean 'G3'",
        ),
        ({"target": "G3=10"}, "'G3=10' has '=' at character 3. Write =="),
        ({"target": "sex>1", "missing": "drop"}, "'sex' holds text (first 'F' in line 2)"),
        ({"target": "G3>=99", "one_hot": True, "missing": "drop"}, "from 8 to 9"),
        ({"target": "G3>=10", "drop": ["G3"]}, "--drop: 'G3' is the target"),
        (
            {"target": "G3>=10"},
            "Or: Encode as 0 and 1: --one-hot; or leave out: --drop sex",
        ),
    ],
)
def test_what_cannot_serve_gets_one_line(write: Write, options: Any, message: str) -> None:
    with pytest.raises(GnbBenchError) as refusal:
        load(write(CONTENT), **options)

    assert message in str(refusal.value)
    assert str(refusal.value).isprintable()


def test_without_text_one_hot_changes_nothing(write: Write) -> None:
    path = write("a,b,y\n1,2,u\n3,4,v\n")

    plain, asked = load(path, target="y"), load(path, target="y", one_hot=True)

    assert asked.sha256 == plain.sha256
    assert asked.notes == ()


def test_student_performance_is_what_pandas_makes_of_it(shared_data: Path) -> None:
    path = shared_data / "student-performance" / "student-mat.csv"
    table = pd.read_csv(path, sep=";")

    dataset = load(path, separator=";", target="G3>=10", one_hot=True)

    wanted = pd.get_dummies(table.drop(columns="G3"), prefix_sep="=", dtype=float)
    found = pd.DataFrame(dataset.X, columns=list(dataset.feature_names))
    assert set(found) == set(wanted)
    assert np.array_equal(found[list(wanted)], wanted.to_numpy(dtype=float))
    assert np.array_equal(dataset.y, (table["G3"] >= 10).to_numpy(dtype=int))
    assert dataset.class_names == ("G3 < 10", "G3 >= 10")
