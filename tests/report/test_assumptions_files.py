"""Files of a report of the assumptions."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from gnbbench.errors import ResultsError
from gnbbench.report import assumptions_files
from gnbbench.report.assumptions_files import require_replaceable, write_assumptions
from gnbbench.report.assumptions_summary import AssumptionsSummary

pytestmark = pytest.mark.slow

Give = Callable[[str], AssumptionsSummary]


def _tree(directory: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def written(assumptions_of: Give, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("report") / "new" / "place"
    path = write_assumptions(assumptions_of("iris"), directory)
    assert path == directory / "index.html"
    return directory


def test_every_file_is_there_and_nothing_else(written: Path) -> None:
    names = ("correlations", "normality_histograms", "normality_quantiles", "costs")
    figures = {f"figures/{name}{end}" for name in names for end in (".png", ".svg", ".csv")}
    tables = {"summary.json", "runs.csv", "correlations.csv", "normality.csv"}

    assert set(_tree(written)) == {"index.html", *tables, *figures}


def test_every_link_of_the_page_leads_to_a_file(written: Path) -> None:
    links = re.findall(r'<a href="([^"#]+)"', (written / "index.html").read_text())

    assert "correlations.csv" in links
    assert all((written / link).is_file() for link in links)


def test_tables_have_every_pair_and_every_feature(written: Path) -> None:
    assert len(pd.read_csv(written / "correlations.csv")) == 3 * 6
    assert len(pd.read_csv(written / "normality.csv")) == 12
    assert len(pd.read_csv(written / "runs.csv")) == 100


def test_a_second_report_has_the_same_bytes(
    written: Path, assumptions_of: Give, tmp_path: Path
) -> None:
    write_assumptions(assumptions_of("iris"), tmp_path)

    assert _tree(tmp_path) == _tree(written)


def test_a_figure_that_is_gone_leaves_no_files(
    assumptions_of: Give, tmp_path: Path
) -> None:
    write_assumptions(assumptions_of("few"), tmp_path)
    assert (tmp_path / "figures" / "correlations.png").exists()

    write_assumptions(assumptions_of("constant"), tmp_path)

    assert {path.stem for path in (tmp_path / "figures").iterdir()} == {"costs"}


def test_a_report_that_breaks_off_leaves_the_old_page_whole(
    assumptions_of: Give, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "index.html").write_text("old")

    def fail(summary: AssumptionsSummary) -> str:
        raise MemoryError(summary.study)

    monkeypatch.setattr(assumptions_files, "assumptions_json_text", fail)
    with pytest.raises(MemoryError):
        write_assumptions(assumptions_of("constant"), tmp_path)

    assert (tmp_path / "index.html").read_text() == "old"
    assert not list(tmp_path.rglob(".*"))


def test_a_file_in_the_way_is_one_line_with_a_remedy(
    assumptions_of: Give, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("")

    with pytest.raises(ResultsError, match=r"cannot be written.*--out DIR"):
        write_assumptions(assumptions_of("constant"), tmp_path / "taken", drawings=())


def test_the_same_plan_may_be_written_again(written: Path, assumptions_of: Give) -> None:
    require_replaceable(written, assumptions_of("iris").plan)
    require_replaceable(written / "missing", assumptions_of("iris").plan)


def test_another_plan_needs_leave(written: Path, assumptions_of: Give) -> None:
    other = {**assumptions_of("iris").plan, "runs": 99}

    with pytest.raises(ResultsError, match="another plan"):
        require_replaceable(written, other)
    require_replaceable(written, other, overwrite=True)


@pytest.mark.parametrize("content", ["mine", "[1]", '{"schema": "gnbbench summary"}'])
def test_files_of_another_study_are_never_replaced(
    assumptions_of: Give, tmp_path: Path, content: str
) -> None:
    (tmp_path / "summary.json").write_text(content)

    with pytest.raises(ResultsError, match="not from a study of the assumptions"):
        require_replaceable(tmp_path, assumptions_of("iris").plan, overwrite=True)


def test_the_page_repeats_the_command(assumptions_of: Give, tmp_path: Path) -> None:
    summary = replace(assumptions_of("constant"), command="gnbbench assumptions here.csv")

    text = write_assumptions(summary, tmp_path).read_text()

    assert "<code>gnbbench assumptions here.csv</code>" in text
