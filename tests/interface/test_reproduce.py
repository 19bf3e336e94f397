"""``gnbbench.reproduce`` and its plan."""

from pathlib import Path
from typing import Any

import pytest

import gnbbench
from gnbbench.errors import GnbBenchError, OptionError
from gnbbench.interface.reproduce import reproduce_plan


def test_claims_are_chosen_by_id_and_by_source_in_the_order_of_tables() -> None:
    plan = reproduce_plan(["handbook", "C", "handbook-iris"])

    ids = [claim.id for claim in plan.claims]
    assert ids == ["handbook-iris", "handbook-digits", "c-cancer-same-accuracy"]
    assert plan.directory_name == "reproduce-handbook-C-handbook-iris"


def test_all_claims_are_measured_where_none_is_named() -> None:
    plan = reproduce_plan()

    assert len(plan.claims) == 60
    assert plan.directory_name == "reproduce"


@pytest.mark.parametrize(
    "options",
    [
        {"ids": ["handbook-iri"]},
        {"runs": 9},
        {"data": "absent"},
        {"claims": "absent"},
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_measured(
    options: dict[str, Any],
) -> None:
    with pytest.raises(GnbBenchError):
        reproduce_plan(**options)


def test_a_study_has_a_table_a_frame_and_a_page(tmp_path: Path) -> None:
    study = gnbbench.reproduce("handbook", out=tmp_path / "here")

    assert study.frame()["verdict"].tolist() == ["reproduced", "reproduced"]
    assert "reproduced" in repr(study)
    assert "<iframe" in study._repr_html_()
    assert {path.name for path in (tmp_path / "here").iterdir()} == {
        "index.html",
        "summary.json",
        "claims.csv",
        "figures",
    }
    assert study.details.command == "gnbbench.reproduce(['handbook'])"


def test_fewer_runs_are_told_and_expect_nothing() -> None:
    study = gnbbench.reproduce("b-iris-accuracy", runs=10)

    assert study.details.lost == ()
    assert (
        "1 claim had fewer runs than the table asks for (10 at most)"
        in (study.details.warnings[0])
    )


def test_an_id_that_was_mistyped_is_told(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="Did you mean 'guide'"):
        gnbbench.reproduce("giude", out=tmp_path / "here")
    assert not (tmp_path / "here").exists()
