"""Times of fit, predict and predict_proba of several implementations on one split."""

import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from statistics import median
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from gnbbench.implementations.adapting import fitted_model, prepared_call
from gnbbench.measurement.environment import Noise
from gnbbench.measurement.predictions import RunError, run_errors
from gnbbench.measurement.rounds import (
    Call,
    CallFailedError,
    Clock,
    Preparation,
    old_objects_set_aside,
)
from gnbbench.measurement.timing import (
    OVERRUN,
    TimingPlan,
    Timings,
    measure_prepared,
)
from gnbbench.processes.interruption import pass_on_interruption
from gnbbench.records import NULL_COMPETITOR, OPERATIONS, READ_COMPETITOR


class Estimator(Protocol):
    """What can be timed: ``predict`` and ``predict_proba`` only where they exist."""

    def fit(self, X: Any, y: Any) -> object:
        """Learn from training samples."""


@dataclass(frozen=True, slots=True)
class ImplementationTimings:
    """Times of every operation of several implementations on one split."""

    # Operations that at least one implementation went through
    operations: Mapping[str, Timings]
    skipped: Mapping[str, str]  # Implementation -> which operation was not timed, and why
    plan: TimingPlan

    def rows(self) -> list[tuple[str, str, int, int, float]]:
        """Return the rows of `gnbbench.records.Records.timings`, in the order timed."""
        return [
            (operation, timed.names[column], r, position, float(timed.seconds[r, column]))
            for operation, timed in self.operations.items()
            for r, places in enumerate(timed.positions)
            for position, column in enumerate(np.argsort(places).tolist())
        ]

    def notes(self) -> dict[str, Any]:
        """Return `gnbbench.records.Records.timing_notes`, ready for JSON."""
        timed = self.operations.items()
        return {
            "regime": self.plan.sentence(),
            "taken": datetime.now(UTC).isoformat(timespec="seconds"),
            "inner_counts": {name: t.inner_count for name, t in timed},
            "cold_seconds": {name: dict(t.cold_seconds) for name, t in timed},
            "warnings": [f"{name}: {text}" for name, t in timed for text in t.warnings()],
            "skipped": dict(self.skipped),
            "plan": asdict(self.plan),
            "rounds": {name: len(t.seconds) for name, t in timed},
            "spent_seconds": {name: t.spent_seconds for name, t in timed},
            "clock_overhead_seconds": {name: t.clock_overhead_seconds for name, t in timed},
            "noise": {name: asdict(t.noise) for name, t in timed},
            "pools_before": {name: t.pools_before for name, t in timed},
            "pools_after": {name: t.pools_after for name, t in timed},
            "is_precise": {name: t.is_precise for name, t in timed},
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """Return the times that another process sent, every dataclass as a dict."""
        timed = {}
        for operation, fields in plain["operations"].items():
            parts = {
                "names": tuple(fields["names"]),
                "plan": TimingPlan(**fields["plan"]),
                "noise": Noise(**fields["noise"]),
            }
            timed[operation] = Timings(**{**fields, **parts})
        return cls(timed, plain["skipped"], TimingPlan(**plain["plan"]))


def time_implementations(
    factories: Mapping[str, Callable[[], Estimator]],
    X_train: NDArray[Any],
    y_train: NDArray[Any],
    X_test: NDArray[Any],
    *,
    reference: str | None,
    plan: TimingPlan | None = None,
    clock: Clock = time.perf_counter_ns,
    operations: Sequence[str] = OPERATIONS,
    with_read: bool = False,
) -> ImplementationTimings:
    """Return times of fit, predict and predict_proba, each operation apart.

    All get the very same arrays. Every timed ``fit`` is that of a fresh object, made
    outside the clock: a copied or wrapped estimator may cost as much to make as to fit.
    Operations share the budget evenly; with a precision, one that reaches it early leaves
    the rest to those after it. Who raises, or lacks an operation, is left out of it and
    named in `ImplementationTimings.skipped`; without the reference there are no ratios. One
    read of X beside them is what whatever looks at every value cannot undercut.
    """
    if reference is not None and reference not in factories:
        raise ValueError(f"reference={reference!r} is not among {list(factories)}.")
    plan = plan or TimingPlan()
    skipped: dict[str, list[str]] = defaultdict(list)
    timed: dict[str, Timings | None] = {}
    calls: Mapping[str, Preparation] = {
        name: partial(_fit_call, make, X_train, y_train) for name, make in factories.items()
    }
    models: dict[str, Estimator] = {}
    with old_objects_set_aside():
        for operation in operations:
            X = X_train if operation == "fit" else X_test
            if operation != "fit":
                calls = _offered(models, operation, X, skipped)
            timed[operation] = _measure_sound(
                operation,
                calls,
                read=partial(getattr, X, "max") if with_read else None,
                plan=_share(plan, list(timed.values()), len(operations)),
                reference=reference,
                clock=clock,
                skipped=skipped,
            )
            if operation == "fit":
                sound = {name: factories[name] for name in calls if name not in skipped}
                models = _models(sound, X_train, y_train, skipped)
    return ImplementationTimings(
        {operation: timings for operation, timings in timed.items() if timings is not None},
        {name: "; ".join(reasons) for name, reasons in skipped.items()},
        plan,
    )


def time_in_fresh_process(
    makers: Mapping[str, Callable[[], Estimator]],
    X_train: NDArray[Any],
    y_train: NDArray[Any],
    X_test: NDArray[Any],
    *,
    reference: str,
    plan: TimingPlan,
) -> ImplementationTimings:
    """Return times of all in a process that has done nothing before.

    The arrays are copied, so that they lie in memory as NumPy lays them, not in that of a
    message.
    """
    arrays = [np.array(array) for array in (X_train, y_train, X_test)]
    load_libraries(makers, *arrays[:2])
    return time_implementations(makers, *arrays, reference=reference, plan=plan)


def load_libraries(
    makers: Mapping[str, Callable[[], Estimator]], X: NDArray[Any], y: NDArray[Any]
) -> None:
    """Fit each, so that libraries are there when thread pools are limited and recorded."""
    for make in makers.values():
        with suppress(RunError), run_errors():
            make().fit(X, y)


def _share(
    plan: TimingPlan, earlier: Sequence[Timings | None], n_operations: int
) -> TimingPlan:
    """Return the plan of the next operation, which takes over what earlier ones left."""
    even = plan.budget_seconds / n_operations
    if plan.precision is None or not earlier:
        return replace(plan, budget_seconds=even)
    spent = sum(timings.spent_seconds for timings in earlier if timings is not None)
    left = (plan.budget_seconds - spent) / (n_operations - len(earlier))
    return replace(plan, budget_seconds=max(left, even / OVERRUN))


def _fit_call(factory: Callable[[], Estimator], X: NDArray[Any], y: NDArray[Any]) -> Call:
    """Return the fit of a fresh estimator, not yet called."""
    return prepared_call(factory(), "fit", X, y)


def _models(
    factories: Mapping[str, Callable[[], Estimator]],
    X: NDArray[Any],
    y: NDArray[Any],
    skipped: dict[str, list[str]],
) -> dict[str, Estimator]:
    """Return one fitted model per implementation whose fit succeeds."""
    models = {}
    for name, factory in factories.items():
        try:
            model = factory()
            answer = model.fit(X, y)
        except BaseException as error:  # noqa: BLE001  foreign code may raise anything
            pass_on_interruption(error)
            skipped[name].append(f"fit {CallFailedError(name, error).reason}")
        else:
            models[name] = fitted_model(model, answer)
    return models


def _offered(
    models: Mapping[str, Estimator],
    operation: str,
    X: NDArray[Any],
    skipped: dict[str, list[str]],
) -> dict[str, Preparation]:
    """Return the calls of an operation for the models that have it."""
    calls: dict[str, Preparation] = {}
    for name, model in models.items():
        if hasattr(model, operation):
            calls[name] = partial(prepared_call, model, operation, X)
        else:
            skipped[name].append(f"{operation} is not offered")
    return calls


def _measure_sound(
    operation: str,
    calls: Mapping[str, Preparation],
    *,
    read: Preparation | None,
    plan: TimingPlan,
    reference: str | None,
    clock: Clock,
    skipped: dict[str, list[str]],
) -> Timings | None:
    """Return the times of those that do not raise, measured without the others."""
    sound = dict(calls)
    while sound:
        competitors = sound if read is None else {**sound, READ_COMPETITOR: read}
        present = reference if reference in sound else None
        try:
            return measure_prepared(competitors, plan, reference=present, clock=clock)
        except CallFailedError as error:
            failed = error.name
            if failed == NULL_COMPETITOR and reference is not None:
                failed = reference
            skipped[failed].append(f"{operation} {error.reason}")
            del sound[failed]
    return None


# Particulars that all processes have together; the others each has for itself.
_TOGETHER = ("regime", "taken", "warnings", "skipped", "plan")


@dataclass(frozen=True, slots=True)
class RepeatedTimings:
    """Times of every operation from one process, or from several one after the other.

    Where memory lies, in which order names are hashed, which libraries came first: a
    process draws that once, for all of its rounds. Only another process draws it anew.
    """

    parts: tuple[ImplementationTimings, ...]  # One for each process, at least one
    plan: TimingPlan  # With the budget of all processes together

    def rows(self) -> list[tuple[str, str, int, int, float]]:
        """Return the rows of `gnbbench.records.Records.timings`, in the order timed.

        Rounds are numbered on from process to process. An implementation that could not
        be timed in one of them is left out of that operation.
        """
        found = []
        for operation, names in self._kept().items():
            rounds = 0
            for part in self.parts:
                found += [
                    (operation, name, rounds + r, position, seconds)
                    for kind, name, r, position, seconds in part.rows()
                    if kind == operation and name in names
                ]
                rounds += len(part.operations[operation].seconds)
        return found

    def notes(self) -> dict[str, Any]:
        """Return `gnbbench.records.Records.timing_notes`, ready for JSON."""
        if len(self.parts) == 1:
            return {**self.parts[0].notes(), "plan": asdict(self.plan)}
        notes = [part.notes() for part in self.parts]
        kept = self._kept()
        return {
            "regime": f"{self.plan.sentence()} Repeated in {len(notes)} fresh processes.",
            "taken": notes[0]["taken"],
            "inner_counts": notes[0]["inner_counts"],
            "cold_seconds": {
                operation: {
                    name: median(one["cold_seconds"][operation][name] for one in notes)
                    for name in names
                    if all(name in one["cold_seconds"][operation] for one in notes)
                }
                for operation, names in kept.items()
            },
            "warnings": told_once([one["warnings"] for one in notes]),
            "skipped": self._skipped(),
            "plan": asdict(self.plan),
            "rounds": {name: sum(one["rounds"][name] for one in notes) for name in kept},
            "spent_seconds": {
                name: sum(one["spent_seconds"][name] for one in notes) for name in kept
            },
            "processes": [
                {key: value for key, value in one.items() if key not in _TOGETHER}
                for one in notes
            ],
        }

    def _kept(self) -> dict[str, list[str]]:
        """Return operation -> the implementations that every process timed."""
        timed = [
            {
                (operation, name)
                for operation, t in part.operations.items()
                for name in t.names
            }
            for part in self.parts
        ]
        everywhere = set.intersection(*timed)
        kept = {
            operation: [name for name in t.names if (operation, name) in everywhere]
            for operation, t in self.parts[0].operations.items()
        }
        return {operation: names for operation, names in kept.items() if names}

    def _skipped(self) -> dict[str, str]:
        reasons: dict[str, dict[str, None]] = {}
        for part in self.parts:
            for name, reason in part.skipped.items():
                reasons.setdefault(name, {})[reason] = None
        return {name: "; ".join(found) for name, found in reasons.items()}


def told_once(warnings: Sequence[Sequence[str]]) -> list[str]:
    """Return the warnings of several processes, those alike but for numbers told once."""
    alike: dict[str, list[str]] = {}
    for of_process in warnings:
        seen = set()
        for text in of_process:
            shape = "".join("#" if letter.isdigit() else letter for letter in text)
            shape = " ".join(word for word in shape.split() if "#" not in word)
            if shape not in seen:
                alike.setdefault(shape, []).append(text)
            seen.add(shape)
    return [
        f"{texts[0]} (In {len(texts)} of {len(warnings)} processes.)"
        for texts in alike.values()
    ]
