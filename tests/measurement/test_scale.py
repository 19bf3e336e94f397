"""One point of a grid of sizes: its samples, a first look, and times."""

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnbbench.core import GaussianNB
from gnbbench.data.gaussians import gaussians
from gnbbench.implementations import Implementation, implementation
from gnbbench.measurement import scale
from gnbbench.measurement.timing import TimingPlan
from gnbbench.processes.client import CallTimeout
from gnbbench.records import NULL_COMPETITOR, READ_COMPETITOR, TABLES


@pytest.mark.parametrize("sizes", [(4, 1, 2), (100, 3, 2), (128, 2, 64), (1000, 5, 64)])
def test_sides_are_equal_and_every_class_is_trained_on(sizes: tuple[int, int, int]) -> None:
    n, d, k = sizes

    X_train, y_train, X_test = scale.scale_samples(n, d, k, seed=3)

    assert X_train.shape == X_test.shape == (n, d)
    assert X_train.dtype == np.float64
    assert X_train.flags.c_contiguous
    assert X_test.flags.c_contiguous
    assert np.bincount(y_train, minlength=k).min() >= 2
    assert len(np.unique(np.concatenate([X_train, X_test]), axis=0)) == 2 * n


def test_they_are_the_draws_of_the_dataset() -> None:
    X_train, y_train, X_test = scale.scale_samples(500, 4, 3, seed=7)

    source = gaussians(n_samples=1000, n_features=4, n_classes=3, seed=7)
    np.testing.assert_array_equal(np.vstack([X_train, X_test]), source.X)
    np.testing.assert_array_equal(y_train, source.y[:500])


def test_the_estimate_grows_with_each_size() -> None:
    sizes = [(10, 10, 10), (20, 10, 10), (20, 20, 10), (20, 20, 20)]

    needed = [scale.needed_bytes(*one) for one in sizes]

    assert needed == sorted(set(needed))
    assert needed[0] > 8 * 10 * (2 * 10)


def test_the_lower_of_machine_and_group_counts(tmp_path: Path) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal: 9 kB\nMemAvailable:    2048 kB\n")
    group = tmp_path / "group"
    group.mkdir()
    (group / "memory.max").write_text("1000000\n")
    (group / "memory.current").write_text("400000\n")

    assert scale.available_bytes(meminfo, tmp_path / "none") == 2048 * 1024
    assert scale.available_bytes(meminfo, group) == 600_000
    (group / "memory.max").write_text("max\n")
    assert scale.available_bytes(meminfo, group) == 2048 * 1024
    assert scale.available_bytes(tmp_path / "none", tmp_path / "none") is None


SAMPLES = scale.scale_samples(200, 3, 2, seed=0)


class Model:
    """One that gives every row the same label, or raises."""

    def __init__(self, raised: Exception | None = None, warned: str = "") -> None:
        self.raised, self.warned = raised, warned

    def fit(self, X: Any, y: Any) -> "Model":  # noqa: ARG002
        if self.raised is not None:
            raise self.raised
        if self.warned:
            warnings.warn(self.warned, stacklevel=1)
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X), dtype=int)


def test_labels_of_both_are_compared_row_by_row() -> None:
    entries = [implementation(name) for name in ("sklearn", "numpy")]
    entries.append(Implementation("constant", Model))

    looks = [scale.probe(entry, SAMPLES, 2) for entry in entries]

    wrong = int((looks[0].labels != 0).sum()) if looks[0].labels is not None else 0
    assert scale.disagreements(looks, "sklearn") == {"numpy": 0, "constant": wrong}
    assert wrong > 50
    assert all(one.status == "ok" and one.seconds > 0 for one in looks)


def test_a_failure_has_its_status_and_no_time() -> None:
    def make(error: Exception) -> Implementation:
        return Implementation("bad", lambda: Model(error))

    error = scale.probe(make(ValueError("no luck")), SAMPLES, 2)
    late = scale.probe(make(CallTimeout("fit", 2.0)), SAMPLES, 2)

    where = rf"\({Path(__file__).name}, line \d+: raise self\.raised\)"
    assert error.status == "error"
    assert re.fullmatch(f"ValueError: no luck {where}", error.message)
    assert (late.status, late.message) == ("timeout", "fit did not answer within 2 s")
    assert np.isnan(error.seconds)
    assert scale.disagreements([error, late], "bad") == {}


def test_the_read_and_the_null_competitor_take_part_where_there_is_a_reference() -> None:
    makers = {"a": GaussianNB, "b": GaussianNB}

    of_point: dict[str, Any] = {"reference": "a", "plan": TimingPlan(rounds=4)}
    timings = scale.time_point(makers, (64, 3, 2), 0, **of_point)
    alone = scale.time_point({"b": GaussianNB}, (64, 3, 2), 0, **of_point)

    table = pd.DataFrame(timings.rows, columns=list(TABLES["timings"]))
    assert table["operation"].unique().tolist() == ["fit", "predict"]
    for _, rows in table.groupby("operation"):
        names = {"a", "b", READ_COMPETITOR, NULL_COMPETITOR}
        assert rows["implementation"].value_counts().to_dict() == dict.fromkeys(names, 4)
        medians = rows.groupby("implementation")["seconds"].median()
        assert medians[READ_COMPETITOR] == medians.min()
    assert timings.skipped == {}
    assert NULL_COMPETITOR not in {row[1] for row in alone.rows}
