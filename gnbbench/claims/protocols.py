"""How a claim is measured: its data, their train/test splits, and the metrics."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gnbbench.arrays import BoolArray, CountArray, FloatArray
from gnbbench.claims.claim import Kind, Reading
from gnbbench.conformance.problems import CERTIFIED as CERTIFIED_DATA
from gnbbench.data.columns import comparison_in
from gnbbench.data.dataset import Dataset, from_arrays
from gnbbench.data.loading import load
from gnbbench.errors import DatasetError, GnbBenchError
from gnbbench.files import toml_beside
from gnbbench.records import METRICS as OF_EACH_RUN
from gnbbench.records import RUN_METRICS
from gnbbench.splits import Sample, Split, SplitRule
from gnbbench.words import count, listing

STUDENT_PERFORMANCE = "student-performance"
FILES = {"mat": "student-mat.csv", "por": "student-por.csv"}
DOWNLOAD = (
    "Get them at archive.ics.uci.edu/dataset/320 and give their directory: --data DIR"
)
GRADES = ["G1", "G2"]
PASSED = "G3 >= 10"
# Minimum number of seeds to try if those of the source are unknown
FEWEST_SEEDS = 200
MOST_NAMED = 10  # Names listed in an error


class DataNotGivenError(DatasetError):
    """Data that neither come with gnbbench nor were supplied."""


class KeyOfClaimError(GnbBenchError):
    """A key in a table of claims does not match the data."""

    def __init__(self, key: str, what: str) -> None:
        super().__init__(what)
        self.key = key


@cache
def dataset_of(reading: Reading, data: Path | None = None) -> Dataset:
    """Return the dataset of a reading, reduced to the classes and features it keeps."""
    if reading.kind == "certified":
        return _certified(reading, data)
    if reading.dataset == STUDENT_PERFORMANCE:
        return _student_performance(reading, data)
    if reading.is_file:
        dataset = _from_file(reading, reading.target, data)
    else:
        dataset = load(reading.dataset)
    refuse_unknown("drop", () if reading.is_file else reading.drop, dataset.feature_names)
    kept = np.isin(dataset.y, reading.classes or dataset.classes)
    names = [name for name in dataset.feature_names if name not in reading.drop]
    features = pd.DataFrame(dataset.X[kept], columns=list(dataset.feature_names))[names]
    reduced = from_arrays(features, dataset.y[kept], dataset.name)
    chosen = np.isin(dataset.classes, reduced.classes)
    shown = np.array(dataset.class_names)[chosen].tolist()
    return replace(reduced, class_names=tuple(shown))


def refuse_unknown(key: str, names: Sequence[object], known: Sequence[object]) -> None:
    """Raise if the data of a claim lack a name."""
    for name in names:
        if name not in known:
            few = listing([str(name) for name in known], MOST_NAMED)
            raise KeyOfClaimError(key, f"{name!r} is not in the data, which have: {few}")


def path_of(reading: Reading, data: Path | None) -> Path:
    """Return the file of a reading, from beside its table or from the data directory."""
    for directory in filter(None, (reading.directory, data)):
        if (directory / reading.dataset).is_file():
            return directory / reading.dataset
    what = f"it is neither beside its claims nor in {data}" if data else "it is not given"
    raise DataNotGivenError(reading.dataset, what, "Give its directory: --data DIR")


def _from_file(reading: Reading, target: str | None, data: Path | None) -> Dataset:
    """Return the dataset in a file, with this target."""
    path = path_of(reading, data)
    try:
        return load(path, target=target, drop=reading.drop, missing=reading.missing)
    except GnbBenchError as error:
        named = {"target": [target], "drop": reading.drop}
        keys = (k for k, of in named.items() for n in of if f"column '{n}'" in str(error))
        raise KeyOfClaimError(next(keys, "dataset"), str(error)) from error


def _certified(reading: Reading, data: Path | None) -> Dataset:
    """Return a certified sample, with its groups as classes."""
    if reading.is_file:
        table = pd.read_csv(path_of(reading, data))
        values, groups = table.iloc[:, -1].to_numpy(np.float64), table.iloc[:, 0]
        codes = pd.factorize(groups)[0] if table.shape[1] > 1 else np.zeros(len(values))
    else:
        refuse_unknown("dataset", [reading.dataset], tuple(CERTIFIED_DATA))
        sample = CERTIFIED_DATA[reading.dataset].groups
        values, codes = sample.ravel(), np.repeat(np.arange(len(sample)), sample.shape[1])
    codes = codes.astype(np.int64)
    names = tuple(map(str, np.unique(codes).tolist()))
    return Dataset(reading.dataset, values[:, np.newaxis], codes, ("value",), names)


def _student_performance(reading: Reading, data: Path | None) -> Dataset:
    """Return the student data, with a final grade of 10 or more as the target."""
    names = [file for name, file in FILES.items() if reading.subject in {name, "both"}]
    if data is None or not all((data / name).is_file() for name in names):
        what = f"{' and '.join(names)} (UCI 320) were not found"
        raise DataNotGivenError(STUDENT_PERFORMANCE, what, DOWNLOAD)
    left_out = [] if reading.earlier_grades else GRADES
    parts = [load(data / n, target=PASSED, drop=left_out, one_hot=True) for n in names]
    tables = [pd.DataFrame(part.X, columns=list(part.feature_names)) for part in parts]
    # A category that one file lacks is 0 in all of its rows.
    table = pd.concat(tables, ignore_index=True).fillna(0.0)
    if reading.encoding == "numeric":
        table = table[[name for name in map(str, table) if "=" not in name]]
    return from_arrays(table, np.concatenate([p.y for p in parts]), STUDENT_PERFORMANCE)


@dataclass(frozen=True)
class WholeSet(SplitRule):
    """Trains and scores on all samples."""

    def cuts(self, sample: Sample, runs: Sequence[int]) -> list[Split]:
        """Return splits with all samples on both sides."""
        rows = np.arange(len(sample.X))
        return [Split(run, rows, rows) for run in runs]


@dataclass(frozen=True)
class Folds(SplitRule):
    """Run r tests on fold r of ``cross_val_score(model, X, y, cv=...)``."""

    folds: int = 10
    shuffle: bool = False

    def cuts(self, sample: Sample, runs: Sequence[int]) -> list[Split]:
        """Return the folds with these numbers; their sizes may differ by one."""
        from sklearn.model_selection import KFold, StratifiedKFold

        kind = StratifiedKFold if self.stratify else KFold
        state = self.seed if self.shuffle else None
        folds = kind(self.folds, shuffle=self.shuffle, random_state=state)
        sides = list(folds.split(sample.X, sample.codes))
        return [Split(run, *sides[run]) for run in runs]


@dataclass(frozen=True)
class ExplicitRows(SplitRule):
    """Trains and tests on explicit rows."""

    train: tuple[int, ...] = ()
    test: tuple[int, ...] = ()

    def cuts(self, _: Sample, runs: Sequence[int]) -> list[Split]:
        """Return the same split for each run."""
        return [Split(run, np.array(self.train), np.array(self.test)) for run in runs]


def _explicit_rows(reading: Reading, data: Path | None) -> ExplicitRows:
    """Return the rows that satisfy the comparisons; without a second one, all others."""
    whole = _from_file(reading, reading.target, data)
    label = str(reading.target)
    if whole.target_name != label:  # For a comparison, its column holds the labels
        label = comparison_in(label).column

    def where(key: str, text: str) -> BoolArray:
        try:
            column = comparison_in(text).column
            others = tuple(sorted({*reading.drop, label} - {column}))
            return np.asarray(_from_file(replace(reading, drop=others), text, data).y == 1)
        except GnbBenchError as error:
            raise KeyOfClaimError(key, str(error).removeprefix("--target: ")) from error

    train = where("train", reading.train)
    test = where("test", reading.test) if reading.test else ~train
    if (train & test).any():
        what = f"{count((train & test).sum())} rows are on both sides"
        raise KeyOfClaimError("test", what)
    kept = np.isin(whole.y, reading.classes or whole.classes)
    sides = [tuple(np.flatnonzero(side[kept]).tolist()) for side in (train, test)]
    return ExplicitRows(0, train=sides[0], test=sides[1])


def rules_of(reading: Reading, data: Path | None = None) -> tuple[SplitRule, ...]:
    """Return the split rules of a reading, one per train fraction."""
    if reading.kind == "rows":
        return (_explicit_rows(reading, data),)
    if reading.kind in {"whole", "certified"}:
        return (WholeSet(0),)
    if reading.folds:
        how: dict[str, Any] = {"folds": reading.folds, "shuffle": reading.shuffle}
        stratify = reading.kind == "folds"
        return (Folds(reading.random_state, stratify=stratify, **how),)
    cut: dict[str, Any] = {"test_size": reading.test_size, "stratify": reading.stratify}
    sizes = reading.train_fractions or (None,)
    return tuple(SplitRule(reading.random_state, train_size=n, **cut) for n in sizes)


def runs_of(reading: Reading, most_runs: int | None = None) -> range:
    """Return the run numbers of each rule."""
    if reading.folds:
        return range(reading.folds)
    n = max(reading.runs, FEWEST_SEEDS) if reading.kind == "splits" else reading.runs
    return range(min(n, most_runs or n))


ONE: tuple[Kind, ...] = ("split", "rows", "whole")
CERTIFIED: tuple[Kind, ...] = ("certified",)
SEVERAL: tuple[Kind, ...] = ("splits", "seeds", "folds", "kfold")


@dataclass(frozen=True)
class Fitted:
    """A fitted model and the samples to apply it to."""

    model: Any
    class_names: tuple[str, ...]
    X_test: FloatArray
    codes: CountArray  # Class codes of the test side
    samples: FloatArray  # The samples named in the claim

    @property
    def freedom(self) -> FloatArray:
        """Training samples per class minus one, as a column."""
        return np.asarray(self.model.class_count_, dtype=np.float64)[:, np.newaxis] - 1

    @property
    def squares(self) -> FloatArray:
        """Sums of squared deviations, from variances with the divisor n."""
        return np.asarray(self.model.var_ * (self.freedom + 1))


@dataclass(frozen=True)
class ClaimedMetric:
    """A kind of figure that can be claimed."""

    words: str
    kinds: tuple[Kind, ...]  # Kinds of protocol that yield it
    # Expression in the columns of `runs` and `pairs`; empty for figures of a model
    of_runs: str = ""
    # Values of all runs -> the figure; None if each run has its own
    over_runs: Callable[[FloatArray], Any] | None = None
    # Model -> its figures; rows are classes if `is_by_class`, else samples
    of_model: Callable[[Fitted], Any] | None = None
    is_by_class: bool = True
    needs_samples: bool = False

    @property
    def needs_reference(self) -> bool:
        """Whether it compares with scikit-learn."""
        return any(name in self.of_runs for name in ("disagreements", "only_"))

    def values(self, runs: pd.DataFrame) -> FloatArray:
        """Return the figure of each run."""
        return np.array(runs.eval(self.of_runs), dtype=np.float64)


def _confusion(fitted: Fitted) -> FloatArray:
    n = len(fitted.class_names)
    labels = np.searchsorted(fitted.model.classes_, fitted.model.predict(fitted.X_test))
    counts = np.bincount(fitted.codes * n + labels, minlength=n * n)
    return np.asarray(counts.reshape(n, n), dtype=np.float64)


def _densities(fitted: Fitted) -> FloatArray:
    """Return the density of each feature of the first sample in each class."""
    variances, distances = fitted.model.var_, fitted.samples[0] - fitted.model.theta_
    weights = np.exp(-(distances**2) / (2 * variances))
    return np.asarray(weights / np.sqrt(2 * np.pi * variances))


# Figures of a model by name; `metrics.toml` has the words, and what their rows are.
_OF_MODEL: Mapping[str, Callable[[Fitted], Any]] = {
    "confusion": _confusion,
    "class_prior": lambda fitted: fitted.model.class_prior_[:, np.newaxis],
    "class_mean": lambda fitted: fitted.model.theta_,
    "class_variance": lambda fitted: fitted.model.var_,
    "class_deviation": lambda fitted: np.sqrt(fitted.model.var_),
    "density": _densities,
    "joint_likelihood": lambda fitted: np.exp(
        fitted.model.predict_joint_log_proba(fitted.samples)
    ),
    "probability": lambda fitted: fitted.model.predict_proba(fitted.samples),
    "predicted_label": lambda fitted: fitted.model.predict(fitted.samples)[:, np.newaxis],
    "mean": lambda fitted: fitted.model.theta_,
    "standard_deviation": lambda fitted: np.sqrt(fitted.squares / fitted.freedom),
    "residual_deviation": lambda fitted: np.sqrt(
        fitted.squares.sum() / fitted.freedom.sum()
    ),
}
_STATISTICS: Mapping[str, Callable[[FloatArray], Any]] = {
    "median": np.median,
    "max": np.max,
    "share of zeros": lambda values: (values == 0).mean(),
}
_ROWS = toml_beside(__file__, "metrics.toml")
_OF_RUNS = {
    **{name: {"words": OF_EACH_RUN[name].title} for name in RUN_METRICS},
    **_ROWS["of_runs"],
}


def _of_runs(
    name: str, over_runs: Callable[[FloatArray], Any] | None = None, words: str = ""
) -> ClaimedMetric:
    row, kinds = _OF_RUNS[name], SEVERAL if over_runs else (*ONE, *SEVERAL)
    expression = row.get("expression", name)
    return ClaimedMetric(words or row["words"], kinds, expression, over_runs)


METRICS: Mapping[str, ClaimedMetric] = {
    **{name: _of_runs(name) for name in _OF_RUNS},
    **{
        f"mean_{name}": _of_runs(name, np.mean, f"{row['words']}, mean over runs")
        for name, row in _OF_RUNS.items()
        if not name.startswith("mean_")
    },
    **{
        name: _of_runs(row["of"], _STATISTICS[row["is"]], row["words"])
        for name, row in _ROWS["over_runs"].items()
    },
    **{
        name: ClaimedMetric(of_model=_OF_MODEL[name], kinds=kinds, **row)
        for section, kinds in (("of_model", ONE), ("certified", CERTIFIED))
        for name, row in _ROWS[section].items()
    },
    "fit_seconds": ClaimedMetric("time of fit", ("times",)),
    "fit_ratio": ClaimedMetric("time of fit over sklearn's", ("times",)),
}
