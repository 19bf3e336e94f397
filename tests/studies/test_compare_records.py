"""Records depend only on the plan, not on batches, processes or interruptions."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from faults.studies import sweep_prepared
from hypothesis import given, settings
from hypothesis import strategies as st

from gnbbench.data.dataset import from_arrays
from gnbbench.errors import ResultsError
from gnbbench.measurement import batches as cutting
from gnbbench.measurement.batches import RunBatch, evaluated
from gnbbench.progress import Silence
from gnbbench.studies.compare import PreparedSweep, evaluate_missing
from gnbbench.studies.store import Store

Compare = Callable[[Store, Store, int], None]
Tables = Mapping[str, Sequence[tuple[Any, ...]]]

AGAINST = ("numpy", "study-a", "study-b", "study-c", "torchml-like", "density-product")


@dataclass(frozen=True)
class Course:
    """How a plan is carried out, which its records must not show."""

    batch_runs: int  # Most runs in a batch
    # Batches that each call but the last gets done
    interrupted_after: tuple[int, ...] = ()
    jobs: int = 1


class Impatient(Silence):
    """Interrupts once more than a number of batches are written, like Ctrl-C."""

    def __init__(self, n_batches: int) -> None:
        self.n_batches = n_batches

    def advance(self, steps: int) -> None:
        self.n_batches -= steps > 0
        if self.n_batches < 0:
            raise KeyboardInterrupt


@st.composite
def settings_of_plans(draw: st.DrawFn) -> PreparedSweep:
    """Return plans on few samples, rounded: there are ties and constant features."""
    n_classes = draw(st.integers(2, 3))
    n_samples = draw(st.integers(6 * n_classes, 30))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = np.arange(n_samples) % n_classes
    X = random.normal(size=(n_samples, draw(st.integers(1, 3)))) + y[:, np.newaxis]
    dataset = from_arrays(X.round(draw(st.integers(0, 3))), y)
    fractions = draw(st.sets(st.sampled_from([0.01, 0.2, 0.35, 0.5, 0.8]), min_size=1))
    against = draw(st.lists(st.sampled_from(AGAINST), min_size=1, max_size=2, unique=True))
    prepared: PreparedSweep = sweep_prepared(
        dataset,
        against=against,
        runs=draw(st.integers(1, 12)),
        stratify=draw(st.booleans()),
        seed=draw(st.integers(0, 2**32 - 13)),
        # One fraction with a valid split, so that the plan is accepted.
        train_fractions=tuple(sorted({*fractions, 0.5})),
    )
    return prepared


COURSES = st.builds(
    Course,
    batch_runs=st.integers(1, 14),
    interrupted_after=st.lists(st.integers(0, 4), max_size=2).map(tuple),
)


def run_at_a_time(made: PreparedSweep) -> Store:
    """Return the records of runs evaluated one by one."""
    work = [
        RunBatch(point, rule, (run,))
        for point, rule in enumerate(made.rules)
        for run in range(made.options.runs)
    ]
    store = Store()
    store.add({}, {"plan": made.plan})
    for batch, tables in evaluated(made.sample, made.entries, work, jobs=1):
        store.add(tables, point=batch.point)
    return store


def carried_out(made: PreparedSweep, course: Course, store: Store | None = None) -> Store:
    """Return the records of a plan after a course of interrupted calls and a last one."""
    store = store or Store()
    store.add({}, {"plan": made.plan})

    def call(progress: Silence) -> None:
        options = made.options.model_copy(update={"jobs": course.jobs})
        evaluate_missing(replace(made, options=options), store, progress)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cutting, "BATCH_RUNS", course.batch_runs)
        for n_batches in course.interrupted_after:
            # If only these are missing, the call completes.
            with suppress(KeyboardInterrupt):
                call(Impatient(n_batches))
        call(Silence())
    return store


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(made=settings_of_plans(), course=COURSES)
def test_records_equal_those_of_one_run_after_another(
    made: PreparedSweep, course: Course, assert_same_records: Compare
) -> None:
    with run_at_a_time(made) as expected, carried_out(made, course) as found:
        assert_same_records(found, expected, len(made.rules))
        assert all(
            found.finished_runs(point) == set(range(made.options.runs))
            for point in range(len(made.rules))
        )


@pytest.fixture
def fixed() -> PreparedSweep:
    """Give a plan of 9 runs at each of two fractions, with disagreements in each."""
    random = np.random.default_rng(5)
    y = (np.arange(40) % 4 == 0).astype(int)
    X = random.normal(size=(40, 2)) + y[:, np.newaxis]
    dataset = from_arrays(X, y)
    prepared: PreparedSweep = sweep_prepared(
        dataset, against=["study-c"], runs=9, train_fractions=(0.3, 0.6), jobs=1
    )
    return prepared


@pytest.mark.slow
def test_processes_change_nothing(
    fixed: PreparedSweep, assert_same_records: Compare
) -> None:
    """One interruption comes with both workers busy, the other after all is done."""
    course = Course(batch_runs=2, interrupted_after=(1, 8), jobs=2)

    with run_at_a_time(fixed) as expected, carried_out(fixed, course) as found:
        assert_same_records(found, expected, 2)


Fault = Callable[[Tables, int], tuple[Tables, int]]


class Faulty(Store):
    """Changes the batch with run 4 of the second fraction."""

    def __init__(self, fault: Fault) -> None:
        super().__init__()
        self.fault = fault

    def add(self, tables: Tables, notes: Any = None, *, point: int = 0) -> None:
        if point == 1 and any(run == 4 for run, *_ in tables.get("runs", ())):
            tables, point = self.fault(tables, point)
        super().add(tables, notes, point=point)


def doubled(tables: Tables) -> Tables:
    keyed = ("runs", "pairs")
    return {n: rows if n in keyed else [*rows, *rows] for n, rows in tables.items()}


def last_digit(tables: Tables) -> Tables:
    *columns, brier_score = tables["runs"][0]
    rounded = (*columns, np.nextafter(brier_score, 1.0).item())
    return {**tables, "runs": [rounded, *tables["runs"][1:]]}


FAULTS: Mapping[str, Fault] = {
    "lost": lambda _, point: ({}, point),
    "first rows lost": lambda t, point: ({n: rows[1:] for n, rows in t.items()}, point),
    "counted twice": lambda tables, point: (doubled(tables), point),
    "disagreements lost": lambda tables, point: ({**tables, "disagreements": []}, point),
    "at another point": lambda tables, point: (tables, point + 1),
    "last digit": lambda tables, point: (last_digit(tables), point),
    "no time": lambda t, point: ({**t, "timings": [("fit", "sklearn", 0, 0, 0.0)]}, point),
}
CONTRADICTIONS = ("first rows lost", "counted twice", "no time")


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_a_batch_lost_doubled_or_changed_would_be_seen(
    name: str, fixed: PreparedSweep, assert_same_records: Compare
) -> None:
    """Negative control: one batch among six has the fault; the store sees some itself."""
    with (
        run_at_a_time(fixed) as expected,
        carried_out(fixed, Course(batch_runs=3), Faulty(FAULTS[name])) as found,
        pytest.raises(ResultsError if name in CONTRADICTIONS else AssertionError),
    ):
        assert_same_records(found, expected, 2)
