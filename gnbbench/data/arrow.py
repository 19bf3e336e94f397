"""What pyarrow reads, as NumPy has it; pyarrow is an extra and may be absent."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Text is cut in pieces of this size, which stay in the processor's cache.
BLOCK_BYTES = 2**20
# What pandas takes for missing, and the question mark of UCI.
NULLS = (
    *("", "?", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND"),
    *("1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
)


def columns_of_text(
    text: str, names: Sequence[str], separator: str, features: Sequence[str], target: str
) -> tuple[NDArray[np.float64], list[str], NDArray[np.intp]] | None:
    """Return features, distinct labels, and each row's position among these.

    The same values as pandas reads, several times as fast; None where pyarrow is absent or
    might cut another way than pandas: then pandas must read, or say what is wrong.
    """
    try:
        import pyarrow as pa
        import pyarrow.csv as pc
    except ImportError:
        return None
    content = text.encode()
    if len(separator.encode()) > 1 or not is_plainly_quoted(content, separator):
        return None
    is_quoted = '"' in text
    # Space before a value means nothing, but within quotation marks it is part of it.
    nulls = NULLS if is_quoted else [*NULLS, *(f" {null}" for null in NULLS)]
    kinds = dict.fromkeys(features, pa.float64())
    kinds[target] = pa.dictionary(pa.int32(), pa.string())
    try:
        table = pc.read_csv(
            pa.BufferReader(content),
            pc.ReadOptions(
                use_threads=False, column_names=[*names], block_size=BLOCK_BYTES
            ),
            pc.ParseOptions(delimiter=separator, newlines_in_values=is_quoted),
            pc.ConvertOptions(
                column_types=kinds,
                include_columns=[*kinds],
                null_values=nulls,
                strings_can_be_null=True,
            ),
        )
    except pa.ArrowException:
        return None
    values, indices = labels_of(table.column(target).combine_chunks())
    if is_quoted and any("\r" in value or value.startswith(" ") for value in values):
        return None
    X = np.empty((len(indices), len(features)))
    for position, name in enumerate(features):
        X[:, position] = table.column(name).to_numpy()
    return X, values, indices


def is_plainly_quoted(content: bytes, separator: str) -> bool:
    """Tell whether every quotation mark opens or closes a whole value.

    Then all readers agree on what is quoted, and marks can be counted in pairs.
    """
    if b'"' not in content:
        return True
    cut = separator.encode()
    opening = [content.startswith(b'"'), content.count(b'\n"'), content.count(cut + b'"')]
    closing = [
        content.endswith(b'"'),
        content.count(b'"\n'),
        content.count(b'"\r\n'),
        content.count(b'"' + cut),
    ]
    return 2 * sum(opening) == 2 * sum(closing) == content.count(b'"')


def numbers_of_column(column: Any) -> NDArray[Any]:
    """Return a column as numbers, NaN where there is none."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    plain = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    if column.null_count or not plain:
        column = column.cast(pa.float64(), safe=False)
    numbers: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return numbers


def labels_of(column: Any) -> tuple[list[Any], NDArray[np.intp]]:
    """Return distinct values, and each row's position among them, -1 where missing."""
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
    """Tell whether a value stands for a missing one."""
    return value is None or (isinstance(value, float) and math.isnan(value))
