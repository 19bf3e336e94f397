"""The whole study: what it leaves behind, survives and resumes."""

import copy
import gzip
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from faults.studies import scale_prepared

from gnbbench.core import GaussianNB
from gnbbench.errors import ResultsError
from gnbbench.implementations import Implementation, implementation, isolated, isolation
from gnbbench.progress import Silence
from gnbbench.records import NULL_COMPETITOR, READ_COMPETITOR, ScaleRecords
from gnbbench.studies import scale_steps
from gnbbench.studies.options import ScaleOptions
from gnbbench.studies.plan import Prepared, origins, plan_of
from gnbbench.studies.scale import MeasureScaling, PreparedScale, scale_records
from gnbbench.studies.scale_steps import KINDS, GridMeasurement, axis, points_of
from gnbbench.studies.store import Store
from gnbbench.studies.stored import compare_stored
from gnbbench.studies.study import settle


def setting(*others: Any, samples: str = "100:200", processes: int = 1) -> PreparedScale:
    entries = (implementation("numpy"), *others)
    given = zip(KINDS, (samples, "3", "2"), strict=True)
    axes = {kind.name: axis(kind, one) for kind, one in given}
    of_times = {"budget_seconds": 200.0, "processes": processes, "seed": 42, "threads": 1}
    plan = plan_of("scale", axes=axes, **of_times, **origins(entries))
    return Prepared(
        options=ScaleOptions(), plan=plan, dataset=None, entries=entries, stem="scale"
    )


def measured(made: PreparedScale, store: Store) -> ScaleRecords:
    settle(store, made, "gnbbench scale")
    MeasureScaling().measure(made, store, Silence())
    return scale_records(store)


def foreign(kind: str) -> Implementation:
    """Return an isolated implementation that misbehaves when timed."""

    class Other(GaussianNB):
        def predict(self, X: Any) -> Any:
            # When it is timed, not on the first try.
            is_timed = not isolation._makers
            if kind == "dies" and len(X) == 200 and is_timed:
                os._exit(3)
            return super().predict(X)

    return isolated(Implementation(kind, Other, foreign=True), timeout_seconds=30.0)


@pytest.mark.slow
def test_every_table_has_what_was_measured_and_a_finished_study_is_only_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made, store = setting(implementation("density-product"), processes=2), Store()
    records = measured(made, store)

    assert records.points["size"].tolist() == [100, 200]
    assert set(records.looks["status"]) == {"ok"}
    assert records.pairs["disagreements"].tolist() == [0, 0]
    names = {"numpy", "density-product", NULL_COMPETITOR, READ_COMPETITOR}
    for _, rows in records.timings.groupby(["process", "point", "operation"]):
        assert set(rows["implementation"]) == names
    assert set(records.timings["process"]) == {0, 1}
    assert set(records.timings["point"]) == {0, 1}
    assert len(records.memory) == 8
    assert (records.memory["traced_bytes"] > 0).all()
    assert records.losses.empty
    assert records.regime.startswith("Warm")

    def never(*_: Any, **__: Any) -> Any:
        raise AssertionError("measured again")

    monkeypatch.setattr(GridMeasurement, "compare_labels", never)
    assert measured(made, store).timings.equals(records.timings)


@pytest.mark.slow
def test_an_interrupted_study_resumes_and_measures_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, path = setting(samples="100:400"), tmp_path / "runs.sqlite"
    calls: list[int] = []
    real = GridMeasurement._visit

    def interrupted(*given: Any) -> Any:
        calls.append(given[2].number)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(*given)

    monkeypatch.setattr(GridMeasurement, "_visit", interrupted)
    monkeypatch.setattr(GridMeasurement, "measure_memory", lambda _: None)
    with Store(path) as store, pytest.raises(KeyboardInterrupt):
        measured(made, store)
    with Store(path) as store:
        with pytest.raises(ResultsError, match="not finished"):
            scale_records(store)
        records = measured(made, store)

    assert calls == [0, 1, 1, 2]
    assert set(records.timings["point"]) == {0, 1, 2}
    keys = ["process", "point", "operation", "implementation", "round"]
    assert not records.timings.duplicated(keys).any()


@pytest.mark.slow
def test_one_that_takes_the_process_down_is_a_record_and_the_rest_have_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(GridMeasurement, "measure_memory", lambda _: None)
    records = measured(setting(foreign("dies")), Store())

    (loss,) = records.losses.itertuples()
    assert (loss.implementation, loss.status, loss.point) == ("dies", "crash", 1)
    timed = records.timings.groupby("point")["implementation"].unique()
    assert "dies" in timed[0]
    assert "dies" not in timed[1]
    assert "numpy" in timed[1]


def test_processes_beyond_twice_the_budget_are_left_out_with_a_remark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = setting(processes=3)
    moments = iter(range(0, 10**15, 40 * 10**9))
    timed = GridMeasurement.measure_times
    monkeypatch.setattr(
        GridMeasurement,
        "measure_times",
        lambda self: timed(replace(self, clock=lambda: next(moments))),
    )
    monkeypatch.setattr(GridMeasurement, "measure_memory", lambda _: None)
    empty: tuple[Any, Any] = ({"losses": [], "warnings": [], "regime": "Warm."}, [])
    monkeypatch.setattr(GridMeasurement, "_visit", lambda *_: copy.deepcopy(empty))

    # Two visits of 40 s in each process: 240 s, of twice 130 s or of 1.3 times that.
    enough = measured(made, Store()).remarks
    monkeypatch.setattr(scale_steps, "OVERRUN", 1.3)
    too_long = measured(made, Store()).remarks

    assert enough == ()
    assert too_long[0].startswith("Times were taken in 2 of 3 processes")


def test_defaults_are_what_the_documentation_says() -> None:
    plan = scale_prepared().plan

    held = {name: one["held"] for name, one in plan["axes"].items()}
    assert held == {"samples": 10_000, "features": 20, "classes": 5}
    assert (plan["reference"], plan["against"]) == ("sklearn", ["numpy"])
    assert len(points_of(plan["axes"])) == 23
    ours = scale_prepared(reference="numpy", samples="100:200", features=4)
    assert (ours.plan["reference"], ours.plan["against"]) == ("numpy", ["sklearn"])
    assert MeasureScaling().call(ours) == (
        "gnbbench.scale(samples='100:200', features=4, reference='numpy', "
        "against=['sklearn'])"
    )


def test_remarks_stand_in_one_order_whatever_was_measured_first() -> None:
    texts = ["The machine's load was 5.", "The process lost its core once."]
    found = []
    for numbers in ((0, 1), (1, 0)):
        store = Store()
        settle(store, setting(), "gnbbench scale")
        for number in numbers:
            note = {"warnings": [f"fit: {texts[number]}"], "losses": [], "regime": "Warm."}
            store.add({}, {f"{scale_steps.TIMES}{number}": note})
        store.add({}, {"finished": True})
        found.append(scale_records(store).remarks)

    assert found[0] == found[1]
    assert found[0] == tuple(f"{text} (In 1 of 2 measurements.)" for text in texts)


def test_a_study_of_sizes_is_not_held_against_another(tmp_path: Path) -> None:
    golden = Path(__file__).parents[1] / "golden" / "scale" / "runs.sqlite.gz"
    (tmp_path / "runs.sqlite").write_bytes(gzip.decompress(golden.read_bytes()))

    with pytest.raises(ResultsError, match="a study of kind scale cannot be compared"):
        compare_stored(tmp_path, tmp_path)
