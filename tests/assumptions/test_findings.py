"""The value that is handed on cannot be changed."""

from dataclasses import FrozenInstanceError

import pytest

from gnbbench.assumptions.findings import AssumptionVerdict


def test_a_verdict_is_a_value() -> None:
    one = AssumptionVerdict("naive", "tenable", "Naive: tenable.", "")

    assert one == AssumptionVerdict("naive", "tenable", "Naive: tenable.", "")
    with pytest.raises(FrozenInstanceError):
        one.grade = "broken"  # type: ignore[misc]  # the test assigns on purpose
