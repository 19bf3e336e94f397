"""Studies on data that are hard for words, carried out small, and what is true of them."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from faults.hard_for_words import SPEEDS, Hard, Moody, Smoothed, data_sets

import gnbbench
from gnbbench.data.dataset import from_arrays
from gnbbench.measurement.rounds import time_calls
from oracle.said import Said, said
from oracle.truth import Truth, truth_of, truth_of_sweep

FRACTIONS = (0.4, 0.7)
CALL_NANOSECONDS = 500_000
BUDGET = 1.0  # Which invented times never reach: there are as many rounds as may be
MOST_RUNS = {"explain": 2, "assumptions": 2}
# What each kind costs most on is left to the others.
SLOW = {
    "explain": {
        *("four rows", "undefined probabilities"),
        *("eight rows", "one feature", "parity", "sine", "none agree", "two runs", "tiny"),
        *("unbalanced", "mixed scales", "ten classes", "equal features", "everybody"),
    },
    "assumptions": {"ten classes", "more features than rows", "class of one row"},
}
SWEPT = (
    *("four rows", "six rows", "sixteen rows", "class of one row", "all agree"),
    *("none agree", "failing at times", "labels alone", "one run", "two runs"),
    "most is tested",
)
# These differ from another one only in what is compared, which assumptions never see.
ALIKE = {
    *("none agree", "undefined probabilities", "failing", "failing at times", "words"),
    *("labels alone", "one run", "two runs", "booleans", "far away", "small", "everybody"),
}


class InventedTimes:
    """Times of calls that are made once, to see whether they fail, and never again."""

    def __init__(self, noise: float) -> None:
        self._noise, self._generator = noise, np.random.default_rng(0)
        self._made: set[tuple[str, str]] = set()

    def __call__(self, name: str, prepare: Any, count: int, _clock: Any) -> int:
        """Return invented nanoseconds; raise what the first call raises."""
        operation = getattr(prepare, "func", prepare)
        if (name, str(operation)) not in self._made:
            time_calls(name, prepare, 1, lambda: 0)
            self._made.add((name, str(operation)))
        factor = np.exp(self._noise * self._generator.normal())
        return int(max(1, round(count * CALL_NANOSECONDS * SPEEDS.get(name, 1.0) * factor)))


def invent_times(monkeypatch: pytest.MonkeyPatch, noise: float = 0.02) -> None:
    """Invent times, so that sentences about them do not depend on the machine."""
    for module in ("rounds", "timing"):
        path = f"gnbbench.measurement.{module}.time_calls"
        monkeypatch.setattr(path, InventedTimes(noise))


def cases() -> list[tuple[str, str]]:
    """Return each kind that takes a dataset with the data sets it is carried out on."""
    names = list(data_sets())
    return [
        *(("compare", name) for name in names),
        *(("sweep-split", name) for name in SWEPT),
        *(("explain", name) for name in names if name not in SLOW["explain"]),
        *(("assumptions", n) for n in names if n not in SLOW["assumptions"] | ALIKE),
    ]


def carried_out(kind: str, hard: Hard) -> tuple[Any, Truth]:
    """Return the study of a kind on a data set, and what is true of it."""
    runs = min(hard.runs, MOST_RUNS.get(kind, hard.runs))
    sizes: dict[str, Any] = {"runs": runs, "test_size": hard.test_size}
    compared = {"against": hard.against, "stratify": hard.stratify}
    with warnings.catch_warnings():
        # Timing calls what warns without anybody listening.
        warnings.simplefilter("ignore")
        if kind == "compare":
            sizes["budget_seconds"] = BUDGET
            study = gnbbench.compare(hard.X, hard.y, **sizes, **compared)
        elif kind == "sweep-split":
            compared |= {"train_fractions": FRACTIONS, "budget_seconds": BUDGET}
            study = gnbbench.sweep_split(hard.X, hard.y, runs=runs, **compared)
            return study, truth_of_sweep(hard, runs, FRACTIONS)
        elif kind == "explain":
            study = gnbbench.explain(hard.X, hard.y, **sizes, **compared)
        else:
            study = gnbbench.examine_assumptions(hard.X, hard.y, **sizes)
    truth = truth_of(hard, runs, undefined=kind == "explain", test_size=hard.test_size)
    return study, truth


def texts_of(study: Any) -> list[Said]:
    """Return every text of the report of a study."""
    names: Sequence[str] = getattr(study.details, "implementations", ())
    texts: list[Said] = said(study.document, names[1:])
    return texts


FILE = """
import numpy as np

class GNB:
    def fit(self, X, y):
        self.labels = np.unique(y)
        parts = [X[y == label] for label in self.labels]
        self.means = [part.mean(0) for part in parts]
        self.variances = [part.var(0, ddof=1) + 1e-9 for part in parts]
        self.priors = [len(part) / len(X) for part in parts]
        return self

    def predict(self, X):
        each = zip(self.means, self.variances, self.priors)
        scores = [np.log(p) - (np.log(v) + (X - m) ** 2 / v).sum(1) / 2 for m, v, p in each]
        return self.labels[np.argmax(scores, axis=0)]
"""


def write_files(directory: Path) -> None:
    """Write what studies of files read: a table with labels that are words, and code."""
    hard = data_sets()["words"]
    columns = [f"x{place}" for place in range(hard.X.shape[1])]
    frame = pd.DataFrame(hard.X, columns=columns).assign(y=hard.y)
    frame.to_csv(directory / "words.csv", index=False)
    (directory / "my_gnb.py").write_text(FILE)


def _several(_: Path) -> Any:
    hard = data_sets()["words"]
    made = [from_arrays(hard.X, hard.y, name) for name in ("first", "second")]
    against = {"numpy": "numpy", "Smoothed": Smoothed, "Moody": Moody}
    return gnbbench.compare(made, against=against, runs=3, budget_seconds=BUDGET)


def _streamed(directory: Path, **options: Any) -> Any:
    path = str(directory / "words.csv")
    return gnbbench.compare(path, target="y", stream=True, **options)


def _scaled(budget_seconds: float) -> Any:
    held = {"features": "2", "classes": "2", "processes": 1}
    return gnbbench.scale(samples="50,100,200", **held, budget_seconds=budget_seconds)


STREAMED = {"numpy": "numpy", "Smoothed": Smoothed}
# Kinds that take no arrays; each reads what `write_files` left.
OTHERS: Mapping[str, Callable[[Path], Any]] = {
    "several datasets": _several,
    "stream": partial(_streamed, against=STREAMED, block_rows=4),
    "stream, two runs": partial(_streamed, against="numpy", runs=2),
    "check": lambda directory: gnbbench.check(
        str(directory / "my_gnb.py"),
        data=(str(directory / "words.csv"),),
        target="y",
        runs=2,
        timeout_seconds=None,
    ),
    "conformance": lambda _: gnbbench.examine_conformance("sklearn", only=["weights"]),
    "scoreboard": lambda _: gnbbench.examine_conformance(
        ["sklearn", "numpy"], only=["ties", "offsets"]
    ),
    "scale": lambda _: _scaled(1.0),
    "scale in no time": lambda _: _scaled(0.001),
    "reproduce": lambda _: gnbbench.reproduce("a-iris-agreement", runs=10),
}


hard_sets = cache(data_sets)
