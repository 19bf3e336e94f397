"""The rule on all other numbers: a sentence names none that the runs do not have."""

import re
from collections.abc import Iterator

import numpy as np
from scipy import stats

from oracle.comparing import N, Texts
from oracle.said import numbers
from oracle.truth import REFERENCE, Compared, Truth, corrected_p

# What sentences name besides: levels, margins, the first seed, whole and nothing.
_CONSTANTS = (0.0, 1.0, 5.0, 95.0, 100.0, 42.0, 50.0, 30.0)
_TIMED = re.compile(
    r"×|[mµn]s\b|\d s\b|round|load|noise|autocorrelation|thread|timed|memory|epsilon"
)
_LOOSE_ENDS = re.compile(rf"\({N} to {N}\)|95 % interval {N} to {N}")
_SENTENCES = (
    *("headline", "band", "setting", "tile of", "terminal"),
    *("section verdict", "section remarks"),
)


def known_numbers(c: Compared, truth: Truth) -> Iterator[float]:
    """Yield every number that a sentence on a competitor may name."""
    changes = c.differences("test accuracy")
    share = c.differing / c.predictions if c.predictions else np.nan
    runs, rows = len(c.shared), (c.distinct(c.disputed), c.distinct(c.tested))
    yield from (c.differing, c.predictions, c.predictions - c.differing, 100 * share)
    yield from (100 - 100 * share, c.planned, c.failed, runs, c.planned - runs, c.exact)
    yield from (c.planned - len(c.reference), runs - c.exact, *rows, c.kappa)
    asked = c.planned * truth.n_test
    yield from (len(c.disputed), len(c.tested), asked, asked - c.predictions)
    yield from (c.largest_gap, c.mean_gap, c.mcnemar, c.sign_test)
    for metric in ("test accuracy", "train accuracy"):
        for values in (c.values(metric), *_shared_values(c, metric)):
            yield float(np.mean(values)) if len(values) else np.nan
    if runs:
        yield from (float(np.mean(c.per_run)), float(np.median(c.per_run)), max(c.per_run))
        yield 100 * c.exact / runs
        mean = float(np.mean(changes))
        sides = max(truth.n_train, 1), max(truth.n_test, 1)
        p = corrected_p(changes, *sides, 1 / sides[1])
        yield from (mean, 100 * mean, 100 * abs(mean), p)
        yield from (min(1.0, p * n) for n in range(1, len(truth.competitors) + 1))
        for tail in (0.05, 0.05 / len(truth.competitors)):
            left = rows[1] - rows[0]
            bound = stats.beta.isf(tail, rows[0] + 1, left) if left > 0 else 1
            error = np.std(changes, ddof=1) if len(changes) > 1 else np.nan
            error *= np.sqrt(1 / runs + truth.n_test / max(truth.n_train, 1))
            reach = abs(mean) + stats.t.isf(tail, max(runs - 1, 1)) * error
            yield from (100 * bound, 100 * np.nanmax([bound, reach]))


def _shared_values(c: Compared, metric: str) -> Iterator[np.ndarray]:
    for answers in (c.own, c.reference):
        yield np.array([answers[r].scores[metric] for r in c.shared])


def strangers(texts: Texts, truth: Truth) -> Iterator[str]:
    """A number in a sentence is one that the runs, redone, have."""
    X, y = np.asarray(truth.hard.X), np.asarray(truth.hard.y)
    of_study = [*_CONSTANTS, *X.shape, len(np.unique(y)), truth.n_train, truth.n_test]
    of_study += [100 / max(truth.n_test, 1), len(truth.competitors), len(truth.fractions)]
    of_study += [100 * truth.n_test / len(X), truth.subjects[REFERENCE].planned]
    for fraction, part in truth.fractions.items():
        of_study += [100 * fraction, part.n_train, part.n_test, 100 / max(part.n_test, 1)]
        of_study += [part.subjects[REFERENCE].planned, 100 * part.n_test / len(X)]
    parts = (truth, *truth.fractions.values())
    pools = {
        name: [*of_study, *(v for p in parts for v in known_numbers(p.subjects[name], p))]
        for name in truth.subjects
    }
    everything = [value for pool in pools.values() for value in pool]
    for said in texts:
        is_table = said.row and not said.place.startswith("tile")
        if is_table or not said.place.startswith(_SENTENCES) or _TIMED.search(said.plain):
            continue
        if said.heading.startswith("Time") or "memory" in said.text:
            continue
        pool = pools.get(said.subject, everything)
        for number in numbers(_LOOSE_ENDS.sub("", said.plain)):
            value, step = number.value, number.step
            known = (number.rounds(v) or 0 <= value - v <= step for v in pool)
            if not any(known) and abs(number.value) > 1e-13:
                yield f"{said.subject or said.place}: {number.text} in '{said.text}'"
