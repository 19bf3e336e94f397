"""What can be told of names, paths and headers before anything heavy is imported."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gnbbench.data.checks import check
from gnbbench.errors import OptionError
from gnbbench.implementations.names import check_name
from gnbbench.studies.kinds import is_several
from gnbbench.studies.option import Options
from gnbbench.studies.options import CompareOptions, StreamOptions
from gnbbench.studies.shared_options import FileSource, Source

# Files that are read in blocks alone.
BLOCK_SUFFIXES = (".parquet", ".npy")


def check_names(options: Options) -> None:
    """Raise at the first name or path that stands for nothing."""
    if isinstance(options, StreamOptions):
        if isinstance(options.data, str | Path):
            rows = options.block_rows
            check(options.data, stream=True, block_rows=rows, **_given(options))
    elif isinstance(options, FileSource):
        _check_data(options)
    for field in ("reference", "against", "implementation"):
        given = getattr(options, field, None)
        for entry in given if isinstance(given, list | tuple) else [given]:
            if isinstance(entry, str):
                check_name(entry)


def _check_data(options: FileSource) -> None:
    several: Sequence[Any] = options.data if is_several(options.data) else [options.data]
    for entry in several:
        source = entry if isinstance(entry, Source) else options
        data = entry.data if isinstance(entry, Source) else entry
        if isinstance(data, str | Path):
            if isinstance(options, CompareOptions):
                _refuse_blocks(data)
            given = _given(source)
            check(data, seed=given.pop("data_seed", None), **given)


def _given(source: FileSource) -> dict[str, Any]:
    """Return the options to load a source by."""
    known = Source if isinstance(source, Source) else FileSource
    return {name: getattr(source, name) for name in known.model_fields if name != "data"}


def _refuse_blocks(data: str | Path) -> None:
    """Raise at a file that is read in blocks alone, and say how."""
    if str(data).lower().endswith(BLOCK_SUFFIXES) and Path(data).exists():
        raise OptionError(str(data), "such a file is read in blocks", "Add --stream.")
