"""The records of one study in one SQLite file, written batch by batch."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pandas as pd

from gnbbench.errors import ResultsError
from gnbbench.records import TABLES, Records

FILE_NAME = "runs.sqlite"

# Marks the file as ours (PRAGMA application_id): "gnbb" in ASCII.
APPLICATION_ID = 0x676E6262
SCHEMA_VERSION = 2

_COUNTED = ("confusion", "label_pairs", "probability_differences", "reliability", "votes")
_SUMMED = ("count", "right", "confidence_nano")
_TEXT = ("implementation", "status", "message", "operation")
_KEYS = {"runs": "point, run, implementation", "pairs": "point, run, implementation"}


class Store:
    """Records on disk, or in memory without a path.

    A batch is one transaction: after a crash at any moment the file holds whole batches.

    Parameters
    ----------
    path : Path or None, default=None
        The file; made with its schema if it does not exist. In memory when None.
    patience_seconds : float, default=2
        How long to wait for another process that holds the file.

    Raises
    ------
    ResultsError
        If the file is no store, is damaged, or is being written by another process.
    """

    def __init__(self, path: Path | None = None, *, patience_seconds: float = 2.0) -> None:
        self.path = path
        self._connection = sqlite3.connect(
            path or ":memory:", timeout=patience_seconds, isolation_level=None
        )
        try:
            self._open()
        except sqlite3.DatabaseError as error:
            self._connection.close()
            raise self._unusable(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; everything committed stays."""
        self._connection.close()

    def note(self, key: str) -> Any:
        """Return the value kept under a key, None where there is none.

        Parameters
        ----------
        key : str

        Returns
        -------
        object
        """
        found = self._connection.execute(
            "SELECT value FROM study WHERE key = ?", (key,)
        ).fetchone()
        return None if found is None else json.loads(found[0])

    def add(
        self,
        tables: Mapping[str, Sequence[tuple[Any, ...]]],
        notes: Mapping[str, Any] | None = None,
        *,
        point: int = 0,
    ) -> None:
        """Add the rows of one batch and some notes, all of them or none.

        Parameters
        ----------
        tables : mapping of str to sequence of tuple
            Table name -> rows, columns as in `gnbbench.records.TABLES`.
        notes : mapping of str to object, default=None
            JSON-able values by key.
        point : int, default=0
            Which setting of the study the rows belong to, such as a train fraction.

        Raises
        ------
        ResultsError
            If they cannot be written (disk full, file locked).
        """
        run = self._connection.execute
        try:
            with self._transaction():
                for key, value in (notes or {}).items():
                    run("INSERT INTO study VALUES (?, ?)", (key, json.dumps(value)))
                for name, rows in tables.items():
                    marks = ", ".join("?" * len(TABLES[name]))
                    statement = f"INSERT INTO {name} VALUES ({point:d}, {marks})"  # noqa: S608  our own names
                    self._connection.executemany(statement, rows)
        except sqlite3.DatabaseError as error:
            raise self._unusable(error) from error

    def finished_runs(self, point: int = 0) -> set[int]:
        """Return the runs whose records are there.

        Parameters
        ----------
        point : int, default=0
            The setting they belong to.

        Returns
        -------
        set of int
        """
        query = "SELECT DISTINCT run FROM runs WHERE point = ?"
        return {run for (run,) in self._connection.execute(query, (point,))}

    def serialized(self) -> bytes:
        """Return the content of an SQLite file that holds everything.

        Returns
        -------
        bytes
        """
        return self._connection.serialize()

    def records(self, point: int = 0) -> Records:
        """Return all tables, in an order that does not depend on how they were written.

        Parameters
        ----------
        point : int, default=0
            The setting whose rows are returned.

        Returns
        -------
        Records
        """
        return Records(
            plan=self.note("plan"),
            environment=self.note("environment"),
            dataset=self.note("dataset"),
            timing_notes=self.note("timing_notes"),
            decision_regions=self.note("decision_regions"),
            **{name: self._frame(name, point) for name in TABLES},
        )

    def _frame(self, name: str, point: int) -> pd.DataFrame:
        columns = TABLES[name]
        if name in _COUNTED:
            keys = [column for column in columns[1:] if column not in _SUMMED]
            sums = [
                f'SUM("{column}") AS "{column}"' for column in columns if column in _SUMMED
            ]
            order = ", ".join(f'"{key}"' for key in keys)
            chosen, tail = ", ".join([order, *sums]), f"GROUP BY {order} ORDER BY {order}"
        else:
            chosen = ", ".join(f'"{column}"' for column in columns)
            order = ", ".join(str(place + 1) for place in range(min(4, len(columns))))
            tail = f"ORDER BY {order}"
        query = f"SELECT {chosen} FROM {name} WHERE point = {point:d} {tail}"  # noqa: S608  our own names
        frame = pd.read_sql_query(query, self._connection)
        # A column of NULLs alone would come back as objects.
        real = [
            column
            for column in map(str, frame)
            if _type(column) == "REAL" or (column not in _TEXT and frame[column].hasnans)
        ]
        return frame.astype(dict.fromkeys(real, "float64"))

    def _open(self) -> None:
        """Make the schema in a new file, or check that an old one has it."""
        run = self._connection.execute
        (identity,) = run("PRAGMA application_id").fetchone()
        (tables,) = run("SELECT COUNT(*) FROM sqlite_master").fetchone()
        if tables and identity != APPLICATION_ID:
            raise sqlite3.DatabaseError("it belongs to another program")
        (version,) = run("PRAGMA user_version").fetchone()
        if tables and version != SCHEMA_VERSION:
            raise sqlite3.DatabaseError(f"its schema is {version}, not {SCHEMA_VERSION}")
        run("PRAGMA locking_mode = EXCLUSIVE")
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = NORMAL")
        if not tables:
            with self._transaction():
                for statement in _schema():
                    run(statement)

    def _transaction(self) -> "_Transaction":
        return _Transaction(self._connection)

    def _unusable(self, error: sqlite3.Error) -> ResultsError:
        remedy = "Choose another directory with --out, or start anew with --overwrite."
        return ResultsError(str(self.path or "records"), str(error), remedy)


class _Transaction:
    """Commits what is done within, or undoes it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.execute("COMMIT" if kind is None else "ROLLBACK")


def _schema() -> list[str]:
    """Return the statements that make an empty store."""
    statements = [
        f"PRAGMA application_id = {APPLICATION_ID}",
        f"PRAGMA user_version = {SCHEMA_VERSION}",
        "CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    ]
    for name, columns in TABLES.items():
        body = ", ".join(f'"{column}" {_type(column)}' for column in ("point", *columns))
        key = f", PRIMARY KEY ({_KEYS[name]})" if name in _KEYS else ""
        statements.append(f"CREATE TABLE {name} ({body}{key})")
    return statements


def _type(column: str) -> str:
    if column in _TEXT:
        return "TEXT NOT NULL"
    whole = {
        *(
            "run",
            "first_run",
            "row",
            "round",
            "position",
            "truth",
            "label",
            "reference_label",
        ),
        *("decade", "bin", "count", "right", "confidence_nano", "n_train", "n_test"),
        *("disagreements", "both_right", "only_reference_right"),
        *("only_implementation_right", "both_wrong"),
    }
    return "INTEGER" if column in whole else "REAL"
