"""A file of separated values becomes a Dataset."""

from collections.abc import Sequence
from pathlib import Path

from gnbbench.data.dataset import Dataset
from gnbbench.data.separators import separator_of
from gnbbench.data.sources import one_line
from gnbbench.data.tables import table_of
from gnbbench.data.tabular import Reading, dataset_from_table
from gnbbench.data.texts import read_text


def load_file(
    path: Path,
    *,
    target: str | None = None,
    separator: str | None = None,
    header: bool | None = None,
    drop: Sequence[str] = (),
    missing: str = "error",
    one_hot: bool = False,
) -> Dataset:
    """Return the dataset that a text file of separated values holds."""
    text = read_text(path)
    separator_used = separator_of(text, separator)
    table = table_of(one_line(path), text, separator_used, header=header)
    return dataset_from_table(
        table,
        Reading(target, tuple(drop), missing, one_hot),
        source={"source": str(path), "separator": separator, "header": header},
        name=path.stem,
        origin=f"File {path}",
    )
