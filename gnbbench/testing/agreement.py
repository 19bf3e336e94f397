"""The same answers as a reference, as one assertion whose message is the diagnosis."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.diagnosis import Diagnosis, diagnose
from gnbbench.errors import ImplementationError
from gnbbench.implementations import Implementation, implementation
from gnbbench.measurement.predictions import Predictions, RunError, predictions
from gnbbench.splits import DEFAULT_SEED, DEFAULT_TEST_SIZE, Split, splits

# Between rounding, which another order of sums moves by up to 1e-9 (digits, whose joint
# log-likelihoods reach 1e7), and the smallest fault: no smoothing, 4e-8 on iris.
PROBABILITY_TOLERANCE = 1e-8
MOST_SHOWN = 5


def assert_agreement(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    reference: Any = "sklearn",
    runs: int = 20,
    test_size: float = DEFAULT_TEST_SIZE,
    seed: int = DEFAULT_SEED,
    stratify: bool = True,
    probability_tolerance: float = PROBABILITY_TOLERANCE,
    labels_only: bool = False,
) -> None:
    """Raise unless a model gives the reference's answers on every one of many splits.

    All labels are the same, and no probability differs by more than the tolerance where
    both offer ``predict_proba``. Run r is ``train_test_split(..., test_size=test_size,
    random_state=seed + r, stratify=y)``.

    Parameters
    ----------
    model : class, estimator instance, function or str
        Whatever `gnbbench.implementations.implementation` takes; an instance is copied
        unfitted for every run.
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    reference : class, estimator instance, function or str, default="sklearn"
    runs : int, default=20
        Number of randomised splits.
    test_size : float, default=0.3
        Share of the samples on the test side.
    seed : int, default=42
        Random state of run 0.
    stratify : bool, default=True
        Whether both sides keep the shares of the classes.
    probability_tolerance : float, default=1e-8
        Largest difference of a probability that counts as rounding. It is absolute, not
        relative: next to 0, a probability is the exponential of a large sum and keeps
        few digits in any implementation. The default is for double precision; in single
        precision iris and wine need 1e-5, digits 0.1.
    labels_only : bool, default=False
        Whether probabilities are left out.

    Raises
    ------
    AssertionError
        If an answer differs or is missing. Says how much differs, why (the causes with
        their evidence), and which samples first.
    GnbBenchError
        If an implementation cannot be had, the reference fails on these data, or they
        cannot be split that way.
    ValueError
        If the arrays do not fit together, or there is no run or no tolerance.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> assert_agreement("numpy", *load_iris(return_X_y=True), runs=3)
    """
    __tracebackhide__ = True
    samples, labels = _checked(X, y, runs, probability_tolerance)
    cut = splits(labels, range(runs), seed=seed, test_size=test_size, stratify=stratify)
    entry, held_against = implementation(model), implementation(reference)
    told = replace(entry, make=partial(_LabelsOnly, entry)) if labels_only else entry
    found = _differences(told, held_against, samples, labels, cut)
    if not found.beyond(probability_tolerance):
        return
    pairs = [(one.train, one.test) for one in cut]
    diagnosis = diagnose(entry, held_against, samples, labels, pairs)
    head = (
        f"{entry.name} does not agree with {held_against.name} over {runs} splits "
        f"(test_size={test_size:g}, seed={seed}): {found.words(probability_tolerance)}."
    )
    raise AssertionError("\n".join([head, *_diagnosis_lines(diagnosis, entry.name)]))


@dataclass(frozen=True)
class _Differences:
    """How far the answers of all runs are from the reference's."""

    n_predictions: int
    n_disagreements: int
    n_runs_differing: int
    largest: float
    failures: tuple[str, ...]

    def beyond(self, tolerance: float) -> bool:
        """Tell whether this is no agreement; NaN is none."""
        return bool(self.failures or self.n_disagreements or not self.largest <= tolerance)

    def words(self, tolerance: float) -> str:
        """Return all that differs, in one line."""
        parts = []
        if self.failures:
            first = " ".join(self.failures[0].split())
            parts.append(f"no answer in {_runs(len(self.failures))} ({first})")
        if self.n_disagreements:
            parts.append(
                f"{self.n_disagreements} of {self.n_predictions} labels differ, "
                f"in {_runs(self.n_runs_differing)}"
            )
        elif self.n_predictions:
            parts.append(f"none of {self.n_predictions} labels differ")
        if not self.largest <= tolerance:
            parts.append(
                f"largest probability difference {self.largest:.2g}, "
                f"at most {tolerance:.2g} allowed"
            )
        return "; ".join(parts)


