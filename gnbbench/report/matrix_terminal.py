"""The matrix for a terminal: the sentence, then verdicts and numbers in 80 columns."""

import math
from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from gnbbench.report.matrix_wording import agreement_words, tone, verdict_words
from gnbbench.report.terminal import WIDTH
from gnbbench.statistics.matrix import Matrix
from gnbbench.words import DASH, plural, printable, short_names, significant

NAME_WIDTH = 14
COLUMNS = 4

_STYLES = {"good": "green", "unsure": "yellow", "bad": "red"}


def matrix_text(matrix: Matrix) -> RenderableType:
    """Return what a terminal shows of a study on several datasets."""
    runs = plural(matrix.entries[0].summary.n_runs, "run")
    names = "; ".join(printable(name) for name in matrix.datasets)
    setting = f"{plural(len(matrix.datasets), 'dataset')} ({names}) · {runs} each"
    parts: list[RenderableType] = [
        Text(setting, style="dim", overflow="fold"),
        Text(printable(matrix.headline), style="bold", overflow="fold"),
    ]
    parts += [
        _block(matrix, matrix.datasets[start : start + COLUMNS])
        for start in range(0, len(matrix.datasets), COLUMNS)
    ]
    legend = "Each cell: verdict, share of equal labels, time of fit over the reference's."
    parts.append(Text(legend, style="dim", overflow="fold"))
    parts += [
        Text(f"Left out: {printable(text)}", style="yellow") for text in matrix.left_out
    ]
    return Group(*parts)


def _block(matrix: Matrix, datasets: Sequence[str]) -> Table:
    cells = {
        (cell["implementation"], cell["dataset"]): cell
        for cell in matrix.cells.to_dict("records")
    }
    names = short_names(matrix.implementations, NAME_WIDTH - 2)
    block = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), width=WIDTH)
    block.add_column("", width=NAME_WIDTH, overflow="fold")
    for name in short_names(datasets, 24).values():
        block.add_column(Text(name), ratio=1, overflow="fold")
    for name in matrix.competitors:
        block.add_row(
            Text(names[name]), *(_cell(cells[name, dataset]) for dataset in datasets)
        )
    return block


def _cell(cell: dict[Any, Any]) -> Text:
    text = Text(verdict_words(cell), style=_STYLES[tone(cell)], overflow="fold")
    ratio = float(cell["fit_ratio"])
    timed = DASH if math.isnan(ratio) else f"{significant(ratio)} ×"
    text.append(f"\n{agreement_words(cell)}\nfit {timed}", style="default")
    return text
