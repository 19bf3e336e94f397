"""The page: one self-contained HTML text out of a Summary."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from gnbbench.report import sections
from gnbbench.report.figures.catalogue import draw_all
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.labels import printable, short_names
from gnbbench.report.numbers import DASH, count, decimal, listing, plural
from gnbbench.report.pictures import inline_svg, svg
from gnbbench.report.tables import Table, of_frame
from gnbbench.report.tiles import tiles
from gnbbench.statistics.summary import Summary

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

_TONES = {
    "failed": "bad",
    "different": "bad",
    "cannot tell": "unsure",
    "equivalent": "good",
    "identical": "good",
}


@dataclass(frozen=True)
class Shown:
    """A figure as the template takes it; with a reason where it was not drawn."""

    name: str
    title: str
    finding: str = ""
    caption: str = ""
    svg: str = ""
    n_rows: str = ""
    table: Table | None = None
    reason: str = ""


def page(
    summary: Summary,
    drawings: Sequence[Drawing | Absence] | None = None,
    svg_texts: Mapping[str, str] | None = None,
) -> str:
    """Return the report as one HTML text that needs neither network nor other files.

    Parameters
    ----------
    summary : Summary
    drawings : sequence of Drawing or Absence, optional
        The figures, where they were drawn already.
    svg_texts : mapping of str to str, optional
        Name of a figure -> its SVG, where it was made already.

    Returns
    -------
    str
        The same text for the same summary.
    """
    ready = svg_texts or {}
    shown = {
        drawing.name: _shown(drawing, ready)
        for drawing in (draw_all(summary) if drawings is None else drawings)
    }
    return _template().render(
        summary=summary,
        headline=printable(summary.headline),
        dataset_name=printable(summary.dataset.name),
        tone=_worst_tone(summary),
        setting=_setting(summary),
        tiles=tiles(summary),
        contents=CONTENTS,
        verdicts=_verdicts(summary),
        warnings=[printable(warning) for warning in summary.warnings],
        figures=shown,
        any_labels=bool((summary.agreement["predictions"] > 0).any()),
        disputed_left_out=_left_out(summary),
        tables=_tables(summary),
        **_plain_facts(summary),
    )


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("gnbbench", "report/templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html")


def _shown(drawing: Drawing | Absence, ready: Mapping[str, str]) -> Shown:
    if isinstance(drawing, Absence):
        return Shown(drawing.name, drawing.title, reason=drawing.reason)
    text = ready[drawing.name] if drawing.name in ready else svg(drawing)
    return Shown(
        drawing.name,
        drawing.title,
        drawing.finding,
        drawing.caption,
        Markup(inline_svg(drawing, text)),  # noqa: S704  matplotlib escapes what it writes
        count(len(drawing.frame)),
        of_frame(f"Data: {drawing.title.lower()}", drawing.frame),
    )


def _worst_tone(summary: Summary) -> str:
    tones = {_TONES[verdict.outcome] for verdict in summary.verdicts}
    return next((tone for tone in ("bad", "unsure", "good") if tone in tones), "unsure")


def _verdicts(summary: Summary) -> list[dict[str, str]]:
    names = short_names(summary.implementations, 60)
    return [
        {
            "name": names[verdict.implementation],
            "outcome": verdict.outcome,
            "tone": _TONES[verdict.outcome],
            "sentence": printable(verdict.sentence),
            "detail": printable(verdict.detail),
        }
        for verdict in summary.verdicts
    ]


def _setting(summary: Summary) -> str:
    names = short_names(summary.implementations, 40)
    reference, *others = names.values()
    return (
        f"{listing(others)} against {reference} on {printable(summary.dataset.name)}: "
        f"{plural(summary.n_runs, 'run')}, each with "
        f"{plural(summary.n_train, 'train sample')} and "
        f"{plural(summary.n_test, 'test sample')}."
    )


def _left_out(summary: Summary) -> str:
    beyond = len(summary.disputed_rows) - MOST_DISPUTED_ROWS
    return count(beyond) if beyond > 0 else ""


def _tables(summary: Summary) -> dict[str, Any]:
    disputed = summary.disputed_rows.sort_values("disputed", ascending=False, kind="stable")
    shortened = replace(summary, disputed_rows=disputed.head(MOST_DISPUTED_ROWS))
    return {
        "failures": sections.failure_table(summary),
        "agreement": sections.agreement_table(summary),
        "labels": sections.label_tables(summary),
        "disputed": sections.disputed_table(shortened),
        "accuracy": sections.metric_table(
            summary, sections.ACCURACY_METRICS, "Scores over runs"
        ),
        "classes": sections.class_table(summary),
        "confidence": sections.metric_table(
            summary, sections.CONFIDENCE_METRICS, "Confidence and calibration over runs"
        ),
        "ratios": sections.ratio_table(summary),
        "times": sections.time_table(summary),
        "class_counts": sections.class_count_table(summary),
        "features": sections.feature_table(summary),
    }


def _plain_facts(summary: Summary) -> dict[str, Any]:
    data, environment = summary.dataset, summary.environment
    return {
        "regime": printable(summary.timing_regime),
        "threads": printable(str(environment["threads"])),
        "machine": _pairs(environment["machine"]),
        "versions": _pairs(environment["versions"]),
        "plan": _pairs(summary.plan),
        "command": printable(summary.command),
        "n_samples": count(data.n_samples),
        "n_train": count(summary.n_train),
        "n_test": count(summary.n_test),
        "margin": decimal(summary.margin, 3),
        "data_notes": [printable(note) for note in data.notes],
        "data_facts": [
            ("rows", count(data.n_samples)),
            ("features", count(data.n_features)),
            ("target", printable(data.target_name)),
            ("missing values", "none"),
            (
                "duplicates",
                f"{count(data.n_duplicates)} (equal to an earlier row and its label)",
            ),
            ("origin", printable(data.origin) or DASH),
            ("licence", printable(data.licence) or DASH),
            ("SHA-256", data.sha256 or DASH),
        ],
    }


def _pairs(mapping: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names in words and values in units; the command stands elsewhere."""
    return [
        (printable(str(key)).replace("_", " ").removesuffix(" bytes"), _text(key, value))
        for key, value in mapping.items()
        if key != "command"
    ]


def _text(key: str, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)) and key.endswith("_bytes"):
        return f"{decimal(value / 2**30, 1)} GiB"
    if isinstance(value, Mapping):
        value = [f"{name}: {item}" for name, item in value.items()]
    if isinstance(value, (list, tuple)):
        return ", ".join(printable(str(item)) for item in value) or DASH
    return DASH if value is None else printable(str(value))
