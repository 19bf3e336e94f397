"""Moves of knobs: plain ones, orders and priors that answers point at, amounts fitted."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gnbbench.diagnosis.family import FloatArray, IntArray, TrainedRun, scores
from gnbbench.diagnosis.observations import Observation, Pairs
from gnbbench.diagnosis.parameters import prior_rules, prior_variant, slips
from gnbbench.diagnosis.reproduction import Fit, class_offsets
from gnbbench.diagnosis.variants import (
    FLOORS,
    NEGATIVES,
    SMOOTHING_RULES,
    SPACES,
    VARIANCE_FORMULAS,
    Amount,
    Variant,
)

# Relative error of E[x²] - E[x]² below which it cannot be told from rounding.
VISIBLE_CANCELLATION = 1e-12
# Rounds over the classes in which a prior is estimated from labels.
SWEEPS = 4
# A prior below it that labels ask for is no prior but another error in every score.
SMALLEST_PRIOR = 0.01
AMOUNT_RULES: dict[str, tuple[str, ...]] = {
    "smoothing": tuple(SMOOTHING_RULES),
    "floor": tuple(FLOORS),
}
RELATIVE_EXPONENTS = np.arange(-13.0, 2.0)
# What is added to a standard deviation is there to keep it from zero.
SMALL_EXPONENTS: FloatArray = np.arange(-13.0, -1.0)
FLOOR_EXPONENTS = np.array([-300, -200, -100, -50, -30, -20, -15, -12, -10, -8, -6, -4, -2])
GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0
# Halvings of the interval: a decade shrinks to the precision of the distance itself.
STEPS = 40
# Rules whose amount is refined: those that do best on the grid.
REFINED = 2
# Points between two of the grid before an interval is narrowed.
FINE = 21
# Decades by which another knob may have led an amount astray.
NEIGHBOURHOOD = 0.75

Loss = Callable[[Variant], float]


def discrete_moves(
    start: Variant, untouched: Iterable[str], run: TrainedRun
) -> list[Variant]:
    """Return the variants one move away from `start` that take no estimated number."""
    n_features = run.X_test.shape[1]
    neighbours = zip(range(n_features), range(1, n_features), strict=False)
    moves: dict[str, list[Variant]] = {
        "smoothing": [replace(start, smoothing=None)],
        "divisor": [
            replace(start, divisor=divisor) for divisor in ("n-1", "n-1 throughout")
        ],
        "prior": prior_rules(start, run.n_classes),
        "space": [
            replace(start, space=space, floor=None) for space in SPACES if space != "log"
        ],
        "formula": _formulas(start, run),
        "dtype": [replace(start, dtype="float32")],
        "feature order": [
            replace(start, feature_order=order)
            for order in slips(n_features, [*neighbours, (0, n_features - 1)])
        ],
    }
    wanted = list(untouched)
    found = [variant for knob in moves if knob in wanted for variant in moves[knob]]
    return [either for variant in found for either in _with_nan(variant)]


def _with_nan(variant: Variant) -> list[Variant]:
    """Return the variant, and where it may score NaN also with NaN losing."""
    risky = (
        variant.smoothing is None or variant.divisor != "n" or variant.formula != "two-pass"
    )
    return [variant, replace(variant, nan_wins=False)] if risky else [variant]


def _formulas(start: Variant, run: TrainedRun) -> list[Variant]:
    """Return the cancelling formulas, none where they cannot be told apart."""
    moments = run.moments("float64", "two-pass")
    with np.errstate(all="ignore"):
        ratio = np.nanmax(moments.theta**2 / moments.var)
    if not ratio * np.finfo(np.float64).eps > VISIBLE_CANCELLATION:
        return []
    return [
        replace(start, formula=formula, negatives=negatives)
        for formula in VARIANCE_FORMULAS
        if formula != "two-pass"
        for negatives in NEGATIVES
    ]


def order_moves(fit: Fit, untouched: Iterable[str], pairs: Pairs) -> list[Variant]:
    """Return the class orders under which a variant's labels would be those observed."""
    if "class order" not in untouched:
        return []
    variant = replace(fit.variant, label_order=None, column_order=None)
    predicted = np.concatenate([run.labels for run in fit.reproduction.runs])
    label_order = _order(predicted, np.concatenate([seen.labels for _, seen in pairs]))
    posteriors = [seen.posterior for _, seen in pairs]
    columns = [np.nan_to_num(p).argmax(axis=1) for p in posteriors if p is not None]
    column_order = None
    if len(columns) == len(pairs):
        column_order = _order(predicted, np.concatenate(columns))
    options = [
        replace(variant, label_order=label_order, column_order=column_order),
        replace(variant, label_order=label_order),
        replace(variant, column_order=column_order),
    ]
    return [option for option in dict.fromkeys(options) if option != variant]


