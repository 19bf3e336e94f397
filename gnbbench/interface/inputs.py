"""What a user hands over becomes a dataset, a store and the words that repeat the call."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gnbbench.data.dataset import Dataset, from_arrays
from gnbbench.data.loading import load
from gnbbench.errors import OptionError
from gnbbench.implementations import Implementation
from gnbbench.studies.directory import opened
from gnbbench.studies.store import Store

SPOT_CHECKS = 1000


def dataset_of(data: Any, y: Any = None) -> Dataset:
    """Return the dataset that a name, a path, a dataset or arrays stand for."""
    if not isinstance(data, Dataset | str | Path):
        return from_arrays(data, y)
    if y is not None:
        raise OptionError("y", "the dataset brings its own labels", "Leave y out.")
    return data if isinstance(data, Dataset) else load(data)


def competitors_of(
    against: Any, reference: Any, runs: int, spot_checks: int | None
) -> tuple[Any, int | None]:
    """Return what the reference is compared with, and in how many runs.

    Left open, it is our core with scikit-learn's, each where the other is the reference.
    With our core as the reference a study may be larger than scikit-learn could do, which
    is then asked in a thousand runs at most.
    """
    if against is not None:
        return against, spot_checks
    if reference != "numpy":
        return ("numpy",), spot_checks
    if spot_checks is None and runs > SPOT_CHECKS:
        spot_checks = SPOT_CHECKS
    return ("sklearn",), spot_checks


def origins(entries: Sequence[Implementation]) -> tuple[dict[str, str], dict[str, str]]:
    """Return what a plan has to keep of implementations besides their names."""
    typed = {entry.name: entry.specification for entry in entries}
    digests = {entry.name: entry.digest for entry in entries if entry.digest}
    unlike = {name: text for name, text in typed.items() if text and text != name}
    return unlike, digests


def store_of(out: str | Path | None, *, overwrite: bool) -> Store:
    """Return the store in a results directory, in memory where none is named."""
    return Store() if out is None else opened(Path(out), overwrite=overwrite)


def call_text(function: str, *given: Any, **options: Any) -> str:
    """Return the Python call that repeats a study."""
    named = [f"{name}={value!r}" for name, value in options.items()]
    return f"gnbbench.{function}({', '.join([*map(repr, given), *named])})"
