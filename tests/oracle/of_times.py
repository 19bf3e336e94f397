"""Rules on times: the direction, the factor, and whether it is certain."""

import re
from collections.abc import Iterator

import numpy as np
from faults.hard_for_words import SPEEDS

from oracle.comparing import N, Texts, compared
from oracle.said import NUMBER, Number, Said
from oracle.truth import Truth

# Hidden by noise; larger factors are reported, if uncertain.
NOISY_FACTOR = 5.0
_FACTOR = re.compile(rf"({N})× (faster|slower)")


def _in_words(texts: Texts, truth: Truth) -> Iterator[tuple[Said, Number]]:
    """Yield what the table of times calls each ratio, and the ratio."""
    for said, _ in compared(texts, truth):
        is_named = said.heading == "in words" and "noise floor" in said.row
        if is_named and NUMBER.fullmatch(said.row.get("ratio", "")):
            yield said, Number.of(said.row["ratio"])


def directions(texts: Texts, truth: Truth) -> Iterator[str]:
    """Faster is a ratio below 1, by its reciprocal."""
    for said, ratio in _in_words(texts, truth):
        match = _FACTOR.match(said.text)
        if not match:
            continue
        factor, is_faster = Number.of(match[1]), match[2] == "faster"
        ends = [ratio.value + half * ratio.step for half in (-0.5, 0.5)]
        ends = sorted(1 / end for end in ends) if is_faster else ends
        low, high = factor.value - 0.5 * factor.step, factor.value + 0.5 * factor.step
        if ends[1] < low or ends[0] > high or is_faster != (ratio.value < 1):
            yield f"{said.subject}: {said.text}, where the ratio is {ratio.text}"


def ratios(texts: Texts, truth: Truth) -> Iterator[str]:
    """A ratio is that of the invented times, within the noise."""
    for said, ratio in _in_words(texts, truth):
        factor = SPEEDS.get(said.subject, 1.0)
        if abs(np.log(ratio.value / factor)) > 0.02 + truth.hard.noise:
            yield f"{said.subject}: {ratio.text}, where times were made {factor} as long"


def untold(texts: Texts, truth: Truth) -> Iterator[str]:
    """A large factor is reported, however noisy."""
    for said, ratio in _in_words(texts, truth):
        is_large = max(ratio.value, 1 / ratio.value) > NOISY_FACTOR
        if is_large and not _FACTOR.search(said.text):
            yield f"{said.subject}: {said.text}, where the ratio is {ratio.text}"


def one_factor(texts: Texts, truth: Truth) -> Iterator[str]:
    """A factor anywhere is one of the table of times."""
    known: dict[str, set[str]] = {}
    for said, _ in _in_words(texts, truth):
        match = _FACTOR.match(said.text)
        known.setdefault(said.subject, set()).add(match[0] if match else "")
    for said, _ in compared(texts, truth):
        for match in _FACTOR.finditer(said.plain):
            if said.subject in known and match[0] not in known[said.subject]:
                yield f"{said.subject}: '{match[0]}' is not in the table of times"
