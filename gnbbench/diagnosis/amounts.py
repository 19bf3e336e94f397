"""Amounts of smoothing and floors, estimated on a grid of logarithms and refined."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gnbbench.diagnosis.family import FloatArray, TrainedRun
from gnbbench.diagnosis.settings import FLOORS, SMOOTHING_RULES, Amount, Setting

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

Loss = Callable[[Setting], float]


def fitted_amounts(
    start: Setting, knob: str, runs: Sequence[TrainedRun], loss: Loss
) -> list[Setting]:
    """Return `start` under the rules of a knob that do best, their amounts estimated."""
    valleys = sorted(
        (_valley(start, knob, rule, runs, loss) for rule in AMOUNT_RULES[knob]),
        key=lambda valley: valley.loss,
    )
    return [
        _refined(start, knob, valley, loss)
        for valley in valleys[:REFINED]
        if valley.loss < loss(start)
    ]


@dataclass(frozen=True)
class _Valley:
    """Where the loss of a rule is least on the grid: exponents of its amount."""

    loss: float
    rule: str
    low: float
    best: float
    high: float


def _valley(
    start: Setting, knob: str, rule: str, runs: Sequence[TrainedRun], loss: Loss
) -> _Valley:
    grid = _exponents(knob, rule, runs)
    losses = np.array([loss(_with(start, knob, rule, at)) for at in grid])
    ties = np.flatnonzero(losses == losses.min())
    place = int(ties[len(ties) // 2])
    ends = grid[max(place - 1, 0)], grid[min(place + 1, len(grid) - 1)]
    # The loss has one sharp valley, which points of the grid may straddle.
    return _between(start, knob, rule, ends, loss)


def refitted(start: Setting, knob: str, loss: Loss) -> Setting:
    """Return `start` with the amount it has fitted anew, in its neighbourhood."""
    given = start.smoothing if knob == "smoothing" else start.floor
    if given is None or given.amount <= 0.0:
        return start
    exponent = float(np.log10(given.amount))
    ends = exponent - NEIGHBOURHOOD, exponent + NEIGHBOURHOOD
    return _refined(start, knob, _between(start, knob, given.rule, ends, loss), loss)


def _between(
    start: Setting, knob: str, rule: str, ends: tuple[float, float], loss: Loss
) -> _Valley:
    fine = np.linspace(*ends, FINE)
    losses = np.array([loss(_with(start, knob, rule, at)) for at in fine])
    ties = np.flatnonzero(losses == losses.min())
    place = int(ties[len(ties) // 2])
    ends = fine[max(place - 1, 0)], fine[min(place + 1, FINE - 1)]
    return _Valley(float(losses[place]), rule, ends[0], float(fine[place]), ends[1])


def _refined(start: Setting, knob: str, valley: _Valley, loss: Loss) -> Setting:
    """Return the setting with the amount in a valley that does best, tidy if it can be."""

    def at(exponent: float) -> float:
        return loss(_with(start, knob, valley.rule, exponent))

    exponent = _minimised(at, valley.low, valley.high, valley.best)
    rough = _with(start, knob, valley.rule, exponent)
    for digits in (1, 2, 3):
        tidy = _with(start, knob, valley.rule, exponent, digits)
        if loss(tidy) <= loss(rough):
            return tidy
    return rough


def _exponents(knob: str, rule: str, runs: Sequence[TrainedRun]) -> FloatArray:
    if knob == "floor":
        return FLOOR_EXPONENTS
    if rule not in ("absolute", "floor", "zero", "deviation"):
        return RELATIVE_EXPONENTS
    pooled = runs[0].moments("float64", "two-pass").pooled
    largest = max(float(pooled.max()), np.finfo(np.float64).tiny)
    scale = float(np.floor(np.log10(largest)))
    exponents: FloatArray = RELATIVE_EXPONENTS + scale
    return SMALL_EXPONENTS + scale / 2.0 if rule == "deviation" else exponents


def _with(
    setting: Setting, knob: str, rule: str, exponent: float, digits: int = 17
) -> Setting:
    """Return the setting with an amount, rounded to so many digits."""
    amount = Amount(rule, float(f"{10.0**exponent:.{digits - 1}e}"))
    if knob == "smoothing":
        return replace(setting, smoothing=amount)
    return replace(setting, floor=amount, space="log")


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
