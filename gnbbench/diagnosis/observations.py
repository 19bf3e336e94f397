"""Answers of an implementation on each split: labels, probabilities, parameters."""

import contextlib
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import CodeArray, FloatArray
from gnbbench.diagnosis.moments import Batch
from gnbbench.diagnosis.tables import (
    CONSISTENT,
    PROBABILITIES,
    SMALLEST_LOG,
    contradictions,
    log_posterior,
    softmax,
    tables_of,
    unnormalised,
)
from gnbbench.errors import PlacedError
from gnbbench.implementations import Implementation
from gnbbench.implementations.adapting import fitted_model
from gnbbench.implementations.names import is_program
from gnbbench.processes.client import CallTimeout
from gnbbench.tracebacks import described, raised
from gnbbench.words import amount, counted, plural, significant

UNSEEN = -1
# Rows of the first run that are predicted again: backwards in one call, one by one, and
# backwards after this many calls, as a growing state may change no label at first.
AGAIN, SINGLY, CALLS_BETWEEN = 40, 10, 30
# How often, and by how many units in the last place at most, samples are then changed, to
# see whether answers that changed hang on rounding.
NUDGES, MOST_UNITS = 24, 4
# Seconds for each of these, judged by the first call; a few rows are always predicted.
AGAIN_SECONDS, FEWEST_AGAIN = 0.2, 4
# Of labels that change only with the rows asked for beside.
AS_AT_FIRST = ", but none with all rows as at first"
FAR = 1e7  # How many times as far from zero another row is, beside which labels may change
# Parameter -> attributes that may hold it; ``sigma_`` may be standard deviations.
ATTRIBUTES = {"theta": ("theta_",), "var": ("var_", "sigma_"), "prior": ("class_prior_",)}


@dataclass(frozen=True, eq=False)
class Observation:
    """The answers of one fresh model on one split."""

    # Codes of the classes, -1 for a label that the model was not trained on
    labels: CodeArray
    raw_labels: NDArray[Any]  # (n_test,): As returned
    # (n_test, n_classes): Up to a constant of the row; None where not offered
    log_posterior: FloatArray | None
    undefined: NDArray[np.bool_]  # Rows with a NaN among the probabilities
    # Those of "theta", "var" and "prior" that the model has; NaN for absent classes
    parameters: Mapping[str, FloatArray]
    is_single: bool = False  # Whether all numbers are in single precision
    failure: str = ""  # What went wrong
    # How labels depend on other calls, in words; empty if they do not
    memory: str = ""
    beside: bool = False  # Whether they depend on the rows asked for beside alone
    alone: str = ""  # How it fails when it is asked for one row
    # (n, 3): Row, code before and code after of each label that changed
    changed: CodeArray = field(default_factory=lambda: np.empty((0, 3), dtype=int))
    hangs: bool = False  # Whether a call timed out, here or before
    has_remedy: bool = False  # Whether the failure says what to do as well
    # That rows of a table do not sum to 1, the key of the remedy, and the table
    unnormalised: tuple[str, str, str] | None = None
    # How tables of one model contradict each other, and the key of the remedy
    contradiction: tuple[str, str] | None = None
    # How labels contradict the probabilities beside them, in words
    contrary: str = ""


NOT_TRIED = "not tried"


def observe(
    entry: Implementation,
    X: FloatArray,
    y: NDArray[Any],
    splits: Sequence[tuple[CodeArray, CodeArray]],
    classes: NDArray[Any],
    *,
    again: bool = True,
    seconds: float = np.inf,
) -> list[Observation]:
    """Return the answers of a fresh model on every split; a failure is an answer too.

    After a timeout no call is made, and after so many seconds no split begun. With `again`,
    some rows of the first are asked for again, of its model and of a new one.
    """
    observations: list[Observation] = []
    is_ahead = entry.ahead is not None
    if entry.ahead is not None:
        asked = [(X[train], y[train], X[test]) for train, test in splits]
        entry = entry.ahead(entry, asked)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        for train, test in splits:
            is_over = bool(observations) and observations[-1].hangs
            if observations and not is_over and time.perf_counter() - start > seconds:
                break
            arrays = X[train], y[train], X[test], classes
            skipped = _failed(NOT_TRIED, len(test)) if is_over else None
            is_first, begun = again and not observations, time.perf_counter()
            observations.append(skipped or _observe_one(entry, *arrays, again=is_first))
        if again and len(splits) > 1 and not is_ahead:
            most = _most_again((time.perf_counter() - begun) / len(test))
            (train, test), first = splits[0], observations[0]
            rows = _spread(len(test), most)
            arrays = X[train], y[train], X[test[rows]], classes
            if not (first.failure or first.memory or observations[-1].failure):
                later = _observe_one(entry, *arrays, again=False)
                observations[0] = _with_later(first, later, rows)
    return observations


