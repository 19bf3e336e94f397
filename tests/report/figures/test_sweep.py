"""Curves over train fractions."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from faults.invented import with_tables
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from reading import Draw, Give, panels

from gnbbench.report.figures import sweep
from gnbbench.report.figures.drawing import Absence, draw_figure
from gnbbench.report.figures.sweep import DISAGREEMENTS
from gnbbench.report.style import places
from gnbbench.statistics.summary import spread


def lines(axes: Axes) -> dict[str, NDArray[np.float64]]:
    """Return points of the curves by their labels."""
    return {str(line.get_label()): np.asarray(line.get_xydata()) for line in axes.lines}


@pytest.mark.parametrize(
    ("figure", "metrics"),
    [("sweep_accuracy", ("test_accuracy", "train_accuracy")), ("sweep_gap", ("gap",))],
)
def test_curves_are_the_means_of_the_summary(
    draw: Draw, sweep_of: Give, figure: str, metrics: tuple[str, ...]
) -> None:
    summary = sweep_of("density")
    table = summary.metrics.set_index(["metric", "implementation"])

    *shown, _ = draw(figure, summary).figure.axes

    for axes, metric in zip(shown, metrics, strict=True):
        for name in summary.implementations:
            expected = table.loc[(metric, name), ["fraction", "mean"]].to_numpy()
            assert lines(axes)[name].tolist() == expected.tolist()


def test_bands_are_the_middle_of_single_runs(draw: Draw, sweep_of: Give) -> None:
    summary = sweep_of("density")
    table = summary.metrics.query("metric == 'test_accuracy' and fraction == 0.5")

    axes = draw("sweep_accuracy", summary).figure.axes[0]

    paths = [one.get_paths() for one in axes.collections]
    bands = [own[0].vertices for own in paths if len(own) == 1]
    at_half = [
        sorted(set(np.asarray(b)[np.isclose(np.asarray(b)[:, 0], 0.5), 1])) for b in bands
    ]
    assert at_half == [sorted([row["p5"], row["p95"]]) for _, row in table.iterrows()]


def test_conservative_fractions_are_dotted(draw: Draw, sweep_of: Give) -> None:
    axes = draw("sweep_accuracy", sweep_of("density")).figure.axes[0]

    dots = [one for one in axes.collections if one.get_label() == "_conservative"]
    numbers = [len(one.get_paths()) for one in dots]
    assert numbers == [4, 4]


def test_slopes_stand_half_way_and_in_points(draw: Draw, sweep_of: Give) -> None:
    summary = sweep_of("density")
    own = summary.slopes.query("implementation == 'sklearn'")

    axes, _ = draw("learning_slope", summary).figure.axes

    x, y = lines(axes)["sklearn"].T
    assert x == pytest.approx(np.arange(0.15, 0.9, 0.1))
    assert y == pytest.approx(100 * own["slope"].to_numpy())
    # Dotted by the fraction that a slope starts from.
    numbers = {
        label: [len(c.get_paths()) for c in axes.collections if c.get_label() == label]
        for label in ("_conservative", "_interval")
    }
    assert numbers == {"_conservative": [4, 4], "_interval": [4, 4]}


def test_one_fraction_has_no_slope_one_run_no_intervals(draw: Draw, sweep_of: Give) -> None:
    absence = draw_figure("learning_slope", sweep_of("one_fraction"))
    drawing = draw("learning_slope", sweep_of("one_run"))

    assert isinstance(absence, Absence)
    assert "two train fractions" in absence.reason
    assert len(drawing.figure.axes[0].collections) == 0
    assert "no intervals" in drawing.caption


@pytest.mark.slow
def test_panels_are_columns_of_the_agreement_table_without_the_reference(
    draw: Draw, sweep_of: Give
) -> None:
    summary = sweep_of("density")

    shown = panels(draw("sweep_disagreements", summary))

    for axes, column in zip(shown, DISAGREEMENTS, strict=True):
        (line,) = axes.lines
        assert np.asarray(line.get_ydata()).tolist() == summary.agreement[column].tolist()
        low, high = axes.get_ylim()
        assert low <= summary.agreement[column].min()
        assert summary.agreement[column].max() <= high
    for axes in panels(draw("sweep_disagreements", sweep_of("several"))):
        assert set(lines(axes)) == {"numpy", "density-product", "shuffled"}


def _frame(**columns: list[float]) -> pd.DataFrame:
    return pd.DataFrame({"implementation": ["r", "r"], "fraction": [0.1, 0.9], **columns})


def test_conservative_intervals_do_not_widen_the_axis() -> None:
    frame = _frame(mean=[0.8, 0.9], low=[-5.0, 0.85], high=[5.0, 0.95])

    low, high = sweep.reach(frame, frozenset({0.1}), "r")
    wide = sweep.reach(frame, frozenset(), "r")
    of_shares = sweep.reach(frame, frozenset({0.1}), "r", at_most=0.9)

    assert 0.75 < low < 0.8
    assert 0.95 < high < 1.0
    assert 0.9 < of_shares[1] < high
    assert wide[0] < -5.0
    assert wide[1] > 5.0


def test_many_fractions_do_not_all_have_a_number() -> None:
    axes = Figure().subplots()

    sweep.fraction_axis(axes, [k / 100 for k in range(1, 100)])

    assert len(axes.get_xticks()) <= 11


MULTIPLES = ("probability_differences", "confusion", "decision_regions", "confidence")


@pytest.mark.parametrize("name", MULTIPLES)
def test_small_multiples_show_what_a_compare_at_that_fraction_shows(
    draw: Draw, sweep_of: Give, name: str
) -> None:
    """Negative control: another fraction has other numbers."""
    summary = sweep_of("density")
    drawing = draw(f"sweep_{name}", summary)

    frames = dict(list(drawing.frame.groupby("fraction")))
    single = {at: draw(name, summary.at(at)).frame for at in (0.1, 0.5, 0.9)}
    assert list(frames) == list(single)
    for at, frame in single.items():
        own = frames[at].drop(columns="fraction").reset_index(drop=True)
        pd.testing.assert_frame_equal(own, frame)
    assert not single[0.1].equals(single[0.5])
    titles = [axes.get_title("left").partition("\n")[0] for axes in panels(drawing)]
    assert set(titles) == {f"{at}\N{NO-BREAK SPACE}% training data" for at in (10, 50, 90)}


def test_panels_of_one_fraction_stand_in_a_column_where_they_are_narrow(
    draw: Draw, sweep_of: Give
) -> None:
    drawing = draw("sweep_confusion", sweep_of("density"))

    standing, _, _ = places(drawing.finding, drawing.panels)

    fractions = [axes.get_title("left")[:2] for axes in panels(drawing)]
    rows = [place.row for place in standing if not place.panel.is_key]
    assert fractions[:3] == ["10", "50", "90"]
    assert rows == sorted(rows)
    # If nothing moved, there is no map of moves.
    assert [rows.count(row) for row in sorted({*rows})] == [3, 2]


def test_three_fractions_are_those_with_a_split_and_fewer_are_all(sweep_of: Give) -> None:
    assert spread(range(9)) == [0, 4, 8]
    assert spread([1, 2]) == [1, 2]
    assert spread([]) == []
    assert sweep_of("one_fraction").at(0.5).fractions == (0.5,)
    assert not sweep_of("one_fraction").at(0.5).is_sweep


def test_the_finding_follows_one_mistake_on_equal_axes(draw: Draw, sweep_of: Give) -> None:
    summary = sweep_of("density")
    table = summary.confusion.query("implementation == 'sklearn' and truth == 'a'")
    shares = table[table["label"] == "b"].set_index("fraction")["share"]

    finding = draw("sweep_confusion", summary).finding
    drawing = draw("sweep_probability_differences", summary)
    limits = {axes.get_xlim() for axes in panels(drawing)}

    texts = [f"{share:.1f}" for share in 100 * shares.loc[[0.1, 0.5, 0.9]]]
    assert [word for word in finding.split() if "." in word] == texts
    assert len(limits) == 1


@pytest.mark.parametrize("name", MULTIPLES)
def test_of_many_competitors_those_that_differ_most_are_drawn(
    draw: Draw, sweep_of: Give, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gnbbench.report.figures.parts.MOST_SMALL", 1)
    summary = sweep_of("several")

    drawing = draw(f"sweep_{name}", summary)

    titles = " ".join(axes.get_title("left") for axes in panels(drawing))
    drawn = {who for who in summary.implementations[1:] if who in titles}
    text = "Drawn: the 1 of 4 competitors whose labels differ most."
    assert (text in drawing.caption) == (name != "confidence")
    assert drawn <= {"shuffled"}
    assert set(drawing.frame["implementation"]) - {"sklearn", "shuffled"}


def test_who_gave_no_labels_at_several_is_named_once(draw: Draw, sweep_of: Give) -> None:
    summary = sweep_of("several")
    regions = {
        point: replace(region, caption="broken gave no labels here (no).")
        for point, region in summary.details["regions"].items()
    }

    summary = replace(summary, details={**summary.details, "regions": regions})
    caption = draw("sweep_decision_regions", summary).caption

    fractions = "10\N{NO-BREAK SPACE}%, 50\N{NO-BREAK SPACE}% and 90\N{NO-BREAK SPACE}%"
    assert caption.count(f"broken gave no labels at {fractions} (no).") == 1
    assert caption.count("broken") == 1


@pytest.mark.parametrize(
    ("gain", "finding"),
    [
        (0.1, "Ten more points of training samples gain at most"),
        (-0.1, "Test accuracy falls"),
    ],
)
def test_what_is_lost_is_not_called_a_gain(
    draw: Draw, sweep_of: Give, gain: float, finding: str
) -> None:
    summary = sweep_of("density")
    slopes = summary.tables["slopes"].assign(slope=gain)
    gaps = summary.tables["metrics"].query("metric == 'gap'").assign(mean=-0.02)

    changed = with_tables(summary, slopes=slopes, metrics=gaps[gaps["point"] == 0])

    assert draw("learning_slope", changed).finding.startswith(finding)
    assert draw("sweep_gap", changed).finding.startswith(
        "Train minus test accuracy is −0.02"
    )
