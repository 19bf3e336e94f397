"""The figure that a reading gives, the samples that it is of, and how they are cut."""

import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults.claims import OPEN, made_claim
from sklearn.datasets import load_digits, load_iris
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold, cross_val_score, train_test_split
from sklearn.naive_bayes import GaussianNB

from gnbbench.claims.claim import Claim, Protocol, Reading, published
from gnbbench.claims.measurements import (
    DataNotGivenError,
    Evaluations,
    FitTimes,
    certified,
    dataset_of,
    rules_of,
    runs_of,
)
from gnbbench.claims.metrics import METRICS
from gnbbench.claims.table import read_claims, usual_directory
from gnbbench.conformance.certified_data import SAMPLES
from gnbbench.errors import DatasetError, UnknownNameError
from gnbbench.measurement.timing import TimingPlan
from gnbbench.studies.plan import sample_of

CLAIMS = [claim for claim in read_claims(usual_directory()) if claim.source.key == "NIST"]


def exact(claim: Claim) -> float:
    """Return the figure of the binary numbers by exact arithmetic, rounded once."""
    values = [
        Fraction(x) for x in SAMPLES[claim.protocol.readings[0].dataset].groups[0].tolist()
    ]
    mean = sum(values, Fraction(0)) / len(values)
    if claim.metric == "mean":
        return float(mean)
    return math.sqrt(sum((x - mean) ** 2 for x in values) / (len(values) - 1))


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_exact_arithmetic_gives_the_digits_that_are_held(claim: Claim) -> None:
    assert claim.published.is_reached_by(exact(claim))


@pytest.mark.parametrize("name", ["mavro", "michelso", "numacc3", "numacc4"])
def test_binary_numbers_allow_no_more_digits_than_a_few_beyond(name: str) -> None:
    (claim,) = (claim for claim in CLAIMS if claim.id == f"nist-{name}-deviation")
    digits = claim.published.digits

    assert digits is not None
    assert not published(claim.published.text, digits + 3).is_reached_by(exact(claim))


def test_a_deviation_has_the_divisor_n_minus_1() -> None:
    reading = Reading("certified", "NumAcc1")

    found = certified(reading, "standard_deviation", "sklearn?var_smoothing=0.0")

    assert found.value == 1.0


def test_another_sample_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="NumAcc1"):
        certified(Reading("certified", "NumAc1"), "mean", "numpy")


READING = Reading("times", "iris", test_size=0.3, random_state=42, stratify=True)


@pytest.fixture(scope="module")
def times() -> FitTimes:
    return FitTimes(TimingPlan(rounds=8))


def test_a_time_has_its_interval_and_both_sides_of_a_ratio_were_timed_together(
    times: FitTimes,
) -> None:
    ratio = times.ratio(READING, "study-a")
    ours, theirs = (times.seconds(READING, name) for name in ("study-a", "sklearn"))

    assert 0 < ratio.low <= ratio.value <= ratio.high
    assert "sklearn against itself" in ratio.message
    assert 0 < ours.low <= ours.high
    assert ours.spread >= 0
    assert "calls" in ours.message
    assert ours.message.split(",")[0] == theirs.message.split(",")[0]


def test_the_mean_over_folds_is_that_of_cross_val_score() -> None:
    X, y = load_digits(return_X_y=True)
    kept = np.isin(y, [3, 8])
    reading = Reading("folds", "digits", folds=10, classes=(3, 8))
    claim = made_claim("a", "> 0.86", protocol=Protocol("folds", (reading,)))

    found = Evaluations([claim]).measured(reading, METRICS["mean_test_accuracy"], "sklearn")

    expected = cross_val_score(GaussianNB(), X[kept], y[kept], cv=10).mean()
    assert found.value == pytest.approx(expected, abs=1e-12)


def test_every_seed_has_its_own_figure() -> None:
    X, y = load_iris(return_X_y=True)
    plain = OPEN.readings[1]
    claim = made_claim("a", "0.95", protocol=OPEN, metric="f1")

    found = Evaluations([claim], most_runs=12).measured(plain, METRICS["f1"], "sklearn")

    expected = []
    for seed in range(12):
        X_train, X_test, y_train, y_test = train_test_split(
            X, y, test_size=0.2, random_state=seed
        )
        labels = GaussianNB().fit(X_train, y_train).predict(X_test)
        expected.append(f1_score(y_test, labels, average="macro"))
    assert found.repeats is not None
    assert found.repeats.tolist() == pytest.approx(expected, abs=1e-12)


def test_a_figure_over_runs_spreads_as_resampled_runs_do() -> None:
    reading = Reading("splits", "iris", test_size=0.3, runs=100, random_state=5)
    claim = made_claim("a", "95.5 %", protocol=Protocol("many", (reading,)))
    evaluations = Evaluations([claim])
    each = evaluations.measured(reading, METRICS["test_accuracy"], "sklearn").repeats

    found = evaluations.measured(reading, METRICS["mean_test_accuracy"], "sklearn")

    assert each is not None
    assert found.repeats is not None
    assert found.is_resampled
    assert found.n_runs == 100
    assert found.value == pytest.approx(each.mean(), abs=1e-12)
    assert found.repeats.std() == pytest.approx(each.std() / 10, rel=0.15)


def test_a_run_has_all_train_fractions_or_one() -> None:
    every = Reading("splits", "iris", train_fractions=(0.2, 0.5), runs=20)
    one = replace(every, fractions_per_run="one", open=("fractions_per_run",))
    claim = made_claim("a", "95.5 %", protocol=Protocol("sweep", (every, one)))
    evaluations = Evaluations([claim])

    runs = [
        evaluations.measured(reading, METRICS["mean_test_accuracy"], "sklearn").n_runs
        for reading in (every, one)
    ]

    assert runs == [40, 20]


def test_an_implementation_that_fails_has_no_value() -> None:
    reading = Reading("whole", "iris")
    name = "sklearn?priors=[0.5,0.5]"
    claim = made_claim(
        "a", "0.9", protocol=Protocol("one", (reading,)), implementation=name
    )

    found = Evaluations([claim]).measured(reading, METRICS["train_accuracy"], name)

    assert np.isnan(found.value)
    assert "1 of 1 runs failed" in found.message


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


ROWS_OF_IRIS = np.arange(150)


@pytest.mark.parametrize(
    ("reading", "expected"),
    [
        (
            Reading("split", "iris", test_size=0.25, random_state=1),
            [train_test_split(ROWS_OF_IRIS, test_size=0.25, random_state=1)],
        ),
        (
            Reading("folds", "iris", folds=7),
            StratifiedKFold(7).split(ROWS_OF_IRIS, ROWS_OF_IRIS // 50),
        ),
        (Reading("whole", "iris"), [(ROWS_OF_IRIS, ROWS_OF_IRIS)]),
    ],
)
def test_rows_are_cut_as_scikit_learn_cuts_them(reading: Reading, expected: Any) -> None:
    iris = sample_of(dataset_of(reading))
    (rule,) = rules_of(reading)

    found = [rule.cut(iris, run) for run in runs_of(reading)]

    for one, (train, test) in zip(found, expected, strict=True):
        assert one.train.tolist() == train.tolist()
        assert one.test.tolist() == test.tolist()


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
