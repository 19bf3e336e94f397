"""The page of a scale study: one self-contained HTML text out of a ScaleSummary."""

from collections.abc import Mapping, Sequence

from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.page_parts import named_values, shown_figure, template
from gnbbench.report.scale_figures import scale_drawings
from gnbbench.report.scale_sections import (
    agreement_table,
    exponent_table,
    memory_table,
    time_table,
)
from gnbbench.report.scale_tiles import scale_tiles
from gnbbench.report.scale_wording import grid_facts, settings
from gnbbench.statistics.scale_summary import SYMBOLS, ScaleSummary
from gnbbench.words import listing, plural, printable, short_names

CONTENTS = (
    ("verdict", "Verdict"),
    ("time", "Time"),
    ("throughput", "Throughput"),
    ("memory", "Memory"),
    ("agreement", "Agreement"),
    ("method", "Method"),
    ("files", "Files"),
)


def scale_page(
    summary: ScaleSummary,
    drawings: Sequence[Drawing | Absence] | None = None,
    svg_texts: Mapping[str, str] | None = None,
) -> str:
    """Return the report as one HTML text that needs neither network nor other files."""
    drawn = scale_drawings(summary) if drawings is None else drawings
    environment = summary.environment
    return template("scale.html").render(
        summary=summary,
        headline=printable(summary.headline),
        dataset_name="gaussians",
        tone=_tone(summary),
        verdicts=[{"detail": printable(summary.detail)}],
        setting=_setting(summary),
        tiles=scale_tiles(summary),
        contents=CONTENTS,
        figures={one.name: shown_figure(one, svg_texts or {}) for one in drawn},
        warnings=[printable(warning) for warning in summary.warnings],
        stops=[printable(sentence) for sentence in summary.stops["sentence"]],
        exponents=exponent_table(summary),
        axes=[
            {"name": axis, "symbol": SYMBOLS[axis], "table": time_table(summary, axis)}
            for axis in summary.axes
        ],
        agreement=agreement_table(summary),
        memory=memory_table(summary),
        processes=plural(int(summary.plan["processes"]), "fresh process").replace(
            "processs", "processes"
        ),
        regime=printable(summary.regime),
        threads=printable(str(environment["threads"])),
        command=printable(summary.command),
        grid=[(name, printable(text)) for name, text in grid_facts(summary)],
        plan=[(printable(name), printable(text)) for name, text in settings(summary)],
        machine=named_values(environment["machine"]),
        versions=named_values(environment["versions"]),
    )


def _tone(summary: ScaleSummary) -> str:
    """Return good where all is equal, bad where labels differ or one failed."""
    failed = ~summary.stops["status"].isin(["budget"])
    if len(summary.differing) or failed.any():
        return "bad"
    return "unsure" if summary.times.empty else "good"


def _setting(summary: ScaleSummary) -> str:
    reference, *others = short_names(summary.implementations, 40).values()
    held = ", ".join(
        f"{SYMBOLS[axis]} = {one['held']:,}" for axis, one in summary.plan["axes"].items()
    )
    return (
        f"{listing(others)} against {reference}; {listing(list(summary.axes))} varied one "
        f"at a time, the others held at {held}."
    )
