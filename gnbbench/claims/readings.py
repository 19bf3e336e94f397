"""What a protocol says, and each way to settle what it leaves open."""

from collections.abc import Mapping
from itertools import product
from typing import Any

from gnbbench.claims.claim import Reading
from gnbbench.studies.configuration_keys import NUMBER, SWITCH, TEXT, WHOLE, Kind

STUDENT_PERFORMANCE = "student-performance"


def _or_several(kind: Kind) -> Kind:
    """Return the kind of a value that may be left open, as a list of what it may be."""
    return Kind(
        f"{kind.words}, or a list of what it may be",
        lambda value: (
            kind.fits(value)
            or (isinstance(value, list) and len(value) > 1 and all(map(kind.fits, value)))
        ),
    )


def _choice(*names: str) -> Kind:
    return Kind(" or ".join(f'"{name}"' for name in names), lambda value: value in names)


def _list_of(kind: Kind, words: str) -> Kind:
    return Kind(
        words,
        lambda value: (
            isinstance(value, list) and bool(value) and all(map(kind.fits, value))
        ),
    )


_SHARE = Kind(
    "a share between 0 and 1", lambda value: NUMBER.fits(value) and 0.0 < value < 1.0
)
_POSITIVE = Kind("a whole number from 2", lambda value: WHOLE.fits(value) and value > 1)
_SEED = Kind("a whole number from 0", lambda value: WHOLE.fits(value) and value >= 0)

# What may be left open: a list stands for every value in it.
OPEN_KEYS: Mapping[str, Kind] = {
    "dataset": _or_several(TEXT),
    "stratify": _or_several(SWITCH),
    "fractions_per_run": _or_several(_choice("all", "one")),
    "subject": _or_several(_choice("mat", "por", "both")),
    "encoding": _or_several(_choice("numeric", "one-hot")),
    "earlier_grades": _or_several(SWITCH),
}
PROTOCOL_KEYS: Mapping[str, Kind] = {
    "kind": _choice("split", "splits", "folds", "whole", "certified", "times"),
    "stated": SWITCH,
    "test_size": _SHARE,
    "train_fractions": _list_of(_SHARE, "a list of shares between 0 and 1"),
    "random_state": _SEED,
    "runs": _POSITIVE,
    "folds": _POSITIVE,
    "classes": _list_of(WHOLE, "a list of labels that are whole numbers"),
    **OPEN_KEYS,
}
# What each kind needs besides a dataset, and what it may have.
_SPLITTING = ({"test_size", "train_fractions"}, {"random_state", "stratify"})
NEEDS: Mapping[str, tuple[set[str], set[str]]] = {
    # kind: (one of these, these as well)
    "split": _SPLITTING,
    "times": _SPLITTING,
    "splits": ({"test_size", "train_fractions"}, {"random_state", "stratify", "runs"}),
    "folds": (set(), {"folds"}),
    "whole": (set(), set()),
    "certified": (set(), set()),
}
STUDENT_KEYS = {"subject", "encoding", "earlier_grades"}


def missing_key(table: Mapping[str, Any]) -> str | None:
    """Return what a protocol lacks, in words; None where it is complete."""
    for key in ("kind", "dataset"):
        if key not in table:
            return f"'{key}'"
    one_of, all_of = NEEDS[table["kind"]]
    if one_of and len(one_of & set(table)) != 1:
        return " or else ".join(f"'{key}'" for key in sorted(one_of))
    if table["dataset"] == STUDENT_PERFORMANCE:
        all_of = all_of | STUDENT_KEYS
    return next((f"'{key}'" for key in sorted(all_of) if key not in table), None)


def surplus_key(table: Mapping[str, Any]) -> str | None:
    """Return a key that means nothing to this kind of protocol, None where all do."""
    one_of, all_of = NEEDS[table["kind"]]
    meant = {"kind", "dataset", "stated"} | one_of | all_of
    if table["kind"] != "certified":
        meant.add("classes")
    if len(table.get("train_fractions", ())) > 1 and table["kind"] == "splits":
        meant.add("fractions_per_run")
    if table["dataset"] == STUDENT_PERFORMANCE:
        meant |= STUDENT_KEYS
    return next((key for key in table if key not in meant), None)


def readings_of(table: Mapping[str, Any]) -> tuple[Reading, ...]:
    """Return every way to settle what a protocol leaves open."""
    given = {key: value for key, value in table.items() if key != "stated"}
    for key in ("train_fractions", "classes"):
        if key in given:
            given[key] = tuple(given[key])
    opened = [key for key in OPEN_KEYS if isinstance(given.get(key), list)]
    return tuple(
        Reading(**{**given, **dict(zip(opened, values, strict=True))}, open=tuple(opened))
        for values in product(*(given[key] for key in opened))
    )
