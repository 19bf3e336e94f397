"""Times of fit, predict and predict_proba of several implementations on one split."""

import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from statistics import median
from typing import Any, Protocol, Self

import numpy as np

from gnbbench.arrays import Array
from gnbbench.implementations.adapting import fitted_model, learns_when_asked, prepared_call
from gnbbench.measurement import rounds
from gnbbench.measurement.predictions import RunError, run_errors
from gnbbench.measurement.timing import OVERRUN, TimingPlan, Timings, measure
from gnbbench.records import NULL_COMPETITOR, OPERATIONS, READ_COMPETITOR
from gnbbench.tracebacks import pass_on_interruption


class Estimator(Protocol):
    """What can be timed; ``predict`` and ``predict_proba`` are optional."""

    def fit(self, X: Any, y: Any) -> object:
        """Learn from training samples."""


Makers = Mapping[str, Callable[[], Estimator]]  # Of unfitted models, by name


@dataclass(frozen=True, slots=True)
class ImplementationTimings:
    """Times of every operation of several implementations on one split, ready to store.

    Memory layout, hash seed and order of libraries are the same in all rounds of a process;
    only another process varies them.
    """

    rows: Sequence[rounds.Row]  # Of `gnbbench.records.Records.timings`, in the order timed
    notes: Mapping[str, Any]  # `gnbbench.records.Records.timing_notes`, ready for JSON

    @property
    def skipped(self) -> Mapping[str, str]:
        """Implementation -> operations that were not timed, and why."""
        reasons: Mapping[str, str] = self.notes["skipped"]
        return reasons

    def with_skipped(self, reasons: Mapping[str, str]) -> Self:
        """Add reasons why some times are missing."""
        return replace(self, notes={**self.notes, "skipped": {**self.skipped, **reasons}})


def process_timings(
    timed: Mapping[str, Timings], skipped: Mapping[str, str], plan: TimingPlan
) -> ImplementationTimings:
    """Return the times taken by one process."""
    rows = [
        (operation, t.names[column], r, position, float(t.seconds[r, column]))
        for operation, t in timed.items()
        for r, order in enumerate(t.orders.tolist())
        for position, column in enumerate(order)
    ]
    fields = ("cold_seconds", "spent_seconds", "noise", "pools_after", "is_precise")
    notes = {
        "regime": plan.sentence(),
        "taken": datetime.now(UTC).isoformat(timespec="seconds"),
        "inner_counts": {name: t.inner_count for name, t in timed.items()},
        "warnings": [f"{name}: {w}" for name, t in timed.items() for w in t.warnings()],
        "skipped": dict(skipped),
        "plan": asdict(plan),
        "rounds": {name: len(t.seconds) for name, t in timed.items()},
        **{key: {name: getattr(t, key) for name, t in timed.items()} for key in fields},
    }
    return ImplementationTimings(rows, notes)


# Notes that all processes share; the others are kept per process.
_TOGETHER = ("regime", "taken", "warnings", "skipped", "plan")


def repeated(
    parts: Sequence[ImplementationTimings], plan: TimingPlan
) -> ImplementationTimings:
    """Join the times of several processes; the plan has the budget of all.

    Rounds are numbered consecutively. An implementation that could not be timed in one
    process is left out of that operation.
    """
    if len(parts) == 1:
        return parts[0]
    timed = [dict.fromkeys((row[0], row[1]) for row in part.rows) for part in parts]
    kept = [key for key in timed[0] if all(key in others for others in timed)]
    operations = list(dict.fromkeys(operation for operation, _ in kept))
    rows: list[rounds.Row] = []
    before: Counter[str] = Counter()
    for part in parts:
        rows += [
            (operation, name, before[operation] + r, position, seconds)
            for operation, name, r, position, seconds in part.rows
            if (operation, name) in kept
        ]
        before.update(part.notes["rounds"])
    notes = [part.notes for part in parts]
    colds = [note["cold_seconds"] for note in notes]
    cold: dict[str, dict[str, float]] = {operation: {} for operation in operations}
    for operation, name in kept:
        if all(name in note[operation] for note in colds):
            cold[operation][name] = median(note[operation][name] for note in colds)
    reasons: dict[str, dict[str, None]] = defaultdict(dict)
    for part in parts:
        for name, reason in part.skipped.items():
            reasons[name][reason] = None
    sums = {
        key: {name: sum(note[key][name] for note in notes) for name in operations}
        for key in ("rounds", "spent_seconds")
    }
    return ImplementationTimings(
        sorted(rows, key=lambda row: operations.index(row[0])),
        {
            "regime": f"{plan.sentence()} Repeated in {len(notes)} fresh processes.",
            "taken": notes[0]["taken"],
            "inner_counts": notes[0]["inner_counts"],
            "cold_seconds": cold,
            "warnings": distinct_warnings([note["warnings"] for note in notes]),
            "skipped": {name: "; ".join(texts) for name, texts in reasons.items()},
            "plan": asdict(plan),
            **sums,
            "processes": [
                {key: value for key, value in note.items() if key not in _TOGETHER}
                for note in notes
            ],
        },
    )


