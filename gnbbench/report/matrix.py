"""The report of a comparison on several datasets: every verdict, and where it leads."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import pandas as pd
from markupsafe import Markup

from gnbbench.report.blocks import (
    Attachment,
    Block,
    Cell,
    Column,
    Document,
    Fact,
    Facts,
    Figure,
    Fold,
    Heading,
    Items,
    Prose,
    Row,
    Section,
    Table,
    Terminal,
    Text,
    Tile,
    Verdict,
    Verdicts,
)
from gnbbench.report.compare import report as compare_report
from gnbbench.report.comparisons import TONES, band, means, part_of, to_explain
from gnbbench.report.files import MATRIX_NAME
from gnbbench.report.sections import (
    FILES,
    file_link,
    method_section,
    named_values,
    runs_each,
    worst_tone,
)
from gnbbench.statistics.documents import matrix_document, shared_plan
from gnbbench.statistics.matrix import (
    Entry,
    Matrix,
    gives_same_labels,
    sentence,
    worst_outcome,
)
from gnbbench.statistics.summary import Outcome, Summary
from gnbbench.statistics.timing import speed_text
from gnbbench.statistics.verdicts import equivalence_values, outcome_text
from gnbbench.words import (
    DASH,
    SPACE,
    count,
    decimal,
    interval,
    listing,
    plural,
    printable,
    seconds,
    share,
    short_names,
    shorten,
    significant,
    span,
)

KEY_FIGURES = ("accuracy", "timing")  # Of each dataset, shown again here
MOST_IN_SETTING = 12
MOST_IN_TILE = 4
TILE_WIDTH = 30
TERMINAL_NAME_WIDTH = 42
TERMINAL_DATASETS = 4  # Beside each other

SIGNS: Mapping[Outcome, str] = {
    "identical": "✓",
    "equivalent": "≈",
    "different": "✗",
    "cannot tell": "?",
    "failed": "!",
}
_ACCURACY = ("accuracy_difference", "accuracy_low", "accuracy_high", "disagreements")
_CHANGE = ("change", "change_low", "change_high", "disagreements")
_RATIO = ("ratio", "low", "high")


def report(matrix: Matrix, parts: Mapping[str, Document] | None = None) -> Document:
    """Return what a comparison found on several datasets, for every renderer.

    `parts` are the reports on the datasets alone by their folders, where they are there
    already: what their figures show is then not computed again.
    """
    names = short_names(matrix.datasets, 40)
    found = _verdicts(matrix)
    return Document(
        study=matrix.entries[0].summary.study,
        subject=plural(len(matrix.datasets), "dataset"),
        headline=printable(matrix.headline),
        tone=worst_tone([verdict.tone for verdict in found]),
        band=band(found),
        setting=_setting(matrix),
        tiles=tiles(matrix),
        blocks=(
            Terminal(tuple(_terminal(matrix))),
            _matrix_section(matrix, found),
            *(
                Section(
                    anchor(matrix, entry.name),
                    names[entry.name],
                    tuple(_dataset(matrix, entry, (parts or {}).get(entry.folder))),
                )
                for entry in matrix.entries
            ),
            _method(matrix),
            Section("files", "Files", (*FILES.blocks, _pages(matrix))),
        ),
        payload=matrix_document(matrix),
        attachments=(
            Attachment(MATRIX_NAME, matrix.cells, "one row per implementation and dataset"),
        ),
    )


def anchor(matrix: Matrix, dataset: str, implementation: str = "") -> str:
    """Return the name of a place: a dataset's section, or a verdict within it."""
    number = matrix.datasets.index(dataset) + 1
    if not implementation:
        return f"dataset-{number}"
    return f"dataset-{number}-{matrix.implementations.index(implementation)}"


