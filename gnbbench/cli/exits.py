"""How commands end: one line on stderr per error or failed gate, and exit codes.

All problems of a file are reported together, with a command that would run.
"""

import codecs
import errno
import io
import logging
import os
import re
import shlex
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias
from unicodedata import decomposition, normalize

import typer

from gnbbench.data.sources import drop_flags, shell_word
from gnbbench.errors import GnbBenchError, PlacedError
from gnbbench.processes.dask_cluster import ClusterWarning
from gnbbench.studies.kinds import StudyKind, check_names, is_several
from gnbbench.studies.option import Options
from gnbbench.studies.options import FileSource, GateOptions

if TYPE_CHECKING:
    from gnbbench.statistics.gates import Gate
    from gnbbench.studies.study import Study

    Judged: TypeAlias = list[tuple[str, tuple[Gate, ...]]]

GATE_FAILED = 1
USER_INPUT = 2
INCONCLUSIVE = 3
INTERRUPTED = 130


class _Output(io.TextIOWrapper):
    """Standard output that may be closed early, as by ``head``; the rest is discarded."""

    harmless: type[OSError] = BrokenPipeError

    def write(self, text: str) -> int:
        with self._until_closed():
            return super().write(text)
        return len(text)

    def flush(self) -> None:
        with self._until_closed():
            super().flush()

    @contextmanager
    def _until_closed(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            kind = os.name, error.errno
            if not isinstance(error, self.harmless) and kind != ("nt", errno.EINVAL):
                raise
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())


_ALIKE = str.maketrans("−–×·μ≈✓✗Δ", "--x.u~vxD")


