"""Whether a confidence of 0.9 is right nine times out of ten."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gnbbench.report.figures.drawing import Plot
from gnbbench.report.figures.parts import Styles, band, ends, known, line, measures, present
from gnbbench.report.style import MUTED, PAPER, line_styles
from gnbbench.statistics.summary import Summary
from gnbbench.words import count, decimal, listing, plural


def reliability(summary: Summary) -> Plot | str:
    """Accuracy against confidence per bin, with bands, above the samples in each bin."""
    frame = summary.reliability.reset_index(drop=True)
    if frame.empty:
        return "No implementation offers probabilities."
    styles = line_styles(summary.implementations)
    names = present(summary.implementations, frame)
    finding = _finding(summary, names, styles)

    def draw(figure: Figure) -> None:
        grid = figure.add_gridspec(2, 2, height_ratios=(3.6, 1), width_ratios=(3, 1))
        curves = figure.add_subplot(grid[0, 0])
        volumes = figure.add_subplot(grid[1, 0], sharex=curves)
        beside = figure.add_subplot(grid[:, 1])
        _curves(curves, frame, names, styles)
        _volumes(volumes, frame, names, styles)
        beside.set_axis_off()
        beside.legend(
            *curves.get_legend_handles_labels(), loc="upper left", borderaxespad=0
        )

    return Plot(
        finding=finding,
        caption="Test samples of all runs, sorted into bins of equal width by confidence; "
        "a point on the dashed line is as often right as it says. Bands are 95 % intervals "
        "of the accuracy within a bin. Below: samples per bin. The average miss is the "
        "expected calibration error.",
        alt=_alt(frame, names, finding, styles),
        frame=frame,
        inches=3.9,
        draw=draw,
    )


def _curves(axes: Axes, frame: pd.DataFrame, names: list[str], styles: Styles) -> None:
    axes.plot(
        [0, 1], [0, 1], color=MUTED, linewidth=1, linestyle=(0, (4, 3)), label="as stated"
    )
    for name in names:
        rows = frame.loc[frame["implementation"] == name]
        x, y = rows["mean_confidence"].to_numpy(), rows["accuracy"].to_numpy()
        low, high = rows["accuracy_low"].to_numpy(), rows["accuracy_high"].to_numpy()
        band(axes, x, low, high, styles[name])
        line(axes, x, y, styles[name], first=name == names[0])
    axes.set_xlim(max(0.0, float(frame["low"].min()) - 0.02), 1.01)
    axes.set(ylim=(0, 1.03), ylabel="accuracy (share right)")
    axes.grid(visible=True, axis="both")
    axes.tick_params(labelbottom=False)


def _volumes(axes: Axes, frame: pd.DataFrame, names: list[str], styles: Styles) -> None:
    for position, name in enumerate(names):
        rows, style = frame.loc[frame["implementation"] == name], styles[name]
        width = (rows["high"] - rows["low"]) * 0.86 / len(names)
        axes.bar(
            rows["low"] + (rows["high"] - rows["low"]) * 0.07 + position * width,
            rows["count"],
            width=width,
            align="edge",
            color=style.colour,
            hatch=style.hatch,
            edgecolor=PAPER,
            linewidth=0,
        )
    axes.set_yscale("log")
    axes.set_ylim(bottom=0.8)
    axes.yaxis.set_major_formatter(lambda value, _: count(value) if value >= 1 else "")
    axes.minorticks_off()
    axes.set(xlabel="confidence (largest probability)", ylabel="samples (log)")


def _finding(summary: Summary, names: list[str], styles: Styles) -> str:
    errors = known(measures(summary.metrics, names, "expected_calibration_error"))
    if not errors:
        return "Accuracy against stated confidence"
    best, worst = min(errors, key=errors.__getitem__), max(errors, key=errors.__getitem__)
    if len({decimal(error, 3) for error in errors.values()}) == 1:
        who = "every implementation" if len(errors) > 1 else styles[worst].label
        miss = decimal(errors[worst], 3)
        return f"Confidence of {who} misses the accuracy by {miss} on average"
    return (
        f"Confidence misses the accuracy by {decimal(errors[best], 3)} "
        f"({styles[best].label}) to {decimal(errors[worst], 3)} "
        f"({styles[worst].label}) on average"
    )


def _alt(frame: pd.DataFrame, names: list[str], finding: str, styles: Styles) -> str:
    gap = frame["mean_confidence"] - frame["accuracy"]
    worst = frame.iloc[int(gap.abs().to_numpy().argmax())]
    absent = [style.label for name, style in styles.items() if name not in names]
    exception = f" Without probabilities: {listing(absent)}." if absent else ""
    return (
        f"Accuracy against confidence in {plural(len(frame), 'bin')}, accuracy "
        f"{ends(frame['accuracy'], 2)}. {finding}. Widest gap: "
        f"{decimal(worst['accuracy'], 2)} right at a confidence of "
        f"{decimal(worst['mean_confidence'], 2)} ({styles[worst['implementation']].label})."
        f"{exception}"
    )
