"""For your own tests: agreement with a reference, and the battery of hard cases.

Both say why they fail: the assertion's message is a diagnosis, or what a check measured.
"""

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.conformance import HardCase, Result, run_check
from gnbbench.conformance.battery import checks_of, require_check
from gnbbench.diagnosis import Diagnosis, diagnose
from gnbbench.errors import ImplementationError
from gnbbench.implementations import Implementation, implementation
from gnbbench.implementations.catalogue import check_installed
from gnbbench.measurement.predictions import Predictions, RunError, predictions
from gnbbench.splits import DEFAULT_SEED, DEFAULT_TEST_SIZE, Split, splits
from gnbbench.words import plural

__all__ = ["ReadyCheck", "assert_agreement", "conformance_checks"]

Test = TypeVar("Test", bound=Callable[..., object])

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
        precision iris and wine need 1e-5, digits 0.1; with 1, labels alone are compared.

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
    data = (samples, labels)
    entry, held_against = implementation(model, data), implementation(reference, data)
    differences = _differences(
        entry, held_against, samples, labels, cut=cut, tolerance=probability_tolerance
    )
    if not differences:
        return
    pairs = [(split.train, split.test) for split in cut]
    diagnosis = diagnose(entry, held_against, samples, labels, pairs)
    head = (
        f"{entry.name} does not agree with {held_against.name} over {runs} splits "
        f"(test_size={test_size:g}, seed={seed}): {differences}."
    )
    raise AssertionError("\n".join([head, *_diagnosis_lines(diagnosis, entry.name)]))


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
    *,
    cut: Sequence[Split],
    tolerance: float,
) -> str:
    """Return how far the answers of all runs are from the reference's; empty for agreement.

    NaN is no agreement.
    """
    differing, largest, failures = [], 0.0, []
    for split in cut:
        try:
            expected = _predictions(reference, X, y, split)
        except RunError as error:
            remedy = "Give other data, or another reference."
            what = f"fails on run {split.run} ({error})"
            raise ImplementationError(reference.name, what, remedy) from error
        try:
            answers = _predictions(entry, X, y, split)
        except RunError as error:
            failures.append(" ".join(str(error).split()))
            continue
        differing.append(int(np.count_nonzero(answers.test != expected.test)))
        if answers.probabilities is not None and expected.probabilities is not None:
            gaps = np.abs(answers.probabilities - expected.probabilities)
            largest = max(largest, float(gaps.max()))
    parts = []
    if failures:
        parts.append(f"no answer in {plural(len(failures), 'run')} ({failures[0]})")
    of = f"of {len(differing) * len(cut[0].test)} labels differ"
    if any(differing):
        n_runs = plural(sum(number > 0 for number in differing), "run")
        parts.append(f"{sum(differing)} {of}, in {n_runs}")
    if not largest <= tolerance:
        parts += [f"none {of}"] if differing and not any(differing) else []
        parts.append(
            f"largest probability difference {largest:.2g}, at most {tolerance:.2g} allowed"
        )
    return "; ".join(parts)


def _predictions(
    entry: Implementation, X: NDArray[np.float64], y: NDArray[Any], split: Split
) -> Predictions:
    """Return the answers of one run; a warning is no answer and no failure."""
    train = (X[split.train], y[split.train])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return predictions(entry, *train, X[split.test], np.unique(y))


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
        f"  run {row.run}, sample {row.row}: {name} says {_plain(row.label)}, the "
        f"reference {_plain(row.reference_label)}, the truth is {_plain(row.truth)} "
        f"({row.cause or 'no cause found'})"
        for row in shown
    ]
    return lines


def _plain(label: Any) -> str:
    """Return a label as a user writes it, whatever NumPy calls it."""
    return repr(label.item() if isinstance(label, np.generic) else label)


@dataclass(frozen=True, repr=False)
class ReadyCheck:
    """One check of the battery with the implementation that it is to examine.

    Parameters
    ----------
    check : HardCase
        Its id, family, statement, tolerance and source.
    make : callable
        Returns a fresh unfitted model.
    """

    check: HardCase
    make: Callable[[], Any]

    def __repr__(self) -> str:
        return f"<{self.check.id}: {self.check.statement}>"

    def __call__(self) -> None:
        """Carry the check out, in this process and without a time limit.

        Raises
        ------
        AssertionError
            If what must hold does not; says the number measured, the tolerance, the
            statement and its source.
        pytest.skip.Exception
            If the implementation does not offer what the check asks for.
        """
        __tracebackhide__ = True
        result = run_check(self.check, self.make)
        if result.outcome == "not applicable":
            import pytest

            pytest.skip(result.message)
        if result.outcome != "pass":
            raise AssertionError(failure_text(result))


def conformance_checks(
    model: Any, *, only: Iterable[str] = (), expected_failures: Iterable[str] = ()
) -> Callable[[Test], Test]:
    """Return a decorator that makes one test of a function for each check of the battery.

    The function takes an argument ``check``, which is called without arguments. What the
    implementation does not offer is skipped with the reason.

    Parameters
    ----------
    model : class, estimator instance, function or str
        Whatever `gnbbench.implementations.implementation` takes; an instance is copied
        unfitted for every model.
    only : iterable of str, default=()
        Ids or families of checks; all when empty.
    expected_failures : iterable of str, default=()
        Ids of checks whose failure is known: marked ``xfail(strict=True)``, so that one
        that passes after all is told.

    Returns
    -------
    callable
        A mark of pytest, which takes the function and returns it.

    Raises
    ------
    GnbBenchError
        If the implementation cannot be had, or a name is no check's.

    Examples
    --------
    In a file of tests::

        @conformance_checks(MyGNB, expected_failures=["offset-1e12"])
        def test_conformance(check):
            check()
    """
    import pytest

    entry = implementation(model)
    check_installed(entry)
    known_to_fail = tuple(expected_failures)
    for name in known_to_fail:
        require_check(name, "expected_failures")
    expected = pytest.mark.xfail(strict=True, raises=AssertionError, reason="known to fail")
    return pytest.mark.parametrize(
        "check",
        [
            pytest.param(
                ReadyCheck(check, entry.make),
                id=check.id,
                marks=[expected] if check.id in known_to_fail else [],
            )
            for check in checks_of(tuple(only), "only")
        ],
    )


def failure_text(result: Result) -> str:
    """Return what a failed check has to say, a line each: the number comes first."""
    check = result.check
    unit = f" ({check.unit})" if check.unit else ""
    lines = [f"{check.id}: {result.outcome}"]
    if result.measured is not None:
        limit = check.tolerance
        allowed = "" if limit is None else f", at most {limit:g} allowed"
        lines[0] += f", measured {result.measured:.4g}{allowed}{unit}"
    lines += [result.message, f"What must hold: {check.statement}"]
    lines += [f"Source: {check.source}" if check.source else ""]
    return "\n".join(line for line in lines if line)
