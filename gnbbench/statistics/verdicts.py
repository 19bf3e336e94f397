"""Verdicts on all competitors, and the one sentence that leads the page."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import pandas as pd

from gnbbench import words
from gnbbench.statistics.metrics import LEVEL
from gnbbench.statistics.summary import Outcome, Verdict


def verdicts(
    tables: Mapping[str, pd.DataFrame],
    failures: Mapping[str, str],
    *,
    reference: str,
    margin: float,
) -> tuple[Verdict, ...]:
    """Return one verdict per competitor, in the order of the agreement table."""
    differences = tables["differences"]
    accuracy = differences[differences["metric"] == "test_accuracy"]
    by_name = {str(row["implementation"]): row for row in rows_of(accuracy)}
    n_runs = int(tables["points"]["runs"].iloc[0])
    found = []
    for row in rows_of(tables["agreement"]):
        name = row["implementation"]
        failed = " ".join(failures[who] for who in (reference, name) if who in failures)
        outcome: Outcome = by_name[name]["outcome"]
        evidence = Evidence(reference, outcome, row, by_name[name], margin, n_runs, failed)
        found.append(Verdict(name, outcome, *sentences(evidence)))
    return tuple(found)


def headline(found: Sequence[Verdict], *, reference: str) -> str:
    """Return the first sentence of a page: the one verdict, or a count of verdicts."""
    if len(found) == 1:
        return found[0].sentence
    if not found:
        return f"Nothing was held against {reference}."
    outcomes: dict[str, list[str]] = {name: [] for name in get_args(Outcome)}
    for verdict in found:
        outcomes[verdict.outcome].append(verdict.implementation)
    counts = [
        f"{len(names)} {name} ({', '.join(names)})"
        for name, names in outcomes.items()
        if names
    ]
    return f"Held against {reference}: {', '.join(counts)}."


def rows_of(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows as dicts from column names to values."""
    return [
        {str(column): value for column, value in row.items()}
        for row in table.to_dict("records")
    ]


@dataclass(frozen=True)
class Evidence:
    """What one implementation is judged by."""

    reference: str  # Its name
    outcome: Outcome  # Of the test accuracy
    # Its row of the table `agreement`, and of `differences` for the test accuracy
    agreement: Mapping[str, Any]
    accuracy: Mapping[str, Any]
    margin: float
    n_runs: int  # Runs planned, compared or not
    failures: str  # What is said of failed runs of both; empty without any

    @property
    def disagreements(self) -> str:
        """Say how many predictions differ, with the verb."""
        differing, predictions = (
            self.agreement["disagreements"],
            self.agreement["predictions"],
        )
        verb = "differs" if differing == 1 else "differ"
        return f"{words.counted(differing, predictions, 'prediction')} {verb}"

    @property
    def change(self) -> str:
        """Say by how much the accuracy is higher or lower."""
        mean = self.accuracy["mean"]
        direction = "higher" if mean > 0 else "lower"
        return f"accuracy is {words.points(mean)} {direction} than that of {self.reference}"


def sentences(evidence: Evidence) -> tuple[str, str]:
    """Return the finding, and a second sentence with the numbers behind it."""
    return _SAY[evidence.outcome](evidence)


def _identical(e: Evidence) -> tuple[str, str]:
    compared, predictions = e.agreement["compared_runs"], e.agreement["predictions"]
    some = "" if compared == e.n_runs else " where both gave labels"
    sentence = f"Identical{some}: none of {words.plural(predictions, 'prediction')} differ."
    detail = (
        f"Same labels in {words.counted(compared, e.n_runs, 'run')}; at most "
        f"{words.bound_text(e.agreement['row_bound'])} of rows can differ (95 % bound "
        f"from the distinct rows tested); "
        f"{words.largest_difference(e.agreement['max_probability_difference'])}."
    )
    return sentence, _with_failures(detail, e)


def _equivalent(e: Evidence) -> tuple[str, str]:
    if e.accuracy["p"] < LEVEL:
        sentence = f"Different, but by less than the margin: {e.change}."
    else:
        sentence = (
            f"Equivalent: accuracy is equal to within {words.points(e.margin)}, "
            f"though {e.disagreements}."
        )
    return sentence, _tested(e)


def _different(e: Evidence) -> tuple[str, str]:
    return f"Different: {e.change}.", _tested(e)


def _cannot_tell(e: Evidence) -> tuple[str, str]:
    if e.agreement["compared_runs"] == 1:
        return f"Cannot tell from one run: {e.disagreements}.", _one_run(e)
    sentence = (
        f"Cannot tell: {e.disagreements}, and accuracy is shown neither different nor "
        f"equal to within {words.points(e.margin)}."
    )
    return sentence, _tested(e)


def _failed(e: Evidence) -> tuple[str, str]:
    return "Failed: no run gave labels to compare.", e.failures


def _one_run(e: Evidence) -> str:
    p = e.agreement["mcnemar_p"]
    if math.isnan(p):
        test = "McNemar's test has nothing to go by"
    else:
        test = f"McNemar's test on it gives {words.p_value(p)}"
    difference = words.signed_points(e.accuracy["mean"])
    return _with_failures(
        f"Test accuracy differs by {difference} points; one split gives no interval; "
        f"{test}.",
        e,
    )


def _tested(e: Evidence) -> str:
    a = e.accuracy
    if math.isnan(a["p"]):
        test = "the same in every run, so not tested"
    else:
        test = f"{words.p_value(a['p'])} after Holm"
    detail = (
        f"The mean difference in test accuracy is {words.signed_points(a['mean'])} "
        f"points, 95 % interval {words.signed_points(a['low'])} to "
        f"{words.signed_points(a['high'])} over {words.plural(a['runs'], 'run')} "
        f"(corrected for splits that share samples); {test}."
    )
    return _with_failures(detail, e)


def _with_failures(detail: str, e: Evidence) -> str:
    return f"{detail} {e.failures}".strip()


_SAY: dict[Outcome, Callable[[Evidence], tuple[str, str]]] = {
    "identical": _identical,
    "equivalent": _equivalent,
    "different": _different,
    "cannot tell": _cannot_tell,
    "failed": _failed,
}
