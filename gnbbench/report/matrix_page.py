"""The page of a matrix: one self-contained HTML text over several datasets."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gnbbench.report import matrix_sections
from gnbbench.report.figures.catalogue import draw_figure
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.matrix_tiles import matrix_tiles
from gnbbench.report.matrix_wording import SIGNS, TONES
from gnbbench.report.page_parts import (
    Shown,
    named_values,
    plain_facts,
    shown_figure,
    template,
)
from gnbbench.statistics.documents import shared_plan
from gnbbench.statistics.matrix import Entry, Matrix, worst_outcome
from gnbbench.words import DASH, count, decimal, listing, plural, printable, short_names

KEY_FIGURES = ("accuracy", "timing")
MOST_NAMED = 12

Drawings = Sequence[Drawing | Absence]


def matrix_page(
    matrix: Matrix,
    figure: Drawing | Absence | None = None,
    drawings: Mapping[str, Drawings] | None = None,
) -> str:
    """Return the page as one HTML text that needs neither network nor other files."""
    names = short_names(matrix.datasets, 40)
    first = matrix.entries[0].summary
    return template("matrix.html").render(
        headline=printable(matrix.headline),
        dataset_name=plural(len(matrix.datasets), "dataset"),
        summary=first,
        tone=_tone(matrix),
        setting=_setting(matrix),
        tiles=matrix_tiles(matrix),
        contents=_contents(matrix, names),
        verdicts=matrix_sections.implementation_verdicts(matrix),
        warnings=[printable(warning) for warning in matrix.warnings],
        matrix=matrix_sections.matrix_table(matrix),
        signs=[(sign, outcome) for outcome, sign in SIGNS.items()],
        figure_of_all=shown_figure(
            draw_figure("matrix", matrix) if figure is None else figure, {}
        ),
        datasets=[
            _dataset(matrix, entry, names[entry.name], (drawings or {}).get(entry.folder))
            for entry in matrix.entries
        ],
        **_method(matrix),
    )


def _contents(matrix: Matrix, names: Mapping[str, str]) -> list[tuple[str, str]]:
    places = [(matrix_sections.place_of(matrix, n), names[n]) for n in matrix.datasets]
    return [
        ("verdict", "Verdict"),
        ("matrix", "Matrix"),
        *places,
        ("method", "Method"),
        ("files", "Files"),
    ]


def _tone(matrix: Matrix) -> str:
    found = {TONES[worst_outcome(matrix.cells, name)] for name in matrix.competitors}
    if matrix.cells["failed_runs"].any():
        found.add("unsure")
    return next((tone for tone in ("bad", "unsure", "good") if tone in found), "unsure")


def _setting(matrix: Matrix) -> str:
    others = list(short_names(matrix.competitors, 24).values())
    if len(others) > MOST_NAMED:
        others = [*others[: MOST_NAMED - 1], f"{len(others) - MOST_NAMED + 1} more"]
    datasets = list(short_names(matrix.datasets, 30).values())
    runs = {entry.summary.n_runs for entry in matrix.entries}
    each = plural(runs.pop(), "run") + " on each" if len(runs) == 1 else "runs as below"
    return (
        f"{listing(others)} against {printable(matrix.reference)} on "
        f"{'; '.join(datasets)}: {each}."
    )


def _dataset(
    matrix: Matrix, entry: Entry, name: str, drawings: Drawings | None
) -> dict[str, Any]:
    summary = entry.summary
    data = summary.dataset
    return {
        "place": matrix_sections.place_of(matrix, entry.name),
        "name": name,
        "folder": entry.folder,
        "headline": printable(summary.headline),
        "setting": f"{plural(data.n_samples, 'row')}, "
        f"{plural(data.n_features, 'feature')}, {count(len(data.class_names))} classes. "
        f"{plural(summary.n_runs, 'run')}, each "
        f"with {plural(summary.n_train, 'train sample')} and "
        f"{plural(summary.n_test, 'test sample')}.",
        "verdicts": matrix_sections.dataset_verdicts(matrix, entry),
        "warnings": [printable(warning) for warning in summary.warnings],
        "failures": matrix_sections.failure_table(summary),
        "table": matrix_sections.dataset_table(summary),
        "figures": _key_figures(entry, drawings),
    }


def _key_figures(entry: Entry, drawings: Drawings | None) -> list[tuple[Shown, str]]:
    """Return the figures of a dataset's section, and the stems of their files."""
    if drawings is None:
        drawn: Drawings = [draw_figure(name, entry.summary) for name in KEY_FIGURES]
    else:
        drawn = [one for one in drawings if one.name in KEY_FIGURES]
    return [
        (shown_figure(replace(one, name=f"{entry.folder}-{one.name}"), {}), one.name)
        for one in drawn
    ]


def _method(matrix: Matrix) -> dict[str, Any]:
    """Return the facts of the method that hold on every dataset."""
    first = matrix.entries[0].summary
    facts = plain_facts(first)
    plan = shared_plan(matrix)
    return {
        "command": printable(matrix.command),
        "machine": facts["machine"],
        "versions": facts["versions"],
        "threads": facts["threads"],
        "margin": decimal(first.margin, 3),
        "plan": named_values({k: v for k, v in plan.items() if k != "datasets"}),
        "data": [
            (
                printable(entry.name),
                f"{printable(entry.summary.dataset.origin) or DASH}; "
                f"SHA-256 {entry.summary.dataset.sha256}",
            )
            for entry in matrix.entries
        ],
    }
