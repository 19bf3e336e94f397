"""The page of the assumptions: one self-contained HTML text."""

from collections.abc import Mapping, Sequence
from typing import Any

from gnbbench.assumptions.findings import Grade
from gnbbench.report import assumptions_sections
from gnbbench.report import compare_sections as sections
from gnbbench.report.assumptions_summary import WITHOUT, AssumptionsSummary
from gnbbench.report.assumptions_tiles import assumptions_tiles
from gnbbench.report.figures.catalogue import draw_figures
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.page_parts import plain_facts, shown_figure, template
from gnbbench.words import count, plural, printable

ASSUMPTIONS_CONTENTS = (
    ("verdict", "Verdict"),
    ("naive", "Naive assumption"),
    ("normal", "Normal assumption"),
    ("costs", "What it costs"),
    ("data", "Data"),
    ("method", "Method"),
    ("files", "Files"),
)

TONES: Mapping[Grade, str] = {
    "strongly broken": "bad",
    "broken": "bad",
    "slightly broken": "unsure",
    "not tested": "unsure",
    "tenable": "good",
}


def assumptions_page(
    summary: AssumptionsSummary,
    drawings: Sequence[Drawing | Absence] | None = None,
    svg_texts: Mapping[str, str] | None = None,
) -> str:
    """Return the report of the assumptions as one HTML text that needs no other files."""
    figures = draw_figures("assumptions", summary) if drawings is None else drawings
    shared: Any = summary  # what these functions read of a summary, this one has
    return template("assumptions.html").render(
        summary=summary,
        headline=printable(summary.headline),
        dataset_name=printable(summary.dataset.name),
        tone=_worst_tone(summary),
        verdicts=_verdicts(summary),
        setting=_setting(summary),
        tiles=assumptions_tiles(summary),
        contents=ASSUMPTIONS_CONTENTS,
        warnings=[printable(warning) for warning in summary.warnings],
        figures={
            drawing.name: shown_figure(drawing, svg_texts or {}) for drawing in figures
        },
        models=assumptions_sections.model_facts(),
        n_train=count(summary.findings.n_train),
        n_test=count(summary.findings.n_test),
        tables={
            "independence": assumptions_sections.independence_table(summary),
            "diagonal": assumptions_sections.diagonal_test_table(summary),
            "pairs": assumptions_sections.pair_table(summary),
            "normality": assumptions_sections.normality_table(summary),
            "costs": assumptions_sections.cost_table(summary),
            "failures": sections.failure_table(shared),
            "class_counts": sections.class_count_table(shared),
            "features": sections.feature_table(shared),
        },
        n_tests=len(summary.findings.normality),
        most_tests=assumptions_sections.MOST_TESTS,
        **plain_facts(shared),
    )


def _worst_tone(summary: AssumptionsSummary) -> str:
    tones = {TONES[verdict.grade] for verdict in summary.findings.verdicts}
    return next(tone for tone in ("bad", "unsure", "good") if tone in tones)


def _verdicts(summary: AssumptionsSummary) -> list[dict[str, str]]:
    return [
        {
            "name": f"{verdict.assumption.capitalize()} assumption",
            "without": WITHOUT[verdict.assumption],
            "grade": verdict.grade,
            "tone": TONES[verdict.grade],
            "sentence": printable(verdict.sentence),
            "detail": printable(verdict.detail),
        }
        for verdict in summary.findings.verdicts
    ]


def _setting(summary: AssumptionsSummary) -> str:
    found = summary.findings
    return (
        f"{printable(summary.dataset.name)}: {plural(found.n_samples, 'sample')}, "
        f"{plural(len(found.feature_names), 'feature')}, {len(found.class_names)} classes; "
        f"costs over {plural(found.n_runs, 'run')}, each with "
        f"{plural(found.n_train, 'train sample')} and "
        f"{plural(found.n_test, 'test sample')}."
    )
