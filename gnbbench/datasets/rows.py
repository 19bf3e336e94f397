"""Which rows are complete."""

import numpy as np
from numpy.typing import NDArray

from gnbbench.datasets.sources import Source, listed, quoted
from gnbbench.errors import DatasetError, OptionError

CHOICES = ("error", "drop")


def complete_rows(
    missing: NDArray[np.bool_], names: tuple[str, ...], rule: str, source: Source
) -> NDArray[np.bool_]:
    """Return which rows have no missing value, if the rule lets the others go.

    Parameters
    ----------
    missing : ndarray of shape (n_samples, n_columns)
        Whether a value is missing.
    names : tuple of str
        One per column.
    rule : {"error", "drop"}
        What becomes of a row with a missing value.
    source : Source
        Where the rows come from.

    Returns
    -------
    ndarray of shape (n_samples,)
        Mask of the rows to keep.

    Raises
    ------
    OptionError
        If the rule is none of the two.
    DatasetError
        If a value is missing and the rule is "error", or if no row is complete.

    Examples
    --------
    >>> from gnbbench.datasets.sources import ArraySource
    >>> missing = np.array([[False, True], [False, False]])
    >>> complete_rows(missing, ("a", "b"), "drop", ArraySource("data"))
    array([False,  True])
    """
    if rule not in CHOICES:
        raise OptionError("--missing", f"{rule!r} is no choice", "Give error or drop.")
    keep: NDArray[np.bool_] = np.logical_not(missing.any(axis=1))
    if rule == "error" and not keep.all():
        _refuse_missing(missing, names, source)
    if not keep.any():
        _refuse_none_left(missing, names, source)
    return keep


def _refuse_missing(
    missing: NDArray[np.bool_], names: tuple[str, ...], source: Source
) -> None:
    row, column = map(int, np.argwhere(missing)[0])
    count, rows = int(missing.sum()), int(missing.any(axis=1).sum())
    what = (
        f"{count} missing value{'s' * (count != 1)} in {rows} of {len(missing)} rows, "
        f"first in {source.place(row)}, column {quoted(names[column])}"
    )
    raise DatasetError(source.where, what, source.leave_out_missing())


def _refuse_none_left(
    missing: NDArray[np.bool_], names: tuple[str, ...], source: Source
) -> None:
    empty = [name for name, gone in zip(names, missing.T, strict=True) if gone.all()]
    worst = empty or [names[int(missing.sum(axis=0).argmax())]]
    most = "no value" if empty else "the most missing"
    what = f"no row is complete; {listed(worst)} has {most}"
    raise DatasetError(source.where, what, source.leave_out_columns(worst))
