"""What can be told of names and paths before anything heavy is imported."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gnbbench.errors import OptionError
from gnbbench.implementations.names import check_name
from gnbbench.studies.kinds import is_several
from gnbbench.studies.option import Options
from gnbbench.studies.options import CompareOptions
from gnbbench.studies.shared_options import FileSource, Source

# Files that are read in blocks alone.
BLOCK_SUFFIXES = (".parquet", ".npy")


def check_names(options: Options) -> None:
    """Raise at the first name or path that stands for nothing."""
    for field in ("reference", "against"):
        given = getattr(options, field, None)
        for name in [given] if isinstance(given, str) else given or ():
            if isinstance(name, str):
                check_name(name)
    if isinstance(options, FileSource):
        _check_data(options)


def _check_data(options: FileSource) -> None:
    given: Sequence[Any] = options.data if is_several(options.data) else [options.data]
    for entry in given:
        data = entry.data if isinstance(entry, Source) else entry
        if isinstance(options, CompareOptions) and not options.stream:
            _refuse_blocks(data)


def _refuse_blocks(data: Any) -> None:
    """Raise at a file that is read in blocks alone, and say how."""
    is_path = isinstance(data, str | Path)
    if is_path and str(data).lower().endswith(BLOCK_SUFFIXES) and Path(data).exists():
        raise OptionError(str(data), "such a file is read in blocks", "Add --stream.")
