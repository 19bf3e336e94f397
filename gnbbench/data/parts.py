"""The files of a stream: one, several, or all those in a directory tree.

A directory ``name=value``, as in Hive, adds a column with that value to all files in it.
Imports nothing heavy, so that paths are checked early.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gnbbench.data import separated
from gnbbench.data.sources import one_line, quoted
from gnbbench.errors import DatasetError

# Kind of file -> suffixes to read in directories.
SUFFIXES = {"parquet": (".parquet", ".parq", ".pq"), "text": (".csv", ".tsv")}
RECORDS = "runs.sqlite"  # Marks the results of a study, which are no data
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})")

Value = int | float | str | None


@dataclass(frozen=True)
class StreamFile:
    """One file of a stream."""

    path: Path
    shown: str  # Prefix of a location in messages: the file, if it is one of several
    keys: Mapping[str, Value]  # Columns from the names of its directories


def parts_of(paths: Sequence[Path], kind: str) -> list[StreamFile]:
    """Return the files of a kind, in the order of the paths and then by name."""
    files = [(file, path) for path in paths for file in files_of(path, kind)]
    known: set[str] = set()
    for file, _ in files:
        if (place := os.path.realpath(file)) in known:
            what = "it is there twice, by its path or through a link"
            raise DatasetError(one_line(file), what, "Give each file once.")
        known.add(place)
    shown = ["" for _ in files]
    if len(paths) > 1:
        shown = [f"{one_line(file)}, " for file, _ in files]
    elif files[0][0] != paths[0]:
        shown = [f"{one_line(file.relative_to(root))}, " for file, root in files]
    keys = keys_of(files)
    return [StreamFile(*of) for of in zip((f for f, _ in files), shown, keys, strict=True)]


def files_of(path: Path, kind: str) -> list[Path]:
    """Return the files in a directory tree, sorted by path; or the file itself."""
    if not path.is_dir():
        return [path]
    return [path / file for file in _inside(path) if _kind_of_name(file) == kind]


def kind_of_directory(path: Path) -> str:
    """Return "parquet" or "text", by the names of the files in it, preferring Parquet."""
    kinds = {_kind_of_name(file) for file in _inside(path)}
    for kind in SUFFIXES:
        if kind in kinds:
            return kind
    what = "it is a directory without a file that ends in .parquet, .csv or .tsv"
    raise DatasetError(one_line(path), what, "Give one that has some, or a file.")


def _inside(path: Path) -> list[Path]:
    """Return the sorted relative paths in a directory, without hidden ones and results."""
    try:
        inside = sorted(entry.relative_to(path) for entry in path.rglob("*"))
    except OSError as error:
        raise separated.unreadable(path, error) from error
    results = {file.parent for file in inside if file.name == RECORDS} - {Path()}
    visible = (f for f in inside if not any(name[0] in "._" for name in f.parts))
    return [file for file in visible if results.isdisjoint(file.parents)]


def _kind_of_name(file: Path) -> str:
    suffix = separated.unpacked(file).suffix
    return next((kind for kind, known in SUFFIXES.items() if suffix in known), "")


def keys_of(files: Sequence[tuple[Path, Path]]) -> list[dict[str, Value]]:
    """Return the columns that the directory names between root and file define.

    Values are integers if all are whole numbers, floats if all are numbers, else text.
    """
    spelt = [_spelt(file, root) for file, root in files]
    for (file, root), keys in zip(files, spelt, strict=True):
        if list(keys) != list(spelt[0]):
            first, first_root = files[0]
            other = one_line(file.relative_to(root))
            what = f"{other} is in different name=value directories"
            remedy = f"Give each file those of {one_line(first.relative_to(first_root))}."
            raise DatasetError(one_line(root), what, remedy)
    columns = {name: _typed([keys[name] for keys in spelt]) for name in spelt[0]}
    places = range(len(files))
    return [{name: values[n] for name, values in columns.items()} for n in places]


def _spelt(file: Path, root: Path) -> Mapping[str, str | None]:
    if file == root:
        return {}
    folders = file.relative_to(root).parts[:-1]
    pairs = (part.split("=", 1) for part in folders if "=" in part)
    return {
        _unescaped(name).strip(): None if value == NO_VALUE else _unescaped(value)
        for name, value in pairs
    }


def _unescaped(text: str) -> str:
    """Decode escapes such as %20."""
    plain = ESCAPED.sub(lambda match: bytes.fromhex(match[1].decode()), text.encode())
    return plain.decode("utf-8", "replace")


def _typed(texts: Sequence[str | None]) -> list[Value]:
    for kind in (int, float):
        try:
            return [None if text is None else kind(text) for text in texts]
        except ValueError:
            continue
    return list(texts)


def kind_of_value(value: Value) -> str:
    """Return the kind of a column with such values."""
    names = {int: "integer", float: "float", str: "text"}
    return names.get(type(value), "null")


def headers_of(
    parts: Sequence[StreamFile],
    separator: str | None,
    *,
    header: bool | None,
    n_bytes: int = separated.FRAGMENT_BYTES,
) -> list[separated.Header]:
    """Return the header of each text file; all must have the same columns as the first."""
    first, *others = parts
    options: dict[str, Any] = {"header": header, "n_bytes": n_bytes}
    headers = [separated.header_of_file(first.path, separator, **options)]
    for part in others:
        cut = separated.header_of_file(part.path, headers[0].separator, **options)
        if cut.names != headers[0].names:
            pairs = zip((*cut.names, ""), (*headers[0].names, ""), strict=False)
            name, expected = next(pair for pair in pairs if pair[0] != pair[1])
            has = quoted(name) if name else "nothing"
            what = f"its header has {has} where that of {one_line(first.path)} has "
            what += quoted(expected) if expected else "nothing"
            remedy = "Write all files with the same columns."
            raise DatasetError(one_line(part.path), what, remedy)
        headers.append(cut)
    return headers