def _order(predicted: IntArray, observed: IntArray) -> tuple[int, ...] | None:
    """Return the label each class most often gets, None if that is no other order."""
    n_classes = int(max(predicted.max(initial=0), observed.max(initial=0))) + 1
    table = np.zeros((n_classes, n_classes))
    known = observed >= 0
    np.add.at(table, (predicted[known], observed[known]), 1)
    order = table.argmax(axis=1)
    places = np.arange(n_classes)
    if not np.array_equal(np.sort(order), places) or np.array_equal(order, places):
        return None
    return tuple(order.tolist())


def prior_moves(start: Variant, untouched: Iterable[str], pairs: Pairs) -> list[Variant]:
    """Return `start` with the prior that the log-odds observed ask for."""
    if "prior" not in untouched:
        return []
    if any(seen.log_posterior is None for _, seen in pairs):
        with np.errstate(all="ignore"):
            return _voted_prior(start, pairs)
    flat = replace(start, prior="uniform", prior_order=None)
    with np.errstate(all="ignore"):
        logs = [_offsets(scores(flat, run).joint, seen, start) for run, seen in pairs]
        found = prior_variant(start, pairs, logs)
    return [] if found is None else [found]


def _offsets(joint: FloatArray, seen: Observation, variant: Variant) -> FloatArray | None:
    given = seen.log_posterior
    if given is None:
        return None
    if variant.column_order is not None:
        given = given[:, list(variant.column_order)]
    return class_offsets(joint, given)


def _voted_prior(start: Variant, pairs: Pairs) -> list[Variant]:
    """Return `start` with the one prior that gets most labels right, if it can be one."""
    flat = replace(start, prior="uniform", prior_order=None)
    joint = np.concatenate([scores(flat, run).joint for run, _ in pairs])
    labels = np.concatenate([seen.labels for _, seen in pairs])
    if start.label_order is not None:
        labels = np.argsort(start.label_order)[labels]
    offsets = np.zeros(joint.shape[1])
    for _ in range(SWEEPS):
        for code in range(1, len(offsets)):
            others = np.delete(joint + offsets, code, axis=1).max(axis=1)
            offsets[code] = _threshold(others - joint[:, code], labels == code)
    shares = np.exp(offsets - offsets.max())
    shares /= shares.sum()
    if shares.min() < SMALLEST_PRIOR:
        return []
    return [replace(start, prior=tuple(shares.tolist()), prior_order=None)]


def _threshold(needed: FloatArray, wanted: NDArray[np.bool_]) -> float:
    """Return the offset that most often is above what is needed just where it should be."""
    needed = np.nan_to_num(needed, nan=np.inf)
    order = np.argsort(needed)
    needed, wanted = needed[order], wanted[order]
    errors = np.r_[0, np.cumsum(~wanted)] + np.r_[np.cumsum(wanted[::-1])[::-1], 0]
    ends = np.r_[needed[0] - 1.0, needed, needed[-1] + 1.0].clip(-50.0, 50.0)
    middles = (ends[:-1] + ends[1:]) / 2.0
    best = np.flatnonzero(errors == errors.min())
    return float(middles[best[np.argmin(np.abs(middles[best]))]])


