"""Accuracy and differences over fractions."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from gnbbench.records import Records
from gnbbench.statistics.intervals import holm
from gnbbench.statistics.sweep_accuracy import (
    accuracy_by_fraction,
    differences_by_fraction,
)
from gnbbench.statistics.sweep_points import sweep_points

MakeSweep = Callable[..., dict[float, Records]]
NAMES = ("sklearn", "density-product")


def _plain_p(values: np.ndarray, n_train: int, n_test: int) -> float:
    """Return the p value of Nadeau and Bengio's test, written anew."""
    error = np.sqrt((1 / len(values) + n_test / n_train) * values.var(ddof=1))
    return float(2 * stats.t.sf(abs(values.mean()) / error, len(values) - 1))


def test_gap_is_taken_run_by_run(sweep_records: MakeSweep) -> None:
    made = sweep_records("density", fractions=(0.3,))
    runs = made[0.3].runs
    own = runs[runs["implementation"] == "sklearn"]
    gap = own["train_accuracy"] - own["test_accuracy"]

    table = accuracy_by_fraction(sweep_points(made, NAMES), NAMES)

    row = table[(table["implementation"] == "sklearn") & (table["metric"] == "gap")].iloc[0]
    assert row["mean"] == pytest.approx(gap.mean())
    assert row["spread"] == pytest.approx(gap.std())
    assert row["p5"] == pytest.approx(np.percentile(gap, 5))
    assert row["p95"] == pytest.approx(np.percentile(gap, 95))


def test_intervals_are_wide_where_most_samples_are_tested(sweep_records: MakeSweep) -> None:
    made = sweep_records("density")

    table = accuracy_by_fraction(sweep_points(made, NAMES), NAMES)

    test = table[
        (table["metric"] == "test_accuracy") & (table["implementation"] == NAMES[0])
    ]
    widths = ((test["high"] - test["low"]) / test["spread"]).to_numpy()
    ratio = np.array([(178 - int(178 * k / 10)) / int(178 * k / 10) for k in range(1, 10)])
    expected = 2 * stats.t.ppf(0.975, 199) * np.sqrt(1 / 200 + ratio)
    assert widths == pytest.approx(expected)


def _differences(made: dict[float, Records], names: tuple[str, ...]) -> list[dict]:  # type: ignore[type-arg]  # rows of a table
    counts = {
        (fraction, name): int(
            one.pairs.loc[one.pairs["implementation"] == name, "disagreements"].sum()
        )
        for fraction, one in made.items()
        for name in names[1:]
    }
    table = differences_by_fraction(
        sweep_points(made, names),
        counts,
        reference=names[0],
        competitors=names[1:],
        margin=0.01,
    )
    return table.to_dict("records")


def test_p_values_are_corrected_over_fractions_and_competitors(
    sweep_records: MakeSweep,
) -> None:
    names = ("sklearn", "a", "b")
    made = sweep_records(
        "identical", changed={"a": 0.4, "b": 0.6}, n_runs=30, fractions=(0.6, 0.7, 0.8)
    )
    plain = []
    for one in made.values():
        wide = one.runs.pivot_table(
            index="run", columns="implementation", values="test_accuracy"
        )
        n_test = int(one.runs["n_test"].max())
        for name in names[1:]:
            values = (wide[name] - wide["sklearn"]).to_numpy()
            plain.append(_plain_p(values, 178 - n_test, n_test))

    rows = _differences(made, names)

    assert len(set(plain)) == 6
    assert [row["p"] for row in rows] == pytest.approx(holm(plain).tolist())


def test_a_difference_that_is_certain_alone_need_not_be_so_among_many(
    sweep_records: MakeSweep,
) -> None:
    names = ("sklearn", "a")
    made = sweep_records("identical", changed={"a": 1.0}, n_runs=60, fractions=(0.5,))
    runs = made[0.5].runs.copy()
    own = runs["implementation"] == "a"
    base = runs.loc[runs["implementation"] == "sklearn", "test_accuracy"].to_numpy()
    noise = np.tile([0.015, -0.005], 30)
    runs.loc[own, "test_accuracy"] = base + 2.3 * noise
    made[0.5] = replace(made[0.5], runs=runs)
    (alone,) = _differences(made, names)

    among = _differences(dict.fromkeys((0.5, 0.51, 0.52, 0.53, 0.54), made[0.5]), names)

    assert [row["p"] for row in among] == pytest.approx([min(5 * alone["p"], 1.0)] * 5)


def test_outcomes_follow_the_corrected_p(sweep_records: MakeSweep) -> None:
    made = sweep_records("several")
    names = ("sklearn", "numpy", "density-product", "shuffled", "broken")

    rows = _differences(made, names)

    for row in rows:
        if row["outcome"] == "different":
            assert row["p"] < 0.05
        if row["outcome"] == "cannot tell":
            assert not row["p"] < 0.05
    found = {(row["fraction"], row["implementation"]): row["outcome"] for row in rows}
    assert found[0.01, "numpy"] == "failed"
    assert found[0.5, "numpy"] == "identical"
    assert found[0.5, "broken"] == "failed"
    assert "different" in {found[f, "shuffled"] for f in (0.1, 0.2)}
