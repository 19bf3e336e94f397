"""The store's file: its tables, checks before SQLite opens it, messages for its errors."""

import os
import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd

from gnbbench.errors import ResultsError
from gnbbench.records import HOLDS, TABLES

# Marks the file as ours (PRAGMA application_id): "gnbb" in ASCII.
APPLICATION_ID = 0x676E6262
SCHEMA_VERSION = 2

NOTES = {key: tuple(names.split()) for key, names in HOLDS["notes"].items()}
TEXT, _WHOLE, _COUNTED, _SUMMED = (names.split() for names in HOLDS["types"].values())
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
    """Return the query for the rows of one point, in a fixed order.

    Counts are summed over batches, so that the result does not depend on the batches. Names
    are in brackets: SQLite takes an unknown name in double quotes for text.
    """
    columns = TABLES[name]
    if name in _COUNTED:
        keys = [column for column in columns[1:] if column not in _SUMMED]
        sums = [f"SUM([{column}]) AS [{column}]" for column in columns if column in _SUMMED]
        order = ", ".join(f"[{key}]" for key in keys)
        chosen, tail = ", ".join([order, *sums]), f"GROUP BY {order} ORDER BY {order}"
    else:
        chosen = ", ".join(
            f"NULL AS [{column}]" if column in lacking else f"[{column}]"
            for column in columns
        )
        tail = f"ORDER BY {', '.join(str(place + 1) for place in range(4))}"
    return f"SELECT {chosen} FROM {name} WHERE point = ? {tail}"  # noqa: S608  our own names


def kind(column: str) -> str:
    """Return the type of a column."""
    if column in TEXT:
        return "TEXT NOT NULL"
    return "INTEGER" if column in _WHOLE else "REAL"


def require_notes(where: str, notes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the plan of a study; raise if one of its notes is missing or damaged."""
    plan = notes.get("plan")
    required = {"plan", "environment"}
    # A stream describes its data once both passes are over.
    if isinstance(plan, dict) and (plan.get("study") != "stream" or "stream" in notes):
        required |= {"dataset"} & set(plan)
    for key, names in NOTES.items():
        value = notes.get(key)
        is_whole = isinstance(value, dict) and set(names) <= set(value)
        if not is_whole and (value is not None or key in required):
            what = f"the note '{key}' in its table 'study' is damaged or missing"
            raise ResultsError(where, what, ELSEWHERE)
    return {**notes["plan"]}


def consistent(where: str, tables: Mapping[str, pd.DataFrame]) -> Mapping[str, Any]:
    """Return the tables of a point; raise if rows contradict each other."""
    pairs = tables["pairs"].groupby("implementation")["n_test"].sum().to_dict()
    counts = tables["label_pairs"].groupby("implementation")["count"].sum().to_dict()
    rounds = tables["timings"].groupby(["operation", "round"]).size().groupby("operation")
    is_paired = (rounds.min() == rounds.max()).all()
    if pairs != counts or not (is_paired and (tables["timings"]["seconds"] > 0).all()):
        raise ResultsError(where, "its records contradict each other", ELSEWHERE)
    return tables


_MAGIC = b"SQLite format 3\x00"
_HEADER_BYTES = 100
# What SQLite keeps beside the file while it is open, or after a crash.
COMPANIONS = ("-wal", "-shm", "-journal")
_NO_FILE = "is a folder or a device"


def inspect(path: Path) -> None:
    """Raise where SQLite would start afresh, read zeros or fail without a reason."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise sqlite3.DatabaseError(FOREIGN)
    for suffix in COMPANIONS:
        beside = path.with_name(path.name + suffix)
        if beside.exists() and not beside.is_file():
            raise sqlite3.DatabaseError(f"{beside.name} beside it {_NO_FILE}")
    log = path.with_name(f"{path.name}-wal")
    if not _size(path):
        if _size(log):
            raise sqlite3.DatabaseError(f"it is empty, but {log.name} beside it is not")
        return
    # A lock on what cannot be written fails as a "disk I/O error".
    if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        raise PermissionError


def inspect_end(path: Path, connection: sqlite3.Connection) -> None:
    """Raise where bytes are missing, which SQLite reads as 0.

    Call it under a lock: a writer changes the header before the end. The file is not opened
    here, since closing it would release the connection's lock.
    """
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (page_bytes,) = connection.execute("PRAGMA page_size").fetchone()
    # With a log the file may lag behind.
    has_log = _size(path.with_name(f"{path.name}-wal")) > 0
    if not has_log and _size(path) < pages * page_bytes:
        raise sqlite3.DatabaseError("it is damaged: its end is missing")


def has_our_mark(path: Path) -> bool:
    """Return whether a file's header marks it as a store of gnbbench."""
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    return header.startswith(_MAGIC) and header[68:72] == APPLICATION_ID.to_bytes(4, "big")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


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
    sqlite3.SQLITE_CONSTRAINT: ("its records contradict each other", ELSEWHERE),
    sqlite3.SQLITE_NOTADB: ("it is damaged or belongs to another program", _OUT),
}
FOREIGN = "it belongs to another program"


def unusable(where: str, error: Exception) -> ResultsError:
    """Return an error that explains SQLite's in plain words."""
    code = _primary_code(error)
    if isinstance(error, OSError):
        code = sqlite3.SQLITE_READONLY
    what, remedy = _WORDS.get(code, (str(error), ELSEWHERE))
    if what == FOREIGN or what.endswith(_NO_FILE):
        remedy = _OUT
    return ResultsError(where, what, remedy)


def is_locked(error: sqlite3.Error) -> bool:
    """Return whether another process holds the lock."""
    return _primary_code(error) == sqlite3.SQLITE_BUSY


def _primary_code(error: Exception) -> int:
    """Return the primary result code; 0 if SQLite did not raise the error."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def encoded(value: Any) -> Any:
    """Convert a value for JSON; numbers keep every digit, NaN included."""
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
    # A label may be any object that third-party code returns.
    return value if isinstance(value, str | int | float | None) else str(value)


def decoded(kind: Any, value: Any) -> Any:
    """Rebuild a value of a type from the result of `encoded`."""
    origin, arguments = get_origin(kind), get_args(kind)
    origin = get_origin(getattr(origin, "__value__", None)) or origin  # NumPy 2.5's NDArray
    if origin in {Union, UnionType}:
        first = next(argument for argument in arguments if argument is not type(None))
        return None if value is None else decoded(first, value)
    if kind is pd.DataFrame:
        named = zip(value["columns"].items(), value["types"], strict=True)
        return pd.DataFrame({n: pd.Series(v, dtype=t) for (n, v), t in named})
    if np.ndarray in {kind, origin}:
        return np.array(value["values"], dtype=value["type"])
    if is_dataclass(kind):
        # Earlier versions kept more fields.
        hints = get_type_hints(kind)
        parts = {n: decoded(hints[n], item) for n, item in value.items() if n in hints}
        return kind(**parts)  # type: ignore[operator]  # a type, not one of its values
    if origin is tuple:
        return tuple(decoded(arguments[0], item) for item in value)
    return Path(value) if kind is Path else value
