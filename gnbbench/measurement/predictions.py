"""What one implementation predicts in each run of a batch, or why it fails.

There are two shortcuts. Labels and probabilities of a naive Bayes follow from its joint
log-likelihoods: if an implementation says how (`Implementation.posterior`), each model
scores both sides of its run in one call, and the scores of all runs are converted together.
If nothing is compared, all training sets may be fitted at once
(`Implementation.together`). Both are verified: one run of every batch is also predicted in
full and must give the same, and so is every run with anything unusual.
"""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import Array, FloatArray, labels_in
from gnbbench.errors import GnbBenchError
from gnbbench.implementations import Implementation
from gnbbench.implementations.adapting import fitted_model
from gnbbench.implementations.names import is_program, takes_manifest
from gnbbench.processes.client import CallFailure
from gnbbench.records import INVALID
from gnbbench.splits import Sample, Split
from gnbbench.tracebacks import described, pass_on_interruption

UNKNOWN = -1
# Tolerance for 0, 1 and the sum of probabilities; in float32 they are off by 1e-6.
PROBABILITY_ROUNDING = 1e-5


@dataclass(frozen=True)
class Predictions:
    """Labels as class codes, and probabilities in the order of the dataset's classes.

    Predictions of several runs have one more axis, in front. Code -1 is an unknown label;
    tables are None if they are not offered.
    """

    train: NDArray[np.intp]
    test: NDArray[np.intp]
    probabilities: FloatArray | None  # (n_test, n_classes)
    joint_log_likelihood: FloatArray | None  # (n_test, n_classes)
    fault: str = ""  # Why its probabilities are left out

    @property
    def tables(self) -> tuple[bool, bool]:
        """Whether there are probabilities, and whether there are joint log-likelihoods."""
        return self.probabilities is not None, self.joint_log_likelihood is not None


def stacked(runs: Sequence[Predictions]) -> Predictions:
    """Return the predictions of several runs, which offer the same tables, stacked."""

    def column(name: str) -> Any:
        values = [getattr(run, name) for run in runs]
        if values[0] is None:
            return None
        return np.stack(values) if len(values) > 1 else values[0][np.newaxis]

    arrays = (part.name for part in fields(Predictions) if part.name != "fault")
    return Predictions(*map(column, arrays))


class RunError(Exception):
    """An implementation failed in a run; the message goes into the records."""

    def __init__(self, message: str, status: str = "error") -> None:
        super().__init__(message)
        self.status = status


@contextmanager
def run_errors() -> Iterator[None]:
    """Turn any exception of an implementation into a `RunError`."""
    try:
        yield
    except RunError:
        raise
    except CallFailure as failure:
        raise RunError(str(failure), failure.status) from failure
    except GnbBenchError as error:
        raise RunError(str(error)) from error
    except BaseException as error:
        pass_on_interruption(error)
        raise RunError(described(error)) from error


@contextmanager
def warnings_kept() -> Iterator[list[str]]:
    """Collect the distinct warnings of the block in a list."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield texts
    texts += dict.fromkeys(str(warning.message) for warning in caught)


def warned(texts: Iterable[str]) -> str:
    """Return the message of warnings for the records; empty without warnings."""
    joined = "; ".join(texts)
    return f"warned: {joined}" if joined else ""


def predictions(
    entry: Implementation,
    X_train: FloatArray,
    y_train: Array,
    X_test: FloatArray,
    classes: Array,
) -> Predictions:
    """Return the predictions of a new model on both sides of a split.

    A program predicts both in one call, since each call starts it. Probabilities that are
    none are left out, as are those whose method raises; scores likewise, with a warning.
    """
    n_train, n_classes = len(X_train), len(classes)
    asked = [X_train, X_test]
    if is_program(entry.specification):
        asked = [np.concatenate(asked)]
    with run_errors():
        model = entry.make()
        model = fitted_model(model, model.fit(X_train, y_train))
        labels = [codes_of(model.predict(X), len(X), classes) for X in asked]
        columns = columns_of(model, y_train, classes)
        rows = (asked[-1], columns, n_classes)
        probabilities, fault = _sound_table(model, "predict_proba", *rows)
        joint, unsound = _sound_table(model, "predict_joint_log_proba", *rows)
        if unsound and not fault:
            warnings.warn(unsound, RuntimeWarning, stacklevel=2)
        shares, scores = (
            None if table is None else table[-len(X_test) :]
            for table in (probabilities, joint)
        )
        train, test = np.split(np.concatenate(labels), [n_train])
        return Predictions(train, test, shares, scores, fault)


def codes_of(labels: Any, n_expected: int, classes: Array) -> NDArray[np.intp]:
    """Return the position of each label among the classes, -1 if it is unknown."""
    values = labels_in(labels)
    if values.shape != (n_expected,):
        raise RunError(f"predict gave shape {values.shape} instead of {(n_expected,)}")
    if values.dtype == object:
        places = {label: code for code, label in enumerate(classes.tolist())}
        return np.array([places.get(v, UNKNOWN) for v in values.tolist()], np.intp)
    codes = np.searchsorted(classes, values)
    known = classes.take(codes, mode="clip") == values
    return codes if known.all() else np.where(known, codes, UNKNOWN)


def columns_of(model: Any, learned: Array, classes: Array) -> NDArray[np.intp]:
    """Return the position of each column of the model's tables among all classes."""
    model_classes = getattr(model, "classes_", None)
    if model_classes is None:
        model_classes = np.unique(learned)
    columns = codes_of(model_classes, len(model_classes), classes)
    if UNKNOWN in columns:
        raise RunError(f"classes_ holds labels that are not in the data: {model_classes}")
    return columns