def fitted_amounts(start: Variant, knob: str, run: TrainedRun, loss: Loss) -> list[Variant]:
    """Return `start` under the rules of a knob that do best, their amounts estimated."""
    curves = [_AmountCurve(start, knob, rule, loss) for rule in AMOUNT_RULES[knob]]
    minima = [curve.minimum_on(_exponents(knob, curve.rule, run)) for curve in curves]
    ranked = sorted(zip(minima, curves, strict=True), key=lambda pair: pair[0].loss)
    return [
        curve.refined(minimum)
        for minimum, curve in ranked[:REFINED]
        if minimum.loss < loss(start)
    ]


def refitted(start: Variant, knob: str, loss: Loss) -> Variant:
    """Return `start` with the amount it has fitted anew, in its neighbourhood."""
    given = start.smoothing if knob == "smoothing" else start.floor
    if given is None or given.amount <= 0.0:
        return start
    exponent = float(np.log10(given.amount))
    curve = _AmountCurve(start, knob, given.rule, loss)
    return curve.refined(
        curve.minimum_between(exponent - NEIGHBOURHOOD, exponent + NEIGHBOURHOOD)
    )


@dataclass(frozen=True)
class Minimum:
    """Where a loss is least, and the exponents it lies between."""

    loss: float
    low: float
    best: float
    high: float


@dataclass(frozen=True)
class _AmountCurve:
    """The loss of a variant as its amount under one rule of a knob changes."""

    start: Variant
    knob: str
    rule: str
    of: Loss

    def variant(self, exponent: float, digits: int = 17) -> Variant:
        """Return the variant with an amount, rounded to so many digits."""
        amount = Amount(self.rule, float(f"{10.0**exponent:.{digits - 1}e}"))
        if self.knob == "smoothing":
            return replace(self.start, smoothing=amount)
        return replace(self.start, floor=amount, space="log")

    def loss(self, exponent: float) -> float:
        """Return the loss with this amount."""
        return self.of(self.variant(exponent))

    def minimum_on(self, grid: FloatArray) -> Minimum:
        """Return the one sharp minimum, which points of the grid may straddle."""
        around = self._least(grid)
        return self.minimum_between(around.low, around.high)

    def minimum_between(self, low: float, high: float) -> Minimum:
        """Return the minimum on a fine grid between two exponents."""
        return self._least(np.linspace(low, high, FINE))

    def refined(self, minimum: Minimum) -> Variant:
        """Return the variant with the amount that does best, tidy if it can be."""
        exponent = _minimised(self.loss, minimum.low, minimum.high, minimum.best)
        rough = self.variant(exponent)
        for digits in (1, 2, 3):
            tidy = self.variant(exponent, digits)
            if self.of(tidy) <= self.of(rough):
                return tidy
        return rough

    def _least(self, grid: FloatArray) -> Minimum:
        """Return the least loss on a grid, between the points before and after."""
        losses = np.array([self.loss(exponent) for exponent in grid])
        ties = np.flatnonzero(losses == losses.min())
        at = int(ties[len(ties) // 2])
        low, high = grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)]
        return Minimum(float(losses[at]), low, float(grid[at]), high)


def _exponents(knob: str, rule: str, run: TrainedRun) -> FloatArray:
    if knob == "floor":
        return FLOOR_EXPONENTS
    if rule not in ("absolute", "floor", "zero", "deviation"):
        return RELATIVE_EXPONENTS
    pooled = run.moments("float64", "two-pass").pooled
    largest = max(float(pooled.max()), np.finfo(np.float64).tiny)
    scale = float(np.floor(np.log10(largest)))
    exponents: FloatArray = RELATIVE_EXPONENTS + scale
    return SMALL_EXPONENTS + scale / 2.0 if rule == "deviation" else exponents


def _minimised(at: Callable[[float], float], low: float, high: float, best: float) -> float:
    """Return the minimum of a function with one minimum, by golden section."""
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = at(left), at(right)
    lowest, where = min((at(best), best), (at_left, left), (at_right, right))
    for _ in range(STEPS):
        if lowest == 0.0 or at_left == at_right == lowest:
            break
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = at(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = at(right)
        lowest, where = min((lowest, where), (at_left, left), (at_right, right))
    return float(where)
