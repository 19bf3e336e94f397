"""The measured figures as a report: a page, a picture and a JSON file."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter
from measured import Measured, number
from rich.console import Console

from gnbbench.measurement.environment import environment
from gnbbench.report.blocks import (
    Block,
    Column,
    Document,
    Fact,
    Figure,
    Section,
    Table,
    Text,
    Tile,
)
from gnbbench.report.figures.drawing import Drawing
from gnbbench.report.files import write as write_files
from gnbbench.report.sections import FILES, method_section
from gnbbench.report.style import WARNING, line_styles
from gnbbench.words import DASH, plural

Groups = Mapping[str, Sequence[Measured]]  # By the caption of their table

METHOD = (
    "Ours and scikit-learn's do the same work on the same arrays in one process, in pairs "
    "whose order changes, with BLAS and OpenMP on one thread unless a line says otherwise. "
    "A ratio is our time over scikit-learn's; the median of the pairs counts. Small data "
    "is timed by the protocol of gnbbench compare, whose interval stands beside the ratio; "
    "elsewhere the range of the pairs does. A read is one sum over the whole array. Extra "
    "memory is what the process grows by during one call, its result left out. No absolute "
    "time is judged."
)


def write(groups: Groups, directory: Path, command: str) -> Path:
    """Write the report, and return the path of its page; the command repeats it."""
    return write_files(document(groups, command), directory)


def document(groups: Groups, command: str) -> Document:
    """Return what the measurement found, for every renderer."""
    found = [figure for group in groups.values() for figure in group]
    limited = [figure for figure in found if figure.limit is not None]
    exceeded = [figure for figure in limited if not figure.within]
    known = environment()
    return Document(
        study="bench",
        subject="the core",
        headline=finding(found),
        tone="unsure" if exceeded else "good",
        setting="gnbbench.GaussianNB beside scikit-learn's, in pairs.",
        tiles=tuple(tiles(found)),
        blocks=(
            Section("verdict", "Verdict", (*verdict(exceeded), limits_figure(found))),
            Section(
                "measured", "Figures", (QUESTION, *map(table, groups, groups.values()))
            ),
            method_section(command, (Text(METHOD),), (), known, ""),
            FILES,
        ),
        payload={
            "schema": "gnbbench bench",
            "schema_version": 1,
            "command": command,
            "environment": known,
            "measured": [
                {"group": caption, **figure.fields()}
                for caption, group in groups.items()
                for figure in group
            ],
        },
        attachments=(),
    )


QUESTION = Text(
    "What does our core cost beside scikit-learn's, and beside one read of the data?"
)


def finding(found: Sequence[Measured]) -> str:
    """Return how many limits are kept, in one sentence without its point."""
    limited = [figure for figure in found if figure.limit is not None]
    kept = sum(figure.within for figure in limited)
    if kept == len(limited):
        return f"Every one of {plural(len(limited), 'limit')} is kept"
    return f"{kept} of {plural(len(limited), 'limit')} are kept"


def tiles(found: Sequence[Measured]) -> Iterator[Tile]:
    """Yield limits and aims, and fit on the smallest and on the largest data."""
    limited = [figure for figure in found if figure.limit is not None]
    kept = sum(figure.within for figure in limited)
    aims = [figure.value <= figure.aim for figure in found if figure.aim is not None]
    yield tile("Limits kept", f"{kept} of {len(limited)}", "the rest has none")
    yield tile("Aims reached", f"{sum(aims)} of {len(aims)}", "beyond what the limit asks")
    fits = [figure for figure in found if figure.what == "fit"]
    large = [figure for figure in fits if " x " in figure.work]
    for fit in (*fits[:1], *large[:1]):
        yield tile(f"fit, {fit.work}", f"{number(fit.value)} ×", "scikit-learn's time")


def tile(title: str, value: str, detail: str) -> Tile:
    """Return a tile of one value."""
    return Tile(title, (Fact("", value, detail),))


def verdict(exceeded: Sequence[Measured]) -> list[Block]:
    """Return a note for each limit that is exceeded, or one that none is."""
    if not exceeded:
        return [Text("Every limit is kept.", look="note", tone="good")]
    return [
        Text(
            f"{figure.work}, {figure.what}: {number(figure.value)} {figure.unit}, "
            f"limit {number(figure.limit or 0.0)}.",
            look="note",
            tone="bad",
            lead="Exceeded:",
        )
        for figure in exceeded
    ]


def table(caption: str, group: Sequence[Measured]) -> Table:
    """Return the figures of one part."""
    columns = (
        Column("work"),
        Column("figure"),
        Column("median", show=number),
        Column("spread", show=lambda spread: " to ".join(map(number, spread))),
        Column("unit"),
        Column("limit", show=optional),
        Column("aim", show=optional),
        Column("verdict"),
        Column("remark"),
    )
    rows = [{**figure.fields(), "verdict": figure.verdict} for figure in group]
    return Table(caption, rows, columns)


def optional(value: float | None) -> str:
    """Return a figure, or a dash where there is none."""
    return DASH if value is None else number(value)


def limits_figure(found: Sequence[Measured]) -> Figure:
    """Return the picture of every figure that has a limit."""
    return Figure("limits", lambda: limits(found))


def limits(found: Sequence[Measured]) -> Drawing:
    """Draw every figure that has a limit as its share of it."""
    columns = ["work", "figure", "unit", "median", "limit"]
    judged = [figure.fields() for figure in found if figure.limit]
    frame = pd.DataFrame(judged, columns=columns)
    shares = frame["share_of_limit"] = frame["median"] / frame["limit"]
    sentence = finding(found)
    return Drawing(
        name="limits",
        title="Figures as shares of their limits",
        finding=sentence,
        caption="Each line is a measured figure; beside its name stand the median and the "
        "limit, in the figure's own unit. Left of the red line the limit is kept. Figures "
        "whose limit is zero, such as differing labels, stand in the tables.",
        alt=f"Dot plot of {plural(len(frame), 'measured figure')} as shares of their "
        f"limits, from {number(float(shares.min()))} to {number(float(shares.max()))}. "
        f"{sentence}.",
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
