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
    reproduced,
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
    SPACES,
    Amount,
    Variant,
    complexity,
    moved,
    numbers_fitted,
)

# What most people add to variances.
ABSOLUTE = Amount("absolute", 1e-9)


@dataclass(frozen=True, eq=False)
class ComparedSides:
    """The runs that both sides answered, row after row."""

    numbers: CodeArray  # Of each run in the batch: its position among the splits
    reference: Compared
    answers: Compared
    base: Identified  # What the reference does
    result: Identified  # What the implementation does
    failures: list[Cause]  # Crashes, and labels that change
    truths: NDArray[Any]  # Of all samples
    classes: NDArray[Any]

    @property
    def differs(self) -> NDArray[np.bool_]:
        """Rows with two labels, a label never seen among them."""
        return np.asarray(self.reference.labels != self.answers.labels)


def reconciled(
    every: Sequence[ComparedSides], proved: list[Variant]
) -> list[ComparedSides]:
    """Return what each dataset tells once the others have been heard."""
    sides = list(every)
    for again in range(3):  # What others settle in one may settle others in turn
        if again:
            proved += _agreed(sides)
        for place, side in enumerate(sides):
            sides[place] = settled = _settled(side, proved)
            if settled.result is not side.result and settled.result.is_proved:
                proved.append(settled.result.variant)
    sides = [_in_likeliest_space(side, sides) for side in sides]
    _share_intervals([side.result for side in sides])
    is_strange = any(side.result.outcome == "stranger" for side in sides)
    return [_doubted(side, sides) for side in sides] if is_strange else sides


def _settled(compared: ComparedSides, proved: Sequence[Variant]) -> ComparedSides:
    """Return a comparison by the last variant proved that leaves nothing to explain.

    Or else by all of them together, or by the variant found here with the knobs that
    another moves as well as that has them.
    """
    current, answers = compared.result, compared.answers
    if current.is_constant or current.n_undefined or (answers.labels == UNSEEN).any():
        return compared
    base, own_variant = compared.base.variant, current.variant
    later = list(takewhile(lambda variant: variant != own_variant, reversed(proved)))
    knobs = set(moved(own_variant, base))
    alike = [_with_knobs(own_variant, variant, knobs) for variant in later]
    every = together(proved)
    options = [*later, every, *alike]
    mixed = _with_knobs(own_variant, every, set(KNOBS) - {"smoothing"})
    tried: list[Variant] = []
    if mixed != own_variant:  # Other powers of ten, with what else was proved
        tried += _other_amounts(mixed, "smoothing", answers.batch)
        absolute = replace(every, smoothing=ABSOLUTE)
        tried += _other_amounts(absolute, "smoothing", answers.batch)
    search = Search(base, answers)
    known = (settled_by([option], search) for option in options)
    guessed = (settled_by([option], search, is_known=False) for option in tried)
    # An amount that these data do not show is none, and no better than one that is known.
    needs_amount = not own_variant.smoothing
    shown = (fit for fit in guessed if fit and (needs_amount or fit.variant.smoothing))
    for fit in chain(known, shown):
        if fit and fit.variant != own_variant:
            return replace(compared, result=reproduced(search, fit))
    return compared


def _agreed(every: Sequence[ComparedSides]) -> Iterator[Variant]:
    """Yield for each knob that datasets have at odds a position that does for all of them.

    An implementation has one: what each suggests by itself need not be it.
    """
    known = [
        (side.result.variant, search, search.fit(side.result.variant))
        for side in every
        if side.result.outcome == "reproduced" and side.base.variant == DEFAULT
        for search in [Search(DEFAULT, side.answers)]
        if side.result.fit and not side.result.is_constant
    ]
    for knob in KNOBS if known else ():
        settings = {with_knob(DEFAULT, knob, variant) for variant, *_ in known} - {DEFAULT}
        options = [v for v in settings if Identified(v, "reproduced").is_general]
        if len(options) < 2:
            continue
        if knob in AMOUNTS:
            options += stock_amounts(DEFAULT, knob, known[-1][1].seen.batch)
        for option in sorted(options, key=lambda v: complexity(v, DEFAULT)):
            mixed = ((with_knob(v, knob, option), search, fit) for v, search, fit in known)
            if not any(search.fit(v).is_worse_than(fit) for v, search, fit in mixed):
                yield option
                break


