"""Which column holds the labels, which are left out, which remain as features."""

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches

from gnbbench.data.comparisons import Comparison, comparison_in, is_comparison
from gnbbench.data.sources import drop_flags, listed, quoted, shell_word
from gnbbench.data.tables import Table
from gnbbench.errors import DatasetError, OptionError

LIKELY_TARGETS = (
    "target",
    "class",
    "label",
    "labels",
    "species",
    "y",
    "outcome",
    "diagnosis",
    "category",
    "type",
)


def target_of(table: Table, target: str | None) -> str:
    """Return the name of the column that holds the labels."""
    if target is None:
        likely = _likely_target(table.names)
        guess = f", such as --target {shell_word(likely)}" if likely else ""
        what = f"not given, and {table.where} does not say which column holds the labels"
        remedy = f"Give one of its columns{guess}: {listed(table.names)}"
        raise OptionError("--target", what, remedy)
    return _known(table, target)


def comparison_of(table: Table, target: str | None) -> Comparison | None:
    """Return the comparison that a target is, unless it is the name of a column."""
    if target is None or target.strip() in table.names or not is_comparison(target):
        return None
    found = comparison_in(target)
    place = f", named at character {found.place} of {quoted(target)}"
    return replace(found, column=_known(table, found.column, place))


def features_of(table: Table, target: str, drop: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the columns that remain, in the order of the file."""
    dropped = [_known(table, column) for column in drop]
    if target in dropped:
        what = f"{quoted(target)} is the target"
        raise OptionError("--drop", what, "Leave out another column, or none.")
    features = tuple(name for name in table.names if name != target and name not in dropped)
    nameless = [name for name in features if name in table.nameless]
    if nameless:
        what = (
            f"column {table.names.index(nameless[0]) + 1} has no name; it may be an index"
        )
        remedy = f"Name it in the first line, or leave it out: {drop_flags(nameless)}"
        raise DatasetError(table.where, what, remedy)
    if not features:
        what = f"no column is left beside the target {quoted(target)}"
        cut = f", or another --sep than {quoted(table.separator)}" if table.is_file else ""
        remedy = f"Give fewer --drop{cut}."
        raise DatasetError(table.where, what, remedy)
    return features


def _known(table: Table, column: str, place: str = "") -> str:
    name = column.strip()
    if name in table.names:
        return name
    if len(table.names) == 1 and table.is_file:
        only = quoted(table.names[0])
        what = f"cut at {quoted(table.separator)} it has one column only, {only}"
        raise DatasetError(table.where, what, "Give another --sep.")
    close = get_close_matches(name, table.names, n=1, cutoff=0.5)
    folded = [known for known in table.names if known.casefold() == name.casefold()]
    guess = f"Did you mean {quoted((folded or close)[0])}? " if folded or close else ""
    what = f"it has no column {quoted(column)}{place}"
    raise DatasetError(table.where, what, f"{guess}Its columns: {listed(table.names)}")


def _likely_target(names: Sequence[str]) -> str | None:
    """Return the column that is called as labels often are."""
    folded = {name.casefold(): name for name in reversed(names)}
    return next((folded[word] for word in LIKELY_TARGETS if word in folded), None)
