"""Checks and their results, and calls that scikit-learn's contract allows."""

import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.arrays import Array, FloatArray
from gnbbench.implementations.adapting import fitted_model, kind_of
from gnbbench.words import plural

Outcome = Literal["pass", "fail", "not applicable", "crash", "timeout"]


@dataclass(frozen=True)
class Finding:
    """The finding of a check."""

    # Compared with the check's tolerance; None for a yes-or-no check
    measured: float | None = None
    holds: bool = True  # False if the statement is violated whatever the number
    # One line of evidence: the worst case, the exception, or the wrong answer
    message: str = ""


Examine = Callable[[Callable[[], Any]], Finding]
Asks = TypeVar("Asks", bound=Callable[..., Finding])


@dataclass(frozen=True)
class HardCase:
    """Something that an implementation of Gaussian naive Bayes must get right."""

    id: str  # Unique, in kebab case: ``"offset-1e9"``
    family: str  # Its family, such as ``"offsets"``
    statement: str  # What must hold, in one sentence
    # Maximum of the measured number; None for a yes-or-no check
    tolerance: float | None
    unit: str  # Of the measured number: ``"relative error"``, ``"labels"``
    source: str  # Where the requirement and its tolerance come from
    # Takes a maker of unfitted models and returns a Finding; raises
    # `gnbbench.conformance.contract.NotOffered` if the model lacks a required feature
    examine: Examine


class Criterion(NamedTuple):
    """The unit of a finding's number and its maximum."""

    unit: str
    tolerance: float | None  # None for a yes-or-no check


WRONG_LABELS = Criterion("labels", 0.0)
YES_OR_NO = Criterion("yes or no", None)


@dataclass(frozen=True)
class Family:
    """Checks of one kind in battery order, and what most of them share."""

    name: str
    source: str
    measure: Criterion = WRONG_LABELS
    on: Callable[[], Any] | None = None  # Returns the default problem, in fresh arrays
    checks: list[HardCase] = field(default_factory=list)

    def check(
        self,
        id: str,  # noqa: A002  the field of a check
        statement: str,
        *,
        on: Callable[[], Any] | None = None,
        measure: Criterion | None = None,
        source: str | None = None,
    ) -> Callable[[Asks], Asks]:
        """Return a decorator that adds a function as a check.

        The function takes the problem, if there is one, and a maker of models.
        """
        problem, (unit, tolerance) = on or self.on, measure or self.measure
        requirement = (statement, tolerance, unit, source or self.source)

        def added(ask: Asks) -> Asks:
            examine = ask if problem is None else lambda make: ask(problem(), make)
            self.checks.append(HardCase(id, self.name, *requirement, examine))
            return ask

        return added


@dataclass(frozen=True)
class Result:
    """The result of one check."""

    check: HardCase
    outcome: Outcome
    measured: float | None  # The number measured, if any, in the check's unit
    message: str  # One line: the evidence, what is missing, or how the process ended
    seconds: float  # Wall time of the check


@dataclass(frozen=True)
class Conformance:
    """All results of the battery for one implementation."""

    implementation: str  # Its name
    description: str  # One line
    version: str  # Version of its library; empty if unknown
    results: tuple[Result, ...]  # In the order of the battery


Make = Callable[[], Any]


class NotOffered(Exception):  # noqa: N818  not an error: the check does not apply
    """The implementation has no such method, argument, parameter or attribute."""


class BrokenContract(Exception):  # noqa: N818  a finding about the model, not our error
    """The implementation returned an impossible answer."""


def fitted(make: Make, X: ArrayLike, y: ArrayLike, **arguments: Any) -> Any:
    """Return a fresh model fitted to the samples."""
    model = make()
    for name in arguments:
        require_argument(model, "fit", name)
    return fitted_model(model, model.fit(X, y, **arguments))


def learned_in_batches(
    make: Make, batches: list[tuple[Array, Array]], classes: ArrayLike, **arguments: Any
) -> Any:
    """Return a fresh model that learned one batch after another."""
    model = make()
    require(model, "partial_fit")
    for name in arguments:
        require_argument(model, "partial_fit", name)
    first = {"classes": classes} if has_argument(model, "partial_fit", "classes") else {}
    for number, (X, y) in enumerate(batches):
        chosen = {name: values[number] for name, values in arguments.items()}
        model.partial_fit(X, y, **(first if number == 0 else {}), **chosen)
    return model


