"""What several datasets show together: an implementation does the same on all of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import CodeArray
from gnbbench.diagnosis import acceptance, findings, moves, variants
from gnbbench.diagnosis.acceptance import Identified, reproduced, settled_by
from gnbbench.diagnosis.findings import Cause
from gnbbench.diagnosis.identification import identify
from gnbbench.diagnosis.moments import Batch
from gnbbench.diagnosis.moves import stock_amounts, together, with_knob, with_knobs
from gnbbench.diagnosis.observations import UNSEEN, Compared
from gnbbench.diagnosis.reproduction import Fit, Search
from gnbbench.diagnosis.tables import softmax
from gnbbench.diagnosis.variants import AMOUNTS, DEFAULT, KNOBS, Amount, Variant, moved
from gnbbench.words import count, listing

# Datasets that fit no setting, beside which one that fits a single knob is chance.
MOST_STRANGE = 3
# Knobs of rounding, which may show on some data alone.
NOISE = {"formula", "dtype"}
# Knobs that an implementation moves on all data, or that have a condition of its own.
PLAIN = {"prior", "divisor", "pooling", "form"}
ON_SOME = "it does so on some data only"
# Share of labels left wrong up to which to search again, and how many knobs are then moved.
NEAR, FURTHER = 0.5, 2
# Difference of two classes' shares up to which priors in numbers must be the same.
ALIKE_SHARES = 0.02
# Way of losing densities -> others that labels may not tell from it.
ALIKE_SPACES = {"log of density": ("product",), "product": ("whole", "log of density")}
# The amount most often added to variances.
ABSOLUTE = Amount("absolute", 1e-9)


@dataclass(frozen=True, eq=False)
class ComparedSides:
    """The runs that both sides completed, row after row."""

    numbers: CodeArray  # Of each run in the batch: its position among the splits
    reference: Compared
    answers: Compared
    base: Identified  # What the reference does
    result: Identified  # What the implementation does
    failures: list[Cause]  # Crashes, and labels that change
    truths: NDArray[Any]  # Of all samples
    classes: NDArray[Any]
    # Roundings of samples with which the reference gives all answers; None: it does anyway
    roundings: Sequence[str] | None = None
    for_two: str = ""  # How code for two classes labels these, if there are more

    @property
    def is_shown_by_probabilities(self) -> bool:
        """Whether log-odds have been reproduced to rounding."""
        fit = self.result.fit
        return fit is not None and fit.n_compared > 0 and fit.is_settled

    @property
    def differs(self) -> NDArray[np.bool_]:
        """Rows whose labels differ, unseen labels included."""
        return np.asarray(self.reference.labels != self.answers.labels)

    @property
    def halves(self) -> tuple[int, int] | None:
        """The class given to rows of at least half its probability, and that of the rest.

        None unless there are more classes, and all rows get one of the two that way.
        """
        table = self.reference.log_posterior
        for yes in (1, 0) if len(self.classes) > 2 else ():
            halves = table is not None and softmax(table)[:, yes] >= 0.5
            if np.array_equal(np.where(halves, yes, 1 - yes), self.answers.labels):
                return yes, 1 - yes
        return None


Sides = Sequence[ComparedSides]


def reconciled(
    compared: Sequence[ComparedSides], proved: list[Variant], n_failed: int = 0
) -> list[ComparedSides]:
    """Settle what each dataset leaves open by what the others show, but those that fail."""
    every = [side.answers for side in compared]
    is_one = len(every) == 1 and None in every[0].raw_labels.tolist()
    if every and all((seen.labels == UNSEEN).all() for seen in every) and not is_one:
        # Without a label anywhere, none was lost either.
        return [replace(side, result=side.result.withdrawn) for side in compared]
    sides, shown, starts = list(compared), [*proved], set[tuple[int, Variant]]()
    proved[:0] = [*_parts(sides)]
    for again in range(3):  # What is settled on one dataset may settle others
        if again:
            proved += _agreed(sides, together(proved))
        for place, side in enumerate(sides):
            unproven = () if side.result.variant in proved else side.result.unproven
            known = replace(side, result=replace(side.result, unproven=unproven))
            settled = _settled(known, proved, shown)
            start = together(proved)
            if _is_strange(settled.result) and (place, start) not in starts:
                starts.add((place, start))
                settled = _searched_again(settled, start)
            sides[place] = settled
            if settled.result is not known.result and settled.result.is_proved:
                proved.append(settled.result.variant)
    sides = [_with_known_amount(side, sides) for side in sides]
    sides = [_in_likeliest_space(side, sides) for side in sides]
    _share_intervals([side.result for side in sides])
    sides = [_unrefuted(side, sides) for side in sides]
    sides = _without_a_class(_made_for_two(sides))
    return _supported([*_limited(sides)], n_failed)


def _without_a_class(sides: list[ComparedSides]) -> list[ComparedSides]:
    """Say that the last or the first class is left out, if that gives all labels."""
    tables = [side.reference.log_posterior for side in sides]
    known = [table for table in tables if table is not None]
    differs = [side.differs.any() for side in sides if len(side.classes) > 2]
    is_asked = len(known) == len(sides) and any(differs)
    for which, place in (("last", -1), ("first", 0)) if is_asked else ():
        best = [np.delete(t, place, axis=1).argmax(axis=1) + place + 1 for t in known]
        pairs = [*zip(sides, best, strict=True)]
        if all((side.answers.labels == codes).all() for side, codes in pairs):
            said = findings.LEFT_OUT_CLASS, f"the {which} class"
            new = dict[str, Any](outcome="stranger", instead=said, is_constant=False)
            return [
                replace(side, result=replace(side.result, of_model=codes, **new))
                for side, codes in pairs
            ]
    return sides


def _made_for_two(sides: list[ComparedSides]) -> list[ComparedSides]:
    """Mark the data with more classes than two that get but two labels for that reason.

    They are the answers of a threshold, or the first two where others are labelled well.
    """
    more = [side for side in sides if len(side.classes) > 2]
    labels = [{*side.answers.labels} for side in more]
    is_for_two = set().union(*labels) == {0, 1}
    is_for_two &= all(side.result.outcome == "stranger" for side in more)
    varied = (side for side in sides if not side.answers.is_one_label)
    is_for_two &= any(side.result.outcome == "reproduced" for side in varied)
    # One label for all rows is that of a threshold as well; a third label is not.
    by_half = any(side.halves and not side.answers.is_one_label for side in more)
    by_half &= all(len(codes - {UNSEEN}) <= 2 for codes in labels)
    for place, side in enumerate(marked := [*sides]):
        for_two = "half" if by_half and side.halves else "first two" if is_for_two else ""
        if side in more and for_two:
            result = replace(side.result, outcome="stranger", is_constant=False)
            marked[place] = replace(side, for_two=for_two, result=result)
    return marked


def _supported(sides: list[ComparedSides], n_failed: int) -> list[ComparedSides]:
    """Withdraw what no other dataset supports, where one is strange or most others fail."""
    is_blank = all(side.answers.is_one_label for side in sides)
    # Code for two classes is strange where there are more, and sound where there are not.
    judged = [side for side in sides if not side.for_two] or sides
    is_strange = any(
        side.result.outcome == "stranger" if is_blank else _is_strange(side.result)
        for side in judged
    ) or (is_blank and n_failed > len(sides))
    # One label that lost scores would explain, where another has no explanation; or a
    # number that explains none of those, if most are such.
    lost = [side.result.is_constant for side in sides]
    asked = [is_strange or (any(lost) and side.answers.is_one_label) for side in sides]
    if 2 * sum(lost) > len(sides):
        fitted = [variants.is_fitted(side.result.variant) for side in sides]
        asked = np.logical_or(asked, fitted).tolist()
    for _ in range(2):  # What a withdrawn comparison supports falls with it
        others = [side for side in sides if not side.for_two] or sides
        pairs = zip(sides, asked, strict=True)
        sides = [_doubted(side, others) if is_asked else side for side, is_asked in pairs]
    return sides


def _parts(sides: Iterable[ComparedSides]) -> Iterator[Variant]:
    """Yield variants with the knobs that labels prove beside others that they do not."""
    for side in sides:
        result, base = side.result, side.base.variant
        part = variants.restored(result.variant, base, *result.unproven)
        is_known = (
            result.outcome == "reproduced" and result.unproven and result.variant.is_general
        )
        if is_known and base == DEFAULT and part != DEFAULT:
            yield part


def _limited(sides: Sequence[ComparedSides]) -> Iterator[ComparedSides]:
    """Say of a knob that labels of other data rule out where it is moved and where not.

    Code may treat priors otherwise for some numbers of classes, but hardly in odd ways: if
    one comparison alone has such a finding, it is withdrawn.
    """
    known = [
        (side, Search(DEFAULT, side.answers.by_labels()))
        for side in sides
        if side.result.outcome == "reproduced" and not side.result.is_constant
    ]
    # There is a normaliser, or there is none.
    unsettled = any(
        variant.form in moves.NO_NORMALISER
        and _limit(*_classes_with("form", variant, known)) == ON_SOME
        for variant in (side.result.variant for side, _ in known)
    )
    is_lone = sum("prior" in moved(s.result.variant, s.base.variant) for s, _ in known) < 2

    def is_refuted(side: ComparedSides) -> bool:
        variant = side.result.variant
        of_normaliser = variant.is_in_density or variant.form in moves.NO_NORMALISER
        is_odd = is_lone and variant.has_odd_prior and "prior" in _limits(side, known)
        return is_odd or _is_of_one(side, known) or (unsettled and of_normaliser)

    refuted = [side for side, _ in known if is_refuted(side)]
    # What is withdrawn refutes nothing.
    rest = [pair for pair in known if pair[0] not in refuted]
    for side in sides:
        side.result.limits.update(_limits(side, rest))
        doubted = replace(side.result, outcome="stranger", is_doubted=True)
        yield replace(side, result=doubted) if side in refuted else side


def _limits(
    side: ComparedSides, known: Sequence[tuple[ComparedSides, Search]]
) -> dict[str, str]:
    """Return for what data alone each knob is moved, in words; none if for all."""
    variant, is_known = side.result.variant, any(other is side for other, _ in known)
    knobs = PLAIN & {*moved(variant, side.base.variant)} if is_known else set[str]()
    if isinstance(variant.prior, tuple) or variant.prior_order is not None:
        knobs -= {"prior"}  # Numbers by class say nothing of other classes
    limits = {knob: _limit(*_classes_with(knob, variant, known)) for knob in knobs}
    return {knob: text for knob, text in limits.items() if text}


def _is_of_one(side: ComparedSides, known: Sequence[tuple[ComparedSides, Search]]) -> bool:
    """Return whether labels of data with the same shares refute priors given in numbers."""

    def shares(of: ComparedSides) -> NDArray[Any]:
        counts = of.answers.batch.moments().counts.sum(axis=0)
        return np.asarray(counts / counts.sum())

    alike = [
        (other.result.variant, search)
        for other, search in known
        if isinstance(side.result.variant.prior, tuple)
        and len(other.classes) == len(side.classes)
        and np.allclose(shares(other), shares(side), atol=ALIKE_SHARES)
    ]
    return any(
        search.fit(with_knob(own, "prior", side.result.variant)).errors
        >= search.fit(own).errors + acceptance.LABELS_AGAINST
        for own, search in alike
    )


def _classes_with(
    knob: str, variant: Variant, known: Sequence[tuple[ComparedSides, Search]]
) -> tuple[set[int], set[int]]:
    """Return on how many classes code moves a knob so, and on how many labels refute it."""
    inside, outside = set[int](), set[int]()
    for other, search in known:
        own_variant, n_classes = other.result.variant, len(other.classes)
        changed = with_knob(own_variant, knob, variant)
        if changed == own_variant:
            inside.add(n_classes)
        elif (
            search.fit(changed).errors - search.fit(own_variant).errors
            >= acceptance.LABELS_AGAINST
        ):
            outside.add(n_classes)
    return inside, outside


def _limit(inside: set[int], outside: set[int]) -> str:
    """Return in words for which numbers of classes a knob is moved; empty if for all."""
    if not outside:
        return ""
    if inside & outside:
        return ON_SOME
    so, others = (listing([*map(count, sorted(n))]) for n in (inside, outside))
    return f"it does so with {so} classes, not with {others.replace(' and ', ' or ')}"


def _is_strange(result: Identified) -> bool:
    """Return whether labels fit no setting; one label for all rows may have any reason.

    Where some features are left out, settings that others prove remain.
    """
    is_known = result.is_constant or result.instead[0] == findings.LEFT_OUT
    return result.outcome == "stranger" and not is_known


def _settled(
    compared: ComparedSides, proved: Sequence[Variant], alone: Sequence[Variant]
) -> ComparedSides:
    """Settle a comparison by the last proved variant that leaves nothing to explain.

    `alone` has those that a dataset proved by itself. Failing that, try all proved variants
    together, then that of this dataset with knobs that both move taken from a proved one.
    """
    current, answers = compared.result, compared.answers
    is_open = not (current.n_undefined or current.instead[0])
    if not is_open or (answers.labels == UNSEEN).any():
        return compared
    base, own_variant = compared.base.variant, current.variant
    if current.is_constant:
        # Scores that other data prove may be lost on these.
        search = Search(base, answers)
        options = [*reversed(proved), together(proved)] if proved else []
        options += [replace(option, smoothing=None) for option in options]
        fits = (settled_by([option], search) for option in options)
        fit = next((fit for fit in fits if fit and fit.variant != base), None)
        return replace(compared, result=reproduced(search, fit)) if fit else compared
    later = list(takewhile(lambda variant: variant != own_variant, reversed(proved)))
    knobs = set(moved(own_variant, base))
    alike = [with_knobs(own_variant, variant, knobs) for variant in later]
    combined = together(proved)
    options = [*later, combined, *_whole(combined, knobs), *alike]
    mixed = with_knobs(own_variant, combined, set(KNOBS) - {"smoothing"})
    tried: list[Variant] = []
    search = Search(base, answers)
    is_shared = "smoothing" in moved(own_variant, base) and any(
        other.smoothing == own_variant.smoothing for other in alone if other != own_variant
    )
    # With what else was proved, the amount may be added to the variance itself.
    smoothing = own_variant.smoothing
    if smoothing and own_variant.is_in_density and mixed != own_variant:
        plain = Amount("absolute", smoothing.amount)
        tried.append(replace(mixed, smoothing=plain))
        options.append(replace(mixed, smoothing=None))
    # Other powers of ten, with what else was proved, unless other data prove this one.
    is_strange = current.outcome == "stranger" and combined != DEFAULT
    if (mixed != own_variant or is_strange) and not is_shared:
        tried += _other_amounts(mixed, "smoothing", answers.batch)
        absolute = replace(combined, smoothing=ABSOLUTE)
        tried += _other_amounts(absolute, "smoothing", answers.batch)
    # One small number often stands against each way of losing a density.
    if combined.floor and combined.smoothing == DEFAULT.smoothing:
        rules, amount = ("absolute", *variants.IN_DENSITY), combined.floor.amount
        tried += [replace(combined, smoothing=Amount(rule, amount)) for rule in rules]
    # One label for all rows is that of any amount that is large enough.
    tried = [] if answers.is_one_label else tried
    known = (settled_by([option], search) for option in options)
    # A few labels support no amount that nothing else shows.
    is_few = answers.log_posterior is None and (
        search.fit(base).errors < acceptance.LABELS_PER_NUMBER
    )
    tried = [] if is_few else tried
    guessed = (settled_by([option], search, is_known=False) for option in tried)
    # An amount that these data do not show is no better than a known one, if that explains.
    needs_amount = not own_variant.smoothing or is_strange
    shown = (fit for fit in guessed if fit and (needs_amount or fit.variant.smoothing))
    for fit in chain(known, shown):
        if fit and fit.variant != own_variant:
            return replace(compared, result=reproduced(search, fit))
    return compared


def _searched_again(side: ComparedSides, start: Variant) -> ComparedSides:
    """Settle a comparison of labels by a search that begins with what is proved, if near.

    Each amount that was fitted without the others was perhaps another.
    """
    search = Search(side.base.variant, side.answers)
    is_near = search.fit(start).errors <= NEAR * search.fit(search.base).errors
    if side.answers.log_posterior is not None or side.result.instead[0] or not is_near:
        return side
    fits = identify(Search(start, side.answers), FURTHER)
    fit = settled_by([fits[0].variant], search, is_known=False)
    return replace(side, result=reproduced(search, fit)) if fit else side


def _whole(combined: Variant, knobs: set[str]) -> Iterator[Variant]:
    """Yield a variant whose products underflow at their end alone, for more knobs."""
    if combined.space in ("product", "whole") and knobs - set(moved(combined, DEFAULT)):
        yield replace(combined, space="whole", smoothing=None)


def _agreed(compared: Sequence[ComparedSides], whole: Variant) -> Iterator[Variant]:
    """Yield, for each knob on which datasets differ, a position that fits all of them.

    An implementation has a single position, which no dataset alone need suggest; its other
    knobs are those of each dataset, or of the `whole` of what is proved.
    """
    known = [
        (side.result.variant, search, search.fit(side.result.variant))
        for side in compared
        if side.result.outcome == "reproduced" and side.base.variant == DEFAULT
        for search in [Search(DEFAULT, side.answers)]
        if side.result.fit and not side.result.is_constant
    ]
    known.sort(key=lambda side: -side[1].fit(DEFAULT).errors)  # The most telling first
    for knob in KNOBS if known else ():
        settings = {with_knob(DEFAULT, knob, variant) for variant, *_ in known} - {DEFAULT}
        options = [v for v in settings if v.is_general]
        if len(options) < 2:
            continue
        if knob in AMOUNTS:
            every_rule = variants.SMOOTHING_RULES
            options += stock_amounts(DEFAULT, knob, known[0][1].seen.batch, every_rule)
        options.sort(key=lambda variant: variants.complexity(variant, DEFAULT))
        others = set(KNOBS) - {knob}
        mixed = [(with_knobs(v, whole, others), search, fit) for v, search, fit in known]
        fits = (
            option
            for option in options
            if any(_fits_all(option, knob, sides) for sides in (known, mixed))
        )
        fitting = [*islice(fits, 1)]
        if not fitting and knob in AMOUNTS:
            for near in settings:
                # The middle one of those that fit.
                options = [*moves.finer_amounts(near, knob)]
                finer = [option for option in options if _fits_all(option, knob, known)]
                fitting += finer[len(finer) // 2 :][:1]
        yield from fitting[:1]


def _fits_all(
    option: Variant, knob: str, known: Iterable[tuple[Variant, Search, Fit]]
) -> bool:
    """Return whether a position of a knob does as well as what is known on all data."""
    mixed = ((with_knob(v, knob, option), search, fit) for v, search, fit in known)
    return not any(search.fit(v).is_worse_than(fit) for v, search, fit in mixed)


def _other_amounts(variant: Variant, knob: str, batch: Batch) -> Iterator[Variant]:
    """Yield a variant with the other usual amounts of its rule."""
    amount: Amount | None = getattr(variant, knob)
    options = stock_amounts(variant, knob, batch) if amount else ()
    yield from (o for o in options if amount and getattr(o, knob).rule == amount.rule)


def _share_intervals(results: Sequence[Identified]) -> None:
    """Narrow the interval of each amount to what all datasets that show it allow."""
    for knob in AMOUNTS:
        known: dict[Amount, list[Identified]] = {}
        for result in results:
            if result.outcome == "reproduced" and knob in result.intervals:
                known.setdefault(getattr(result.variant, knob), []).append(result)
        for alike in known.values():
            lows, highs = zip(*(result.intervals[knob] for result in alike), strict=True)
            for result in alike:
                result.intervals[knob] = max(lows), min(highs)


def _doubted(compared: ComparedSides, every_side: Sides) -> ComparedSides:
    """Withdraw the knobs of a comparison if no other dataset supports them.

    If no variant fits the other answers, several knobs may fit these by chance; those that
    another dataset moves too, that give probabilities, or that need no number and are worth
    many labels each, hardly do. One label on (nearly) all rows may have any reason.
    """
    result, knobs = compared.result, moved(compared.result.variant, compared.base.variant)
    if all(other.answers.is_one_label for other in every_side):
        return replace(
            compared, result=replace(result, outcome="stranger", is_constant=True)
        )
    beside = [other for other in every_side if other is not compared]
    telling = [other.result for other in beside if not other.answers.is_one_label]
    alike = [other.variant for other in telling if other.outcome == "reproduced"]
    supported = [any(with_knobs(v, result.variant, {k}) == v for v in alike) for k in knobs]
    n_strange = sum(_is_strange(other.result) for other in beside)
    has_numbers = variants.is_fitted(result.variant)
    is_plain = result.variant.is_general and not has_numbers
    is_plain &= n_strange < MOST_STRANGE or any(supported)
    # A feature is left out on all data, or not at all.
    is_explained = all(o.result.outcome == "reproduced" for o in beside if o.differs.any())
    is_plain &= is_explained or result.variant.form not in variants.LEFT_OUT
    is_plain = is_plain and not any(_refutes(other, result.variant) for other in every_side)
    counts = np.unique(compared.answers.labels, return_counts=True)[1]
    is_plain &= bool(counts.sum() - counts.max() >= acceptance.LABELS_AGAINST)
    needed = acceptance.LABELS_AMONG_SEVERAL * len(knobs) ** 2
    is_plain &= int(compared.differs.sum()) >= needed
    is_shown = compared.is_shown_by_probabilities or not has_numbers
    is_supported = all(supported) and (is_shown or n_strange < MOST_STRANGE)
    if result.outcome != "reproduced" or is_plain or is_supported:
        return compared
    is_one = compared.answers.is_one_label
    doubted = replace(result, outcome="stranger", is_doubted=True, is_constant=is_one)
    return replace(compared, result=doubted)


def _unrefuted(compared: ComparedSides, every: Sides) -> ComparedSides:
    """Return a comparison that names nothing, if what it names fails elsewhere.

    That is asked where no label moves, or labels are all that is explained; of several
    knobs, or numbers, where probabilities of other data show what is done; and of amounts.
    """
    result, is_silent = compared.result, not any(compared.differs)
    base, knobs = compared.base.variant, {*moved(result.variant, compared.base.variant)}
    by_labels = is_silent or bool(result.probabilities_left)
    is_rich = len(knobs) > 1 or variants.is_fitted(result.variant)
    is_asked = result.outcome == "reproduced" and (by_labels or is_rich)
    if not (is_asked and result.plain and result.variant.is_general):
        return compared
    unnamed = Identified(base, "reproduced", result.plain, result.plain)
    unnamed = replace(unnamed, probabilities_left=result.plain.largest_difference)
    if is_silent and any(o.result.instead[0] == findings.LEFT_OUT for o in every):
        return replace(compared, result=unnamed)
    for other in every:
        current, search = other.result.variant, Search(DEFAULT, other.answers)
        usual = knobs - set(moved(current, DEFAULT))
        if not by_labels:
            usual &= knobs - NOISE if other.is_shown_by_probabilities else {"smoothing"}
        if other is compared or other.result.outcome != "reproduced" or not usual:
            continue
        changed = [with_knobs(current, one, usual) for one in result.with_least_added]
        if all(f.is_worse_than(search.fit(current)) for f in search.tried(changed)):
            doubted = replace(result, outcome="stranger", is_doubted=True)
            doubted = replace(doubted, probabilities_left=0.0)
            return replace(compared, result=unnamed if is_silent else doubted)
    return compared


def _beside(side: ComparedSides, every_side: Sides) -> list[tuple[Variant, Search]]:
    """Return what reproduces the other comparisons, and searches among their answers."""
    return [
        (other.result.variant, Search(DEFAULT, other.answers))
        for other in every_side
        if other is not side and other.result.outcome == "reproduced"
    ]


def _with_known_amount(side: ComparedSides, every_side: Sides) -> ComparedSides:
    """Replace an amount that other data refute, if theirs, or the least, does as well."""
    own_variant, search = side.result.variant, Search(side.base.variant, side.answers)
    others, own = _beside(side, every_side), search.fit(side.result.variant)

    def fails(knob: str, variant: Variant) -> bool:
        known = ((with_knob(v, knob, variant), v, of) for v, of in others)
        return any(of.fit(changed).is_worse_than(of.fit(v)) for changed, v, of in known)

    fitted = moved(own_variant, DEFAULT) if side.result.outcome == "reproduced" else ()
    amounts = (k for k in AMOUNTS if k in fitted and getattr(own_variant, k))
    for knob in (k for k in amounts if fails(k, own_variant)):
        whole = together([v for v, _ in others if v.is_general])
        whole = replace(whole, space=own_variant.space, ties=own_variant.ties)
        options: Iterable[Variant] = (with_knob(whole, knob, v) for v, _ in others)
        if knob == "floor":
            options = islice(_other_amounts(own_variant, knob, side.answers.batch), 1)
        sound = (f for f in search.tried(options) if not f.is_worse_than(own))
        if best := next((f for f in sound if not fails(knob, f.variant)), None):
            result = reproduced(search, best)
            if knob == "floor" and best.variant.floor:
                result.intervals[knob] = (best.variant.floor.amount,) * 2
            return replace(side, result=result)
    return side


def _in_likeliest_space(side: ComparedSides, every_side: Sides) -> ComparedSides:
    """Choose the way of losing densities that other data support as well."""
    own_variant, search = side.result.variant, Search(side.base.variant, side.answers)
    others = _beside(side, every_side)

    def n_wrong(variant: Variant) -> int:
        """Return how many labels of the other data would be wrong."""
        fits = (other.fit(with_knob(v, "space", variant)) for v, other in others)
        return sum(fit.errors for fit in fits)

    is_moved = "space" in moved(own_variant, side.base.variant)
    if side.result.outcome != "reproduced" or not is_moved:
        return side
    if not n_wrong(own_variant):
        # Labels may not tell what underflows, nor which class gets rows without a density.
        is_first = own_variant.space in variants.TIED_FIRST
        options = [replace(own_variant, ties=t) for t in variants.TIES if not is_first]
        spaces = ALIKE_SPACES.get(own_variant.space, ())
        options += [replace(own_variant, space=space) for space in spaces]
        own = search.fit(own_variant)
        alike = (f.variant for f in search.tried(options) if not f.is_worse_than(own))
        equals = (*side.result.equals, *(v for v in alike if not n_wrong(v)))
        return replace(side, result=replace(side.result, equals=equals))
    fits = search.tried(
        replace(own_variant, space=space, ties=ties)
        for space in variants.SPACES
        for ties in (("first",) if space in variants.TIED_FIRST else variants.TIES)
    )
    as_good = [f for f in fits if not f.is_worse_than(search.fit(own_variant))]
    result = reproduced(search, min(as_good, key=lambda fit: n_wrong(fit.variant)))
    unproven = tuple(knob for knob in side.result.unproven if knob in result.without)
    result = replace(result, explains_unseen=side.result.explains_unseen)
    return replace(side, result=replace(result, unproven=unproven))


def _refutes(side: ComparedSides, variant: Variant) -> bool:
    """Return whether labels that nothing reproduces get farther off under a variant."""
    if side.result.outcome != "stranger" or side.result.is_constant:
        return False
    search = Search(DEFAULT, side.answers.by_labels())
    return search.fit(variant).errors > search.fit(DEFAULT).errors
