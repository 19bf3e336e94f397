"""What an implementation does, and whether its answers support that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, product
from typing import Literal

import numpy as np

from gnbbench.arrays import CodeArray, FloatArray
from gnbbench.diagnosis import variants
from gnbbench.diagnosis.identification import DEPTH, SINGLE_GAIN, identify
from gnbbench.diagnosis.moments import labels_of_runs
from gnbbench.diagnosis.moves import discrete_moves, simplest, stock_amounts, with_knob
from gnbbench.diagnosis.observations import UNSEEN, Compared, Cut, foreign
from gnbbench.diagnosis.parameters import prior_rules
from gnbbench.diagnosis.reproduction import Fit, Search, labels_under, scores
from gnbbench.diagnosis.tables import softmax
from gnbbench.diagnosis.variants import Variant, cause_of, is_noisy, moved, numbers_fitted

# Share of predictions to reproduce before any cause is named; the rest are samples on the
# boundary that an estimated amount puts on the other side.
REPRODUCED_SHARE = 0.999
# Share of the disagreements to reproduce as well: where labels rarely differ, reproducing
# the others proves nothing.
EXPLAINED_SHARE = 0.98
# Supported knobs are named without the others if they explain this share.
PROVEN_SHARE = 0.9
# In single precision and under cancellation rounding decides some samples, and another
# order of summation rounds differently; most samples must be right even so.
NOISY_SHARE = 0.9
# With labels only, this many must go wrong when a knob alone is switched back, for each
# fitted number: fewer could match by chance. A plain choice needs fewer, but more if
# another cause would do too, or if so many knobs are moved that some set fits anything.
MANY_KNOBS = 3
LABELS_PER_NUMBER, LABELS_PER_CHOICE, LABELS_AMONG_SEVERAL = 6, 3, 12
# If more of the rows without a label have lost all scores, that may be the reason.
LOST_SHARE = 0.9
# Share of labels that may be wrong where they seem to be off by one.
SHIFTED_WRONG = 0.2
# Smaller differences in probability do not matter to any reader.
NEGLIGIBLE = 1e-9
# Mean excess of log-odds over their rounding, as a logarithm, that sums may leave.
LITTLE = 0.25
# Log-odds beyond the first number have the same factor up to the second.
LEAST_ODDS, SAME_FACTOR = 1e-3, 1e-6
# Correlation of ranks above which log-odds are in the same order.
ALIKE_ORDER = 0.99999
# This many labels that nothing reproduces are evidence against the family.
LABELS_AGAINST = 3
# Rows that must have the smallest probability to be looked at first, and what it may be.
MANY_CUT, LARGEST_BOUND = 5, 0.05
# Decimals to which probabilities may be rounded, and fewest different ones that tell.
DECIMALS, FEWEST_BETWEEN = range(1, 11), 5

Outcome = Literal["reproduced", "undecided", "stranger"]


@dataclass(frozen=True, eq=False)
class Identified:
    """The best variant found, and whether it reproduces the answers."""

    variant: Variant
    outcome: Outcome
    fit: Fit | None = None  # None if there was nothing to reproduce
    plain: Fit | None = None  # The fit of the variant that the search started from
    # Knob moved -> the fit with it alone switched back
    without: Mapping[str, Fit] = field(default_factory=dict)
    unproven: tuple[str, ...] = ()  # Moved knobs that too few labels support
    # Knob -> smallest and largest amount that do as well; 0 means none at all
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)
    equals: tuple[Variant, ...] = ()  # Others that reproduce the answers as well
    n_undefined: int = 0  # Rows whose NaN no variant reproduces; they were left out
    # By how much the probabilities differ where the labels alone are reproduced
    probabilities_left: float = 0.0
    factor: float = 1.0  # Of its log-odds to those of the variant, where that is all
    is_doubted: bool = False  # Whether other data contradict it
    is_constant: bool = False  # Whether all rows get one label, without underflow
    # A cause beside the knobs that changed or made samples prove, and its words
    instead: tuple[str, str] = ("", "")
    of_model: CodeArray | None = None  # Labels of that cause's model here, if it has one
    kept_right: str = ""  # Where it keeps right means and variances, a sentence
    is_shown: bool = False  # Whether changed samples show it, not each label
    explains_unseen: bool = False  # Whether unseen labels come from lost scores
    # Knob moved -> on which data it is moved, and on which not, a clause each
    limits: dict[str, str] = field(default_factory=dict)

    @property
    def withdrawn(self) -> "Identified":
        """The same answers, which no variant explains."""
        return Identified(variants.DEFAULT, "stranger", self.plain, self.plain)

    @property
    def is_reproduced(self) -> bool:
        """Whether there were answers, and a variant gives them."""
        return self.outcome == "reproduced" and self.fit is not None

    def is_of_model(self, expected: CodeArray, labels: CodeArray) -> bool:
        """Whether most labels that differ are those of another model, if it gives any."""
        if self.of_model is None:
            return True
        is_alike = (self.of_model == labels)[labels != expected]
        return bool(is_alike.sum() >= PROVEN_SHARE * len(is_alike))

    @property
    def with_least_added(self) -> list[Variant]:
        """The variant, also with the least amount in its variances that does as well."""
        added, (least, _) = self.variant.smoothing, self.intervals.get("smoothing", (0, 0))
        added = replace(added, amount=least) if added and least else added
        return [self.variant, replace(self.variant, smoothing=added)]

    @property
    def is_proved(self) -> bool:
        """Whether other data may be expected to show the same."""
        return self.is_reproduced and not self.unproven and self.variant.is_general

    @property
    def rivals(self) -> tuple[str, ...]:
        """Other causes that would give the same labels with as few knobs moved."""
        base = self.plain.variant if self.plain else self.variant
        own = {cause_of(knob, self.variant) for knob in moved(self.variant, base)}
        causes = (
            cause for variant in _as_short(self, base) for cause in _causes(variant, base)
        )
        return tuple(dict.fromkeys(cause for cause in causes if cause not in own))


def _as_short(result: Identified, base: Variant) -> list[Variant]:
    """Return the equivalent variants that move no more knobs."""
    most = len(moved(result.variant, base))
    return [equal for equal in result.equals if len(moved(equal, base)) <= most]


def _causes(variant: Variant, base: Variant) -> list[str]:
    return [cause_of(knob, variant) for knob in moved(variant, base)]


def identified(
    base: Variant,
    seen: Compared,
    proved: Sequence[Variant] = (),
    depths: tuple[int, int] = (DEPTH, DEPTH),
) -> Identified:
    """Identify the variant that an implementation follows.

    A variant proved on other data is taken if it leaves nothing to explain. Otherwise at
    most `depths` knobs are moved: for everything offered, and for labels only.

    Rows with an unseen label are left out. If nothing reproduces the rest, rows without
    probabilities are left out too, then all probabilities.
    """
    if seen.cut is not None and seen.cut.rows.all():
        seen = seen.by_labels()
    lost = _of_lost_labels(base, seen) or _of_shifted_labels(base, seen, proved, depths)
    if lost is not None:
        return lost
    seen = seen.rows(seen.labels != UNSEEN)
    whole = Search(base, seen)
    settled = settled_by(proved, whole) or _known_but_for_rounding(proved, whole)
    factor = 1.0 if whole.fit(base).errors else _compared_odds(base, seen)[0]
    if settled is not None or factor != 1.0:
        left = 0.0 if settled else whole.fit(base).largest_difference
        whole = whole if settled else Search(base, seen.by_labels())
        result = reproduced(whole, settled or whole.fit(base))
        return replace(result, probabilities_left=left, factor=factor)
    depth, by_labels = depths
    result = _attempt(base, seen, by_labels if seen.log_posterior is None else depth)
    if result.outcome != "reproduced" and seen.undefined.any():
        n_undefined = int(seen.undefined.sum())
        # Where every row has a NaN its labels can still be looked at.
        is_any = n_undefined < len(seen.undefined)
        defined = seen.rows(~seen.undefined) if is_any else seen.by_labels()
        again = _attempt(base, defined, depth)
        if again.outcome == "reproduced" or again.fit is None:
            result = replace(again, n_undefined=n_undefined)
    if result.outcome != "reproduced" and seen.log_posterior is not None:
        return _by_labels(whole, by_labels, proved) or result
    return result


def _by_labels(whole: Search, depth: int, proved: Sequence[Variant]) -> Identified | None:
    """Return the variant that gives all labels, whatever the probabilities; None if none.

    An amount that fits labels alone, and whatever fits few, is doubted if it orders
    probabilities otherwise, unless other data prove it.
    """
    search = Search(whole.base, whole.seen.by_labels())
    known = settled_by(proved, search)
    result = (
        reproduced(search, known) if known else _attempt(whole.base, search.seen, depth)
    )
    if not result.is_reproduced or result.unproven:
        return None
    factor, order = _compared_odds(result.variant, whole.seen)
    knobs = moved(result.variant, whole.base)
    is_few = whole.fit(whole.base).errors < LABELS_AMONG_SEVERAL
    is_weak = is_few or any(numbers_fitted(result.variant, knob) for knob in knobs)
    if knobs and is_weak and not known and order < ALIKE_ORDER:
        return None
    left = whole.fit(result.variant).largest_difference
    return replace(result, probabilities_left=left, factor=factor)


def _compared_odds(variant: Variant, seen: Compared) -> tuple[float, float]:
    """Return the factor of the log-odds offered to a variant's; 1 if no single one fits.

    The second number is the correlation of their ranks.
    """
    if seen.offered is None:
        return 1.0, 1.0
    with np.errstate(all="ignore"):
        joint = scores(variant, seen.batch).joint
    offered, places = seen.offered, seen.offered.places
    expected = joint.take(places) - joint.take(offered.best[offered.rows])
    used = np.isfinite(expected) & (expected < -LEAST_ODDS)
    odds, expected = offered.odds.take(places[used]), expected[used]
    if len(odds) < LABELS_AMONG_SEVERAL:
        return 1.0, 1.0
    ratios = odds / expected
    factor = float(np.median(ratios))
    is_factor = 0.0 < np.abs(ratios - factor).max() < SAME_FACTOR * factor < np.inf
    ranks = [np.argsort(np.argsort(numbers)) for numbers in (odds, expected)]
    order = float(np.asarray(np.corrcoef(ranks))[0, 1])
    return factor if is_factor and abs(factor - 1.0) > SAME_FACTOR else 1.0, order


def cut_of(log_posterior: FloatArray | None) -> Cut | None:
    """Return how a table of probabilities may have been cut; None if it was not."""
    if log_posterior is None or np.isnan(log_posterior).any():
        return None
    shares = np.exp(log_posterior)
    n_classes, least = shares.shape[1], shares.min(axis=1)
    if np.abs(shares.sum(axis=1) - 1.0).max() > LARGEST_BOUND * n_classes:
        return None
    between = shares[(shares > 0.0) & (shares < 1.0)]
    for n in DECIMALS if len(between) else ():
        rounded = between.round(n)
        n_between = len(np.unique(rounded[(rounded > 0.0) & (rounded < 1.0)]))
        is_near = np.abs(between - rounded).max() < 1e-4 * 10.0**-n
        if is_near and n_between >= FEWEST_BETWEEN:
            return Cut(np.ones_like(least, dtype=bool), n_classes * 10.0**-n, decimals=n)
    found = []
    for of_largest, low in enumerate((least, least / shares.max(axis=1))):
        bound, slack = float(low.min()), 4.0 * n_classes
        rows = low <= bound * (1.0 + (not of_largest) * slack * bound + 1e-9)
        found.append(Cut(rows, slack * bound, bound, bool(of_largest)))
    best = max(found, key=lambda cut: int(cut.rows.sum()))
    return best if 0.0 < best.least < min(LARGEST_BOUND, 0.125 / n_classes) else None


def identified_cut(
    base: Variant, seen: Compared, likely: Sequence[Variant], depths: tuple[int, int]
) -> tuple[Compared, Identified]:
    """Return the answers and what gives them, whether or not probabilities were cut.

    Where many seem to have been that is looked at first, and where few were only if
    nothing else explains them; one knob at most is moved beside.
    """
    # Where all rows have one label they may be as small in all.
    cut, rounded = None if seen.is_one_label else cut_of(seen.log_posterior), None
    is_likely = cut is not None and cut.rows.sum() >= MANY_CUT
    for of_cut in (True, False) if is_likely else (False, True):
        answers = replace(seen, cut=cut if of_cut else None)
        result = identified(base, answers, likely, (1, 1) if of_cut else depths)
        is_rounded = bool(of_cut and cut and cut.decimals)
        rounded = (answers, result) if is_rounded else rounded
        if of_cut and cut:
            left = Search(base, seen).fit(result.variant).largest_difference
            if _was_cut(seen, result, cut, left):
                return replace(seen, cut=replace(cut, left=left)), result
        if not of_cut:
            left = result.fit.largest_difference if result.fit else 0.0
            plain = seen, result
            if result.outcome == "reproduced" and left <= NEGLIGIBLE:
                break
            if cut is None or result.probabilities_left > LARGEST_BOUND:
                break
    # That numbers are rounded can be seen, whatever they are.
    return rounded if rounded and plain[1].outcome == "stranger" else plain


def _was_cut(seen: Compared, result: Identified, cut: Cut, left: float) -> bool:
    """Return whether probabilities equal a variant's, except clipped ones."""
    if result.outcome != "reproduced":
        return False
    with np.errstate(all="ignore"):
        shares = softmax(scores(result.variant, seen.batch).joint)
        low = shares.min(axis=1) / (shares.max(axis=1) if cut.of_largest else 1.0)
    is_below = bool(cut.decimals or (low[cut.rows] < cut.least / 2.0).any())
    return is_below and 0.0 < left <= cut.off_by + NEGLIGIBLE