def configured(make: Make, **parameters: Any) -> Any:
    """Return a fresh model with constructor parameters, by scikit-learn's names."""
    model = make()
    by_name = hasattr(model, "get_params") and hasattr(model, "set_params")
    known = model.get_params() if by_name else vars(model)
    for name in parameters:
        if name not in known:
            raise NotOffered(f"it has no parameter {name}")
    if parameters and all(has_argument(model, "__init__", name) for name in parameters):
        with suppress(TypeError):  # A constructor, which may change them, may need others
            return type(model)(**{**(known if by_name else {}), **parameters})
    if by_name:
        model.set_params(**parameters)
    else:
        for name, value in parameters.items():
            setattr(model, name, value)
    return model


def require_batches(make: Make) -> None:
    """Raise NotOffered unless partial_fit takes batches and the classes in advance."""
    model = make()
    require(model, "partial_fit")
    require_argument(model, "partial_fit", "classes")


def require(model: Any, *names: str) -> None:
    """Raise NotOffered unless the model has each attribute or method."""
    for name in names:
        if getattr(model, name, None) is None:
            raise NotOffered(f"it has no {name}")


def require_argument(model: Any, method: str, name: str) -> None:
    """Raise NotOffered unless a method takes an argument of that name."""
    if not has_argument(model, method, name):
        raise NotOffered(f"{method} takes no {name}")


def has_argument(model: Any, method: str, name: str) -> bool:
    """Return whether a method takes an argument of that name."""
    try:
        return name in inspect.signature(getattr(model, method)).parameters
    except (TypeError, ValueError):
        return False


def labels_of(model: Any, X: ArrayLike) -> Array:
    """Return the predicted labels."""
    answer = model.predict(X)
    labels = np.asarray(answer)
    if labels.shape != (np.shape(X)[0],):
        gave = f"shape {labels.shape}" if labels.ndim else kind_of(answer)
        raise BrokenContract(f"predict gave {gave} for {plural(np.shape(X)[0], 'row')}")
    return labels


