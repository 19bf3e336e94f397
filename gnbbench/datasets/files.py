"""A file of separated values becomes a Dataset."""

from collections.abc import Sequence
from pathlib import Path

from gnbbench.datasets.dataset import Dataset
from gnbbench.datasets.separators import separator_of
from gnbbench.datasets.sources import one_line
from gnbbench.datasets.tables import table_of
from gnbbench.datasets.tabular import Reading, dataset_from_table
from gnbbench.datasets.texts import read_text


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
    """Return the dataset that a text file of separated values holds.

    Parameters
    ----------
    path : Path
        The file, UTF-8.
    target : str, optional
        Column of the labels, or a comparison on a column, such as ``G3>=10``, which makes
        two classes; must be given.
    separator : str, optional
        Character between values, or a word for it; guessed if not given.
    header : bool, optional
        Whether the first line holds names. If not given it must, and a first line of
        numbers is refused; without one the columns are c0, c1, …
    drop : sequence of str, default=()
        Columns to leave out.
    missing : {"error", "drop"}, default="error"
        What becomes of rows with a missing value (nothing, "?", "NA", "nan", "null" …).
    one_hot : bool, default=False
        Whether a feature of text becomes one column of 0 and 1 for each of its levels,
        called ``sex=F``; all levels are kept, of two as well.

    Returns
    -------
    Dataset
        Named as the file is without its suffix.

    Raises
    ------
    DatasetError, OptionError
        If the file cannot serve; the message says where and what to do.
    """
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
