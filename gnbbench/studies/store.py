"""The records of one study in one SQLite file, written batch by batch."""

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from gnbbench.records import INVALID, RUN_METRICS, TABLES, Records
from gnbbench.studies import schema

FILE_NAME = "runs.sqlite"
PATIENCE_SECONDS = 2.0


class Store(AbstractContextManager["Store"]):
    """Records on disk, or in memory without a path.

    A batch is one transaction: after a crash at any moment the file holds whole batches.
    The file is held exclusively until `close`.
    """

    def __init__(self, path: Path | None = None, *, name: str | None = None) -> None:
        self.path = path
        self.name = name or str(path or "records")
        self.is_changed = False  # Whether something was added since it was opened
        with self._translated():
            if path is not None:
                schema.inspect(path)
            self._connection = sqlite3.connect(
                path or ":memory:", timeout=PATIENCE_SECONDS, isolation_level=None
            )
        try:
            with self._translated():
                self._open()
        except BaseException:
            self._connection.close()
            raise

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; everything committed stays."""
        self._connection.close()

    def in_memory(self) -> "Store":
        """Return a copy of the records in memory."""
        copy = Store(name=self.name)
        with self._translated():
            self._connection.backup(copy._connection)
        return copy

    def note(self, key: str) -> Any:
        """Return the value stored under a key, None if there is none."""
        with self._translated():
            query = "SELECT value FROM study WHERE key = ?"
            row = self._connection.execute(query, (key,)).fetchone()
            return None if row is None else json.loads(row[0])

    def add(
        self,
        tables: Mapping[str, Sequence[tuple[Any, ...]]],
        notes: Mapping[str, Any] | None = None,
        *,
        point: int = 0,
    ) -> None:
        """Add the rows of one batch and some notes, all of them or none.

        A note replaces an earlier one under its key.
        """
        run = self._connection.execute
        self.is_changed = True
        with self._translated(), self._transaction():
            for key, value in (notes or {}).items():
                run("REPLACE INTO study VALUES (?, ?)", (key, json.dumps(value)))
            for metric in sorted(self._lacking() if tables else ()):
                run(f"ALTER TABLE runs ADD COLUMN {metric} REAL")
            for name, rows in tables.items():
                columns = ", ".join(f"[{column}]" for column in ("point", *TABLES[name]))
                marks = ", ".join("?" * len(TABLES[name]))
                statement = f"INSERT INTO {name} ({columns}) VALUES ({point:d}, {marks})"  # noqa: S608  our own names
                self._connection.executemany(statement, rows)

    def forget_times(self) -> None:
        """Delete the times, so that they are taken again."""
        with self._translated(), self._transaction():
            for rows in ("timings", "study WHERE key = 'timing_notes'"):
                self._connection.execute(f"DELETE FROM {rows}")  # noqa: S608  our own names

    @property
    def is_empty(self) -> bool:
        """Whether nothing was ever added."""
        query = "SELECT EXISTS (SELECT 1 FROM runs) OR EXISTS (SELECT 1 FROM study)"
        with self._translated():
            return not self._connection.execute(query).fetchone()[0]

    def finished_runs(self, point: int = 0) -> set[int]:
        """Return the runs that have records."""
        query = "SELECT DISTINCT run FROM runs WHERE point = ?"
        with self._translated():
            return {run for (run,) in self._connection.execute(query, (point,))}

    def serialized(self) -> bytes:
        """Return the content of an SQLite file that holds everything."""
        with self._translated():
            return self._connection.serialize()

    def records(self, point: int = 0) -> Records:
        """Return all tables, in an order that does not depend on how they were written."""
        notes: dict[str, Any] = {key: self.note(key) for key in schema.NOTES}
        lacking = self._lacking()
        tables: dict[str, Any] = {
            name: self._read(schema.selection(name, lacking), (point,)) for name in TABLES
        }
        # Without labels: in a stream, and in files of versions that kept none.
        of_runs = tables["runs"]
        lost = (of_runs["status"] == INVALID) & of_runs["test_accuracy"].isna()
        of_runs.loc[lost, "status"] = "error"
        return Records(**notes, **schema.consistent(self.name, tables))

    def _lacking(self) -> set[str]:
        """Return the metrics unknown to the version that wrote the file."""
        rows = self._connection.execute("PRAGMA table_info(runs)").fetchall()
        return set(RUN_METRICS) - {row[1] for row in rows}

    def every_point(self, name: str) -> pd.DataFrame:
        """Return the rows of a table at all points, with the point as first column."""
        query = f"SELECT * FROM {name} ORDER BY 1, 2, 3, 4"  # noqa: S608  our own names
        return self._read(query, ())

    def notes(self, prefix: str) -> dict[str, Any]:
        """Return the values of all keys with a prefix, by the rest of the key."""
        query = "SELECT key, value FROM study WHERE substr(key, 1, ?) = ? ORDER BY key"
        with self._translated():
            rows = self._connection.execute(query, (len(prefix), prefix)).fetchall()
            return {key[len(prefix) :]: json.loads(value) for key, value in rows}

    def _read(self, query: str, parameters: tuple[int, ...]) -> pd.DataFrame:
        with self._translated():
            frame = pd.read_sql_query(query, self._connection, params=parameters)
        # A column of NULLs alone comes back as objects, one of whole numbers as integers.
        others = [str(name) for name, of in frame.dtypes.items() if of.kind != "f"]
        lost = (name for name in others if name not in schema.TEXT and frame[name].hasnans)
        real = {*(name for name in others if schema.kind(name) == "REAL"), *lost}
        return frame.astype(dict.fromkeys(real, "float64")) if real else frame

    def _open(self) -> None:
        """Create the tables in a new file, or check that an old one is intact."""
        run = self._connection.execute
        # Held until close: two processes taking turns would measure the same runs twice.
        run("PRAGMA locking_mode = EXCLUSIVE")
        # Locked before the first read: two processes that both read would block each other.
        with self._transaction():
            new = self._is_new()
            if self.path is not None and not new:
                schema.inspect_end(self.path, self._connection)
        if new:
            # Before there is a log, so that the file itself has our mark from the start.
            with self._transaction():
                for statement in schema.creation():
                    run(statement)
        # A batch is one append to the log; after a kill the last complete batch counts.
        run("PRAGMA journal_mode = WAL")
        # No sync per batch: a power cut may lose the last batches, which are then redone.
        run("PRAGMA synchronous = NORMAL")
        if new:
            return
        # Checked now, so that a study does not meet a damaged page after an hour.
        (verdict,) = run("PRAGMA integrity_check(1)").fetchone()
        if verdict != "ok":
            raise sqlite3.DatabaseError("it is damaged")

    def _is_new(self) -> bool:
        run = self._connection.execute
        (identity,) = run("PRAGMA application_id").fetchone()
        (version,) = run("PRAGMA user_version").fetchone()
        (tables,) = run("SELECT COUNT(*) FROM sqlite_master").fetchone()
        if not (tables or identity or version):
            return True
        if identity != schema.APPLICATION_ID:
            raise sqlite3.DatabaseError(schema.FOREIGN)
        if version != schema.SCHEMA_VERSION:
            raise sqlite3.DatabaseError(
                f"its schema is {version}, not {schema.SCHEMA_VERSION}"
            )
        return False

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Commit the changes made in the block, or roll them back."""
        run = self._connection.execute
        run("BEGIN EXCLUSIVE")
        try:
            yield
            run("COMMIT")
        except BaseException:
            # A full disk may have rolled it back already.
            if self._connection.in_transaction:
                run("ROLLBACK")
            raise

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn SQLite's errors into a `ResultsError`."""
        try:
            yield
        except sqlite3.ProgrammingError:
            raise
        except (sqlite3.Error, pd.errors.DatabaseError) as error:
            cause = error.__cause__ if isinstance(error.__cause__, sqlite3.Error) else error
            raise schema.unusable(self.name, cause) from error
        except OSError as error:
            raise schema.unusable(self.name, error) from error
        except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
            damage = sqlite3.DatabaseError("it is damaged")
            raise schema.unusable(self.name, damage) from error


def discard(path: Path) -> None:
    """Delete the records, unless another process is using them."""
    if not path.exists():
        _delete(path)
        return
    try:
        connection = sqlite3.connect(path, timeout=PATIENCE_SECONDS, isolation_level=None)
        try:
            _lock(connection)
            if os.name == "nt":  # which deletes no file that any process has open
                connection.close()
            _delete(path)
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise schema.unusable(str(path), error) from error


def _lock(connection: sqlite3.Connection) -> None:
    """Lock the file, unless it is damaged or not a database."""
    try:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.DatabaseError as error:
        if schema.is_locked(error):
            raise


def _delete(path: Path) -> None:
    for suffix in (*schema.COMPANIONS, ""):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
