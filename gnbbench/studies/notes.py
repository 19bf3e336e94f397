"""Results as notes of a store: frozen types, tables and arrays as plain JSON, and back."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd


def encoded(value: Any) -> Any:
    """Return a value as JSON holds it; numbers keep every digit, NaN included."""
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
    # A label may be anything that somebody's code gives.
    return value if isinstance(value, str | int | float | None) else str(value)


def decoded(kind: Any, value: Any) -> Any:
    """Return the value of a type that was encoded so."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in {Union, UnionType}:
        first = next(one for one in arguments if one is not type(None))
        return None if value is None else decoded(first, value)
    if kind is pd.DataFrame:
        named = zip(value["columns"].items(), value["types"], strict=True)
        return pd.DataFrame({n: pd.Series(v, dtype=t) for (n, v), t in named})
    if np.ndarray in {kind, origin}:
        return np.array(value["values"], dtype=value["type"])
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        parts = {name: decoded(hints[name], item) for name, item in value.items()}
        return kind(**parts)  # type: ignore[operator]  # a type, not one of its values
    if origin is tuple:
        return tuple(decoded(arguments[0], item) for item in value)
    return Path(value) if kind is Path else value
