"""What the pages of all kinds of study have in common, as their templates take it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.pictures import inline_svg, svg
from gnbbench.report.tables import Table, of_frame
from gnbbench.report.template_version import template_version
from gnbbench.statistics.summary import Summary
from gnbbench.words import DASH, count, decimal, printable


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


@cache
def template(name: str) -> Template:
    """Template of a page; names in it that are not given are errors."""
    loader = PackageLoader("gnbbench", "report/templates")
    environment = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    version = template_version(loader, name)
    return environment.get_template(name, globals={"template_version": version})


def shown_figure(drawing: Drawing | Absence, ready: Mapping[str, str]) -> Shown:
    """Return what the page needs of a figure, or of its absence."""
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


def plain_facts(summary: Summary) -> dict[str, Any]:
    """Return the facts of data, machine and plan that every page states."""
    data, environment = summary.dataset, summary.environment
    return {
        "regime": printable(summary.timing_regime),
        "threads": printable(str(environment["threads"])),
        "machine": named_values(environment["machine"]),
        "versions": named_values(environment["versions"]),
        "plan": named_values(summary.plan),
        "command": printable(summary.command),
        "n_samples": count(data.n_samples),
        "margin": decimal(summary.margin, 3),
        "data_notes": [printable(note) for note in data.notes],
        "data_facts": [
            ("rows", count(data.n_samples)),
            ("features", count(data.n_features)),
            ("target", printable(data.target_name)),
            ("missing values", "none"),
            (
                "duplicates",
                "not counted"
                if data.n_duplicates is None
                else f"{count(data.n_duplicates)} (equal to an earlier row and its label)",
            ),
            ("origin", printable(data.origin) or DASH),
            ("licence", printable(data.licence) or DASH),
            ("SHA-256", data.sha256 or DASH),
        ],
    }


def named_values(mapping: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return names in words and values in units; the command stands elsewhere."""
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
