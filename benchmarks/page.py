"""The measured figures as a page, a picture and a JSON file."""

import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from jinja2 import (
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    PackageLoader,
    StrictUndefined,
)
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter
from measured import Measured, number
from rich.console import Console

from gnbbench.measurement.environment import environment
from gnbbench.report.blocks import Fact, Tile
from gnbbench.report.figures.drawing import Drawing
from gnbbench.report.files import write_figure
from gnbbench.report.page_parts import named_values, shown_figure
from gnbbench.report.style import WARNING, line_styles
from gnbbench.report.tables import Cell, Table, build, number_cell, text_cell
from gnbbench.report.template_version import template_version
from gnbbench.words import plural

CONTENTS = (
    ("verdict", "Verdict"),
    ("measured", "Figures"),
    ("method", "Method"),
    ("files", "Files"),
)
COLUMNS = (
    "work",
    "figure",
    "median",
    "spread",
    "unit",
    "limit",
    "aim",
    "verdict",
    "remark",
)
LOADER = ChoiceLoader(
    [FileSystemLoader(Path(__file__).parent), PackageLoader("gnbbench", "report/templates")]
)


def write(groups: dict[str, Sequence[Measured]], directory: Path, command: str) -> Path:
    """Write the report, and return the path of its page.

    Parameters
    ----------
    groups : dict of str to sequence of Measured
        By the caption of their table.
    directory : Path
    command : str
        What repeats the measurement.

    Returns
    -------
    Path
    """
    found = [one for group in groups.values() for one in group]
    (directory / "figures").mkdir(parents=True, exist_ok=True)
    drawing = limits(found)
    text = write_figure(drawing, directory / "figures" / drawing.name)
    index = directory / "index.html"
    index.write_text(_page(groups, drawing, text, command), encoding="utf-8")
    document = {
        "schema": "gnbbench bench",
        "schema_version": 1,
        "command": command,
        "environment": environment(),
        "measured": [
            {
                "group": caption,
                "work": one.work,
                "figure": one.what,
                "median": one.value,
                "spread": one.spread,
                "values": one.values,  # noqa: PD011  no frame
                "unit": one.unit,
                "limit": one.limit,
                "aim": one.aim,
                "remark": one.remark,
            }
            for caption, group in groups.items()
            for one in group
        ],
    }
    (directory / "summary.json").write_text(
        json.dumps(document, indent=1) + "\n", encoding="utf-8"
    )
    return index


