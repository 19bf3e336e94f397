"""Claim tables: where they are, and how to read protocols and figures from them."""

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, fields
from importlib.metadata import PackageNotFoundError, files
from itertools import product
from pathlib import Path
from typing import Annotated, Any, TypeAlias, get_type_hints

from pydantic import BaseModel, Field, create_model

from gnbbench.claims.claim import (
    Claim,
    Kind,
    Protocol,
    Publication,
    Published,
    Reading,
    described,
    published,
)
from gnbbench.claims.protocols import METRICS, STUDENT_PERFORMANCE
from gnbbench.errors import ConfigurationError, GnbBenchError
from gnbbench.files import text_of
from gnbbench.implementations import implementation
from gnbbench.implementations.lookup import is_foreign
from gnbbench.toml_tables import STRICT, Key, TableReader, hint, line_of

CHECKOUT = Path(__file__).parents[2]
INSTALLED = "share/gnbbench/claims/"

TABLE: TypeAlias = dict[str, Any]


def usual_directory(checkout: Path = CHECKOUT) -> Path:
    """Return the directory of claim tables: in the checkout, or as pip installed it."""
    ours = checkout / "configs" / "claims"
    if ours.is_dir():
        return ours
    try:
        listed = files("gnbbench") or []
    except PackageNotFoundError:
        listed = []
    for file in listed:
        if INSTALLED in file.as_posix() and file.as_posix().endswith(".toml"):
            return Path(str(file.locate())).resolve().parent
    what = "no claim tables are installed"
    raise ConfigurationError("--claims", what, "Give their directory: --claims DIR")


# Settings that may be left open: a list means each of its values.
OPEN = {
    *("dataset", "stratify", "fractions_per_run", "shuffle"),
    *("subject", "encoding", "earlier_grades"),
}


def _model(of: type, without: str = "", **instead: Any) -> type[BaseModel]:
    """Return a model of a table: the fields of a dataclass, except for some."""
    hints, keys = get_type_hints(of, include_extras=True), dict[str, Any]()
    for field in fields(of):
        if field.name in without.split():
            continue
        hint: Any = hints[field.name]
        if field.name in OPEN:
            hint = hint | Annotated[tuple[hint, ...], Field(min_length=2)]
        keys[field.name] = (hint, None if field.default is not MISSING else ...)
    return create_model(of.__name__, __config__=STRICT, **{**keys, **instead})


_CLAIMS: Any = Annotated[tuple[TABLE, ...], described("several tables, as [[claim]]")]
TOP = create_model(
    "top",
    __config__=STRICT,
    source=(TABLE, ...),
    protocol=(TABLE, ...),
    claim=(_CLAIMS, ...),
)
SOURCE = _model(Publication, "file", year=(int, None))
PROTOCOL = _model(
    Reading,
    "open directory",
    kind=(Kind, None),
    dataset=(str | tuple[str, ...], None),
    stated=(bool, None),
    target=(str, None),
)
CLAIM = _model(
    Claim,
    "source",
    protocol=(str, ...),
    published=(str, ...),
    digits=(Annotated[int, described("a whole number from 1 to 17", ge=1, le=17)], None),
)

# Keys of each kind of protocol besides the dataset; a question mark makes one optional, and
# exactly one of those with a bar between them is required.
_SIZE = "test_size|train_fractions random_state stratify"
_FOLDS = "folds shuffle? random_state?"
HAS: Mapping[Kind, str] = {
    "split": _SIZE,
    "times": _SIZE,
    "splits": f"{_SIZE} runs",
    "seeds": f"{_SIZE} runs",
    "folds": _FOLDS,
    "kfold": _FOLDS,
    "rows": "train test?",
    "whole": "",
    "certified": "",
}
STUDENTS_HAVE = " subject encoding earlier_grades"


def _keys_of(table: TABLE) -> list[str]:
    """Return the keys of a protocol, in the notation of `HAS`."""
    kind, names = table["kind"], table["dataset"]
    text = f"{HAS[kind]} stated?"
    if kind == "splits" and len(table.get("train_fractions", ())) > 1:
        text += " fractions_per_run?"
    if kind != "certified":
        text += " classes? drop?"
        # Both sides are given by rows, so no row may be left out.
        of_file = " target" if kind == "rows" else " target missing?"
        text += of_file if "." in "".join(names) else ""
    text += STUDENTS_HAVE if names == STUDENT_PERFORMANCE else ""
    return text.split()


def misfit(table: TABLE) -> tuple[str, str]:
    """Return the missing keys of a protocol, in words, and one that does not apply."""
    bare = [f"'{key}'" for key in ("kind", "dataset") if key not in table]
    if bare:
        return bare[0], ""
    wanted = [keys.removesuffix("?").split("|") for keys in _keys_of(table)]
    needed = [keys.split("|") for keys in _keys_of(table) if not keys.endswith("?")]
    lacking = [keys for keys in needed if len(set(keys) & set(table)) != 1]
    surplus = [key for key in table if key not in {"kind", "dataset"}.union(*wanted)]
    missing = " or else ".join(f"'{key}'" for key in (lacking or [[]])[0])
    return missing, (surplus or [""])[0]


