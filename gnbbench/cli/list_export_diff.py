"""The commands that run no study: list, export and diff."""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from gnbbench import words
from gnbbench.cli.exits import GATE_FAILED, INCONCLUSIVE, user_errors
from gnbbench.errors import OptionError
from gnbbench.records import METRICS
from gnbbench.studies.option import OUTPUT, STUDY, Options, option, switch
from gnbbench.studies.options import DATA_TEXT, REPORTS, DataSource, runs_of, seed_of
from gnbbench.studies.reports import finished_studies

_TITLES = {name: metric.title for name, metric in METRICS.items()}


class ListingOptions(Options):
    """What to list."""

    kind: Literal["datasets", "implementations", "studies"] = option(
        STUDY,
        "datasets, implementations or studies.",
        ...,
        plain=str,
        flag="list",
        metavar="KIND",
        is_argument=True,
        refusal="there is no list of {value!r}",
        remedy="Give datasets, implementations or studies.",
    )
    json_text: bool = switch(OUTPUT, "studies: print them as JSON.", flag="--json")


def listing(options: ListingOptions) -> None:
    """List datasets, implementations or the studies in ./reports."""
    kind = options.kind
    if kind == "studies":
        _list_studies(json_text=options.json_text)
        return
    with user_errors():
        if options.json_text:
            raise OptionError("--json", f"there is no JSON of {kind}", "Leave it out.")
    rows = list(_datasets() if kind == "datasets" else _implementations())
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)]
        typer.echo("  ".join(cells).rstrip())


def _list_studies(*, json_text: bool) -> None:
    with user_errors():
        studies = finished_studies(REPORTS)
    if json_text:
        typer.echo(json.dumps([vars(study) for study in studies], indent=1))
    elif not studies:
        typer.echo(f"No studies in {REPORTS}. Start with: gnbbench compare iris")
    for study in () if json_text else studies:
        typer.echo(f"{study.date}  {study.kind}  {study.dataset}".strip() or "unreadable")
        typer.echo(f"  {study.verdict}\n  {study.path}")


def _datasets() -> Iterator[tuple[str, str]]:
    from gnbbench.data.catalogue import DATASETS, REPOSITORIES

    for entry in DATASETS:
        size = f"{entry.n_samples:,} × {entry.n_features}, {entry.n_classes} classes"
        yield entry.name, f"{entry.description} ({size})"
    for repository in REPOSITORIES:
        yield f"{repository.prefix}{repository.wanted}", repository.description
    yield "FILE", "CSV or TSV with --target COLUMN; Parquet, .npy: compare --stream"


def _implementations() -> Iterator[tuple[str, str, str]]:
    """Yield name, version and description, and how to install what is missing."""
    from gnbbench.implementations.catalogue import IMPLEMENTATIONS, Library

    for entry in IMPLEMENTATIONS:
        if not isinstance(entry.make, Library):
            yield entry.name, _version(entry.name), entry.description
            continue
        yield entry.name, entry.make.version or "not installed", entry.description
        if entry.make.version is None:
            yield "", "", entry.make.install_command


def _version(name: str) -> str:
    """Return the version of an implementation that is always installed."""
    from importlib.metadata import version

    return version("scikit-learn" if name == "sklearn" else "gnbbench")


class ExportOptions(DataSource):
    """Options of ``gnbbench export``."""

    data: tuple[str, ...] = option(STUDY, DATA_TEXT, ..., is_argument=True, flag="DATASET")
    runs: int = runs_of(default=20)
    seed: int = seed_of()
    out: Path = option(OUTPUT, "Empty directory for the files.", default=Path("splits"))


def export_splits(options: ExportOptions) -> None:
    """Write splits to files, and print the path of the instructions."""
    from gnbbench.studies.export import export

    with user_errors():
        folder = export(options, options.runs, options.seed, options.out)
    typer.echo(folder / "README.txt")


if TYPE_CHECKING:
    from gnbbench.report.blocks import Block
    from gnbbench.statistics.comparison import Comparison


