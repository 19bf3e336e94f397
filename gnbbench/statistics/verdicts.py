"""Verdicts on all competitors, and the one sentence that leads the page."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import pandas as pd

from gnbbench.statistics.sentences import Evidence, sentences
from gnbbench.statistics.summary import Outcome, Verdict


def verdicts(
    agreement: pd.DataFrame,
    differences: pd.DataFrame,
    failures: Mapping[str, str],
    *,
    reference: str,
    margin: float,
    n_runs: int,
) -> tuple[Verdict, ...]:
    """Return one verdict per competitor, in the order of the agreement table."""
    accuracy = differences[differences["metric"] == "test_accuracy"]
    by_name = {str(row["implementation"]): row for row in _rows(accuracy)}
    found = []
    for row in _rows(agreement):
        name = row["implementation"]
        told = " ".join(failures[who] for who in (reference, name) if who in failures)
        own = by_name[name]
        called: Outcome = own["outcome"]
        said = sentences(Evidence(reference, called, row, own, margin, n_runs, told))
        found.append(Verdict(name, called, *said))
    return tuple(found)


def headline(found: Sequence[Verdict], *, reference: str) -> str:
    """Return the first sentence of a page: the one verdict, or a count of verdicts."""
    if len(found) == 1:
        return found[0].sentence
    if not found:
        return f"Nothing was held against {reference}."
    outcomes: dict[str, list[str]] = {name: [] for name in get_args(Outcome)}
    for one in found:
        outcomes[one.outcome].append(one.implementation)
    counts = [
        f"{len(names)} {name} ({', '.join(names)})"
        for name, names in outcomes.items()
        if names
    ]
    return f"Held against {reference}: {', '.join(counts)}."


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows as dicts from column names to values."""
    return [
        {str(column): value for column, value in row.items()}
        for row in table.to_dict("records")
    ]
