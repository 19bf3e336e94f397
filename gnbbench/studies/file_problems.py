"""All that keeps a file from being read, told at once, with the command that would run."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from gnbbench.data.sources import drop_flags, shell_word
from gnbbench.errors import PlacedError
from gnbbench.studies.kinds import StudyKind, check_names, is_several
from gnbbench.studies.option import Options
from gnbbench.studies.options import FileSource

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
