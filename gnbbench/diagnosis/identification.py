"""The variant of an implementation, and whether it truly reproduces it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gnbbench.diagnosis.moves import discrete_moves, fitted_amounts, prior_moves
from gnbbench.diagnosis.observations import UNSEEN, Observation, Pairs, restricted
from gnbbench.diagnosis.reproduction import (
    EXPLAINED_SHARE,
    NOISY_SHARE,
    REPRODUCED_SHARE,
    Fit,
    Search,
)
from gnbbench.diagnosis.search import identify
from gnbbench.diagnosis.variants import (
    KNOBS,
    Variant,
    cause_of,
    complexity,
    is_noisy,
    moved,
    restored,
)

# With labels alone, so many disagreements are needed for each number that is fitted:
# fewer could be met by chance.
DISAGREEMENTS_PER_NUMBER = 6


@dataclass(frozen=True, eq=False)
class Identified:
    """The best variant found, and whether it reproduces the answers."""

    variant: Variant
    reproduces: bool
    fit: Fit | None  # None where there was nothing to reproduce
    plain: Fit | None  # The fit of the variant that the search started from
    without: Mapping[str, Fit]  # Knob moved -> the fit with it alone switched back
    n_undefined: int  # Rows whose NaN no variant reproduces; they were left out
    # Other causes that would reproduce the answers as well
    alternatives: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """Share of predictions reproduced; 0 where there was nothing to reproduce."""
        return self.fit.reproduction.share if self.fit else 0.0

    def effect(self, knob: str) -> float:
        """Return how much the reproduction worsens with a knob switched back."""
        return self.without[knob].loss

    def evidence(self, knob: str, words: str) -> str:
        """Return what speaks for a knob, in one sentence."""
        back = self.without[knob].reproduction
        text = f"With {words}, {self.share:.2%} of {back.n_predictions} predictions are "
        text += f"reproduced; without, {back.mismatches} labels differ"
        if back.largest_difference > 0.0:
            text += f" and posteriors by up to {back.largest_difference:.2g}"
        return text + "."


def identified(base: Variant, pairs: Pairs) -> Identified:
    """Return what an implementation does, as a variant.

    Rows with a label that was never seen are left out. If nothing reproduces the rest,
    rows without probabilities are left out too; if labels and probabilities follow two
    variants, the labels' is taken.
    """
    known = [seen.labels != UNSEEN for _, seen in pairs]
    found = _attempt(base, restricted(pairs, known), 0)
    n_undefined = sum(int(seen.undefined.sum()) for _, seen in pairs)
    if not found.reproduces and n_undefined:
        defined = [
            rows & ~seen.undefined for rows, (_, seen) in zip(known, pairs, strict=True)
        ]
        again = _attempt(base, restricted(pairs, defined), n_undefined)
        found = again if again.reproduces or again.fit is None else found
    return found


def _attempt(base: Variant, pairs: Pairs, n_undefined: int) -> Identified:
    if not pairs:
        return Identified(base, True, None, None, {}, n_undefined)  # noqa: FBT003
    search = Search(base, pairs)
    plain, fit = search.fit(base), identify(search)
    reproduces = accepted(fit, plain, [seen for _, seen in pairs])
    without = {
        knob: search.fit(restored(fit.variant, base, knob))
        for knob in moved(fit.variant, base)
    }
    others = alternatives(search, fit) if reproduces else ()
    return Identified(fit.variant, reproduces, fit, plain, without, n_undefined, others)


def _is_constant(observed: Sequence[Observation]) -> bool:
    """Return whether one label is given throughout: what any variant does, overdone."""
    return len(np.unique(np.concatenate([seen.labels for seen in observed]))) == 1


def _can_flatten(variant: Variant, knobs: Sequence[str], *, by_labels: bool) -> bool:
    """Return whether a knob, turned far enough, makes any model give one label."""
    smoothed = "smoothing" in knobs and variant.smoothing is not None
    return smoothed or "floor" in knobs or (by_labels and "prior" in knobs)


def accepted(fit: Fit, plain: Fit, observed: Sequence[Observation]) -> bool:
    """Return whether a variant reproduces the answers well enough to name its knobs."""
    found, base = fit.reproduction, plain.reproduction
    if found.share < REPRODUCED_SHARE:
        return False
    if fit.errors > (1.0 - EXPLAINED_SHARE) * plain.errors:
        return False
    knobs = moved(found.variant, base.variant)
    by_labels = all(seen.log_posterior is None for seen in observed)
    if _is_constant(observed) and (
        _can_flatten(found.variant, knobs, by_labels=by_labels)
        or (len(knobs) > 1 and found.n_compared == 0)
    ):
        return False
    if is_noisy(found.variant):
        allowed = (1.0 - NOISY_SHARE) * found.n_predictions
        return found.n_differing <= min(allowed, 0.5 * base.n_differing + allowed / 10)
    n_numbers = round(2 * (complexity(found.variant, base.variant) - len(knobs)))
    if isinstance(found.variant.prior, tuple):
        n_numbers += len(found.variant.prior) - 2
    by_parameters = fit.parameters < plain.parameters
    return (
        not by_labels
        or by_parameters
        or base.mismatches >= DISAGREEMENTS_PER_NUMBER * n_numbers
    )


def alternatives(search: Search, best: Fit) -> tuple[str, ...]:
    """Return other causes, each of which alone would reproduce the labels as well.

    Many labels, probabilities or parameters point to one variant; a few labels may not.
    Every knob is moved alone, amounts estimated, and held against all labels.
    """
    decided = any(
        seen.log_posterior is not None or seen.parameters.offered
        for _, seen in search.pairs
    )
    if decided or best.variant == search.base:
        return ()
    named = moved(best.variant, search.base)
    return tuple(
        dict.fromkeys(
            cause_of(knob, fit.variant)
            for fit in _tried(search)
            for knob in moved(fit.variant, search.base)
            if knob not in named and not fit.is_worse_than(best)
        )
    )


def _tried(search: Search) -> list[Fit]:
    """Return a fit for each variant with one knob moved."""
    base, run = search.base, search.run
    variants = discrete_moves(base, KNOBS, run)
    variants += prior_moves(base, KNOBS, search.pairs)
    for knob in ("smoothing", "floor"):
        variants += fitted_amounts(base, knob, run, search.loss)
    fits = search.tried(dict.fromkeys(variants))
    return [fit for fit in fits if len(moved(fit.variant, base)) == 1]
