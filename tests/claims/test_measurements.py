"""The figure that a reading gives, the samples that it is of, and how they are cut."""

import math
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from faults.claims import OPEN, made_claim
from scipy.stats import norm
from sklearn.datasets import load_iris
from sklearn.metrics import confusion_matrix, f1_score
from sklearn.model_selection import (
    KFold,
    StratifiedKFold,
    cross_val_score,
    train_test_split,
)
from sklearn.naive_bayes import GaussianNB

from gnbbench.claims.claim import Claim, Protocol, Reading, published
from gnbbench.claims.measurements import Evaluations, FitTimes, examine, of_model
from gnbbench.claims.protocols import METRICS, DataNotGivenError, dataset_of, runs_of
from gnbbench.claims.table import read_claims, usual_directory
from gnbbench.errors import ConfigurationError, GnbBenchError
from gnbbench.measurement.timing import TimingPlan

CLAIMS = [claim for claim in read_claims(usual_directory()) if claim.source.key == "NIST"]


def exact(claim: Claim) -> float:
    """Return the figure of the binary numbers by exact arithmetic, rounded once."""
    dataset = dataset_of(claim.protocol.readings[0])
    rows = [dataset.X[dataset.y == one, 0].tolist() for one in dataset.classes]
    groups = [[Fraction(x) for x in values] for values in rows]
    means = [sum(group, Fraction(0)) / len(group) for group in groups]
    if claim.metric == "mean":
        return float(means[0])
    squares = [(x - m) ** 2 for group, m in zip(groups, means, strict=True) for x in group]
    return math.sqrt(sum(squares) / (len(squares) - len(groups)))


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_exact_arithmetic_gives_the_digits_that_are_held(claim: Claim) -> None:
    assert claim.published.is_reached_by(exact(claim))


@pytest.mark.parametrize(
    "name", ["mavro", "michelso", "numacc3", "numacc4", "smls04", "smls07", "atmwtag"]
)
def test_binary_numbers_allow_no_more_digits_than_a_few_beyond(name: str) -> None:
    (claim,) = (claim for claim in CLAIMS if claim.id == f"nist-{name}-deviation")
    digits = claim.published.digits

    assert digits is not None
    assert not published(claim.published.text, digits + 3).is_reached_by(exact(claim))


def told(reading: Reading, metric: str, name: str = "sklearn", **changes: Any) -> Any:
    """Return the numbers that a model trained by a reading gives."""
    protocol = Protocol("one", (reading,))
    claim = made_claim("a", "1", protocol=protocol, metric=metric, **changes)
    return of_model(claim, reading, name, None).rows


def test_a_deviation_has_the_divisor_n_minus_1() -> None:
    reading = Reading("certified", "NumAcc1")

    assert told(reading, "standard_deviation", "sklearn?var_smoothing=0.0") == ((1.0,),)


def test_another_sample_is_refused() -> None:
    with pytest.raises(
        GnbBenchError, match=r"'NumAc1' is not in the data, which have: .*NumAcc1"
    ):
        told(Reading("certified", "NumAc1"), "mean")


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
    timings = times._timings(READING, "study-a")
    own = timings.seconds[:, timings.names.index("study-a")]
    assert (ours.value, ours.spread) == pytest.approx((own.mean(), own.std(ddof=1)))
    assert 0 < ours.low <= ours.high
    assert "calls" in ours.message
    assert ours.message.split(",")[0] == theirs.message.split(",")[0]


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
    claim = made_claim("a", "0.9", protocol=Protocol("1", (reading,)), implementation=name)

    values = Evaluations([claim]).measured(reading, METRICS["train_accuracy"], name)

    assert np.isnan(values.value)
    assert "1 of 1 runs failed" in values.message


