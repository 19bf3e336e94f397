"""What may stand in a configuration: keys, and the type of each value."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from gnbbench.studies.plan import ComparePlan, Plan, StreamPlan, SweepPlan
from gnbbench.studies.timing_options import TIMING_OPTIONS

STUDIES: Mapping[str, type[Plan]] = {
    plan.study: plan for plan in (ComparePlan, SweepPlan, StreamPlan)
}

# What the dataset and the implementations say of themselves is no option.
_GIVEN = ("dataset", "sha256", "dataset_options", "specifications", "digests")


@dataclass(frozen=True)
class Kind:
    """A type of value, in words and as a test."""

    words: str
    fits: Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return _is_whole(value) or isinstance(value, float)


def _list_of(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(fits, value))


TABLE = Kind("a table", lambda value: isinstance(value, dict))
TEXT = Kind("text in quotes", _is_text)
WHOLE = Kind("a whole number", _is_whole)
NUMBER = Kind("a number", _is_number)
SWITCH = Kind("true or false", lambda value: isinstance(value, bool))
TEXTS = Kind('a list of text, such as ["a", "b"]', _list_of(_is_text))
NUMBERS = Kind("a list of numbers, such as [0.1, 0.5]", _list_of(_is_number))

TABLES = Kind(
    "a table, or several as [[dataset]]",
    lambda value: TABLE.fits(value) or _list_of(TABLE.fits)(value),
)

TOP_KEYS: Mapping[str, Kind] = {"study": TEXT, "dataset": TABLES, "options": TABLE}
# Keys of a table [dataset]: what `gnbbench.data.loading.load` takes.
DATASET_KEYS: Mapping[str, Kind] = {
    "name": TEXT,
    "path": TEXT,
    "target": TEXT,
    "separator": TEXT,
    "header": SWITCH,
    "drop": TEXTS,
    "missing": TEXT,
    "one_hot": SWITCH,
    "n_samples": WHOLE,
    "n_features": WHOLE,
    "n_classes": WHOLE,
    "seed": WHOLE,
    "offset": NUMBER,
}
# Keys of the table [options]: the fields of plans, those of `TIMED`, `SEVERAL_KEYS`.
OPTION_KEYS: Mapping[str, Kind] = {
    "reference": TEXT,
    "against": TEXTS,
    "runs": WHOLE,
    "test_size": NUMBER,
    "train_fractions": NUMBERS,
    "stratify": SWITCH,
    "seed": WHOLE,
    "margin": NUMBER,
    "spot_checks": WHOLE,
    "features": TEXTS,
    "optional": TEXTS,
    "block_rows": WHOLE,
    "budget_seconds": NUMBER,
    "precision": NUMBER,
    "processes": WHOLE,
    "regime": TEXT,
    "threads": WHOLE,
}
# Options that go with several datasets alone.
SEVERAL_KEYS = ("optional",)
# Kind of study -> options of its timing, which are no part of the plan.
TIMED: Mapping[str, tuple[str, ...]] = {ComparePlan.study: TIMING_OPTIONS}


def option_names(study: str) -> tuple[str, ...]:
    """Return the keys that the table [options] of a kind of study may have."""
    return (*plan_option_names(study), *TIMED.get(study, ()))


def plan_option_names(study: str) -> tuple[str, ...]:
    """Return the keys that are fields of the plan of a kind of study."""
    known = (field.name for field in fields(STUDIES[study]))
    given = (*_GIVEN, *STUDIES[study].fixed)
    return tuple(name for name in known if name not in given)
