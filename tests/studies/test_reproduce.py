"""``gnbbench.reproduce`` and its plan."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gnbbench
from gnbbench.claims.claim import ClaimResult
from gnbbench.claims.measurements import examine
from gnbbench.errors import ResultsError
from gnbbench.studies.options import ReproduceOptions
from gnbbench.studies.reproduce import PreparedReproduce, Reproduce
from gnbbench.studies.stored import draw_again


def planned(ids: Any = ()) -> PreparedReproduce:
    """Return the study of these claims, settled."""
    return Reproduce().prepare(ReproduceOptions(ids=ids))


def test_claims_are_chosen_by_id_and_by_source_in_the_order_of_tables() -> None:
    plan, every = planned(["docstring", "C", "docstring-label"]), planned()

    ids = [claim.id for claim in plan.chosen]
    assert ids == ["docstring-label", "c-cancer-same-accuracy"]
    assert plan.directory_name.startswith("reproduce-docstring-C-docstring-label-")
    assert len(every.chosen) == 94


def test_fewer_runs_are_reported_and_not_judged() -> None:
    study = gnbbench.reproduce("b-iris-accuracy", runs=10)

    assert not study.summary["lost"].any()
    words = "1 claim had fewer runs than the table requires (10 at most)"
    assert words in study.details.warnings[0]


def test_claims_that_were_measured_are_not_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def interrupted(claims: Any, **options: Any) -> Iterator[ClaimResult]:
        asked.append([claim.id for claim in claims])
        yield next(examine(claims, **options))
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("gnbbench.studies.reproduce.examine", interrupted)
        with pytest.raises(KeyboardInterrupt):
            gnbbench.reproduce("handbook", out=tmp_path)
        with pytest.raises(ResultsError, match=r"not finished \(1 of 3 claims\)"):
            draw_again(tmp_path)
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                gnbbench.reproduce("handbook", out=tmp_path)

    assert [len(one) for one in asked] == [3, 2, 1]
    assert not draw_again(tmp_path).summary["lost"].any()