def test_a_model_that_fails_or_lacks_what_is_asked_has_no_value() -> None:
    for name, metric, words in (
        ("sklearn?priors=[0.5,0.5]", "class_mean", "Number of priors"),
        ("density-product", "joint_likelihood", "there is no log-likelihood"),
    ):
        claim = made_claim("a", "1", metric=metric, samples=((5.0, 3.0, 1.0, 1.0),))
        found = of_model(claim, Reading("whole", "iris"), name, None)

        assert np.isnan(found.value)
        assert found.message.startswith(f"{name} failed: ")
        assert words in found.message


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
    assert one_hot.feature_names == ("school=GP", "school=MS", "sex=F", "sex=M", "age")
    assert one_hot.X[0].tolist() == [1, 0, 1, 0, 18]
    assert dataset_of(students(subject="both"), data).y.tolist() == [0, 1, 1, 0]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataNotGivenError, match=r"student-por\.csv .* not found"):
        dataset_of(students(subject="por"), tmp_path)
    with pytest.raises(DataNotGivenError, match="--data DIR"):
        dataset_of(students())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a;b\n1;2\n", "no column 'G3'"),
        (HEAD + '"GP";"F";18;"5";"6";x\n', "holds text"),
        ("", "the file is empty"),
    ],
)
def test_another_file_of_its_name_is_refused(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "student-mat.csv").write_text(text)

    with pytest.raises(GnbBenchError, match=words):
        dataset_of(students(), tmp_path)


def test_classes_that_are_not_kept_are_left_out() -> None:
    dataset = dataset_of(Reading("folds", "digits", folds=10, classes=(3, 8)))

    assert dataset.classes.tolist() == [3, 8]
    assert len(dataset.X) == 183 + 174


@pytest.mark.parametrize(
    ("reading", "most", "number"),
    [
        (Reading("splits", "iris", runs=1000), 50, 50),
        (Reading("splits", "iris", runs=30), None, 200),
        (Reading("seeds", "iris", runs=30), None, 30),
        (Reading("folds", "digits", folds=10), 5, 10),
    ],
)
def test_runs_are_cut_where_splits_are_repeated_alone(
    reading: Reading, most: int | None, number: int
) -> None:
    assert len(runs_of(reading, most)) == number


YEARS = """year,set,a,b,note,class
2003,old,1.0,5.0,x,up
2003,old,2.5,4.0,x,down
2003,old,1.5,5.5,x,up
2004,old,2.0,3.0,x,down
2004,old,1.8,4.4,x,up
2004,old,2.6,3.6,x,down
2005,new,1.2,4.9,x,up
2005,new,2.4,4.6,x,up
2005,new,2.2,3.3,x,down
"""
BY_YEAR = Reading(
    "rows", "years.csv", target="class", drop=("year", "set", "note"), train="year < 2005"
)


@pytest.fixture
def years(tmp_path: Path) -> Path:
    (tmp_path / "years.csv").write_text(YEARS)
    return tmp_path


@pytest.mark.parametrize(
    ("changes", "metric", "expected"),
    [
        ({}, "class_prior", lambda m, *_: m.class_prior_[:, None]),
        ({}, "class_mean", lambda m, *_: m.theta_),
        ({"label": "up"}, "class_mean", lambda m, *_: m.theta_[[1]]),
        ({"feature": "b"}, "class_variance", lambda m, *_: m.var_[:, [1]]),
        (
            {"label": "down", "feature": "a"},
            "class_deviation",
            lambda m, *_: np.sqrt(m.var_[:1, :1]),
        ),
        ({}, "confusion", lambda m, X, y: confusion_matrix(y, m.predict(X))),
        ({"test_rows": (2, 0)}, "probability", lambda m, X, _: m.predict_proba(X[[2, 0]])),
        (
            {"samples": ((1.0, 4.0),), "label": "up"},
            "probability",
            lambda m, *_: m.predict_proba([[1.0, 4.0]])[:, [1]],
        ),
        (
            {"samples": ((1.0, 4.0),)},
            "joint_likelihood",
            lambda m, *_: m.class_prior_[None] * densities(m).prod(axis=1),
        ),
        ({"samples": ((1.0, 4.0),)}, "density", lambda m, *_: densities(m)),
    ],
)
def test_a_model_trained_on_explicit_rows_gives_its_figures(
    years: Path, changes: Any, metric: str, expected: Any
) -> None:
    reading = replace(BY_YEAR, directory=years)
    table = pd.read_csv(years / "years.csv")
    old = (table["year"] < 2005).to_numpy()
    X, y = table[["a", "b"]].to_numpy(), table["class"].to_numpy()
    model = GaussianNB().fit(X[old], y[old])

    sides: Any = ({}, {"test": "year == 2005"}, {"train": "set == 'old'"})
    for side in sides:
        found = told(replace(reading, **side), metric, **changes)
        assert np.array(found) == pytest.approx(np.array(expected(model, X[~old], y[~old])))
    other = told(replace(reading, train="year == 2003"), metric, **changes)
    assert np.array(other) != pytest.approx(np.array(found))


