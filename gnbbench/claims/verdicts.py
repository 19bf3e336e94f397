"""Verdicts on published figures: each explained, and all of them counted."""

import math
from collections.abc import Mapping, Sequence
from itertools import chain
from math import isnan, log10
from typing import Any

import numpy as np

from gnbbench.arrays import BoolArray
from gnbbench.claims.claim import (
    VERDICTS,
    Claim,
    ClaimResult,
    ClaimVerdict,
    Contrast,
    Measured,
    Publication,
    Published,
)
from gnbbench.statistics.schema import fields_of, table_of
from gnbbench.statistics.summary import StudyNotes, Summary
from gnbbench.words import DASH, MINUS, SPACE, count, decimal, listing, plural, share

CENTRAL = (0.025, 0.975)
MOST_DESCRIBED = 2
FEW_DIGITS = 6  # Beyond this, a value with an exponent is shown with all digits


def verdict_on(claim: Claim, measured: Sequence[Measured]) -> ClaimVerdict:
    """Return the verdict on a claim.

    Reproduced: every reading of the protocol gives the published digits for every seed.
    Within run-to-run spread: some reading gives them for some seeds, and the figure is
    not an outlier among them (`is_within_spread`). If the source does not state what it
    measured, a reproduced figure identifies no protocol, and a missed one refutes
    none. Times are never judged.
    """
    if not measured:
        return "not available"
    if claim.protocol.kind == "times":
        return "measured here"
    right = [r for r in measured if is_deviation_right(claim.published, r)]
    if len(right) == len(measured) and all(
        share_reached(claim.published, reading) == 1.0 for reading in right
    ):
        return "reproduced"
    if not claim.protocol.is_stated:
        return "protocol not stated"
    if any(is_within_spread(claim.published, reading) for reading in right):
        return "within run-to-run spread"
    return "not reproduced"


def deviations(measured: Measured) -> list[float]:
    """Return the standard deviations that "±" may mean; none for a single value.

    They have the divisor n or n - 1, and range over the resampled sets of runs.
    """
    if measured.is_resampled or np.isfinite(measured.spread):
        n, ends = measured.n_runs, [measured.spread, measured.low, measured.high]
        known = [value for value in ends if np.isfinite(value)]
        return [*known, *(value * (n / (n - 1)) ** 0.5 for value in known)]
    if measured.figures.size < 2:
        return []
    return [float(measured.figures.std(ddof=ddof)) for ddof in (0, 1)]


def is_deviation_right(published: Published, measured: Measured) -> bool:
    """Return whether the number after "±" is a measured deviation, at its digits."""
    if published.spread is None:
        return True
    digits = len(published.text.partition("± ")[2].split()[0].partition(".")[2])
    scaled = [round(value * published.scale, digits) for value in deviations(measured)]
    return bool(scaled) and min(scaled) <= published.spread <= max(scaled)


def share_reached(published: Published, measured: Measured) -> float:
    """Return the fraction of seeds or resampled sets of runs that give the figure."""
    return float(reached(published, measured).mean())


def reached(published: Published, measured: Measured) -> BoolArray:
    """Return which seeds or resampled sets of runs give the figure."""
    if measured.rows or published.rows:
        return np.array([_is_table_reached(published, measured)])
    if published.total not in {None, measured.total}:
        return np.zeros(measured.figures.size, dtype=np.bool_)
    return np.array([published.is_reached_by(value) for value in measured.figures.tolist()])


def _is_table_reached(published: Published, measured: Measured) -> bool:
    """Return whether all numbers of a table agree; a single number is a table too."""
    stated = published.rows or ((published,),)
    if [*map(len, stated)] != [*map(len, measured.rows)]:
        return False
    pairs = zip(chain(*stated), chain(*measured.rows), strict=True)
    return all(number.is_reached_by(value) for number, value in pairs)


def is_within_spread(published: Published, measured: Measured) -> bool:
    """Return whether some seeds give the figure and it is not an outlier.

    It must lie within the central 95 % of the values, at the published digits. A figure of
    single splits must also occur for some seed, together with all others of its
    source and protocol: 30 test samples cannot give 0.95. A figure over many runs need not:
    resampling cannot draw a value that no run had.
    """
    if measured.repeats is None or isnan(measured.value):
        return False
    low, high = central_range(measured)
    ends = [float(published.rounded(end)) for end in (low, high)]
    is_inside = ends[0] <= published.value <= ends[1] and measured.together != 0
    return is_inside and (measured.is_resampled or share_reached(published, measured) > 0)


def central_range(measured: Measured) -> tuple[float, float]:
    """Return the ends of the central 95 % of the values."""
    low, high = np.quantile(measured.figures, CENTRAL)
    return float(low), float(high)


