"""The search for the variant that reproduces an implementation best."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice, product
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from gnbbench.diagnosis import moves, variants
from gnbbench.diagnosis.moves import prior_moves, simplest, stock_amounts, with_knob
from gnbbench.diagnosis.parameters import prior_rules, suggestions
from gnbbench.diagnosis.reproduction import Fit, Search, scores
from gnbbench.diagnosis.variants import AMOUNTS, TIES, Amount, Variant, complexity, moved

# The search uses the runs with most to explain, and in each the rows that differ, rows near
# the boundary and some others, fewer if each takes longer; the result is then checked on
# all rows.
SCREENED_RUNS, SCREENED_NUMBERS = 8, 30_000
FEWEST_ROWS, MOST_ROWS = 40, 160
# Searches, each with the rows added that refuted the result of the one before.
ROUNDS = 4
# Numbers computed in single precision are nearer to ours in single precision than to
# those in double by at least this factor, if only because samples were rounded alike.
SINGLE_GAIN = 1.5
# Variants from which a further knob is moved, and knobs that are moved at most.
BREADTH = 12
DEPTH = 4
# Variants beside which a second knob is moved before amounts are fitted.
PAIRED = 4
# Sets of knobs and rules whose amounts are shortened.
TIDIED = 6
# With fewer disagreements every possible cause is examined.
FEW_LABELS = 12
# Knobs that are often moved together.
PLAIN = ("space", "divisor", "prior")
# In a softmax of densities rows below this log-score have probabilities less far apart.
FAR, EQUAL = -60.0, 1e-3
# Rules whose amounts are fitted alone, at first, and after more knobs were moved.
REFINED_ALONE, REFINED_FIRST, REFINED = 8, 15, 4
# Variants that the screened rows cannot tell apart, to be compared on all rows.
FINALISTS = 40
# Form -> the same without its normaliser
_UNNORMALISED = {
    "normal": "no normaliser",
    "variance for deviation": "no normaliser, variance for deviation",
    "variance for deviation, exponent": "no normaliser, variance for deviation",
}
Move = tuple[str, Variant]  # A knob, and a variant with it alone moved


def identify(whole: Search, depth: int = DEPTH) -> list[Fit]:
    """Return the variants that reproduce the observations best on all rows, simplest first.

    Knobs are moved one at a time, then another one from the best variants, at most `depth`
    of them; a knob is switched back if that does not measurably worsen the reproduction.
    Amounts are the shortest that do as well.
    """
    base = whole.base
    plain = whole.fit(base)
    if plain.is_settled and plain.parameters == 0.0:
        return [plain]
    size = whole.seen.batch.n_classes * whole.seen.batch.samples.shape[1]
    most = int(np.clip(SCREENED_NUMBERS // size, FEWEST_ROWS, MOST_ROWS))
    keep = _screened(whole, most)
    known = {base: None}  # In the order in which they were found
    for _ in range(ROUNDS):
        search = Search(base, whole.seen.rows(keep))
        _explore(search, depth)
        finalists = _finalists(search)
        known |= {fit.variant: None for fit in finalists}
        ranked = _equals(whole, known)
        if ranked[0].is_sufficient or not finalists[0].is_sufficient:
            break
        for fit in whole.tried(fit.variant for fit in finalists[:4]):
            # Rows that refute variants which fit the others.
            wrong = np.flatnonzero((fit.differs & ~fit.excused) | ~fit.alike)
            keep[wrong[:: max(1, -(-len(wrong) // most))]] = True
    first = whole.tried(_different(ranked, TIDIED))
    tidied = {_tidied(whole, whole.pruned(fit).variant): None for fit in first}
    ranked = _equals(whole, tidied | known)
    return ranked if plain.is_worse_than(ranked[0]) else [plain]


def _screened(whole: Search, most: int) -> NDArray[np.bool_]:
    """Return the rows to search on: of the runs with the most to explain, some of each."""
    fit, batch = whole.fit(whole.base), whole.seen.batch
    counts = np.bincount(batch.of_run, weights=fit.differs, minlength=len(batch.runs))
    chosen = np.isin(batch.of_run, np.argsort(-counts, kind="stable")[:SCREENED_RUNS])
    with np.errstate(all="ignore"):
        ordered = np.sort(scores(fit.variant, batch).joint, axis=1)
        gaps = ordered[:, -1] - ordered[:, -2]
    nearest = np.flatnonzero(chosen & ~fit.differs)
    nearest = nearest[np.argsort(gaps[nearest], kind="stable")][:most]
    keep = np.zeros(len(fit.differs), dtype=bool)
    for rows in (np.flatnonzero(chosen & fit.differs), nearest, np.flatnonzero(chosen)):
        keep[rows[:: max(1, -(-len(rows) // most))]] = True
    return keep


def _equals(whole: Search, options: Iterable[Variant]) -> list[Fit]:
    """Return the variants that do as well as any on all rows, the simplest first."""
    fits = whole.tried(options)
    best = min(fits, key=attrgetter("order"))
    as_good = [fit for fit in fits if not fit.is_worse_than(best)]
    return sorted(as_good, key=lambda fit: fit.rank)


def _tidied(whole: Search, variant: Variant) -> Variant:
    """Return the variant with the shortest amounts that do as well, preferably absolute."""
    variant = _without_excess(whole, _with_usual_rules(whole, variant))
    smoothing = variant.smoothing
    if (
        smoothing
        and smoothing.rule in variants.RELATIVE
        and smoothing != whole.base.smoothing
    ):
        pooled = whole.seen.batch.moments().pooled
        largest = smoothing.rule in ("largest", "class", "floor of largest")
        unit = float(np.median(pooled.max(axis=1) if largest else pooled.mean(axis=1)))
        rule = "floor" if smoothing.rule in variants.FLOORS_OF else "absolute"
        alike = replace(variant, smoothing=Amount(rule, smoothing.amount * unit))
        alike = moves.refined(whole, alike, "smoothing")
        if not whole.fit(alike).is_worse_than(whole.fit(variant)):
            variant = alike
    for knob in AMOUNTS:
        if knob in moved(variant, whole.base) and getattr(variant, knob) is not None:
            variant, _ = simplest(whole, variant, knob)
    return variant


def _without_excess(whole: Search, variant: Variant) -> Variant:
    """Return the variant without an amount so large that nothing else counts, if possible.

    In a normaliser it makes all features alike; as a floor of each feature, all classes.
    """
    rule = variant.smoothing.rule if variant.smoothing else ""
    if rule in moves.OF_NORMALISER:
        form = _UNNORMALISED.get(variant.form, variant.form)
        alike = replace(variant, smoothing=None, form=form)
    elif rule == "floor of feature":
        alike = replace(variant, smoothing=None, pooling="shared variances")
    else:
        return variant
    return variant if whole.fit(alike).is_worse_than(whole.fit(variant)) else alike


def _with_usual_rules(whole: Search, variant: Variant) -> Variant:
    """Return the variant with the simplest prior and divisor that do as well."""
    for knob in ("prior", "divisor"):
        options: list[Variant] = []
        if knob == "divisor" and variant.divisor not in (whole.base.divisor, "n-1"):
            options = [replace(variant, divisor="n-1")]
        elif knob == "prior" and isinstance(variant.prior, tuple):
            options = prior_rules(variant, whole.seen.batch.n_classes)
        best = whole.fit(variant)
        as_good = [v for v in options if not whole.fit(v).is_worse_than(best)]
        variant = min(as_good, key=lambda v: complexity(v, whole.base), default=variant)
    return variant


def _explore(search: Search, depth: int) -> None:
    """Try variants until one leaves nothing to explain, or too many knobs are moved."""
    base, seen = search.base, search.seen
    read = search.tried(suggestions(base, seen))
    if any(fit.is_settled for fit in [search.fit(base), *read]):
        return
    singles = _single_moves(search)
    search.tried(single for _, single in singles)
    _fit_orders(search, [base])
    # With only a few labels, other causes may well give the same: fit them all.
    has_few = seen.labels_only and search.fit(base).errors < FEW_LABELS
    is_settled = _ranked(search)[0].is_settled and not has_few
    if depth < 2 or is_settled or _settles_in_pairs(search, singles):
        return
    _fit_orders(search, [variant for _, variant in _distinct(search, singles)])
    _fit_amounts_alone_first(search)
    for _ in range(depth - 1):
        ranked = _ranked(search)
        if ranked[0].is_settled:
            return
        steps = _further(search, singles)
        starts = _different(ranked, BREADTH)
        starts += [variant for knob, variant in steps if knob in PLAIN]
        # Either hides the other.
        nothing = replace(base, smoothing=None)
        search.tried(with_knob(nothing, k, v) for k, v in steps if k == "floor")
        options: list[Variant] = []
        for start in dict.fromkeys(starts):
            others = moved(start, base)
            options += [with_knob(start, k, v) for k, v in steps if k not in others]
            options += [] if "prior" in others else prior_moves(start, seen)
        search.tried(options)
        _try_amounts_beside(search, _different(ranked, REFINED))
        ranked = _try_ties(search)
        if not ranked[0].is_settled:
            _fit_orders(search, _different(ranked, BREADTH))
            ranked = _ranked(search)
            _fit_amounts(search, [*_hidden(search, ranked), *ranked], REFINED)


def _single_moves(search: Search) -> list[Move]:
    """Return all moves of one knob: amounts are powers of ten, or near the usual one."""
    base, seen = search.base, search.seen
    discrete = moves.discrete_moves(base, seen.batch)
    if not _may_be_of_softmax(search):
        discrete["space"] = [v for v in discrete["space"] if v.space != "softmax"]
    singles = [(knob, option) for knob, options in discrete.items() for option in options]
    rare = variants.RARE_RULES if seen.log_posterior is None else ()
    singles += [
        (knob, variant)
        for knob in AMOUNTS
        for variant in stock_amounts(base, knob, seen.batch)
        if getattr(variant, knob).rule not in rare
    ]
    if seen.log_posterior is not None:
        singles.append(("smoothing", moves.refined(search, base, "smoothing")))
    return singles + [("prior", option) for option in prior_moves(base, seen)]


def _may_be_of_softmax(search: Search) -> bool:
    """Return whether some rows, or far ones by their labels, are equally probable."""
    if search.seen.offered is not None:
        return bool((np.ptp(search.seen.offered.shares, axis=1) < EQUAL).any())
    with np.errstate(all="ignore"):
        top = scores(search.base, search.seen.batch).joint.max(axis=1)
    labels = search.seen.labels[top < FAR]
    return len(labels) > 0 and not labels.any()


def _fit_amounts_alone_first(search: Search) -> None:
    """Fit amounts without another knob moved, then those of the best variants.

    Here floors are tried that are shares of a variance.
    """
    batch, n_wrong = search.seen.batch, search.fit(search.base).errors
    if n_wrong >= FEW_LABELS or not search.seen.labels_only:  # Any few labels fit some
        search.tried(stock_amounts(search.base, "smoothing", batch, variants.FLOORS_OF))
    ranked = _ranked(search)
    _fit_amounts(search, [fit for fit in ranked if len(fit.knobs) == 1], REFINED_ALONE)
    if not _ranked(search)[0].is_settled:
        _fit_amounts(search, ranked, REFINED_FIRST)


def _try_ties(search: Search) -> list[Fit]:
    """Try every rule for equal scores where densities are lost; return all fits ranked."""
    ranked = _different(_ranked(search), BREADTH)
    lost = [variant for variant in ranked if variant.space not in variants.TIED_FIRST]
    search.tried(replace(variant, ties=ties) for variant in lost for ties in TIES)
    return _ranked(search)


def _settles_in_pairs(search: Search, singles: list[Move]) -> bool:
    """Return whether one of the best moves and a second one explain everything.

    Probabilities show two choices at once; that is cheaper than fitting amounts first.
    """
    if search.seen.log_posterior is None:
        return False
    base, steps = search.base, _further(search, singles)
    for start in _different(_ranked(search), PAIRED):
        others = moved(start, base)
        pairs = [with_knob(start, k, v) for k, v in steps if k not in others]
        if others and set(others) <= {*PLAIN}:
            # Alone, each rule took the amount that stands best for the other knob.
            pairs += stock_amounts(start, "smoothing", search.seen.batch)
        if any(fit.is_settled for fit in search.tried(pairs)):
            return True
    # Alone, amounts that hardly differ from nothing may all do slightly better.
    nothing = replace(base, smoothing=None)
    floors = stock_amounts(nothing, "floor", search.seen.batch)
    return any(fit.is_settled for fit in search.tried(floors))


def _try_amounts_beside(search: Search, starts: list[Variant]) -> None:
    """Try amounts together with other knobs, as they may change labels only there.

    Amounts are absolute; with another density, also those added within it are tried.
    """
    for start in starts:
        if "smoothing" not in moved(start, search.base):
            rules = [
                "absolute",
                *(variants.IN_DENSITY if start.form != search.base.form else ()),
            ]
            options = stock_amounts(start, "smoothing", search.seen.batch)
            search.tried(v for v in options if v.smoothing and v.smoothing.rule in rules)


def _further(search: Search, singles: list[Move]) -> list[Move]:
    """Return the moves that are worth combining with others.

    With labels only, these are all amounts that change labels; otherwise the best amount
    of each rule.
    """
    if search.seen.log_posterior is None:
        return _distinct(search, singles)
    best: dict[object, Move] = {}
    for fit in _ranked(search):
        if len(fit.knobs) == 1:
            (knob,) = fit.knobs
            amount = getattr(fit.variant, knob) if knob in AMOUNTS else None
            key = knob, amount.rule if amount else fit.variant
            best.setdefault(key, (knob, fit.variant))
    return list(best.values())


def _distinct(search: Search, steps: list[Move]) -> list[Move]:
    """Return the simplest of the moves with the same answers.

    Moves that change no answer are left out, except usual ones: with another knob they may.
    """

    def answers(variant: Variant) -> object:
        """Return the labels, and the loss as well if more is offered."""
        fit = search.fit(variant)
        labels = fit.labels.tobytes()
        return labels if search.seen.labels_only else (labels, fit.loss)

    best: dict[object, Move] = {}
    for knob, variant in sorted(steps, key=lambda move: complexity(move[1], search.base)):
        labels, is_plain = answers(variant), knob in PLAIN or variant.smoothing is None
        if labels != answers(search.base) or is_plain:
            best.setdefault((knob, labels), (knob, variant))
    return list(best.values())


def _fit_orders(search: Search, options: Iterable[Variant]) -> None:
    fits = search.tried(options)
    search.tried(move for fit in fits for move in moves.order_moves(fit, search.seen))


def _fit_amounts(search: Search, ranked: list[Fit], most: int) -> None:
    """Fit the amounts of the best variants anew, each rule once, under the best prior."""
    base, seen = search.base, search.seen
    rules: set[object] = set()
    for variant, knob in product((fit.variant for fit in ranked), AMOUNTS):
        amount = getattr(variant, knob)
        if amount in (None, getattr(base, knob)) or amount.rule in variants.WHOLE_POWERS:
            continue
        rule = (knob, amount.rule, *(v for v in moved(variant, base) if v != knob))
        if rule in rules:
            continue
        if len(rules) >= most:
            return
        rules.add(rule)
        free = seen.log_posterior is not None and variant.prior == base.prior
        flat = replace(variant, prior="free", prior_order=None) if free else variant
        fitted = with_knob(moves.refined(search, flat, knob), "prior", variant)
        search.tried([fitted, *prior_moves(fitted, seen)])


def _hidden(search: Search, ranked: list[Fit]) -> list[Fit]:
    """Return the best amounts with another plain knob, which may have biased them.

    Those with an order of features are left out: near a floor, many orders fit.
    """
    base = search.base
    steps = {
        "divisor": replace(base, divisor="n-1"),
        "smoothing": replace(base, smoothing=None),
    }
    fitted = [
        v
        for v in _different(ranked)
        if any(k in AMOUNTS for k in moved(v, base)) and v.feature_order is None
    ]
    return [
        search.fit(with_knob(variant, knob, move))
        for variant in fitted[:2]
        for knob, move in steps.items()
        if knob not in moved(variant, base) and knob in moved(move, base)
    ]


def _different(ranked: list[Fit], most: int | None = None) -> list[Variant]:
    """Return the best variant of each set of knobs and rules, at most so many."""
    best: dict[object, Variant] = {}
    for fit in ranked:
        if len(best) == most:
            break
        best.setdefault(fit.rules, fit.variant)
    return list(best.values())


def _ranked(search: Search) -> list[Fit]:
    """Return the plausible fits, the best first."""
    if new := [*islice(search.fits.values(), search.n_ranked, None)]:
        search.n_ranked += len(new)  # Judging them may add some
        known = [fit for fit in new if fit.variant.prior != "free"]
        plausible = [fit for fit in known if _is_plausible(search, fit)]
        search.ranking = sorted([*search.ranking, *plausible], key=attrgetter("order"))
    return search.ranking


def _is_plausible(search: Search, fit: Fit) -> bool:
    """Return whether single precision explains errors rather than merely exceeds them."""
    if fit.variant.dtype != "float32" or search.seen.is_single:
        return True
    double = search.fit(replace(fit.variant, dtype="float64"))
    if fit.n_compared == 0:
        means = search.seen.parameters.get("theta", np.zeros(0))
        is_single = np.array_equal(means, np.float32(means), equal_nan=True)
        return is_single or fit.errors < double.errors
    return fit.error * SINGLE_GAIN < double.error


def _finalists(search: Search) -> list[Fit]:
    """Return the simplest of the variants that do as well as any, and some equal ones."""
    ranked = _ranked(search)
    as_good = [fit for fit in ranked if not fit.is_worse_than(ranked[0])]
    as_good.sort(key=lambda fit: (fit.rank[0], fit.loss))
    # The first of each set of knobs and rules, then some of the rest.
    first = set(_different(as_good))
    rest = [fit for fit in as_good if fit.variant not in first]
    spread = [fit for fit in as_good if fit.variant in first][:FINALISTS]
    spread += [*rest[: FINALISTS // 4], ranked[0]]
    return list({fit.variant: fit for fit in map(search.pruned, spread)}.values())
