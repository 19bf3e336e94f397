"""Drawings and absences are values."""

from dataclasses import FrozenInstanceError

import pytest

from gnbbench.report.figures.drawing import Absence


def test_cannot_be_changed() -> None:
    absence = Absence("timing", "Time", "Nothing was timed.")

    with pytest.raises(FrozenInstanceError):
        absence.reason = "other"  # type: ignore[misc]  # the error is the point
