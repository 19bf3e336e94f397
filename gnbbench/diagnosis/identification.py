"""The search for the variant that reproduces an implementation best."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gnbbench.diagnosis.family import scores
from gnbbench.diagnosis.moves import (
    discrete_moves,
    order_moves,
    prior_moves,
    refined,
    simplest,
    stock_amounts,
    with_knob,
)
from gnbbench.diagnosis.observations import Compared
from gnbbench.diagnosis.parameters import prior_rules, suggestions
from gnbbench.diagnosis.reproduction import Fit, Search
from gnbbench.diagnosis.variants import (
    KNOBS,
    RELATIVE,
    Amount,
    Variant,
    complexity,
    moved,
    restored,
)

# Searching goes over the runs with most to explain, and in each over rows that differ,
# rows near the boundary and some others; what it finds is then held against all.
SCREENED_RUNS = 8
SCREENED_ROWS = 160
SCREENED_NUMBERS = 30_000
# Searches, each with the rows added that refuted what the one before had found.
ROUNDS = 4
# Numbers computed in single precision are nearer to ours in single precision than to
# those in double by at least this factor, if only because samples were rounded alike.
SINGLE_GAIN = 1.5
# Variants from which a further knob is moved, and knobs that are moved at most.
BREADTH = 12
DEPTH = 4
# Sets of knobs and rules whose amounts are made as short as they can be.
TIDIED = 6
# With fewer disagreements every cause that might do is looked at.
FEW_LABELS = 12
# Knobs that are often moved together.
PLAIN = ("space", "divisor", "prior")
# Rules whose amounts are fitted at first, and once more knobs are moved.
REFINED_FIRST, REFINED = 15, 4
# Variants that the screened rows cannot tell apart and that are held against all rows.
FINALISTS = 40
AMOUNTS = ("smoothing", "floor")
Move = tuple[str, Variant]  # A knob, and a variant with it alone moved


def identify(whole: Search) -> list[Fit]:
    """Return the variants that reproduce the observations best on all rows, simplest first.

    Knobs are moved one at a time, then from the best variants another one; a knob whose
    move back does not measurably worsen the reproduction is moved back. Amounts are the
    shortest that do as well.
    """
    plain = whole.fit(whole.base)
    if plain.is_settled and plain.parameters == 0.0:
        return [plain]
    keep = _screened(plain, whole.seen)
    known = {whole.base}
    for _ in range(ROUNDS):
        search = Search(whole.base, whole.seen.rows(keep))
        _explore(search)
        finalists = _finalists(search)
        known |= {fit.variant for fit in finalists}
        ranked = _equals(whole, known)
        if ranked[0].is_sufficient or not finalists[0].is_sufficient:
            break
        keep = _with_refuted(keep, [fit.variant for fit in finalists[:4]], whole)
    tidied = {_tidied(whole, whole.pruned(fit).variant) for fit in _first(ranked, whole)}
    ranked = _equals(whole, tidied | known)
    best = ranked[0]
    return ranked if plain.is_worse_than(best) else [plain]


def _equals(whole: Search, variants: Iterable[Variant]) -> list[Fit]:
    """Return the variants that do as well as any on all rows, the simplest first."""
    fits = whole.tried(variants)
    best = min(fits, key=lambda fit: (fit.loss, _rank(fit, whole.base)))
    as_good = [fit for fit in fits if not fit.is_worse_than(best)]
    return sorted(as_good, key=lambda fit: _rank(fit, whole.base))


def _first(ranked: list[Fit], whole: Search) -> list[Fit]:
    """Return the simplest fits of each set of knobs and rules, a few."""
    first = _different(ranked, whole.base)[:TIDIED]
    return [whole.fit(variant) for variant in first]


def _tidied(whole: Search, variant: Variant) -> Variant:
    """Return the variant with the shortest amounts that do as well, best absolute ones."""
    if isinstance(variant.prior, tuple):
        best = whole.fit(variant)
        rules = prior_rules(variant, whole.seen.batch.n_classes)
        as_good = [one for one in rules if not whole.fit(one).is_worse_than(best)]
        variant = min(as_good, key=lambda v: complexity(v, whole.base), default=variant)
    smoothing = variant.smoothing
    if smoothing and smoothing.rule in RELATIVE and smoothing != whole.base.smoothing:
        pooled = whole.seen.batch.moments().pooled
        typical = {"largest": pooled.max(axis=1), "class": pooled.max(axis=1)}
        unit = float(np.median(typical.get(smoothing.rule, pooled.mean(axis=1))))
        alike = replace(variant, smoothing=Amount("absolute", smoothing.amount * unit))
        alike = refined(alike, "smoothing", whole.seen, whole.loss)
        if not whole.fit(alike).is_worse_than(whole.fit(variant)):
            variant = alike
    for knob in AMOUNTS:
        if knob in moved(variant, whole.base) and getattr(variant, knob) is not None:
            variant, _ = amount_interval(whole, variant, knob)
    return variant


def amount_interval(
    whole: Search, variant: Variant, knob: str
) -> tuple[Variant, tuple[float, float]]:
    """Return the variant with the shortest amount that does as well, and which ones do."""
    best = whole.fit(variant)
    return simplest(variant, knob, lambda one: not whole.fit(one).is_worse_than(best))


def _screened(fit: Fit, seen: Compared) -> NDArray[np.bool_]:
    """Return the rows to search on: of the runs with the most to explain, some of each."""
    differs, of_run = fit.reproduction.differs, seen.batch.of_run
    counts = np.bincount(of_run, weights=differs, minlength=len(seen.batch.runs))
    chosen = np.isin(of_run, np.argsort(-counts, kind="stable")[:SCREENED_RUNS])
    keep, most = np.zeros(len(differs), dtype=bool), _most_rows(seen)
    with np.errstate(all="ignore"):
        ordered = np.sort(scores(fit.variant, seen.batch).joint, axis=1)
        gaps = ordered[:, -1] - ordered[:, -2]
    nearest = np.flatnonzero(chosen & ~differs)
    nearest = nearest[np.argsort(gaps[nearest], kind="stable")][:most]
    for rows in (np.flatnonzero(chosen & differs), nearest, np.flatnonzero(chosen)):
        keep[rows[:: max(1, -(-len(rows) // most))]] = True
    return keep


def _most_rows(seen: Compared) -> int:
    """Return how many rows of a kind are searched on: fewer where each takes longer."""
    size = seen.batch.n_classes * seen.batch.samples.shape[1]
    return int(np.clip(SCREENED_NUMBERS // size, 40, SCREENED_ROWS))


def _with_refuted(
    keep: NDArray[np.bool_], variants: Iterable[Variant], whole: Search
) -> NDArray[np.bool_]:
    """Return the rows, and some that refute what suited the rows."""
    keep = keep.copy()
    for variant in variants:
        found = whole.fit(variant).reproduction
        wrong = np.flatnonzero((found.differs & ~found.excused) | ~found.alike)
        keep[wrong[:: max(1, -(-len(wrong) // _most_rows(whole.seen)))]] = True
    return keep


def _explore(search: Search) -> None:
    """Try variants until one leaves nothing to explain, or too many knobs are moved."""
    base, seen = search.base, search.seen
    read = search.tried(suggestions(base, seen))
    if any(fit.is_settled for fit in [search.fit(base), *read]):
        return
    singles = _singles(search)
    search.tried(single for _, single in singles)
    if _ranked(search)[0].is_settled and not _has_few_labels(search):
        return
    _fit_orders(search, [base, *(variant for _, variant in _distinct(search, singles))])
    _fit_amounts(search, _ranked(search), REFINED_FIRST)
    for _ in range(DEPTH - 1):
        ranked = _ranked(search)
        if ranked[0].is_settled:
            return
        moves = _further(search, singles)
        starts = _different(ranked, base)[:BREADTH]
        starts += [variant for knob, variant in moves if knob in PLAIN]
        for start in dict.fromkeys(starts):
            untouched = [knob for knob in KNOBS if knob not in moved(start, base)]
            search.tried(
                with_knob(start, knob, single)
                for knob, single in moves
                if knob in untouched
            )
            if "prior" in untouched:
                search.tried(prior_moves(start, seen))
        ranked = _ranked(search)
        if not ranked[0].is_settled:
            _fit_orders(search, _different(ranked, base)[:BREADTH])
            ranked = _ranked(search)
            _fit_amounts(search, [*_hidden(search, ranked), *ranked], REFINED)


def _has_few_labels(search: Search) -> bool:
    """Return whether other causes may well give the same labels, so that all are fitted."""
    return search.seen.labels_only and search.fit(search.base).errors < FEW_LABELS


def _further(search: Search, singles: list[Move]) -> list[Move]:
    """Return the moves that are worth combining with others.

    Labels need each amount that gives other ones; where more is offered, it points at
    one amount for each rule.
    """
    if search.seen.log_posterior is None:
        return _distinct(search, singles)
    alone = [
        (moved(fit.variant, search.base)[0], fit.variant)
        for fit in _ranked(search)
        if len(moved(fit.variant, search.base)) == 1
    ]
    best: dict[object, Move] = {}
    for knob, variant in alone:
        given = getattr(variant, knob) if knob in AMOUNTS else variant
        best.setdefault((knob, getattr(given, "rule", given)), (knob, variant))
    return list(best.values())


def _singles(search: Search) -> list[Move]:
    """Return every variant with one knob moved."""
    base, batch = search.base, search.seen.batch
    found = [(k, one) for k, given in discrete_moves(base, batch).items() for one in given]
    found += [(k, one) for k in AMOUNTS for one in stock_amounts(base, k, batch)]
    found += [("prior", one) for one in prior_moves(base, search.seen)]
    return found


def _distinct(search: Search, moves: list[Move]) -> list[Move]:
    """Return the simplest of moves with the same answers.

    Those that change none are left out, but for usual ones: beside another knob they may.
    """
    best: dict[object, Move] = {}
    unmoved = _answers(search, search.base)
    for knob, variant in sorted(moves, key=lambda move: complexity(move[1], search.base)):
        answers = _answers(search, variant)
        if answers != unmoved or knob in PLAIN or variant.smoothing is None:
            best.setdefault((knob, answers), (knob, variant))
    return list(best.values())


def _answers(search: Search, variant: Variant) -> object:
    """Return what tells variants apart: labels, or the distance where more is offered."""
    fit = search.fit(variant)
    labels = fit.reproduction.labels.tobytes()
    return labels if search.seen.labels_only else (labels, fit.loss)


def _fit_orders(search: Search, variants: Iterable[Variant]) -> None:
    for variant in variants:
        search.tried(order_moves(search.fit(variant), search.seen))


def _fit_amounts(search: Search, ranked: list[Fit], most: int) -> None:
    """Fit the amounts of the best variants anew, each rule once, under the best prior."""
    base, seen = search.base, search.seen
    rules: set[object] = set()
    for fit in ranked:
        variant = fit.variant
        for knob in AMOUNTS:
            given = getattr(variant, knob)
            rule = (
                knob,
                given and given.rule,
                *(v for v in moved(variant, base) if v != knob),
            )
            if given is None or given == getattr(base, knob) or rule in rules:
                continue
            if len(rules) >= most:
                return
            rules.add(rule)
            free = seen.log_posterior is not None and variant.prior == base.prior
            flat = replace(variant, prior="free", prior_order=None) if free else variant
            found = refined(flat, knob, seen, search.loss)
            found = with_knob(found, "prior", variant)
            search.tried([found, *prior_moves(found, seen)])


def _hidden(search: Search, ranked: list[Fit]) -> list[Fit]:
    """Return the best amounts beside another plain knob, which may have led them astray.

    Amounts under an order of features are not among them: near a floor, many orders fit.
    """
    base = search.base
    moves = [replace(base, divisor="n-1"), replace(base, smoothing=None)]
    fitted = [
        v
        for v in _different(ranked, base)
        if any(k in AMOUNTS for k in moved(v, base)) and v.feature_order is None
    ]
    return [
        search.fit(with_knob(variant, knob, move))
        for variant in fitted[:2]
        for move in moves
        for knob in moved(move, base)
        if knob not in moved(variant, base)
    ]


def _different(ranked: list[Fit], base: Variant) -> list[Variant]:
    """Return the best variant of each set of knobs and rules: not many amounts of one."""
    best: dict[object, Variant] = {}
    for fit in ranked:
        variant = fit.variant
        rules = tuple(
            amount.rule for amount in (variant.smoothing, variant.floor) if amount
        )
        key = moved(variant, base), rules, variant.form, variant.space
        best.setdefault(key, variant)
    return list(best.values())


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
    if search.seen.is_single:
        return True
    double = search.fit(replace(fit.variant, dtype="float64"))
    return fit.reproduction.error * SINGLE_GAIN < double.reproduction.error


def _finalists(search: Search) -> list[Fit]:
    """Return the simplest of the variants that do as well as any, a few where equal."""
    ranked = _ranked(search)
    as_good = [fit for fit in ranked if not fit.is_worse_than(ranked[0])]
    as_good.sort(key=lambda fit: (_rank(fit, search.base)[0], fit.loss))
    pruned = [search.pruned(fit) for fit in [*_spread(as_good, search.base), ranked[0]]]
    return list({fit.variant: fit for fit in pruned}.values())


def _spread(fits: list[Fit], base: Variant) -> Iterator[Fit]:
    """Return the first of each set of knobs and rules, then some of the rest."""
    first = set(_different(fits, base))
    yield from [fit for fit in fits if fit.variant in first][:FINALISTS]
    yield from [fit for fit in fits if fit.variant not in first][: FINALISTS // 4]


def without_each(whole: Search, variant: Variant) -> dict[str, Fit]:
    """Return for each knob moved the fit with it alone switched back."""
    knobs = moved(variant, whole.base)
    return {knob: whole.fit(restored(variant, whole.base, knob)) for knob in knobs}