def readings_of(table: TABLE, directory: Path = Path()) -> tuple[Reading, ...]:
    """Return one reading for each combination of the settings left open."""
    settings = {key: value for key, value in table.items() if key != "stated"}
    opened = tuple(k for k in settings if k in OPEN and isinstance(settings[k], tuple))
    return tuple(
        Reading(
            **{**settings, **dict(zip(opened, values, strict=True))},
            open=opened,
            directory=directory,
        )
        for values in product(*(settings[key] for key in opened))
    )


def read_claims(directory: Path) -> tuple[Claim, ...]:
    """Read the claims from all tables in a directory, in the order of file names."""
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
    """Parse the claims of one table."""
    return _Reader(text, str(path)).read()


class _Reader(TableReader):
    """Reads one table of claims."""

    example = "configs/claims/study-a.toml"

    def read(self) -> tuple[Claim, ...]:
        top = self.loaded()
        self.check(top, TOP, ())
        self.check(top["source"], SOURCE, ("source",))
        source = Publication(**{"year": None, **top["source"]}, file=Path(self.name))
        protocols = {n: self._protocol(n, table) for n, table in top["protocol"].items()}
        return tuple(
            self._claim(table, ("claim", place), source, protocols)
            for place, table in enumerate(top["claim"])
        )

    def _protocol(self, name: str, table: Any) -> Protocol:
        where = ("protocol", name)
        if not isinstance(table, dict):
            raise self.error(where, f"'{name}' is not a table", f"Write [protocol.{name}].")
        self.check(table, PROTOCOL, where)
        missing, surplus = misfit(table)
        if missing:
            raise self.error(where, f"the protocol '{name}' lacks {missing}", "Add it.")
        if surplus:
            what = f"'{surplus}' does not apply to a protocol of kind '{table['kind']}'"
            raise self.error((*where, surplus), what, "Leave it out.")
        readings = readings_of(table, Path(self.name).parent)
        return Protocol(name, readings, table.get("stated", True))

    def _claim(
        self,
        table: Mapping[str, Any],
        where: Key,
        source: Publication,
        protocols: Mapping[str, Protocol],
    ) -> Claim:
        self.check(table, CLAIM, where)
        for key, known in (("protocol", protocols), ("metric", METRICS)):
            if table[key] not in known:
                what = f"unknown {key} '{table[key]}'"
                raise self.error((*where, key), what, hint(table[key], known))
        protocol, kinds = protocols[table["protocol"]], METRICS[table["metric"]].kinds
        if protocol.kind not in kinds:
            kind = f"'{protocol.kind}'"
            what = f"'{table['metric']}' does not belong to a protocol of kind {kind}"
            remedy = f"Give a protocol of kind {' or '.join(map(repr, kinds))}."
            raise self.error((*where, "metric"), what, remedy)
        figure = self._published(where, table)
        if figure.rows and protocol.kind == "splits":
            what = "a table of numbers cannot be compared if the seeds are unknown"
            raise self.error((*where, "published"), what, "Give one number.")
        needed = METRICS[table["metric"]].needs_samples
        if needed != bool({"samples", "test_rows"} & set(table)):
            what = f"'{table['metric']}' {'needs' if needed else 'does not take'} samples"
            remedy = "Give samples or test_rows." if needed else "Leave them out."
            raise self.error((*where, "metric"), what, remedy)
        for key in ("implementation", "contrasts"):
            names = table.get(key, ())
            for name in (names,) if isinstance(names, str) else names:
                self._check_implementation((*where, key), name)
        read = {"protocol": protocol, "published": figure}
        settings = {key: value for key, value in table.items() if key != "digits"}
        return Claim(source=source, **{**settings, **read})

    def _published(self, where: Key, table: Mapping[str, Any]) -> Published:
        try:
            return published(table["published"], table.get("digits"))
        except ValueError as error:
            remedy = (
                'Write it as "0.95", "96.7 %", "4 of 75", "> 0.77", "1.5 ± 0.5 s" or '
                '"[[50 0] [3 47]]".'
            )
            raise self.error((*where, "published"), str(error), remedy) from error

    def _check_implementation(self, where: Key, name: str) -> None:
        try:
            is_theirs = is_foreign(name)
            if not is_theirs:
                implementation(name).make()
        except (GnbBenchError, TypeError, ValueError) as error:
            raise self.error(where, f"'{name}': {error}", "") from error
        if is_theirs:
            what = f"'{name}' is not a known implementation"
            raise self.error(where, what, "See: gnbbench list implementations")


def place_of(claim: Claim, key: str) -> str:
    """Return the file and line of a key of a claim or of its protocol."""
    path = claim.source.file
    text = path.read_text(encoding="utf-8-sig")
    top = tomllib.loads(text)
    place = [entry["id"] for entry in top["claim"]].index(claim.id)
    of_claim = key in top["claim"][place]
    where: Key = ("claim", place) if of_claim else ("protocol", claim.protocol.name)
    return f"{path}, line {line_of(text, (*where, key))}"
