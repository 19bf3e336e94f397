"""Every table can be made, filled and read back in an order of its own."""

import sqlite3

import pytest

from gnbbench.records import TABLES
from gnbbench.studies.schema import creation, kind, selection


@pytest.mark.parametrize("name", TABLES)
def test_rows_come_back_by_point_whatever_their_order(name: str) -> None:
    """The same rows in two orders, beside rows of another point."""
    found = []
    for order in ((1, 2, 3), (3, 1, 2)):
        connection = sqlite3.connect(":memory:")
        for statement in creation():
            connection.execute(statement)
        columns = TABLES[name]
        marks = ", ".join("?" * (1 + len(columns)))
        for point in (0, 5):
            for value in order:
                cells = [str(value) if kind(c) != "INTEGER" else value for c in columns]
                connection.execute(f"INSERT INTO {name} VALUES ({marks})", (point, *cells))  # noqa: S608  a name of ours
        found.append(connection.execute(selection(name), (5,)).fetchall())
        connection.close()

    assert found[0] == found[1]
    assert len(found[0]) == 3
