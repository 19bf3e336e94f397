"""Verdicts on all competitors, and the one sentence that leads the page."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import pandas as pd

from gnbbench import words
from gnbbench.statistics.metrics import LEVEL
from gnbbench.statistics.summary import Outcome, Verdict

FAILED = "Failed: no run gave labels to compare."
WHERE_BOTH = " where both gave labels"

Tables = Mapping[str, pd.DataFrame]


def verdicts(
    tables: Tables, failures: Mapping[str, str], *, reference: str, margin: float
) -> tuple[Verdict, ...]:
    """Return one verdict per competitor, in the order of the agreement table."""
    differences = tables["differences"]
    accuracy = differences[differences["metric"] == "test_accuracy"]
    by_name = {str(row["implementation"]): row for row in rows_of(accuracy)}
    n_runs = int(tables["points"]["runs"].iloc[0])
    found = []
    for row in rows_of(tables["agreement"]):
        name = row["implementation"]
        outcome: Outcome = by_name[name]["outcome"]
        failed = _failed(failures, reference, name)
        evidence = Evidence(reference, outcome, row, by_name[name], margin, n_runs, failed)
        found.append(Verdict(name, outcome, *sentences(evidence)))
    return tuple(found)


def _failed(failures: Mapping[str, str], *names: str) -> str:
    """Return what is said of failed runs of these, empty without any."""
    return " ".join(failures[name] for name in names if name in failures)


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
        differing, total = (self.agreement[c] for c in ("disagreements", "predictions"))
        verb = "differs" if differing == 1 else "differ"
        return f"{words.counted(differing, total, 'prediction')} {verb}"

    @property
    def change(self) -> str:
        """Say by how much the accuracy is higher or lower."""
        mean = self.accuracy["mean"]
        direction = "higher" if mean > 0 else "lower"
        return f"accuracy is {words.points(mean)} {direction} than that of {self.reference}"


def sentences(evidence: Evidence) -> tuple[str, str]:
    """Return the finding, and a second sentence with the numbers behind it."""
    sentence, detail = _SENTENCES[evidence.outcome](evidence)
    return sentence, f"{detail} {evidence.failures}".strip()


def _identical(e: Evidence) -> tuple[str, str]:
    compared, predictions = e.agreement["compared_runs"], e.agreement["predictions"]
    some = "" if compared == e.n_runs else WHERE_BOTH
    return (
        f"Identical{some}: none of {words.plural(predictions, 'prediction')} differ.",
        f"Same labels in {words.counted(compared, e.n_runs, 'run')}; "
        f"{_bounds(e.agreement['row_bound'], e.agreement)}",
    )


def _bounds(row_bound: float, numbers: Mapping[str, Any]) -> str:
    """Say what can differ although nothing was seen to."""
    return (
        f"at most {words.bound_text(row_bound)} of rows can differ (95 % bound from the "
        "distinct rows tested); "
        f"{words.largest_difference(numbers['max_probability_difference'])}."
    )


def _equivalent(e: Evidence) -> tuple[str, str]:
    if e.accuracy["p"] < LEVEL:
        return f"Different, but by less than the margin: {e.change}.", _tested(e)
    within = f"accuracy is equal to within {words.points(e.margin)}"
    return f"Equivalent: {within}, though {e.disagreements}.", _tested(e)


def _cannot_tell(e: Evidence) -> tuple[str, str]:
    if e.agreement["compared_runs"] > 1:
        sentence = (
            f"Cannot tell: {e.disagreements}, and accuracy is shown neither different nor "
            f"equal to within {words.points(e.margin)}."
        )
        return sentence, _tested(e)
    p = e.agreement["mcnemar_p"]
    test = f"McNemar's test on it gives {words.p_value(p)}"
    if math.isnan(p):
        test = "McNemar's test has nothing to go by"
    difference = words.signed_points(e.accuracy["mean"])
    return (
        f"Cannot tell from one run: {e.disagreements}.",
        f"Test accuracy differs by {difference} points; one split gives no interval; "
        f"{test}.",
    )


def _tested(e: Evidence) -> str:
    a = e.accuracy
    is_constant = math.isnan(a["p"])
    return (
        f"The mean difference in test accuracy is {words.signed_points(a['mean'])} "
        f"points, 95 % interval {words.signed_points(a['low'])} to "
        f"{words.signed_points(a['high'])} over {words.plural(a['runs'], 'run')} "
        "(corrected for splits that share samples); "
        + (
            "the same in every run, so not tested."
            if is_constant
            else f"{words.p_value(a['p'])} after Holm."
        )
    )


_SENTENCES: dict[Outcome, Callable[[Evidence], tuple[str, str]]] = {
    "identical": _identical,
    "equivalent": _equivalent,
    "different": lambda e: (f"Different: {e.change}.", _tested(e)),
    "cannot tell": _cannot_tell,
    "failed": lambda _: (FAILED, ""),
}


@dataclass(frozen=True)
class SweepEvidence:
    """What one implementation is judged by over all train fractions."""

    reference: str
    overall: Mapping[str, Any]  # Its row of the table `overall`, and the reference's
    reference_overall: Mapping[str, Any]
    outcomes: Sequence[str]  # Of the test accuracy at each fraction that has splits
    margin: float
    planned: int  # Runs of all fractions, compared or not
    is_tested: bool  # Whether there are runs enough for intervals and tests
    row_bound: float  # 95 % upper bound on the share of rows that can differ where none did

    @property
    def outcome(self) -> Outcome:
        """What they come to together."""
        if not self.overall["runs"]:
            return "failed"
        if self.overall["exact_runs"] == self.overall["runs"]:
            return "identical"
        if "different" in self.outcomes:
            return "different"
        equal = all(found in {"identical", "equivalent"} for found in self.outcomes)
        return "equivalent" if equal else "cannot tell"

    def fractions(self, *outcomes: str) -> str:
        """Say at how many fractions the accuracy is called so."""
        found = sum(outcome in outcomes for outcome in self.outcomes)
        return words.counted(found, len(self.outcomes), "train fraction")


def sweep_verdicts(
    tables: Tables, failures: Mapping[str, str], *, reference: str, margin: float
) -> tuple[Verdict, ...]:
    """Return one verdict per competitor over all fractions.

    Identical: no label differs in any run. Different: the test accuracy differs at some
    fraction, after correction over all. Equivalent: it is shown to be within the margin at
    every fraction. Else it cannot be told. No test is made over fractions together, whose
    runs share samples.
    """
    rows = {str(row["implementation"]): row for row in rows_of(tables["overall"])}
    points, differences = tables["points"], tables["differences"]
    possible = points.loc[points["n_train"] > 0, "point"]
    judged = differences[
        differences["point"].isin(possible) & (differences["metric"] == "test_accuracy")
    ]
    # The fraction that tested most rows bounds them best.
    bounds = tables["agreement"].groupby("implementation")["row_bound"].min()
    found = []
    for name in [name for name in rows if name != reference]:
        evidence = SweepEvidence(
            reference,
            rows[name],
            rows[reference],
            judged.loc[judged["implementation"] == name, "outcome"].tolist(),
            margin,
            int(points["runs"].sum()),
            bool(points["runs"].max() > 1),
            float(bounds[name]),
        )
        sentence, detail = _sweep_sentences(evidence)
        detail = f"{detail} {_failed(failures, reference, name)}".strip()
        found.append(Verdict(name, evidence.outcome, sentence, detail))
    return tuple(found)


def _sweep_sentences(e: SweepEvidence) -> tuple[str, str]:
    """Return the finding over all fractions, and the numbers behind it."""
    if e.outcome == "failed":
        return FAILED, ""
    all_runs = e.overall["runs"]
    runs = words.plural(int(all_runs), "run")
    if e.outcome == "identical":
        where = "" if all_runs == e.planned else WHERE_BOTH
        same = f"Same labels at {words.plural(len(e.outcomes), 'train fraction')}; "
        return (
            f"Identical{where}: all {runs} match entirely.",
            same + _bounds(e.row_bound, e.overall),
        )
    mean = e.overall["mismatches_mean"]
    per_run = f"{mean:,.2f}" if mean >= 0.005 else f"{mean:.1g}"
    finding = (
        f"{share_text(e.overall['exact_runs'], all_runs)} of {runs} match entirely; "
        f"{per_run} labels differ per run on average, "
        f"at most {e.overall['mismatches_max']:,.0f}."
    )
    if e.outcome == "different":
        finding = f"Different at {e.fractions('different')}: {finding}"
    test = "one run at each train fraction gives no interval and no test"
    if e.is_tested:
        some = "different" in e.outcomes
        certain = e.fractions("different") if some else "no train fraction"
        test = (
            f"it differs significantly at {certain} (corrected test, Holm over fractions), "
            f"and is shown equal to within {words.points(e.margin)} at "
            f"{e.fractions('identical', 'equivalent')}"
        )
    return finding, (
        f"Mean test accuracy {e.overall['test_accuracy']:.4f} against "
        f"{e.reference_overall['test_accuracy']:.4f} of {e.reference}; {test}; "
        f"{words.largest_difference(e.overall['max_probability_difference'])}."
    )


def share_text(part: float, whole: float) -> str:
    """Return a share in per cent that says 0 or 100 only where it is exactly so."""
    if part in {0, whole}:
        return "100 %" if part else "0 %"
    text = f"{100 * part / whole:.1f}"
    return {"0.0": "<0.1 %", "100.0": ">99.9 %"}.get(text, f"{text} %")
