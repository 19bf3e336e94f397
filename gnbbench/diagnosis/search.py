"""The setting that reproduces an implementation best, with the fewest knobs moved."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gnbbench.diagnosis.amounts import fitted_amounts, refitted
from gnbbench.diagnosis.family import TrainedRun
from gnbbench.diagnosis.fits import Fit, Search, pruned
from gnbbench.diagnosis.moves import discrete_moves, order_moves, prior_moves
from gnbbench.diagnosis.observations import Observation
from gnbbench.diagnosis.parameters import prior_rules, suggestions
from gnbbench.diagnosis.restriction import restricted
from gnbbench.diagnosis.settings import (
    FITTED,
    KNOBS,
    Setting,
    complexity,
    moved,
)

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


def identify(
    base: Setting, runs: Sequence[TrainedRun], observed: Sequence[Observation]
) -> Fit:
    """Return the setting that reproduces the observations best, on all runs.

    Knobs are moved one at a time, then from the best settings another one, three at most;
    a knob whose move back does not measurably worsen the reproduction is moved back.
    """
    whole = Search(base, runs, observed)
    if whole.fit(base).is_settled and whole.fit(base).parameters == 0.0:
        return whole.fit(base)
    best = whole.fit(base)
    for starts in ([base], _wider(base)):
        best = _searched(whole, starts, best)
        if best.is_sufficient:
            break
    best = pruned(whole, base, best)
    return best if whole.fit(base).is_worse_than(best) else whole.fit(base)


def _wider(base: Setting) -> list[Setting]:
    """Return where to start again if nothing was found: an amount may hide behind these."""
    return [replace(base, divisor="n-1"), replace(base, smoothing=None)]


def _searched(whole: Search, starts: Sequence[Setting], best: Fit) -> Fit:
    """Return the best fit on all runs that a search from these settings finds."""
    base, runs, observed = whole.base, whole.runs, whole.observed
    keep = _screened(whole.fit(base), observed)
    for _ in range(ROUNDS):
        search = Search(base, *restricted(runs, observed, keep))
        _explore(search, base, starts)
        finalists = [pruned(search, base, fit) for fit in _best(search, base)]
        distinct = dict.fromkeys(fit.setting for fit in finalists)
        on_all = [best, *(whole.fit(setting) for setting in distinct)]
        best = min(on_all, key=lambda fit: (fit.loss, _rank(fit, base)))
        if best.is_sufficient or not finalists[0].is_sufficient:
            break
        keep = _with_refuted(keep, finalists[0].setting, whole)
    return best


def _screened(fit: Fit, observed: Sequence[Observation]) -> list[NDArray[np.bool_]]:
    """Return the rows to search on: of the runs with the most to explain, some of each."""
    differing = [-int(run.differs.sum()) for run in fit.reproduction.runs]
    keep = [np.zeros(len(seen.labels), dtype=bool) for seen in observed]
    for at in np.argsort(differing, kind="stable")[:SCREENED_RUNS].tolist():
        differs = fit.reproduction.runs[at].differs
        for rows in (np.flatnonzero(differs), np.flatnonzero(~differs)):
            step = max(1, -(-len(rows) // SCREENED_ROWS))
            keep[at][rows[::step]] = True
    return keep


def _with_refuted(
    keep: list[NDArray[np.bool_]], setting: Setting, whole: Search
) -> list[NDArray[np.bool_]]:
    """Return the rows, and those that refute a setting which suited the rows."""
    found = whole.fit(setting).reproduction
    wrong = [(run.differs & ~run.excused) | ~run.alike for run in found.runs]
    return [rows | bad for rows, bad in zip(keep, wrong, strict=True)]


def _explore(search: Search, base: Setting, first: Sequence[Setting]) -> None:
    starts = list(first)
    read = search.tried(suggestions(base, search.runs, search.observed))
    if any(fit.is_settled for fit in [search.fit(base), *read]):
        return
    starts += [fit.setting for fit in sorted(read, key=lambda fit: fit.loss)[:2]]
    with_amounts = True
    for depth in range(DEPTH):
        for start in starts:
            _extend(search, base, start, is_first=depth == 0)
        ranked = _ranked(search, base)
        if with_amounts and not any(_needs_no_amount(fit, base) for fit in ranked):
            _try_amounts(search, base, starts, depth)
            ranked = _ranked(search, base)
        if ranked[0].is_settled:
            return
        before, starts = starts, _different(ranked, base)[:BREADTH]
        if set(starts) <= set(before):
            return
        # What is reproduced but for the last digits lacks no amount any more.
        with_amounts = not _needs_no_amount(ranked[0], base)


def _try_amounts(
    search: Search, base: Setting, starts: Sequence[Setting], depth: int
) -> None:
    """Estimate amounts from all starts at first, from the best two, then near what is."""
    if depth == 0:
        for start in starts:
            _fit_amounts(search, start, PRIORS_WITH_AMOUNTS)
    elif depth == 1:
        for start in starts[:2]:
            _fit_amounts(search, start, 0)
    for start in _different(_ranked(search, base), base)[:2]:
        _refit_amounts(search, base, start)


def _needs_no_amount(fit: Fit, base: Setting) -> bool:
    """Return whether nothing that takes an amount could do better, or be simpler."""
    plain = complexity(fit.setting, base) < 1.0 + FITTED
    return fit.is_sufficient and (plain or fit.reproduction.n_compared > 0)


def _different(ranked: Sequence[Fit], base: Setting) -> list[Setting]:
    """Return the best setting of each set of knobs and rules: not many amounts of one."""
    best: dict[object, Setting] = {}
    for fit in ranked:
        setting = fit.setting
        rules = [one.rule for one in (setting.smoothing, setting.floor) if one]
        best.setdefault((moved(setting, base), tuple(rules)), setting)
    return list(best.values())


def _extend(search: Search, base: Setting, start: Setting, *, is_first: bool) -> None:
    """Try every further knob from a setting that takes no amount."""
    untouched = _untouched(start, base)
    options = discrete_moves(start, untouched, search.runs)
    found = search.tried(options)
    if is_first:
        pairs = {
            pair for one in options for pair in discrete_moves(one, untouched, search.runs)
        }
        plain = [pair for pair in pairs if _is_plain(pair, base)]
        found += search.tried(sorted(plain, key=repr))
    found = sorted([search.fit(start), *found], key=lambda fit: fit.loss)[:BREADTH]
    for fit in {fit.setting: fit for fit in [search.fit(start), *found]}.values():
        further = _untouched(fit.setting, base)
        search.tried(order_moves(fit, further, search.observed))
        search.tried(prior_moves(fit.setting, further, search.runs, search.observed))


def _untouched(setting: Setting, base: Setting) -> list[str]:
    return [knob for knob in KNOBS if knob not in moved(setting, base)]


def _fit_amounts(search: Search, start: Setting, n_priors: int) -> None:
    """Try smoothing and floors with estimated amounts, under the best prior for each."""
    offered = all(seen.log_posterior is not None for seen in search.observed)
    if offered:
        flats = [replace(start, prior="free", prior_order=None)]
    else:
        rules = prior_rules(start, search.runs[0].n_classes)[:n_priors]
        flats = [start, *rules]
    for knob in ("smoothing", "floor"):
        for flat in flats:
            found = fitted_amounts(flat, knob, search.runs, lambda s: search.fit(s).loss)
            for setting in found:
                own = replace(setting, prior=start.prior, prior_order=start.prior_order)
                search.fit(own)
                search.tried(prior_moves(own, ("prior",), search.runs, search.observed))


def _is_plain(setting: Setting, base: Setting) -> bool:
    """Return whether two plain knobs are moved: the pairs that are always tried."""
    knobs = moved(setting, base)
    plain = {"smoothing", "divisor", "prior", "space", "dtype", "formula"}
    return (
        len(knobs) == 2
        and set(knobs) <= plain
        and setting.prior in (base.prior, "uniform")
        and setting.formula in (base.formula, "mean")
        and setting.negatives == base.negatives
        and setting.space in (base.space, "product")
    )


def _refit_amounts(search: Search, base: Setting, start: Setting) -> None:
    """Try each further knob with the amounts that go with it: they may hide each other."""
    untouched = [
        knob for knob in _untouched(start, base) if knob in ("divisor", "smoothing")
    ]
    offered = all(seen.log_posterior is not None for seen in search.observed)
    for move in discrete_moves(start, untouched, search.runs):
        flat = replace(move, prior="free", prior_order=None) if offered else move
        for knob in ("smoothing", "floor"):
            if knob in moved(start, base):
                found = refitted(flat, knob, lambda s: search.fit(s).loss)
                own = replace(found, prior=start.prior, prior_order=start.prior_order)
                search.fit(own)
                search.tried(prior_moves(own, ("prior",), search.runs, search.observed))


def _ranked(search: Search, base: Setting) -> list[Fit]:
    """Return the plausible fits, the best first."""
    plausible = [fit for fit in search.fits.values() if fit.setting.prior != "free"]
    ranked = sorted(plausible, key=lambda fit: (fit.loss, _rank(fit, base)))
    return [fit for fit in ranked if _is_plausible(search, fit)]


def _rank(fit: Fit, base: Setting) -> tuple[float, list[int]]:
    """Return the order of two fits that do equally well: simpler, then more usual."""
    names = list(KNOBS)
    places = [names.index(knob) for knob in moved(fit.setting, base)]
    return complexity(fit.setting, base), places


def _is_plausible(search: Search, fit: Fit) -> bool:
    """Return whether single precision explains errors rather than merely exceeds them."""
    if fit.setting.dtype != "float32" or fit.reproduction.n_compared == 0:
        return True
    if all(seen.is_single for seen in search.observed):
        return True
    double = search.fit(replace(fit.setting, dtype="float64"))
    return fit.reproduction.error * SINGLE_GAIN < double.reproduction.error


def _best(search: Search, base: Setting) -> list[Fit]:
    """Return the simplest of the settings that do as well as any, a few where equal."""
    ranked = _ranked(search, base)
    as_good = [fit for fit in ranked if not fit.is_worse_than(ranked[0])]
    as_good.sort(key=lambda fit: (_rank(fit, base)[0], fit.loss, _rank(fit, base)))
    return list({fit.setting: fit for fit in [*as_good[:FINALISTS], ranked[0]]}.values())
