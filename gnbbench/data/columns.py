"""Which column holds the labels, which are left out and which are features."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from gnbbench.data.comparisons import ColumnComparison, comparison_in, is_comparison
from gnbbench.data.separated import Header
from gnbbench.data.sources import drop_flags, listed, quoted, shell_word
from gnbbench.errors import DatasetError, OptionError

MISSING_RULES = ("error", "drop")
LIKELY_TARGETS = (
    *("target", "class", "label", "labels", "species"),
    *("y", "outcome", "diagnosis", "category", "type"),
)


@dataclass(frozen=True)
class Columns:
    """The columns that are read of a source."""

    where: str  # Path of the source, as messages show it
    features: tuple[str, ...]  # Names of the features, in the order of the source
    target: str  # Name of the column of labels, or path of another file with them
    left_out: tuple[str, ...]  # Columns left out on request
    missing: str  # Rule for rows with missing values
    comparison: ColumnComparison | None = None  # Turns the target's column into labels
    texts: tuple[str, ...] = ()  # Text features, to be encoded
    # Text feature -> its categories, each of which becomes a column of 0 and 1
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns that the features become."""
        named = ([f"{n}={v}" for v in self.levels.get(n, ())] or [n] for n in self.features)
        return tuple(name for names in named for name in names)


def columns_of(
    header: Header,
    target: str | None,
    drop: Sequence[str],
    missing: str,
    aside: Sequence[str] = (),
) -> Columns:
    """Return the columns to read; those `aside` are no features, but may be the target."""
    refuse_rule(missing)
    comparison = _comparison_of(header, target)
    label_name = comparison.column if comparison else _target_of(header, target)
    aside = [name for name in aside if name != label_name]
    features = _features_of(header, label_name, (*drop, *aside))
    kept = {*features, label_name, *aside}
    left_out = [name for name in header.names if name not in kept]
    return Columns(header.where, features, label_name, tuple(left_out), missing, comparison)


def refuse_rule(missing: str) -> None:
    """Raise if there is no such rule for missing values."""
    if missing not in MISSING_RULES:
        raise OptionError("--missing", f"{missing!r} is unknown", "Give error or drop.")


def refuse_types(where: str, types: dict[str, str]) -> None:
    """Raise if some features are not numeric."""
    if not types:
        return
    names = list(types)
    leave_out = f"Leave out: {drop_flags(names)}"
    if set(types.values()) == {"text"}:
        leave_out = f"Encode text with --one-hot; or leave out: {drop_flags(names)}"
    if len(names) > 1:
        what = (
            f"columns {listed(names)} are not numeric (the first holds {types[names[0]]})"
        )
        raise DatasetError(where, what, leave_out)
    what = f"column {quoted(names[0])} holds {types[names[0]]}, not numbers"
    raise DatasetError(where, what, f"Write numbers there. Or: {leave_out}")


def _target_of(header: Header, target: str | None) -> str:
    """Return the name of the column that holds the labels."""
    if target is None:
        folded = {name.casefold(): name for name in reversed(header.names)}
        likely = next((folded[word] for word in LIKELY_TARGETS if word in folded), None)
        guess = f", such as --target {shell_word(likely)}" if likely else ""
        what = f"not given, and {header.where} does not say which column holds the labels"
        remedy = f"Give one of its columns{guess}: {listed(header.names)}"
        fix = {"target": likely or header.names[-1]} if len(header.names) > 1 else {}
        raise OptionError("--target", what, remedy, **fix)
    return _known(header, target)


def _comparison_of(header: Header, target: str | None) -> ColumnComparison | None:
    """Return the comparison that a target writes, None if it is the name of a column."""
    if target is None or target.strip() in header.names or not is_comparison(target):
        return None
    comparison = comparison_in(target)
    place = f", named in {quoted(target)}"
    return replace(comparison, column=_known(header, comparison.column, place))


def _features_of(header: Header, target: str, drop: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the remaining columns, in the order of the file."""
    dropped = {_known(header, column) for column in drop}
    if target in dropped:
        what = f"{quoted(target)} is the target"
        raise OptionError("--drop", what, "Leave out another column, or none.")
    features = tuple(n for n in header.names if n != target and n not in dropped)
    nameless = [name for name in features if name in header.nameless]
    if nameless:
        position = header.names.index(nameless[0]) + 1
        what = f"column {position} has no name; it may be an index"
        remedy = f"Name it in the first line, or leave it out: {drop_flags(nameless)}"
        raise DatasetError(header.where, what, remedy, drop=(*drop, *nameless))
    if not features:
        what = f"no column is left besides the target {quoted(target)}"
        cut = f", or another --sep than {quoted(header.separator)}"
        remedy = f"Give fewer --drop{cut if header.is_file else ''}."
        raise DatasetError(header.where, what, remedy)
    return features


def _known(header: Header, column: str, place: str = "") -> str:
    """Return the column as the table spells it; raise with a list of columns if unknown."""
    name = column.strip()
    if name in header.names:
        return name
    if len(header.names) == 1 and header.is_file:
        only = quoted(header.names[0])
        what = f"split at {quoted(header.separator)} it has only one column, {only}"
        raise DatasetError(header.where, what, "Give another --sep.")
    close = get_close_matches(name, header.names, n=1, cutoff=0.5)
    folded = [known for known in header.names if known.casefold() == name.casefold()]
    guess = f"Did you mean {quoted((folded or close)[0])}? " if folded or close else ""
    what = f"it has no column {quoted(column)}{place}"
    raise DatasetError(header.where, what, f"{guess}Its columns: {listed(header.names)}")