def _alike(error: UnicodeError) -> tuple[str, int]:
    """Write what an encoding lacks in ASCII, such as 10^-16, or else as question marks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    letters = (normalize("NFKD", letter).translate(_ALIKE) for letter in text)
    first, before = text[0], error.object[: error.start][-1:] or " "
    raised = [decomposition(letter).startswith("<super>") for letter in (first, before)]
    power = "^" if raised == [True, False] else ""
    plain = (letter.encode("ascii", "ignore").decode() or "?" for letter in letters)
    return power + "".join(plain), error.end


codecs.register_error("alike", _alike)


def open_standard_streams() -> None:
    """Open /dev/null for closed standard streams, before a file takes their place."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)  # noqa: FBT003  positional only
    os.close(descriptor)
    sys.stdin = sys.stdin or os.fdopen(0, closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


@contextmanager
def any_surroundings() -> Iterator[None]:
    """Keep library messages off the terminal, and print ours on any terminal."""
    # Warnings of implementations are recorded with the runs. Subprocesses inherit this; it
    # does not override Python's -W.
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
        os.environ.setdefault("PYTHONWARNINGS", "ignore")
    os.environ["MPLBACKEND"] = "agg"  # Never opens a window
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # Silences its cache messages
    if not os.environ.get("COLUMNS", "80").strip("0"):
        del os.environ["COLUMNS"]  # At width 0 tables would be empty
    for name, harmless in (("stdout", BrokenPipeError), ("stderr", OSError)):
        stream = getattr(sys, name)
        if type(stream) is io.TextIOWrapper:
            encoding, lines = stream.encoding, stream.line_buffering
            output = _Output(stream.detach(), encoding, "alike", line_buffering=lines)
            output.harmless = harmless  # Errors of stderr could be shown nowhere
            setattr(sys, name, output)
    try:
        yield
    except (OSError, MemoryError, ImportError, SystemError) as error:
        if not (lacking := _lacking(error)):
            raise
        typer.echo(f"gnbbench: {lacking}.", err=True)
        # Python flushes the rest when it exits, which would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(USER_INPUT)


_LIMITS = (errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.EAGAIN)


def _lacking(error: Exception) -> str:
    """Return what the system lacks, by what was raised; empty where it is another fault."""
    number = getattr(error, "errno", None)
    if number == errno.ENOSPC:
        return "the output cannot be written (the disk is full)"
    if number in (errno.EFBIG, getattr(errno, "EDQUOT", errno.EFBIG)):
        return f"the output cannot be written ({os.strerror(number)})"
    if number == errno.ENOENT and getattr(error, "filename", "") is None:
        return "the current directory was removed"
    if number == errno.ENAMETOOLONG:
        name = str(getattr(error, "filename", ""))[:60]
        return f"the name of a file is too long ({name}…)"
    if number in _LIMITS:
        return f"the system refuses more ({os.strerror(number)})"
    of_libraries = re.search("failed to map segment|without exception set", str(error))
    is_memory = isinstance(error, MemoryError) or of_libraries
    return "there is not enough memory" if is_memory else ""


@contextmanager
def user_errors() -> Iterator[None]:
    """Turn errors that users can fix into lines on stderr and exit code 2."""
    usual = warnings.showwarning

    def show(message: Warning | str, *details: Any) -> None:
        if not isinstance(message, ClusterWarning):
            usual(message, *details)
        else:
            typer.echo(f"gnbbench: {message}.", err=True)

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", ClusterWarning)
            warnings.showwarning = show  # type: ignore[assignment]
            yield
    except GnbBenchError as error:
        for text in map(str, error.args):
            typer.echo("gnbbench: " + " ".join(text.split()), err=True)
        raise typer.Exit(USER_INPUT) from error
    except KeyboardInterrupt:
        typer.echo("gnbbench: interrupted.", err=True)
        raise typer.Exit(INTERRUPTED) from None


def judge(options: GateOptions, studies: "Sequence[Study]") -> None:
    """Print a line per gate that does not pass; exit 1 on failure, 3 if inconclusive."""
    from gnbbench.statistics.gates import gates, never_compared

    summaries = [study.details for study in studies]
    same, slower = options.fail_if_disagreement, options.fail_if_slower_than
    if not (same or slower):
        if failure := "" if options.allow_failures else never_compared(summaries):
            typer.echo(f"gnbbench: {failure}. To exit with 0: --allow-failures", err=True)
            raise typer.Exit(GATE_FAILED)
        return
    judged = [
        (summary.dataset.name, gates(summary, same_labels=same, slower_than=slower))
        for summary in summaries
    ]
    failed = _print_gates(judged, "fail", "gate failed")
    inconclusive = _print_gates(judged, "inconclusive", "inconclusive")
    if failed or inconclusive:
        raise typer.Exit(GATE_FAILED if failed else INCONCLUSIVE)


def _print_gates(judged: "Judged", outcome: str, words: str) -> int:
    """Print a line per gate with this outcome; return their number."""
    sentences = [
        f"{dataset}: {gate.sentence}" if len(judged) > 1 else gate.sentence
        for dataset, of_dataset in judged
        for gate in of_dataset
        if gate.outcome == outcome
    ]
    for sentence in sentences:
        typer.echo(f"gnbbench: {words}: {' '.join(sentence.split())}", err=True)
    return len(sentences)


# Fix for a file -> the option as users type it.
FLAGS = {"header": "--no-header", "missing": "--missing drop", "one_hot": "--one-hot"}


def prepare(kind: StudyKind, options: Options, typed: Sequence[str]) -> Any:
    """Return the prepared study, or raise with all problems of its data file.

    Problems that an option solves are solved, to find further ones. `typed` are the words
    of the command line; `run` takes no such options.
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
    problems, fixes = [error], dict[str, Any]()
    while error.fix and not set(error.fix) <= set(fixes):
        fix, dropped = dict[str, Any](error.fix), vars(options)["drop"]
        if "drop" in fix:
            fix["drop"] = tuple(name for name in fix["drop"] if name not in dropped)
        fixes |= fix
        dropped = (*dropped, *fix.get("drop", ()))  # What is left out stays so
        options = options.model_copy(update={**fix, "drop": dropped})
        try:
            _prepared(kind, options)
        except PlacedError as following:
            error = following
            problems.append(error)
        else:
            command = f"{shlex.join(['gnbbench', *typed])} {_flags(fixes)}"
            return _one_error(options, problems, f"This would run: {command}")
    # A guessed target without classes was the wrong guess, and what it led to is none.
    has_guessed = "target" in fixes and error.what.startswith("target ")
    number = next((n for n, p in enumerate(problems, 1) if "target" in p.fix), 0)
    return _one_error(options, problems[: number if has_guessed else None])


def _one_error(options: Any, problems: list[PlacedError], remedy: str = "") -> PlacedError:
    """Return all problems as one, each with its own remedy unless one solves them all."""
    where = str(options.data)
    texts = [
        problem.what if problem.where == where else f"{problem.where}: {problem.what}"
        for problem in problems
    ]
    if len(texts) == 1:
        remedy = f"{problems[0].remedy.rstrip('.')}. {remedy}".rstrip()
        return PlacedError(problems[0].where, problems[0].what, remedy)
    numbered = [f"({number}) {text}" for number, text in enumerate(texts, start=1)]
    between = "; "
    if not remedy:
        own = [problem.remedy.rstrip(".") for problem in problems]
        ended = zip(numbered[:-1], own[:-1], strict=True)
        numbered[:-1] = [f"{text}. {advice}" for text, advice in ended]
        between, remedy = ". ", problems[-1].remedy
    return PlacedError(where, f"{len(texts)} problems: {between.join(numbered)}", remedy)


def _flags(fixes: Mapping[str, Any]) -> str:
    """Return the options that fix a file, as users type them."""
    flags = [FLAGS[name] for name in FLAGS if name in fixes]
    if "target" in fixes:
        flags.insert("header" in fixes, f"--target {shell_word(fixes['target'])}")
    if "drop" in fixes:
        flags.append(drop_flags(fixes["drop"]))
    return " ".join(flags)