def explanation(
    claim: Claim,
    verdict: ClaimVerdict,
    measured: Sequence[Measured],
    contrasts: Sequence[Contrast],
) -> str:
    """Explain a verdict in sentences; empty if it needs no explanation."""
    failed = [reading.message for reading in measured if reading.value != reading.value]
    if failed:
        return f"{failed[0].rstrip('.')}."
    published, first = claim.published, measured[0]
    kind = claim.protocol.kind
    parts = (
        _times(published, first) if kind == "times" else "",
        _digits_right(published, first) if kind == "certified" else "",
        _spread(published, measured) if first.repeats is not None else "",
        _together(measured),
        _of_table(published, first),
        _deviation(published, first) if kind != "times" else "",
        _no_protocol(published, measured) if verdict == "protocol not stated" else "",
        _contrast(claim, verdict, contrasts) if contrasts else "",
        claim.note,
    )
    return " ".join(filter(None, parts))


def _together(measured: Sequence[Measured]) -> str:
    """Return how often all figures of a source and protocol occur together."""
    parts = [reading.together for reading in measured if not isnan(reading.together)]
    if not parts:
        return ""
    ends = dict.fromkeys([share(min(parts)), share(max(parts))])
    seeds = f"{' to '.join(ends)} of seeds give" if max(parts) else "No seed gives"
    return f"{seeds} all figures of this protocol at once."


def _of_table(published: Published, measured: Measured) -> str:
    """Return which numbers of a table differ, or that its shape does."""
    stated, shape = _shape(published.rows), _shape(measured.rows)
    if stated != shape:
        return f"The table has {shape} numbers, not {stated}."
    pairs = list(zip(chain(*published.rows), chain(*measured.rows), strict=False))
    wrong = [(number, value) for number, value in pairs if not number.is_reached_by(value)]
    if not published.rows or not wrong:
        return ""
    first = f"{wrong[0][0].shown(wrong[0][1])} instead of {wrong[0][0].text.rstrip('.')}"
    verb, rest = ("differs", "") if len(wrong) == 1 else ("differ", ", and so on")
    of = f"{count(len(wrong))} of {plural(len(pairs), 'number')}"
    return f"{of} {verb}: {first}{rest}."


def _shape(rows: Sequence[Sequence[object]]) -> str:
    return f"{len(rows)} × {len(rows[0])}" if rows else "1 × 1"


def table_text(published: Published, measured: Measured) -> str:
    """Format measured numbers with the digits of the published ones."""
    stated = published.rows or ((published,),)
    if _shape(stated) != _shape(measured.rows):
        stated = tuple((stated[0][0],) * len(row) for row in measured.rows)
    return "; ".join(
        " ".join(number.shown(value) for number, value in zip(*pair, strict=True))
        for pair in zip(stated, measured.rows, strict=True)
    )


def figure(published: Published, measured: float) -> str:
    """Format a measured value in the unit and with the digits of the published one."""
    unit = f"{SPACE}%" if published.scale != 1.0 else ""
    has_exponent = "e" in published.text.lower()
    if published.digits is not None and (published.digits > FEW_DIGITS or not has_exponent):
        return f"{measured * published.scale!r}{unit}"
    if published.is_bound:
        return f"{measured * published.scale:.{published.decimals + 2}f}{unit}"
    return f"{published.shown(measured)}{unit}"


def finer(published: Published, measured: float) -> str:
    """Format a measured value in the unit of the published one, with one digit more."""
    unit = f"{SPACE}%" if published.scale != 1.0 else ""
    scaled = measured * published.scale
    is_count = published.decimals == 0 and not unit and scaled == round(scaled)
    digits = 0 if is_count else published.decimals + 1
    return f"{scaled:.{digits}f}{unit}".replace("-", MINUS)


def _times(published: Published, measured: Measured) -> str:
    text = f"Here: {measured.message}."
    if published.spread is None:
        return text
    if published.spread > published.value:
        return f"The published spread exceeds its mean. {text}"
    part = share(published.spread / published.value)
    return f"The published spread is {part} of its mean. {text}"


def _digits_right(published: Published, measured: Measured) -> str:
    """Return how many digits of a certified value are right."""
    error = abs(measured.value - published.value) / abs(published.value)
    if error == 0.0:
        return "Equal to the last bit."
    return f"{-log10(error):.1f} digits are right."


def _deviation(published: Published, measured: Measured) -> str:
    """Return whether the number after "±" is right, and the measured deviation."""
    if published.spread is None:
        return ""
    spreads = deviations(measured)
    if not spreads:
        return f"A single value has no spread to compare with ± {published.spread:g}."
    low, high = (finer(published, end) for end in (min(spreads), max(spreads)))
    is_right = is_deviation_right(published, measured)
    text = f"the standard deviation here is {low if low == high else f'{low} to {high}'}"
    return f"± {published.spread:g} is {'right' if is_right else 'wrong'}: {text}."


