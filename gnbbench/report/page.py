"""The page of a compare study: one self-contained HTML text out of a Summary."""

from collections.abc import Mapping, Sequence
from typing import Any

from gnbbench.report import compare_sections as sections
from gnbbench.report.figures.catalogue import draw_figures
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.page_parts import shared_parts, template, who_and_what
from gnbbench.report.streamed_sections import parameter_table
from gnbbench.report.tiles import tiles
from gnbbench.statistics.summary import Summary
from gnbbench.words import count, plural

MOST_DISPUTED_ROWS = 200

CONTENTS = (
    ("verdict", "Verdict"),
    ("agreement", "Agreement"),
    ("accuracy", "Accuracy"),
    ("confusion", "Confusion"),
    ("confidence", "Confidence"),
    ("decision-regions", "Decision regions"),
    ("time", "Time"),
    ("data", "Data"),
    ("method", "Method"),
    ("files", "Files"),
)


def page(
    summary: Summary,
    drawings: Sequence[Drawing | Absence] | None = None,
    svg_texts: Mapping[str, str] | None = None,
) -> str:
    """Return the report as one HTML text that needs neither network nor other files."""
    return template("page.html").render(
        **shared_parts(
            summary,
            draw_figures(summary.study, summary) if drawings is None else drawings,
            svg_texts,
        ),
        contents=CONTENTS,
        setting=_setting(summary),
        tiles=tiles(summary),
        n_train=count(summary.n_train),
        n_test=count(summary.n_test),
        any_labels=bool((summary.agreement["predictions"] > 0).any()),
        disputed_left_out=_left_out(summary),
        tables=_tables(summary),
    )


def _setting(summary: Summary) -> str:
    return (
        f"{who_and_what(summary)}: {plural(summary.n_runs, 'run')}, each with "
        f"{plural(summary.n_train, 'train sample')} and "
        f"{plural(summary.n_test, 'test sample')}."
    )


def _left_out(summary: Summary) -> str:
    beyond = len(summary.disputed_rows) - MOST_DISPUTED_ROWS
    return count(beyond) if beyond > 0 else ""


def _tables(summary: Summary) -> dict[str, Any]:
    disputed = summary.disputed_rows.sort_values("disputed", ascending=False, kind="stable")
    shortened = summary.with_tables(disputed_rows=disputed.head(MOST_DISPUTED_ROWS))
    return {
        "agreement": sections.agreement_table(summary),
        "parameters": parameter_table(summary),
        "memory": sections.memory_table(summary),
        "labels": sections.label_tables(summary),
        "disputed": sections.disputed_table(shortened),
        "accuracy": sections.metric_table(
            summary, sections.ACCURACY_METRICS, "Scores over runs"
        ),
        "classes": sections.class_table(summary),
        "confidence": sections.metric_table(
            summary, sections.CONFIDENCE_METRICS, "Confidence and calibration over runs"
        ),
    }