def _other_amounts(variant: Variant, knob: str, batch: Batch) -> Iterator[Variant]:
    """Yield a variant with other amounts in use, by the rule that it has."""
    amount: Amount | None = getattr(variant, knob)
    for option in stock_amounts(variant, knob, batch) if amount else ():
        if amount and getattr(option, knob).rule == amount.rule:
            yield option


def _share_intervals(results: Sequence[Identified]) -> None:
    """Narrow what is known of an amount to what all datasets that show it leave open."""
    for knob in AMOUNTS:
        known: dict[Amount, list[Identified]] = {}
        for result in results:
            if result.outcome == "reproduced" and knob in result.intervals:
                known.setdefault(getattr(result.variant, knob), []).append(result)
        for alike in known.values():
            lows, highs = zip(*(result.intervals[knob] for result in alike), strict=True)
            for result in alike:
                result.intervals[knob] = max(lows), min(highs)


def _doubted(compared: ComparedSides, every: Sequence[ComparedSides]) -> ComparedSides:
    """Return a comparison that names nothing, if what it found is nowhere else borne out.

    Where other answers are those of no variant, several knobs may have been turned until
    they fitted these; a knob alone that takes no number, or one that another dataset turns
    as well, may not. Of one label given to (nearly) all rows many a knob may be the reason.
    """
    result, base = compared.result, compared.base.variant
    knobs = moved(result.variant, base)
    others = [other.result for other in every if other is not compared]
    alike = [other.variant for other in others if other.outcome == "reproduced"]
    borne_out = [
        any(_with_knobs(v, result.variant, {k}) == v for v in alike) for k in knobs
    ]
    is_plain = len(knobs) < 2 and result.is_general
    is_plain &= not any(numbers_fitted(result.variant, knob) for knob in knobs)
    is_plain = is_plain and not any(_refutes(other, result.variant) for other in every)
    counts = np.unique(compared.answers.labels, return_counts=True)[1]
    is_plain &= bool(counts.sum() - counts.max() >= LABELS_AGAINST)
    is_plain &= int(compared.differs.sum()) >= LABELS_AMONG_SEVERAL
    if result.outcome != "reproduced" or is_plain or all(borne_out):
        return compared
    return replace(compared, result=replace(result, outcome="stranger", is_doubted=True))


def _in_likeliest_space(side: ComparedSides, every: list[ComparedSides]) -> ComparedSides:
    """Return a comparison by the way to lose densities that other data bear out as well."""
    own_variant, search = side.result.variant, Search(side.base.variant, side.answers)
    others = [
        (other.result.variant, Search(DEFAULT, other.answers))
        for other in every
        if other is not side and other.result.outcome == "reproduced"
    ]

    def n_wrong(variant: Variant) -> int:
        """Return how many labels of other data, as they were found, would be others."""
        fits = (other.fit(with_knob(v, "space", variant)) for v, other in others)
        return sum(fit.errors for fit in fits)

    moves = "space" in moved(own_variant, side.base.variant)
    if side.result.outcome != "reproduced" or not moves or not n_wrong(own_variant):
        return side
    fits = search.tried(replace(own_variant, space=space) for space in SPACES)
    as_good = [f for f in fits if not f.is_worse_than(search.fit(own_variant))]
    best = min(as_good, key=lambda fit: n_wrong(fit.variant))
    return replace(side, result=reproduced(search, best))


def _refutes(side: ComparedSides, variant: Variant) -> bool:
    """Tell whether labels that nothing reproduces are farther from those of a variant."""
    if side.result.outcome != "stranger" or side.result.is_constant:
        return False
    search = Search(DEFAULT, side.answers.by_labels())
    return search.fit(variant).errors > search.fit(DEFAULT).errors


def together(proved: Sequence[Variant]) -> Variant:
    """Return the variant that does all that was proved, as the last has it."""
    return reduce(_with_knobs, proved, DEFAULT)


def _with_knobs(start: Variant, source: Variant, among: Container[str] = KNOBS) -> Variant:
    """Return `start` with the knobs that another variant moves as that has them."""
    knobs = (knob for knob in moved(source, DEFAULT) if knob in among)
    return reduce(lambda mixed, knob: with_knob(mixed, knob, source), knobs, start)
