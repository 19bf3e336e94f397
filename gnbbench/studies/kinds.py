"""The kinds of study: the name, the options and the class of each."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from gnbbench.data.checks import check
from gnbbench.errors import ConfigurationError, OptionError
from gnbbench.implementations.names import check_name, is_program
from gnbbench.studies.option import Options, options_of
from gnbbench.studies.options import (
    AssumptionsOptions,
    CheckOptions,
    CompareOptions,
    ConformanceOptions,
    DataSource,
    ExplainOptions,
    FileSource,
    ReproduceOptions,
    ScaleOptions,
    StreamOptions,
    SweepOptions,
    each_to_load,
    to_load,
)

if TYPE_CHECKING:
    from gnbbench.studies.study import Kind, Study


@dataclass(frozen=True)
class StudyKind:
    """A kind of study; its module is imported on first use."""

    name: str
    options: type[Options]
    class_path: str  # "module:class", of this package

    def load(self) -> "Kind":
        """Import the class of the kind and return an instance."""
        if not getattr(sys, "_is_gil_enabled", lambda: True)():
            what = "it runs without its global lock, under which alone gnbbench was tested"
            raise ConfigurationError("Python", what, "Set PYTHON_GIL=1.")
        kind: Kind = resolve_name(f"{__package__}.{self.class_path}")()
        return kind


COMPARE = StudyKind("compare", CompareOptions, "compare:Compare")
MATRIX = StudyKind("matrix", CompareOptions, "matrix:CompareMany")
STREAM = StudyKind("stream", StreamOptions, "stream:CompareStream")
SWEEP = StudyKind("sweep-split", SweepOptions, "compare:SweepSplit")
SCALE = StudyKind("scale", ScaleOptions, "scale:MeasureScaling")
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
    """Return the kind of study that options ask for, and its own options."""
    if not isinstance(options, CompareOptions):
        return next(kind for kind in STUDIES if kind.options is type(options)), options
    if options.stream:
        return STREAM, _streamed(options)
    return (MATRIX if is_several(options.data) else COMPARE), options


def run(options: Options) -> "Study":
    """Run the study that a Python call asks for."""
    kind, kind_options = kind_of(options)
    runner = kind.load()
    keywords = {n: getattr(kind_options, n) for n in ("out", "overwrite", "progress")}
    return runner.run(runner.prepare(kind_options), **keywords)


def is_several(data: Any) -> bool:
    """Return whether data are a list of datasets; a list of samples is one dataset."""
    if not isinstance(data, list | tuple) or not data:
        return False
    if all(isinstance(entry, str | Path | DataSource) for entry in data):
        return True
    dataset = import_module("gnbbench.data.dataset").Dataset
    return all(isinstance(entry, str | Path | DataSource | dataset) for entry in data)


def _streamed(options: CompareOptions) -> StreamOptions:
    """Return the options of a stream; raise at the first that does not apply."""
    if options.y is not None:
        raise OptionError("y", "a stream already has labels", "Leave y out.")
    several = options.data if is_several(options.data) else ()
    if not all(isinstance(entry, str | Path) for entry in several):
        what = "it takes paths, not several datasets"
        raise OptionError("--stream", what, "Give one command for each.")
    taken = StreamOptions.model_fields
    for name, (field, option) in options_of(CompareOptions, "python").items():
        value = getattr(options, name)
        if name not in taken and name not in {"stream", "y"} and value != field.default:
            flag = option.spelled(name)
            raise OptionError(flag, "it cannot be combined with --stream", "Leave it out.")
    # Only what was set: streams have other defaults.
    names = options.model_fields_set & set(taken)
    return StreamOptions(**{name: getattr(options, name) for name in names})


def kind_named(name: str) -> StudyKind:
    """Return the kind of study of that name."""
    return next(kind for kind in STUDIES if kind.name == name)


BLOCK_SUFFIXES = (".parquet", ".npy")  # Of files that only a stream reads


def check_names(options: Options) -> None:
    """Raise at the first unknown name or missing path."""
    if isinstance(options, StreamOptions):
        if isinstance(options.data, str | Path) or is_several(options.data):
            rows = options.block_rows
            check(options.data, stream=True, block_rows=rows, **to_load(options))
    elif isinstance(options, FileSource):
        if getattr(options, "block_rows", None) is not None:
            remedy = "Add --stream, or leave it out."
            raise OptionError("--block-rows", "only --stream reads in blocks", remedy)
        _check_data(options)
    has_program = False
    for field in ("reference", "against", "implementation", "files"):
        value = getattr(options, field, None)
        entries = list(value) if isinstance(value, list | tuple) else [value]
        has_program |= any(map(is_program, entries))
        if field != "files":
            check_name(*(e for e in entries if isinstance(e, str)), others=len(entries) > 1)
    if getattr(options, "keep", None) and not has_program:
        what = "none of the implementations is a program (command:...)"
        raise OptionError("--keep", what, "Leave it out.")


def _check_data(options: FileSource) -> None:
    several: Sequence[Any] = options.data if is_several(options.data) else [options.data]
    for entry, keywords in zip(several, each_to_load(options, several), strict=True):
        is_source = isinstance(entry, DataSource)
        data, own = (entry.data, to_load(entry)) if is_source else (entry, keywords)
        if not isinstance(data, str | Path):
            continue
        in_blocks = str(data).lower().endswith(BLOCK_SUFFIXES) and Path(data).exists()
        if isinstance(options, CompareOptions) and in_blocks:
            raise OptionError(str(data), "only --stream reads such a file", "Add --stream.")
        check(data, **own)