def _most_again(seconds: float) -> int:
    """Return how many rows are predicted again, where a row takes so long."""
    return int(np.clip(AGAIN_SECONDS / seconds, FEWEST_AGAIN, AGAIN))


def _spread(n_rows: int, most: int) -> CodeArray:
    """Return the places of a few rows among all."""
    return np.unique(np.linspace(0, n_rows - 1, most).astype(int))


def _with_later(first: Observation, later: Observation, rows: CodeArray) -> Observation:
    """Add to the first answers how those of a later model differ on some rows."""
    differs = np.flatnonzero(later.labels != first.labels[rows])
    if later.failure or not len(differs):
        return first
    text = "a new model, trained on the same samples, gives a different label to "
    text += f"{counted(len(differs), len(rows), 'row')}"
    pairs = rows[differs], first.labels[rows[differs]], later.labels[differs]
    return replace(first, memory=text, changed=np.stack(pairs, axis=1))


def _observe_one(
    entry: Implementation,
    X_train: FloatArray,
    y_train: NDArray[Any],
    X_test: FloatArray,
    classes: NDArray[Any],
    *,
    again: bool,
) -> Observation:
    present, model = np.unique(y_train), None
    try:
        model = entry.make()
        model = fitted_model(model, model.fit(X_train, y_train))
        start = time.perf_counter()
        answers = np.asarray(model.predict(X_test.copy()))
        seconds = max(time.perf_counter() - start, 1e-9) / len(X_test)
        if answers.shape != (len(X_test),):
            failure = f"predict gave shape {answers.shape} instead of {(len(X_test),)}"
            if answers.dtype.kind == "f" and not np.isin(answers, classes).any():
                failure += f", of numbers such as {amount(answers.flat[0])}, no labels"
            return _failed(failure, len(X_test), hangs=False)
        columns = _codes(np.asarray(getattr(model, "classes_", present)), classes)
        tables, failure = tables_of(model, X_test, columns, len(classes))
        parameters = _parameters(model, columns, X_test.shape[1], len(classes))
        memory, alone, beside, rows, later = "", "", False, np.zeros(0, int), answers[:0]
        if again:
            most = _most_again(seconds)
            memory, beside, rows, later = _memory(model, X_test, answers, most)
            alone = "" if len(rows) else _fails_alone(model, X_test[:2], len(columns))
            memory = "" if alone else memory
            if not (memory or alone or failure) and PROBABILITIES in tables:
                few = _spread(len(X_test), min(most, SINGLY))
                asked = X_test[few], tables[PROBABILITIES][np.ix_(few, columns)]
                memory = _alone(model.predict_proba, *asked)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  third-party code may raise anything
        # A model that cannot be created on one split cannot be on another.
        hangs = model is None or isinstance(error, CallTimeout)
        # Errors of gnbbench have a remedy, unless they are a program's.
        is_ours = isinstance(error, PlacedError) or getattr(error, "user_error", False)
        has_remedy = is_ours and not is_program(entry.specification)
        failed = _failed(described(error), len(X_test), hangs=hangs)
        return replace(failed, has_remedy=has_remedy)
    labels = np.where(np.isin(answers, present), _codes(answers, classes), UNSEEN)
    moments = [parameters[name] for name in ("theta", "var") if name in parameters]
    offered = [*moments, *tables.values()]
    is_single = bool(offered) and all(
        np.array_equal(table, table.astype(np.float32), equal_nan=True) for table in offered
    )
    sums = unnormalised(tables, is_single=is_single)
    by_logs, by_labels = contradictions(tables, labels, is_single=is_single)
    rest = *log_posterior(tables, len(X_test)), parameters, is_single, failure, memory
    return Observation(
        labels,
        answers,
        *rest,
        beside=beside,
        alone=alone,
        changed=np.stack([rows, labels[rows], _codes(later, classes)], axis=1),
        unnormalised=sums,
        contradiction=by_logs,
        contrary=by_labels,
    )


