"""A store's file: its tables, what can be told before SQLite touches it, its failures."""

import os
import sqlite3
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd

from gnbbench.errors import ResultsError
from gnbbench.records import TABLES

# Marks the file as ours (PRAGMA application_id): "gnbb" in ASCII.
APPLICATION_ID = 0x676E6262
SCHEMA_VERSION = 2

_HOLDS: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("store.toml").read_text(encoding="utf-8")
)
NOTES = {key: tuple(names.split()) for key, names in _HOLDS["notes"].items()}
TEXT, _WHOLE, _COUNTED, _SUMMED = (
    tuple(_HOLDS[name].split()) for name in ("text", "whole", "counted", "summed")
)
_KEYS = {"runs": "point, run, implementation", "pairs": "point, run, implementation"}


def creation() -> list[str]:
    """Return the statements that make an empty store."""
    statements = [
        f"PRAGMA application_id = {APPLICATION_ID}",
        f"PRAGMA user_version = {SCHEMA_VERSION}",
        "CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    ]
    for name, columns in TABLES.items():
        body = ", ".join(f'"{column}" {kind(column)}' for column in ("point", *columns))
        key = f", PRIMARY KEY ({_KEYS[name]})" if name in _KEYS else ""
        statements.append(f"CREATE TABLE {name} ({body}{key})")
    return statements


def selection(name: str, lacking: Collection[str] = ()) -> str:
    """Return the query for a table's rows of one point, in an order of their own.

    Counts of several batches are added up, so that no trace of the batches is left.
    """
    columns = TABLES[name]
    if name in _COUNTED:
        keys = [column for column in columns[1:] if column not in _SUMMED]
        sums = [f'SUM("{column}") AS "{column}"' for column in columns if column in _SUMMED]
        order = ", ".join(f'"{key}"' for key in keys)
        chosen, tail = ", ".join([order, *sums]), f"GROUP BY {order} ORDER BY {order}"
    else:
        chosen = ", ".join(
            f'NULL AS "{column}"' if column in lacking else f'"{column}"'
            for column in columns
        )
        tail = f"ORDER BY {', '.join(str(place + 1) for place in range(4))}"
    return f"SELECT {chosen} FROM {name} WHERE point = ? {tail}"  # noqa: S608  our own names


def kind(column: str) -> str:
    """Return the type of a column."""
    if column in TEXT:
        return "TEXT NOT NULL"
    return "INTEGER" if column in _WHOLE else "REAL"


# Columns that stores of earlier versions lack.
LATER = {"runs": {"n_clipped"}}


def refuse_other_tables(run: Callable[[str], Any]) -> None:
    """Raise where tables or columns are not those that `creation` makes."""
    query = "SELECT name, type FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"
    kinds = dict(run(query).fetchall())
    columns = {name: {"point", *names} for name, names in TABLES.items()}
    columns["study"] = {"key", "value"}
    for name in {**kinds, **columns}:
        if kinds.get(name) != "table" or name not in columns:
            what = f"a {kinds[name]} '{name}' that is not ours" if name in kinds else ""
            raise sqlite3.DatabaseError(f"it has {what or f'no table {name!r}'}")
        there = {row[1] for row in run(f"PRAGMA table_info({name})")}
        for column in sorted((there | LATER.get(name, set())) ^ columns[name]):
            what = f"a column '{column}' that is not ours"
            what = what if column in there else f"no column '{column}'"
            raise sqlite3.DatabaseError(f"its table '{name}' has {what}")


def refuse_other_notes(where: str, notes: Mapping[str, Any]) -> None:
    """Raise where what a study notes of itself is missing or of another shape."""
    # A stream describes its data once both passes are over.
    is_due = notes["plan"].get("study") != "stream" or "stream" in notes
    has_data = is_due and "dataset" in notes["plan"]
    required = ("plan", "environment", *(("dataset",) if has_data else ()))
    for key, names in NOTES.items():
        value = notes.get(key)
        if value is None and key not in required:
            continue
        there = value if isinstance(value, dict) else {}
        lacking = [name for name in names if name not in there]
        if lacking or there is not value:
            what = f"no '{lacking[0]}'" if lacking else "no keys"
            raise ResultsError(
                where, f"note '{key}' of table 'study' has {what}", ELSEWHERE
            )


_MAGIC = b"SQLite format 3\x00"
_HEADER_BYTES = 100


def inspect(path: Path) -> None:
    """Raise where SQLite would start anew, read zeros, or fail without saying why."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise sqlite3.DatabaseError(FOREIGN)
    log = path.with_name(f"{path.name}-wal")
    has_log = _size(log) > 0
    if not _size(path):
        if has_log:
            raise sqlite3.DatabaseError(f"it is empty, but {log.name} beside it is not")
        return
    # A lock on what cannot be written fails as a "disk I/O error".
    if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        raise PermissionError
    # With a log the file may lag behind; without one, SQLite takes what is missing for 0.
    if not has_log and _size(path) < _stated_bytes(path):
        raise sqlite3.DatabaseError("it is damaged: its end is missing")


def has_our_mark(path: Path) -> bool:
    """Tell whether a file's header says that it is a store of ours."""
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    return header.startswith(_MAGIC) and header[68:72] == APPLICATION_ID.to_bytes(4, "big")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _stated_bytes(path: Path) -> int:
    """Return the size that the header gives: page size times pages; 0 without a header."""
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    if not header.startswith(_MAGIC):
        return 0
    page = int.from_bytes(header[16:18], "big")
    # 65536 does not fit into two bytes and is written as 1.
    page = 65536 if page == 1 else page
    return page * int.from_bytes(header[28:32], "big")


ELSEWHERE = "Use --overwrite or another --out."
_OUT = "Use another --out."
_AGAIN = "Free some space, then run the same command again; it continues from here."
_WAIT = "Wait until it is done, or use another --out."

# Primary result code -> what is wrong, what to do.
_WORDS = {
    sqlite3.SQLITE_BUSY: ("another process is using it (it is locked)", _WAIT),
    sqlite3.SQLITE_FULL: ("the disk is full", _AGAIN),
    sqlite3.SQLITE_IOERR: ("the disk failed (disk I/O error)", _AGAIN),
    sqlite3.SQLITE_READONLY: ("it cannot be written", _OUT),
    sqlite3.SQLITE_CANTOPEN: ("it cannot be opened for writing", _OUT),
    sqlite3.SQLITE_CORRUPT: ("it is damaged", ELSEWHERE),
    sqlite3.SQLITE_NOTADB: ("it is damaged or belongs to another program", _OUT),
}
FOREIGN = "it belongs to another program"


def unusable(where: str, error: Exception) -> ResultsError:
    """Return the error of ours that says what an error of SQLite means."""
    code = _primary_code(error)
    if isinstance(error, OSError):
        code = sqlite3.SQLITE_READONLY
    what, remedy = _WORDS.get(code, (str(error), ELSEWHERE))
    if what == FOREIGN:
        remedy = _OUT
    return ResultsError(where, what, remedy)


def is_locked(error: sqlite3.Error) -> bool:
    """Tell whether another process is the reason."""
    return _primary_code(error) == sqlite3.SQLITE_BUSY


def _primary_code(error: Exception) -> int:
    """Return the code without its particulars; 0 where the error is not SQLite's own."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def encoded(value: Any) -> Any:
    """Return a value as JSON holds it; numbers keep every digit, NaN included."""
    if isinstance(value, pd.DataFrame):
        columns = {name: encoded(value[name].tolist()) for name in value}
        return {"types": [str(kind) for kind in value.dtypes], "columns": columns}
    if isinstance(value, np.ndarray):
        return {"type": str(value.dtype), "values": encoded(value.tolist())}
    if isinstance(value, np.generic):
        return value.item()
    if is_dataclass(value):
        value = {part.name: getattr(value, part.name) for part in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): encoded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [encoded(item) for item in value]
    # A label may be anything that somebody's code gives.
    return value if isinstance(value, str | int | float | None) else str(value)


def decoded(kind: Any, value: Any) -> Any:
    """Return the value of a type that was encoded so."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in {Union, UnionType}:
        first = next(argument for argument in arguments if argument is not type(None))
        return None if value is None else decoded(first, value)
    if kind is pd.DataFrame:
        named = zip(value["columns"].items(), value["types"], strict=True)
        return pd.DataFrame({n: pd.Series(v, dtype=t) for (n, v), t in named})
    if np.ndarray in {kind, origin}:
        return np.array(value["values"], dtype=value["type"])
    if is_dataclass(kind):
        # Earlier versions kept more than this one asks for.
        hints = get_type_hints(kind)
        parts = {n: decoded(hints[n], item) for n, item in value.items() if n in hints}
        return kind(**parts)  # type: ignore[operator]  # a type, not one of its values
    if origin is tuple:
        return tuple(decoded(arguments[0], item) for item in value)
    return Path(value) if kind is Path else value