def time_implementations(
    factories: Makers,
    X_train: Array,
    y_train: Array,
    X_test: Array,
    *,
    reference: str | None,
    plan: TimingPlan | None = None,
    clock: rounds.Clock = time.perf_counter_ns,
    operations: Sequence[str] = OPERATIONS,
    with_read: bool = False,
    fresh: bool = False,
) -> ImplementationTimings:
    """Time fit, predict and predict_proba, one operation after the other.

    All get the same arrays. Every timed ``fit`` is that of a new object, made outside the
    clock, since a copied or wrapped estimator may cost as much to make as to fit.
    Operations share the budget evenly; budget for precision or noise that is not needed
    goes to later ones. An implementation that raises or lacks an operation is left out of
    it and named in `ImplementationTimings.skipped`; without the reference there are no
    ratios. One read of X may be timed too, as a bound for all that use every value.

    In a fresh process libraries are loaded first, and arrays copied into memory as NumPy
    allocates it.
    """
    if fresh:
        X_train, y_train, X_test = map(np.array, (X_train, y_train, X_test))
        load_libraries(factories, X_train, y_train)
    plan = plan or TimingPlan()
    skipped: dict[str, list[str]] = defaultdict(list)
    timed: dict[str, Timings | None] = {}
    lazy_names = [name for name, make in factories.items() if learns_when_asked(make)]
    calls: Mapping[str, rounds.Preparation] = {
        name: partial(_fit_call, make, X_train, y_train)
        for name, make in factories.items()
        if name not in lazy_names
    }
    models: dict[str, Estimator] = {}
    with rounds.old_objects_set_aside():
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
                sound = {n: make for n, make in factories.items() if n not in skipped}
                models = _models(sound, X_train, y_train, skipped)
                for name in lazy_names:
                    skipped[name].append("fit is not apart from predict")
    return process_timings(
        {operation: timings for operation, timings in timed.items() if timings is not None},
        {name: "; ".join(reasons) for name, reasons in skipped.items()},
        plan,
    )


def load_libraries(makers: Makers, X: Array, y: Array) -> None:
    """Fit each once, so that libraries are loaded before thread pools are limited."""
    for make in makers.values():
        with suppress(RunError), run_errors():
            make().fit(X, y)


def _share(
    plan: TimingPlan, earlier: Sequence[Timings | None], n_operations: int
) -> TimingPlan:
    """Return the plan of the next operation, with the remaining budget."""
    spent = sum(timings.spent_seconds for timings in earlier if timings is not None)
    to_come = n_operations - len(earlier)
    budget = even = plan.budget_seconds / n_operations
    if plan.precision is not None:
        budget = max((plan.budget_seconds - spent) / to_come, even / OVERRUN)
    noisy = plan.noisy_budget_seconds
    if noisy is not None:
        noisy = max((noisy - spent) / to_come, even)
    return replace(plan, budget_seconds=budget, noisy_budget_seconds=noisy)


def _fit_call(factory: Callable[[], Estimator], X: Array, y: Array) -> rounds.Call:
    """Return a call that fits a new estimator."""
    return prepared_call(factory(), "fit", X, y)


def _models(
    factories: Makers, X: Array, y: Array, skipped: dict[str, list[str]]
) -> dict[str, Estimator]:
    """Return one fitted model per implementation whose fit succeeds."""
    models = {}
    for name, factory in factories.items():
        try:
            model = factory()
            answer = model.fit(X, y)
        except BaseException as error:  # noqa: BLE001  third-party code may raise anything
            pass_on_interruption(error)
            skipped[name].append(f"fit {rounds.CallFailedError(name, error).reason}")
        else:
            models[name] = fitted_model(model, answer)
    return models


def _offered(
    models: Mapping[str, Estimator], operation: str, X: Array, skipped: dict[str, list[str]]
) -> dict[str, rounds.Preparation]:
    """Return the calls of an operation on the models that offer it."""
    calls: dict[str, rounds.Preparation] = {}
    for name, model in models.items():
        if getattr(model, operation, None):
            calls[name] = partial(prepared_call, model, operation, X)
        else:
            skipped[name].append(f"{operation} is not offered")
    return calls


def _measure_sound(
    operation: str,
    calls: Mapping[str, rounds.Preparation],
    *,
    read: rounds.Preparation | None,
    plan: TimingPlan,
    reference: str | None,
    clock: rounds.Clock,
    skipped: dict[str, list[str]],
) -> Timings | None:
    """Time the calls that do not raise, without the others."""
    sound = dict(calls)
    while sound:
        competitors = sound if read is None else {**sound, READ_COMPETITOR: read}
        present = reference if reference in sound else None
        try:
            return measure(competitors, plan, reference=present, clock=clock)
        except rounds.CallFailedError as error:
            failed = error.name
            if failed == NULL_COMPETITOR and reference is not None:
                failed = reference
            skipped[failed].append(f"{operation} {error.reason}")
            del sound[failed]
    return None


def distinct_warnings(
    warnings: Sequence[Sequence[str]], places: str = "processes"
) -> list[str]:
    """Return the warnings of several places, merged if only numbers differ."""
    alike: dict[str, list[str]] = defaultdict(list)
    for of_process in warnings:
        shapes: dict[str, str] = {}
        for text in of_process:
            shapes.setdefault(re.sub(r"\S*\d\S*", "#", text), text)
        for shape, text in shapes.items():
            alike[shape].append(text)
    return [f"{t[0]} (In {len(t)} of {len(warnings)} {places}.)" for t in alike.values()]
