"""Studies on several datasets side by side: every implementation against every dataset."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from gnbbench.statistics.remarks import failures
from gnbbench.statistics.summary import Outcome, Summary, Verdict
from gnbbench.words import listing, plural

MATRIX_SCHEMA_VERSION = 1

# More names would make a headline that nobody reads; lists below it have them all.
MOST_NAMED = 2

WORST_FIRST: tuple[Outcome, ...] = (
    *("failed", "different", "cannot tell", "equivalent", "identical"),
)
_AGREEMENT = ("predictions", "disagreements", "agreement", "max_probability_difference")
_RATIO = ("ratio", "low", "high", "speed")


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
        by_dataset = [_cells(entry) for entry in self.entries]
        return pd.DataFrame([row for rows in zip(*by_dataset, strict=True) for row in rows])


def _cells(entry: Entry) -> list[dict[str, Any]]:
    """Return the numbers of every competitor on one dataset."""
    summary = entry.summary
    reference, runs = summary.reference, summary.runs
    told = failures(runs, summary.implementations)
    failed = runs.loc[runs["status"] != "ok", "implementation"]
    agreement = _rows(summary.agreement, "implementation")
    metrics = _rows(summary.metrics, "implementation", "metric")
    differences = _rows(summary.differences, "implementation", "metric")
    times = _rows(summary.timing, "implementation", "operation")
    ratios = _rows(summary.ratios, "implementation", "operation")
    found = []
    for verdict in summary.verdicts:
        name = verdict.implementation
        accuracy = (name, "test_accuracy")
        cell: dict[str, Any] = {
            "implementation": name,
            "dataset": entry.name,
            "outcome": verdict.outcome,
            "sentence": verdict.sentence,
            "detail": verdict.detail,
            "runs": summary.n_runs,
            "failed_runs": int((failed == name).sum()),
            "message": told.get(name, told.get(reference, "")),
            **{column: agreement[(name,)][column] for column in _AGREEMENT},
            "reference_accuracy": metrics[reference, "test_accuracy"]["mean"],
            "accuracy": metrics[accuracy]["mean"],
            "accuracy_difference": differences[accuracy]["mean"],
            "accuracy_low": differences[accuracy]["low"],
            "accuracy_high": differences[accuracy]["high"],
        }
        for operation in ("fit", "predict"):
            seconds = times.get((name, operation), {}).get("median_seconds", float("nan"))
            cell[f"{operation}_seconds"] = seconds
            ratio = ratios.get((name, operation), {"speed": ""})
            cell |= {f"{operation}_{c}": ratio.get(c, float("nan")) for c in _RATIO}
        found.append(cell)
    return found


def _rows(table: pd.DataFrame, *keys: str) -> dict[tuple[Any, ...], Mapping[Any, Any]]:
    return {tuple(row[key] for key in keys): row for row in table.to_dict("records")}


def headline(cells: pd.DataFrame, reference: str) -> str:
    """Return the first sentence of a page: who gives the reference's labels everywhere."""
    names = list(dict.fromkeys(cells["implementation"]))
    where = _everywhere(cells["dataset"].nunique())
    same = [name for name in names if gives_same_labels(cells, name)]
    others = [name for name in names if name not in same]
    verb = "gives" if len(same) == 1 else "give"
    if not others:
        who = listing(same) if len(same) < 4 else f"All {len(same)} implementations"
        return f"{who} {verb} {reference}'s labels {where}."
    total = plural(len(names), "implementation")
    named = f" ({listing(same)})" if len(same) <= MOST_NAMED else ""
    who = f"{len(same)} of {total} {verb}"
    if not same:
        one = len(others) == 1
        who, named = f"{others[0]} does not give" if one else f"None of {total} gives", ""
    return f"{who} {reference}'s labels {where}{named}; {_parting(cells, others)}"


def gives_same_labels(cells: pd.DataFrame, name: str) -> bool:
    """Tell whether every label was the reference's, on every dataset and in every run."""
    own = _of(cells, name)
    return bool((own["outcome"] == "identical").all() and not own["failed_runs"].any())


def sentence(cells: pd.DataFrame, name: str) -> str:
    """Return how one implementation does over all datasets, such as for a list."""
    own = _of(cells, name)
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
    found = set(_of(cells, name)["outcome"])
    return next(outcome for outcome in WORST_FIRST if outcome in found)


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


def _everywhere(number: int) -> str:
    words = {1: "on the dataset", 2: "on both datasets"}
    return words.get(number, f"on all {number} datasets")
