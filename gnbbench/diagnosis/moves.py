"""Moves of knobs that take no number, and of orders and priors that answers point at."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gnbbench.diagnosis.family import FloatArray, IntArray, TrainedRun, scores
from gnbbench.diagnosis.fits import Fit
from gnbbench.diagnosis.observations import Observation
from gnbbench.diagnosis.parameters import prior_rules, prior_setting
from gnbbench.diagnosis.reproduction import class_offsets
from gnbbench.diagnosis.settings import NEGATIVES, SPACES, VARIANCE_FORMULAS, Setting

# Relative error of E[x²] - E[x]² below which it cannot be told from rounding.
VISIBLE_CANCELLATION = 1e-12
# Rounds over the classes in which a prior is estimated from labels.
SWEEPS = 4
# A prior below it that labels ask for is no prior but another error in every score.
SMALLEST_PRIOR = 0.01


def discrete_moves(
    start: Setting, untouched: Iterable[str], runs: Sequence[TrainedRun]
) -> list[Setting]:
    """Return the settings one move away from `start` that take no estimated number."""
    n_classes, n_features = runs[0].n_classes, runs[0].X_test.shape[1]
    moves: dict[str, list[Setting]] = {
        "smoothing": [replace(start, smoothing=None)],
        "divisor": [
            replace(start, divisor=divisor) for divisor in ("n-1", "n-1 throughout")
        ],
        "prior": prior_rules(start, n_classes),
        "space": [
            replace(start, space=space, floor=None) for space in SPACES if space != "log"
        ],
        "formula": _formulas(start, runs),
        "dtype": [replace(start, dtype="float32")],
        "feature order": [
            replace(start, feature_order=order) for order in _feature_orders(n_features)
        ],
    }
    wanted = list(untouched)
    found = [one for knob in moves if knob in wanted for one in moves[knob]]
    return [setting for one in found for setting in _with_nan(one)]


def _with_nan(setting: Setting) -> list[Setting]:
    """Return the setting, and where it may score NaN also with NaN losing."""
    risky = (
        setting.smoothing is None or setting.divisor != "n" or setting.formula != "two-pass"
    )
    return [setting, replace(setting, nan_wins=False)] if risky else [setting]


def _formulas(start: Setting, runs: Sequence[TrainedRun]) -> list[Setting]:
    """Return the cancelling formulas, none where they cannot be told apart."""
    moments = runs[0].moments("float64", "two-pass")
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


def _feature_orders(n_features: int) -> list[tuple[int, ...]]:
    """Return the orders that slips make: reversed, shifted, two exchanged."""
    given = tuple(range(n_features))
    orders = {given[::-1], (*given[1:], 0), (n_features - 1, *given[:-1])}
    orders |= {_exchanged(given, at, at + 1) for at in range(n_features - 1)}
    orders.add(_exchanged(given, 0, n_features - 1))
    orders.discard(given)
    return sorted(orders)


def _exchanged(order: tuple[int, ...], first: int, second: int) -> tuple[int, ...]:
    changed = list(order)
    changed[first], changed[second] = changed[second], changed[first]
    return tuple(changed)


def order_moves(
    fit: Fit, untouched: Iterable[str], observed: Sequence[Observation]
) -> list[Setting]:
    """Return the class orders under which a setting's labels would be those observed."""
    if "class order" not in untouched:
        return []
    setting = replace(fit.setting, label_order=None, column_order=None)
    mine = np.concatenate([run.labels for run in fit.reproduction.runs])
    n_classes = max(len(np.unique(mine)), int(mine.max(initial=0)) + 1)
    label_order = _order(mine, np.concatenate([seen.labels for seen in observed]))
    posteriors = [seen.posterior for seen in observed]
    column_order = None
    if all(posterior is not None for posterior in posteriors):
        columns = [np.nan_to_num(p).argmax(axis=1) for p in posteriors if p is not None]
        n_classes = max(n_classes, *(p.shape[1] for p in posteriors if p is not None))
        column_order = _order(mine, np.concatenate(columns))
    options = [
        replace(setting, label_order=label_order, column_order=column_order),
        replace(setting, label_order=label_order),
        replace(setting, column_order=column_order),
    ]
    return [option for option in dict.fromkeys(options) if option != setting]


def _order(mine: IntArray, observed: IntArray) -> tuple[int, ...] | None:
    """Return the label each class most often gets, None if that is no other order."""
    n_classes = int(max(mine.max(initial=0), observed.max(initial=0))) + 1
    table = np.zeros((n_classes, n_classes))
    known = observed >= 0
    np.add.at(table, (mine[known], observed[known]), 1)
    order = table.argmax(axis=1)
    own = np.arange(n_classes)
    if not np.array_equal(np.sort(order), own) or np.array_equal(order, own):
        return None
    return tuple(order.tolist())


def prior_moves(
    start: Setting,
    untouched: Iterable[str],
    runs: Sequence[TrainedRun],
    observed: Sequence[Observation],
) -> list[Setting]:
    """Return `start` with the prior that the log-odds observed ask for."""
    if "prior" not in untouched:
        return []
    if any(seen.log_posterior is None for seen in observed):
        with np.errstate(all="ignore"):
            return _voted_prior(start, runs, observed)
    flat = replace(start, prior="uniform", prior_order=None)
    with np.errstate(all="ignore"):
        logs = [
            _offsets(scores(flat, run).joint, seen, start)
            for run, seen in zip(runs, observed, strict=True)
        ]
        found = prior_setting(start, runs, logs)
    return [] if found is None else [found]


def _offsets(joint: FloatArray, seen: Observation, setting: Setting) -> FloatArray | None:
    given = seen.log_posterior
    if given is None:
        return None
    if setting.column_order is not None:
        given = given[:, list(setting.column_order)]
    return class_offsets(joint, given)


def _voted_prior(
    start: Setting, runs: Sequence[TrainedRun], observed: Sequence[Observation]
) -> list[Setting]:
    """Return `start` with the one prior that gets most labels right, if it can be one."""
    flat = replace(start, prior="uniform", prior_order=None)
    joint = np.concatenate([scores(flat, run).joint for run in runs])
    labels = np.concatenate([seen.labels for seen in observed])
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
