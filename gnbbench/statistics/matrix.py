"""Studies on several datasets side by side: every implementation on every dataset."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from gnbbench.records import INVALID, WITH_LABELS
from gnbbench.statistics.remarks import failures
from gnbbench.statistics.summary import Outcome, Summary
from gnbbench.statistics.verdicts import Standing, ranked
from gnbbench.words import counted, listing, share

MATRIX_SCHEMA_VERSION = 1
MOST_DATASETS = 3  # Named in a sentence

WORST_FIRST: tuple[Outcome, ...] = (
    *("failed", "different", "cannot tell", "equivalent", "identical"),
)
_AGREEMENT = ("predictions", "disagreements", "agreement", "max_probability_difference")
_RATIO = ("ratio", "low", "high")


@dataclass(frozen=True)
class Entry:
    """One dataset of a matrix, with the study on it."""

    name: str  # Of the dataset; unique among the entries
    folder: str  # Of the study's files, from the page of the matrix
    summary: Summary


@dataclass(frozen=True)
class Matrix:
    """Everything a report shows of a study on several datasets."""

    entries: tuple[Entry, ...]  # One per dataset, all of the same implementations
    command: str  # Repeats the study
    # A sentence on each requested implementation that is not installed
    left_out: tuple[str, ...] = ()

    @property
    def reference(self) -> str:
        """The implementation that the others are compared with."""
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
    def headline(self) -> str:
        """One sentence on all datasets."""
        return headline(self.cells, self.reference)

    @cached_property
    def cells(self) -> pd.DataFrame:
        """One row for each implementation and dataset; missing numbers are NaN."""
        by_dataset = [_cells(entry) for entry in self.entries]
        return pd.DataFrame([row for rows in zip(*by_dataset, strict=True) for row in rows])


def _cells(entry: Entry) -> list[dict[str, Any]]:
    """Return the numbers of every competitor on one dataset."""
    summary = entry.summary
    reference, runs = summary.reference, summary.runs
    messages = failures(runs, summary.implementations)
    failed, invalid = (
        runs.loc[which, "implementation"]
        for which in (~runs["status"].isin(WITH_LABELS), runs["status"] == INVALID)
    )
    agreement, metrics, differences, times, ratios = map(
        summary.lookup, ("agreement", "metrics", "differences", "timing", "ratios")
    )
    cells = []
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
            "message": messages.get(name, messages.get(reference, "")),
            **{column: agreement.row(name)[column] for column in _AGREEMENT},
            "reference_accuracy": metrics.number("mean", reference, "test_accuracy"),
            "accuracy": metrics.number("mean", *accuracy),
            "accuracy_difference": differences.number("mean", *accuracy),
            "accuracy_low": differences.number("low", *accuracy),
            "accuracy_high": differences.number("high", *accuracy),
        }
        if invalid.isin((name, reference)).any():  # Then others may differ by more
            cell["max_probability_difference"] = float("nan")
        for operation in ("fit", "predict"):
            key = (name, operation)
            cell[f"{operation}_seconds"] = times.number("median_seconds", *key)
            cell |= {f"{operation}_{c}": ratios.number(c, *key) for c in _RATIO}
            cell[f"{operation}_speed"] = ratios.text("speed", *key)
        cells.append(cell)
    return cells


def headline(cells: pd.DataFrame, reference: str) -> str:
    """Return the headline: which implementations give the reference's labels everywhere."""
    names = dict.fromkeys(cells["implementation"])
    standings = [
        Standing(name, gives_same_labels(cells, name), _differs(cells, name), _failed(own))
        for name in names
        for own in [_of(cells, name)]
    ]
    return ranked(standings, reference, f" {_everywhere(cells['dataset'].nunique())}")


def gives_same_labels(cells: pd.DataFrame, name: str) -> bool:
    """Return whether every label was the reference's, on every dataset and in every run."""
    own = _of(cells, name)
    return bool((own["outcome"] == "identical").all() and not own["failed_runs"].any())


def sentence(cells: pd.DataFrame, name: str) -> str:
    """Return a sentence on one implementation over all datasets."""
    own = _of(cells, name)
    differing, broken = own["disagreements"] > 0, own["failed_runs"] > 0
    same = own.loc[(own["outcome"] == "identical") & ~broken, "dataset"].tolist()
    parts = [f"same labels {_everywhere(len(own))}"] if len(same) == len(own) else []
    parts += [f"same labels on {listing(same)}"] if same and not parts else []
    parts += [f"labels differ {_differs(cells, name)}"] if differing.any() else []
    parts += [_failed(own)] if broken.any() else []
    text = "; ".join(parts) or "nothing to compare"
    return f"{text[0].upper()}{text[1:]}."


def worst_outcome(cells: pd.DataFrame, name: str) -> Outcome:
    """Return the outcome of an implementation that a reader must see first."""
    outcomes = set(_of(cells, name)["outcome"])
    return next(outcome for outcome in WORST_FIRST if outcome in outcomes)


def _differs(cells: pd.DataFrame, name: str) -> str:
    """Return how many labels differ on which datasets; empty if none do."""
    own = _of(cells, name)
    rows = own[["dataset", "disagreements", "predictions"]].itertuples(index=False)
    shares = {dataset: share(n / total) for dataset, n, total in rows if n}
    if len(shares) > MOST_DATASETS:
        worst = max((own["disagreements"] / own["predictions"]).dropna())
        return f"on {len(shares)} datasets (at most {share(worst)})"
    texts = [f"{dataset} ({text})" for dataset, text in shares.items()]
    return f"on {listing(texts)}" if texts else ""


def _failed(own: pd.DataFrame) -> str:
    """Return in how many runs an implementation failed; empty if in none."""
    broken = own[own["failed_runs"] > 0]
    if broken.empty:
        return ""
    runs = counted(int(broken["failed_runs"].sum()), int(broken["runs"].sum()), "run")
    return f"failed in {runs} on {listing(broken['dataset'].tolist())}"


def _of(cells: pd.DataFrame, name: str) -> pd.DataFrame:
    return cells[cells["implementation"] == name]


def _everywhere(number: int) -> str:
    return {1: "on the dataset", 2: "on both datasets"}.get(
        number, f"on all {number} datasets"
    )