def _sound_table(
    model: Any, method: str, X: FloatArray, columns: NDArray[np.intp], n_classes: int
) -> tuple[FloatArray | None, str]:
    """Return one value per sample and class, if there is such a method, or what is wrong.

    A model that hangs or crashes fails, since it answers no more.
    """
    if getattr(model, method, None) is None:
        return None, ""
    try:
        with run_errors():
            answer = getattr(model, method)(X)
            return table_from(answer, method, X, columns, n_classes), ""
    except RunError as error:
        if error.status not in ("error", INVALID):
            raise
        text = str(error)
        return None, text if method in text else f"{method} raised {text}"


def table_from(
    answer: Any, method: str, X: FloatArray, columns: NDArray[np.intp], n_classes: int
) -> FloatArray:
    """Turn the result of a model's method into one value per sample and class."""
    values = _numbers(answer, method)
    expected = (len(X), len(columns))
    if values.shape != expected:
        raise RunError(f"{method} gave shape {values.shape} instead of {expected}")
    if method == "predict_proba":
        _require_probabilities(values)
    elif np.isnan(values).any():
        raise _invalid(f"{method} gave NaN", np.isnan(values).any(axis=1))
    if len(columns) == n_classes:
        return values
    # A class without a training sample has probability zero.
    table = np.full((len(X), n_classes), 0.0 if method == "predict_proba" else -np.inf)
    table[:, columns] = values
    return table


def _require_probabilities(probabilities: FloatArray) -> None:
    """Raise unless rows are probabilities: not NaN, within 0 and 1, with sum 1."""
    largest = 1 + PROBABILITY_ROUNDING
    with np.errstate(invalid="ignore"):
        sums = probabilities.sum(axis=1)
        faults = {
            "NaN": np.isnan(probabilities).any(axis=1),
            "values below 0": (probabilities < 0).any(axis=1),
            "values above 1": (probabilities > largest).any(axis=1),
            "sums other than 1": ~(np.abs(sums - 1) <= PROBABILITY_ROUNDING),
        }
    for fault, is_bad in faults.items():
        if is_bad.any():
            raise _invalid(f"predict_proba gave {fault}", is_bad)


def _invalid(what: str, is_bad: Any) -> RunError:
    return RunError(f"{what} in {int(is_bad.sum()):,} of {len(is_bad):,} rows", INVALID)


def _numbers(answer: Any, method: str) -> FloatArray:
    """Return the result of a method as float64; raise for text, even if it is digits."""
    values = np.asarray(answer)
    is_text = values.dtype.kind == "O" and any(isinstance(v, str) for v in values.flat)
    if is_text or values.dtype.kind not in "fiubO":
        kind = "text" if is_text or values.dtype.kind in "US" else str(values.dtype)
        raise RunError(f"{method} gave {kind} instead of numbers", INVALID)
    return values.astype(np.float64)


# Largest difference of probabilities between joint and single fits.
ROUNDING = 1e-9


@dataclass(frozen=True)
class BatchPredictions:
    """The predictions of one implementation, by the place of the run in its batch."""

    name: str  # Of the implementation
    runs: dict[int, Predictions] = field(default_factory=dict)
    failures: dict[int, RunError] = field(default_factory=dict)
    warnings: dict[int, str] = field(default_factory=dict)  # Of runs with any