def _setting(matrix: Matrix) -> str:
    others = list(short_names(matrix.competitors, 24).values())
    if len(others) > MOST_IN_SETTING:
        beyond = len(others) - MOST_IN_SETTING + 1
        others = [*others[: MOST_IN_SETTING - 1], f"{beyond} more"]
    datasets = "; ".join(short_names(matrix.datasets, 30).values())
    runs = {entry.summary.n_runs for entry in matrix.entries}
    each = plural(runs.pop(), "run") + " on each" if len(runs) == 1 else "runs as below"
    against = f"{listing(others)} against {printable(matrix.reference)}"
    return f"{against} on {datasets}: {each}."


def _verdicts(matrix: Matrix) -> list[Verdict]:
    """Return what is concluded of each implementation over all datasets."""
    names = short_names(matrix.implementations, 60)
    found = []
    for name in matrix.competitors:
        worst = worst_outcome(matrix.cells, name)
        cells = matrix.cells[matrix.cells["implementation"] == name]
        compared, differing = cells["predictions"].sum(), cells["disagreements"].sum()
        detail = f"{count(differing)} of {count(compared)} labels differ"
        failed = int(cells["failed_runs"].sum())
        if failed:
            detail += f"; {count(failed)} of {count(cells['runs'].sum())} runs failed"
        found.append(
            Verdict(
                names[name],
                worst,
                cell_tone({"outcome": worst, "failed_runs": failed}),
                printable(sentence(matrix.cells, name)),
                f"{detail}.",
            )
        )
    return found


def _matrix_section(matrix: Matrix, found: Sequence[Verdict]) -> Section:
    words = "Accuracy: difference from the reference, with its 95 % interval."
    blocks = (
        matrix_table(matrix),
        Text(words, "muted"),
        *_to_explain(matrix),
        *_left_out(matrix.warnings),
        Fold(f"Every verdict ({len(found)})", (Verdicts(found),)),
        Figure.of("matrix", matrix),
    )
    return Section("matrix", "Matrix", blocks)


def _to_explain(matrix: Matrix) -> Iterator[Block]:
    """Return a command for each implementation, on the dataset where most labels differ."""
    by_name = {entry.name: entry.summary.details for entry in matrix.entries}
    worst = matrix.cells.sort_values("agreement", kind="stable").drop_duplicates(
        "implementation"
    )
    commands = (
        by_name[row["dataset"]].get("explained_by", {}).get(row["implementation"])
        for row in worst.to_dict("records")
    )
    yield from to_explain(filter(None, commands))


def matrix_table(matrix: Matrix) -> Table:
    """Return every implementation against every dataset, by the share that differs."""
    names = short_names(matrix.implementations, 28)
    headings = short_names(matrix.datasets, 28)

    def cell(row: Row) -> Cell:
        name, dataset = row["implementation"], row["dataset"]
        text, differing = verdict_text(row), 1.0 - float(row["agreement"])
        labels = agreement_text(row)
        facts = (
            ("labels", labels if labels == DASH else f"{labels} equal", ""),
            ("accuracy", *_parted(_accuracy_of(row))),
            *(
                (operation, *_ratio_fact(row, operation))
                for operation in ("fit", "predict")
            ),
        )
        return Cell(
            text,
            "" if math.isnan(differing) else f"{differing:.9g}",
            cell_tone(row),
            f"#{anchor(matrix, dataset, name)}",
            label=f"{text}: {names[name]} on {headings[dataset]}",
            facts=facts,
            message=printable(row["message"]),
        )

    caption = f"Compared with {names[matrix.reference]}"
    columns = (
        Column("implementation", show=names.__getitem__),
        *(Column(heading, str(place)) for place, heading in enumerate(headings.values())),
    )
    return Table(caption, _rows(matrix, cell), columns, style="matrix")


def _rows(matrix: Matrix, cell: Callable[[Row], Cell]) -> list[Row]:
    """Return a row for each implementation, with a cell for each dataset by its place."""
    known = {
        (row["implementation"], row["dataset"]): row
        for row in matrix.cells.to_dict("records")
    }
    return [
        {
            "implementation": name,
            **{
                str(place): cell(known[name, dataset])
                for place, dataset in enumerate(matrix.datasets)
            },
        }
        for name in matrix.competitors
    ]


