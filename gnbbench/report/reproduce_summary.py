"""What a report of published figures is made of, and its words."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from gnbbench.claims.claim import VERDICTS, ClaimResult, Measured, Source, Verdict
from gnbbench.claims.verdicts import figure, finer
from gnbbench.words import DASH, count, decimal, plural

# Verdict -> a sign that says the same as the word beside it.
SIGNS: Mapping[Verdict, str] = {
    "reproduced": "✓",
    "within run-to-run spread": "≈",
    "not reproduced": "✗",
    "protocol not stated": "?",
    "measured here": "·",
    "not available": DASH,
}
TONES: Mapping[Verdict, str] = {
    "reproduced": "good",
    "within run-to-run spread": "good",
    "not reproduced": "bad",
    "protocol not stated": "unsure",
    "measured here": "none",
    "not available": "none",
}


@dataclass(frozen=True, eq=False)
class ReproduceSummary:
    """Everything a report may show of published figures; a report reads nothing else."""

    study: ClassVar[str] = "reproduce"

    results: tuple[ClaimResult, ...]  # At least one
    # JSON-able; the environment as in `gnbbench.statistics.summary.Summary`
    plan: Mapping[str, Any]
    # JSON-able; the environment as in `gnbbench.statistics.summary.Summary`
    environment: Mapping[str, Any]
    command: str  # What repeats the study

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many claims have each verdict."""
        found = [result.verdict for result in self.results]
        return {verdict: found.count(verdict) for verdict in VERDICTS}

    @property
    def lost(self) -> tuple[ClaimResult, ...]:
        """The claims that held when they were entered and do not any more."""
        return tuple(result for result in self.results if result.is_lost)

    @property
    def sources(self) -> dict[Source, tuple[ClaimResult, ...]]:
        """The results of each source, in the order of the tables."""
        found: dict[Source, tuple[ClaimResult, ...]] = {}
        for result in self.results:
            source = result.claim.source
            found[source] = (*found.get(source, ()), result)
        return found

    @property
    def headline(self) -> str:
        """How many figures are reproduced, in one sentence."""
        total = len(self.results)
        figures = plural(total, "published figure")
        verb = "is" if total == 1 else "are"
        return f"{count(self.counts['reproduced'])} of {figures} {verb} reproduced."

    @property
    def detail(self) -> str:
        """What became of the others, in one sentence; empty where there are none."""
        words: Mapping[Verdict, str] = {
            "within run-to-run spread": "within run-to-run spread",
            "not reproduced": "not reproduced",
            "protocol not stated": "without a stated protocol",
            "measured here": "timings, given as measured here",
            "not available": "without their data",
        }
        told = [
            f"{self.counts[one]} {said}" for one, said in words.items() if self.counts[one]
        ]
        return f"Besides: {'; '.join(told)}." if told else ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must see, one sentence each."""
        told = [
            f"{result.claim.id} was {result.claim.expected} and is {result.verdict} now."
            for result in self.lost
        ]
        cut = [result.claim.id for result in self.results if result.is_cut]
        if cut:
            told.append(
                f"{plural(len(cut), 'claim')} had fewer runs than the table asks for "
                f"({count(self.plan['runs'])} at most); what was expected of "
                f"{'it is' if len(cut) == 1 else 'them is'} not held against them."
            )
        return tuple(told)

    def frame(self) -> pd.DataFrame:
        """Return one row for each claim, for a notebook."""
        return pd.DataFrame(
            [
                {
                    "id": result.claim.id,
                    "source": result.claim.source.key,
                    "dataset": datasets_of(result),
                    "metric": result.claim.metric,
                    "implementation": result.claim.implementation,
                    "published": result.claim.published.text,
                    "measured": measured_text(result),
                    "verdict": result.verdict,
                    "expected": result.claim.expected,
                    "lost": result.is_lost,
                    "explanation": result.explanation,
                    "seconds": result.seconds,
                }
                for result in self.results
            ]
        )


def varies(result: ClaimResult) -> bool:
    """Return whether the figure is not the same under all of many seeds."""
    repeats = [one.repeats for one in result.measured if one.repeats is not None]
    return len({value for values in repeats for value in values}) > 1


def datasets_of(result: ClaimResult) -> str:
    """Return the names of the datasets that a claim may be of."""
    names = (reading.dataset for reading in result.claim.protocol.readings)
    return ", ".join(dict.fromkeys(names))


def measured_text(result: ClaimResult) -> str:
    """Return what was measured, in the unit and with the digits of the published figure."""
    values = [one for one in result.measured if not math.isnan(one.value)]
    if not values:
        return DASH
    first = values[0]
    if result.claim.protocol.kind == "times":
        return _time_text(result, first)
    if first.repeats is not None:
        low, high = (extreme(one.value for one in values) for extreme in (min, max))
        ends = [_finer(result, end) for end in (low, high)]
        text = ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
        return text if first.is_resampled else f"mean {text}"
    told = figure(result.claim.published, first.value)
    return f"{told} of {first.total}" if result.claim.published.total else told


def sort_key(result: ClaimResult) -> float:
    """Return the number by which a column of measured values is sorted."""
    return result.measured[0].value if result.measured else math.nan


def _finer(result: ClaimResult, value: float) -> str:
    """Return a value with a digit more than published; a mean of counts with two."""
    published = result.claim.published
    is_mean_of_counts = published.decimals == 0 and published.scale == 1.0
    if is_mean_of_counts and not result.measured[0].is_resampled:
        return decimal(value, 2)
    return finer(published, value)


def _time_text(result: ClaimResult, measured: Measured) -> str:
    """Return a mean time with its spread, or a ratio with its interval."""
    digits = result.claim.published.decimals
    if result.claim.metric == "fit_ratio":
        ends = (
            f"{decimal(measured.low, digits + 1)} to {decimal(measured.high, digits + 1)}"
        )
        return f"{decimal(measured.value, digits + 1)} ({ends})"
    return f"{decimal(measured.value, digits)} ± {decimal(measured.spread, digits)} s"
