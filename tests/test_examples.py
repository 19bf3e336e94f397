"""The reports that are kept as examples are whole, small and of the present templates."""

import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gnbbench.report.files import version

REPORTS = Path(__file__).parents[1] / "reports"
MAKER: dict[str, Any] = runpy.run_path(str(REPORTS / "make_examples.py"))
EXAMPLES: dict[str, Any] = MAKER["EXAMPLES"]
without_links: Callable[[str, list[str]], str] = MAKER["without_links"]
MOST_BYTES = 6_000_000
GENERATOR = re.compile(r'<meta name="generator" content="gnbbench, template (\w+)">')


def page_of(name: str) -> str:
    return (REPORTS / "examples" / name / "index.html").read_text(encoding="utf-8")


def stale(page: str) -> bool:
    found = GENERATOR.search(page)
    return found is None or found[1] != version()


# That of many libraries is made by `make peers`, where they can be installed.
@pytest.mark.parametrize("name", [name for name, one in EXAMPLES.items() if one.usual])
def test_an_example_comes_from_the_present_templates(name: str) -> None:
    assert not stale(page_of(name)), "run: make examples"


def test_a_page_of_other_templates_would_be_seen() -> None:
    generator = f'<meta name="generator" content="gnbbench, template {version()}">'

    assert not stale(generator)
    assert stale(generator.replace(version(), "0" * len(version())))
    assert stale(generator.replace("gnbbench, template", "gnbbench"))


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_names_no_directory_of_its_machine_and_links_to_files(name: str) -> None:
    parents = (f"{parent}/" for parent in REPORTS.parents[:-1])
    places = [*parents, f"{Path.home()}/", "/home/", "/root/", "/tmp/"]  # noqa: S108
    links = re.findall(r'(?:href|src)="([^"#][^"]*)"', page_of(name))
    beside = {link for link in links if not link.startswith(("data:", "#"))}

    assert [place for place in places if place in page_of(name)] == []
    assert len(beside) == len(EXAMPLES[name].pictures)
    for link in beside:
        assert (REPORTS / "examples" / name / link).is_file(), link


def test_links_to_what_is_not_kept_become_text() -> None:
    page = '<a href="a.csv">CSV</a><a href="b.png">PNG</a><a href="#top">top</a>'

    assert without_links(page, ["b.png"]) == (
        '<span>CSV</span><a href="b.png">PNG</a><a href="#top">top</a>'
    )


def test_examples_are_small_and_no_other_is_kept() -> None:
    top = REPORTS / "examples"

    assert {path.name for path in top.iterdir() if path.is_dir()} == set(EXAMPLES)
    kept = [path for path in top.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in kept) < MOST_BYTES


def test_a_terminal_fetches_no_font() -> None:
    picture = (REPORTS / "examples" / "compare-iris" / "terminal.svg").read_text("utf-8")

    assert "<svg" in picture
    assert "url(" not in picture.replace("url(#", "")