def _terminal(matrix: Matrix) -> Iterator[Block]:
    """Return the sentence, then verdicts and numbers, a few datasets beside each other."""
    runs = plural(matrix.entries[0].summary.n_runs, "run")
    datasets = "; ".join(printable(name) for name in matrix.datasets)
    number = plural(len(matrix.datasets), "dataset")
    yield Text(f"{number} ({datasets}) · {runs} each", "muted")
    yield Text(printable(matrix.headline), "strong")

    def cell(row: Row) -> Cell:
        timed = speed_text(row["fit_ratio"], math.nan, math.nan, row["fit_speed"])
        timed = "≈" if timed == "not distinguishable" else timed
        facts = (("", agreement_text(row), ""), ("fit", timed, ""))
        return Cell(verdict_text(row), "", cell_tone(row), facts=facts)

    names = short_names(matrix.implementations, TERMINAL_NAME_WIDTH - 2)
    rows = _rows(matrix, cell)
    for start in range(0, len(matrix.datasets), TERMINAL_DATASETS):
        shown = matrix.datasets[start : start + TERMINAL_DATASETS]
        headings = enumerate(short_names(shown, 24).values(), start)
        columns = (
            Column("", "implementation", names.__getitem__),
            *(Column(heading, str(place)) for place, heading in headings),
        )
        yield Table("", rows, columns)
    yield Text(
        "Each cell: verdict, share of equal labels, fit (≈: time not distinguishable).",
        "muted",
    )
    yield from _to_explain(matrix)
    yield from _left_out(matrix.left_out)


def _left_out(warnings: Sequence[str]) -> Iterator[Text]:
    for warning in warnings:
        yield Text(printable(warning), "note", "unsure", "Left out:")


def _dataset(matrix: Matrix, entry: Entry, part: Document | None) -> Iterator[Block]:
    """Return what a dataset's section shows of the study on it."""
    summary, data = entry.summary, entry.summary.dataset
    name = short_names(matrix.datasets, 40)[entry.name]
    yield Text(printable(summary.headline))
    setting = (
        f"{plural(data.n_samples, 'row')}, {plural(data.n_features, 'feature')}, "
        f"{count(len(data.class_names))} classes. {runs_each(summary)}."
    )
    page = Markup('<a href="{}/index.html">The whole page of {}</a>')
    page = page.format(entry.folder, name)
    yield Text(Markup("{} {} has every figure and table.").format(setting, page), "muted")
    yield dataset_table(summary)
    yield Fold("Verdicts", (Verdicts(_dataset_verdicts(matrix, entry)),))
    if summary.warnings:
        warnings = [Text(printable(w), "note", "unsure") for w in summary.warnings]
        yield Fold(f"Remarks ({len(warnings)})", warnings)
    for figure in (part or compare_report(summary)).figures:
        if figure.name in KEY_FIGURES:
            yield _figure_of_part(figure, entry.folder)


def _figure_of_part(figure: Figure, folder: str) -> Figure:
    """Return a figure of a dataset's page, under a name that no other dataset has."""
    name = f"{folder}-{figure.name}"
    return Figure(
        name,
        lambda: replace(figure.drawing, name=name),
        elsewhere=f"{folder}/figures/{figure.name}",
    )


def _dataset_verdicts(matrix: Matrix, entry: Entry) -> list[Verdict]:
    """Return the verdicts on one dataset, each where its cell leads to."""
    names = short_names(matrix.implementations, 60)
    cells = matrix.cells[matrix.cells["dataset"] == entry.name]
    return [
        Verdict(
            names[cell["implementation"]],
            verdict_text(cell),
            cell_tone(cell),
            printable(cell["sentence"]),
            printable(cell["detail"]),
            anchor=anchor(matrix, entry.name, cell["implementation"]),
        )
        for cell in cells.to_dict("records")
    ]