def settled_by(
    proved: Sequence[Variant], whole: Search, *, is_known: bool = True
) -> Fit | None:
    """Return the first variant that explains all differences; None if there are none.

    Another order of sums may leave a little. Amounts that are known from other data need
    not show in these.
    """
    fits = [whole.fit(variant) for variant in proved]
    exact = (fit for fit in fits if fit.is_settled)
    near = (fit for fit in fits if fit.is_sufficient and fit.distance < LITTLE)
    near = (fit for fit in near if fit.n_compared and fit.largest_difference < NEGLIGIBLE)
    settled = next(chain(exact, near), None)
    if settled is None or whole.fit(whole.base).is_settled:
        return None
    return whole.pruned(settled, is_known=is_known)


def _known_but_for_rounding(proved: Sequence[Variant], whole: Search) -> Fit | None:
    """Return the last proved noisy variant that brings the numbers closer, if any."""
    plain = whole.fit(whole.base)
    for fit in map(whole.fit, reversed(proved)):
        is_nearer = fit.n_compared > 0 and fit.error * SINGLE_GAIN < plain.error
        is_noise = is_noisy(fit.variant) and is_nearer
        if is_noise and _outcome(fit, plain, whole.seen) == "reproduced":
            return fit
    return None


def shown_otherwise(variant: Variant, base: Variant, seen: Compared) -> Identified:
    """Take this variant as the result, whatever labels its rounding decides."""
    whole = Search(base, seen.rows(seen.labels != UNSEEN))
    return replace(reproduced(whole, whole.fit(variant)), is_shown=True)


