"""Tables of claims: where they are, and what one says of protocols and figures."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.metadata import PackageNotFoundError, files
from itertools import product
from pathlib import Path
from typing import Annotated, Any, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from gnbbench.claims.claim import (
    VERDICTS,
    Claim,
    Kind,
    Protocol,
    Published,
    Reading,
    Source,
    published,
)
from gnbbench.claims.metrics import METRICS
from gnbbench.errors import ConfigurationError, GnbBenchError
from gnbbench.files import text_of
from gnbbench.implementations import implementation
from gnbbench.implementations.lookup import is_foreign
from gnbbench.studies.configuration import line_of

CHECKOUT = Path(__file__).parents[2]
INSTALLED = "share/gnbbench/claims/"
STUDENT_PERFORMANCE = "student-performance"

Where: TypeAlias = tuple[str | int, ...]


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
    what = "no claim tables are installed"
    raise ConfigurationError("--claims", what, "Give their directory: --claims DIR")


def _model(name: str, **keys: tuple[Any, str, bool]) -> type[BaseModel]:
    """Return what a table may hold: type, the same in words, and whether it must."""
    fields: dict[str, Any] = {
        key: (kind, Field(default=... if is_needed else None, description=words))
        for key, (kind, words, is_needed) in keys.items()
    }
    return create_model(name, __config__=ConfigDict(extra="forbid", strict=True), **fields)


def _several(kind: Any, fewest: int = 1) -> Any:
    return Annotated[list[kind], Field(min_length=fewest)]


def _choice(names: Sequence[str]) -> tuple[Any, str]:
    pattern = f"^({'|'.join(names)})$"
    words = " or ".join(f'"{name}"' for name in names)
    return Annotated[str, Field(pattern=pattern)], words


_SHARE = Annotated[float, Field(gt=0.0, lt=1.0)]
_POSITIVE = Annotated[int, Field(gt=1)], "a whole number from 2", False
_TEXT, _SWITCH = (str, "text in quotes"), (bool, "true or false")

TOP = _model(
    "top",
    source=(dict[str, Any], "a table", True),
    protocol=(dict[str, Any], "a table", True),
    claim=(list[dict[str, Any]], "several tables, as [[claim]]", True),
)
SOURCE = _model(
    "source",
    key=(
        Annotated[str, Field(pattern=r"^[.-]*([\p{L}\p{N}][.-]*)+$")],
        "letters, digits, points and hyphens in quotes",
        True,
    ),
    title=(*_TEXT, True),
    year=(int, "a whole number", False),
    where=(*_TEXT, True),
    note=(*_TEXT, False),
)
# What may be left open: a list stands for every value in it.
_OPEN = {
    "dataset": _TEXT,
    "stratify": _SWITCH,
    "fractions_per_run": _choice(("all", "one")),
    "subject": _choice(("mat", "por", "both")),
    "encoding": _choice(("numeric", "one-hot")),
    "earlier_grades": _SWITCH,
}
PROTOCOL = _model(
    "protocol",
    kind=(*_choice(get_args(Kind)), False),
    stated=(*_SWITCH, False),
    test_size=(_SHARE, "a share between 0 and 1", False),
    train_fractions=(_several(_SHARE), "a list of shares between 0 and 1", False),
    random_state=(Annotated[int, Field(ge=0)], "a whole number from 0", False),
    runs=_POSITIVE,
    folds=_POSITIVE,
    classes=(_several(int), "a list of labels that are whole numbers", False),
    **{
        key: (kind | _several(kind, 2), f"{words}, or a list of what it may be", False)
        for key, (kind, words) in _OPEN.items()
    },
)
CLAIM = _model(
    "claim",
    id=(
        Annotated[str, Field(pattern=r"^-*([\p{Ll}\p{N}]-*)+$")],
        "lower-case letters, digits and hyphens in quotes",
        True,
    ),
    protocol=(*_TEXT, True),
    metric=(*_TEXT, True),
    published=(*_TEXT, True),
    digits=(Annotated[int, Field(ge=1, le=17)], "a whole number from 1 to 17", False),
    implementation=(*_TEXT, True),
    expected=(*_choice(VERDICTS), True),
    contrasts=(list[str], 'a list of text, such as ["a", "b"]', False),
    cause=(*_TEXT, False),
    note=(*_TEXT, False),
    slow=(*_SWITCH, False),
)


# What each kind of protocol needs besides a dataset: one of these, and these as well.
_SIZES = {"test_size", "train_fractions"}
_SPLITTING = (_SIZES, {"random_state", "stratify"})
NEEDS: Mapping[str, tuple[set[str], set[str]]] = {
    "split": _SPLITTING,
    "times": _SPLITTING,
    "splits": (_SIZES, {"random_state", "stratify", "runs"}),
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
    kind = table["kind"]
    meant = {"kind", "dataset", "stated"}.union(*NEEDS[kind])
    if kind != "certified":
        meant.add("classes")
    if len(table.get("train_fractions", ())) > 1 and kind == "splits":
        meant.add("fractions_per_run")
    if table["dataset"] == STUDENT_PERFORMANCE:
        meant |= STUDENT_KEYS
    return next((key for key in table if key not in meant), None)


def readings_of(table: Mapping[str, Any]) -> tuple[Reading, ...]:
    """Return every way to settle what a protocol leaves open."""
    given = {key: value for key, value in table.items() if key != "stated"}
    for key in {"train_fractions", "classes"} & set(given):
        given[key] = tuple(given[key])
    opened = [key for key in _OPEN if isinstance(given.get(key), list)]
    return tuple(
        Reading(**{**given, **dict(zip(opened, values, strict=True))}, open=tuple(opened))
        for values in product(*(given[key] for key in opened))
    )


def read_claims(directory: Path) -> tuple[Claim, ...]:
    """Return the claims of all tables of a directory, in the order of the files' names."""
    remedy = "Give a directory of claim tables, such as configs/claims."
    paths = sorted(directory.glob("*.toml"))
    if not paths:
        what = "it holds no *.toml" if directory.is_dir() else "it is not a directory"
        raise ConfigurationError(str(directory), what, remedy)
    claims: dict[str, Claim] = {}
    for path in paths:
        for claim in claims_of(text_of(path, ConfigurationError, remedy), path):
            if claim.id in claims:
                other = claims[claim.id].source.file.name
                what = f"the claim '{claim.id}' is in {other} too"
                own = "Give each claim an id of its own."
                raise ConfigurationError(str(path), what, own)
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
            what, remedy = (
                f"it is not valid TOML: {error}",
                "See configs/claims/study-a.toml.",
            )
            raise ConfigurationError(str(self.path), what, remedy) from error
        self._check(top, TOP, ())
        self._check(top["source"], SOURCE, ("source",))
        source = Source(**{"year": None, **top["source"]}, file=self.path)
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
            raise self._error(
                where, f"'{name}' is not a table", f"Write [protocol.{name}]."
            )
        self._check(table, PROTOCOL, where)
        missing = missing_key(table)
        if missing is not None:
            raise self._error(where, f"the protocol '{name}' lacks {missing}", "Add it.")
        surplus = surplus_key(table)
        if surplus is not None:
            what = f"'{surplus}' does not apply to a protocol of kind '{table['kind']}'"
            raise self._error((*where, surplus), what, "Leave it out.")
        return Protocol(name, readings_of(table), table.get("stated", True))

    def _claim(
        self,
        table: Mapping[str, Any],
        where: Where,
        source: Source,
        protocols: Mapping[str, Protocol],
    ) -> Claim:
        self._check(table, CLAIM, where)
        for key, known in (("protocol", protocols), ("metric", METRICS)):
            if table[key] not in known:
                what = f"unknown {key} '{table[key]}'"
                raise self._error((*where, key), what, _hint(table[key], known))
        protocol, kinds = protocols[table["protocol"]], METRICS[table["metric"]].kinds
        if protocol.kind not in kinds:
            kind = f"'{protocol.kind}'"
            what = f"'{table['metric']}' does not belong to a protocol of kind {kind}"
            remedy = f"Give a protocol of kind {' or '.join(map(repr, kinds))}."
            raise self._error((*where, "metric"), what, remedy)
        figure = self._published(where, table)
        contrasts = tuple(table.get("contrasts", ()))
        for key, names in (
            ("implementation", [table["implementation"]]),
            ("contrasts", contrasts),
        ):
            for name in names:
                self._check_implementation((*where, key), name)
        given = {key: value for key, value in table.items() if key != "digits"}
        read = {"protocol": protocol, "published": figure, "contrasts": contrasts}
        return Claim(source=source, **{**given, **read})

    def _published(self, where: Where, table: Mapping[str, Any]) -> Published:
        try:
            return published(table["published"], table.get("digits"))
        except ValueError as error:
            remedy = 'Write it as "0.95", "96.7 %", "4 of 75", "> 0.77" or "1.5 ± 0.5 s".'
            raise self._error((*where, "published"), str(error), remedy) from error

    def _check_implementation(self, where: Where, name: str) -> None:
        try:
            is_theirs = is_foreign(name)
            if not is_theirs:
                implementation(name).make()
        except (GnbBenchError, TypeError, ValueError) as error:
            raise self._error(where, f"'{name}': {error}", "") from error
        if is_theirs:
            what = f"'{name}' is not a known implementation"
            raise self._error(where, what, "See: gnbbench list implementations")

    def _check(
        self, table: Mapping[str, Any], model: type[BaseModel], where: Where
    ) -> None:
        """Raise at the first key that is unknown, has the wrong type, or is missing."""
        try:
            model.model_validate(table)
        except ValidationError as error:
            faults = {str(one["loc"][0]): one["type"] for one in error.errors()}
        else:
            return
        key = next((key for key in table if key in faults), next(iter(faults)))
        place = f" in [{'.'.join(str(part) for part in where if isinstance(part, str))}]"
        place = place if where else ""
        if faults[key] == "missing":
            raise self._error(where, f"'{key}' is missing{place}", "Add it.")
        if faults[key] == "extra_forbidden":
            what = f"unknown key '{key}'{place}"
            raise self._error((*where, key), what, _hint(key, model.model_fields))
        words = model.model_fields[key].description
        raise self._error((*where, key), f"'{key}' has a wrong value", f"Give {words}.")

    def _error(self, where: Where, what: str, remedy: str) -> ConfigurationError:
        line = line_of(self.text, where)
        return ConfigurationError(f"{self.path}, line {line}", what.rstrip("."), remedy)


def _hint(given: str, known: Mapping[str, Any]) -> str:
    guesses = get_close_matches(given, list(known), n=1)
    return f"Did you mean '{guesses[0]}'?" if guesses else f"Known: {', '.join(known)}."
