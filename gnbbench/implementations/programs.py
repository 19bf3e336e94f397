"""Turn a command into an implementation: write tables for it, and read its answer."""

import csv
import hashlib
import io
import os
import re
import shlex
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from gnbbench.arrays import Array
from gnbbench.errors import OptionError
from gnbbench.implementations.catalogue import Implementation
from gnbbench.implementations.names import (
    EVERY,
    OUT,
    TEST,
    TRAIN,
    command_digest,
    named_command,
    program_name,
    words_in,
)
from gnbbench.processes.programs import MOST_OUTPUT, ProgramError, run_program
from gnbbench.words import listing, plural

LABEL = "label"  # Column of the labels
MOST_NAMED = 6  # Classes named where a label is none of them
STARTS, SLOW_SECONDS = 5, 1.0  # Timed starts of each kind; only one if it is slower


def program(text: str, keep: Path | None = None) -> Implementation:
    """Return the implementation of ``[NAME=]command:…``; nothing is run.

    The files of each start are kept in a folder of `keep`, if that is given.
    """
    kept = str(keep.absolute()) if keep else ""
    try:
        if keep:
            keep.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = f"{keep} cannot be written ({error.strerror})"
        raise OptionError("--keep", what, "Give another directory.") from error
    _, command = named_command(text) or ("", text)
    return Implementation(
        program_name(text),
        partial(ProgramModel, tuple(words_in(command)), kept),
        f"program: {command}",
        text,
        digest=command_digest(command),
        foreign=True,
        adaptations=(f"a process was started for each prediction ({_where(kept)})",),
    )


def _where(keep: str) -> str:
    """Return where the files of a program are."""
    return f"its files are in {keep}" if keep else "--keep DIR keeps its files"


class ProgramModel:
    """A model that is learned and asked in one start of a program for each array."""

    # Whether each command returns probabilities, known after its first start
    _offers: ClassVar[dict[tuple[str, ...], bool]] = {}

    def __init__(self, words: tuple[str, ...], keep: str = "") -> None:
        self._words, self._keep = words, keep
        # The answer to an array, until both labels and probabilities of it are given.
        self._answer: tuple[str, str, tuple[Array, Array | None]] | None = None

    def fit(self, X: Array, y: Array) -> Self:
        """Store the samples; try once whether the program returns probabilities."""
        self._X, self._y = np.array(X), np.array(y)
        self.classes_ = np.unique(self._y)
        if self._words not in self._offers:
            self._offers[self._words] = self._run(self._X[:2])[1] is not None
        if self._offers[self._words]:
            self.predict_proba = self._predict_proba
        return self

    def predict(self, X: Array) -> Array:
        """Return the label of each sample."""
        return self._answered("predict", np.asarray(X))[0]

    def _predict_proba(self, X: Array) -> Array:
        probabilities = self._answered("predict_proba", np.asarray(X))[1]
        if probabilities is None:
            raise ProgramError("gave probabilities before, but only labels now")
        return probabilities

    def _answered(self, method: str, X: Array) -> tuple[Array, Array | None]:
        """Return the answer to an array; one start serves both labels and probabilities."""
        asked = hashlib.sha256(np.ascontiguousarray(X).tobytes()).hexdigest()
        kept, self._answer = self._answer, None
        if kept and kept[0] == asked and kept[1] != method:
            return kept[2]
        answer = self._run(X)
        self._answer = (asked, method, answer)
        return answer

    def _run(self, X: Array) -> tuple[Array, Array | None]:
        try:
            with self._folder() as name:
                content = run_program(self._written(Path(name), X), Path(name))
                is_file = any(mark in word for word in self._words for mark in (OUT, EVERY))
                content = answer_of(Path(name) / "out.csv") if is_file else _output(content)
            return answer_in(content, self.classes_, len(X))
        except ProgramError as error:
            raise ProgramError(f"{error}; {_where(self._keep)}") from None

    def _folder(self) -> AbstractContextManager[str]:
        """Return a new folder, which is kept on request."""
        if not self._keep:
            return tempfile.TemporaryDirectory(prefix="gnbbench-program-")
        return nullcontext(tempfile.mkdtemp(prefix="start-", dir=self._keep))

    def _written(self, folder: Path, X: Array) -> list[str]:
        """Write the tables into a folder; return the command for them."""
        paths = paths_in(folder)
        names = [Path(paths[mark]).name for mark in (TRAIN, TEST, OUT)]
        Path(paths[EVERY]).write_bytes(f"train,test,out\n{','.join(names)}\n".encode())
        Path(paths[TRAIN]).write_bytes(table_text(self._X, self._y).encode())
        Path(paths[TEST]).write_bytes(table_text(X).encode())
        command = filled_in(self._words, paths)
        if self._keep:
            (folder / "command.txt").write_bytes(f"{shlex.join(command)}\n".encode())
        return command

    def process_seconds(self, X: Array, y: Array, X_test: Array) -> float:
        """Return how long a process takes on samples, whatever its answer."""
        self._X, self._y = X, y
        with tempfile.TemporaryDirectory(prefix="gnbbench-program-") as name:
            command = self._written(Path(name), X_test)
            start = time.perf_counter()
            run_program(command, Path(name))
            return time.perf_counter() - start


def process_seconds(
    make: Callable[[], Any], X: Array, y: Array, X_test: Array
) -> tuple[float, float]:
    """Return the median seconds of whole processes on samples, and on four rows."""
    few = np.concatenate([np.flatnonzero(y == label)[:2] for label in np.unique(y)[:2]])
    whole, start = (X, y, X_test), (X[few], y[few], X_test[:1])
    first = make().process_seconds(*whole)
    n = STARTS if first < SLOW_SECONDS else 1
    on_all = [first, *(make().process_seconds(*whole) for _ in range(n - 1))]
    on_few = [make().process_seconds(*start) for _ in range(n)]
    return float(np.median(on_all)), float(np.median(on_few))


