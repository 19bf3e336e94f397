"""A path becomes a Stream: all there is to know about the data, but not the data."""

import hashlib
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.data import npy, parquet
from gnbbench.data.ahead import read_ahead
from gnbbench.data.fragments import Batch, Fragment
from gnbbench.data.looks import Look
from gnbbench.data.separated import look_at_text
from gnbbench.data.sources import one_line
from gnbbench.data.texts import unreadable
from gnbbench.errors import OptionError

__all__ = ["Batch", "Fragment", "Stream", "open_stream"]


@dataclass(frozen=True, eq=False)
class Stream:
    """A labelled sample that is read block by block, as often as needed.

    Its schema, labels and row numbers are known and checked; its features are checked
    as they are read. It can be pickled; two streams are the same where their `sha256` is.
    """

    name: str  # Name shown in reports
    where: str  # Path of the data, as messages show it
    feature_names: tuple[str, ...]  # One name per column of the blocks
    class_names: tuple[str, ...]  # One display name per entry of `classes`, in that order
    # (n_classes,): Sorted distinct labels, as ``numpy.unique`` has them
    classes: NDArray[Any]
    class_counts: NDArray[np.intp]  # (n_classes,): How many rows have each label
    n_rows: int  # How many rows there are, without those left out for a missing value
    # They cover the rows from 0 to ``n_rows - 1`` in order
    fragments: tuple[Fragment, ...] = field(repr=False)
    sha256: str  # Hexadecimal digest of what results depend on; each source says of what
    parameters: dict[str, Any]  # ``open_stream(**parameters)`` opens it again
    block_rows: int  # The most rows a block has

    def batches(self) -> Iterator[Batch]:
        """Yield all rows in order; the next block is read on a thread meanwhile."""
        return read_ahead(self._batches_in_order())

    def _batches_in_order(self) -> Generator[Batch, None, None]:
        for part in self.fragments:
            yield from part.batches()


def open_stream(
    source: str | Path,
    *,
    target: str | Path | None,
    drop: Sequence[str] = (),
    separator: str | None = None,
    header: bool | None = None,
    missing: str = "error",
    block_rows: int | None = None,
) -> Stream:
    """Return the stream of a file or a directory, after one pass over its labels."""
    if block_rows is not None and block_rows < 1:
        what = f"{block_rows} is less than 1"
        raise OptionError("--block-rows", what, "Give a whole number from 1.")
    path = Path(source)
    look, content_sha256 = _look_at(
        path,
        separator=separator,
        header=header,
        target=None if target is None else str(target),
        drop=drop,
        missing=missing,
        block_rows=block_rows,
    )
    columns = look.columns
    given = {
        "source": str(path),
        "target": columns.target,
        "separator": separator,
        "header": header,
        "missing": missing,
        "drop": columns.left_out or None,
        "block_rows": block_rows,
    }
    digested = (columns.features, missing, look.labels_sha256, content_sha256)
    return Stream(
        name=path.stem or path.resolve().name,
        where=columns.where,
        feature_names=columns.features,
        class_names=tuple(map(str, look.classes)),
        classes=look.classes,
        class_counts=look.class_counts,
        n_rows=int(look.class_counts.sum()),
        fragments=look.fragments,
        sha256=hashlib.sha256(repr(digested).encode()).hexdigest(),
        parameters={name: value for name, value in given.items() if value is not None},
        block_rows=look.block_rows,
    )


def _look_at(
    path: Path, *, separator: str | None, header: bool | None, **options: Any
) -> tuple[Look, str]:
    """Return the first look at whatever the path leads to."""
    begin = b""
    if not path.is_dir():
        try:
            with path.open("rb") as file:
                begin = file.read(len(npy.MAGIC))
        except (OSError, ValueError) as error:
            raise unreadable(path, error) from error
    if path.is_dir() or begin.startswith(parquet.MAGIC):
        look, kind = partial(parquet.look_at_parquet, path), "a Parquet file"
    elif begin.startswith(npy.MAGIC):
        look, kind = partial(npy.look_at_npy, path), "an array"
    else:
        return look_at_text(path, separator=separator, header=header, **options)
    for flag, value in (("--sep", separator), ("--header", header)):
        if value is not None:
            what = f"it does not apply to {kind}"
            raise OptionError(flag, what, f"Leave it out; {one_line(path)} is {kind}.")
    return look(**options)
