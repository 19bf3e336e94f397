"""Verdicts on published figures, counted and put into words."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from gnbbench.claims.claim import VERDICTS, ClaimResult, ClaimVerdict, Measured, Publication
from gnbbench.claims.verdicts import central_range, figure, finer, share_reached, table_text
from gnbbench.statistics.schema import fields_of, table_of
from gnbbench.statistics.summary import StudyNotes, Summary
from gnbbench.words import DASH, count, decimal, plural

# Verdicts on figures that can be checked; terminals show their explanations.
CHECKED: tuple[ClaimVerdict, ...] = VERDICTS[:3]
# Verdict -> words after the number of claims with it.
OF_OTHERS: Mapping[ClaimVerdict, str] = {
    "within run-to-run spread": "within run-to-run spread",
    "not reproduced": "not reproduced",
    "protocol not stated": "without a stated protocol",
    "not available": "without data",
}


def summarize_claims(
    results: Sequence[ClaimResult], notes: StudyNotes, asked: Mapping[str, Any]
) -> Summary:
    """Summarize one or more results; reports also read the results."""
    verdicts = [result.verdict for result in results]
    counts = {verdict: verdicts.count(verdict) for verdict in VERDICTS}
    # The headline gives the verdict on a single figure.
    in_headline = CHECKED if sum(counts[n] for n in CHECKED) == 1 else ()
    others = [
        f"{counts[verdict]} {words}"
        for verdict, words in OF_OTHERS.items()
        if counts[verdict] and verdict not in in_headline
    ]
    rows = [row_of(result) for result in results]
    return Summary(
        study="reproduce",
        headline=_headline(counts),
        **vars(notes),
        reference="",
        implementations=tuple(dict.fromkeys(row["implementation"] for row in rows)),
        tables={"claims": table_of("claims", rows, "reproduce")},
        warnings=_remarks(results, asked["runs"]),
        details={
            "plan": asked,
            "detail": f"The others: {'; '.join(others)}." if others else "",
            "counts": counts,
            "sources": [
                fields_of("reproduce", "sources", vars(source))
                for source in by_source(results)
            ],
            "claims": [
                fields_of("reproduce", "results", {**row, **_nested(result)})
                for row, result in zip(rows, results, strict=True)
            ],
            "results": results,
        },
    )


def _headline(counts: Mapping[ClaimVerdict, int]) -> str:
    """Return how many of the checkable figures are reproduced."""
    good, timings = counts["reproduced"], counts["measured here"]
    n = sum(counts[name] for name in CHECKED)
    which = "" if n == sum(counts.values()) else " that can be checked"
    figures = f"{plural(n, 'published figure')}{which}"
    verb = "is" if good == 1 else "are"
    sentence = f"{count(good)} of {figures} {verb} reproduced"
    if n == 0:
        sentence = "No published figure can be checked"
    elif n == 1:
        verdict = next(name for name in CHECKED if counts[name])
        sentence = f"The {'only ' if which else ''}published figure{which} is {verdict}"
    elif good == n:
        sentence = f"All {figures} are reproduced"
    if timings:
        verb = "is" if timings == 1 else "are"
        sentence += f"; {plural(timings, 'timing')} {verb} shown, not judged"
    return f"{sentence}."


def by_source(results: Sequence[ClaimResult]) -> dict[Publication, list[ClaimResult]]:
    """Return the results of each source, in the order of the tables."""
    groups: dict[Publication, list[ClaimResult]] = {}
    for result in results:
        groups.setdefault(result.claim.source, []).append(result)
    return groups


def _remarks(results: Sequence[ClaimResult], most_runs: int | None) -> tuple[str, ...]:
    """Return remarks that readers must see, one sentence each."""
    remarks = [
        f"{result.claim.id} is {result.verdict}; its table expects "
        f'"{result.claim.expected}".'
        for result in results
        if result.is_lost
    ]
    n_cut = sum(result.is_cut for result in results)
    if n_cut:
        remarks.append(
            f"{plural(n_cut, 'claim')} had fewer runs than the table requires "
            f"({count(most_runs or math.nan)} at most), so they are not compared "
            "with what was expected."
        )
    return tuple(remarks)


def stated(claim: Any) -> dict[str, Any]:
    """Return the fields of a claim without measurements, by schema column."""
    return {
        **vars(claim),
        "source": claim.source.key,
        "protocol": claim.protocol.readings[0].description,
        "published": claim.published.text,
    }


def row_of(result: ClaimResult) -> dict[str, Any]:
    """Return the scalar fields of a result, by schema column."""
    readings = result.claim.protocol.readings
    return {
        **stated(result.claim),
        "dataset": ", ".join(dict.fromkeys(r.dataset for r in readings)),
        "measured": measured_text(result),
        "verdict": result.verdict,
        "lost": result.is_lost,
        "cut": result.is_cut,
        "explanation": result.explanation,
        "seconds": result.seconds,
    }


def _nested(result: ClaimResult) -> dict[str, Any]:
    """Return the nested fields of a result in the JSON document."""
    readings = []
    for measured in result.measured:
        ends = measured.low, measured.high
        if measured.repeats is not None:
            ends = central_range(measured)
        row = {
            **vars(measured),
            "dataset": measured.reading.dataset,
            "reading": measured.reading.words,
            "share_reached": share_reached(result.claim.published, measured),
            "n_repeats": len(measured.figures),
            "resampled": measured.is_resampled,
            "low": ends[0],
            "high": ends[1],
        }
        readings.append(fields_of("reproduce", "readings", row))
    contrasts = (vars(contrast) for contrast in result.contrasts)
    return {
        "measured": readings,
        "contrasts": [
            fields_of("reproduce", "contrasts", contrast) for contrast in contrasts
        ],
    }


def measured_text(result: ClaimResult) -> str:
    """Format a measured figure in the unit and with the digits of the published one."""
    known = [measured for measured in result.measured if not math.isnan(measured.value)]
    if not known:
        return DASH
    first, published = known[0], result.claim.published
    if result.claim.protocol.kind == "times":
        return _time_text(result, first)
    if first.repeats is not None:
        values = [measured.value for measured in known]
        low, high = (_finer(result, end) for end in (min(values), max(values)))
        text = low if low == high else f"{low} to {high}"
        return text if first.is_resampled else f"mean {text}"
    if first.rows and (published.rows or len(first.rows[0]) > 1):
        return table_text(published, first)
    text = figure(published, first.value)
    return f"{text} of {first.total}" if published.total else text


def _finer(result: ClaimResult, value: float) -> str:
    """Format a value with one digit more than published; a mean of counts with two."""
    published = result.claim.published
    is_mean_of_counts = published.decimals == 0 and published.scale == 1.0
    if is_mean_of_counts and not result.measured[0].is_resampled:
        return decimal(value, 2)
    return finer(published, value)


def _time_text(result: ClaimResult, measured: Measured) -> str:
    """Format a mean time with its spread, or a ratio with its interval."""
    digits = result.claim.published.decimals
    if result.claim.metric == "fit_ratio":
        value, *ends = (
            decimal(number, digits + 1)
            for number in (measured.value, measured.low, measured.high)
        )
        return f"{value} ({' to '.join(ends)})"
    return f"{decimal(measured.value, digits)} ± {decimal(measured.spread, digits)} s"
