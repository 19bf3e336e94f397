"""Files of a report."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from gnbbench.errors import ResultsError
from gnbbench.report import compare_files, files
from gnbbench.report.compare_files import whole_page, write
from gnbbench.report.figures.catalogue import figures_of
from gnbbench.report.figures.drawing import Absence
from gnbbench.statistics.summary import Summary

pytestmark = pytest.mark.slow

Give = Callable[[str], Summary]


def _tree(directory: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def written(summary_of: Give, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("report") / "new" / "place"
    assert write(summary_of("usual"), directory) == directory / "index.html"
    return directory


def test_every_file_is_there_and_nothing_else(written: Path) -> None:
    figures = {
        f"figures/{entry.name}{suffix}"
        for entry in figures_of("compare")
        for suffix in files.FIGURE_SUFFIXES
    }

    assert set(_tree(written)) == {
        *("index.html", "summary.json", "runs.csv", "timings.pyperf.json"),
        *figures,
    }


def test_every_link_of_the_page_leads_to_a_file(written: Path) -> None:
    links = re.findall(r'<a href="([^"#]+)"', (written / "index.html").read_text())

    assert links
    assert all((written / link).is_file() for link in links)


def test_pictures_are_what_their_names_say(written: Path) -> None:
    for entry in figures_of("compare"):
        stem = written / "figures" / entry.name
        assert stem.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in stem.with_suffix(".svg").read_text()[:600]


def test_runs_read_back_as_they_were(written: Path, summary_of: Give) -> None:
    back = pd.read_csv(written / "runs.csv", keep_default_na=False, na_values=[""])

    runs = summary_of("usual").runs
    assert list(back.columns) == list(runs.columns)
    assert back["test_accuracy"].tolist() == runs["test_accuracy"].tolist()


def test_summary_is_json(written: Path) -> None:
    assert json.loads((written / "summary.json").read_text())["n_runs"] == 1000


def test_a_second_report_has_the_same_bytes(
    written: Path, summary_of: Give, tmp_path: Path
) -> None:
    write(summary_of("usual"), tmp_path)

    assert _tree(tmp_path) == _tree(written)


def test_a_figure_that_is_gone_leaves_no_files(summary_of: Give, tmp_path: Path) -> None:
    write(summary_of("single"), tmp_path)
    assert (tmp_path / "figures" / "timing.png").exists()

    write(summary_of("no_probabilities_at_all"), tmp_path)

    names = {path.name for path in (tmp_path / "figures").iterdir()}
    assert {"accuracy.png", "confusion.svg"} <= names
    assert not any(name.startswith(("timing", "reliability")) for name in names)
    assert not (tmp_path / "timings.pyperf.json").exists()


def test_a_report_that_breaks_off_leaves_the_old_page_whole(
    summary_of: Give, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "index.html").write_text("old")

    def fail(summary: Summary) -> str:
        raise MemoryError(summary.study)

    monkeypatch.setattr(compare_files, "json_text", fail)
    with pytest.raises(MemoryError):
        write(summary_of("no_probabilities_at_all"), tmp_path)

    assert (tmp_path / "index.html").read_text() == "old"
    assert not list(tmp_path.rglob(".*"))


def test_a_file_in_the_way_is_one_line_with_a_remedy(
    summary_of: Give, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("")

    with pytest.raises(ResultsError, match=r"cannot be written.*--out DIR"):
        write(summary_of("single"), tmp_path / "taken", drawings=())


def test_drawings_made_before_are_used(summary_of: Give, tmp_path: Path) -> None:
    entries = figures_of("compare")
    absent = [Absence(entry.name, entry.title, "Left out.") for entry in entries]

    write(summary_of("single"), tmp_path, absent)

    assert list((tmp_path / "figures").iterdir()) == []
    assert (tmp_path / "index.html").read_text().count("Left out.") == len(entries)


def test_a_sweep_leaves_the_same_kinds_of_files(
    sweep_of: Callable[[str], Summary], tmp_path: Path
) -> None:
    summary = sweep_of("density")

    index = write(summary, tmp_path)

    figures = {
        f"figures/{entry.name}{suffix}"
        for entry in figures_of("sweep-split")
        for suffix in files.FIGURE_SUFFIXES
    }
    tree = _tree(tmp_path)
    assert set(tree) == {"index.html", "summary.json", "runs.csv", *figures}
    assert json.loads(tree["summary.json"])["schema"] == "gnbbench sweep summary"
    assert index.read_text() == whole_page(summary)
    links = re.findall(r'<a href="([^"#]+)"', index.read_text())
    assert links
    assert all((tmp_path / link).is_file() for link in links)


def test_runs_of_a_sweep_read_back_as_they_were(
    sweep_of: Callable[[str], Summary], tmp_path: Path
) -> None:
    runs = sweep_of("several").runs

    write(sweep_of("several"), tmp_path)

    back = pd.read_csv(tmp_path / "runs.csv", keep_default_na=False, na_values=[""])
    assert list(back.columns) == list(runs.columns)
    assert back["fraction"].tolist() == runs["fraction"].tolist()
    assert back["test_accuracy"].equals(runs["test_accuracy"])


def test_each_kind_has_its_own_page(
    summary_of: Give, sweep_of: Callable[[str], Summary]
) -> None:
    assert 'id="learning-curve"' in whole_page(sweep_of("identical"))
    assert 'id="learning-curve"' not in whole_page(summary_of("exact"))
