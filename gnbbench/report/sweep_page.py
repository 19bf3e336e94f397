"""The page of a sweep: one self-contained HTML text out of a Summary."""

from collections.abc import Mapping, Sequence

from gnbbench.report import sweep_sections
from gnbbench.report.figures.catalogue import draw_figures
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.page_parts import shared_parts, template, who_and_what
from gnbbench.report.sweep_tiles import sweep_tiles
from gnbbench.statistics.summary import Summary
from gnbbench.words import percent_span, plural

SWEEP_CONTENTS = (
    ("verdict", "Verdict"),
    ("agreement", "Agreement"),
    ("accuracy", "Accuracy"),
    ("overfitting", "Overfitting"),
    ("learning-curve", "Learning curve"),
    ("splits", "Splits"),
    ("time", "Time"),
    ("data", "Data"),
    ("method", "Method"),
    ("files", "Files"),
)


def sweep_page(
    summary: Summary,
    drawings: Sequence[Drawing | Absence] | None = None,
    svg_texts: Mapping[str, str] | None = None,
) -> str:
    """Return the report of a sweep as one HTML text that needs no other files."""
    return template("sweep.html").render(
        **shared_parts(
            summary,
            draw_figures(summary.study, summary) if drawings is None else drawings,
            svg_texts,
        ),
        contents=SWEEP_CONTENTS,
        setting=_setting(summary),
        tiles=sweep_tiles(summary),
        any_conservative=bool(summary.points["conservative"].any()),
        tables={
            "headline": sweep_sections.headline_table(summary),
            "agreement": sweep_sections.fraction_table(summary),
            "histograms": sweep_sections.histogram_tables(summary),
            "accuracy": sweep_sections.accuracy_table(summary),
            "slopes": sweep_sections.slope_table(summary),
            "splits": sweep_sections.split_table(summary),
        },
    )


def _setting(summary: Summary) -> str:
    return (
        f"{who_and_what(summary)}: {plural(summary.n_runs, 'run')} at each of "
        f"{plural(len(summary.fractions), 'train fraction')}, "
        f"{percent_span(summary.fractions)}."
    )