def _of_lost_labels(base: Variant, seen: Compared) -> Identified | None:
    """Return a variant that loses all scores on the rows without a label, if any."""
    unseen = seen.labels == UNSEEN
    if len(foreign(seen.labels, seen.raw_labels)) != 1:
        return None
    for space, smoothing in product(("product", "log of density"), (base.smoothing, None)):
        variant = replace(base, space=space, ties="none", smoothing=smoothing)
        labels = labels_under(variant, seen.batch)
        if (labels[unseen] == UNSEEN).mean() > LOST_SHARE:
            result = _attempt(base, seen)
            is_that = result.outcome == "reproduced" and result.variant.ties == "none"
            return replace(result, explains_unseen=True) if is_that else None
    return None


def _of_shifted_labels(
    base: Variant, seen: Compared, proved: Sequence[Variant], depths: tuple[int, int]
) -> Identified | None:
    """Return the variant with labels off by one, where that makes most of them right."""
    for order in variants.SHIFTS if (seen.labels == UNSEEN).any() else ():
        shifted = replace(base, label_order=order)
        whole = Search(base, seen)
        if whole.fit(shifted).errors > SHIFTED_WRONG * len(seen.labels):
            continue
        classes = np.argsort(labels_of_runs(order, seen.batch.moments()), axis=1)[0]
        labels = np.where(
            seen.labels == UNSEEN,
            0 if variants.SHIFTS[order] < 0 else seen.batch.n_classes - 1,
            classes[seen.labels],
        )
        plain = [replace(variant, label_order=None) for variant in proved]
        result = identified(base, replace(seen, labels=labels), plain, depths)
        if result.outcome == "reproduced":
            found = whole.fit(replace(result.variant, label_order=order))
            return replace(reproduced(whole, found), explains_unseen=True)
    return None


