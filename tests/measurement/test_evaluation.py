"""A batch of runs against one run at a time by hand, and against faulty implementations."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

from gnbbench.implementations import Implementation, implementation, implementations
from gnbbench.measurement.evaluation import Tables, evaluate
from gnbbench.records import RUN_METRICS, TABLES
from gnbbench.splits import Sample, SplitRule

RULE = SplitRule(seed=42, test_size=0.3, stratify=True)
BOTH = implementations("sklearn", ["numpy"])


def sample_of(X: NDArray[np.float64], y: NDArray[Any]) -> Sample:
    classes = np.unique(y)
    return Sample(X, y, classes, np.searchsorted(classes, y))


@pytest.fixture
def iris() -> Sample:
    return sample_of(*load_iris(return_X_y=True))


def rows(tables: Tables, name: str, implementation_name: str) -> list[dict[str, Any]]:
    found = [dict(zip(TABLES[name], row, strict=True)) for row in tables[name]]
    return [row for row in found if row["implementation"] == implementation_name]


class Smoothed(ScikitLearnGaussianNB):  # type: ignore[misc]  # scikit-learn has no types
    """Differs from scikit-learn in a few labels."""

    def __init__(self) -> None:
        super().__init__(var_smoothing=0.3)


@pytest.mark.parametrize(
    ("loader", "figures"),
    [
        (load_iris, (0.9810, 0.9111, 0.9698, 0.9800, 0.8656)),
        (load_breast_cancer, (0.9447, 0.9474, 0.9871, 0.9906, 0.9240)),
    ],
)
@pytest.mark.parametrize("name", ["sklearn", "numpy"])
def test_run_0_gives_study_a_s_published_figures(
    loader: Any, figures: tuple[float, ...], name: str
) -> None:
    sample = sample_of(*loader(return_X_y=True))

    tables = evaluate(sample, RULE, [0], BOTH)

    (row,) = rows(tables, "runs", name)
    confidences = [f"mean_confidence{which}" for which in ("", "_right", "_wrong")]
    names = ["train_accuracy", "test_accuracy", *confidences]
    assert tuple(round(row[metric], 4) for metric in names) == figures


def test_pairs_and_counts_equal_those_of_one_run_at_a_time(iris: Sample) -> None:
    entries = [implementation("sklearn"), implementation(Smoothed)]
    runs = range(3, 9)

    tables = evaluate(iris, RULE, runs, entries)

    confusion: Counter[tuple[int, ...]] = Counter()
    votes: Counter[tuple[int, ...]] = Counter()
    for run, pair in zip(runs, rows(tables, "pairs", "Smoothed"), strict=True):
        sides = {"test_size": 0.3, "random_state": 42 + run, "stratify": iris.y}
        train, test = train_test_split(np.arange(len(iris.y)), **sides)
        ours = Smoothed().fit(iris.X[train], iris.y[train])
        theirs = ScikitLearnGaussianNB().fit(iris.X[train], iris.y[train])
        labels, reference = ours.predict(iris.X[test]), theirs.predict(iris.X[test])
        gaps = np.abs(ours.predict_proba(iris.X[test]) - theirs.predict_proba(iris.X[test]))
        disputed = rows(tables, "disagreements", "Smoothed")
        assert pair["run"] == run
        assert pair["disagreements"] == np.sum(labels != reference)
        assert pair["max_probability_difference"] == gaps.max()
        assert pair["mean_probability_difference"] == pytest.approx(gaps.mean())
        is_right = labels == iris.y[test]
        assert pair["both_right"] == np.sum(is_right & (reference == iris.y[test]))
        named = [row["row"] for row in disputed if row["run"] == run]
        assert named == test[labels != reference].tolist()
        confusion.update(zip(iris.y[test].tolist(), labels.tolist(), strict=True))
        votes.update(zip(test.tolist(), labels.tolist(), strict=True))
    assert sum(pair["disagreements"] for pair in rows(tables, "pairs", "Smoothed")) > 0
    cells = rows(tables, "confusion", "Smoothed")
    counted = {(r["truth"], r["label"]): r["count"] for r in cells}
    assert counted == confusion
    voted = {(r["row"], r["label"]): r["count"] for r in rows(tables, "votes", "Smoothed")}
    assert voted == votes


def test_batches_add_up_whatever_their_size(iris: Sample) -> None:
    entries = [implementation("sklearn"), implementation(Smoothed)]

    whole = evaluate(iris, RULE, range(6), entries)
    parts = [evaluate(iris, RULE, runs, entries) for runs in ([4, 5], [0], [1, 2, 3])]

    for name in ("runs", "pairs", "disagreements"):
        assert sorted(row for part in parts for row in part[name]) == sorted(whole[name])
    keys = {"confusion": 3, "votes": 3, "reliability": 2, "label_pairs": 3}
    for name, n_keys in keys.items():
        sums: Counter[Any] = Counter()
        for part in [*parts, {name: [(*r[:-1], -r[-1]) for r in whole[name]]}]:
            for row in part[name]:
                sums[row[1 : n_keys + 1]] += row[-1]
        assert set(sums.values()) <= {0}


class Failing:
    """Breaks in a given way."""

    def __init__(self, how: str) -> None:
        self.how = how

    def fit(self, X: NDArray[np.float64], y: NDArray[Any]) -> "Failing":
        if self.how == "raise":
            raise ZeroDivisionError("no luck")
        self.model = ScikitLearnGaussianNB().fit(X, y)
        self.classes_ = self.model.classes_ + (10 if self.how == "classes" else 0)
        return self

    def predict(self, X: NDArray[np.float64]) -> NDArray[Any]:
        labels: NDArray[Any] = self.model.predict(X)
        return labels[1:] if self.how == "labels" else labels

    def predict_proba(self, X: NDArray[np.float64]) -> Any:
        if self.how == "refused":
            raise NotImplementedError("ask for labels")
        spoil: Callable[[Any], Any] = SPOILED.get(self.how, unspoiled)
        return spoil(self.model.predict_proba(X))


def unspoiled(table: Any) -> Any:
    return table


# How probabilities are made into something that is none.
SPOILED: dict[str, Callable[[Any], Any]] = {
    "table": lambda table: table[:, 1:],
    "nan": lambda table: np.full_like(table, np.nan),
    "negative": lambda table: 0 * table + [-0.1, 0.5, 0.6],
    "doubled": lambda table: 2 * table,
    "rows of 0": lambda table: 0 * table,
    "halved": lambda table: table / 2,
    "infinite": lambda table: table + np.inf,
    "text": lambda table: table.astype(str),
    "objects": lambda table: table.astype(str).astype(object),
    "complex": lambda table: table + 0j,
}


@pytest.mark.parametrize(
    ("how", "status", "message"),
    [
        ("raise", "error", "ZeroDivisionError: no luck"),
        ("labels", "error", "predict gave shape (104,) instead of (105,)"),
        ("classes", "error", "classes_ holds labels that are not in the data"),
    ],
)
def test_a_failure_is_a_record_with_its_message_and_no_number(
    how: str, status: str, message: str, iris: Sample
) -> None:
    bad = Implementation("bad", lambda: Failing(how))

    tables = evaluate(iris, RULE, [0, 1], [implementation("sklearn"), bad])

    assert len(rows(tables, "runs", "bad")) == 2
    for row in rows(tables, "runs", "bad"):
        assert row["status"] == status
        assert message in row["message"]
        assert {row[metric] for metric in RUN_METRICS} == {None}
    assert rows(tables, "pairs", "bad") == []
    assert all(row["status"] == "ok" for row in rows(tables, "runs", "sklearn"))


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("table", "predict_proba gave shape (45, 2) instead of (45, 3)"),
        ("refused", "predict_proba raised NotImplementedError: ask for labels"),
        ("nan", "predict_proba gave NaN in 45 of 45 rows"),
        ("negative", "predict_proba gave values below 0 in 45 of 45 rows"),
        ("doubled", "predict_proba gave values above 1 in 45 of 45 rows"),
        ("infinite", "predict_proba gave values above 1 in 45 of 45 rows"),
        ("halved", "predict_proba gave sums other than 1 in 45 of 45 rows"),
        ("rows of 0", "predict_proba gave sums other than 1 in 45 of 45 rows"),
        ("text", "predict_proba gave text instead of numbers"),
        ("objects", "predict_proba gave text instead of numbers"),
        ("complex", "predict_proba gave complex128 instead of numbers"),
    ],
)
def test_bad_probabilities_leave_the_labels(how: str, message: str, iris: Sample) -> None:
    bad = Implementation("bad", lambda: Failing(how))

    tables = evaluate(iris, RULE, [0], [implementation("sklearn"), bad])

    (row,), (pair,) = (rows(tables, name, "bad") for name in ("runs", "pairs"))
    assert (row["status"], message in row["message"]) == ("invalid", True)
    (sound,) = rows(tables, "runs", "sklearn")
    assert row["test_accuracy"] == sound["test_accuracy"]
    assert row["log_loss"] is row["mean_confidence"] is row["brier_score"] is None
    assert (pair["disagreements"], pair["max_probability_difference"]) == (0, None)


@pytest.mark.parametrize(
    "kept",
    [unspoiled, np.float32, lambda t: t.astype(object), lambda t: t.tolist()],
    ids=["float64", "float32", "objects", "lists"],
)
def test_probabilities_of_any_type_of_numbers_are_taken(
    kept: Callable[[Any], Any], iris: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SPOILED, "kept", kept)
    good = Implementation("good", lambda: Failing("kept"))

    (row,) = rows(evaluate(iris, RULE, [0], [good]), "runs", "good")

    assert row["status"] == "ok"
    assert row["log_loss"] > 0


def test_warnings_of_an_implementation_are_kept_with_its_run(iris: Sample) -> None:
    constant = Sample(np.ones_like(iris.X), iris.y, iris.classes, iris.codes)

    (row,) = rows(evaluate(constant, RULE, [0], [implementation("numpy")]), "runs", "numpy")

    assert row["status"] == "ok"
    assert row["message"].startswith("warned: ")
    assert "var_ are zero" in row["message"]


class LabelsOnly:
    """Offers labels and nothing else, one of them unheard of."""

    unknown: Any = 99

    def fit(self, X: Any, y: Any) -> None:
        del X, y

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        return np.where(np.arange(len(X)) == 0, self.unknown, 0)


@pytest.mark.parametrize("unknown", [99, None])
def test_missing_probabilities_stay_empty_and_unknown_labels_are_kept(
    unknown: int | None, iris: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LabelsOnly, "unknown", unknown)
    tables = evaluate(iris, RULE, [0], implementations("sklearn", [LabelsOnly]))

    (row,) = rows(tables, "runs", "LabelsOnly")
    (pair,) = rows(tables, "pairs", "LabelsOnly")
    assert row["test_accuracy"] == pytest.approx(14 / 45, abs=1 / 45)
    assert row["mean_confidence"] is row["log_loss"] is None
    assert pair["max_probability_difference"] is None
    cells = rows(tables, "confusion", "LabelsOnly")
    assert [cell["count"] for cell in cells if cell["label"] == -1] == [1]
    assert rows(tables, "reliability", "LabelsOnly") == []


def test_a_class_without_training_samples_has_probability_zero() -> None:
    X, y = load_iris(return_X_y=True)
    rare = np.append(np.flatnonzero(y < 2), np.flatnonzero(y == 2)[:1])
    sample = sample_of(X[rare], y[rare])
    rule = SplitRule(seed=0, test_size=0.3, stratify=False)

    tables = evaluate(sample, rule, range(10), BOTH)

    assert {row["status"] for row in rows(tables, "runs", "numpy")} == {"ok"}
    assert sum(row["disagreements"] for row in rows(tables, "pairs", "numpy")) == 0


def test_the_smallest_training_class_is_counted(iris: Sample) -> None:
    rule = SplitRule(seed=0, train_size=0.04, stratify=False)

    tables = evaluate(iris, rule, range(40), [implementation("sklearn")])

    smallest = {r["run"]: r["smallest_class"] for r in rows(tables, "runs", "sklearn")}
    for run, count in smallest.items():
        train = rule.cut(iris, run).train
        assert count == min(np.bincount(iris.codes[train], minlength=3))
    assert {0, 1} <= set(smallest.values())
