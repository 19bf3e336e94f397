"""What is examined, settled before anything is."""

import pytest

from gnbbench.conformance import CHECKS
from gnbbench.errors import MissingLibraryError, OptionError
from gnbbench.implementations import Implementation
from gnbbench.studies.conformance import chosen_checks, conformance_plan

FAMILY = CHECKS[0].family


def test_all_are_those_that_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(entry: Implementation) -> None:
        if entry.name != "numpy":
            raise MissingLibraryError(entry.name, "absent", "pip install absent")

    monkeypatch.setattr("gnbbench.studies.conformance.check_installed", check)

    plan = conformance_plan(None)

    assert plan.names == ("numpy",)
    assert "sklearn" in plan.left_out


def test_checks_are_chosen_by_id_or_family_in_the_order_of_the_battery() -> None:
    last = CHECKS[-1]

    found = chosen_checks([last.id, FAMILY])

    assert found[-1] is last
    assert {check.family for check in found[:-1]} == {FAMILY}
    assert chosen_checks(()) == CHECKS


def test_errors_of_options_are_of_that_kind() -> None:
    with pytest.raises(OptionError):
        chosen_checks(["no such family"])
