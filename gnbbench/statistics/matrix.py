"""Studies on several datasets side by side: every implementation against every dataset."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from gnbbench.records import OPERATIONS
from gnbbench.statistics.remarks import failures
from gnbbench.statistics.summary import Outcome, Summary, Verdict
from gnbbench.words import listing, plural

MATRIX_SCHEMA_VERSION = 1

# More names would make a headline that nobody reads; lists below it have them all.
MOST_NAMED = 2

_AGREEMENT = (
    "predictions",
    "disagreements",
    "agreement",
    "max_probability_difference",
)
_RATIO = ("ratio", "low", "high", "speed")
_TIMED = ("fit", "predict")


@dataclass(frozen=True)
class Entry:
    """One dataset of a matrix, with the study on it."""

    name: str  # Of the dataset; different from those of the other entries
    folder: str  # Of the study's files, from the page of the matrix
    summary: Summary


@dataclass(frozen=True)
class Matrix:
    """All that a report shows of one study on several datasets."""

    entries: tuple[Entry, ...]  # One a dataset, all of the same implementations
    command: str  # What repeats the study
    # A sentence for each implementation that was wanted and is not installed
    left_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.entries:
            raise ValueError("a matrix should have a dataset")
        first = self.entries[0].summary.implementations
        if any(entry.summary.implementations != first for entry in self.entries):
            raise ValueError("all studies of a matrix should have the same implementations")

    @property
    def reference(self) -> str:
        """What the others are held against."""
        return self.entries[0].summary.reference

    @property
    def implementations(self) -> tuple[str, ...]:
        """The reference first."""
        return self.entries[0].summary.implementations

    @property
    def competitors(self) -> tuple[str, ...]:
        """The implementations without the reference."""
        return self.implementations[1:]

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of the datasets, in order."""
        return tuple(entry.name for entry in self.entries)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Every verdict, dataset by dataset."""
        return tuple(v for entry in self.entries for v in entry.summary.verdicts)

    @property
    def headline(self) -> str:
        """The one sentence over all datasets."""
        return headline(self.cells, self.reference)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is to be known of the whole: who is missing, and who failed where."""
        return self.left_out

    @cached_property
    def cells(self) -> pd.DataFrame:
        """One row for each implementation and dataset.

        Columns: ``implementation``, ``dataset``, ``outcome``, ``sentence``, ``detail``,
        ``runs``, ``failed_runs``, ``message`` (one sentence on failed runs, empty without
        any), ``predictions``, ``disagreements``, ``agreement``,
        ``max_probability_difference``, ``reference_accuracy``, ``accuracy``,
        ``accuracy_difference`` with ``accuracy_low`` and ``accuracy_high``, then for fit
        and predict ``<operation>_seconds``, ``<operation>_ratio``, ``_low``, ``_high`` and
        ``_speed``. Numbers that are not there are NaN.
        """
        by_dataset = [(entry.name, _Numbers(entry.summary)) for entry in self.entries]
        return pd.DataFrame(
            [
                {"implementation": name, "dataset": dataset, **numbers.of(name)}
                for name in self.competitors
                for dataset, numbers in by_dataset
            ]
        )


