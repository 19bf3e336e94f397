"""The report of a comparison on several datasets, with links to each verdict."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
from markupsafe import Markup

from gnbbench import words
from gnbbench.report import blocks, comparisons, sections
from gnbbench.report.compare import report as compare_report
from gnbbench.report.figures.drawing import TITLES
from gnbbench.report.files import MATRIX_NAME
from gnbbench.statistics.documents import matrix_document, shared_plan
from gnbbench.statistics.matrix import (
    Entry,
    Matrix,
    gives_same_labels,
    sentence,
    worst_outcome,
)
from gnbbench.statistics.timing import speed_parts
from gnbbench.statistics.verdicts import equivalence_values, outcome_text

# Blocks repeated from the page of each dataset.
KEY_BLOCKS = (
    *("accuracy", "Scores over runs", "Agreement with the reference"),
    *("timing", "Time over that of the reference, paired"),
)
MOST_IN_SETTING, MOST_IN_TILE = 12, 4
TILE_WIDTH = 30
SMALL_MATRIX = 4  # Cells up to which every dataset is open
TERMINAL_DATASETS = 4  # Beside each other

SIGNS: Mapping[str, str] = TITLES["signs"]


def report(
    matrix: Matrix, parts: Mapping[str, blocks.Document] | None = None
) -> blocks.Document:
    """Return the report of a comparison on several datasets, for every renderer.

    `parts` has existing reports on single datasets by folder, so that their figures need
    not be drawn again.
    """
    names = words.short_names(matrix.datasets, comparisons.NAME_WIDTH)
    others = list(words.short_names(matrix.competitors, 24).values())
    datasets = "; ".join(words.short_names(matrix.datasets, 30).values())
    runs = {entry.summary.n_runs for entry in matrix.entries}
    runs_each = "runs as below"
    if len(runs) == 1:
        runs_each = f"{words.plural(runs.pop(), 'run')} on each"
    reference = words.printable(matrix.reference)
    against = f"{words.listing(others, MOST_IN_SETTING)} against {reference}"
    judged = [_verdict(matrix, name) for name in matrix.competitors]
    pages = [
        Markup("{}: the page of {}").format(
            sections.file_link(f"{entry.folder}/index.html"), names[entry.name]
        )
        for entry in matrix.entries
    ]
    return blocks.Document(
        study=matrix.entries[0].summary.study,
        subject=words.plural(len(matrix.datasets), "dataset"),
        headline=words.printable(matrix.headline),
        tone=sections.worst_tone(verdict.tone for verdict in judged),
        band=comparisons.band(judged),
        setting=f"{against} on {datasets}: {runs_each}.",
        origin=sections.origin(matrix.entries[0].summary.environment),
        tiles=tuple(tiles(matrix)),
        terminal=tuple(_terminal(matrix)),
        parts=(
            blocks.Section.of("Matrix", _matrix(matrix, judged)),
            *(
                blocks.Section(
                    anchor(matrix, entry.name),
                    names[entry.name],
                    tuple(_dataset(matrix, entry, (parts or {}).get(entry.folder))),
                )
                for entry in matrix.entries
            ),
            _method(matrix),
            blocks.Section.of(
                "Files", (*sections.FILES.blocks, blocks.Items(pages, "files"))
            ),
        ),
        payload=matrix_document(matrix),
        attachments=(
            blocks.Attachment(
                MATRIX_NAME, matrix.cells, "one row per implementation and dataset"
            ),
        ),
    )


def anchor(matrix: Matrix, dataset: str, implementation: str = "") -> str:
    """Return the anchor of a dataset's section, or of a verdict within it."""
    number = matrix.datasets.index(dataset) + 1
    if not implementation:
        return f"dataset-{number}"
    return f"dataset-{number}-{matrix.implementations.index(implementation)}"


