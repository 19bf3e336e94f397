"""What became of published figures is counted, and put into words and tables."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from gnbbench.claims.claim import (
    VERDICTS,
    ClaimResult,
    Measured,
    Published,
    Source,
    Verdict,
)
from gnbbench.claims.verdicts import central_range, figure, finer, share_reached
from gnbbench.statistics.schema import fields_of, table_of
from gnbbench.statistics.summary import Summary
from gnbbench.words import DASH, count, decimal, plural

# Verdict -> what is said of its number beside the reproduced.
_BESIDES: Mapping[Verdict, str] = {
    "within run-to-run spread": "within run-to-run spread",
    "not reproduced": "not reproduced",
    "protocol not stated": "without a stated protocol",
    "not available": "without their data",
}


def summarize_claims(
    results: Sequence[ClaimResult],
    plan: Mapping[str, Any],
    environment: Mapping[str, Any],
    command: str,
    asked: Mapping[str, Any],
) -> Summary:
    """Return the summary of at least one result; reports read the results besides."""
    verdicts = [result.verdict for result in results]
    counts = {verdict: verdicts.count(verdict) for verdict in VERDICTS}
    told = [f"{counts[name]} {words}" for name, words in _BESIDES.items() if counts[name]]
    rows = [row_of(result) for result in results]
    return Summary(
        study="reproduce",
        command=command,
        headline=_headline(counts),
        plan=plan,
        environment=environment,
        reference="",
        implementations=tuple(dict.fromkeys(row["implementation"] for row in rows)),
        tables={"claims": table_of("claims", rows, "reproduce")},
        warnings=_remarks(results, asked["runs"]),
        details={
            "plan": asked,
            "detail": f"The others: {'; '.join(told)}." if told else "",
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


def _headline(counts: Mapping[Verdict, int]) -> str:
    """Return how many figures are reproduced, of those that can be checked."""
    good, timings = counts["reproduced"], counts["measured here"]
    n = good + counts["within run-to-run spread"] + counts["not reproduced"]
    which = "" if n == sum(counts.values()) else " that can be checked"
    said = f"{count(good)} of {plural(n, 'published figure')}{which} "
    said += "is reproduced" if 1 in (good, n) else "are reproduced"
    if n == 0:
        said = "No published figure can be checked"
    elif good == n:
        said = f"All {plural(n, 'published figure')}{which} are reproduced"
    if 0 < n == good == 1:
        said = f"The {'only ' * bool(which)}published figure{which} is reproduced"
    if timings:
        verb = "is" if timings == 1 else "are"
        said += f"; {plural(timings, 'timing')} {verb} shown, not judged"
    return f"{said}."


def by_source(results: Sequence[ClaimResult]) -> dict[Source, list[ClaimResult]]:
    """Return the results of each source, in the order of the tables."""
    found: dict[Source, list[ClaimResult]] = {}
    for result in results:
        found.setdefault(result.claim.source, []).append(result)
    return found


def _remarks(results: Sequence[ClaimResult], most_runs: int | None) -> tuple[str, ...]:
    """Return what a reader must see, one sentence each."""
    remarks = [
        f"{result.claim.id} was {result.claim.expected} and is {result.verdict} now."
        for result in results
        if result.is_lost
    ]
    n_cut = sum(result.is_cut for result in results)
    if n_cut:
        remarks.append(
            f"{plural(n_cut, 'claim')} had fewer runs than the table asks for "
            f"({count(most_runs or math.nan)} at most), so they are not compared "
            "with what was expected."
        )
    return tuple(remarks)


def stated(claim: Any) -> dict[str, Any]:
    """Return what a claim says, nothing measured, by the columns of the schema."""
    return {
        **vars(claim),
        "source": claim.source.key,
        "protocol": claim.protocol.readings[0].description,
        "published": claim.published.text,
    }


def row_of(result: ClaimResult) -> dict[str, Any]:
    """Return all single values of a result, by the columns of the schema."""
    return {
        **stated(result.claim),
        "dataset": datasets_of(result),
        "measured": measured_text(result),
        "verdict": result.verdict,
        "lost": result.is_lost,
        "cut": result.is_cut,
        "explanation": result.explanation,
        "seconds": result.seconds,
    }


def _nested(result: ClaimResult) -> dict[str, Any]:
    """Return what the document has in the place of single values."""
    published = result.claim.published
    return {
        "measured": [_reading(published, found) for found in result.measured],
        "contrasts": [
            fields_of("reproduce", "contrasts", vars(one)) for one in result.contrasts
        ],
    }


def _reading(published: Published, found: Measured) -> dict[str, Any]:
    ends = (found.low, found.high) if found.repeats is None else central_range(found)
    row = {
        **vars(found),
        "dataset": found.reading.dataset,
        "reading": found.reading.words,
        "share_reached": share_reached(published, found),
        "n_repeats": len(found.figures),
        "resampled": found.is_resampled,
        "low": ends[0],
        "high": ends[1],
    }
    return fields_of("reproduce", "readings", row)


def varies(result: ClaimResult) -> bool:
    """Return whether the figure is not the same under all of many seeds."""
    repeats = [found.figures for found in result.measured if found.repeats is not None]
    return len({value for values in repeats for value in values}) > 1


def datasets_of(result: ClaimResult) -> str:
    """Return the names of the datasets that a claim may be of."""
    names = (reading.dataset for reading in result.claim.protocol.readings)
    return ", ".join(dict.fromkeys(names))


def measured_text(result: ClaimResult) -> str:
    """Return what was measured, in the unit and with the digits of the published figure."""
    found = [one for one in result.measured if not math.isnan(one.value)]
    if not found:
        return DASH
    first, published = found[0], result.claim.published
    if result.claim.protocol.kind == "times":
        return _time_text(result, first)
    if first.repeats is not None:
        values = [one.value for one in found]
        low, high = (_finer(result, end) for end in (min(values), max(values)))
        text = low if low == high else f"{low} to {high}"
        return text if first.is_resampled else f"mean {text}"
    text = figure(published, first.value)
    return f"{text} of {first.total}" if published.total else text


def _finer(result: ClaimResult, value: float) -> str:
    """Return a value with a digit more than published; a mean of counts with two."""
    published = result.claim.published
    is_mean_of_counts = published.decimals == 0 and published.scale == 1.0
    if is_mean_of_counts and not result.measured[0].is_resampled:
        return decimal(value, 2)
    return finer(published, value)


def _time_text(result: ClaimResult, found: Measured) -> str:
    """Return a mean time with its spread, or a ratio with its interval."""
    digits = result.claim.published.decimals
    if result.claim.metric == "fit_ratio":
        value, *ends = (
            decimal(number, digits + 1) for number in (found.value, found.low, found.high)
        )
        return f"{value} ({' to '.join(ends)})"
    return f"{decimal(found.value, digits)} ± {decimal(found.spread, digits)} s"