def dataset_table(summary: Summary) -> Table:
    """Return the numbers of one study, the reference first: labels, accuracy, times."""
    names = short_names(summary.implementations, 40)
    columns = (
        Column("implementation", show=names.__getitem__),
        Column("labels that differ", ("disagreements", "predictions"), part_of),
        Column("agreement", show=share),
        Column("largest |Δp|", "max_probability_difference", _two_digits),
        Column("test accuracy", "mean", decimal),
        Column("difference (95 %)", _CHANGE, accuracy_text),
        Column("fit", "fit_median_seconds", seconds),
        Column("fit over reference (95 %)", _ratio_names("fit"), ratio_text),
        Column("predict", "predict_median_seconds", seconds),
        Column("predict over reference (95 %)", _ratio_names("predict"), ratio_text),
    )
    caption = f"Numbers of each; the first row is the reference, {names[summary.reference]}"
    return Table(caption, _numbers(summary), columns)


def _numbers(summary: Summary) -> pd.DataFrame:
    key = "implementation"
    rows = means(summary, ["test_accuracy"]).merge(summary.agreement, on=key, how="left")
    for operation in ("fit", "predict"):
        for table, columns in (
            (summary.timing, ["median_seconds"]),
            (summary.ratios, _RATIO),
        ):
            timed = table.loc[table["operation"] == operation].set_index(key)
            rows = rows.join(timed[list(columns)].add_prefix(f"{operation}_"), on=key)
    return rows


def _method(matrix: Matrix) -> Section:
    """Return what holds on every dataset, and where the data are from."""
    first = matrix.entries[0].summary
    options = {k: v for k, v in shared_plan(matrix).items() if k != "datasets"}
    origins = [
        (
            printable(entry.name),
            f"{printable(entry.summary.dataset.origin) or DASH}; "
            f"SHA-256 {entry.summary.dataset.sha256}",
        )
        for entry in matrix.entries
    ]
    values = equivalence_values(first.margin, len(matrix.competitors))
    prose = (Prose("matrix", values), Prose("comparisons"))
    plan = (
        Heading("Data"),
        Facts(origins),
        Heading("Plan"),
        Facts(named_values(options)),
        Heading("Machine"),
        Text(printable(str(first.environment["threads"]))),
        Facts(named_values(first.environment["machine"])),
    )
    return method_section(printable(matrix.command), prose, plan, first.environment)


def _pages(matrix: Matrix) -> Items:
    names = short_names(matrix.datasets, 40)
    texts = [
        Markup("{}: the page of {}").format(
            file_link(f"{entry.folder}/index.html"), names[entry.name]
        )
        for entry in matrix.entries
    ]
    return Items(texts, "files")


def tiles(matrix: Matrix) -> tuple[Tile, ...]:
    """Return who agrees, who is furthest off, who is fast and who is slow."""
    cells, reference = matrix.cells, _short(matrix.reference)
    speed = (_extreme(cells, "fastest"), _extreme(cells, "slowest"))
    return (
        _agreeing(matrix),
        _furthest(cells),
        _least_accurate(cells),
        Tile(f"Time to fit, against {reference}", speed),
    )


def _agreeing(matrix: Matrix) -> Tile:
    names = [n for n in matrix.competitors if gives_same_labels(matrix.cells, n)]
    shown = [_short(name) for name in names[:MOST_IN_TILE]]
    beyond = len(names) - len(shown)
    detail = listing(shown + ([f"{beyond} more"] if beyond else [])) or "none"
    value = f"{count(len(names))}{SPACE}of{SPACE}{count(len(matrix.competitors))}"
    return Tile.one("Same labels on every dataset", value, detail)


def _furthest(cells: pd.DataFrame) -> Tile:
    title = "Most disagreements"
    worst = _first(cells[cells["predictions"] > 0], "agreement")
    if worst is None:
        return Tile.one(title, DASH, "no labels to compare")
    if worst["disagreements"] == 0:
        return Tile.one(title, share(0.0), "no label differs anywhere")
    detail = part_of(worst["disagreements"], worst["predictions"])
    differing = float(worst["disagreements"] / worst["predictions"])
    return Tile.one(title, share(differing), f"{_where(worst)}: {detail}")


