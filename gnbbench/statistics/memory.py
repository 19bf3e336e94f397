"""The memory of each operation, as a table and in words."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from gnbbench.records import OPERATIONS

MEMORY_COLUMNS = {
    "implementation": "str",
    "operation": "str",
    "traced_bytes": "float64",
    "resident_bytes": "float64",
}


def memory(notes: Mapping[str, Any] | None, names: Sequence[str]) -> pd.DataFrame:
    """Return the memory of each operation and implementation."""
    rows = notes["rows"] if notes else []
    found = {(row["operation"], row["implementation"]): row for row in rows}
    ordered = [
        found[operation, name]
        for operation in OPERATIONS
        for name in names
        if (operation, name) in found
    ]
    return pd.DataFrame(ordered, columns=list(MEMORY_COLUMNS)).astype(MEMORY_COLUMNS)


def memory_remarks(notes: Mapping[str, Any] | None) -> list[str]:
    """Return a sentence for each implementation whose memory could not be measured."""
    skipped = notes["skipped"].items() if notes else ()
    return [
        f"The memory of {name} was not measured: {str(why).removesuffix('.')}."
        for name, why in skipped
    ]