class _LabelsOnly:
    """Offers fit and predict of an implementation's model, and nothing else."""

    def __init__(self, entry: Implementation) -> None:
        self._model = entry.make()

    def fit(self, X: Any, y: Any) -> Self:
        fitted = self._model.fit(X, y)
        self._model = self._model if fitted is None else fitted
        return self

    def predict(self, X: Any) -> Any:
        return self._model.predict(X)


def _checked(
    X: ArrayLike, y: ArrayLike, runs: int, tolerance: float
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return the arrays if they fit together, and the rest leaves something to assert."""
    samples, labels = np.asarray(X, dtype=np.float64), np.asarray(y)
    if samples.ndim != 2 or labels.shape != samples.shape[:1]:
        raise ValueError(
            f"X of shape {samples.shape} and y of shape {labels.shape} should be "
            "(n_samples, n_features) and (n_samples,)."
        )
    if runs < 1:
        raise ValueError(f"runs={runs} should be at least 1.")
    if not tolerance >= 0.0:
        raise ValueError(f"probability_tolerance={tolerance} should be 0 or more.")
    return samples, labels


def _differences(
    entry: Implementation,
    reference: Implementation,
    X: NDArray[np.float64],
    y: NDArray[Any],
    cut: Sequence[Split],
) -> _Differences:
    classes = np.unique(y)
    differing, largest, failures = [], 0.0, []
    for one in cut:
        try:
            expected = _predictions(reference, X, y, one, classes)
        except RunError as error:
            remedy = "Give other data, or another reference."
            what = f"fails on run {one.run} ({error})"
            raise ImplementationError(reference.name, what, remedy) from error
        try:
            given = _predictions(entry, X, y, one, classes)
        except RunError as error:
            failures.append(str(error))
            continue
        differing.append(int(np.count_nonzero(given.test != expected.test)))
        if given.probabilities is not None and expected.probabilities is not None:
            gaps = np.abs(given.probabilities - expected.probabilities)
            largest = max(largest, float(gaps.max()))
    return _Differences(
        len(differing) * len(cut[0].test),
        sum(differing),
        sum(count > 0 for count in differing),
        largest,
        tuple(failures),
    )


def _predictions(
    entry: Implementation,
    X: NDArray[np.float64],
    y: NDArray[Any],
    one: Split,
    classes: NDArray[Any],
) -> Predictions:
    """Return the answers of one run; a warning is no answer and no failure."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return predictions(entry, X[one.train], y[one.train], X[one.test], classes)


def _diagnosis_lines(diagnosis: Diagnosis, name: str) -> list[str]:
    """Return verdict, causes and the first disagreements, a line each."""
    lines = [f"Diagnosis: {diagnosis.verdict}"]
    for cause in diagnosis.causes:
        explained = f", which explains {cause.explained}" if cause.explained else ""
        lines.append(f"  {cause.cause}{explained}: {' '.join(cause.evidence.split())}")
    if diagnosis.unexplained:
        lines.append(f"  unexplained: {diagnosis.unexplained}")
    shown = diagnosis.disagreements[:MOST_SHOWN]
    if shown:
        lines.append(f"First of {diagnosis.n_disagreements} disagreements:")
    lines += [
        f"  run {one.run}, sample {one.row}: {name} says {_plain(one.label)}, the "
        f"reference {_plain(one.reference_label)}, the truth is {_plain(one.truth)} "
        f"({one.cause or 'no cause found'})"
        for one in shown
    ]
    return lines


def _plain(label: Any) -> str:
    """Return a label as a user writes it, whatever NumPy calls it."""
    return repr(label.item() if isinstance(label, np.generic) else label)


def _runs(number: int) -> str:
    return "1 run" if number == 1 else f"{number} runs"