def _attempt(base: Variant, seen: Compared, depth: int = DEPTH) -> Identified:
    """Return the best variant, and how far the labels prove it."""
    if not len(seen.labels):
        return Identified(base, "reproduced")
    whole = Search(base, seen)
    plain = whole.fit(base)
    table = seen.log_posterior
    firsts = np.searchsorted(seen.batch.of_run, seen.batch.of_run)
    varies = table is not None and not np.allclose(table[firsts], table, equal_nan=True)
    is_constant = plain.errors > 0 and seen.is_one_label
    of_one_label = Identified(base, "stranger", plain, plain, is_constant=True)
    if is_constant:
        lost = _of_lost_scores(whole)
        if lost or not (varies or seen.parameters):
            return lost or of_one_label
    best, *others = identify(whole, depth)
    if seen.log_posterior is None:
        best = _plainer(whole, best)
    outcome = _outcome(best, plain, seen)
    by_labels = seen.log_posterior is None and not best.parameters < plain.parameters
    is_chance = outcome == "reproduced" and by_labels and _is_nearly_one_label(best, whole)
    outcome = "stranger" if is_chance or _is_refuted(best, seen) else outcome
    # One label for the same reason throughout: it speaks for one knob at most.
    n_moved = len(moved(best.variant, base))
    if is_constant and (outcome != "reproduced" or (n_moved > 1 and not varies)):
        return of_one_label
    result = replace(
        reproduced(whole, best, with_intervals=outcome == "reproduced"),
        outcome=outcome,
        equals=tuple(fit.variant for fit in others),
        is_doubted=is_chance,
    )
    if outcome != "reproduced" or not by_labels:
        return result
    # Knobs that undo each other's errors are worth no more than all labels that differ.
    worth = {
        knob: min(fit.errors, plain.errors) - best.errors
        for knob, fit in result.without.items()
    }
    unproven = tuple(k for k, n in worth.items() if n < _labels_needed(result, k, base))
    proven = whole.without(best.variant, *unproven)
    if proven.errors > max(LABELS_AGAINST - 1, (1.0 - PROVEN_SHARE) * plain.errors):
        unproven = moved(best.variant, base)
    return replace(result, unproven=unproven)