def _page(
    groups: dict[str, Sequence[Measured]], drawing: Drawing, text: str, command: str
) -> str:
    found = [one for group in groups.values() for one in group]
    limited = [one for one in found if one.limit is not None]
    kept = [one for one in limited if one.within]
    aimed = [one for one in found if one.aim is not None]
    reached = sum(one.value <= one.aim for one in aimed if one.aim is not None)
    known = environment()
    page_environment = Environment(
        loader=LOADER,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    version = template_version(LOADER, "bench.html")
    template = page_environment.get_template(
        "bench.html", globals={"template_version": version}
    )
    tiles = (
        _tile("Limits kept", f"{len(kept)} of {len(limited)}", "the rest has none"),
        _tile("Aims reached", f"{reached} of {len(aimed)}", "beyond what the limit asks"),
        *(
            _tile(f"{what}, {work}", f"{number(one.value)} ×", "scikit-learn's time")
            for work, what, one in _shown_in_tiles(found)
        ),
    )
    return template.render(
        summary={"study": "bench"},
        headline=drawing.finding,
        dataset_name="the core",
        tone="good" if len(kept) == len(limited) else "unsure",
        verdicts=[],
        setting="gnbbench.GaussianNB beside scikit-learn's, in pairs.",
        tiles=tiles,
        contents=CONTENTS,
        exceeded=[
            f"{one.work}, {one.what}: {number(one.value)} {one.unit}, "
            f"limit {number(one.limit)}."
            for one in limited
            if not one.within and one.limit is not None
        ],
        figures={"limits": shown_figure(drawing, {"limits": text})},
        tables=[_table(caption, group) for caption, group in groups.items()],
        command=command,
        machine=named_values(known["machine"]),
        versions=named_values(known["versions"]),
    )


def _shown_in_tiles(found: Sequence[Measured]) -> list[tuple[str, str, Measured]]:
    """Return fit on the smallest and on the largest data."""
    fits = [one for one in found if one.what == "fit"]
    large = [one for one in fits if " x " in one.work]
    return [(one.work, one.what, one) for one in (*fits[:1], *large[:1])]


def _tile(title: str, value: str, detail: str) -> Tile:
    return Tile(title, (Fact("", value, detail),))


def _table(caption: str, group: Sequence[Measured]) -> Table:
    return build(caption, COLUMNS, [_cells(one) for one in group])


def _cells(one: Measured) -> list[Cell]:
    return [
        text_cell(one.work),
        text_cell(one.what),
        number_cell(one.value, number(one.value)),
        text_cell(" to ".join(map(number, one.spread))),
        text_cell(one.unit),
        _optional(one.limit),
        _optional(one.aim),
        text_cell(one.verdict),
        text_cell(one.remark),
    ]


def _optional(value: float | None) -> Cell:
    if value is None:
        return number_cell(float("nan"), "–")
    return number_cell(value, number(value))


def limits(found: Sequence[Measured]) -> Drawing:
    """Draw every figure that has a limit as its share of it."""
    judged = [one for one in found if one.limit]
    frame = pd.DataFrame(
        {
            "work": [one.work for one in judged],
            "figure": [one.what for one in judged],
            "unit": [one.unit for one in judged],
            "median": [one.value for one in judged],
            "limit": [one.limit for one in judged],
        }
    )
    frame["share_of_limit"] = frame["median"] / frame["limit"]
    kept = sum(one.within for one in found if one.limit is not None)
    number_of_limits = sum(one.limit is not None for one in found)
    finding = (
        f"Every one of {plural(number_of_limits, 'limit')} is kept"
        if kept == number_of_limits
        else f"{kept} of {plural(number_of_limits, 'limit')} are kept"
    )
    return Drawing(
        name="limits",
        title="Figures as shares of their limits",
        finding=finding,
        caption="Each line is a measured figure; beside its name stand the median and the "
        "limit, in the figure's own unit. Left of the red line the limit is kept. Figures "
        "whose limit is zero, such as differing labels, stand in the tables.",
        alt=f"Dot plot of {plural(len(frame), 'measured figure')} as shares of their "
        f"limits, from {number(float(frame['share_of_limit'].min()))} to "
        f"{number(float(frame['share_of_limit'].max()))}. {finding}.",
        frame=frame,
        inches=0.24 * len(frame) + 0.8,
        draw=lambda figure: _draw_limits(figure.subplots(), frame),
    )


def _draw_limits(axes: Axes, frame: pd.DataFrame) -> None:
    colour = line_styles(["sklearn", "numpy"])["numpy"].colour
    lowest = max(float(frame["share_of_limit"].min()), 0.01)
    shares = frame["share_of_limit"].clip(lower=lowest)
    colours = [colour if share <= 1 else WARNING for share in frame["share_of_limit"]]
    axes.hlines(range(len(frame)), lowest * 0.8, shares, colors=colours, linewidth=2.2)
    axes.scatter(shares, range(len(frame)), c=colours, s=26, zorder=3)
    axes.axvline(1.0, color=WARNING, linewidth=1.0)
    axes.annotate(
        "limit",
        (1.0, 1.0),
        (3, 2),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        size=8.0,
        color=WARNING,
    )
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(PercentFormatter(1.0))
    axes.set_xlim(lowest * 0.8, max(float(shares.max()), 1.0) * 1.5)
    axes.set_ylim(len(frame) - 0.4, -0.6)
    names = [
        f"{work}: {what}, {number(value)} of {number(limit)}"
        for work, what, value, limit in zip(
            frame["work"], frame["figure"], frame["median"], frame["limit"], strict=True
        )
    ]
    axes.set_yticks(range(len(frame)), names)
    axes.set_xlabel("share of the limit (logarithmic; further left is better)")
    axes.tick_params(axis="y", length=0)


def show(text: object) -> None:
    """Print to the terminal, wide enough for the table of figures."""
    Console(width=140).print(text)