def _verdict(matrix: Matrix, name: str) -> blocks.VerdictLine:
    """Return the verdict on an implementation over all datasets."""
    worst = worst_outcome(matrix.cells, name)
    cells = matrix.cells[matrix.cells["implementation"] == name]
    failed = int(cells["failed_runs"].sum())
    differing, total = (int(cells[of].sum()) for of in ("disagreements", "predictions"))
    facts = [words.differ(differing, total)] if total else []
    if failed:
        facts.append(
            f"{words.count(failed)} of {words.count(cells['runs'].sum())} runs failed"
        )
    return blocks.VerdictLine(
        words.short_names(matrix.implementations, 60)[name],
        worst,
        cell_tone({"outcome": worst, "failed_runs": failed}),
        words.printable(sentence(matrix.cells, name)),
        f"{'; '.join(facts) or 'No run was compared'}.",
    )


def _matrix(matrix: Matrix, judged: Sequence[blocks.VerdictLine]) -> Iterator[blocks.Block]:
    yield matrix_table(matrix)
    ends = "" if matrix.cells["accuracy_low"].isna().all() else ", with its 95 % interval"
    accuracy = f"Accuracy: difference from the reference{ends}; "
    has_differences = matrix.cells["disagreements"].any()
    legend = "≈: time not distinguishable."
    yield blocks.Text(f"{accuracy if has_differences else ''}{legend}", "muted")
    yield from _changes(matrix)
    yield from _to_explain(matrix)
    yield from sections.remarks(matrix.left_out, "Left out:")
    yield blocks.Fold(f"Every verdict ({len(judged)})", (blocks.Verdicts(judged),))
    yield blocks.Figure.of("matrix", matrix)


def _to_explain(matrix: Matrix) -> Iterator[blocks.Block]:
    """Yield a command for each implementation, on the dataset where most labels differ."""
    by_name = {entry.name: entry.summary.details for entry in matrix.entries}
    worst_first = matrix.cells.sort_values("agreement", kind="stable")
    worst = worst_first.drop_duplicates("implementation")
    commands = (
        by_name[row["dataset"]].get("explained_by", {}).get(row["implementation"])
        for row in worst.to_dict("records")
    )
    yield from comparisons.to_explain(filter(None, commands))


def matrix_table(matrix: Matrix) -> blocks.Table:
    """Return every implementation against every dataset, by the share that differs."""
    names = words.short_names(matrix.implementations, 28)
    headings = words.short_names(matrix.datasets, 28)

    def cell(row: blocks.Row) -> blocks.Cell:
        name, dataset = row["implementation"], row["dataset"]
        text, differing = verdict_text(row), 1.0 - float(row["agreement"])
        labels = agreement_text(row)
        facts = (
            ("labels", labels if labels == words.DASH else f"{labels} equal", ""),
            ("accuracy", *_accuracy(row)),
            *((operation, *_ratio(row, operation)) for operation in ("fit", "predict")),
        )
        return blocks.Cell(
            text,
            "" if math.isnan(differing) else f"{differing:.9g}",
            cell_tone(row),
            f"#{anchor(matrix, dataset, name)}",
            label=f"{text}: {names[name]} on {headings[dataset]}",
            facts=facts,
            message=words.printable(row["message"]),
        )

    caption = f"Compared with {names[matrix.reference]}"
    cells = (blocks.Column(text, str(p)) for p, text in enumerate(headings.values()))
    columns = (blocks.Column("implementation", show=names.__getitem__), *cells)
    return blocks.Table(caption, _rows(matrix, cell), columns, style="matrix")


def _rows(matrix: Matrix, cell: Callable[[blocks.Row], blocks.Cell]) -> list[blocks.Row]:
    """Return a row for each implementation, with a cell for each dataset by its place."""
    places = {name: str(place) for place, name in enumerate(matrix.datasets)}
    rows: dict[str, dict[str, Any]] = {
        name: {"implementation": name} for name in matrix.competitors
    }
    for row in matrix.cells.to_dict("records"):
        rows[row["implementation"]][places[row["dataset"]]] = cell(row)
    return list(rows.values())


