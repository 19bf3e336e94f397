"""Confusion matrices, and the heat map of implementations and datasets."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from faults.invented import random_study, records_of, with_tables
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from numpy.typing import NDArray
from reading import Draw, Give

from gnbbench.report.figures.drawing import Drawing, svg
from gnbbench.statistics.matrix import Matrix
from gnbbench.statistics.summarize import summarize
from gnbbench.statistics.summary import Summary


def _panels(drawing: Drawing) -> list[Axes]:
    return [axes for axes in drawing.figure.axes if axes.get_xlabel() == "predicted label"]


def _mesh(axes: Axes) -> QuadMesh:
    return next(item for item in axes.collections if isinstance(item, QuadMesh))


def _values(axes: Axes) -> NDArray[np.float64]:
    return np.ma.filled(np.ma.asarray(_mesh(axes).get_array()).ravel(), 0.0)


def _shares(summary: Summary, name: str) -> NDArray[np.float64]:
    rows = summary.confusion[summary.confusion["implementation"] == name]
    wide = rows.pivot_table(index="truth", columns="label", values="share")
    classes = list(summary.dataset.class_names)
    return wide.reindex(index=classes, columns=classes).fillna(0).to_numpy().ravel()


@pytest.mark.slow
def test_colours_are_row_shares_on_one_scale_and_differences_from_the_reference(
    draw: Draw, summary_of: Give
) -> None:
    summary = summary_of("different")

    first, second, change = _panels(draw("confusion", summary))

    reference, own = _shares(summary, "sklearn"), _shares(summary, "density")
    assert _values(first) == pytest.approx(reference)
    assert _values(second) == pytest.approx(own)
    assert _mesh(first).get_clim() == _mesh(second).get_clim() == (0, 1)
    low, high = _mesh(change).get_clim()
    assert _values(change) == pytest.approx(own - reference)
    assert low == -high == pytest.approx(-np.abs(own - reference).max())


def test_cells_hold_counts_and_shares_given_room(draw: Draw, summary_of: Give) -> None:
    summary = summary_of("usual")
    rows = summary.confusion.query("implementation == 'sklearn'")
    counts = rows.pivot_table("count", "truth", "label", fill_value=0)

    texts = _panels(draw("confusion", summary))[0].texts

    assert len(texts) > len(counts)
    for text in texts:
        column, row = map(int, text.get_position())
        count = text.get_text().partition("\n")[0]
        assert count == f"{counts.iloc[row, column]:,.0f}"
    small = _panels(draw("confusion", summary_of("thirty_classes")))
    assert not any(panel.texts for panel in small)


def test_one_matrix_stands_for_equal_ones_and_the_largest_confusion_is_named(
    draw: Draw, summary_of: Give
) -> None:
    summary = summary_of("usual")
    rows = summary.confusion.query("implementation == 'sklearn' and truth != label")
    worst = rows.iloc[int(rows["count"].to_numpy().argmax())]

    drawing = draw("confusion", summary)

    (panel,) = _panels(drawing)
    assert panel.get_title("left") == "sklearn and numpy"
    words = f"Every implementation most often takes {worst['truth']} for {worst['label']}"
    assert drawing.finding.startswith(words)


def test_a_label_that_is_not_a_class_has_a_column(draw: Draw, summary_of: Give) -> None:
    summary = summary_of("single")
    stray = summary.confusion.head(1).assign(
        implementation="numpy", truth="setosa", label="none of them", count=3, share=0.1
    )
    table = pd.concat([summary.confusion, stray], ignore_index=True)

    panel = _panels(draw("confusion", with_tables(summary, confusion=table)))[1]

    assert _values(panel).reshape(3, 4)[0, 3] > 0
    assert [label.get_text() for label in panel.get_xticklabels()][-1] == "none of them"


@pytest.mark.slow
def test_a_matrix_has_shares_and_nan_where_no_run_gave_labels(
    draw: Draw, matrix_of: Callable[..., Matrix]
) -> None:
    drawing = draw("matrix", matrix_of("several", "iris", "wine"))
    rows = {(r["implementation"], r["dataset"]): r for _, r in drawing.frame.iterrows()}

    own = rows["density", "wine"]
    assert own["share_differing"] == own["disagreements"] / own["predictions"]
    assert rows["numpy", "iris"]["share_differing"] == 0
    assert np.isnan(rows["broken", "iris"]["share_differing"])
    assert drawing.finding.startswith("4 of 8 pairs of implementation and dataset agree")
    assert "furthest off is density on" in drawing.finding
    assert "2 pairs gave no labels" in drawing.alt
    text = svg(drawing)
    assert text.count(">no labels<") == 2
    assert text.count(">0 %<") + text.count(">0\N{NO-BREAK SPACE}%<") == 4
    same = draw("matrix", matrix_of("usual", "iris", "wine"))
    assert same.finding.startswith("Not one label differs")


def test_letters_are_told_only_where_a_count_has_one(draw: Draw, summary_of: Give) -> None:
    captions = [draw("confusion", summary_of(name)).caption for name in ("usual", "digits")]

    assert ["k = thousands" in caption for caption in captions] == [False, True]


def test_matrices_of_other_runs_are_not_subtracted(draw: Draw) -> None:
    summary = summarize(records_of(random_study(), failed={"numpy": [3, 5]}))

    drawing = draw("confusion", summary)

    assert len(_panels(drawing)) == 2
    assert "moved" not in drawing.caption
