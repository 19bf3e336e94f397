"""Tables of probabilities, and of their logarithms, that a model gives."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import CodeArray, FloatArray
from gnbbench.diagnosis.variants import WORDS
from gnbbench.tracebacks import described
from gnbbench.words import counted, sums_of, two_digits

# Below it a double is subnormal: its logarithm has lost digits.
SMALLEST_LOG = -700.0
# Probabilities and joint log-likelihoods that differ by more contradict each other.
CONSISTENT = 1e-6
PROBABILITIES = "predict_proba"
# Methods that give tables, the most exact first -> their value for an absent class.
TABLES = {
    "predict_joint_log_proba": -np.inf,
    "predict_log_proba": -np.inf,
    "predict_proba": 0.0,
}
# Row sums of probabilities that differ from 1 by more, in more than this share of the rows,
# are not due to rounding; in single precision they may differ by the second number.
UNNORMALISED, SINGLE_UNNORMALISED, UNNORMALISED_SHARE = 1e-6, 1e-2, 0.1
# Tables whose rows must sum to 1.
NORMALISED = ("predict_log_proba", PROBABILITIES)
# What a table may hold in place of probabilities or their natural logarithms: its method,
# how they follow from it, and the key of how it is told.
IN_PLACE: tuple[tuple[str, Callable[[FloatArray], FloatArray], str], ...] = (
    (PROBABILITIES, lambda table: 1.0 - table, "complement"),
    ("predict_log_proba", lambda table: -table, "minus"),
    ("predict_log_proba", lambda table: table * np.log(10.0), "base"),
    ("predict_log_proba", lambda table: table * np.log(2.0), "base"),
    ("predict_log_proba", np.log, "plain"),
)


def softmax(scores: FloatArray) -> FloatArray:
    """Return probabilities whose logarithms differ as scores do; NaN if undefined."""
    return np.ascontiguousarray(shares_by_class(scores).T)


def shares_by_class(scores: FloatArray) -> FloatArray:
    """Return the same with a row for each class: long rows, which NumPy reduces sooner."""
    with np.errstate(all="ignore"):
        rows = np.ascontiguousarray(scores.T)
        shares = np.exp(rows - rows.max(axis=0))
        return np.asarray(shares / shares.sum(axis=0))


def tables_of(
    model: Any, X_test: FloatArray, columns: CodeArray, n_classes: int
) -> tuple[dict[str, FloatArray], str]:
    """Return the tables that the model offers, and the failure of one of them."""
    tables, failure = {}, ""
    for method in filter(partial(hasattr, model), TABLES):
        try:
            table = np.asarray(getattr(model, method)(X_test.copy()), dtype=np.float64)
        except NotImplementedError:
            continue
        except Exception as error:  # noqa: BLE001  third-party code may raise anything
            failure = f"{method}: {described(error)}"
            continue
        if table.shape != (len(X_test), len(columns)) or (columns < 0).any():
            failure = f"{method} gave shape {table.shape} for {len(columns)} classes"
            continue
        tables[method] = np.full((len(X_test), n_classes), TABLES[method])
        tables[method][:, columns] = table
    return tables, failure


def log_posterior(
    tables: Mapping[str, FloatArray], n_test: int
) -> tuple[FloatArray | None, NDArray[np.bool_]]:
    """Return the most exact table that agrees with the probabilities, and its NaN rows."""
    if not tables:
        return None, np.zeros(n_test, dtype=bool)
    probabilities = tables.get("predict_proba")
    if probabilities is not None and (probabilities < -UNNORMALISED).any():
        others = {name: tables[name] for name in tables if name != "predict_proba"}
        return log_posterior(others, n_test)
    if probabilities is None:
        table = next(iter(tables.values()))
        return table, _has_nan(softmax(table))
    logs, undefined = np.log(probabilities), _has_nan(probabilities)
    logs = np.where(logs < SMALLEST_LOG, -np.inf, logs)
    for method, table in tables.items():
        shares = softmax(table)
        if method != "predict_proba" and (
            np.nanmax(np.abs(shares - probabilities), initial=0.0) <= CONSISTENT
        ):
            return np.where(_has_nan(shares)[:, np.newaxis], logs, table), undefined
    return logs, undefined


def unnormalised(
    tables: dict[str, FloatArray], *, is_single: bool
) -> tuple[str, str, str] | None:
    """Return that a table's rows should sum to 1 but do not, the remedy and the table.

    A joint log-likelihood need not; nor can rows that are NaN or that underflowed to 0.
    What a table holds in place of probabilities is replaced by them.
    """
    tolerance = SINGLE_UNNORMALISED if is_single else UNNORMALISED
    for method in NORMALISED:
        table = tables.get(method, np.zeros((0, 1)))
        if method == PROBABILITIES and (table < -UNNORMALISED).any():
            what = f"`{method}` gives numbers down to {two_digits(float(np.nanmin(table)))}"
            return f"{what}, which are not probabilities.", "negative", method
        if _is_normalised(method, table, tolerance):
            continue
        for of, meant, key in () if np.isnan(table).any() else IN_PLACE:
            replaced = meant(table)
            sound = replaced >= 0.0 if method == PROBABILITIES else replaced <= 0.0
            if of == method and sound.all() and _is_normalised(method, replaced, tolerance):
                tables[method] = replaced
                return f"`{method}` {WORDS['in_place'][key]}.", key, method
        what = "its rows" if method == PROBABILITIES else "the exponentials of its rows"
        totals = _totals(method, table)
        sums = sums_of(float(totals.min()), float(totals.max()))
        return f"`{method}` is not normalised: {what} {sums}.", method, method
    return None


def _totals(method: str, table: FloatArray) -> FloatArray:
    """Return what the probabilities of each row sum to, where that is a number above 0."""
    if method != PROBABILITIES:
        table = np.exp(np.logaddexp.reduce(table, axis=1, keepdims=True))
    totals = table.sum(axis=1)
    return np.asarray(totals[np.isfinite(totals) & (totals > 0.0)])


def _is_normalised(method: str, table: FloatArray, tolerance: float) -> bool:
    n_off = np.sum(np.abs(_totals(method, table) - 1.0) > tolerance)
    return bool(n_off <= UNNORMALISED_SHARE * len(table))


def contradictions(
    tables: Mapping[str, FloatArray], labels: CodeArray, *, is_single: bool
) -> tuple[tuple[str, str] | None, str]:
    """Return how logarithms, and how labels, contradict the probabilities beside them."""
    probabilities = tables.get("predict_proba")
    if probabilities is None or (probabilities < -UNNORMALISED).any():
        return None, ""
    shares, by_logs, by_labels = softmax(np.log(probabilities)), None, ""
    tolerance = SINGLE_UNNORMALISED if is_single else CONSISTENT
    for method in filter("predict_proba".__ne__, tables):
        own_shares = softmax(tables[method])
        gap = float(np.nanmax(np.abs(own_shares - shares), initial=0.0))
        n_lost = int((_has_nan(own_shares) & ~_has_nan(shares)).sum())
        if not by_logs and (gap > tolerance or n_lost):
            is_joint = method == "predict_joint_log_proba"
            text = f"`{method}` does not give the logarithms of `predict_proba`: "
            if is_joint:
                text = f"`{method}`, normalised, does not give `predict_proba`: "
            text += f"probabilities differ by up to {two_digits(gap)}."
            if n_lost:
                rows = counted(n_lost, len(shares), "row")
                text = f"`{method}` is infinite or NaN in {rows} of one run, where "
                text += "`predict_proba` is not."
            by_logs = text, "joint" if is_joint else "contradiction"
    labelled = np.flatnonzero(labels >= 0)
    lead = shares[labelled].max(axis=1) - shares[labelled, labels[labelled]]
    if n := int(np.sum(lead > tolerance)):
        by_labels = "`predict` does not give the class with the largest `predict_proba`"
        by_labels += f" in {counted(n, len(labels), 'row')} of one run."
    return by_logs, by_labels


def _has_nan(table: FloatArray) -> Any:
    return np.isnan(table).any(axis=1)