def foreign(labels: CodeArray, raw_labels: NDArray[Any]) -> set[str]:
    """Return the answers that are none of the classes, as code; one may stand for none."""
    return {*map(repr, raw_labels[labels == UNSEEN].tolist())}


def _failed(failure: str, n_test: int, *, hangs: bool = True) -> Observation:
    labels, answers = np.full(n_test, UNSEEN), np.full(n_test, None)
    none = np.zeros(n_test, bool)
    return Observation(labels, answers, None, none, {}, failure=failure, hangs=hangs)


def _fails_alone(model: Any, rows: FloatArray, n_classes: int) -> str:
    """Return how labels or probabilities of one row fail where those of two do not."""
    for method, more in (("predict", ()), (PROBABILITIES, (n_classes,))):
        found: list[str] = []
        for asked in (rows[:1], rows) if hasattr(model, method) else ():
            try:
                shape = np.shape(getattr(model, method)(asked.copy()))
            except Exception as error:  # noqa: BLE001  third-party code may raise anything
                found.append(raised(method, error))
                continue
            right = (len(asked), *more)
            text = f"`{method}` gives shape {shape} instead of {right}"
            found.append("" if shape == right else text)
        if found and found[0] and not found[1]:
            return found[0]
    return ""


def _memory(
    model: Any, X_test: FloatArray, answers: NDArray[Any], most: int
) -> tuple[str, bool, CodeArray, NDArray[Any]]:
    """Return how labels change later, whether by rows beside alone, which, and to what."""
    none, between = (False, np.empty(0, dtype=int), answers[:0]), min(most, CALLS_BETWEEN)
    rows = _spread(len(X_test), most)[::-1]
    few = rows[:: -(-len(rows) // SINGLY)]
    part = f"with {len(rows)} of the rows " if len(rows) < len(X_test) else ""
    samples = np.vstack([X_test, FAR * np.abs(X_test).max(axis=0)])
    beside_far = f"again beside a row {FAR:,.0f} times as far from zero as any"
    for how, asked, n_calls in (
        (f"again {part}in another order", [rows], 0),
        ("one by one", [*few[:, None]], 0),
        (f"again after {between} more calls", [rows], between),
        *[(beside_far, [np.append(rows, len(X_test))], 0)] * (most == AGAIN),
    ):
        try:
            for _ in range(n_calls):
                model.predict(X_test[rows[:1]])
            later = [model.predict(samples[part]) for part in asked]
            order, labels = np.concatenate(asked), np.concatenate(later)
            if len(labels) != len(order):
                what = f"{plural(len(labels), 'label')} for {plural(len(order), 'row')}"
                return f"called {how}, it gives {what}", *none
            labels, order = (v[order < len(X_test)] for v in (labels, order))
            changed = ~_same_labels(labels, answers[order])
        except Exception as error:  # noqa: BLE001  third-party code may raise anything
            if how == beside_far:  # It may well fail on that row
                break
            return f"called {how}, it fails: {described(error)}", *none
        n = np.count_nonzero(changed)
        if n and not _hang_on_rounding(model.predict, X_test[order[changed]], _same_labels):
            text = f"called {how}, it labels {n} of {len(order)} rows differently"
            beside = False
            with contextlib.suppress(Exception):
                if not n_calls and most == AGAIN:  # Else it takes too long
                    beside = bool(_same_labels(model.predict(X_test), answers).all())
            text += AS_AT_FIRST * beside
            return text, beside, order[changed], labels[changed]
    return "", *none


def _same_labels(labels: NDArray[Any], others: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where labels are the same; NaN is the same as NaN."""
    pairs = zip(labels.tolist(), others.tolist(), strict=True)
    return np.array([one == other or repr(one) == repr(other) for one, other in pairs])


def _same_rows(table: FloatArray, other: FloatArray) -> NDArray[np.bool_]:
    """Return which rows of two tables agree but for rounding."""
    is_close = np.isclose(table, other, 0.0, CONSISTENT, equal_nan=True)
    return np.asarray(is_close.all(axis=1))


def _hang_on_rounding(
    ask: Callable[[Any], Any], rows: FloatArray, same: Callable[..., NDArray[np.bool_]]
) -> bool:
    """Return whether half of the answers change with the last digits of their rows.

    The same calls must give the same answers, which those of a model with memory do not.
    """
    units = np.random.default_rng(0).integers(
        -MOST_UNITS, MOST_UNITS, (NUDGES, *rows.shape), endpoint=True
    )
    nudged = rows * (1.0 + np.finfo(np.float64).eps * units)
    try:
        before, *again = (np.asarray(ask(rows.copy())) for _ in range(NUDGES + 1))
        is_steady = all(same(answer, before).all() for answer in again)
        unmoved = [same(np.asarray(ask(sample)), before) for sample in nudged]
    except Exception:  # noqa: BLE001  third-party code may raise anything
        return False
    return bool(is_steady and np.all(unmoved, axis=0).mean() <= 0.5)


def _alone(ask: Callable[[Any], Any], rows: FloatArray, table: FloatArray) -> str:
    """Return how probabilities change when rows are asked for one by one, in words."""
    try:
        alone = [np.asarray(ask(row[np.newaxis]), dtype=np.float64) for row in rows]
    except Exception as error:  # noqa: BLE001  third-party code may raise anything
        return f"asked for the probabilities of one row, it raises {described(error)}"
    if shape := next((a.shape for a in alone if a.shape != table[:1].shape), None):
        return f"asked for the probabilities of one row, it gives shape {shape}"
    changed = ~_same_rows(np.concatenate(alone), table)
    n = np.count_nonzero(changed)
    if not n or _hang_on_rounding(ask, rows[changed], _same_rows):
        return ""
    return f"called one by one, it gives {n} of {len(rows)} rows other probabilities"


def _codes(labels: NDArray[Any], classes: NDArray[Any]) -> CodeArray:
    """Return the position of each label among the classes, -1 if it is not one."""
    position = {label: code for code, label in enumerate(classes.tolist())}
    return np.array([position.get(label, UNSEEN) for label in labels.tolist()], dtype=int)


def _parameters(
    model: Any, columns: CodeArray, n_features: int, n_classes: int
) -> dict[str, FloatArray]:
    """Return the first attribute for each parameter that is an array of its shape."""
    parameters: dict[str, FloatArray] = {}
    for parameter, names in ATTRIBUTES.items():
        shape = (n_features,) if parameter != "prior" else ()
        for name in names if UNSEEN not in columns else ():
            try:
                values = np.asarray(getattr(model, name, None), dtype=np.float64)
            except (TypeError, ValueError):
                continue
            if values.shape == (len(columns), *shape) and parameter not in parameters:
                parameters[parameter] = np.full((n_classes, *shape), np.nan)
                parameters[parameter][columns] = values
    return parameters


@dataclass(frozen=True, eq=False)
class Offered:
    """Posteriors that an implementation returned, and what follows from them."""

    shares: FloatArray  # (n, n_classes): Normalised
    undefined: NDArray[np.bool_]  # (n,)
    # (n,): Equal shares of the best and zeros, for what cannot be normalised
    is_degenerate: NDArray[np.bool_]
    best: CodeArray  # (n,): Place of each row's most probable class in the flat table
    odds: FloatArray  # (n, n_classes): Logarithms, against the best
    places: CodeArray  # Where the odds are informative, in the flat table
    rows: CodeArray  # The row of each of these places

    @classmethod
    def of(cls, log_posterior: FloatArray, undefined: NDArray[np.bool_]) -> "Offered":
        """Return what follows from logarithms of posteriors."""
        with np.errstate(all="ignore"):
            shares = softmax(log_posterior)
            top = shares.max(axis=1, keepdims=True)
            known = np.where(np.isnan(log_posterior), -np.inf, log_posterior)
            best = np.arange(len(known)) * known.shape[1] + known.argmax(axis=1)
            odds = log_posterior - log_posterior.take(best)[:, np.newaxis]
            comparable = np.isfinite(odds) & (odds > SMALLEST_LOG)
        comparable.flat[best] = False
        places = np.flatnonzero(comparable)
        is_degenerate = ((shares == 0.0) | (shares == top)).all(axis=1)
        # Densities that were not normalised are all zero after underflow.
        undefined = undefined | np.isnan(shares).any(axis=1)
        rows = places // shares.shape[1]
        return cls(shares, undefined, is_degenerate, best, odds, places, rows)

    @cached_property
    def by_class(self) -> FloatArray:
        """The shares with a row for each class, and one axis more for several variants."""
        return np.ascontiguousarray(self.shares.T)[:, np.newaxis]


@dataclass(frozen=True, eq=False)
class Cut:
    """Probabilities that were kept from zero, or rounded."""

    rows: NDArray[np.bool_]  # (n,): Those that have such a number
    off_by: float  # How far numbers may be from what they were
    least: float = 0.0  # The smallest number, or the smallest share of a row's largest
    of_largest: bool = False  # Whether it is the latter
    decimals: int = 0  # Those that are left
    left: float = 0.0  # By how much probabilities differ for it

    @property
    def words(self) -> str:
        """What was done, in the beginning of a sentence."""
        if self.decimals:
            return f"It rounds probabilities to {plural(self.decimals, 'decimal')}"
        text = "It keeps probabilities from zero: none is below "
        text += significant(self.least, 2)
        return f"{text} × the largest of its row" if self.of_largest else text


@dataclass(frozen=True, eq=False)
class Compared:
    """The test rows of several runs and the answers of an implementation on them."""

    batch: Batch
    labels: CodeArray  # (n,): Codes, -1 for an unknown label
    raw_labels: NDArray[Any]  # (n,): As returned
    log_posterior: FloatArray | None  # (n, n_classes): None unless every run offers it
    undefined: NDArray[np.bool_]  # (n,)
    parameters: Mapping[str, FloatArray]  # With one more axis, of runs, in front
    is_single: bool  # Whether all numbers are in single precision
    # How probabilities were cut, and the rows (n,) that say no more for it
    cut: Cut | None = None
    _distances: dict[Any, float] = field(default_factory=dict)  # From the parameters

    @classmethod
    def of(cls, batch: Batch, seen: Sequence[Observation]) -> "Compared":
        """Concatenate the answers of all runs."""
        tables = [run.log_posterior for run in seen if run.log_posterior is not None]
        shared = set.intersection(*(set(run.parameters) for run in seen))
        return cls(
            batch,
            np.concatenate([run.labels for run in seen]),
            np.concatenate([run.raw_labels for run in seen]),
            np.concatenate(tables) if len(tables) == len(seen) else None,
            np.concatenate([run.undefined for run in seen]),
            {name: np.stack([run.parameters[name] for run in seen]) for name in shared},
            all(run.is_single for run in seen),
        )

    def rows(self, keep: NDArray[np.bool_]) -> "Compared":
        """Return these rows only."""
        table = self.log_posterior
        return replace(
            self,
            batch=self.batch.rows(keep),
            labels=self.labels[keep],
            raw_labels=self.raw_labels[keep],
            log_posterior=None if table is None else table[keep],
            undefined=self.undefined[keep],
            cut=self.cut and replace(self.cut, rows=self.cut.rows[keep]),
        )

    def by_labels(self) -> "Compared":
        """Return the labels only."""
        bare = replace(self, log_posterior=None, cut=None, parameters={}, is_single=False)
        return replace(bare, undefined=np.zeros_like(self.undefined))

    @cached_property
    def told(self) -> FloatArray | None:
        """The posteriors, NaN where they were cut."""
        if self.log_posterior is None or self.cut is None:
            return self.log_posterior
        return np.where(self.cut.rows[:, np.newaxis], np.nan, self.log_posterior)

    @cached_property
    def offered(self) -> Offered | None:
        """What follows from the posteriors, computed once."""
        table = self.log_posterior
        return None if table is None else Offered.of(table, self.undefined)

    def has_shares_of(self, other: "Compared") -> bool:
        """Return whether both offer probabilities, and the same ones."""
        one, two = self.offered, other.offered
        if one is None or two is None:
            return False
        return np.allclose(one.shares, two.shares, 0.0, CONSISTENT, equal_nan=True)

    @property
    def is_one_label(self) -> bool:
        """Whether all rows of each run have the same label, and that is one of the data."""
        labels, of_run = self.labels, self.batch.of_run
        is_first = labels == labels[np.searchsorted(of_run, of_run)]
        return bool((is_first & (labels != UNSEEN)).all())

    @property
    def labels_only(self) -> bool:
        """Whether only labels are offered."""
        return self.log_posterior is None and not self.parameters
