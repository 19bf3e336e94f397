"""A matrix says of every implementation and dataset what the studies say."""

from dataclasses import replace

import pandas as pd
import pytest
from faults.invented import random_study, records_of, with_tables

from gnbbench.statistics.matrix import Entry, Matrix, headline, sentence, worst_outcome
from gnbbench.statistics.summarize import summarize
from gnbbench.statistics.summary import Summary
from gnbbench.words import SPACE

Row = tuple[str, str, str, int, int]


def cells_of(*rows: Row) -> pd.DataFrame:
    """Return cells out of implementation, dataset, outcome, disagreements, failed runs."""
    columns = ["implementation", "dataset", "outcome", "disagreements", "failed_runs"]
    return pd.DataFrame(rows, columns=columns).assign(predictions=250, runs=50)


@pytest.fixture(scope="module")
def summary() -> Summary:
    return summarize(records_of(random_study()))


def test_every_cell_holds_the_numbers_of_its_study(summary: Summary) -> None:
    points = summary.points.assign(runs=3)
    other = with_tables(summary, points=points)

    cells = Matrix((Entry("a", "a", summary), Entry("b", "b", other)), "again").cells

    assert len(cells) == 2 * (len(summary.implementations) - 1)
    for row in summary.agreement.to_dict("records"):
        own = cells[cells["implementation"] == row["implementation"]]
        assert own["disagreements"].tolist() == [row["disagreements"]] * 2
        assert own["agreement"].tolist() == [row["agreement"]] * 2
    differences = summary.differences.query("metric == 'test_accuracy'")
    own = cells.query("dataset == 'a'")["accuracy_difference"]
    assert own.tolist() == differences["mean"].tolist()
    assert set(cells.query("dataset == 'b'")["runs"]) == {3}


def test_failed_runs_are_counted_and_reported() -> None:
    study = random_study()
    broken = replace(study, failed={study.names[1]: (0, 2)})

    cells = Matrix((Entry("a", "a", summarize(records_of(broken))),), "again").cells

    assert cells.loc[0, "failed_runs"] == 2
    assert "made to fail" in str(cells.loc[0, "message"])


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([("a", "x", "different", 3, 0)], "a differs from sklearn on x (1.2 %)."),
        (
            [("a", "x", "identical", 0, 0), ("b", "x", "identical", 0, 1)],
            "a gives the same labels as sklearn on the dataset; b failed in 1 of 50 runs "
            "on x.",
        ),
        (
            [("a", "x", "cannot tell", 3, 2), ("a", "y", "identical", 0, 0)],
            "a differs from sklearn on x (1.2 %) and failed in 2 of 50 runs on x.",
        ),
        (
            [("a", data, "cannot tell", 3, 0) for data in "vwxyz"],
            "a differs from sklearn on 5 datasets (at most 1.2 %).",
        ),
        (
            [(name, "x", "identical", 0, 0) for name in "abcd"],
            "a, b, c and d give the same labels as sklearn on the dataset.",
        ),
    ],
)
def test_the_headline_names_those_that_agree(rows: list[Row], expected: str) -> None:
    assert headline(cells_of(*rows), "sklearn").replace(SPACE, " ") == expected


def test_an_implementation_is_judged_by_its_worst_outcome() -> None:
    same = [("a", data, "identical", 0, 0) for data in "xz"]
    cells = cells_of(same[0], ("a", "y", "cannot tell", 2, 0), same[1])

    text = sentence(cells, "a").replace(SPACE, " ")
    assert text == "Same labels on x and z; labels differ on y (0.8 %)."
    assert worst_outcome(cells, "a") == "cannot tell"


def test_failed_runs_are_never_the_same_everywhere() -> None:
    cells = cells_of(("a", "x", "identical", 0, 0), ("a", "y", "identical", 0, 4))

    assert sentence(cells, "a") == "Same labels on x; failed in 4 of 50 runs on y."
