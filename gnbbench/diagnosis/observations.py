"""What an implementation answers on each split: labels, probabilities, parameters."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.diagnosis.family import TrainedRun
from gnbbench.errors import GnbBenchError
from gnbbench.implementations import Implementation
from gnbbench.implementations.adapting import fitted_model
from gnbbench.processes.client import CallFailure
from gnbbench.tracebacks import described

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

UNSEEN = -1
# Below it a double is subnormal: its logarithm has lost digits.
SMALLEST_LOG = -700.0
# Probabilities and joint log-likelihoods that differ by more tell two stories.
CONSISTENT = 1e-6


@dataclass(frozen=True, eq=False)
class Parameters:
    """What a fitted model tells of itself, over all classes; NaN for those absent."""

    theta: FloatArray | None  # (n_classes, n_features)
    # (n_classes, n_features): Standard deviations maybe if the model calls it ``sigma_``
    var: FloatArray | None
    prior: FloatArray | None  # (n_classes,)

    @property
    def offered(self) -> bool:
        """Whether there are any."""
        return any(table is not None for table in (self.theta, self.var, self.prior))


@dataclass(frozen=True, eq=False)
class Observation:
    """The answers of one fresh model on one split."""

    # Codes of the classes, -1 for a label that is none the model was trained on
    labels: IntArray
    given: NDArray[Any]  # (n_test,): The labels as they were given
    # (n_test, n_classes): Up to a constant of the row; None where not offered
    log_posterior: FloatArray | None
    undefined: NDArray[np.bool_]  # Rows with a NaN among the probabilities
    parameters: Parameters
    is_single: bool  # Whether all numbers offered are single-precision ones
    failure: str  # What went wrong, empty if nothing did

    @property
    def posterior(self) -> FloatArray | None:
        """Probabilities of the classes, None where not offered."""
        return None if self.log_posterior is None else softmax(self.log_posterior)


def softmax(scores: FloatArray) -> FloatArray:
    """Return probabilities whose logarithms differ as scores do; NaN where undefined."""
    with np.errstate(all="ignore"):
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        result: FloatArray = shares / shares.sum(axis=1, keepdims=True)
    return result


def observe(
    entry: Implementation,
    X: FloatArray,
    y: NDArray[Any],
    splits: Sequence[tuple[IntArray, IntArray]],
    classes: NDArray[Any],
) -> list[Observation]:
    """Return the answers of a fresh model on every split; a failure is an answer too."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return [
            _observe_one(entry, X[train], y[train], X[test], classes)
            for train, test in splits
        ]


def _observe_one(
    entry: Implementation,
    X_train: FloatArray,
    y_train: NDArray[Any],
    X_test: FloatArray,
    classes: NDArray[Any],
) -> Observation:
    present = np.unique(y_train)
    try:
        model = entry.make()
        model = fitted_model(model, model.fit(X_train, y_train))
        given = np.asarray(model.predict(X_test.copy()))
        if given.shape != (len(X_test),):
            failure = f"predict gave shape {given.shape} instead of {(len(X_test),)}"
            return _failed(failure, len(X_test))
        columns = _codes(np.asarray(getattr(model, "classes_", present)), classes)
        tables, failure = _tables(model, X_test, columns, len(classes))
        parameters = _parameters(model, columns, X_test.shape[1], len(classes))
    except (CallFailure, GnbBenchError) as failure:
        return _failed(str(failure), len(X_test))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # foreign code may raise anything
        return _failed(described(error), len(X_test))
    labels = np.where(np.isin(given, present), _codes(given, classes), UNSEEN)
    log_posterior, undefined = _log_posterior(tables, len(X_test))
    is_single = _is_single([parameters.theta, parameters.var, *tables.values()])
    return Observation(
        labels, given, log_posterior, undefined, parameters, is_single, failure
    )


def _failed(failure: str, n_test: int) -> Observation:
    return Observation(
        np.full(n_test, UNSEEN),
        np.full(n_test, None),
        None,
        np.zeros(n_test, dtype=bool),
        Parameters(None, None, None),
        is_single=False,
        failure=failure,
    )