def densities(model: GaussianNB) -> Any:
    """Return SciPy's densities of (1, 4) under each class, feature by feature."""
    return norm.pdf([1.0, 4.0], model.theta_, np.sqrt(model.var_))


@pytest.mark.parametrize(
    ("reading", "folds"),
    [
        (Reading("folds", "iris", folds=10), 10),
        (Reading("kfold", "iris", folds=5), KFold(5)),
        (
            Reading("kfold", "iris", folds=4, shuffle=True, random_state=3),
            KFold(4, shuffle=True, random_state=3),
        ),
        (
            Reading("folds", "iris", folds=4, shuffle=True, random_state=3),
            StratifiedKFold(4, shuffle=True, random_state=3),
        ),
    ],
)
def test_values_of_folds_equal_those_of_cross_val_score(
    reading: Reading, folds: Any
) -> None:
    claim = made_claim("a", "[1. 1.]", protocol=Protocol("folds", (reading,)))
    evaluations = Evaluations([claim])
    expected = cross_val_score(GaussianNB(), *load_iris(return_X_y=True), cv=folds)

    each = evaluations.measured(reading, METRICS["test_accuracy"], "sklearn")
    mean = evaluations.measured(reading, METRICS["mean_test_accuracy"], "sklearn")

    assert np.array(each.rows) == pytest.approx(expected[None])
    assert (mean.value, mean.spread) == pytest.approx((expected.mean(), expected.std()))


def test_known_seeds_have_one_mean_and_unknown_ones_a_range_of_them() -> None:
    seeds = Reading("seeds", "iris", test_size=0.3, runs=5, random_state=7)
    claims = [
        made_claim("a", "0.9", protocol=Protocol("one", (one,)), metric="mean_f1")
        for one in (seeds, replace(seeds, kind="splits"))
    ]
    evaluations = Evaluations(claims)
    each = evaluations.measured(seeds, METRICS["f1"], "sklearn").rows[0]
    known, unknown = (
        evaluations.measured(one.protocol.readings[0], METRICS["mean_f1"], "sklearn")
        for one in claims
    )

    assert (len(each), known.repeats) == (5, None)
    assert known.value == pytest.approx(np.mean(each))
    assert unknown.repeats is not None
    # Means of five runs each, drawn from 200
    single = evaluations.measured(claims[1].protocol.readings[0], METRICS["f1"], "sklearn")
    assert unknown.repeats.std() == pytest.approx(single.figures.std() / 5**0.5, rel=0.15)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('"year < 2005"', '"yaer < 2005"', 10, "'train': "),
        ('"year < 2005"', '"year < 1900"', 10, "'train': 'year < 1900' holds in no row"),
        ("[[claim]]", 'test = "year > 2003"\n[[claim]]', 11, "'test': 3 rows are on both"),
        ("samples = [[1, 4]]", "test_rows = [3]", 18, "'test_rows': 3 is not in"),
        ('"year", "set"', '"yaer", "set"', 9, "'drop': "),
        ('"class"', '"clas"', 8, "'target': "),
        ('"up"', '"upp"', 17, "'label': 'upp' is not in the data, which have: down and up"),
        ("[[1, 4]]", "[[1]]", 18, "'samples': the data have 2 features"),
    ],
)
def test_keys_that_do_not_fit_the_data_are_reported_with_their_line(
    years: Path, old: str, new: str, line: int, words: str
) -> None:
    text = """[source]
key = "S"
title = "A study"
where = "table 1"
[protocol.years]
kind = "rows"
dataset = "years.csv"
target = "class"
drop = ["year", "set", "note"]
train = "year < 2005"
[[claim]]
id = "s"
protocol = "years"
metric = "probability"
published = "0.5"
implementation = "sklearn"
label = "up"
samples = [[1, 4]]
expected = "not reproduced"
"""
    assert old in text
    (years / "s.toml").write_text(text.replace(old, new))

    with pytest.raises(
        ConfigurationError, match=f"s.toml, line {line}: {re.escape(words)}"
    ):
        list(examine(read_claims(years)))
