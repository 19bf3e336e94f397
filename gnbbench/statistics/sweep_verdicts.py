"""What is concluded of each implementation over all train fractions, in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from gnbbench import words
from gnbbench.statistics.agreement import row_bound, rows_tested
from gnbbench.statistics.summary import Outcome, Verdict
from gnbbench.statistics.sweep_points import SweepPoint


@dataclass(frozen=True)
class SweepEvidence:
    """What one implementation is judged by."""

    reference: str
    own: Mapping[str, Any]  # Rows of `SweepSummary.overall`: its own, and the reference's
    other: Mapping[str, Any]  # Rows of `SweepSummary.overall`: its own, and the reference's
    outcomes: Sequence[str]  # Of the test accuracy at each fraction that has splits
    margin: float
    planned: int  # Runs of all fractions, compared or not
    tested: bool  # Whether there are runs enough for intervals and tests
    row_bound: float  # 95 % upper bound on the share of rows that can differ where none did
    failures: str  # What is said of runs with an error; empty without any


def sweep_verdicts(
    overall: pd.DataFrame,
    differences: pd.DataFrame,
    points: Sequence[SweepPoint],
    failures: Mapping[str, str],
    *,
    reference: str,
    margin: float,
    n_rows: int,
) -> tuple[Verdict, ...]:
    """Return one verdict per competitor over all fractions.

    Identical: no label differs in any run. Different: the test accuracy differs at some
    fraction, after correction over all. Equivalent: it is shown to be within the margin at
    every fraction. Else it cannot be told. No test is made over fractions together, whose
    runs share samples.
    """
    rows = {
        str(row["implementation"]): {str(key): value for key, value in row.items()}
        for row in overall.to_dict("records")
    }
    possible = [point.fraction for point in points if point.possible]
    judged = differences[differences["fraction"].isin(possible)]
    found = []
    for name in [name for name in rows if name != reference]:
        told = " ".join(failures[who] for who in (reference, name) if who in failures)
        evidence = SweepEvidence(
            reference,
            rows[name],
            rows[reference],
            judged.loc[judged["implementation"] == name, "outcome"].tolist(),
            margin,
            sum(len(point.runs) for point in points),
            max(len(point.runs) for point in points) > 1,
            _bound(points, name, n_rows),
            told,
        )
        outcome = _outcome(evidence)
        sentence, detail = _sentence(evidence, outcome), _detail(evidence, outcome)
        found.append(Verdict(name, outcome, sentence, f"{detail} {told}".strip()))
    return tuple(found)


def share(part: float, whole: float) -> str:
    """Return a share in per cent that says 0 or 100 only where it is exactly so."""
    if part in {0, whole}:
        return "100 %" if part else "0 %"
    text = f"{100 * part / whole:.1f}"
    return {"0.0": "<0.1 %", "100.0": ">99.9 %"}.get(text, f"{text} %")


def _outcome(e: SweepEvidence) -> Outcome:
    if not e.own["runs"]:
        return "failed"
    if e.own["exact_runs"] == e.own["runs"]:
        return "identical"
    if "different" in e.outcomes:
        return "different"
    equal = all(found in {"identical", "equivalent"} for found in e.outcomes)
    return "equivalent" if equal else "cannot tell"


def _sentence(e: SweepEvidence, outcome: Outcome) -> str:
    if outcome == "failed":
        return "Failed: no run gave labels to compare."
    runs = words.plural(int(e.own["runs"]), "run")
    if outcome == "identical":
        where = "" if e.own["runs"] == e.planned else " where both gave labels"
        return f"Identical{where}: all {runs} match entirely."
    finding = (
        f"{share(e.own['exact_runs'], e.own['runs'])} of {runs} match entirely; "
        f"{_labels(e.own['mismatches_mean'])} per run on average, "
        f"at most {e.own['mismatches_max']:,.0f}."
    )
    if outcome == "different":
        return f"Different at {_fractions(e, 'different')}: {finding}"
    return finding


def _detail(e: SweepEvidence, outcome: Outcome) -> str:
    if outcome == "failed":
        return ""
    largest = words.largest_difference(e.own["max_probability_difference"])
    if outcome == "identical":
        return (
            f"Same labels at {words.plural(len(e.outcomes), 'train fraction')}; at most "
            f"{words.bound_text(e.row_bound)} of rows can differ (95 % bound from the "
            f"distinct rows tested); {largest}."
        )
    means = (
        f"Mean test accuracy {e.own['test_accuracy']:.4f} against "
        f"{e.other['test_accuracy']:.4f} of {e.reference}"
    )
    return f"{means}; {_tests(e)}; {largest}."


def _tests(e: SweepEvidence) -> str:
    """Say at how many fractions which result was reached."""
    if not e.tested:
        return "one run at each train fraction gives no interval and no test"
    certain = "no train fraction"
    if "different" in e.outcomes:
        certain = _fractions(e, "different")
    return (
        f"it differs significantly at {certain} (corrected test, Holm over fractions), and "
        f"is shown equal to within {words.points(e.margin)} at "
        f"{_fractions(e, 'identical', 'equivalent')}"
    )


def _fractions(e: SweepEvidence, *outcomes: str) -> str:
    """Say at how many fractions the accuracy is called so."""
    found = sum(outcome in outcomes for outcome in e.outcomes)
    return words.counted(found, len(e.outcomes), "train fraction")


def _labels(mean: float) -> str:
    """Return a mean number of labels with its verb."""
    text = f"{mean:,.2f}" if mean >= 0.005 else f"{mean:.1g}"
    return f"{text} labels differ"


def _bound(points: Sequence[SweepPoint], name: str, n_rows: int) -> float:
    """Return the bound on rows from the fraction that tested most of them."""
    tested = [
        rows_tested(
            n_rows,
            test_share=point.sizes.test_share,
            n_runs=int((point.records.pairs["implementation"] == name).sum()),
        )
        for point in points
        if point.possible
    ]
    return row_bound(max(tested, default=0))
