"""The samples that claims are of, and how readings cut them."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, train_test_split

from gnbbench.claims.claim import Reading
from gnbbench.claims.measurements import DataNotGivenError, dataset_of, rules_of, runs_of
from gnbbench.errors import DatasetError
from gnbbench.measurement.split_rules import Sample
from gnbbench.studies.plan import sample_of

HEAD = "school;sex;age;G1;G2;G3\n"
ROWS = {
    "mat": '"GP";"F";18;"5";"6";6\n"MS";"M";17;"15";"14";10\n',
    "por": '"GP";"M";16;"0";"11";11\n"GP";"F";15;"9";"11";9\n',
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for subject, rows in ROWS.items():
        (tmp_path / f"student-{subject}.csv").write_text(HEAD + rows)
    return tmp_path


def students(**changes: object) -> Reading:
    given: dict[str, object] = {"subject": "mat", "encoding": "numeric", **changes}
    return Reading("splits", "student-performance", **given)  # type: ignore[arg-type]


def test_a_student_passes_from_a_final_grade_of_ten(data: Path) -> None:
    numeric = dataset_of(students(), data)
    one_hot = dataset_of(students(encoding="one-hot", earlier_grades=False), data)

    assert numeric.y.tolist() == [0, 1]
    assert numeric.feature_names == ("age", "G1", "G2")
    assert numeric.X.tolist() == [[18, 5, 6], [17, 15, 14]]
    assert one_hot.feature_names == ("age", "school_GP", "school_MS", "sex_F", "sex_M")
    assert one_hot.X[0].tolist() == [18, 1, 0, 1, 0]
    assert dataset_of(students(subject="both"), data).y.tolist() == [0, 1, 1, 0]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataNotGivenError, match=r"student-por\.csv .* not found"):
        dataset_of(students(subject="por"), tmp_path)
    with pytest.raises(DataNotGivenError, match="--data DIR"):
        dataset_of(students())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a;b\n1;2\n", "no column 'G1'"),
        (HEAD + '"GP";"F";18;"x";"6";6\n', "a grade is not a number"),
        ("", "cannot be read"),
    ],
)
def test_another_file_of_that_name_is_refused(
    text: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / "student-mat.csv").write_text(text)

    with pytest.raises(DatasetError, match=words):
        dataset_of(students(), tmp_path)


def test_classes_that_are_not_kept_are_left_out() -> None:
    found = dataset_of(Reading("folds", "digits", folds=10, classes=(3, 8)))

    assert found.classes.tolist() == [3, 8]
    assert len(found.X) == 183 + 174


@pytest.fixture(scope="module")
def iris() -> Sample:
    return sample_of(dataset_of(Reading("whole", "iris")))


def test_a_split_is_that_of_train_test_split(iris: Sample) -> None:
    reading = Reading("split", "iris", test_size=0.25, random_state=1)

    one = rules_of(reading)[0].cut(iris, 0)

    train, test = train_test_split(np.arange(150), test_size=0.25, random_state=1)
    assert one.train.tolist() == train.tolist()
    assert one.test.tolist() == test.tolist()


def test_folds_are_those_of_cross_val_score(iris: Sample) -> None:
    reading = Reading("folds", "iris", folds=7)
    (rule,) = rules_of(reading)

    found = [rule.cut(iris, run).test.tolist() for run in runs_of(reading)]

    expected = StratifiedKFold(7).split(iris.X, iris.y)
    assert found == [test.tolist() for _, test in expected]


def test_the_whole_set_is_on_both_sides(iris: Sample) -> None:
    one = rules_of(Reading("whole", "iris"))[0].cut(iris, 0)

    assert one.train.tolist() == one.test.tolist() == list(range(150))


@pytest.mark.parametrize(
    ("reading", "most", "number"),
    [
        (Reading("splits", "iris", runs=1000), 50, 50),
        (Reading("splits", "iris", runs=30), 50, 30),
        (Reading("folds", "digits", folds=10), 5, 10),
    ],
)
def test_runs_are_cut_where_splits_are_repeated_alone(
    reading: Reading, most: int, number: int
) -> None:
    assert len(runs_of(reading, most)) == number
