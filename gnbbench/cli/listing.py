"""``gnbbench list``: datasets, implementations and finished studies."""

import json
from collections.abc import Iterator
from typing import Literal

import typer

from gnbbench.cli.exits import user_errors
from gnbbench.errors import OptionError
from gnbbench.studies.option import OUTPUT, STUDY, Options, option, switch
from gnbbench.studies.options import REPORTS
from gnbbench.studies.reports import finished_studies


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
    studies = finished_studies(REPORTS)
    if json_text:
        typer.echo(json.dumps([vars(study) for study in studies], indent=1))
    elif not studies:
        typer.echo(f"No studies in {REPORTS}. Start with: gnbbench compare iris")
    for study in () if json_text else studies:
        typer.echo(f"{study.date}  {study.kind}  {study.dataset}".rstrip())
        typer.echo(f"  {study.verdict}\n  {study.path}")


def _datasets() -> Iterator[tuple[str, str]]:
    from gnbbench.data.catalogue import DATASETS, REPOSITORIES

    for entry in DATASETS:
        size = f"{entry.n_samples:,} x {entry.n_features}, {entry.n_classes} classes"
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
