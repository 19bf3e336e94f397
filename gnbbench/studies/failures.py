"""What SQLite says of a file, in words that tell a user what to do."""

import sqlite3

from gnbbench.errors import ResultsError

_ELSEWHERE = "Choose another directory with --out"
_ANEW = f"{_ELSEWHERE}, or start anew with --overwrite."
_AGAIN = "Make room, then give the same command again: it goes on from here."
_WAIT = "Wait until it is done, or choose another directory with --out."

# Primary result code -> what is wrong, what to do.
_WORDS = {
    sqlite3.SQLITE_BUSY: ("another process is working on it (it is locked)", _WAIT),
    sqlite3.SQLITE_FULL: ("the disk is full", _AGAIN),
    sqlite3.SQLITE_IOERR: ("the disk does not take or give it (disk I/O error)", _AGAIN),
    sqlite3.SQLITE_READONLY: ("it cannot be written", f"{_ELSEWHERE}."),
    sqlite3.SQLITE_CANTOPEN: ("it cannot be opened for writing", f"{_ELSEWHERE}."),
    sqlite3.SQLITE_CORRUPT: ("it is damaged", _ANEW),
    sqlite3.SQLITE_NOTADB: ("it is damaged or belongs to another program", _ANEW),
}


def unusable(where: str, error: Exception) -> ResultsError:
    """Return the error of ours that says what an error of SQLite means."""
    code = _primary_code(error)
    if isinstance(error, OSError):
        code = sqlite3.SQLITE_READONLY
    what, remedy = _WORDS.get(code, (str(error), _ANEW))
    return ResultsError(where, what, remedy)


def is_locked(error: sqlite3.Error) -> bool:
    """Tell whether another process is the reason."""
    return _primary_code(error) == sqlite3.SQLITE_BUSY


def _primary_code(error: Exception) -> int:
    """Return the code without its particulars; 0 where the error is not SQLite's own."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
