"""What a report of published figures is made of: a result for each claim."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from gnbbench.claims.claim import VERDICTS, ClaimResult, Source, Verdict
from gnbbench.report.reproduce_wording import measured_text
from gnbbench.words import count, plural


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


def datasets_of(result: ClaimResult) -> str:
    """Return the names of the datasets that a claim may be of."""
    names = (reading.dataset for reading in result.claim.protocol.readings)
    return ", ".join(dict.fromkeys(names))
