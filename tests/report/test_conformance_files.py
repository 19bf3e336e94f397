"""Files of a report of conformance."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pandas as pd
import pytest

from gnbbench.errors import ResultsError
from gnbbench.report import conformance_files
from gnbbench.report.conformance_files import (
    badge_names,
    require_replaceable,
    write_conformance,
    write_junit,
)
from gnbbench.report.conformance_summary import ConformanceSummary

Give = Callable[..., ConformanceSummary]
HOSTILE = "<script>alert(1)</script>"


def _tree(directory: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def test_every_file_is_there_and_nothing_else(conformance_of: Give, tmp_path: Path) -> None:
    page = write_conformance(conformance_of("faulty"), tmp_path / "new" / "place")

    assert page == tmp_path / "new" / "place" / "index.html"
    assert set(_tree(page.parent)) == {
        "index.html",
        "summary.json",
        "conformance.csv",
        "junit.xml",
        "badge.svg",
    }


def test_every_file_can_be_read_back(
    any_conformance: ConformanceSummary, tmp_path: Path
) -> None:
    write_conformance(any_conformance, tmp_path)

    rows = 12 * len(any_conformance.examined)
    assert len(pd.read_csv(tmp_path / "conformance.csv")) == rows
    assert json.loads((tmp_path / "summary.json").read_text())["schema_version"] == 1
    root = ET.parse(tmp_path / "junit.xml").getroot()  # noqa: S314  our own file
    assert len(list(root.iter("testcase"))) == rows


def test_every_link_of_the_page_leads_somewhere(
    any_conformance: ConformanceSummary, tmp_path: Path
) -> None:
    text = write_conformance(any_conformance, tmp_path).read_text()

    links = re.findall(r'<a [^>]*?href="([^"]+)"', text)
    anchors = set(re.findall(r'\bid="([^"]+)"', text))
    assert any(link.endswith(".svg") for link in links)
    for link in links:
        assert link[1:] in anchors if link[0] == "#" else (tmp_path / link).is_file()


def test_a_second_report_has_the_same_bytes(conformance_of: Give, tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_conformance(conformance_of("faulty", "perfect"), tmp_path / name)

    assert _tree(tmp_path / "a") == _tree(tmp_path / "b")


def test_a_scoreboard_has_a_badge_each_and_none_of_an_earlier_one(
    conformance_of: Give, tmp_path: Path
) -> None:
    write_conformance(conformance_of("faulty", "perfect"), tmp_path)
    write_conformance(conformance_of("partial", "perfect", HOSTILE), tmp_path)

    assert {path.name for path in (tmp_path / "badges").iterdir()} == {
        "partial.svg",
        "perfect.svg",
        "script-alert-1-script.svg",
    }


def test_badges_of_like_names_are_apart(conformance_of: Give) -> None:
    summary = conformance_of("faulty", "perfect")
    first, second = summary.examined
    names = ("a/b", "A b")
    like = tuple(
        type(one)(name, "", "", one.results)
        for one, name in zip((first, second), names, strict=True)
    )

    found = badge_names(type(summary)(like, {}, {}, ""))

    assert found == {"a/b": "badges/a-b.svg", "A b": "badges/A-b-2.svg"}


def test_a_report_that_breaks_off_leaves_the_old_page_whole(
    conformance_of: Give, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "index.html").write_text("old")

    def fail(summary: ConformanceSummary) -> str:
        raise MemoryError(summary.study)

    monkeypatch.setattr(conformance_files, "conformance_json_text", fail)
    with pytest.raises(MemoryError):
        write_conformance(conformance_of("faulty"), tmp_path)

    assert (tmp_path / "index.html").read_text() == "old"
    assert not list(tmp_path.rglob(".*"))


def test_a_file_in_the_way_is_one_line_with_a_remedy(
    conformance_of: Give, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("")

    with pytest.raises(ResultsError, match=r"cannot be written.*--out"):
        write_conformance(conformance_of("faulty"), tmp_path / "taken")
    with pytest.raises(ResultsError, match=r"it is a file.*--out"):
        require_replaceable(tmp_path / "taken", ("faulty",))


def test_the_same_implementation_may_be_written_again(
    conformance_of: Give, tmp_path: Path
) -> None:
    write_conformance(conformance_of("faulty"), tmp_path)

    require_replaceable(tmp_path, ("faulty",))
    require_replaceable(tmp_path / "missing", ("perfect",))
    for other in (("perfect",), ("faulty", "perfect")):
        with pytest.raises(ResultsError, match="another study of conformance"):
            require_replaceable(tmp_path, other)


def test_a_scoreboard_may_be_replaced_by_any_other(
    conformance_of: Give, tmp_path: Path
) -> None:
    write_conformance(conformance_of("faulty", "perfect"), tmp_path)

    require_replaceable(tmp_path, ("numpy", "sklearn"))
    with pytest.raises(ResultsError, match="another study of conformance"):
        require_replaceable(tmp_path, ("faulty",))


@pytest.mark.parametrize("content", ["mine", "[1]", '{"schema": []}', '{"schema": "x"}'])
def test_files_of_another_study_are_never_replaced(tmp_path: Path, content: str) -> None:
    (tmp_path / "summary.json").write_text(content)

    with pytest.raises(ResultsError, match="not from a study of conformance"):
        require_replaceable(tmp_path, ("faulty",))


def test_junit_has_a_file_of_its_own(conformance_of: Give, tmp_path: Path) -> None:
    write_junit(conformance_of("faulty"), tmp_path / "deep" / "down.xml")

    root = ET.parse(tmp_path / "deep" / "down.xml").getroot()  # noqa: S314  our own file
    assert root.tag == "testsuites"
