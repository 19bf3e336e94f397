"""The variant that reproduces an implementation best, and whether it truly does."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gnbbench.diagnosis.moves import (
    discrete_moves,
    fitted_amounts,
    order_moves,
    prior_moves,
    refitted,
)
from gnbbench.diagnosis.observations import UNSEEN, Observation, Pairs, restricted
from gnbbench.diagnosis.parameters import prior_rules, suggestions
from gnbbench.diagnosis.reproduction import (
    EXPLAINED_SHARE,
    NOISY_SHARE,
    REPRODUCED_SHARE,
    Fit,
    Search,
)
from gnbbench.diagnosis.variants import (
    FITTED,
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
# Searching goes over the runs with most to explain, and in each over some rows that
# differ and some that do not; what it finds is then held against all.
SCREENED_RUNS = 5
SCREENED_ROWS = 40
# Searches, each with the rows added that refuted what the one before had found.
ROUNDS = 3
# Numbers computed in single precision are nearer to ours in single precision than to
# those in double by at least this factor, if only because samples were rounded alike.
SINGLE_GAIN = 1.5
# Settings from which a second or third knob is moved.
BREADTH = 4
DEPTH = 3
# Settings that the screened rows cannot tell apart and that are held against all rows.
FINALISTS = 8
# With labels alone amounts are estimated under the usual prior and these many others.
PRIORS_WITH_AMOUNTS = 4


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

    def evidence(self, knob: str, words: str) -> str:
        """Return what speaks for a knob, in one sentence."""
        back = self.without[knob].reproduction
        n = back.n_predictions
        text = f"With {words}, {100 * self.share:.4g} % of {n:,} predictions are "
        text += f"reproduced; without, {back.mismatches:,} labels differ"
        if back.largest_difference > 0.0:
            text += f", and probabilities by up to {back.largest_difference:.2g}"
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


def identify(whole: Search) -> Fit:
    """Return the variant that reproduces the observations best, on all runs.

    Knobs are moved one at a time, then from the best variants another one, three at most;
    a knob whose move back does not measurably worsen the reproduction is moved back.
    """
    base = whole.base
    best = plain = whole.fit(base)
    if plain.is_settled and plain.parameters == 0.0:
        return plain
    # Where nothing is found, an amount may hide behind one of the wider starts.
    wider = [replace(base, divisor="n-1"), replace(base, smoothing=None)]
    for starts in ([base], wider):
        best = _searched(whole, starts, best)
        if best.is_sufficient:
            break
    best = whole.pruned(best)
    return best if plain.is_worse_than(best) else plain


def _searched(whole: Search, starts: Sequence[Variant], best: Fit) -> Fit:
    """Return the best fit on all runs that a search from these variants finds."""
    base, pairs = whole.base, whole.pairs
    keep = _screened(whole.fit(base), pairs)
    for _ in range(ROUNDS):
        search = Search(base, restricted(pairs, keep))
        _explore(search, starts)
        finalists = [search.pruned(fit) for fit in _best(search)]
        distinct = dict.fromkeys(fit.variant for fit in finalists)
        on_all = [best, *(whole.fit(variant) for variant in distinct)]
        best = min(on_all, key=lambda fit: (fit.loss, _rank(fit, base)))
        if best.is_sufficient or not finalists[0].is_sufficient:
            break
        keep = _with_refuted(keep, finalists[0].variant, whole)
    return best


def _screened(fit: Fit, pairs: Pairs) -> list[NDArray[np.bool_]]:
    """Return the rows to search on: of the runs with the most to explain, some of each."""
    differing = [-int(run.differs.sum()) for run in fit.reproduction.runs]
    keep = [np.zeros(len(seen.labels), dtype=bool) for _, seen in pairs]
    for at in np.argsort(differing, kind="stable")[:SCREENED_RUNS].tolist():
        differs = fit.reproduction.runs[at].differs
        for rows in (np.flatnonzero(differs), np.flatnonzero(~differs)):
            step = max(1, -(-len(rows) // SCREENED_ROWS))
            keep[at][rows[::step]] = True
    return keep


def _with_refuted(
    keep: list[NDArray[np.bool_]], variant: Variant, whole: Search
) -> list[NDArray[np.bool_]]:
    """Return the rows, and those that refute a variant which suited the rows."""
    found = whole.fit(variant).reproduction
    wrong = [(run.differs & ~run.excused) | ~run.alike for run in found.runs]
    return [rows | bad for rows, bad in zip(keep, wrong, strict=True)]


def _explore(search: Search, first: Sequence[Variant]) -> None:
    starts = list(first)
    read = search.tried(suggestions(search.base, search.pairs))
    if any(fit.is_settled for fit in [search.fit(search.base), *read]):
        return
    starts += [fit.variant for fit in sorted(read, key=lambda fit: fit.loss)[:2]]
    with_amounts = True
    for depth in range(DEPTH):
        for start in starts:
            _extend(search, start, is_first=depth == 0)
        ranked = _ranked(search)
        if with_amounts and not any(_needs_no_amount(fit, search.base) for fit in ranked):
            _try_amounts(search, starts, depth)
            ranked = _ranked(search)
        if ranked[0].is_settled:
            return
        before, starts = starts, _different(ranked, search.base)[:BREADTH]
        if set(starts) <= set(before):
            return
        # What is reproduced but for the last digits lacks no amount any more.
        with_amounts = not _needs_no_amount(ranked[0], search.base)


def _try_amounts(search: Search, starts: Sequence[Variant], depth: int) -> None:
    """Estimate amounts from all starts at first, from the best two, then near what is."""
    if depth == 0:
        for start in starts:
            _fit_amounts(search, start, PRIORS_WITH_AMOUNTS)
    elif depth == 1:
        for start in starts[:2]:
            _fit_amounts(search, start, 0)
    for start in _different(_ranked(search), search.base)[:2]:
        _refit_amounts(search, start)


def _needs_no_amount(fit: Fit, base: Variant) -> bool:
    """Return whether nothing that takes an amount could do better, or be simpler."""
    plain = complexity(fit.variant, base) < 1.0 + FITTED
    return fit.is_sufficient and (plain or fit.reproduction.n_compared > 0)


def _different(ranked: Sequence[Fit], base: Variant) -> list[Variant]:
    """Return the best variant of each set of knobs and rules: not many amounts of one."""
    best: dict[object, Variant] = {}
    for fit in ranked:
        variant = fit.variant
        rules = [amount.rule for amount in (variant.smoothing, variant.floor) if amount]
        best.setdefault((moved(variant, base), tuple(rules)), variant)
    return list(best.values())


def _extend(search: Search, start: Variant, *, is_first: bool) -> None:
    """Try every further knob from a variant that takes no amount."""
    untouched = _untouched(start, search.base)
    singles = discrete_moves(start, untouched, search.run)
    found = search.tried(singles)
    if is_first:
        moves = (discrete_moves(single, untouched, search.run) for single in singles)
        plain = {pair for pairs in moves for pair in pairs if _is_plain(pair, search.base)}
        found += search.tried(sorted(plain, key=repr))
    found = sorted([search.fit(start), *found], key=lambda fit: fit.loss)[:BREADTH]
    for fit in {fit.variant: fit for fit in [search.fit(start), *found]}.values():
        further = _untouched(fit.variant, search.base)
        search.tried(order_moves(fit, further, search.pairs))
        search.tried(prior_moves(fit.variant, further, search.pairs))


def _untouched(variant: Variant, base: Variant) -> list[str]:
    return [knob for knob in KNOBS if knob not in moved(variant, base)]


def _fit_amounts(search: Search, start: Variant, n_priors: int) -> None:
    """Try smoothing and floors with estimated amounts, under the best prior for each."""
    if search.has_posteriors:
        flats = [replace(start, prior="free", prior_order=None)]
    else:
        flats = [start, *prior_rules(start, search.run.n_classes)[:n_priors]]
    for knob in ("smoothing", "floor"):
        for flat in flats:
            for variant in fitted_amounts(flat, knob, search.run, search.loss):
                _try_priors(search, variant, start)


def _try_priors(search: Search, variant: Variant, start: Variant) -> None:
    """Try a variant with the prior of `start`, then with what the answers ask for."""
    given = replace(variant, prior=start.prior, prior_order=start.prior_order)
    search.fit(given)
    search.tried(prior_moves(given, ("prior",), search.pairs))


def _is_plain(variant: Variant, base: Variant) -> bool:
    """Return whether two plain knobs are moved: the pairs that are always tried."""
    knobs = moved(variant, base)
    plain = {"smoothing", "divisor", "prior", "space", "dtype", "formula"}
    return (
        len(knobs) == 2
        and set(knobs) <= plain
        and variant.prior in (base.prior, "uniform")
        and variant.formula in (base.formula, "mean")
        and variant.negatives == base.negatives
        and variant.space in (base.space, "product")
    )


def _refit_amounts(search: Search, start: Variant) -> None:
    """Try each further knob with the amounts that go with it: they may hide each other."""
    touched = moved(start, search.base)
    untouched = [knob for knob in ("divisor", "smoothing") if knob not in touched]
    for move in discrete_moves(start, untouched, search.run):
        flat = (
            replace(move, prior="free", prior_order=None) if search.has_posteriors else move
        )
        for knob in ("smoothing", "floor"):
            if knob in touched:
                _try_priors(search, refitted(flat, knob, search.loss), start)


def _ranked(search: Search) -> list[Fit]:
    """Return the plausible fits, the best first."""
    plausible = [fit for fit in search.fits.values() if fit.variant.prior != "free"]
    ranked = sorted(plausible, key=lambda fit: (fit.loss, _rank(fit, search.base)))
    return [fit for fit in ranked if _is_plausible(search, fit)]


def _rank(fit: Fit, base: Variant) -> tuple[float, list[int]]:
    """Return the order of two fits that do equally well: simpler, then more usual."""
    names = list(KNOBS)
    places = [names.index(knob) for knob in moved(fit.variant, base)]
    return complexity(fit.variant, base), places


def _is_plausible(search: Search, fit: Fit) -> bool:
    """Return whether single precision explains errors rather than merely exceeds them."""
    if fit.variant.dtype != "float32" or fit.reproduction.n_compared == 0:
        return True
    if all(seen.is_single for _, seen in search.pairs):
        return True
    double = search.fit(replace(fit.variant, dtype="float64"))
    return fit.reproduction.error * SINGLE_GAIN < double.reproduction.error


def _best(search: Search) -> list[Fit]:
    """Return the simplest of the variants that do as well as any, a few where equal."""
    ranked = _ranked(search)
    as_good = [fit for fit in ranked if not fit.is_worse_than(ranked[0])]
    as_good.sort(
        key=lambda fit: (_rank(fit, search.base)[0], fit.loss, _rank(fit, search.base))
    )
    return list({fit.variant: fit for fit in [*as_good[:FINALISTS], ranked[0]]}.values())
