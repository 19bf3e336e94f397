"""Single values out of a tidy table, NaN where the table has no such row."""

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd


class Lookup:
    """Rows of a table by the values of its key columns."""

    def __init__(self, table: pd.DataFrame, *keys: str) -> None:
        rows = table.to_dict("records")
        self._rows = {tuple(row[key] for key in keys): row for row in rows}

    def __contains__(self, key: tuple[Hashable, ...]) -> bool:
        return key in self._rows

    def row(self, *key: Hashable) -> Mapping[Any, Any]:
        """Values of a row by their columns; empty where there is no such row."""
        return self._rows.get(key, {})

    def number(self, column: str, *key: Hashable) -> float:
        """Value as a float; NaN where there is no such row or no value."""
        value = self._rows.get(key, {}).get(column)
        return float("nan") if value is None or pd.isna(value) else float(value)

    def text(self, column: str, *key: Hashable) -> str:
        """Value as text; empty where there is no such row or no value."""
        value: Any = self._rows.get(key, {}).get(column)
        return "" if value is None or pd.isna(value) else str(value)

    def triple(self, column: str, *key: Hashable) -> tuple[float, float, float]:
        """Value with the ends of its interval, from the columns ``low`` and ``high``."""
        return (
            self.number(column, *key),
            self.number("low", *key),
            self.number("high", *key),
        )