def _terminal(matrix: Matrix) -> Iterator[blocks.Block]:
    """Yield the headline, then verdicts and numbers, a few datasets side by side."""
    runs = words.plural(matrix.entries[0].summary.n_runs, "run")
    datasets = "; ".join(words.printable(name) for name in matrix.datasets)
    number = words.plural(len(matrix.datasets), "dataset")
    yield blocks.Text(f"{number} ({datasets}) · {runs} each", "muted")
    yield blocks.Text(words.printable(matrix.headline), "strong")

    def cell(row: blocks.Row) -> blocks.Cell:
        facts = (("", agreement_text(row), ""), ("fit", _ratio(row, "fit")[0], ""))
        return blocks.Cell(verdict_text(row), "", cell_tone(row), facts=facts)

    names = words.short_names(matrix.implementations, comparisons.NAME_WIDTH)
    rows = _rows(matrix, cell)
    for start in range(0, len(matrix.datasets), TERMINAL_DATASETS):
        shown = matrix.datasets[start : start + TERMINAL_DATASETS]
        headings = enumerate(words.short_names(shown, 24).values(), start)
        columns = (
            blocks.Column("", "implementation", names.__getitem__),
            *(blocks.Column(heading, str(place)) for place, heading in headings),
        )
        yield blocks.Table("", rows, columns)
    yield blocks.Text(
        "Each cell: verdict, share of equal labels, fit (≈: time not distinguishable).",
        "muted",
    )
    yield from _changes(matrix)
    yield from _to_explain(matrix)
    yield from sections.remarks(matrix.left_out, "Left out:")


def _changes(matrix: Matrix) -> Iterator[blocks.Text]:
    """Yield the changes since the last study of the plan, grouped over datasets."""
    changes = [
        (e.name, comparisons.since_last(e.summary, brief=True)) for e in matrix.entries
    ]
    for text in sections.grouped(f"{name}: {text}" for name, text in changes if text):
        yield blocks.Text(words.printable(text))


def _dataset(
    matrix: Matrix, entry: Entry, part: blocks.Document | None
) -> Iterator[blocks.Block]:
    """Yield the blocks of a dataset's section."""
    summary, data = entry.summary, entry.summary.dataset
    is_small = len(matrix.cells) <= SMALL_MATRIX
    page = Markup('<a href="{}/index.html">Full page of {}</a>').format(
        entry.folder, words.short_names(matrix.datasets, comparisons.NAME_WIDTH)[entry.name]
    )
    size, n_classes = words.plural(data.n_samples, "row"), len(data.class_names)
    size += f", {words.plural(data.n_features, 'feature')}, {words.count(n_classes)}"
    setting = f"{size} classes. {sections.runs_each(summary)}."
    yield blocks.Text(Markup("{} {}").format(setting, page), "muted")
    judged = [
        replace(verdict, anchor=anchor(matrix, entry.name, name))
        for verdict, name in zip(
            comparisons.verdicts(summary), matrix.competitors, strict=True
        )
    ]
    shown: list[blocks.Block] = [blocks.Verdicts(judged)]
    for section in (part or compare_report(summary)).sections:
        for block in section.blocks:
            if isinstance(block, blocks.Table) and block.caption in KEY_BLOCKS:
                shown.append(block)
            elif isinstance(block, blocks.Figure) and block.name in KEY_BLOCKS:
                shown.append(_figure_of_part(block, entry.folder))
    shown += sections.remarks(summary.warnings, "")
    yield blocks.Fold("Verdicts, accuracy, times and remarks", shown, is_small)


def _figure_of_part(figure: blocks.Figure, folder: str) -> blocks.Figure:
    """Return a figure of a dataset's page under a unique name."""
    name = f"{folder}-{figure.name}"
    return blocks.Figure(
        name,
        lambda: replace(figure.drawing, name=name),
        elsewhere=f"{folder}/figures/{figure.name}",
    )


def _method(matrix: Matrix) -> blocks.Section:
    """Return the method shared by all datasets, and the origin of the data."""
    first = matrix.entries[0].summary
    options = {k: v for k, v in shared_plan(matrix).items() if k != "datasets"}
    origins = [
        (
            words.printable(entry.name),
            f"{words.printable(data.origin) or words.DASH}; SHA-256 {data.sha256}",
        )
        for entry in matrix.entries
        for data in [entry.summary.dataset]
    ]
    values = equivalence_values(first.margin, len(matrix.competitors))
    return sections.method_section(
        replace(first, command=words.printable(matrix.command)),
        blocks.Prose("matrix", values),
        blocks.Prose("comparisons"),
        plan=options,
        before=(blocks.Heading("Data"), blocks.Facts(origins)),
        machine=words.printable(str(first.environment["threads"])),
    )


