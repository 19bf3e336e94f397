"""What an implementation does, and whether the answers bear out that it does so."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from gnbbench.diagnosis.family import FloatArray, scores
from gnbbench.diagnosis.identification import (
    AMOUNTS,
    amount_interval,
    identify,
    without_each,
)
from gnbbench.diagnosis.moves import discrete_moves, stock_amounts, with_knob
from gnbbench.diagnosis.observations import UNSEEN, Compared
from gnbbench.diagnosis.parameters import prior_rules
from gnbbench.diagnosis.reproduction import Fit, Search, predicted, reproduce
from gnbbench.diagnosis.variants import (
    Amount,
    Variant,
    cause_of,
    complexity,
    is_noisy,
    moved,
    numbers_fitted,
    restored,
)

# So many predictions must be reproduced before any cause is named; the rest are samples on
# the boundary that an estimated amount places on the other side.
REPRODUCED_SHARE = 0.999
# A variant must also get right this share of the disagreements themselves: where labels
# differ rarely, reproducing the common ones proves nothing.
EXPLAINED_SHARE = 0.98
# Knobs that are borne out are named without the others if they explain this share.
PROVEN_SHARE = 0.9
# Rounding decides single samples in single precision and under cancellation, and another
# order of summation rounds otherwise; most samples must be right even so.
NOISY_SHARE = 0.9
# With labels alone, so many must go wrong when a knob is taken back alone, for each number
# that was fitted: fewer could be met by chance. A plain choice needs fewer, and more where
# another cause would do too.
LABELS_PER_NUMBER, LABELS_PER_CHOICE, LABELS_AMONG_SEVERAL = 6, 3, 12
# Where so many rows without a label have lost all scores, that may be why.
LOST_SHARE = 0.9
# So many labels that nothing reproduces are evidence against the family.
LABELS_AGAINST = 3

Outcome = Literal["reproduced", "undecided", "stranger"]


@dataclass(frozen=True, eq=False)
class Identified:
    """The best variant found, and whether it reproduces the answers."""

    variant: Variant
    outcome: Outcome
    fit: Fit | None  # None where there was nothing to reproduce
    plain: Fit | None  # The fit of the variant that the search started from
    without: Mapping[str, Fit]  # Knob moved -> the fit with it alone switched back
    unproven: tuple[str, ...] = ()  # Knobs moved that too few labels speak for
    # Knob -> amounts that do as well as the one found; nothing at all where it is low 0
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    equals: tuple[Variant, ...] = ()  # Others that reproduce the answers as well
    n_undefined: int = 0  # Rows whose NaN no variant reproduces; they were left out
    # By how much the probabilities differ where the labels alone are reproduced
    probabilities_left: float = 0.0
    is_constant: bool = False  # Whether one label is given throughout, by no underflow
    explains_unseen: bool = False  # Whether labels never seen stand for lost scores

    @property
    def share(self) -> float:
        """Share of predictions reproduced; 0 where there was nothing to reproduce."""
        return self.fit.reproduction.share if self.fit else 0.0

    @property
    def is_proved(self) -> bool:
        """Whether other data may be expected to show the same."""
        variant = self.variant
        orders = (variant.prior_order, variant.label_order, variant.column_order)
        of_these_data = isinstance(variant.prior, tuple) or any(
            order is not None for order in (*orders, variant.feature_order)
        )
        reproduced = self.outcome == "reproduced" and self.fit is not None
        return reproduced and not self.unproven and not of_these_data

    @property
    def rivals(self) -> tuple[str, ...]:
        """Other causes that would give the same labels with as few knobs moved."""
        base = self.plain.variant if self.plain else self.variant
        knobs = moved(self.variant, base)
        own = {cause_of(knob, self.variant) for knob in knobs}
        others = [one for one in self.equals if len(moved(one, base)) <= len(knobs)]
        causes = (cause_of(k, one) for one in others for k in moved(one, base))
        return tuple(dict.fromkeys(cause for cause in causes if cause not in own))


def identified(base: Variant, seen: Compared, proved: Sequence[Variant] = ()) -> Identified:
    """Return what an implementation does, as a variant.

    One that other data have proved is taken where it leaves nothing to explain.

    Rows with a label that was never seen are left out. If nothing reproduces the rest,
    rows without probabilities are left out too, then all probabilities.
    """
    lost = _unlabelled(base, seen)
    if lost is not None:
        return lost
    seen = seen.rows(seen.labels != UNSEEN)
    found = _proved_before(base, seen, proved) or _attempt(base, seen)
    if found.outcome != "reproduced" and seen.undefined.any():
        n_undefined = int(seen.undefined.sum())
        again = _attempt(base, seen.rows(~seen.undefined))
        if again.outcome == "reproduced" or again.fit is None:
            found = replace(again, n_undefined=n_undefined)
    if found.outcome != "reproduced" and seen.log_posterior is not None:
        again = _attempt(base, seen.by_labels())
        if again.outcome == "reproduced" and again.fit and not again.unproven:
            left = reproduce(again.variant, seen).largest_difference
            return replace(again, probabilities_left=left)
    return found


def _proved_before(
    base: Variant, seen: Compared, proved: Sequence[Variant]
) -> Identified | None:
    """Return the first variant that leaves nothing to explain, less what moves nothing."""
    whole = Search(base, seen)
    plain = whole.fit(base)
    if not proved or plain.is_settled:
        return None
    for variant in proved:
        if whole.fit(variant).is_settled:
            fit = whole.pruned(whole.fit(variant))
            without = without_each(whole, fit.variant)
            spans = _intervals(whole, fit.variant)
            return Identified(
                fit.variant, "reproduced", fit, plain, without, intervals=spans
            )
    return None


def _unlabelled(base: Variant, seen: Compared) -> Identified | None:
    """Return the variant that loses all scores wherever no label is given, if one does."""
    unseen = seen.labels == UNSEEN
    if not unseen.any():
        return None
    for space in ("product", "log of density"):
        for smoothing in (base.smoothing, None):
            variant = replace(base, space=space, ties="none", smoothing=smoothing)
            given = predicted(variant, scores(variant, seen.batch).joint, seen.batch)
            if (given[unseen] == UNSEEN).mean() > LOST_SHARE:
                found = _attempt(base, seen)
                is_it = found.outcome == "reproduced" and found.variant.ties == "none"
                return replace(found, explains_unseen=True) if is_it else None
    return None


def _attempt(base: Variant, seen: Compared) -> Identified:
    if not len(seen.labels):
        return Identified(base, "reproduced", None, None, {})
    whole = Search(base, seen)
    plain = whole.fit(base)
    is_constant = plain.errors > 0 and _is_constant(seen)
    if is_constant:
        lost = _of_lost_scores(whole)
        if lost or not (_vary(seen.log_posterior) or seen.parameters.offered):
            return lost or _of_one_label(plain)
    best, *others = identify(whole)
    best = _plainer(whole, best)
    outcome = _outcome(best, plain, seen)
    # One label for the same reason throughout: it speaks for one knob at most.
    n_moved = len(moved(best.variant, base))
    if is_constant and (
        outcome != "reproduced" or (n_moved > 1 and not _vary(seen.log_posterior))
    ):
        return _of_one_label(plain)
    equals = tuple(fit.variant for fit in others)
    without = without_each(whole, best.variant)
    found = Identified(best.variant, outcome, best, plain, without, equals=equals)
    if outcome != "reproduced":
        return found
    unproven: tuple[str, ...] = ()
    if _by_labels(seen) and not best.parameters < plain.parameters:
        unproven = _unproven(found, base)
        proven = whole.fit(restored(best.variant, base, *unproven))
        if proven.errors > max(LABELS_AGAINST - 1, (1.0 - PROVEN_SHARE) * plain.errors):
            unproven = moved(best.variant, base)
    return replace(found, unproven=unproven, intervals=_intervals(whole, best.variant))


def _plainer(whole: Search, best: Fit) -> Fit:
    """Return the fit in which numbers that few labels speak for give way to plain choices.

    What labels a number had won, a plain step beside the choice may explain as well.
    """
    if not _by_labels(whole.seen):
        return best
    variant, base = best.variant, whole.base
    rules = prior_rules(base, whole.seen.batch.n_classes)
    priors = [base, *(one for one in rules if one.prior in ("uniform", "add-one"))]
    choices = {"smoothing": [replace(base, smoothing=None)], "prior": priors}
    if not any(
        whole.fit(with_knob(variant, knob, plain)).errors - best.errors
        < LABELS_PER_NUMBER * numbers_fitted(variant, knob)
        for knob, plains in choices.items()
        if knob in moved(variant, base)
        for plain in plains
    ):
        return best
    amounts = stock_amounts(variant, "smoothing", whole.seen.batch)
    added = [one for one in amounts if one.smoothing and one.smoothing.rule == "absolute"]
    options = (
        replace(with_knob(one, "prior", prior), divisor=divisor)
        for one in (variant, replace(variant, smoothing=None), *added)
        for prior in (variant, *priors)
        for divisor in dict.fromkeys((variant.divisor, base.divisor, "n-1"))
    )
    as_good = [fit for fit in whole.tried(options) if fit.errors <= best.errors]
    return min([best, *as_good], key=lambda fit: _numbers_and_knobs(fit.variant, base))


def _numbers_and_knobs(variant: Variant, base: Variant) -> tuple[int, float]:
    numbers = sum(numbers_fitted(variant, knob) for knob in moved(variant, base))
    return numbers, complexity(variant, base)


def _by_labels(seen: Compared) -> bool:
    return seen.log_posterior is None


def _outcome(best: Fit, plain: Fit, seen: Compared) -> Outcome:
    """Return whether a variant reproduces the answers well enough to name its knobs."""
    found, base = best.reproduction, plain.reproduction
    missing: Outcome = "stranger"
    if _by_labels(seen) and best.errors < LABELS_AGAINST:
        missing = "undecided"
    if found.share < REPRODUCED_SHARE and not is_noisy(found.variant):
        return missing
    if best.errors > (1.0 - EXPLAINED_SHARE) * plain.errors:
        return missing
    if is_noisy(found.variant):
        allowed = (1.0 - NOISY_SHARE) * found.n_predictions
        few = found.n_differing <= min(allowed, 0.5 * base.n_differing + allowed / 10)
        return "reproduced" if few else missing
    return "reproduced"


def _unproven(found: Identified, base: Variant) -> tuple[str, ...]:
    """Return the knobs that too few labels speak for: those that go wrong without it."""
    left = found.fit.errors if found.fit else 0
    return tuple(
        knob
        for knob, fit in found.without.items()
        if fit.errors - left < _labels_needed(found, knob, base)
    )


def _labels_needed(found: Identified, knob: str, base: Variant) -> int:
    """Return how many labels must speak for a knob; more where another would do as well."""
    cause, most = cause_of(knob, found.variant), len(moved(found.variant, base))
    is_alone = all(
        cause in {cause_of(other, one) for other in moved(one, base)}
        for one in found.equals
        if len(moved(one, base)) <= most
    )
    needed = LABELS_PER_NUMBER * numbers_fitted(found.variant, knob)
    return max(needed, LABELS_PER_CHOICE if is_alone else LABELS_AMONG_SEVERAL)


def _is_constant(seen: Compared) -> bool:
    """Return whether each run gets one label throughout, whatever it is."""
    of_run = seen.batch.of_run
    first = seen.labels[np.searchsorted(of_run, of_run)]
    return bool((seen.labels == first).all())


def _vary(table: FloatArray | None) -> bool:
    """Return whether probabilities are offered that depend on the row."""
    return table is not None and not np.allclose(table[0], table, equal_nan=True)


def _of_one_label(plain: Fit) -> Identified:
    """Return that one label is given throughout, by no variant."""
    variant = plain.variant
    return Identified(variant, "stranger", plain, plain, {}, is_constant=True)


def _of_lost_scores(whole: Search) -> Identified | None:
    """Return the simplest variant that loses all scores and gives these labels, if any."""
    base, plain = whole.base, whole.fit(whole.base)
    moves = discrete_moves(base, whole.seen.batch)
    options = [base, *moves["formula"], *moves["smoothing"], *moves["divisor"]]
    options += [with_knob(one, "space", lost) for one in options for lost in moves["space"]]
    options += [replace(one, nan_wins=False) for one in options]
    found = []
    for variant in options:
        with np.errstate(all="ignore"):
            best = scores(variant, whole.seen.batch).joint.max(axis=1)
        if not np.isfinite(best).any() and whole.fit(variant).errors == 0:
            found.append(whole.fit(variant))
    if not found:
        return None
    fit = min(found, key=lambda fit: (fit.parameters, complexity(fit.variant, base)))
    without = without_each(whole, fit.variant)
    return Identified(fit.variant, "reproduced", fit, plain, without)


def _intervals(whole: Search, variant: Variant) -> dict[str, tuple[float, float]]:
    """Return for each amount the ones that do as well; for none at all how much would."""
    found = {}
    for knob in moved(variant, whole.base):
        if knob in AMOUNTS and getattr(variant, knob) is not None:
            _, found[knob] = amount_interval(whole, variant, knob)
        elif knob == "smoothing":
            found[knob] = (0.0, _most_unseen(whole, variant))
    return found


def _most_unseen(whole: Search, variant: Variant) -> float:
    """Return the largest power of ten that could be added to variances unseen."""
    best, largest = whole.fit(variant), 0.0
    for exponent in range(-20, 3):
        added = replace(variant, smoothing=Amount("absolute", float(f"1e{exponent}")))
        if whole.fit(added).is_worse_than(best):
            break
        largest = float(f"1e{exponent}")
    return largest
