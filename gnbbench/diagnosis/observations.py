"""What an implementation answers on each split: labels, probabilities, parameters."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.diagnosis.family import Batch
from gnbbench.implementations import Implementation
from gnbbench.implementations.adapting import fitted_model
from gnbbench.tracebacks import described

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

UNSEEN = -1
# Below it a double is subnormal: its logarithm has lost digits.
SMALLEST_LOG = -700.0
# Probabilities and joint log-likelihoods that differ by more tell two stories.
CONSISTENT = 1e-6
# Rows of the first run that are asked for again: backwards in one call, and one by one.
AGAIN, SINGLY = 40, 10


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
    # How labels depend on what else was asked, in words; empty if they do not
    memory: str = ""

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
            _observe_one(entry, X[train], y[train], X[test], classes, again=not place)
            for place, (train, test) in enumerate(splits)
        ]


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
            return _failed(failure, len(X_test))
        columns = _codes(np.asarray(getattr(model, "classes_", present)), classes)
        tables, failure = _tables(model, X_test, columns, len(classes))
        parameters = _parameters(model, columns, X_test.shape[1], len(classes))
        memory = _memory(model, X_test, given) if again else ""
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # foreign code may raise anything
        return _failed(described(error), len(X_test))
    labels = np.where(np.isin(given, present), _codes(given, classes), UNSEEN)
    log_posterior, undefined = _log_posterior(tables, len(X_test))
    is_single = _is_single([parameters.theta, parameters.var, *tables.values()])
    return Observation(
        labels, given, log_posterior, undefined, parameters, is_single, failure, memory
    )


def _memory(model: Any, X_test: FloatArray, given: NDArray[Any]) -> str:
    """Return how labels change when the same rows are asked for again, in words."""
    rows = np.unique(np.linspace(0, len(X_test) - 1, AGAIN).astype(int))[::-1]
    few = rows[:: -(-len(rows) // SINGLY)]
    how = "again in another order"
    try:
        later = np.asarray(model.predict(X_test[rows]))
        changed, n_asked = _n_changed(later, given[rows]), len(rows)
        if not changed:
            how = "one by one"
            alone = [np.asarray(model.predict(X_test[[row]]))[0] for row in few]
            changed, n_asked = _n_changed(alone, given[few]), len(few)
    except Exception as error:  # noqa: BLE001  # foreign code may raise anything
        return f"asked {how}, it raises {described(error)}"
    return f"asked {how}, {changed} of {n_asked} rows get another label" if changed else ""


def _n_changed(later: Iterable[Any], given: NDArray[Any]) -> int:
    """Return how many labels differ; a label that is NaN is equal to NaN."""
    pairs = zip(np.asarray(later).tolist(), given.tolist(), strict=True)
    return sum(one != other and repr(one) != repr(other) for one, other in pairs)


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


@dataclass(frozen=True, eq=False)
class Compared:
    """The test rows of several runs and what an implementation answered on them."""

    batch: Batch
    labels: IntArray  # (n,): Codes, -1 for a label that is none
    log_posterior: FloatArray | None  # (n, n_classes): None unless every run offers it
    undefined: NDArray[np.bool_]  # (n,)
    parameters: Parameters  # With one more axis, of runs, in front
    is_single: bool  # Whether all numbers offered are single-precision ones

    @classmethod
    def of(cls, batch: Batch, seen: Sequence[Observation]) -> "Compared":
        """Return the answers of all runs one after the other."""
        tables = [one.log_posterior for one in seen]
        offered = [table for table in tables if table is not None]
        columns = ("theta", "var", "prior")
        return cls(
            batch,
            np.concatenate([one.labels for one in seen]),
            np.concatenate(offered) if len(offered) == len(seen) else None,
            np.concatenate([one.undefined for one in seen]),
            Parameters(*(_stacked(seen, column) for column in columns)),
            all(one.is_single for one in seen),
        )

    def rows(self, keep: NDArray[np.bool_]) -> "Compared":
        """Return these rows only."""
        table = self.log_posterior
        return replace(
            self,
            batch=self.batch.rows(keep),
            labels=self.labels[keep],
            log_posterior=None if table is None else table[keep],
            undefined=self.undefined[keep],
        )

    def by_labels(self) -> "Compared":
        """Return the labels alone."""
        nothing = Parameters(None, None, None)
        return replace(
            self,
            log_posterior=None,
            undefined=np.zeros_like(self.undefined),
            parameters=nothing,
            is_single=False,
        )

    @property
    def labels_only(self) -> bool:
        """Whether nothing else is offered."""
        return self.log_posterior is None and not self.parameters.offered


def _stacked(seen: Sequence[Observation], column: str) -> FloatArray | None:
    tables = [getattr(one.parameters, column) for one in seen]
    return None if any(table is None for table in tables) else np.stack(tables)
