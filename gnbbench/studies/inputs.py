"""What a user hands over becomes a dataset, implementations and the words to repeat it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gnbbench.data.dataset import Dataset, from_arrays
from gnbbench.data.loading import load
from gnbbench.errors import OptionError
from gnbbench.implementations import Implementation
from gnbbench.studies.option import Options
from gnbbench.studies.shared_options import LabelledSource, Source

SPOT_CHECKS = 1000


def dataset_of(source: Source) -> Dataset:
    """Return the dataset that a name, a path, a dataset or arrays stand for."""
    data: Any = source.data
    labels: Any = getattr(source, "y", None)
    if not isinstance(data, Dataset | str | Path):
        return from_arrays(data, labels)
    if labels is not None:
        raise OptionError("y", "the dataset brings its own labels", "Leave y out.")
    if isinstance(data, Dataset):
        return data
    fields = (*Source.model_fields,)
    given = {name: getattr(source, name) for name in fields if name != "data"}
    return load(data, seed=given.pop("data_seed"), **given)


def sources_of(options: LabelledSource) -> list[Source]:
    """Return each of several datasets with the options to load it."""
    if options.y is not None:
        raise OptionError("y", "the datasets bring their own labels", "Leave y out.")
    fields = [name for name in Source.model_fields if name != "data"]
    shared = {name: getattr(options, name) for name in fields}
    return [
        entry if isinstance(entry, Source) else Source(data=entry, **shared)
        for entry in options.data
    ]


def competitors_of(
    against: Any, reference: Any, runs: int = 1, spot_checks: int | None = None
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


def origins(entries: Sequence[Implementation]) -> dict[str, Any]:
    """Return the fields of a plan that name its implementations and where they are from."""
    typed = {entry.name: entry.specification for entry in entries}
    return {
        "reference": entries[0].name,
        "against": tuple(entry.name for entry in entries[1:]),
        "specifications": {n: text for n, text in typed.items() if text and text != n},
        "digests": {entry.name: entry.digest for entry in entries if entry.digest},
    }


def of_dataset(dataset: Dataset) -> dict[str, Any]:
    """Return the fields of a plan that name its data."""
    return {
        "dataset": dataset.name,
        "sha256": dataset.sha256,
        "dataset_options": dict(dataset.parameters),
    }


def call_text(function: str, *given: Any, **options: Any) -> str:
    """Return the Python call that repeats a study."""
    named = [f"{name}={value!r}" for name, value in options.items()]
    return f"gnbbench.{function}({', '.join([*map(repr, given), *named])})"


def named_options(options: Options, plan: Any) -> dict[str, Any]:
    """Return what differs from the defaults, implementations as a plan names them."""
    left_out = {*Source.model_fields, "reference", "against"}
    given = {n: value for n, value in options.given().items() if n not in left_out}
    typed = {**{name: name for name in (plan.reference, *plan.against)}}
    typed |= plan.specifications
    if plan.reference != "sklearn":
        given["reference"] = typed[plan.reference]
    given["against"] = [typed[name] for name in plan.against]
    return given
