"""Settings that labels alone cannot tell from the one that was found."""

from gnbbench.diagnosis.amounts import fitted_amounts
from gnbbench.diagnosis.fits import Fit, Search
from gnbbench.diagnosis.moves import discrete_moves, prior_moves
from gnbbench.diagnosis.settings import KNOBS, cause_of, moved


def rivals(search: Search, best: Fit) -> tuple[str, ...]:
    """Return other causes, each of which alone would reproduce the labels as well.

    Many labels, probabilities or parameters point to one setting; a few labels may not.
    Every knob is moved alone, amounts estimated, and held against all labels.
    """
    decided = any(
        seen.log_posterior is not None or seen.parameters.offered
        for seen in search.observed
    )
    if decided or best.setting == search.base:
        return ()
    named = moved(best.setting, search.base)
    return tuple(
        dict.fromkeys(
            cause_of(knob, fit.setting)
            for fit in _tried(search)
            for knob in moved(fit.setting, search.base)
            if knob not in named and not fit.is_worse_than(best)
        )
    )


def _tried(search: Search) -> list[Fit]:
    """Return a fit for each setting with one knob moved."""
    base, runs = search.base, search.runs
    settings = [
        *discrete_moves(base, KNOBS, runs),
        *prior_moves(base, KNOBS, runs, search.observed),
    ]
    for knob in ("smoothing", "floor"):
        settings += fitted_amounts(base, knob, runs, lambda one: search.fit(one).loss)
    fits = search.tried(dict.fromkeys(settings))
    return [fit for fit in fits if len(moved(fit.setting, base)) == 1]
