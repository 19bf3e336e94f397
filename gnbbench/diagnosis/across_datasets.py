"""What several datasets tell together of the one thing that an implementation does."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain, takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import CodeArray
from gnbbench.diagnosis.acceptance import (
    LABELS_AGAINST,
    LABELS_AMONG_SEVERAL,
    Identified,
    settled_by,
)
from gnbbench.diagnosis.family import Batch
from gnbbench.diagnosis.findings import Cause
from gnbbench.diagnosis.moves import stock_amounts, with_knob
from gnbbench.diagnosis.observations import UNSEEN, Compared
from gnbbench.diagnosis.reproduction import Search
from gnbbench.diagnosis.variants import (
    AMOUNTS,
    DEFAULT,
    KNOBS,
    Amount,
    Variant,
    complexity,
    moved,
)

# What most people add to variances.
ABSOLUTE = Amount("absolute", 1e-9)


@dataclass(frozen=True, eq=False)
class Comparison:
    """The runs that both sides answered, row after row."""

    numbers: CodeArray  # Of each run in the batch: its position among the splits
    reference: Compared
    answers: Compared
    base: Identified  # What the reference does
    found: Identified  # What the implementation does
    failures: list[Cause]  # Crashes, and labels that change
    truths: NDArray[Any]  # Of all samples
    classes: NDArray[Any]

    @property
    def differs(self) -> NDArray[np.bool_]:
        """Rows with two labels, a label never seen among them."""
        return np.asarray(self.reference.labels != self.answers.labels)


def reconciled(every: Sequence[Comparison], proved: list[Variant]) -> list[Comparison]:
    """Return what each dataset tells once the others have been heard."""
    found = list(every)
    for again in range(3):  # What others settle in one may settle others in turn
        if again:
            proved += _agreed(found)
        for place, one in enumerate(found):
            found[place] = settled = _settled(one, proved)
            if settled.found is not one.found and settled.found.is_proved:
                proved.append(settled.found.variant)
    _share_intervals([one.found for one in found])
    is_strange = any(one.found.outcome == "stranger" for one in found)
    return [_doubted(one, found) for one in found] if is_strange else found


def _settled(compared: Comparison, proved: Sequence[Variant]) -> Comparison:
    """Return a comparison by the last variant proved that leaves nothing to explain.

    Or else by all of them together, or by the variant found here with the knobs that
    another moves as well as that has them.
    """
    found, answers = compared.found, compared.answers
    if found.is_constant or found.n_undefined or (answers.labels == UNSEEN).any():
        return compared
    base, own = compared.base.variant, found.variant
    later = list(takewhile(lambda one: one != own, reversed(proved)))
    alike = [_with_knobs(own, one, set(moved(own, base))) for one in later]
    every = together(proved)
    options = [*later, every, *alike]
    mixed = _with_knobs(own, every, set(KNOBS) - {"smoothing"})
    tried: list[Variant] = []
    if mixed != own:  # Other powers of ten, with what else was proved
        tried += _other_amounts(mixed, "smoothing", answers.batch)
        absolute = replace(every, smoothing=ABSOLUTE)
        tried += _other_amounts(absolute, "smoothing", answers.batch)
    search = Search(base, answers)
    known = (settled_by([option], search) for option in options)
    guessed = (settled_by([option], search, is_known=False) for option in tried)
    # An amount that these data do not show is none, and no better than one that is known.
    shown = (one for one in guessed if one and (one.variant.smoothing or not own.smoothing))
    better = next((one for one in chain(known, shown) if one and one.variant != own), None)
    return replace(compared, found=better) if better else compared


def _agreed(every: Sequence[Comparison]) -> Iterator[Variant]:
    """Yield for each knob that datasets have at odds a position that does for all of them.

    An implementation has one: what each suggests by itself need not be it.
    """
    known = [
        (one.found.variant, search, search.fit(one.found.variant))
        for one in every
        if one.found.outcome == "reproduced" and one.base.variant == DEFAULT
        for search in [Search(DEFAULT, one.answers)]
        if one.found.fit and not one.found.is_constant
    ]
    for knob in KNOBS if known else ():
        settings = {with_knob(DEFAULT, knob, variant) for variant, *_ in known} - {DEFAULT}
        options = [one for one in settings if Identified(one, "reproduced").is_general]
        if len(options) < 2:
            continue
        if knob in AMOUNTS:
            options += stock_amounts(DEFAULT, knob, known[-1][1].seen.batch)
        for option in sorted(options, key=lambda one: complexity(one, DEFAULT)):
            mixed = ((with_knob(v, knob, option), search, fit) for v, search, fit in known)
            if not any(search.fit(one).is_worse_than(fit) for one, search, fit in mixed):
                yield option
                break


def _other_amounts(variant: Variant, knob: str, batch: Batch) -> Iterator[Variant]:
    """Yield a variant with other amounts in use, by the rule that it has."""
    given: Amount | None = getattr(variant, knob)
    for option in stock_amounts(variant, knob, batch) if given else ():
        if given and getattr(option, knob).rule == given.rule:
            yield option


def _share_intervals(found: Sequence[Identified]) -> None:
    """Narrow what is known of an amount to what all datasets that show it leave open."""
    for knob in AMOUNTS:
        known: dict[Amount, list[Identified]] = {}
        for one in found:
            if one.outcome == "reproduced" and knob in one.intervals:
                known.setdefault(getattr(one.variant, knob), []).append(one)
        for each in known.values():
            lows, highs = zip(*(one.intervals[knob] for one in each), strict=True)
            for one in each:
                one.intervals[knob] = max(lows), min(highs)


def _doubted(compared: Comparison, every: Sequence[Comparison]) -> Comparison:
    """Return a comparison that names nothing, if what it found is nowhere else borne out.

    Where other answers are those of no variant, several knobs may have been turned until
    they fitted these; a knob alone, or one that another dataset turns as well, may not. Of
    one label given to (nearly) all rows many a knob may be the reason.
    """
    found, base = compared.found, compared.base.variant
    knobs = moved(found.variant, base)
    others = [one.found for one in every if one is not compared]
    alike = [one.variant for one in others if one.outcome == "reproduced"]
    borne_out = [any(_with_knobs(v, found.variant, {k}) == v for v in alike) for k in knobs]
    is_plain = len(knobs) < 2 and found.is_general
    counts = np.unique(compared.answers.labels, return_counts=True)[1]
    is_plain &= bool(counts.sum() - counts.max() >= LABELS_AGAINST)
    is_plain &= int(compared.differs.sum()) >= LABELS_AMONG_SEVERAL
    if found.outcome != "reproduced" or is_plain or all(borne_out):
        return compared
    return replace(compared, found=replace(found, outcome="stranger", is_doubted=True))


def together(proved: Sequence[Variant]) -> Variant:
    """Return the variant that does all that was proved, as the last has it."""
    return reduce(_with_knobs, proved, DEFAULT)


def _with_knobs(start: Variant, source: Variant, among: Container[str] = KNOBS) -> Variant:
    """Return `start` with the knobs that another variant moves as that has them."""
    knobs = (knob for knob in moved(source, DEFAULT) if knob in among)
    return reduce(lambda mixed, knob: with_knob(mixed, knob, source), knobs, start)
