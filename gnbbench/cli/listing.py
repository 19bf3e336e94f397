"""``gnbbench list``: what there is to compare, and on what."""

from enum import StrEnum
from typing import Annotated

import typer


class Kind(StrEnum):
    """What can be listed."""

    datasets = "datasets"
    implementations = "implementations"


def listing(
    kind: Annotated[Kind, typer.Argument(help="datasets or implementations.")],
) -> None:
    """List datasets or implementations by name.

    Example: gnbbench list datasets
    """
    rows = _datasets() if kind is Kind.datasets else _implementations()
    width = max(len(name) for name, _ in rows)
    for name, description in rows:
        typer.echo(f"{name:<{width}}  {description}")


def _datasets() -> list[tuple[str, str]]:
    from gnbbench.datasets.catalogue import DATASETS

    rows = [
        (
            entry.name,
            f"{entry.description} ({entry.n_samples:,} x {entry.n_features}, "
            f"{entry.n_classes} classes)",
        )
        for entry in DATASETS
    ]
    return [*rows, ("FILE", "Any CSV or TSV file, with --target COLUMN")]


def _implementations() -> list[tuple[str, str]]:
    from gnbbench.implementations.catalogue import IMPLEMENTATIONS

    return [(entry.name, entry.description) for entry in IMPLEMENTATIONS]