def _spread(published: Published, measured: Sequence[Measured]) -> str:
    """Return how often readings give the figure, and the range of its values."""
    spreads = [reading for reading in measured if reading.repeats is not None]
    text = (
        "; ".join(_words(reading) + _of_reading(published, reading) for reading in spreads)
        if len(spreads) <= MOST_DESCRIBED
        else _of_readings(published, spreads)
    )
    return f"{text[:1].upper()}{text[1:]}.{_granularity(published, spreads)}"


def _of_readings(published: Published, spreads: Sequence[Measured]) -> str:
    """Return how many readings give the figure, and which does so most often."""
    ranked = sorted(spreads, key=lambda reading: share_reached(published, reading))
    shares = [share_reached(published, reading) for reading in ranked]
    n_reaching = sum(part > 0 for part in shares)
    if n_reaching == len(spreads):
        ends = f"{share(shares[0])} ({ranked[0].reading.words})"
        if shares[0] < shares[-1]:
            ends += f" to {share(shares[-1])} ({ranked[-1].reading.words})"
        return f"all {len(spreads)} readings give it, for {ends} of {_of_what(ranked[0])}"
    target = published.value / published.scale
    nearest = min(spreads, key=lambda reading: _distance(target, reading))
    if n_reaching == 0:
        text = _words(nearest) + _of_reading(published, nearest)
        return f"no reading gives its digits; the nearest is {text}"
    text = _words(ranked[-1]) + _of_reading(published, ranked[-1])
    return f"{n_reaching} of {len(spreads)} readings give it for some, most often {text}"


def _distance(target: float, measured: Measured) -> float:
    """Return how far a value is from the central 95 %, or from the middle if inside."""
    low, high = central_range(measured)
    outside = max(low - target, target - high, 0.0)
    return outside if outside > 0 else abs(target - measured.value) * 1e-9


def _words(measured: Measured) -> str:
    return f"{measured.reading.words}: " if measured.reading.words else ""


def _of_reading(published: Published, measured: Measured) -> str:
    part = share(share_reached(published, measured))
    low, high = (finer(published, end) for end in central_range(measured))
    lie = f"at {low}" if low == high else f"from {low} to {high}"
    ends, target = central_range(measured), published.value / published.scale
    if ends[0] < target / 2 and ends[1] > 2 * target:
        lie += ", too wide a range to support the figure"
    return f"{part} of {_of_what(measured)} give it, 95 % lie {lie}"


def _of_what(measured: Measured) -> str:
    """Return what was repeated and how often."""
    number = f"{len(measured.figures):,}"
    if measured.is_resampled:
        return f"{number} resampled sets of {measured.n_runs:,} runs"
    return f"{number} seeds"


def _no_protocol(published: Published, measured: Sequence[Measured]) -> str:
    """Return what the figure says about the protocol, which the source does not state."""
    n_near = sum(is_within_spread(published, reading) for reading in measured)
    of = f"{n_near} of {len(measured)} protocols"
    if n_near > 1:
        return f"It lies within the spread of {of}, so it identifies none of them."
    if n_near == 1:
        return (
            f"It lies within the spread of {of}, which does not show that it was this one."
        )
    return f"It lies within the spread of none of {len(measured)} protocols tried."


def _granularity(published: Published, measured: Sequence[Measured]) -> str:
    """Return the nearest values if no seed of a single split gives the figure."""
    if any(r.is_resampled or share_reached(published, r) > 0 for r in measured):
        return ""
    values = np.unique(np.concatenate([reading.figures for reading in measured]))
    target = published.value / published.scale
    below, above = values[values < target], values[values > target]
    nearest = [finer(published, float(side)) for side in (*below[-1:], *above[:1])]
    return f" No seed gives {published.text}; nearest are {' and '.join(nearest)}."


def _contrast(claim: Claim, verdict: ClaimVerdict, contrasts: Sequence[Contrast]) -> str:
    """Return which implementations give the figure, which do not, and the cause."""
    same = [contrast.implementation for contrast in contrasts if contrast.is_published]
    others = [contrast for contrast in contrasts if not contrast.is_published]
    if verdict == "reproduced" and not others:
        return f"{listing(same)} {'gives' if len(same) == 1 else 'give'} it too."
    if verdict != "not reproduced":
        same = [claim.implementation, *same]
    clauses = [f"it comes from {listing(same)}"] if same else []
    if others:
        figures = [
            contrast.implementation
            if claim.published.rows
            else f"{contrast.implementation} ({figure(claim.published, contrast.value)})"
            for contrast in others
        ]
        clauses.append(f"not from {listing(figures)}")
    text = "; ".join(clauses)
    why = f": {claim.cause}" if claim.cause and others and same else ""
    return f"{text[:1].upper()}{text[1:]}{why}."


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
