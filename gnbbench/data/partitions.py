"""Files of a directory, and the columns that stand in their paths."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from gnbbench.data.sources import one_line
from gnbbench.data.texts import unreadable
from gnbbench.errors import DatasetError

SUFFIXES = (".parquet", ".parq", ".pq")
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})")

Value = int | float | str | None


def files_of(path: Path) -> list[Path]:
    """The Parquet files of a directory and its directories, sorted by their paths."""
    if not path.is_dir():
        return [path]
    try:
        inside = sorted(found.relative_to(path) for found in path.rglob("*"))
    except OSError as error:
        raise unreadable(path, error) from error
    files = [
        path / file
        for file in inside
        if file.suffix in SUFFIXES
        and not any(part.startswith((".", "_")) for part in file.parts)
    ]
    if not files:
        what = f"it is a directory without a file that ends in {SUFFIXES[0]}"
        raise DatasetError(one_line(path), what, "Give one with Parquet files, or a file.")
    return files


def keys_of(files: Sequence[Path], root: Path) -> list[dict[str, Value]]:
    """Return the columns that the directories of each file give, as Hive writes them.

    A directory ``name=value`` below the root is a column of one value. Values that are
    whole numbers in all files are integers, else floats where all are numbers, else text.
    """
    spelt = [_spelt(file, root) for file in files]
    for file, keys in zip(files, spelt, strict=True):
        if list(keys) != list(spelt[0]):
            what = (
                f"{one_line(file.relative_to(root))} lies in other name=value directories"
            )
            remedy = f"Give each file those of {one_line(files[0].relative_to(root))}."
            raise DatasetError(one_line(root), what, remedy)
    columns = {name: _typed([keys[name] for keys in spelt]) for name in spelt[0]}
    return [
        {name: values[number] for name, values in columns.items()}
        for number in range(len(files))
    ]


def _spelt(file: Path, root: Path) -> Mapping[str, str | None]:
    if file == root:
        return {}
    pairs = (
        part.split("=", 1) for part in file.relative_to(root).parts[:-1] if "=" in part
    )
    return {
        _unescaped(name).strip(): None if value == NO_VALUE else _unescaped(value)
        for name, value in pairs
    }


def _unescaped(text: str) -> str:
    """Return the text with %20 and the like as the characters they stand for."""
    plain = ESCAPED.sub(lambda found: bytes.fromhex(found[1].decode()), text.encode())
    return plain.decode("utf-8", "replace")


def _typed(texts: Sequence[str | None]) -> list[Value]:
    for kind in (int, float):
        try:
            return [None if text is None else kind(text) for text in texts]
        except ValueError:
            continue
    return list(texts)
