"""Columns read by pyarrow, as NumPy arrays; pyarrow is an extra and may be missing."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import Array, FloatArray
from gnbbench.data.features import MISSING_MARKERS
from gnbbench.data.fragments import encoded_table, with_keys
from gnbbench.data.separated import Header

# Text is parsed in pieces of this size, which stay in the processor's cache. In wide
# tables, where a column takes memory for each piece and each null, there are few of both.
BLOCK_BYTES = 2**20
BYTES_A_COLUMN = 2**10
WIDE = 1000  # Columns
NO_LEVELS: Mapping[str, Sequence[str]] = {}
NO_KEYS: Mapping[str, Any] = {}
# The markers of missing values in pandas, and UCI's question mark.
NULLS = (
    *("", "?", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND"),
    *("1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
)


def columns_of_text(
    text: str,
    header: Header,
    features: Sequence[str],
    target: str,
    *,
    levels: Mapping[str, Sequence[str]] = NO_LEVELS,
    keys: Mapping[str, Any] = NO_KEYS,
) -> tuple[FloatArray, Sequence[str], NDArray[np.intp]] | None:
    """Return features, distinct labels and each row's position among these, -1 if missing.

    The values equal those of pandas, several times as fast. Return None if pyarrow is
    missing or might parse differently, so that pandas must parse or report the mistake.
    """
    try:
        import pyarrow as pa
        import pyarrow.csv as pc
    except ImportError:
        return None
    content = text.encode()
    if len(header.separator) > 1 or not is_plainly_quoted(content, header.separator):
        return None
    is_quoted = '"' in text
    # A space before a value is ignored; inside quotation marks it is part of the value.
    nulls = NULLS if is_quoted else [*NULLS, *(f" {null}" for null in NULLS)]
    if len(header.names) > WIDE:
        nulls = [null for null in nulls if null in text]
    text_names = [name for name in (*levels, target) if name not in keys]
    kinds = dict.fromkeys([n for n in features if n not in keys], pa.float64())
    kinds |= dict.fromkeys(text_names, pa.dictionary(pa.int32(), pa.string()))
    kinds = kinds or {header.names[0]: pa.string()}  # Rows are counted by it
    piece = max(BLOCK_BYTES, BYTES_A_COLUMN * len(header.names))
    try:
        table = pc.read_csv(
            pa.BufferReader(content),
            pc.ReadOptions(column_names=[*header.names], block_size=piece),
            pc.ParseOptions(delimiter=header.separator, newlines_in_values=is_quoted),
            pc.ConvertOptions(
                column_types=kinds,
                include_columns=[*kinds],
                null_values=nulls,
                strings_can_be_null=True,
            ),
        )
    except (pa.ArrowException, ValueError):
        return None
    texts = {n: labels_of(table.column(n).combine_chunks()) for n in text_names}
    spellings = [value for values, _ in texts.values() for value in values]
    if not table.num_rows or (
        is_quoted and any("\r" in value or value.startswith(" ") for value in spellings)
    ):
        return None
    numbers, labels = with_keys(
        keys,
        table.num_rows,
        lambda name: table.column(name).to_numpy(),
        lambda name: _stripped(*texts[name]),
    )
    X = encoded_table(
        table.num_rows, features, levels, numbers=numbers, text=labels, where=header.where
    )
    return X, *labels(target)


def is_plainly_quoted(content: bytes, separator: str) -> bool:
    """Return whether quotation marks come in pairs, each pair around a whole value.

    If so, all parsers agree on what is quoted, and a line end outside a pair ends a record.
    """
    if b'"' not in content:
        return True
    if len(separator) > 1:
        return False
    letters = np.frombuffer(b"\n" + content + b"\n", np.uint8)
    marks = np.flatnonzero(letters == ord('"'))
    edges = np.frombuffer(f"{separator}\r\n".encode(), np.uint8)
    before, after = letters[marks[::2] - 1], letters[marks[1::2] + 1]
    is_paired = len(marks) % 2 == 0
    return is_paired and bool(np.isin(before, edges).all() and np.isin(after, edges).all())


def _stripped(
    values: list[str], indices: NDArray[np.intp]
) -> tuple[list[str], NDArray[np.intp]]:
    """Return stripped labels, merging those that become equal or missing."""
    stripped = [value.strip() for value in values]
    if stripped == values and not set(values) & {*MISSING_MARKERS}:
        return values, indices
    distinct = [*dict.fromkeys(value for value in stripped if value not in MISSING_MARKERS)]
    positions = {value: position for position, value in enumerate(distinct)}
    # Missing labels have index -1 and so take the last of these.
    moved = np.array([*(positions.get(value, -1) for value in stripped), -1])
    return distinct, moved[indices]


def numbers_of_column(column: Any) -> Array:
    """Return a column as numbers, NaN if one is missing."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    plain = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    if column.null_count or not plain:
        column = column.cast(pa.float64(), safe=False)
    numbers: Array = column.to_numpy(zero_copy_only=False)
    return numbers


def labels_of(column: Any) -> tuple[list[Any], NDArray[np.intp]]:
    """Return the distinct values and each row's position among them, -1 if missing."""
    import pyarrow as pa

    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    values = column.dictionary.to_pylist()
    indices = column.indices.fill_null(-1).to_numpy().astype(np.intp)
    missing = [at for at, value in enumerate(values) if is_missing(value)]
    if missing:
        indices[np.isin(indices, missing)] = -1
    return values, indices


def is_missing(value: Any) -> bool:
    """Return whether a value is None or NaN."""
    return value is None or (isinstance(value, float) and math.isnan(value))