def parameters_of(model: Any, y: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the learned means and variances in float64, classes in sorted order."""
    require(model, "theta_")
    spread = "sigma_" if hasattr(model, "sigma_") and not hasattr(model, "var_") else "var_"
    require(model, spread)
    order = class_order(model, y)
    theta, var = (by_class(model, name, y)[order] for name in ("theta_", spread))
    return theta, var


def by_class(model: Any, name: str, y: ArrayLike) -> FloatArray:
    """Return an attribute of a model, in the order of its classes if they are its keys."""
    values = getattr(model, name)
    if isinstance(values, Mapping):
        learned = np.asarray(getattr(model, "classes_", np.unique(y))).tolist()
        values = [values[label] for label in learned]
    return np.asarray(values, dtype=np.float64)


def class_order(model: Any, y: ArrayLike) -> NDArray[np.intp]:
    """Return the model's index of each class, in sorted order of the labels."""
    expected = np.unique(y)
    learned = np.asarray(getattr(model, "classes_", expected))
    order = np.argsort(learned)
    if not np.array_equal(learned[order], expected):
        with np.printoptions(threshold=8, edgeitems=2):
            raise BrokenContract(f"classes_ is {learned} for labels {expected}")
    return order


def table_of(model: Any, method: str, X: ArrayLike, y: ArrayLike) -> FloatArray:
    """Call a method like ``predict_proba``; return its columns in order of the labels."""
    require(model, method)
    order = class_order(model, y)
    try:
        table = np.asarray(getattr(model, method)(X), dtype=np.float64)
    except NotImplementedError as error:
        raise NotOffered(f"its {method} is not implemented") from error
    if table.shape != (np.shape(X)[0], len(order)):
        raise BrokenContract(
            f"{method} gave shape {table.shape} for {plural(np.shape(X)[0], 'row')} and "
            f"{len(order)} classes"
        )
    return table[:, order]


ROUNDING = 1e-10
"""How much two ways to the same model may differ.

At most 2 n u T = 2 * 60 * 1.1e-16 * 1e3 = 1.3e-11 for n rows, unit roundoff u and terms
of a log-likelihood up to T (Higham 2002, section 4.2), while the smallest fault
of interest, a wrong amount of smoothing, shows as 1e-9 or more.
"""

SAME_MODEL = Criterion("difference", ROUNDING)

ANY_SMOOTHING = 1e-8
"""Fraction of a variance that counts as smoothing, ten times that of scikit-learn."""


def wrong_labels(model: Any, X: ArrayLike, expected: Array) -> Finding:
    """Count wrong predicted labels."""
    predicted = labels_of(model, X)
    both = zip(predicted, expected, strict=True)
    wrong = np.array([got != want for got, want in both], dtype=bool)
    if not wrong.any():
        return Finding(0.0, message=f"all {len(expected)} labels right")
    row = int(wrong.argmax())
    pair = predicted[row], expected[row]
    got, wanted = (f"'{label}'" if isinstance(label, str) else label for label in pair)
    counted = labels_text(int(wrong.sum()), len(expected), "wrong")
    message = f"{counted}, the first in row {row}: {got} instead of {wanted}"
    return Finding(float(wrong.sum()), message=message)


def right_and_finite(model: Any, X: ArrayLike, expected: Array, y: ArrayLike) -> Finding:
    """Count wrong labels, also by probabilities; the check fails if one is invalid."""
    finding = wrong_labels(model, X, expected)
    try:
        table = table_of(model, "predict_proba", X, y)
    except NotOffered:
        return finding
    except BrokenContract as error:
        message = f"{finding.message}; {error}" if finding.measured else str(error)
        return Finding(finding.measured, holds=False, message=message)
    odd = ~((table >= 0.0) & (table <= 1.0 + ROUNDING)).all(axis=1)
    if odd.any():
        message = f"probabilities {table[odd][0].tolist()} in row {int(odd.argmax())}"
        return Finding(finding.measured, holds=False, message=message)
    if finding.measured:
        return finding
    likeliest = differing_labels(np.unique(y)[table.argmax(axis=1)], expected, "wrong")
    message = f"{likeliest.message} by predict_proba"
    return replace(likeliest, message=message) if likeliest.measured else finding


def differing_labels(got: Array, expected: Array, verb: str = "") -> Finding:
    """Count labels that differ, or are wrong if the verb says so."""
    n_changed = int((got != expected).sum())
    return Finding(float(n_changed), message=labels_text(n_changed, len(expected), verb))


def labels_text(number: int, total: int, verb: str = "") -> str:
    """Return in words how many labels differ."""
    shown = verb or ("differs" if number == 1 else "differ")
    return f"{number:,} of {total:,} {'label' if total == 1 else 'labels'} {shown}"


def largest_error(errors: FloatArray, *, by_row: bool = False) -> Finding:
    """Return the largest error and its location."""
    place = np.unravel_index(int(np.argmax(errors)), errors.shape)
    where = ", ".join(str(int(index)) for index in place)
    where = f"in row {int(place[0])}" if by_row else f"at [{where}]"
    return Finding(float(errors[place]), message=f"largest {where}")


def alike(first: Any, second: Any, X: ArrayLike, y: ArrayLike) -> Finding:
    """Return how much two models that should be equal differ, each asked with a copy.

    A NaN beside a number counts as infinite.
    """
    gaps: dict[str, float] = {}
    with suppress(NotOffered), np.errstate(all="ignore"):
        (theta, var), (mean, variance) = (parameters_of(m, y) for m in (first, second))
        gaps["theta_"] = float((np.abs(theta - mean) / np.sqrt(variance)).max())
        gaps["var_"] = float((np.abs(var - variance) / variance).max())
    with suppress(NotOffered):
        name = "predict_proba"
        table, expected = (table_of(m, name, np.array(X), y) for m in (first, second))
        same = (table == expected) | (np.isnan(table) & np.isnan(expected))
        gaps[name] = float(np.where(same, 0.0, np.abs(table - expected)).max())
    sizes = {name: np.inf if np.isnan(gap) else gap for name, gap in gaps.items()}
    worst = max(sizes, key=sizes.__getitem__, default="labels alone")
    measured = gaps.get(worst, 0.0)
    labels, others = (labels_of(model, np.array(X)) for model in (first, second))
    n_changed = int((labels != others).sum())
    if n_changed:
        message = labels_text(n_changed, np.shape(X)[0])
        return Finding(measured, holds=False, message=message)
    return Finding(measured, message=f"labels equal; largest difference in {worst}")


def variance_errors(var: FloatArray, exact: FloatArray) -> FloatArray:
    """Return relative errors of variances, ignoring a common smoothing.

    Another check tests its amount: a constant of up to `ANY_SMOOTHING` is subtracted.
    """
    excess = var - exact
    smoothing = np.clip(np.median(excess), 0.0, ANY_SMOOTHING * exact.max())
    return np.abs(excess - smoothing) / exact