def _is_nearly_one_label(fit: Fit, whole: Search) -> bool:
    """Return whether runs get hardly more than one label each, which many settings give.

    Not so where rows get none, where the usual formulas give nearly one as well, or where
    one knob without a number does.
    """
    of_run, seen = whole.seen.batch.of_run, whole.seen.labels
    is_rich = len(fit.knobs) > 1 or variants.is_fitted(fit.variant)
    if not is_rich or (seen == UNSEEN).any():
        return False

    def n_others(labels: CodeArray) -> int:
        tables = (np.bincount(labels[of_run == run]) for run in np.unique(of_run))
        return sum(int(counts.sum() - counts.max()) for counts in tables)

    n_usual = n_others(whole.fit(whole.base).labels)
    return n_others(seen) < LABELS_AMONG_SEVERAL <= n_usual / 2


def reproduced(whole: Search, fit: Fit, *, with_intervals: bool = True) -> Identified:
    """Return a variant with the effect of switching back or changing its knobs.

    The interval of an amount has the others that do as well; without an amount, those too
    small to show.
    """
    variant, plain = fit.variant, whole.fit(whole.base)
    knobs = moved(variant, whole.base)
    without = {knob: whole.without(variant, knob) for knob in knobs}
    spans = {}
    for knob in knobs if with_intervals else ():
        if knob in variants.AMOUNTS and getattr(variant, knob) is not None:
            _, spans[knob] = simplest(whole, variant, knob)
        elif knob == "smoothing":
            spans[knob] = (0.0, _least_shown(whole, fit))
    return Identified(variant, "reproduced", fit, plain, without, intervals=spans)


