"""Files of a report on causes."""

import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from gnbbench.errors import ResultsError
from gnbbench.report import explain_files
from gnbbench.report.explain_files import require_replaceable, write_explain
from gnbbench.report.explain_summary import ExplainSummary

pytestmark = pytest.mark.slow

Give = Callable[..., ExplainSummary]


def _tree(directory: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def written(explain_of: Give, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("report") / "new" / "place"
    path = write_explain(explain_of("other"), directory)
    assert path == directory / "index.html"
    return directory


def test_every_file_is_there_and_nothing_else(written: Path) -> None:
    figures = {
        f"figures/contributions_{number}{end}"
        for number in (1, 2, 3)
        for end in (".png", ".svg", ".csv")
    }

    assert set(_tree(written)) == {
        "index.html",
        "summary.json",
        "disagreements.csv",
        *figures,
    }


def test_every_link_of_the_page_leads_to_a_file(written: Path) -> None:
    links = re.findall(r'<a href="([^"#]+)"', (written / "index.html").read_text())

    assert "disagreements.csv" in links
    assert all((written / link).is_file() for link in links)


def test_the_table_has_every_disagreement(written: Path) -> None:
    table = pd.read_csv(written / "disagreements.csv")

    assert len(table) == 3
    assert set(table["cause"]) == {"not-gnb"}


def test_a_second_report_has_the_same_bytes(
    written: Path, explain_of: Give, tmp_path: Path
) -> None:
    write_explain(explain_of("other"), tmp_path)

    assert _tree(tmp_path) == _tree(written)


def test_figures_that_are_gone_leave_no_files(explain_of: Give, tmp_path: Path) -> None:
    write_explain(explain_of("other"), tmp_path)
    (tmp_path / "figures" / "mine.png").write_text("mine")

    write_explain(explain_of("tied"), tmp_path)

    stems = {path.stem for path in (tmp_path / "figures").iterdir()}
    assert stems == {"contributions_1", "mine"}


def test_a_report_that_breaks_off_leaves_the_old_page_whole(
    explain_of: Give, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "index.html").write_text("old")

    def fail(summary: ExplainSummary) -> str:
        raise MemoryError(summary.study)

    monkeypatch.setattr(explain_files, "explain_json_text", fail)
    with pytest.raises(MemoryError):
        write_explain(explain_of("same"), tmp_path)

    assert (tmp_path / "index.html").read_text() == "old"
    assert not list(tmp_path.rglob(".*"))


def test_a_file_in_the_way_is_one_line_with_a_remedy(
    explain_of: Give, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("")

    with pytest.raises(ResultsError, match=r"cannot be written.*--out"):
        write_explain(explain_of("same"), tmp_path / "taken")
    with pytest.raises(ResultsError, match=r"it is a file.*--out"):
        require_replaceable(tmp_path / "taken", {})


def test_the_same_plan_may_be_written_again(written: Path, explain_of: Give) -> None:
    require_replaceable(written, explain_of("other").plan)
    require_replaceable(written / "missing", explain_of("other").plan)


def test_another_plan_is_refused(written: Path, explain_of: Give) -> None:
    with pytest.raises(ResultsError, match="another plan"):
        require_replaceable(written, {**explain_of("other").plan, "runs": 99})


@pytest.mark.parametrize("content", ["mine", "[1]", '{"schema": "gnbbench summary"}'])
def test_files_of_another_study_are_never_replaced(
    explain_of: Give, tmp_path: Path, content: str
) -> None:
    (tmp_path / "summary.json").write_text(content)

    with pytest.raises(ResultsError, match="not from a study of causes"):
        require_replaceable(tmp_path, explain_of("same").plan)
