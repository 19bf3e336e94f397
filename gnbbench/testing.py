"""Helpers for your own tests: agreement with a reference, and the battery of hard cases.

Both explain failures: the assertion message is a diagnosis or the number measured.
"""

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.conformance.battery import checks_of, require_check, run_check
from gnbbench.conformance.contract import HardCase, Result
from gnbbench.diagnosis import Diagnosis, diagnose
from gnbbench.errors import ImplementationError
from gnbbench.implementations import Implementation, implementation
from gnbbench.implementations.catalogue import check_installed
from gnbbench.measurement.predictions import Predictions, RunError, predictions
from gnbbench.splits import DEFAULT_SEED, DEFAULT_TEST_SIZE, Split, splits
from gnbbench.words import plural

__all__ = ["ReadyCheck", "assert_agreement", "conformance_checks"]

Test = TypeVar("Test", bound=Callable[..., object])

# Between rounding, where the order of sums matters up to 1e-9 (digits, whose joint
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
    """Raise unless a model gives the same answers as the reference on many splits.

    All labels must be equal, and no probability may differ by more than the tolerance if
    both offer ``predict_proba``. Run r is ``train_test_split(..., test_size=test_size,
    random_state=seed + r, stratify=y)``.

    Parameters
    ----------
    model : class, estimator instance, function or str
        Anything that `gnbbench.implementations.implementation` takes; an instance is
        copied unfitted for every run.
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    reference : class, estimator instance, function or str, default="sklearn"
    runs : int, default=20
        Number of randomised splits.
    test_size : float, default=0.3
        Fraction of the samples on the test side.
    seed : int, default=42
        Random state of run 0.
    stratify : bool, default=True
        Whether both sides keep the class proportions.
    probability_tolerance : float, default=1e-8
        Largest difference of a probability that counts as rounding. It is absolute, not
        relative: next to 0, a probability is the exponential of a large sum and keeps
        few digits in any implementation. The default is for double precision; in single
        precision iris and wine need 1e-5, digits 0.1; with 1, only labels are compared.

    Raises
    ------
    AssertionError
        If an answer differs or is missing. The message says how much, why (causes with
        evidence), and names the first samples.
    GnbBenchError
        If an implementation is not available, the reference fails on these data, or they
        cannot be split that way.
    ValueError
        If the arrays do not match, or `runs` or the tolerance is out of range.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> assert_agreement("numpy", *load_iris(return_X_y=True), runs=3)
    """
    __tracebackhide__ = True
    samples, labels = _checked(X, y, runs, probability_tolerance)
    cut = splits(labels, range(runs), seed=seed, test_size=test_size, stratify=stratify)
    data = (samples, labels)
    entry, baseline = implementation(model, data), implementation(reference, data)
    differences = _differences(
        entry, baseline, samples, labels, cut=cut, tolerance=probability_tolerance
    )
    if not differences:
        return
    pairs = [(split.train, split.test) for split in cut]
    diagnosis = diagnose(entry, baseline, samples, labels, pairs)
    head = (
        f"{entry.name} does not agree with {baseline.name} over {runs} splits "
        f"(test_size={test_size:g}, seed={seed}): {differences}."
    )
    raise AssertionError("\n".join([head, *_diagnosis_lines(diagnosis, entry.name)]))


def _checked(
    X: ArrayLike, y: ArrayLike, runs: int, tolerance: float
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return the validated arrays; raise if an argument is out of range."""
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
    """Describe how answers differ from the reference's over all runs; empty if they agree.

    NaN counts as a difference.
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
    """Return the answers of one run, ignoring warnings."""
    train = (X[split.train], y[split.train])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        answers = predictions(entry, *train, X[split.test], np.unique(y))
    if answers.fault:
        raise RunError(answers.fault)
    return answers


def _diagnosis_lines(diagnosis: Diagnosis, name: str) -> list[str]:
    """Return the verdict, causes and first disagreements, one line each."""
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
    """Format a label as users write it, without NumPy's type."""
    return repr(label.item() if isinstance(label, np.generic) else label)


@dataclass(frozen=True, repr=False)
class ReadyCheck:
    """A check of the battery, bound to an implementation.

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
        """Run the check in this process, without a time limit.

        Raises
        ------
        AssertionError
            If the check fails; the message has the number measured, the tolerance, the
            statement and its source.
        pytest.skip.Exception
            If the implementation lacks what the check requires.
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
    """Return a decorator that turns a function into a test for each check of the battery.

    The function takes an argument ``check`` and calls it without arguments. Checks that the
    implementation does not support are skipped, with the reason.

    Parameters
    ----------
    model : class, estimator instance, function or str
        Anything that `gnbbench.implementations.implementation` takes; an instance is
        copied unfitted for every model.
    only : iterable of str, default=()
        Ids or families of checks; by default all.
    expected_failures : iterable of str, default=()
        Ids of checks known to fail: marked ``xfail(strict=True)``, so that an unexpected
        pass is reported.

    Returns
    -------
    callable
        A pytest mark, which takes the function and returns it.

    Raises
    ------
    GnbBenchError
        If the implementation is not available, or a check is unknown.

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
    """Describe a failed check, starting with the number measured."""
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