def _least_shown(whole: Search, fit: Fit) -> float:
    """Return the smallest amount that shows, in the variances or both denominators."""

    def shows(amount: float, rule: str) -> bool:
        added = replace(fit.variant, smoothing=variants.Amount(rule, amount))
        return whole.fit(added).is_worse_than(fit)

    least = 0.0
    for rule in ("absolute", "denominators"):
        powers = range(-20, 3)
        first = next((n for n in powers if shows(float(f"1e{n}"), rule)), powers.stop)
        if first == powers.start:
            continue
        finer = (float(f"{digit}e{first - 1}") for digit in (2, 5))
        least = max(least, next((a for a in finer if shows(a, rule)), float(f"1e{first}")))
    return least


def _plainer(whole: Search, best: Fit) -> Fit:
    """Replace fitted numbers that few labels support by plain choices.

    Another plain step may explain the labels that a number explained.
    """
    variant, base = best.variant, whole.base
    rules = prior_rules(base, whole.seen.batch.n_classes)
    priors = [base, *(option for option in rules if option.prior in ("uniform", "add-one"))]
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
    added = [v for v in amounts if v.smoothing and v.smoothing.rule == "absolute"]
    options = (
        replace(with_knob(option, "prior", prior), divisor=divisor)
        for option in (variant, replace(variant, smoothing=None), *added)
        for prior in (variant, *priors)
        for divisor in dict.fromkeys((variant.divisor, base.divisor, "n-1"))
    )

    def cost(fit: Fit) -> tuple[int, float]:
        """Return the numbers that were fitted, and the knobs moved."""
        knobs = moved(fit.variant, base)
        numbers = sum(numbers_fitted(fit.variant, knob) for knob in knobs)
        return numbers, variants.complexity(fit.variant, base)

    as_good = [fit for fit in whole.tried(options) if fit.errors <= best.errors]
    return min([best, *as_good], key=cost)


def _outcome(best: Fit, plain: Fit, seen: Compared) -> Outcome:
    """Return whether a variant reproduces the answers well enough to name its knobs."""
    reproduced = best.errors <= (1.0 - EXPLAINED_SHARE) * plain.errors
    by_labels = seen.log_posterior is None
    if is_noisy(best.variant):
        allowed = (1.0 - NOISY_SHARE) * len(best.labels)
        few = min(allowed, 0.5 * plain.n_differing + allowed / 10)
        reproduced = reproduced and best.n_differing <= few
    else:
        is_near = by_labels and best.errors < LABELS_AGAINST
        reproduced = reproduced and (best.share >= REPRODUCED_SHARE or is_near)
    if reproduced:
        return "reproduced"
    return "undecided" if by_labels and best.errors < LABELS_AGAINST else "stranger"


def _is_refuted(fit: Fit, seen: Compared) -> bool:
    """Return whether a fitted amount orders log-odds otherwise, and not all rows agree.

    Where nearly all probabilities are 0 or 1, many amounts give nearly all of them.
    """
    is_fitted = any(numbers_fitted(fit.variant, knob) for knob in fit.knobs)
    if not is_fitted or fit.share == 1.0 or is_noisy(fit.variant) or seen.cut:
        return False
    return _compared_odds(fit.variant, seen)[1] < ALIKE_ORDER


def _labels_needed(result: Identified, knob: str, base: Variant) -> int:
    """Return how many labels must support a knob; more if another would do as well."""
    cause = cause_of(knob, result.variant)
    is_alone = len(moved(result.variant, base)) < MANY_KNOBS and all(
        cause in _causes(variant, base) for variant in _as_short(result, base)
    )
    needed = LABELS_PER_NUMBER * numbers_fitted(result.variant, knob)
    return max(needed, LABELS_PER_CHOICE if is_alone else LABELS_AMONG_SEVERAL)


def _of_lost_scores(whole: Search) -> Identified | None:
    """Return the simplest variant that loses all scores and gives these labels, if any."""
    base = whole.base
    moves = discrete_moves(base, whole.seen.batch)
    options = [base, *moves["formula"], *moves["smoothing"], *moves["divisor"]]
    options += [with_knob(v, "space", lost) for v in options for lost in moves["space"]]
    options += [replace(option, nan_wins=False) for option in options]
    fits = []
    for variant in options:
        with np.errstate(all="ignore"):
            best = scores(variant, whole.seen.batch).joint.max(axis=1)
        if not np.isfinite(best).any() and whole.fit(variant).errors == 0:
            fits.append(whole.fit(variant))
    if not fits:
        return None
    fit = min(fits, key=lambda f: (f.parameters, variants.complexity(f.variant, base)))
    return reproduced(whole, fit, with_intervals=False)