def _least_accurate(cells: pd.DataFrame) -> Tile:
    title = "Largest difference in accuracy"
    worst = _first(cells, "accuracy_difference", key=lambda values: -values.abs())
    if worst is None:
        return Tile.one(title, DASH, "no accuracy to compare")
    value, ends = _parted(_accuracy_of(worst))
    return Tile.one(
        title, value, _where(worst, ends) if worst["accuracy_difference"] else ""
    )


def _extreme(cells: pd.DataFrame, which: str) -> Fact:
    sign = 1 if which == "fastest" else -1
    cell = _first(cells, "fit_ratio", key=lambda values: sign * values)
    if cell is None:
        return Fact(which, DASH, "not timed")
    value, ends = _ratio_fact(cell, "fit")
    return Fact(which, value, _where(cell, ends))


def _first(
    cells: pd.DataFrame,
    column: str,
    key: "Callable[[pd.Series[float]], pd.Series[float]] | None" = None,
) -> Row | None:
    """Return the cell with the smallest value, the first of several; None without any."""
    known = cells.dropna(subset=column).sort_values(column, key=key, kind="stable")
    return None if known.empty else known.to_dict("records")[0]


def _where(cell: Row, ends: str = "") -> str:
    where = f"{_short(cell['implementation'])} on {_short(cell['dataset'])}"
    return f"{where} ({ends})" if ends else where


def _short(name: str) -> str:
    return shorten(printable(name), TILE_WIDTH)


def verdict_text(cell: Row) -> str:
    """Return the verdict with its sign, that of failure where some runs failed."""
    failed, outcome = cell["failed_runs"], cell["outcome"]
    text = outcome_text(outcome, math.nan if failed else cell["max_probability_difference"])
    if outcome == "failed" or not failed:
        return f"{SIGNS[outcome]} {text}"
    runs = plural(cell["runs"], "run")
    return f"{SIGNS['failed']} {text} ({count(failed)} of {runs} failed)"


def cell_tone(cell: Row) -> str:
    """Return the tone of a cell; a run that failed is never good."""
    tone = TONES[cell["outcome"]]
    return "unsure" if tone == "good" and cell["failed_runs"] else tone


def agreement_text(cell: Row) -> str:
    """Return the share of equal labels; a dash where none could be compared."""
    return share(float(cell["agreement"])) if cell["predictions"] > 0 else DASH


def accuracy_text(value: float, low: float, high: float, disagreements: float) -> str:
    """Return the difference in accuracy with its interval."""
    if value == 0 and disagreements == 0:
        return "equal"
    return interval(value, low, high, signed=True)


def ratio_text(ratio: float, low: float, high: float) -> str:
    """Return the time over the reference's with its interval; a dash where not timed."""
    if math.isnan(ratio):
        return DASH
    ends = span(low, high)
    return f"{significant(ratio)} ×" + ("" if ends == DASH else f" ({ends})")


def _accuracy_of(cell: Row) -> str:
    return accuracy_text(*(float(cell[name]) for name in _ACCURACY))


def _ratio_names(operation: str) -> tuple[str, ...]:
    return tuple(f"{operation}_{name}" for name in _RATIO)


def _ratio_fact(cell: Row, operation: str) -> tuple[str, str]:
    """Return the factor between the times, and its interval apart from it."""
    ratio, low, high = (float(cell[name]) for name in _ratio_names(operation))
    return _parted(speed_text(ratio, low, high, cell[f"{operation}_speed"]))


def _two_digits(value: float) -> str:
    return significant(value, 2)


def _parted(text: str) -> tuple[str, str]:
    """Return a value and, without its brackets, what follows it."""
    value, _, rest = text.partition(" (")
    return value, rest.removesuffix(")")