def paths_in(folder: Path) -> dict[str, str]:
    """Return the path of each placeholder."""
    return {mark: str(folder / f"{mark[1:-1]}.csv") for mark in (TRAIN, TEST, OUT, EVERY)}


def filled_in(words: tuple[str, ...], paths: dict[str, str]) -> list[str]:
    """Replace placeholders in the words by paths; without any, append the paths."""
    if not any(mark in word for word in words for mark in (TRAIN, TEST, EVERY)):
        words = (*words, TRAIN, TEST)
    for mark, path in paths.items():
        words = tuple(word.replace(mark, path) for word in words)
    return list(words)


def _output(content: bytes) -> bytes:
    """Return what a program wrote to standard output, which must be something."""
    if not content.strip():
        if content:
            what = "wrote only empty lines to standard output: no label at all"
            raise ProgramError(f"{what}, as if no score were the largest")
        raise ProgramError(f"wrote nothing to standard output; its command has no {OUT}")
    return content


def answer_of(path: Path) -> bytes:
    """Return the answer that a program wrote into a file."""
    if not path.is_file():
        raise ProgramError(f"did not write {path.name}")
    if os.path.getsize(path) >= MOST_OUTPUT:  # noqa: PTH202
        raise ProgramError(f"wrote more than {MOST_OUTPUT // 2**20} MiB")
    return path.read_bytes()


def table_text(X: Array, y: Array | None = None) -> str:
    """Return samples as CSV with a header, with all digits of the doubles."""
    header = [f"x{place}" for place in range(1, X.shape[1] + 1)]
    rows = [list(map(repr, row)) for row in np.asarray(X, dtype=float).tolist()]
    if y is not None:
        header.append(LABEL)
        for row, label in zip(rows, y.tolist(), strict=True):
            row.append(str(label))
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue()


def answer_in(content: bytes, classes: Array, n: int) -> tuple[Array, Array | None]:
    """Return the labels in an answer, and its probabilities if it has any."""
    known = _by_text(classes)
    header, rows = _table_in(content, known, n)
    labels = [_class_of(row[0], known, f"row {i}") for i, row in enumerate(rows, 1)]
    if len(header) == 1:
        return classes[labels], None
    columns = [_class_of(cell, known, "the header") for cell in header[1:]]
    if sorted(columns) != list(range(len(classes))):
        raise ProgramError(f"the header does not name each of {len(classes)} classes once")
    probabilities = np.empty((n, len(classes)))
    for number, row in enumerate(rows, 1):
        try:
            probabilities[number - 1, columns] = [float(cell) for cell in row[1:]]
        except ValueError as error:
            what = f"row {number} of the answer does not hold probabilities alone"
            raise ProgramError(f"{what}: {error!s:.80}") from None
    return classes[labels], probabilities


def _table_in(
    content: bytes, known: dict[Any, int], n: int
) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of an answer; raise unless each sample has a row."""
    rows = _rows_in(content)
    if not rows:
        raise ProgramError(f"gave no line for {n} samples")
    header = [cell.strip() for cell in rows[0]]
    if header[0].lower() == LABEL and header[0] not in known:
        rows = rows[1:]
    elif len(header) > 1:
        expected = ",".join([LABEL, *(key for key in known if isinstance(key, str))])[:40]
        what = f"the answer begins with {','.join(header)[:40]!r}, which is neither a label"
        raise ProgramError(f"{what} nor the header {expected!r}")
    if len(rows) != n:
        others = (",".join(row) for row in rows if _place(row[0], known) is None)
        other = next((f", among them {line[:40]!r}" for line in others), "")
        if empty := sum(not line.strip() for line in content.splitlines()):
            other += f"; {plural(empty, 'more line')} {'is' if empty == 1 else 'are'} empty"
        what = f"gave {plural(len(rows), 'line')} for {n} samples{other}"
        advice = ": write a label, and no more, for each row below the header"
        raise ProgramError(what + advice if len(header) == 1 else what)
    for number, row in enumerate(rows, 1):
        if len(row) != len(header):
            what = f"row {number} of the answer has {len(row)} values, not {len(header)}"
            is_cut = len(row) == 2 * len(header) - 1  # At each decimal comma
            raise ProgramError(f"{what}: write decimal points" if is_cut else what)
    return header, rows


def _rows_in(content: bytes) -> list[list[str]]:
    """Return the cells of each line of an answer that has any."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ProgramError(f"the answer is not UTF-8 (byte {error.start})") from None
    if re.match(r"\W?label\W?[;\t]", text, re.IGNORECASE):
        raise ProgramError("write commas between columns, and decimal points")
    return [row for row in csv.reader(io.StringIO(text)) if row]


def _by_text(classes: Array) -> dict[Any, int]:
    """Return the place of each class by its text, and by its value if it is a number."""
    places: dict[Any, int] = {}
    for place, label in enumerate(classes.tolist()):
        places[str(label)] = place
        if isinstance(label, int | float):
            places[float(label)] = place
    return places


def _class_of(cell: str, known: dict[Any, int], where: str) -> int:
    """Return the place of the class that a text names."""
    place = _place(cell, known)
    if place is None:
        what = f"{where} of the answer names {cell.strip()[:40]!r}"
        classes = listing([label for label in known if isinstance(label, str)], MOST_NAMED)
        raise ProgramError(f"{what}, but the classes are {classes}")
    return place


def _place(cell: str, known: dict[Any, int]) -> int | None:
    text = cell if cell in known else cell.strip()
    try:
        return known[text] if text in known else known.get(float(text))
    except ValueError:
        return None