class DiffOptions(Options):
    """Two stored studies and the loss to accept."""

    old: str = option(STUDY, "Results directory.", ..., is_argument=True, flag="OLD")
    new: str = option(STUDY, "The later one.", ..., is_argument=True, flag="NEW")
    tolerance: float | None = option(
        STUDY,
        "Largest loss to accept.  [default: OLD's margin]",
        ge=0.0,
        lt=math.inf,
        remedy="Give a number from 0.",
    )
    json_text: bool = switch(OUTPUT, "Print the comparison as JSON.", flag="--json")
    quiet: bool = switch(OUTPUT, "Print nothing but errors and a loss.", flag="--quiet -q")


def diff(options: DiffOptions) -> None:
    """Compare two stored studies; the exit code tells the result."""
    from gnbbench.studies.stored import compare_stored

    with user_errors():
        comparison = compare_stored(options.old, options.new, tolerance=options.tolerance)
    if options.json_text:
        from gnbbench.statistics.documents import as_text, plain

        document = plain({"conclusion": conclusion(comparison), **vars(comparison)})
        typer.echo(as_text(document), nl=False)
    elif not options.quiet:
        from rich.console import Console

        from gnbbench.report.terminal import terminal

        Console().print(terminal(_shown(comparison)))
    failed = len(comparison.regressions) > 0
    if failed or len(comparison.undecided):
        if options.quiet or options.json_text:
            typer.echo(f"gnbbench: {conclusion(comparison)}", err=True)
        raise typer.Exit(GATE_FAILED if failed else INCONCLUSIVE)


def conclusion(comparison: "Comparison") -> str:
    """Return the result of a comparison in one sentence."""
    loss = f"a loss of more than {comparison.tolerance:g}"
    if len(comparison.regressions):
        return f"{loss.capitalize()} in {_named(comparison.regressions)}."
    if len(comparison.undecided):
        return f"Cannot rule out {loss} in {_named(comparison.undecided)}."
    where = " where both have results" if comparison.remarks else ""
    if (comparison.changes["change"] == "same").all():
        return f"Same results{where}: no metric of any implementation differs."
    return f"No {loss.removeprefix('a ')}{where}."


def _shown(comparison: "Comparison") -> "Iterator[Block]":
    """Yield a comparison as blocks for a terminal."""
    from gnbbench.report.blocks import Table, Text

    lines = [conclusion(comparison), comparison.pairing, *comparison.remarks]
    plan = comparison.plan.to_dict("records")
    lines += [f"Plan, {row['key']}: was {row['old']}, now {row['new']}." for row in plan]
    yield from (Text(words.printable(line)) for line in lines)
    differing = comparison.changes[comparison.changes["change"] != "same"]
    n_same = len(comparison.changes) - len(differing)
    if differing.empty:
        yield Text(f"{words.plural(n_same, 'number')} compared, all the same.")
    else:
        yield Table.named("changes", differing, whose=_whose, change=_change)
        if n_same:
            yield Text(f"{words.plural(n_same, 'other number')} the same.", "muted")
    if comparison.environment:
        text = f"Times are not judged: {' '.join(comparison.environment)}"
        yield Text(words.printable(text))
    if len(comparison.times):
        times = comparison.times
        yield Table.named("changes_of_times", times, whose=_whose, speed=_speed)
        if (comparison.times["speed"] != "not judged").any():
            text = "The ratio to the reference is judged, against both noise floors."
            yield Text(text, "muted")


def _named(rows: Any) -> str:
    """Return the metrics and implementations of the first three rows."""
    texts = [
        f"{_TITLES.get(row['metric'], row['metric'])} of {row['implementation']}"
        + ("" if row["point"] == "all" else f" at {row['point']}")
        for row in rows.to_dict("records")
    ]
    return words.listing(texts, 3)


def _whose(implementation: str, what: str, point: str = "all") -> str:
    at = "" if point == "all" else f" at {point}"
    return words.printable(f"{implementation} {_TITLES.get(what, what)}{at}")


def _change(difference: float, low: float, high: float, change: str) -> str:
    return f"{words.interval(difference, low, high, signed=True)} {change}"


def _speed(ratio: float, change: float, low: float, high: float, speed: str) -> str:
    """Describe the change of the median, and of the ratio to the reference."""
    from gnbbench.statistics.timing import UNRESOLVED

    judged = f" (ratio {words.significant(change)}×, {words.span(low, high)})"
    text = f"{words.significant(ratio)}×{'' if math.isnan(change) else judged}"
    return f"{text} {UNRESOLVED.get(speed, speed)}"