class _Numbers:
    """Takes the numbers of one implementation out of a summary."""

    def __init__(self, summary: Summary) -> None:
        self._summary = summary
        self._verdicts = {verdict.implementation: verdict for verdict in summary.verdicts}
        self._failed = summary.runs[summary.runs["status"] != "ok"]
        self._told = failures(summary.runs, summary.implementations)
        self._agreement = _rows(summary.agreement, "implementation")
        self._metrics = _rows(summary.metrics, "implementation", "metric")
        self._differences = _rows(summary.differences, "implementation", "metric")
        self._times = _rows(summary.timing, "implementation", "operation")
        self._ratios = _rows(summary.ratios, "implementation", "operation")

    def of(self, name: str) -> dict[str, Any]:
        verdict, reference = self._verdicts[name], self._summary.reference
        key = (name, "test_accuracy")
        return {
            "outcome": verdict.outcome,
            "sentence": verdict.sentence,
            "detail": verdict.detail,
            "runs": self._summary.n_runs,
            "failed_runs": int((self._failed["implementation"] == name).sum()),
            "message": self._told.get(name, self._told.get(reference, "")),
            **_values(self._agreement, (name,), _AGREEMENT),
            "reference_accuracy": _value(
                self._metrics, (reference, "test_accuracy"), "mean"
            ),
            "accuracy": _value(self._metrics, key, "mean"),
            "accuracy_difference": _value(self._differences, key, "mean"),
            "accuracy_low": _value(self._differences, key, "low"),
            "accuracy_high": _value(self._differences, key, "high"),
            **self._timed(name),
        }

    def _timed(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for operation in (one for one in OPERATIONS if one in _TIMED):
            key = (name, operation)
            found[f"{operation}_seconds"] = _value(self._times, key, "median_seconds")
            found |= {f"{operation}_{c}": _value(self._ratios, key, c) for c in _RATIO}
        return found


_Key = tuple[Any, ...]


def _rows(table: pd.DataFrame, *keys: str) -> dict[_Key, Mapping[Any, Any]]:
    return {tuple(row[key] for key in keys): row for row in table.to_dict("records")}


def _value(rows: Mapping[_Key, Mapping[Any, Any]], key: _Key, column: str) -> Any:
    missing = "" if column == "speed" else float("nan")
    return rows.get(key, {}).get(column, missing)


def _values(
    rows: Mapping[_Key, Mapping[Any, Any]], key: _Key, columns: Sequence[str]
) -> dict[str, Any]:
    return {column: _value(rows, key, column) for column in columns}


def headline(cells: pd.DataFrame, reference: str) -> str:
    """Return the first sentence of a page: who gives the reference's labels everywhere."""
    where = _everywhere(cells["dataset"].nunique())
    same = [name for name in _names(cells) if gives_same_labels(cells, name)]
    others = [name for name in _names(cells) if name not in same]
    if not others:
        who = listing(same) if len(same) < 4 else f"All {len(same)} implementations"
        verb = "gives" if len(same) == 1 else "give"
        return f"{who} {verb} {reference}'s labels {where}."
    rest = _parting(cells, others)
    total = plural(len(cells["implementation"].unique()), "implementation")
    if not same:
        who = f"{others[0]} does not give" if len(others) == 1 else f"None of {total} gives"
        return f"{who} {reference}'s labels {where}; {rest}"
    verb = "gives" if len(same) == 1 else "give"
    who = f"{len(same)} of {total} {verb} {reference}'s labels {where}"
    named = f" ({listing(same)})" if len(same) <= MOST_NAMED else ""
    return f"{who}{named}; {rest}"


def gives_same_labels(cells: pd.DataFrame, name: str) -> bool:
    """Tell whether every label was the reference's, on every dataset and in every run."""
    own = cells[cells["implementation"] == name]
    return bool((own["outcome"] == "identical").all() and not own["failed_runs"].any())


def sentence(cells: pd.DataFrame, name: str) -> str:
    """Return how one implementation does over all datasets, such as for a list."""
    own = cells[cells["implementation"] == name]
    outcomes: dict[Outcome, list[str]] = {}
    for outcome, dataset in zip(own["outcome"], own["dataset"], strict=True):
        outcomes.setdefault(outcome, []).append(dataset)
    if len(outcomes) == 1 and len(own) > 1:
        text = f"{next(iter(outcomes))} {_everywhere(len(own))}"
    else:
        text = "; ".join(f"{word} on {listing(on)}" for word, on in outcomes.items())
    return f"{text[0].upper()}{text[1:]}."


def worst_outcome(cells: pd.DataFrame, name: str) -> Outcome:
    """Return the outcome of an implementation that a reader must see first."""
    found = set(cells.loc[cells["implementation"] == name, "outcome"])
    order: tuple[Outcome, ...] = (
        "failed",
        "different",
        "cannot tell",
        "equivalent",
        "identical",
    )
    return next(outcome for outcome in order if outcome in found)


def _parting(cells: pd.DataFrame, others: Sequence[str]) -> str:
    """Say who does not, and where it is one alone."""
    failing = [name for name in others if _of(cells, name)["failed_runs"].any()]
    if len(others) > 1:
        differing = [n for n in others if (_of(cells, n)["disagreements"] > 0).any()]
        parts = [f"{len(differing)} part from them somewhere"] if differing else []
        parts += [f"{len(failing)} fail in some runs"] if failing else []
        return f"{' and '.join(parts)}." if parts else "none can be compared."
    own = _of(cells, others[0])
    parted = own.loc[own["disagreements"] > 0, "dataset"].tolist()
    broken = own.loc[own["failed_runs"] > 0, "dataset"].tolist()
    parts = [f"parts from them on {listing(parted)}"] if parted else []
    parts += [f"fails in some runs on {listing(broken)}"] if broken else []
    return f"{others[0]} {' and '.join(parts) or 'cannot be compared everywhere'}."


def _of(cells: pd.DataFrame, name: str) -> pd.DataFrame:
    return cells[cells["implementation"] == name]


def _names(cells: pd.DataFrame) -> list[str]:
    return list(dict.fromkeys(cells["implementation"]))


def _everywhere(number: int) -> str:
    words = {1: "on the dataset", 2: "on both datasets"}
    return words.get(number, f"on all {number} datasets")
