"""``gnbbench export``: write splits to files."""

from pathlib import Path
from typing import Any

import typer

from gnbbench.cli.exits import user_errors
from gnbbench.studies.option import DATA, OUTPUT, STUDY, Options, option
from gnbbench.studies.options import DATA_TEXT, offline_of, runs_of, seed_of


class ExportOptions(Options):
    """Options of ``gnbbench export``."""

    data: tuple[str, ...] = option(STUDY, DATA_TEXT, ..., is_argument=True, flag="DATASET")
    target: str | None = option(DATA, "Column that holds the labels in files.")
    runs: int = runs_of(default=20)
    seed: int = seed_of()
    offline: bool = offline_of()
    out: Path = option(OUTPUT, "Empty directory for the files.", default=Path("splits"))


def export_splits(options: ExportOptions) -> None:
    """Write splits to files, and print the path of the instructions."""
    from gnbbench.studies.export import export

    fields: dict[str, Any] = dict(options)
    with user_errors():
        folder = export(fields.pop("data"), **fields)
    typer.echo(folder / "README.txt")