def batch_predictions(
    sample: Sample,
    splits: Sequence[Split],
    entry: Implementation,
    *,
    together: bool = False,
) -> BatchPredictions:
    """Return the predictions of new models in these runs."""
    batch = BatchPredictions(entry.name)
    if entry.ahead is not None and takes_manifest(entry.specification):
        X, y = sample.X, sample.y
        sides = [(s.train, np.concatenate((s.train, s.test))) for s in splits]
        entry = entry.ahead(entry, [(X[train], y[train], X[both]) for train, both in sides])
    if together and entry.together is not None:
        batch.runs.update(predictions_together(entry, sample, splits))
    elif entry.posterior is not None:
        batch.runs.update(scored_predictions(entry, sample, splits))
    for place, split in enumerate(splits):
        if place in batch.runs:
            continue
        with warnings_kept() as texts:
            try:
                batch.runs[place] = _in_full(entry, sample, split)
            except RunError as error:
                batch.failures[place] = error
        if texts:
            batch.warnings[place] = warned(texts)
    return batch


def predictions_together(
    entry: Implementation, sample: Sample, splits: Sequence[Split]
) -> dict[int, Predictions]:
    """Return the predictions of all these runs, or of none if anything is unusual.

    Labels equal those of single fits, probabilities up to rounding. There are no joint
    log-likelihoods.
    """
    if entry.together is None:
        return {}
    masks = np.zeros((len(splits), len(sample.X)), dtype=bool)
    for mask, split in zip(masks, splits, strict=True):
        mask[split.train] = True
    predicted: dict[int, Predictions] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            for labels, tables in entry.together(sample.X, sample.codes, masks):
                for codes, table in zip(labels.astype(np.intp), tables, strict=True):
                    split = splits[len(predicted)]
                    sides = codes[split.train], codes[split.test], table[split.test]
                    predicted[len(predicted)] = Predictions(*sides, None)
            is_right = _is_confirmed(
                entry, sample, splits[0], predicted[0], rounding=ROUNDING
            )
        except (Warning, ValueError):
            return {}
    return predicted if is_right else {}


def scored_predictions(
    entry: Implementation, sample: Sample, splits: Sequence[Split]
) -> dict[int, Predictions]:
    """Return the predictions of all runs except those with anything unusual.

    That is an exception, a warning, a class without training samples or a score that is
    not finite.
    """
    from sklearn import config_context

    scores = {}
    # The data are finite, and the prediction in full validates the parameters.
    with config_context(assume_finite=True, skip_parameter_validation=True):
        for place, split in enumerate(splits):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                try:
                    table = _scores(entry, sample, split)
                except Exception:  # noqa: BLE001, S112  the prediction in full records it
                    continue
            if table is not None:
                scores[place] = table
    if not scores or entry.posterior is None:
        return {}
    n_train = len(splits[0].train)
    stacked_scores = np.stack(list(scores.values()))
    labels, joint = stacked_scores.argmax(axis=2), stacked_scores[:, n_train:]
    flat = np.ascontiguousarray(joint).reshape(-1, joint.shape[2])
    probabilities = entry.posterior(flat).reshape(joint.shape)
    columns = (labels[:, :n_train], labels[:, n_train:], probabilities, joint)
    each = zip(scores, *columns, strict=True)
    predicted = {place: Predictions(*values) for place, *values in each}
    first = next(iter(predicted))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        is_right = _is_confirmed(entry, sample, splits[first], predicted[first])
    return predicted if is_right else {}


def _scores(entry: Implementation, sample: Sample, split: Split) -> FloatArray | None:
    """Return the scores of training and test samples; None if anything is unusual."""
    rows = sample.X[np.concatenate((split.train, split.test))]
    model = entry.make()
    model.fit(rows[: len(split.train)], sample.y[split.train])
    if not np.array_equal(model.classes_, sample.classes):
        return None
    scores: FloatArray = model.predict_joint_log_proba(rows)
    return scores if np.isfinite(scores).all() else None


def _in_full(entry: Implementation, sample: Sample, split: Split) -> Predictions:
    X_train, X_test = sample.X[split.train], sample.X[split.test]
    return predictions(entry, X_train, sample.y[split.train], X_test, sample.classes)


def _is_confirmed(
    entry: Implementation,
    sample: Sample,
    split: Split,
    predicted: Predictions,
    *,
    rounding: float = 0.0,
) -> bool:
    """Return whether a prediction in full agrees, probabilities up to `rounding`."""
    try:
        full = _in_full(entry, sample, split)
    except RunError:
        return False
    if full.probabilities is None or predicted.probabilities is None:
        return False
    joint: Any = predicted.joint_log_likelihood
    full_joint: Any = full.joint_log_likelihood
    return (
        np.array_equal(predicted.train, full.train)
        and np.array_equal(predicted.test, full.test)
        and bool(np.abs(predicted.probabilities - full.probabilities).max() <= rounding)
        and (joint is None or np.array_equal(joint, full_joint))
    )
