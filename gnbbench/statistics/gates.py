"""Gates: conditions on a summary that make a build pass or fail."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, log
from typing import Any, Literal, TypeAlias

import numpy as np

from gnbbench.records import OPERATIONS
from gnbbench.statistics.metrics import impossible_runs
from gnbbench.statistics.remarks import failures
from gnbbench.statistics.summary import Summary, Verdict
from gnbbench.statistics.timing import WIDEST_INTERVAL
from gnbbench.statistics.verdicts import rows_of
from gnbbench.words import DASH, amount, counted, factor, listing, span

TimeOutcome: TypeAlias = Literal["pass", "fail", "inconclusive"]
GateOutcome: TypeAlias = TimeOutcome | Literal["not applicable"]


@dataclass(frozen=True)
class Gate:
    """The outcome of one gate for one implementation."""

    implementation: str  # The one judged
    # ``"runs"``, ``"agreement"``, ``"fit time"``, ``"predict time"`` or ``"predict_proba
    # time"``
    name: str
    # Inconclusive: another measurement may go either way. Not applicable: it lacks the
    # operation that would be judged.
    outcome: GateOutcome
    # The finding on one line, with its numbers and, if inconclusive, what to do
    sentence: str


def gates(
    summary: Summary, *, same_labels: bool = False, slower_than: float | None = None
) -> tuple[Gate, ...]:
    """Return the outcome of every requested gate, implementation by implementation.

    Every gate implies one on the runs, the reference's included: an implementation that
    failed in a run was not compared there, and passes nothing.
    """
    if not same_labels and slower_than is None:
        return ()
    outcomes = [_runs_gate(summary, name) for name in summary.implementations]
    for verdict in summary.verdicts:
        if same_labels:
            outcomes.append(_agreement_gate(summary, verdict))
        # Times of an implementation without labels are not judged: it fails for its runs.
        if slower_than is not None and verdict.outcome != "failed":
            outcomes += _time_gates(summary, verdict.implementation, slower_than)
    return tuple(outcomes)


def never_compared(summaries: Sequence[Summary]) -> str:
    """Return the implementations whose labels were never compared, and on which data."""
    where: dict[str, list[str]] = {}
    for summary in summaries:
        for name in summary.details.get("silent", ()):
            text = f"{name}: no labels to compare with {summary.reference}"
            datasets = [summary.dataset.name] if len(summaries) > 1 else []
            where.setdefault(text, []).extend(datasets)
    return "; ".join(
        f"{text} on {listing(datasets)}" if datasets else text
        for text, datasets in where.items()
    )


def time_outcome(row: Mapping[str, Any], limit: float) -> TimeOutcome:
    """Return on which side of a limit a ratio of times lies, if that is clear.

    The bounds of its interval decide: it fails with the lower one above the limit, and
    passes with the upper one at most the limit. It is inconclusive if the interval is too
    wide for any conclusion, or if the ratio is no further from the limit than the further
    end of the noise floor is from 1: the measurement cannot separate these two.
    """
    low, high = row["low"], row["high"]
    # NumPy's maximum is NaN if either is, which no margin exceeds.
    floor = np.maximum(-log(row["floor_low"]), log(row["floor_high"]))
    is_separated = abs(log(row["ratio"]) - log(limit)) >= floor
    if not (is_separated and high <= WIDEST_INTERVAL * low):
        return "inconclusive"
    if low > limit:
        return "fail"
    return "pass" if high <= limit else "inconclusive"


def _runs_gate(summary: Summary, name: str) -> Gate:
    """Judge whether it gave labels, and no invalid probabilities, in every possible run."""
    runs = summary.runs[~impossible_runs(summary.runs)]
    n_runs = int((runs["implementation"] == name).sum())
    failed = failures(runs, [name]).get(name)
    if failed or not n_runs:
        return Gate(name, "runs", "fail", failed or f"{name} was evaluated in no run.")
    text = f"{name} gave labels in {counted(n_runs, n_runs, 'run')}."
    return Gate(name, "runs", "pass", text)


def _agreement_gate(summary: Summary, verdict: Verdict) -> Gate:
    """Judge whether no label differs, in any run in which both gave labels."""
    name = verdict.implementation
    text = f"{name} against {summary.reference}: "
    if verdict.outcome == "identical":
        return Gate(name, "agreement", "pass", text + verdict.sentence)
    if verdict.outcome != "failed":
        runs = summary.agreement[summary.agreement["implementation"] == name]
        compared, exact = (int(runs[c].sum()) for c in ("compared_runs", "exact_runs"))
        text += f"labels differ in {counted(compared - exact, compared, 'run')}. "
    return Gate(name, "agreement", "fail", text + verdict.sentence)


def _time_gates(summary: Summary, name: str, limit: float) -> Iterator[Gate]:
    """Judge the time of every operation; one that was not timed does not pass."""
    rows = summary.ratios[summary.ratios["implementation"] == name]
    # Without labels, times are not compared.
    ratios = {row["operation"]: row for row in rows_of(rows) if isfinite(row["ratio"])}
    for operation in OPERATIONS:
        if operation not in ratios:
            yield _untimed_gate(summary, name, operation)
            continue
        row = ratios[operation]
        outcome = time_outcome(row, limit)
        allowed = f"at most {limit:g}× slower is allowed"
        if limit < 1.0:
            allowed = f"at least {amount(1 / limit)}× faster is required"
        if outcome == "inconclusive":
            again = "--overwrite" if summary.is_streamed else "--remeasure"
            wide = f"an interval wider than a factor of {WIDEST_INTERVAL:g} decides nothing"
            is_wide = row["high"] > WIDEST_INTERVAL * row["low"]
            allowed += f", and {wide if is_wide else 'the times do not decide that'}. "
            allowed += f"Measure again ({again}) on a quieter machine, or change the limit"
        low, high = row["low"], row["high"]
        floor = span(row["floor_low"], row["floor_high"])
        floor = "unknown" if floor == DASH else floor
        notes = f"noise floor {floor}"
        speed = factor(row["ratio"], low, high if isfinite(low) else low)
        speed = f"is {speed} than {summary.reference}"
        if row["speed"] in {"too noisy", "not separated"}:
            notes = f"ratio {span(low, high)}; {notes}" if isfinite(low) else notes
            is_noisy = row["speed"] == "too noisy"
            what = "too noisy to compare with" if is_noisy else "not distinguishable from"
            speed = f"is {what} {summary.reference}"
        sentence = f"{operation}: {name} {speed} ({notes}); {allowed}."
        yield Gate(name, f"{operation} time", outcome, sentence)


def _untimed_gate(summary: Summary, name: str, operation: str) -> Gate:
    """Judge an operation without a ratio: not offered, or not timed."""
    untimed = summary.details["untimed"]
    reasons = {who: untimed.get(who, "") for who in (name, summary.reference)}
    for who, reason in reasons.items():
        if f"{operation} is not offered" in reason.split("; "):
            text = f"{who} offers no {operation}."
            return Gate(name, f"{operation} time", "not applicable", text)
    known = [f"{who}: {reason}" for who, reason in reasons.items() if reason]
    text = f"{operation} of {name} has no time to judge"
    text += f" ({'; '.join(known)})." if known else f". {summary.timing_regime}"
    return Gate(name, f"{operation} time", "fail", text)
