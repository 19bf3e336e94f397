"""The four tiles of the page on causes."""

from collections.abc import Callable

import pytest

from gnbbench.report.explain_summary import ExplainSummary
from gnbbench.report.explain_tiles import explain_tiles

Give = Callable[..., ExplainSummary]
PERCENT = "\N{NO-BREAK SPACE}%"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("same", ["0", "–", f"100{PERCENT}", "2.5 × 10⁻¹⁶"]),
        ("unsmoothed", ["14", "14", f"100{PERCENT}", "2.5 × 10⁻¹⁶"]),
        ("other", ["3", "0", f"83.1{PERCENT}", "0.43"]),
        ("left", ["16", "14", f"100{PERCENT}", "–"]),
        ("crashed", ["–", "–", "–", "–"]),
    ],
)
def test_tiles_have_the_numbers(explain_of: Give, name: str, values: list[str]) -> None:
    tiles = explain_tiles(explain_of(name))

    found = [
        tile.facts[0].value.replace("\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}", " × ")
        for tile in tiles
    ]
    assert found == values
    assert [tile.title for tile in tiles] == [
        "Disagreements with sklearn",
        "Disagreements explained",
        "Predictions reproduced",
        "Largest remaining probability difference",
    ]


def test_details_name_causes_and_setting(explain_of: Give) -> None:
    tiles = explain_tiles(explain_of("unsmoothed"))

    assert [tile.facts[0].detail for tile in tiles][:3] == [
        "of 900 predictions",
        "of 14: no-smoothing",
        "nothing added to variances",
    ]
    divisor = explain_tiles(explain_of("divisor"))[1].facts[0].detail
    assert divisor == "no label differs; variance-divisor"


def test_several_have_a_fact_each(explain_of: Give) -> None:
    for tile in explain_tiles(explain_of("same", "other")):
        assert [fact.implementation for fact in tile.facts] == ["same", "other"]
