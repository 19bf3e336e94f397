"""The page on causes: one self-contained HTML text."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gnbbench.report import compare_sections as sections
from gnbbench.report.assumptions_choices import class_words
from gnbbench.report.explain_contributions import Card, cards
from gnbbench.report.explain_sections import (
    cause_table,
    disagreement_table,
    meaning_table,
    posterior_table,
)
from gnbbench.report.explain_summary import Diagnosed, ExplainSummary
from gnbbench.report.explain_tiles import explain_tiles
from gnbbench.report.explain_wording import outcome_of, remainder, sureness, tone_of
from gnbbench.report.figures.catalogue import draw_figures
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.page_parts import Shown, named_values, plain_facts, shown_figure
from gnbbench.report.page_parts import template as page_template
from gnbbench.words import DASH, count, listing, plural, printable, significant

CONTENTS = (
    ("verdict", "Verdict"),
    ("causes", "Causes"),
    ("found", "How it was found"),
    ("disagreements", "Disagreements"),
    ("data", "Data"),
    ("method", "Method"),
    ("files", "Files"),
)
# A figure's data stand in the page up to so many features, and always in its CSV file.
MOST_FEATURE_ROWS = 65
MOST_FEATURES_LISTED = 100


def explain_page(
    summary: ExplainSummary,
    drawings: Sequence[Drawing | Absence] | None = None,
    svg_texts: Mapping[str, str] | None = None,
) -> str:
    """Return the report on causes as one HTML text that needs no other files."""
    figures = draw_figures("explain", summary) if drawings is None else drawings
    shown = [_shown(drawing, svg_texts or {}) for drawing in figures]
    verdicts = [_verdict(summary, one) for one in summary.diagnosed]
    shared: Any = summary  # what these functions read of a summary, this one has
    features = sections.feature_table(shared)
    facts = {
        **plain_facts(shared),
        "plan": named_values({k: v for k, v in summary.plan.items() if v not in ({}, [])}),
    }
    return page_template("explain.html").render(
        summary=summary,
        headline=printable(summary.headline),
        dataset_name=printable(summary.dataset.name),
        tone=_worst(verdicts),
        verdicts=verdicts,
        setting=_setting(summary),
        tiles=explain_tiles(summary),
        contents=CONTENTS,
        warnings=[printable(warning) for warning in summary.warnings],
        found=_found(summary, shown),
        figures=shown,
        reference=summary.names[summary.reference],
        meanings=meaning_table(),
        class_counts=sections.class_count_table(shared),
        features=replace(features, rows=features.rows[:MOST_FEATURES_LISTED]),
        n_features=count(len(features.rows)),
        features_left_out=len(features.rows) > MOST_FEATURES_LISTED,
        **facts,
    )


def _shown(drawing: Drawing | Absence, svg_texts: Mapping[str, str]) -> Shown:
    shown = shown_figure(drawing, svg_texts)
    if isinstance(drawing, Drawing) and len(drawing.frame) > MOST_FEATURE_ROWS:
        return replace(shown, table=None)
    return shown


def _verdict(summary: ExplainSummary, one: Diagnosed) -> dict[str, str]:
    return {
        "name": summary.names[one.implementation],
        "outcome": outcome_of(one.diagnosis),
        "tone": tone_of(one.diagnosis),
        "sentence": summary.verdict(one),
        "detail": sureness(one.diagnosis),
    }


def _worst(verdicts: Sequence[Mapping[str, str]]) -> str:
    tones = {verdict["tone"] for verdict in verdicts}
    return next(tone for tone in ("bad", "unsure", "good") if tone in tones)


def _setting(summary: ExplainSummary) -> str:
    reference, *others = summary.names.values()
    return (
        f"{listing(others)} against {reference} on {printable(summary.dataset.name)}: "
        f"{plural(summary.n_runs, 'run')}, each with "
        f"{plural(summary.n_train, 'train sample')} and "
        f"{plural(summary.n_test, 'test sample')}."
    )


def _found(summary: ExplainSummary, figures: Sequence[Shown]) -> list[dict[str, Any]]:
    """Return what each section shows of each implementation."""
    in_full = list(zip(cards(summary), figures, strict=True))
    return [
        {
            "name": summary.names[one.implementation],
            "tone": tone_of(one.diagnosis),
            "causes": cause_table(one.diagnosis, summary.names[one.implementation]),
            "remainder": remainder(one.diagnosis),
            "setting": printable(one.diagnosis.setting),
            "sureness": sureness(one.diagnosis),
            "evidence": [printable(cause.evidence) for cause in one.diagnosis.causes],
            "verdict": summary.verdict(one),
            "disagreements": disagreement_table(summary, one),
            "cards": [
                _card(summary, card, figure)
                for card, figure in in_full
                if card.implementation == one.implementation
            ],
        }
        for one in summary.diagnosed
    ]


def _card(summary: ExplainSummary, card: Card, figure: Shown) -> dict[str, Any]:
    one = card.disagreement
    wanted, given = (
        summary.label_name(label) for label in (one.reference_label, one.label)
    )
    reference, name = (summary.names[n] for n in (summary.reference, card.implementation))
    return {
        "anchor": f"disagreement-{card.number}",
        "title": (
            f"Run {one.run}, row {one.row}: {class_words(given)} instead of "
            f"{class_words(wanted)}"
        ),
        "facts": [
            ("truth", summary.label_name(one.truth)),
            (f"label of {reference}", wanted),
            (f"label of {name}", given),
            ("cause", one.cause or "nothing explains it"),
            ("margin", _margin(one.margin)),
        ],
        "posteriors": posterior_table(summary, card),
        "figure": figure,
    }


def _margin(value: float) -> str:
    return DASH if math.isnan(value) else f"{significant(value)} in log-odds"
