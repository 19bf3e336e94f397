"""Claims and results that never were, one for every verdict, some with hostile text."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from faults.invented import HOSTILE
from gnbbench.claims.claim import (
    Claim,
    ClaimResult,
    Contrast,
    Measured,
    Protocol,
    Publication,
    Reading,
    published,
)
from gnbbench.claims.verdicts import summarize_claims
from gnbbench.statistics.summary import StudyNotes, Summary

SOURCE = Publication(
    "S", "A study", "table 1", 2020, Path("study-s.toml"), "No seeds stated."
)
HOSTILE_SOURCE = Publication("H", HOSTILE, HOSTILE, None, Path("h.toml"), HOSTILE)
SPLIT = Protocol("one", (Reading("split", "iris", test_size=0.3, random_state=42),))
OPEN = Protocol(
    "open",
    tuple(
        Reading("splits", "iris", test_size=0.2, runs=50, stratify=way, open=("stratify",))
        for way in (True, False)
    ),
)
TIMES = Protocol("times", (Reading("times", "iris", test_size=0.3),))


def made_claim(name: str, text: str, **changes: Any) -> Claim:
    """Return a claim of test accuracy on one split of iris, with changes."""
    claim = Claim(
        name, SOURCE, SPLIT, "test_accuracy", published(text), "sklearn", "reproduced"
    )
    return replace(claim, **changes)


def made_results() -> tuple[ClaimResult, ...]:
    """Return a result of every verdict; one was lost, one depends on its implementation."""
    one, times = SPLIT.readings[0], TIMES.readings[0]
    random = np.random.default_rng(0)
    spread = tuple(
        Measured(reading, 0.95, (30 - random.integers(0, 4, 200)) / 30)
        for reading in OPEN.readings
    )
    floor = (Contrast("numpy", 0.9333, is_published=False),)
    absent = "student-mat.csv is not here. Give --data DIR"
    return (
        ClaimResult(
            made_claim("s-same", "0.9111", cause="a floor", contrasts=("numpy",)),
            "reproduced",
            (Measured(one, 0.91111),),
            floor,
            "It comes from sklearn; not from numpy (0.9333): a floor.",
        ),
        ClaimResult(
            made_claim("s-lost", "0.9556"),
            "not reproduced",
            (Measured(one, 0.9111),),
            (),
            "",
        ),
        ClaimResult(
            made_claim(
                "s-spread", "0.97", protocol=OPEN, expected="within run-to-run spread"
            ),
            "within run-to-run spread",
            spread,
            (),
            "Stratified: 25 % of 200 seeds give it.",
        ),
        ClaimResult(
            made_claim("s-open", "77 %", protocol=replace(OPEN, is_stated=False)),
            "protocol not stated",
            spread,
            (),
            "It identifies no protocol.",
            is_cut=True,
        ),
        ClaimResult(
            made_claim("s-ratio", "0.17", protocol=TIMES, metric="fit_ratio"),
            "measured here",
            (Measured(times, 0.15, low=0.14, high=0.16),),
            (),
            "A time holds for one machine.",
            is_cut=True,
        ),
        ClaimResult(
            made_claim(
                "s-time", "0.000105 ± 0.000316 s", protocol=TIMES, metric="fit_seconds"
            ),
            "measured here",
            (Measured(times, 0.0002, low=0.0001, high=0.0003, spread=0.00005),),
            (),
            "The published spread exceeds its mean.",
            is_cut=True,
        ),
        ClaimResult(
            made_claim("h-absent", "1 of 2", source=HOSTILE_SOURCE, note=HOSTILE),
            "not available",
            (),
            (),
            f"{absent} {HOSTILE}",
        ),
    )


def made_summary(*ids: str) -> Summary:
    """Return the summary of all made results, or of those named."""
    chosen = tuple(one for one in made_results() if not ids or one.claim.id in ids)
    return summary_of(chosen, *ids)


def summary_of(results: tuple[ClaimResult, ...], *ids: str) -> Summary:
    """Return the summary of results."""
    asked = {"claims": list(ids) or "all", "data": None, "runs": 50}
    environment = {"versions": {"numpy": "2.4.6"}, "machine": {"cores": 2}}
    notes = StudyNotes(asked, environment, "gnbbench reproduce --runs 50")
    return summarize_claims(results, notes, asked)
