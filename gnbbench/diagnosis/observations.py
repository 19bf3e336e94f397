"""What an implementation answers on each split: labels, probabilities, parameters."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import CodeArray, FloatArray
from gnbbench.diagnosis.family import Batch
from gnbbench.implementations import Implementation
from gnbbench.implementations.adapting import fitted_model
from gnbbench.processes.client import CallTimeout
from gnbbench.tracebacks import described

UNSEEN = -1
# Below it a double is subnormal: its logarithm has lost digits.
SMALLEST_LOG = -700.0
# Probabilities and joint log-likelihoods that differ by more tell two stories.
CONSISTENT = 1e-6
# Rows of the first run that are asked for again: backwards in one call, and one by one.
AGAIN, SINGLY = 40, 10
# What a model may offer beside labels -> what it would say of a class that is absent; the
# most exact first.
TABLES = {
    "predict_joint_log_proba": -np.inf,
    "predict_log_proba": -np.inf,
    "predict_proba": 0.0,
}
# Parameter -> attributes that may hold it; ``sigma_`` may be standard deviations.
ATTRIBUTES = {"theta": ("theta_",), "var": ("var_", "sigma_"), "prior": ("class_prior_",)}


@dataclass(frozen=True, eq=False)
class Observation:
    """The answers of one fresh model on one split."""

    # Codes of the classes, -1 for a label that is none the model was trained on
    labels: CodeArray
    given: NDArray[Any]  # (n_test,): The labels as they were given
    # (n_test, n_classes): Up to a constant of the row; None where not offered
    log_posterior: FloatArray | None
    undefined: NDArray[np.bool_]  # Rows with a NaN among the probabilities
    # Those of "theta", "var" and "prior" that the model tells; NaN for absent classes
    parameters: Mapping[str, FloatArray]
    is_single: bool = False  # Whether all numbers offered are single-precision ones
    failure: str = ""  # What went wrong
    # How labels depend on what else was asked, in words; empty if they do not
    memory: str = ""
    hangs: bool = False  # Whether a call did not answer, here or before


NOT_TRIED = "not tried"


def softmax(scores: FloatArray) -> FloatArray:
    """Return probabilities whose logarithms differ as scores do; NaN where undefined."""
    with np.errstate(all="ignore"):
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def observe(
    entry: Implementation,
    X: FloatArray,
    y: NDArray[Any],
    splits: Sequence[tuple[CodeArray, CodeArray]],
    classes: NDArray[Any],
) -> list[Observation]:
    """Return the answers of a fresh model on every split; a failure is an answer too.

    After a call that does not answer nothing is asked for again.
    """
    found: list[Observation] = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for train, test in splits:
            given = X[train], y[train], X[test], classes
            is_over = bool(found) and found[-1].hangs
            one = _failed(NOT_TRIED, len(test)) if is_over else None
            found.append(one or _observe_one(entry, *given, again=not found))
    return found


def _observe_one(
    entry: Implementation,
    X_train: FloatArray,
    y_train: NDArray[Any],
    X_test: FloatArray,
    classes: NDArray[Any],
    *,
    again: bool,
) -> Observation:
    present = np.unique(y_train)
    try:
        model = entry.make()
        model = fitted_model(model, model.fit(X_train, y_train))
        given = np.asarray(model.predict(X_test.copy()))
        if given.shape != (len(X_test),):
            failure = f"predict gave shape {given.shape} instead of {(len(X_test),)}"
            return _failed(failure, len(X_test), hangs=False)
        columns = _codes(np.asarray(getattr(model, "classes_", present)), classes)
        tables, failure = _tables(model, X_test, columns, len(classes))
        parameters = _parameters(model, columns, X_test.shape[1], len(classes))
        memory = _memory(model, X_test, given) if again else ""
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # foreign code may raise anything
        hangs = isinstance(error, CallTimeout)
        return _failed(described(error), len(X_test), hangs=hangs)
    labels = np.where(np.isin(given, present), _codes(given, classes), UNSEEN)
    moments = [parameters[name] for name in ("theta", "var") if name in parameters]
    offered = [*moments, *tables.values()]
    is_single = bool(offered) and all(
        np.array_equal(table, table.astype(np.float32), equal_nan=True) for table in offered
    )
    answers = *_log_posterior(tables, len(X_test)), parameters, is_single, failure, memory
    return Observation(labels, given, *answers)


def _failed(failure: str, n_test: int, *, hangs: bool = True) -> Observation:
    labels, given = np.full(n_test, UNSEEN), np.full(n_test, None)
    none = np.zeros(n_test, bool)
    return Observation(labels, given, None, none, {}, failure=failure, hangs=hangs)


def _memory(model: Any, X_test: FloatArray, given: NDArray[Any]) -> str:
    """Return how labels change when the same rows are asked for again, in words."""
    rows = np.unique(np.linspace(0, len(X_test) - 1, AGAIN).astype(int))[::-1]
    few = rows[:: -(-len(rows) // SINGLY)]
    for how, asked in (("again in another order", [rows]), ("one by one", few[:, None])):
        try:
            later = [model.predict(X_test[some]) for some in asked]
            before = given[np.concatenate(asked)].tolist()
            pairs = zip(np.concatenate(later).tolist(), before, strict=True)
            # A label that is NaN is equal to NaN.
            changed = sum(one != other and repr(one) != repr(other) for one, other in pairs)
        except Exception as error:  # noqa: BLE001  # foreign code may raise anything
            return f"asked {how}, it raises {described(error)}"
        if changed:
            return f"asked {how}, {changed} of {len(before)} rows get another label"
    return ""


def _codes(labels: NDArray[Any], classes: NDArray[Any]) -> CodeArray:
    """Return the position of each label among the classes, -1 where it is none."""
    position = {label: code for code, label in enumerate(classes.tolist())}
    return np.array([position.get(label, UNSEEN) for label in labels.tolist()], dtype=int)


def _tables(
    model: Any, X_test: FloatArray, columns: CodeArray, n_classes: int
) -> tuple[dict[str, FloatArray], str]:
    """Return what the model offers beside labels, and what failed in offering it."""
    tables, failure = {}, ""
    for method in filter(partial(hasattr, model), TABLES):
        try:
            given = np.asarray(getattr(model, method)(X_test.copy()), dtype=np.float64)
        except NotImplementedError:
            continue
        except Exception as error:  # noqa: BLE001  # foreign code may raise anything
            failure = f"{method}: {described(error)}"
            continue
        if given.shape != (len(X_test), len(columns)) or UNSEEN in columns:
            failure = f"{method} gave shape {given.shape} for {len(columns)} classes"
            continue
        tables[method] = np.full((len(X_test), n_classes), TABLES[method])
        tables[method][:, columns] = given
    return tables, failure


def _log_posterior(
    tables: Mapping[str, FloatArray], n_test: int
) -> tuple[FloatArray | None, NDArray[np.bool_]]:
    """Return the most exact table that agrees with the probabilities, and its NaN rows."""
    if not tables:
        return None, np.zeros(n_test, dtype=bool)
    probabilities = tables.get("predict_proba")
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


def _has_nan(table: FloatArray) -> NDArray[np.bool_]:
    """Return which rows hold a NaN."""
    return np.asarray(np.isnan(table).any(axis=1), dtype=bool)


def _parameters(
    model: Any, columns: CodeArray, n_features: int, n_classes: int
) -> dict[str, FloatArray]:
    """Return the first attribute for each parameter that is an array of its shape."""
    found: dict[str, FloatArray] = {}
    for parameter, names in ATTRIBUTES.items():
        shape = (n_features,) if parameter != "prior" else ()
        for name in names if UNSEEN not in columns else ():
            try:
                given = np.asarray(getattr(model, name, None), dtype=np.float64)
            except (TypeError, ValueError):
                continue
            if given.shape == (len(columns), *shape) and parameter not in found:
                found[parameter] = np.full((n_classes, *shape), np.nan)
                found[parameter][columns] = given
    return found


@dataclass(frozen=True, eq=False)
class Compared:
    """The test rows of several runs and what an implementation answered on them."""

    batch: Batch
    labels: CodeArray  # (n,): Codes, -1 for a label that is none
    given: NDArray[Any]  # (n,): The labels as they were given
    log_posterior: FloatArray | None  # (n, n_classes): None unless every run offers it
    undefined: NDArray[np.bool_]  # (n,)
    parameters: Mapping[str, FloatArray]  # With one more axis, of runs, in front
    is_single: bool  # Whether all numbers offered are single-precision ones

    @classmethod
    def of(cls, batch: Batch, seen: Sequence[Observation]) -> "Compared":
        """Return the answers of all runs one after the other."""
        tables = [one.log_posterior for one in seen if one.log_posterior is not None]
        shared = set.intersection(*(set(one.parameters) for one in seen))
        return cls(
            batch,
            np.concatenate([one.labels for one in seen]),
            np.concatenate([one.given for one in seen]),
            np.concatenate(tables) if len(tables) == len(seen) else None,
            np.concatenate([one.undefined for one in seen]),
            {name: np.stack([one.parameters[name] for one in seen]) for name in shared},
            all(one.is_single for one in seen),
        )

    def rows(self, keep: NDArray[np.bool_]) -> "Compared":
        """Return these rows only."""
        table = self.log_posterior
        return replace(
            self,
            batch=self.batch.rows(keep),
            labels=self.labels[keep],
            given=self.given[keep],
            log_posterior=None if table is None else table[keep],
            undefined=self.undefined[keep],
        )

    def by_labels(self) -> "Compared":
        """Return the labels alone."""
        defined = np.zeros_like(self.undefined)
        bare = replace(self, log_posterior=None, undefined=defined)
        return replace(bare, parameters={}, is_single=False)

    @property
    def labels_only(self) -> bool:
        """Whether nothing else is offered."""
        return self.log_posterior is None and not self.parameters
