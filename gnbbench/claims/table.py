"""Tables of claims: where they are, and what one says of protocols and figures."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.metadata import PackageNotFoundError, files
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

from gnbbench.claims.claim import (
    VERDICTS,
    Claim,
    Protocol,
    Published,
    Reading,
    Source,
    published,
)
from gnbbench.claims.metrics import METRICS
from gnbbench.errors import ConfigurationError, GnbBenchError
from gnbbench.implementations import implementation
from gnbbench.implementations.lookup import is_foreign
from gnbbench.studies.toml_values import (
    NUMBER,
    SWITCH,
    TABLE,
    TEXT,
    TEXTS,
    WHOLE,
    ValueKind,
    line_of,
)

CHECKOUT = Path(__file__).parents[2]
INSTALLED = "share/gnbbench/claims/"
STUDENT_PERFORMANCE = "student-performance"


def usual_directory(checkout: Path = CHECKOUT) -> Path:
    """Return the directory of the tables: of the checkout, or where pip has put them."""
    ours = checkout / "configs" / "claims"
    if ours.is_dir():
        return ours
    try:
        listed = files("gnbbench") or []
    except PackageNotFoundError:
        listed = []
    for file in listed:
        if INSTALLED in file.as_posix():
            return Path(str(file.locate())).resolve().parent
    what = "the tables of claims are not installed"
    raise ConfigurationError("--claims", what, "Give their directory: --claims DIR")


def _or_several(kind: ValueKind) -> ValueKind:
    """Return the kind of a value that may be left open, as a list of what it may be."""
    return ValueKind(
        f"{kind.words}, or a list of what it may be",
        lambda value: (
            kind.fits(value)
            or (isinstance(value, list) and len(value) > 1 and all(map(kind.fits, value)))
        ),
    )


def _choice(*names: str) -> ValueKind:
    return ValueKind(
        " or ".join(f'"{name}"' for name in names), lambda value: value in names
    )


def _list_of(kind: ValueKind, words: str) -> ValueKind:
    return ValueKind(
        words,
        lambda value: (
            isinstance(value, list) and bool(value) and all(map(kind.fits, value))
        ),
    )


_SHARE = ValueKind(
    "a share between 0 and 1", lambda value: NUMBER.fits(value) and 0.0 < value < 1.0
)
_POSITIVE = ValueKind(
    "a whole number from 2", lambda value: WHOLE.fits(value) and value > 1
)
_SEED = ValueKind("a whole number from 0", lambda value: WHOLE.fits(value) and value >= 0)

# What may be left open: a list stands for every value in it.
OPEN_KEYS: Mapping[str, ValueKind] = {
    "dataset": _or_several(TEXT),
    "stratify": _or_several(SWITCH),
    "fractions_per_run": _or_several(_choice("all", "one")),
    "subject": _or_several(_choice("mat", "por", "both")),
    "encoding": _or_several(_choice("numeric", "one-hot")),
    "earlier_grades": _or_several(SWITCH),
}
PROTOCOL_KEYS: Mapping[str, ValueKind] = {
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


Where: TypeAlias = tuple[str | int, ...]

_ID = ValueKind(
    "lower-case letters, digits and hyphens in quotes",
    lambda value: (
        isinstance(value, str)
        and value != ""
        and value.replace("-", "").isalnum()
        and value == value.lower()
    ),
)
_KEY = ValueKind(
    "letters, digits, points and hyphens in quotes",
    lambda value: (
        isinstance(value, str) and value.replace("-", "").replace(".", "").isalnum()
    ),
)
_TABLES = ValueKind(
    "several tables, as [[claim]]",
    lambda value: isinstance(value, list) and all(map(TABLE.fits, value)),
)
_OUTCOME = ValueKind(
    " or ".join(f'"{one}"' for one in VERDICTS), lambda value: value in VERDICTS
)
_DIGITS = ValueKind(
    "a whole number from 1 to 17", lambda value: WHOLE.fits(value) and 1 <= value <= 17
)

TOP_KEYS: Mapping[str, ValueKind] = {"source": TABLE, "protocol": TABLE, "claim": _TABLES}
SOURCE_KEYS: Mapping[str, ValueKind] = {
    "key": _KEY,
    "title": TEXT,
    "year": WHOLE,
    "where": TEXT,
    "note": TEXT,
}
CLAIM_KEYS: Mapping[str, ValueKind] = {
    "id": _ID,
    "protocol": TEXT,
    "metric": TEXT,
    "published": TEXT,
    "digits": _DIGITS,
    "implementation": TEXT,
    "expected": _OUTCOME,
    "contrasts": TEXTS,
    "cause": TEXT,
    "note": TEXT,
    "slow": SWITCH,
}
_NEEDED: Mapping[str, tuple[str, ...]] = {
    "top": ("source", "protocol", "claim"),
    "source": ("key", "title", "where"),
    "claim": ("id", "protocol", "metric", "published", "implementation", "expected"),
}


def read_claims(directory: Path) -> tuple[Claim, ...]:
    """Return the claims of all tables of a directory, in the order of the files' names."""
    remedy = "Give a directory of tables of claims, such as configs/claims."
    paths = sorted(directory.glob("*.toml"))
    if not paths:
        what = "it holds no *.toml" if directory.is_dir() else "it is no directory"
        raise ConfigurationError(str(directory), what, remedy)
    claims: dict[str, Claim] = {}
    for path in paths:
        try:
            text = path.read_bytes().decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(
                str(path), f"it cannot be read: {error}", remedy
            ) from error
        for claim in claims_of(text, path):
            if claim.id in claims:
                other = claims[claim.id].source.file.name
                what = f"the claim '{claim.id}' stands in {other} too"
                raise ConfigurationError(
                    str(path), what, "Give each claim an id of its own."
                )
            claims[claim.id] = claim
    return tuple(claims.values())


