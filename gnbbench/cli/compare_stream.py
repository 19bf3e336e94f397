"""``gnbbench compare --stream``: what it takes, and what does not go with it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gnbbench.errors import OptionError

# Keyword -> option as it is typed, and what it is where it was not.
_LEFT_ALONE: Mapping[str, tuple[str, Any]] = {
    "runs": ("--runs", 100),
    "stratify": ("--no-stratify", True),
    "spot_checks": ("--spot-checks", None),
    "features": ("--features", None),
    "budget_seconds": ("--budget", None),
    "precision": ("--precision", None),
    "processes": ("--processes", 1),
    "regime": ("--regime", "warm"),
    "threads": ("--threads", 1),
}
_LEFT_ALONE_OF_DATA: Mapping[str, tuple[str, Any]] = {
    "one_hot": ("--one-hot", False),
    "offline": ("--offline", False),
    "n_samples": ("--n-samples", None),
    "n_features": ("--n-features", None),
    "n_classes": ("--n-classes", None),
    "seed": ("--data-seed", None),
    "offset": ("--offset", None),
}
# Files that are read in blocks alone.
BLOCK_SUFFIXES = (".parquet", ".npy")


def stream_settled(
    sources: Sequence[Mapping[str, Any]], *, several: bool, **options: Any
) -> tuple[Callable[..., Any], Any]:
    """Return what carries a streamed comparison out, and the comparison, ready."""
    from gnbbench.interface.stream import stream_carried_out, stream_prepared

    if several:
        what = "it takes one file, not several datasets"
        raise OptionError("--stream", what, "Give one command for each.")
    source = dict(sources[0])
    data = source.pop("source")
    _refuse_given(options, _LEFT_ALONE)
    _refuse_given(source, _LEFT_ALONE_OF_DATA)
    wanted = {name: value for name, value in options.items() if name not in _LEFT_ALONE}
    of_data = {n: value for n, value in source.items() if n not in _LEFT_ALONE_OF_DATA}
    return stream_carried_out, stream_prepared(data, **of_data, **wanted)


def refuse_blocks(datasets: Sequence[str]) -> None:
    """Raise at the first file that is read in blocks alone, and say how."""
    for dataset in datasets:
        if dataset.lower().endswith(BLOCK_SUFFIXES) and Path(dataset).exists():
            raise OptionError(dataset, "such a file is read in blocks", "Add --stream.")


def _refuse_given(
    options: Mapping[str, Any], left_alone: Mapping[str, tuple[str, Any]]
) -> None:
    for name, (typed, default) in left_alone.items():
        if options.get(name, default) != default:
            raise OptionError(typed, "it does not go with --stream", "Leave it out.")