def tiles(matrix: Matrix) -> Iterator[blocks.Tile]:
    """Yield which implementations agree, differ most, and are fastest and slowest."""
    cells = matrix.cells
    same = [n for n in matrix.competitors if gives_same_labels(cells, n)]
    counts = words.count(len(same)), words.count(len(matrix.competitors))
    value = f"{words.SPACE}of{words.SPACE}".join(counts)
    named = words.listing([_short(name) for name in same], MOST_IN_TILE) or "none"
    yield blocks.Tile.fact("Same labels on every dataset", value, named)

    worst = _first(cells[cells["predictions"] > 0], cells["agreement"])
    fact = words.DASH, "no labels to compare"
    if worst is not None and worst["disagreements"] == 0:
        fact = words.share(0.0), "no label differs"
    elif worst is not None:
        n, total = worst["disagreements"], worst["predictions"]
        fact = words.share(n / total), f"{_where(worst)}: {comparisons.part_of(n, total)}"
    yield blocks.Tile.fact("Most disagreements", *fact)

    worst = _first(cells, -cells["accuracy_difference"].abs())
    fact = words.DASH, "no accuracy to compare"
    if worst is not None:
        value, ends = _accuracy(worst)
        fact = value, _where(worst, ends) if worst["accuracy_difference"] else ""
    yield blocks.Tile.fact("Largest difference in accuracy", *fact)

    speeds = []
    fits = cells["fit_ratio"]
    for which, ratios in (("fastest", fits), ("slowest", -fits)):
        cell, fact = _first(cells, ratios), (words.DASH, "not timed")
        if cell is not None:
            value, ends = _ratio(cell, "fit")
            fact = value, _where(cell, ends)
        speeds.append(blocks.Fact(which, *fact))
    yield blocks.Tile(f"Time to fit, against {_short(matrix.reference)}", tuple(speeds))


def _first(cells: pd.DataFrame, by: "pd.Series[float]") -> blocks.Row | None:
    """Return the cell with the smallest value, the first of several; None without any."""
    known = cells.assign(by=by).dropna(subset="by").sort_values("by", kind="stable")
    return None if known.empty else known.to_dict("records")[0]


def _where(cell: blocks.Row, ends: str = "") -> str:
    where = f"{_short(cell['implementation'])} on {_short(cell['dataset'])}"
    return f"{where} ({ends})" if ends else where


def _short(name: str) -> str:
    return words.shorten(words.printable(name), TILE_WIDTH)


def verdict_text(cell: blocks.Row) -> str:
    """Return the verdict with its sign, or the sign of failure if some runs failed."""
    failed, outcome = cell["failed_runs"], cell["outcome"]
    text = outcome_text(outcome, math.nan if failed else cell["max_probability_difference"])
    if outcome == "failed" or not failed:
        return f"{SIGNS[outcome]} {text}"
    runs = words.plural(cell["runs"], "run")
    return f"{SIGNS['failed']} {text} ({words.count(failed)} of {runs} failed)"


def cell_tone(cell: blocks.Row) -> str:
    """Return the tone of a cell; a run that failed is never good."""
    tone = sections.TONES[cell["outcome"]]
    return "unsure" if tone == "good" and cell["failed_runs"] else tone


def agreement_text(cell: blocks.Row) -> str:
    """Return the share of equal labels; a dash if none could be compared."""
    return words.share(float(cell["agreement"])) if cell["predictions"] > 0 else words.DASH


def _accuracy(cell: blocks.Row) -> tuple[str, str]:
    """Return the difference in accuracy and its interval."""
    value = cell["accuracy_difference"]
    if value == 0 and cell["disagreements"] == 0:
        return "equal", ""
    ends = cell["accuracy_low"], cell["accuracy_high"]
    return words.interval_parts(value, *ends, signed=True)


def _ratio(cell: blocks.Row, operation: str) -> tuple[str, str]:
    """Return the factor between the times, ≈ if not told from 1, and its interval."""
    values = (cell[f"{operation}_{name}"] for name in ("ratio", "low", "high", "speed"))
    factor, ends = speed_parts(*values)
    return "≈" if factor == "not distinguishable" else factor, ends
