"""What can be told of a store's file before SQLite touches it."""

import os
import sqlite3
from pathlib import Path

_MAGIC = b"SQLite format 3\x00"
_HEADER_BYTES = 100


def inspect(path: Path) -> None:
    """Raise where SQLite would start anew, read zeros, or fail without saying why."""
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