def claims_of(text: str, path: Path) -> tuple[Claim, ...]:
    """Return the claims of one table."""
    return _Reader(text.replace("\r\n", "\n"), path).read()


@dataclass(frozen=True)
class _Reader:
    """Reads one table; knows where its keys stand."""

    text: str
    path: Path

    def read(self) -> tuple[Claim, ...]:
        try:
            top = tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            remedy = "See configs/claims/study-a.toml."
            raise ConfigurationError(
                str(self.path), f"it is not TOML: {error}", remedy
            ) from error
        self._check(top, TOP_KEYS, (), _NEEDED["top"])
        self._check(top["source"], SOURCE_KEYS, ("source",), _NEEDED["source"])
        given = {"year": None, **top["source"]}
        source = Source(**given, file=self.path)
        protocols = {
            name: self._protocol(name, table) for name, table in top["protocol"].items()
        }
        return tuple(
            self._claim(table, ("claim", place), source, protocols)
            for place, table in enumerate(top["claim"])
        )

    def _protocol(self, name: str, table: Any) -> Protocol:
        where = ("protocol", name)
        if not isinstance(table, dict):
            raise self._error(where, f"'{name}' is no table", f"Write [protocol.{name}].")
        self._check(table, PROTOCOL_KEYS, where)
        missing = missing_key(table)
        if missing is not None:
            raise self._error(where, f"the protocol '{name}' lacks {missing}", "Add it.")
        surplus = surplus_key(table)
        if surplus is not None:
            what = f"'{surplus}' means nothing to a protocol of the kind '{table['kind']}'"
            raise self._error((*where, surplus), what, "Leave it out.")
        readings: tuple[Reading, ...] = readings_of(table)
        return Protocol(name, readings, table.get("stated", True))

    def _claim(
        self,
        table: Mapping[str, Any],
        where: Where,
        source: Source,
        protocols: Mapping[str, Protocol],
    ) -> Claim:
        self._check(table, CLAIM_KEYS, where, _NEEDED["claim"])
        given = dict(table)
        given["protocol"] = self._named(where, "protocol", table, protocols)
        metric = self._named(where, "metric", table, METRICS)
        kind = given["protocol"].kind
        if kind not in metric.kinds:
            what = f"'{table['metric']}' does not come from a protocol of the kind '{kind}'"
            known = " or ".join(f"'{one}'" for one in metric.kinds)
            raise self._error((*where, "metric"), what, f"Give one of the kind {known}.")
        given["published"] = self._published(where, table, given.pop("digits", None))
        given["contrasts"] = tuple(table.get("contrasts", ()))
        for key in ("implementation", "contrasts"):
            named = [table[key]] if key == "implementation" else given[key]
            self._check_implementations((*where, key), named)
        return Claim(source=source, **given)

    def _published(
        self, where: Where, table: Mapping[str, Any], digits: int | None
    ) -> Published:
        try:
            return published(table["published"], digits)
        except ValueError as error:
            remedy = 'Write it as "0.95", "96.7 %", "4 of 75", "> 0.77" or "1.5 ± 0.5 s".'
            raise self._error((*where, "published"), str(error), remedy) from error

    def _check_implementations(self, where: Where, named: Sequence[str]) -> None:
        for name in named:
            try:
                is_theirs = is_foreign(name)
                if not is_theirs:
                    implementation(name).make()
            except (GnbBenchError, TypeError, ValueError) as error:
                raise self._error(where, f"'{name}': {error}", "") from error
            if is_theirs:
                what = f"'{name}' is in no list of implementations"
                raise self._error(where, what, "See: gnbbench list implementations")

    def _named(
        self, where: Where, key: str, table: Mapping[str, Any], known: Mapping[str, Any]
    ) -> Any:
        if table[key] not in known:
            what = f"unknown {key} '{table[key]}'"
            raise self._error((*where, key), what, _hint(table[key], known))
        return known[table[key]]

    def _check(
        self,
        table: Mapping[str, Any],
        known: Mapping[str, ValueKind],
        where: Where,
        needed: Sequence[str] = (),
    ) -> None:
        """Raise at the first key that is unknown, has the wrong type, or is missing."""
        place = f" in [{'.'.join(str(part) for part in where if isinstance(part, str))}]"
        for key, value in table.items():
            if key not in known:
                what = f"unknown key '{key}'{place if where else ''}"
                raise self._error((*where, key), what, _hint(key, known))
            if not known[key].fits(value):
                raise self._error(
                    (*where, key), f"'{key}' does not fit", f"Give {known[key].words}."
                )
        for key in needed:
            if key not in table:
                what = f"'{key}' is missing{place if where else ''}"
                raise self._error(where, what, "Add it.")

    def _error(self, where: Where, what: str, remedy: str) -> ConfigurationError:
        line = line_of(self.text, where)
        return ConfigurationError(f"{self.path}, line {line}", what.rstrip("."), remedy)


def _hint(given: str, known: Mapping[str, Any]) -> str:
    guesses = get_close_matches(given, list(known), n=1)
    return f"Did you mean '{guesses[0]}'?" if guesses else f"There is: {', '.join(known)}."
