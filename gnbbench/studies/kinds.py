"""The kinds of study: what each is called, takes and is carried out by, and settling it."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from gnbbench.data.checks import check
from gnbbench.data.sources import drop_flags, shell_word
from gnbbench.errors import OptionError, PlacedError
from gnbbench.implementations.names import check_name
from gnbbench.studies.option import Options, options_of
from gnbbench.studies.options import (
    AssumptionsOptions,
    CheckOptions,
    CompareOptions,
    ConformanceOptions,
    ExplainOptions,
    FileSource,
    ReproduceOptions,
    ScaleOptions,
    Source,
    StreamOptions,
    SweepOptions,
)

if TYPE_CHECKING:
    from gnbbench.studies.study import Kind


@dataclass(frozen=True)
class StudyKind:
    """A kind of study; the module that carries it out is imported on first use."""

    name: str
    options: type[Options]
    carrier: str  # "module:class", of this package

    def load(self) -> "Kind[Any, Any]":
        """Return what carries it out."""
        kind: Kind[Any, Any] = resolve_name(f"{__package__}.{self.carrier}")()
        return kind


COMPARE = StudyKind("compare", CompareOptions, "compare:Compare")
MATRIX = StudyKind("matrix", CompareOptions, "matrix:CompareMany")
STREAM = StudyKind("stream", StreamOptions, "stream:CompareStream")
SWEEP = StudyKind("sweep-split", SweepOptions, "compare:SweepSplit")
SCALE = StudyKind("scale", ScaleOptions, "scale:Scale")
ASSUMPTIONS = StudyKind("assumptions", AssumptionsOptions, "assumptions:ExamineAssumptions")
EXPLAIN = StudyKind("explain", ExplainOptions, "explain:Explain")
CONFORMANCE = StudyKind("conformance", ConformanceOptions, "conformance:ExamineConformance")
CHECK = StudyKind("check", CheckOptions, "check:Check")
REPRODUCE = StudyKind("reproduce", ReproduceOptions, "reproduce:Reproduce")
STUDIES = (
    *(COMPARE, MATRIX, STREAM, SWEEP, SCALE),
    *(ASSUMPTIONS, EXPLAIN, CONFORMANCE, CHECK, REPRODUCE),
)


def kind_of(options: Options) -> tuple[StudyKind, Options]:
    """Return the kind of study that options ask for, and the options as it takes them."""
    if not isinstance(options, CompareOptions):
        return next(kind for kind in STUDIES if kind.options is type(options)), options
    if options.stream:
        return STREAM, _streamed(options)
    return (MATRIX if is_several(options.data) else COMPARE), options


def is_several(data: Any) -> bool:
    """Return whether data are a list of datasets; a list of samples is one dataset."""
    if not isinstance(data, list | tuple) or not data:
        return False
    if all(isinstance(entry, str | Path | Source) for entry in data):
        return True
    dataset = import_module("gnbbench.data.dataset").Dataset
    return all(isinstance(entry, str | Path | Source | dataset) for entry in data)


def _streamed(options: CompareOptions) -> StreamOptions:
    """Return the options of a stream; what does not go with it is refused by name."""
    if options.y is not None:
        raise OptionError("y", "a stream already has labels", "Leave y out.")
    if is_several(options.data):
        what = "it takes one file, not several datasets"
        raise OptionError("--stream", what, "Give one command for each.")
    taken = StreamOptions.model_fields
    for name, (field, option) in options_of(CompareOptions, "python").items():
        value = getattr(options, name)
        if name not in taken and name not in {"stream", "y"} and value != field.default:
            flag = option.spelled(name)
            raise OptionError(flag, "it cannot be combined with --stream", "Leave it out.")
    return StreamOptions(**{name: getattr(options, name) for name in taken})


def kind_named(name: str) -> StudyKind:
    """Return the kind of study of that name."""
    return next(kind for kind in STUDIES if kind.name == name)


BLOCK_SUFFIXES = (".parquet", ".npy")  # Of files that are read in blocks alone


def check_names(options: Options) -> None:
    """Raise at the first name or path that stands for nothing."""
    if isinstance(options, StreamOptions):
        if isinstance(options.data, str | Path):
            rows = options.block_rows
            check(options.data, stream=True, block_rows=rows, **_given(options))
    elif isinstance(options, FileSource):
        _check_data(options)
    for field in ("reference", "against", "implementation"):
        given = getattr(options, field, None)
        entries = list(given) if isinstance(given, list | tuple) else [given]
        check_name(*(e for e in entries if isinstance(e, str)), others=len(entries) > 1)


def _check_data(options: FileSource) -> None:
    several: Sequence[Any] = options.data if is_several(options.data) else [options.data]
    for entry in several:
        source, data = (
            (entry, entry.data) if isinstance(entry, Source) else (options, entry)
        )
        if not isinstance(data, str | Path):
            continue
        in_blocks = str(data).lower().endswith(BLOCK_SUFFIXES) and Path(data).exists()
        if isinstance(options, CompareOptions) and in_blocks:
            raise OptionError(str(data), "only --stream reads such a file", "Add --stream.")
        given = _given(source)
        check(data, seed=given.pop("data_seed", None), **given)


def _given(source: FileSource) -> dict[str, Any]:
    """Return the options to load a source by."""
    known = Source if isinstance(source, Source) else FileSource
    return {name: getattr(source, name) for name in known.model_fields if name != "data"}


FLAGS = {"header": "--no-header", "missing": "--missing drop", "one_hot": "--one-hot"}


def prepare(kind: StudyKind, options: Options, typed: Sequence[str]) -> Any:
    """Return the study settled, or raise everything that is wrong with its file.

    Each problem that an option solves is solved, to find the next one. `typed` are the
    words of the command; a file that describes a study takes no options.
    """
    try:
        return _prepared(kind, options)
    except PlacedError as error:
        is_one = isinstance(options, FileSource) and not is_several(options.data)
        if not error.fix or not is_one or typed[:1] == ["run"]:
            raise
        raise _all_problems(kind, options, error, typed) from error


def _prepared(kind: StudyKind, options: Options) -> Any:
    check_names(options)
    return kind.load().prepare(options)


def _all_problems(
    kind: StudyKind, options: Options, error: PlacedError, typed: Sequence[str]
) -> PlacedError:
    found, fixes = [error], dict[str, Any]()
    while error.fix and not set(error.fix) <= set(fixes):
        fixes |= error.fix
        options = options.model_copy(update=error.fix)
        try:
            _prepared(kind, options)
        except PlacedError as following:
            error = following
            found.append(error)
        else:
            command = f"{shlex.join(['gnbbench', *typed])} {_flags(fixes)}"
            return _one_error(options, found, f"This would run: {command}")
    return _one_error(options, found, error.remedy)


def _one_error(options: Any, found: list[PlacedError], remedy: str) -> PlacedError:
    where = str(options.data)
    texts = [
        one.what if one.where == where else f"{one.where}: {one.what}" for one in found
    ]
    if len(texts) == 1:
        remedy = f"{found[0].remedy.rstrip('.')}. {remedy}"
        return PlacedError(found[0].where, found[0].what, remedy)
    numbered = (f"({number}) {text}" for number, text in enumerate(texts, start=1))
    return PlacedError(where, f"{len(texts)} problems: {'; '.join(numbered)}", remedy)


def _flags(fixes: Mapping[str, Any]) -> str:
    """Return options as they are typed."""
    flags = [FLAGS[name] for name in FLAGS if name in fixes]
    if "target" in fixes:
        flags.insert("header" in fixes, f"--target {shell_word(fixes['target'])}")
    if "drop" in fixes:
        flags.append(drop_flags(fixes["drop"]))
    return " ".join(flags)
