"""The tables of a store: how they are made, and how they are read back."""

from gnbbench.records import TABLES

# Marks the file as ours (PRAGMA application_id): "gnbb" in ASCII.
APPLICATION_ID = 0x676E6262
SCHEMA_VERSION = 2

TEXT = ("implementation", "status", "message", "operation")
_COUNTED = ("confusion", "label_pairs", "probability_differences", "reliability", "votes")
_SUMMED = ("count", "right", "confidence_nano")
_KEYS = {"runs": "point, run, implementation", "pairs": "point, run, implementation"}
_WHOLE = (
    *("run", "first_run", "row", "round", "position", "truth", "label"),
    *("reference_label", "decade", "bin", "count", "right", "confidence_nano"),
    *("n_train", "n_test", "disagreements", "both_right", "only_reference_right"),
    *("only_implementation_right", "both_wrong", "point"),
)


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


def selection(name: str) -> str:
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
        chosen = ", ".join(f'"{column}"' for column in columns)
        tail = f"ORDER BY {', '.join(str(place + 1) for place in range(4))}"
    return f"SELECT {chosen} FROM {name} WHERE point = ? {tail}"  # noqa: S608  our own names


def kind(column: str) -> str:
    """Return the type of a column."""
    if column in TEXT:
        return "TEXT NOT NULL"
    return "INTEGER" if column in _WHOLE else "REAL"