def _codes(labels: NDArray[Any], classes: NDArray[Any]) -> IntArray:
    """Return the position of each label among the classes, -1 where it is none."""
    position = {label: code for code, label in enumerate(classes.tolist())}
    return np.array([position.get(label, UNSEEN) for label in labels.tolist()], dtype=int)


def _tables(
    model: Any, X_test: FloatArray, columns: IntArray, n_classes: int
) -> tuple[dict[str, FloatArray], str]:
    """Return what the model offers beside labels, and what failed in offering it."""
    absent = {
        "predict_joint_log_proba": -np.inf,
        "predict_log_proba": -np.inf,
        "predict_proba": 0.0,
    }
    tables, failure = {}, ""
    for method, fill in absent.items():
        if not hasattr(model, method):
            continue
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
        tables[method] = np.full((len(X_test), n_classes), fill)
        tables[method][:, columns] = given
    return tables, failure


def _log_posterior(
    tables: dict[str, FloatArray], n_test: int
) -> tuple[FloatArray | None, NDArray[np.bool_]]:
    """Return the most exact table that agrees with the probabilities, and its NaN rows."""
    undefined: NDArray[np.bool_] = np.zeros(n_test, dtype=bool)
    if not tables:
        return None, undefined
    probabilities = tables.get("predict_proba")
    if probabilities is not None:
        undefined = _has_nan(probabilities)
        logs = np.log(probabilities)
        logs = np.where(logs < SMALLEST_LOG, -np.inf, logs)
    for method in ("predict_joint_log_proba", "predict_log_proba"):
        if method not in tables:
            continue
        table = tables[method]
        if probabilities is None:
            return table, _has_nan(softmax(table))
        if np.nanmax(np.abs(softmax(table) - probabilities), initial=0.0) <= CONSISTENT:
            vague = _has_nan(softmax(table))[:, np.newaxis]
            return np.where(vague, logs, table), undefined
    return logs, undefined


def _has_nan(table: FloatArray) -> NDArray[np.bool_]:
    """Return which rows hold a NaN."""
    return np.asarray(np.isnan(table).any(axis=1), dtype=bool)


def _parameters(
    model: Any, columns: IntArray, n_features: int, n_classes: int
) -> Parameters:
    def attribute(names: tuple[str, ...], shape: tuple[int, ...]) -> FloatArray | None:
        """Return the first attribute of these names that is an array of this shape."""
        if UNSEEN in columns:
            return None
        for name in names:
            try:
                given = np.asarray(getattr(model, name, None), dtype=np.float64)
            except (TypeError, ValueError):
                continue
            if given.shape == shape:
                table = np.full((n_classes, *shape[1:]), np.nan)
                table[columns] = given
                return table
        return None

    matrix = (len(columns), n_features)
    return Parameters(
        attribute(("theta_",), matrix),
        attribute(("var_", "sigma_"), matrix),
        attribute(("class_prior_",), matrix[:1]),
    )


def _is_single(numbers: list[FloatArray | None]) -> bool:
    """Return whether single precision holds all that was offered without loss."""
    offered = [table for table in numbers if table is not None]
    return bool(offered) and all(
        np.array_equal(table, table.astype(np.float32), equal_nan=True) for table in offered
    )


# Each run with what was observed on it.
Pairs = Sequence[tuple[TrainedRun, Observation]]


def restricted(pairs: Pairs, rows: Sequence[NDArray[np.bool_]]) -> Pairs:
    """Return the runs and observations with these test rows; empty runs left out."""
    return [
        (_run_rows(run, keep), _observed_rows(seen, keep))
        for (run, seen), keep in zip(pairs, rows, strict=True)
        if keep.any()
    ]


def _run_rows(run: TrainedRun, keep: NDArray[np.bool_]) -> TrainedRun:
    return run if keep.all() else replace(run, X_test=run.X_test[keep], test=run.test[keep])


def _observed_rows(seen: Observation, keep: NDArray[np.bool_]) -> Observation:
    if keep.all():
        return seen
    table = seen.log_posterior
    return replace(
        seen,
        labels=seen.labels[keep],
        given=seen.given[keep],
        log_posterior=None if table is None else table[keep],
        undefined=seen.undefined[keep],
    )
