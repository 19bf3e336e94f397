"""The files of a report of published figures."""

from pathlib import Path

import pytest
from faults.claims import made_summary

from gnbbench.errors import ResultsError
from gnbbench.report.reproduce_files import require_replaceable, write_reproduce


def test_all_that_the_page_links_to_is_there(tmp_path: Path) -> None:
    page = write_reproduce(made_summary(), tmp_path / "here")

    found = {path.name for path in (tmp_path / "here" / "figures").iterdir()}
    assert page == tmp_path / "here" / "index.html"
    assert found == {
        f"claim-{name}.{suffix}"
        for name in ("s-spread", "s-open")
        for suffix in ("png", "svg", "csv")
    }
    assert len((tmp_path / "here" / "claims.csv").read_text().splitlines()) == 8


def test_an_earlier_report_is_replaced_with_its_figures(tmp_path: Path) -> None:
    write_reproduce(made_summary(), tmp_path)

    require_replaceable(tmp_path)
    write_reproduce(made_summary("s-same"), tmp_path)

    assert list((tmp_path / "figures").iterdir()) == []


def test_files_of_somebody_else_are_kept(tmp_path: Path) -> None:
    (tmp_path / "summary.json").write_text('{"schema": "another"}')

    with pytest.raises(ResultsError, match="is not from a study of published figures"):
        require_replaceable(tmp_path)
