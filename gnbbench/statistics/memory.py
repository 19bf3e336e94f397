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
    """Return the memory of each operation and implementation.

    Parameters
    ----------
    notes : mapping or None
        ``memory`` of `gnbbench.records.Records`.
    names : sequence of str
        Implementations in their order.

    Returns
    -------
    DataFrame
        ``implementation``, ``operation``, ``traced_bytes``, ``resident_bytes`` (NaN where
        it was not measured); operation by operation.

    Examples
    --------
    >>> row = {"implementation": "numpy", "operation": "fit", "traced_bytes": 7,
    ...        "resident_bytes": None}
    >>> memory({"rows": [row], "skipped": {}}, ["numpy"])["traced_bytes"].tolist()
    [7.0]
    """
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
    """Return a sentence for each implementation whose memory could not be measured.

    Parameters
    ----------
    notes : mapping or None
        As in `memory`.

    Returns
    -------
    list of str

    Examples
    --------
    >>> memory_remarks({"rows": [], "skipped": {"mine": "it raised ValueError: no"}})
    ['The memory of mine was not measured: it raised ValueError: no.']
    """
    skipped = notes["skipped"].items() if notes else ()
    return [
        f"The memory of {name} was not measured: {str(why).removesuffix('.')}."
        for name, why in skipped
    ]
