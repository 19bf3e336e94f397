"""What one implementation predicts in one run, or why it predicts nothing."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.implementations import Implementation
from gnbbench.processes.client import CallFailure

UNKNOWN = -1


@dataclass(frozen=True)
class Predictions:
    """Labels as class codes, and probabilities in the order of the dataset's classes.

    Those of several runs have one more axis, in front. Code -1 is a label that is none of
    the classes; tables are None where they are not offered.
    """

    train: NDArray[np.intp]
    test: NDArray[np.intp]
    probabilities: NDArray[np.float64] | None  # (n_test, n_classes)
    joint_log_likelihood: NDArray[np.float64] | None  # (n_test, n_classes)

    @property
    def tables(self) -> tuple[bool, bool]:
        """Whether there are probabilities, and whether there are likelihoods."""
        return self.probabilities is not None, self.joint_log_likelihood is not None


def stacked(runs: Sequence[Predictions]) -> Predictions:
    """Return the predictions of several runs, which offer the same tables, as one."""

    def column(name: str) -> Any:
        values = [getattr(run, name) for run in runs]
        return None if values[0] is None else np.stack(values)

    return Predictions(
        column("train"),
        column("test"),
        column("probabilities"),
        column("joint_log_likelihood"),
    )


class RunError(Exception):
    """An implementation failed in a run; the message goes into the records."""

    def __init__(self, message: str, status: str = "error") -> None:
        super().__init__(message)
        self.status = status


@contextmanager
def run_errors() -> Iterator[None]:
    """Turn whatever an implementation raises into a `RunError`."""
    try:
        yield
    except RunError:
        raise
    except CallFailure as failure:
        raise RunError(str(failure), failure.status) from failure
    except (Exception, SystemExit) as error:
        raise RunError(f"{type(error).__name__}: {error}") from error


def predictions(
    entry: Implementation,
    X_train: NDArray[np.float64],
    y_train: NDArray[Any],
    X_test: NDArray[np.float64],
    classes: NDArray[Any],
) -> Predictions:
    """Return what a fresh model of an implementation predicts on both sides of a split."""
    with run_errors():
        model = entry.make()
        fitted = model.fit(X_train, y_train)
        model = model if fitted is None else fitted
        train = codes_of(model.predict(X_train), len(X_train), classes)
        test = codes_of(model.predict(X_test), len(X_test), classes)
        columns = columns_of(model, y_train, classes)
        probabilities = table_of(model, "predict_proba", X_test, columns, len(classes))
        joint = table_of(model, "predict_joint_log_proba", X_test, columns, len(classes))
    return Predictions(train, test, probabilities, joint)


def codes_of(labels: Any, n_expected: int, classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the position of each label among the classes, -1 where it is none of them."""
    given = np.asarray(labels)
    if given.shape != (n_expected,):
        raise RunError(f"predict gave shape {given.shape} instead of {(n_expected,)}")
    codes = np.searchsorted(classes, given)
    known = classes.take(codes, mode="clip") == given
    return codes if known.all() else np.where(known, codes, UNKNOWN)


def columns_of(
    model: Any, learned: NDArray[Any], classes: NDArray[Any]
) -> NDArray[np.intp]:
    """Return where each column of the model's tables stands among all classes."""
    own = getattr(model, "classes_", None)
    if own is None:
        own = np.unique(learned)
    columns = codes_of(own, len(own), classes)
    if UNKNOWN in columns:
        raise RunError(f"classes_ holds labels that are not in the data: {own}")
    return columns


def table_of(
    model: Any,
    method: str,
    X: NDArray[np.float64],
    columns: NDArray[np.intp],
    n_classes: int,
) -> NDArray[np.float64] | None:
    """Return one value a sample and class, None where the model has no such method."""
    if not hasattr(model, method):
        return None
    given = np.asarray(getattr(model, method)(X), dtype=np.float64)
    expected = (len(X), len(columns))
    if given.shape != expected:
        raise RunError(f"{method} gave shape {given.shape} instead of {expected}")
    if np.isnan(given).any():
        n_bad = int(np.isnan(given).any(axis=1).sum())
        raise RunError(f"{method} gave NaN in {n_bad} of {len(X)} rows")
    if len(columns) == n_classes:
        return given
    # A class without a training sample has probability zero.
    table = np.full((len(X), n_classes), 0.0 if method == "predict_proba" else -np.inf)
    table[:, columns] = given
    return table
