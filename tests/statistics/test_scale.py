"""Records of a scale study become a summary that says what was put into them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from faults.scale import POWERS, made_records

from gnbbench.statistics import scale
from gnbbench.statistics.summary import Summary
from gnbbench.words import significant


@pytest.fixture(scope="module")
def usual() -> Summary:
    """Give the summary of the usual study."""
    return scale.summarize_scale(made_records())


def test_exponents_equal_those_of_the_records(usual: Summary) -> None:
    table = usual.exponents.set_index(["axis", "operation", "implementation"])["exponent"]

    for key, powers in POWERS.items():
        found = [table[(*key, name)] for name in ("sklearn", "numpy")]
        np.testing.assert_allclose(found, powers, atol=1e-3)


def test_the_interval_of_a_ratio_holds_every_process() -> None:
    records = made_records(noise=0.2)

    times = scale.summarize_scale(records).times.query("implementation == 'numpy'")

    wide = records.timings.query("point == 0 and operation == 'fit'").pivot_table(
        index="process", columns="implementation", values="seconds", aggfunc="median"
    )
    ratios = wide["numpy"] / wide["sklearn"]
    row = times.iloc[0]
    assert row["ratio_low"] <= ratios.min() * 1.001
    assert row["ratio_high"] >= ratios.max() * 0.999
    assert (times["ratio_low"] <= times["ratio"]).all()
    assert (times["ratio"] <= times["ratio_high"]).all()


def test_equal_labels_are_said_to_be(usual: Summary) -> None:
    assert (usual.agreement["agreement"] == 1.0).all()
    assert usual.detail.startswith("All 238,000 labels in 12 comparisons are equal.")
    assert scale.differing(usual.agreement).empty


def test_one_label_that_differs_is_not_passed_over() -> None:
    summary = scale.summarize_scale(made_records(differing={"numpy": 1}))

    assert len(scale.differing(summary.agreement)) == 12
    assert summary.detail.startswith("12 of 238,000 labels differ in 12 comparisons.")
    assert summary.headline.startswith("numpy: labels differ from sklearn at 12 of 12")
    assert "most at 1,000 samples (0.1\N{NO-BREAK SPACE}%)" in summary.warnings[0]


@pytest.mark.parametrize(
    ("halt", "sentence"),
    [
        (("samples", 50_000, "budget", "x"), "numpy: stopped at n = 20,000, because the"),
        (("samples", 1000, "budget", "x"), "numpy: not timed along n, because the first"),
        (("features", 16, "crash", "exit 3"), "d = 8, because it crashed its process"),
        (("features", 16, "error", "a\nb"), "stopped at d = 8, because it failed (a b)."),
    ],
)
def test_omissions_are_reported(halt: tuple[str, int, str, str], sentence: str) -> None:
    summary = scale.summarize_scale(made_records(stopped={"numpy": halt}))

    (text,) = summary.stops["sentence"]
    assert sentence in text
    assert summary.stops["status"].tolist() == [halt[2]]


def left_at(size: int, *names: str) -> dict[str, tuple[str, int, str, str]]:
    return dict.fromkeys(names, ("samples", size, "budget", "x"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "stopped", "start", "end"),
    [
        (
            ["numpy"],
            left_at(50_000, "sklearn"),
            "numpy: same labels as sklearn; at 20,000 samples fit and predict 7.615× ",
            "faster (7.614 to 7.616).",
        ),
        (
            ["numpy", "river"],
            {},
            "At 100,000 samples, numpy and river fit and predict fastest, up to 8.945× (",
            "and 8.944× (8.943 to 8.945) faster than sklearn; no label differs.",
        ),
        (
            ["numpy", "river"],
            left_at(2000, "river"),
            "At 100,000 samples, numpy fits ",
            "no label differs; river was not timed there.",
        ),
    ],
)
def test_the_headline_is_of_the_largest_size_that_both_reached(
    names: list[str], stopped: dict[str, Any], start: str, end: str
) -> None:
    text = scale.summarize_scale(made_records(tuple(names), stopped=stopped)).headline

    assert text.startswith(start)
    assert text.endswith(end)


def test_a_study_without_timings_says_so() -> None:
    records = made_records()

    summary = scale.summarize_scale(replace(records, timings=records.timings.head(0)))

    assert summary.headline == "Nothing could be timed."
    assert summary.exponents["exponent"].isna().all()


def test_a_failure_while_timing_is_a_stop() -> None:
    records = made_records()
    losses = records.losses.copy()
    losses.loc[0] = [0, 3, "numpy", "timeout", "took longer than 60 s"]

    (text,) = scale.summarize_scale(replace(records, losses=losses)).stops["sentence"]

    assert "it timed out (took longer than 60 s)" in text


def test_an_uncertain_exponent_is_not_reported() -> None:
    noisy = scale.summarize_scale(made_records(noise=1.0))
    clear = scale.summarize_scale(made_records())

    table = noisy.exponents.query("axis == 'samples'")
    for row in table.to_dict("records"):
        half = (row["high"] - row["low"]) / 2
        times = significant(10 ** row["exponent"], 2)
        text = f"{row['operation']} of {row['implementation']} {times}×"
        assert (text in noisy.detail) == (half <= 0.3)
    assert "too noisy to tell for " in noisy.detail
    assert "too noisy" not in clear.detail
    assert scale.exponent_text(0.98, 0.68, 1.28, "samples") == "n⁰·⁹⁸"
    assert scale.exponent_text(0.98, 0.67, 1.29, "samples") == "too noisy"
    halt = {"numpy": ("features", 16, "budget", "")}
    exponents = scale.summarize_scale(made_records(stopped=halt)).exponents
    two_sizes = exponents.query("axis == 'features' and implementation == 'numpy'")
    assert two_sizes[["low", "high"]].isna().all(axis=None)


SIZES = (1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)


@pytest.mark.parametrize("power", [0.0, 0.5, 0.98, 1.0, 2.0])
def test_a_power_law_gives_its_exponent(power: float) -> None:
    exponent = scale.scaling_exponent(SIZES, [3e-6 * size**power for size in SIZES])

    assert exponent.value == pytest.approx(power, abs=1e-9)
    assert exponent.high - exponent.low < 1e-6
    assert (exponent.first, exponent.last, exponent.points) == (10_000, 100_000, 4)


def test_the_cost_of_a_call_does_not_flatten_the_line() -> None:
    times = [1e-4 + 1e-7 * size for size in SIZES]

    exponent = scale.scaling_exponent(SIZES, times)

    whole = float(np.polyfit(np.log(SIZES), np.log(times), 1)[0])
    assert exponent.value > 0.96
    assert whole < 0.9


def wrong_base(sizes: Sequence[int], times: Sequence[float]) -> scale.Exponent:
    """Return a slope over sizes themselves, as a slip would."""
    slope = float(np.polyfit(sizes[-4:], np.log(times[-4:]), 1)[0])
    return scale.Exponent(slope, slope, slope, sizes[-4], sizes[-1], 4)


def all_points(sizes: Sequence[int], times: Sequence[float]) -> scale.Exponent:
    """Return a slope that takes the small sizes in."""
    slope = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
    return scale.Exponent(slope, slope, slope, sizes[0], sizes[-1], len(sizes))


def coverage(formula: Callable[..., scale.Exponent], n_trials: int = 400) -> float:
    """Return how often the interval holds the exponent that was put in."""
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(n_trials):
        power = rng.uniform(0.5, 1.5)
        overhead = 2e-4 * (SIZES[-1] ** power / 1000)
        noise = np.exp(rng.normal(0.0, 0.05, len(SIZES)))
        steady = np.array([size**power for size in SIZES])
        steady[:3] += overhead
        text = formula(SIZES, (1e-6 * steady * noise).tolist())
        held += text.low - 1e-12 <= power <= text.high + 1e-12
    return held / n_trials


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    """Negative control: those of wrong formulas do not."""
    assert 0.92 <= coverage(scale.scaling_exponent) <= 0.98
    assert max(coverage(formula, 100) for formula in (wrong_base, all_points)) < 0.1


def test_few_sizes_are_all_used_two_have_no_interval_and_one_no_exponent() -> None:
    three = scale.scaling_exponent([10, 1000, 100_000], [1.0, 100.0, 10_000.0])
    two = scale.scaling_exponent([10, 20], [1.0, 2.0])
    one = scale.scaling_exponent([10], [1.0])

    assert (three.points, three.first) == (3, 10)
    assert [three.value, two.value] == pytest.approx([1.0, 1.0])
    assert math.isnan(two.low)
    assert math.isnan(one.value)
    assert one.points == 0


@pytest.mark.parametrize(
    ("factor", "finding"),
    [(1.0, "none is shown to fit or predict faster"), (2.0, "sklearn fits")],
)
def test_only_a_proven_fastest_is_called_fastest(factor: float, finding: str) -> None:
    records = made_records(("numpy", "river"))
    times = records.timings.set_index("implementation")
    place = ["process", "point", "operation", "round"]
    reference = times.loc["sklearn"].set_index(place)["seconds"]
    for name in ("numpy", "river"):
        there = pd.MultiIndex.from_frame(times.loc[name, place])
        times.loc[name, "seconds"] = factor * reference.loc[there].to_numpy()

    summary = scale.summarize_scale(replace(records, timings=times.reset_index()))
    assert finding in summary.headline
