"""Names, paths, options and headers, checked before anything heavy is loaded.

Imports neither NumPy nor pandas, so that mistakes are reported at once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, cast

from gnbbench.data import catalogue
from gnbbench.data.columns import ColumnRequest, columns_of, refuse_rule
from gnbbench.data.parts import headers_of, kind_of_directory, parts_of
from gnbbench.data.separated import NPY, PARQUET, header_of_file, refuse_endless, unreadable
from gnbbench.data.sources import one_line
from gnbbench.errors import DatasetError, OptionError, UnknownNameError

LONGEST_NAME = 80
NETWORK_OPTIONS = ("target", "drop", "missing", "one_hot")
FILE_OPTIONS = tuple(field.name for field in fields(ColumnRequest))
FLAGS = {
    **{option: f"--{option.replace('_', '-')}" for option in FILE_OPTIONS},
    "separator": "--sep",
}


def check(
    source: str | Path | Sequence[str | Path],
    *,
    stream: bool = False,
    block_rows: int | None = None,
    offline: bool = False,
    **options: Any,
) -> None:
    """Raise what `load` or `open_stream` would raise for names, options and the header."""
    del offline  # Affects where data come from, not whether the request is valid
    wanted: Any = source
    applicable: Mapping[str, Any] = options
    if not stream:
        wanted, applicable = request_of(cast("str | Path", source), options)
    if isinstance(wanted, catalogue.CatalogueEntry):
        return
    request = ColumnRequest(**applicable)
    refuse_rule(request.missing)
    refuse_block_rows(block_rows)
    how: Any = {"separator": request.separator, "header": request.header}
    if stream:
        paths = paths_of(wanted)
        _refuse_names(paths)
        if kind_of_files(paths, **how) != "text":
            return
        parts = parts_of(paths, "text")
        cut = headers_of(parts, **how)[0]
        cut = replace(cut, names=(*dict.fromkeys((*cut.names, *parts[0].keys)),))
    elif isinstance(wanted, str):
        catalogue.refuse_impossible(wanted)
        return
    else:
        cut = header_of_file(wanted, **how)
    columns_of(cut, request.with_text())


def request_of(
    source: str | Path, options: Mapping[str, Any]
) -> tuple[catalogue.CatalogueEntry | str | Path, dict[str, Any]]:
    """Return the requested entry, repository name or path, and the options that are set.

    Raise if an option does not apply to the source.
    """
    chosen = {name: value for name, value in options.items() if _is_given(name, value)}
    entry = catalogue.find(source) if isinstance(source, str) else None
    if entry is not None:
        _refuse_others(chosen, (), f"the dataset '{entry.name}'")
        return entry, catalogue.drawn_with(entry, str(source))
    if isinstance(source, str) and catalogue.is_of_repository(source):
        _refuse_others(chosen, NETWORK_OPTIONS, "a dataset from openml: or uci:")
        return source, chosen
    path = _path_of(source)
    _refuse_others(chosen, FILE_OPTIONS, "a file")
    return path, chosen


def _is_given(option: str, value: Any) -> bool:
    """Return whether an option differs from its default."""
    if option in {"drop", "one_hot"}:
        return bool(value)
    return value is not None and (option, value) != ("missing", "error")


def _path_of(source: str | Path) -> Path:
    """Return the path; raise if it is more likely a mistyped name."""
    looks_like_path = isinstance(source, Path) or "/" in source or "\\" in source
    path, name = Path(source), str(source).partition("?")[0]
    if not looks_like_path and not Path(name).suffix and not (source and _exists(path)):
        raise UnknownNameError("dataset", name[:LONGEST_NAME], catalogue.names())
    return path


def _exists(path: Path) -> bool:
    """Return whether a path exists; impossible paths do not."""
    try:
        return path.exists()
    except OSError:
        return False


def _refuse_others(options: Mapping[str, Any], allowed: Sequence[str], source: str) -> None:
    """Raise at the first option that does not apply."""
    for option in options:
        if option not in allowed:
            flags = ", ".join(FLAGS[known] for known in allowed)
            remedy = f"Leave it out{flags and f'; {source} takes {flags}'}."
            flag = "--no-header" if options[option] is False else FLAGS[option]
            raise OptionError(flag, f"it does not apply to {source}", remedy)


def _refuse_names(paths: Sequence[Path]) -> None:
    """Raise if a stream is to read a dataset by its name."""
    for text in (str(path) for path in paths if not _exists(path)):
        if catalogue.find(text) or catalogue.is_of_repository(text):
            what = f"it reads files, and {one_line(text)} is the name of a dataset"
            raise OptionError("--stream", what, "Leave it out.")


def refuse_block_rows(block_rows: int | None) -> None:
    """Raise if batches would have no rows."""
    if block_rows is not None and block_rows < 1:
        what = f"{block_rows} is less than 1"
        raise OptionError("--block-rows", what, "Give a whole number from 1.")


def paths_of(source: str | Path | Sequence[str | Path]) -> list[Path]:
    """Return the paths of one stream."""
    return [Path(path) for path in ([source] if isinstance(source, str | Path) else source)]


def kind_of_files(
    paths: Sequence[Path], *, separator: str | None, header: bool | None
) -> str:
    """Return "parquet", "npy" or "text", by the first bytes or the names in a directory."""
    kinds = {_kind_of_file(path): path for path in paths}
    kind = next(iter(kinds))
    if len(kinds) > 1 or (kind == "npy" and len(paths) > 1):
        what = "several paths must all be Parquet, or all CSV or TSV"
        raise DatasetError(one_line(kinds[kind]), what, "Give one command for each.")
    if kind == "text":
        return kind
    called = {"parquet": "a Parquet file", "npy": "an array"}[kind]
    for flag, value in (("--sep", separator), ("--header", header)):
        if value is not None:
            remedy = f"Leave it out; {one_line(paths[0])} is {called}."
            raise OptionError(flag, f"it does not apply to {called}", remedy)
    return kind


def _kind_of_file(path: Path) -> str:
    refuse_endless(path)
    if path.is_dir():
        return kind_of_directory(path)
    try:
        with path.open("rb") as file:
            begin = file.read(len(NPY))
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    if begin.startswith(PARQUET):
        return "parquet"
    return "npy" if begin.startswith(NPY) else "text"
