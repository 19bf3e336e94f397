"""Which column of a source holds the labels, and which are features."""

from collections.abc import Sequence
from dataclasses import dataclass

from gnbbench.data.columns import features_of, target_of
from gnbbench.data.comparisons import is_comparison
from gnbbench.data.rows import CHOICES
from gnbbench.data.sources import drop_flags, listed, quoted
from gnbbench.data.tables import Table
from gnbbench.errors import DatasetError, OptionError


@dataclass(frozen=True)
class Columns:
    """What is read of a source."""

    where: str  # Path of the source, as messages show it
    features: tuple[str, ...]  # Names of the features, in the order of the source
    target: str  # What holds the labels: a name, or the path of another file
    left_out: tuple[str, ...]  # Names of the columns that are not read
    missing: str  # What becomes of a row with a missing value


def columns_of(
    table: Table, target: str | None, drop: Sequence[str], missing: str
) -> Columns:
    """Return what is read of a table, by the rules for datasets."""
    if missing not in CHOICES:
        raise OptionError("--missing", f"{missing!r} is no choice", "Give error or drop.")
    if target is not None and target.strip() not in table.names and is_comparison(target):
        what = f"{quoted(target)} is a comparison, and a stream takes a column"
        remedy = "Write what it gives into a column of the file, and give that one."
        if table.is_file:
            remedy += " Or leave out --stream."
        raise OptionError("--target", what, remedy)
    label_name = target_of(table, target)
    features = features_of(table, label_name, drop)
    left_out = tuple(name for name in table.names if name not in (*features, label_name))
    return Columns(table.where, features, label_name, left_out, missing)


def named_columns(where: str, names: Sequence[str]) -> Table:
    """Return a table without text, for the columns that a source names itself."""
    names = [name.strip() for name in names]
    for position, name in enumerate(names):
        first = names.index(name)
        if first < position:
            what = f"columns {first + 1} and {position + 1} are both called {quoted(name)}"
            raise DatasetError(where, what, "Rename one of them.")
    spelt = tuple(name or f"c{position}" for position, name in enumerate(names))
    nameless = tuple(name for name in spelt if name not in names)
    return Table(where, "", ",", header=True, names=spelt, nameless=nameless, is_file=False)


def refuse_types(where: str, types: dict[str, str]) -> None:
    """Raise if there are features that hold no numbers."""
    if not types:
        return
    names = list(types)
    leave_out = f"Leave out: {drop_flags(names)}"
    if len(names) > 1:
        what = f"columns {listed(names)} hold no numbers (the first {types[names[0]]})"
        raise DatasetError(where, what, leave_out)
    what = f"column {quoted(names[0])} holds {types[names[0]]}, not numbers"
    raise DatasetError(where, what, f"Write numbers there. Or: {leave_out}")
