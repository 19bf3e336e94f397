"""Figures of invented studies, each drawn once."""

from collections.abc import Callable
from typing import Any

import pytest

from gnbbench.report.figures.drawing import Drawing, draw_figure


@pytest.fixture(scope="session")
def draw() -> Callable[..., Drawing]:
    """Give a figure of the catalogue, which has to be there."""
    drawn: dict[Any, tuple[Any, Drawing]] = {}

    def give(name: str, summary: Any, *part: Any) -> Drawing:
        key = (name, id(summary), *map(id, part))
        if key not in drawn:
            figure = draw_figure(name, summary, *part)
            assert isinstance(figure, Drawing)
            drawn[key] = ((summary, part), figure)
        return drawn[key][1]

    return give
