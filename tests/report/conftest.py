"""Summaries of invented records for reports: real statistics of studies that never ran."""

import shutil
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import Any

import pytest
from faults.claims import made_summary
from faults.invented_studies import HOSTILE, invented, invented_scale, invented_stream
from playwright.sync_api import Browser, sync_playwright

from gnbbench.report.blocks import Document
from gnbbench.statistics.matrix import Entry, Matrix
from gnbbench.statistics.summary import Summary

CHROMIUM_OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def summary_of(made_once: Callable[..., Any]) -> Callable[[str], Summary]:
    """Give the summary of a study in `STUDIES`; each is made once."""
    give: Callable[[str], Summary] = made_once(invented)
    return give


# How the studies of a matrix differ from each other.
_VARIED: tuple[dict[str, Any], ...] = (
    {},
    {"n_runs": 20, "n_test": 60},
    {"n_runs": 1, "ratios": {}},
)


@pytest.fixture(scope="session")
def matrix_of() -> Callable[..., Matrix]:
    """Give the matrix of a study in `STUDIES` on several datasets."""

    varied = cache(lambda name, place: invented(name, **_VARIED[place]))

    def give(name: str, *datasets: str, left_out: tuple[str, ...] = ()) -> Matrix:
        entries = [
            Entry(dataset, f"data-{place}", varied(name, place))
            for place, dataset in enumerate(datasets)
        ]
        command = f"gnbbench compare {' '.join(datasets)}"
        return Matrix(tuple(entries), command, left_out)

    return give


@pytest.fixture(scope="session")
def document_of(request: pytest.FixtureRequest) -> Callable[..., Document]:
    """Give the report of a kind on an invented study of that name, made anew."""

    def fixture(name: str) -> Callable[..., Any]:
        found: Callable[..., Any] = request.getfixturevalue(f"{name}_of")
        return found

    def _matrix(name: str) -> Any:
        hostile = (HOSTILE, "x\n\x00[bold]")
        datasets = hostile if name == "hostile" else ("iris", "wine")
        return fixture("matrix")(name, *datasets, left_out=("spark is not installed.",))

    def _compare(name: str) -> Any:
        return invented_stream() if name == "streamed" else fixture("summary")(name)

    def _conformance(words: str) -> Any:
        names, _, expected = words.partition(" expected=")
        return fixture("conformance")(*names.split(), expected=tuple(expected.split(",")))

    summaries: dict[str, Callable[[str], Any]] = {
        "compare": _compare,
        "matrix": _matrix,
        "sweep": fixture("sweep"),
        "scale": cache(invented_scale),
        "explain": lambda names: fixture("explain")(*names.split()),
        "assumptions": fixture("assumptions"),
        "conformance": _conformance,
        "check": lambda names: fixture("check")(*names.split()),
        "reproduce": lambda _: made_summary(),
    }

    def give(kind: str, name: str) -> Document:
        module = import_module(f"gnbbench.report.{kind}")
        document: Document = module.report(summaries[kind](name))
        return document

    return give


@pytest.fixture(scope="session")
def kind_document(
    document_of: Callable[[str, str], Document],
) -> Callable[[str, str], Document]:
    """Give the usual or hostile report of a kind; its figures are drawn once for all."""
    return cache(document_of)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One headless Chromium for all tests; without it they are skipped."""
    path = shutil.which("chromium") or shutil.which("chromium-headless-shell")
    if path is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=path, args=list(CHROMIUM_OPTIONS)
        )
        yield chromium
        chromium.close()
