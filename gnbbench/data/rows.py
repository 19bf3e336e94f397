"""Which rows are complete."""

import numpy as np
from numpy.typing import NDArray

from gnbbench.data.sources import Source, listed, quoted
from gnbbench.errors import DatasetError, OptionError

CHOICES = ("error", "drop")


def complete_rows(
    missing: NDArray[np.bool_], names: tuple[str, ...], rule: str, source: Source
) -> NDArray[np.bool_]:
    """Return which rows have no missing value, if the rule lets the others go."""
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
