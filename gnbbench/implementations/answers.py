"""Predictions made in advance: by a program, or elsewhere for exported splits."""

import contextlib
import csv
import hashlib
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Self

import numpy as np

from gnbbench.arrays import Array
from gnbbench.errors import ImplementationError
from gnbbench.implementations.adapting import fitted_model
from gnbbench.implementations.catalogue import Implementation
from gnbbench.implementations.names import (
    COLUMNS,
    MANIFEST,
    PREDICTIONS,
    manifest,
    named_command,
    takes_manifest,
    words_in,
)
from gnbbench.implementations.programs import (
    answer_in,
    answer_of,
    filled_in,
    paths_in,
    table_text,
)
from gnbbench.processes.client import CallFailure, in_fresh_process
from gnbbench.processes.programs import ProgramError, run_program

ANSWER = "answer.csv"  # Suffix of answer files
AT_ONCE = 2  # Concurrent starts of a program
FEW = 4  # Rows of the second class: with more, only sorting leaves labels in order

# Training samples, their labels, and the samples to label
Question = tuple[Array, Array, Array]


def digest(text: str) -> str:
    """Return the digest by which tables are recognised."""
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Answer:
    """The predictions for a table of samples."""

    rows: tuple[str, ...]  # Of that table, as text
    read: Callable[[Array], tuple[Array, Array | None]]  # From the classes, as `answer_in`


class AnsweredModel:
    """A model that looks answers up, and asks another one, if any, for the rest."""

    def __init__(
        self, answers: Mapping[str, Answer], make: Callable[[], Any] | None = None
    ) -> None:
        self._answers, self._make = answers, make
        self._model: Any = None

    def fit(self, X: Array, y: Array) -> Self:
        """Look up the answers for these training samples."""
        self._samples, self.classes_ = (np.asarray(X), np.asarray(y)), np.unique(y)
        answer = self._answers.get(digest(table_text(*self._samples)))
        self._tables: tuple[Array, Array | None] | None = None
        if answer is not None:
            self._places = {row: place for place, row in enumerate(answer.rows)}
            self._rows, self._tables = answer.rows, answer.read(self.classes_)
            if self._tables[1] is not None:
                self.predict_proba = partial(self._asked, 1)
        elif self._make is None:
            raise ProgramError("these training samples are in none of the splits answered")
        elif hasattr(self._another(), "predict_proba"):
            self.predict_proba = partial(self._asked, 1)
        return self

    def predict(self, X: Array) -> Array:
        """Return the label of each sample."""
        return self._asked(0, X)

    def _asked(self, column: int, X: Array) -> Array:
        rows = rows_of(np.asarray(X))
        table = self._tables[column] if self._tables else None
        if table is not None and rows == self._rows:
            return table
        # A program's labels may depend on other rows, so only single rows are looked up.
        if table is not None and (self._make is None or len(rows) == 1):
            places = [self._places[row] for row in rows if row in self._places]
            if len(places) == len(rows):
                return np.asarray(table[places])
        if self._make is None:
            raise ProgramError("these samples are not those to label in its split")
        name = ("predict", "predict_proba")[column]
        return np.asarray(getattr(self._another(), name)(X))

    def _another(self) -> Any:
        """Return the other model, trained on the same samples."""
        if self._model is None and self._make is not None:
            model = self._make()
            self._model = fitted_model(model, model.fit(*self._samples))
        return self._model


def rows_of(X: Array) -> tuple[str, ...]:
    """Return each row of a table as text."""
    return tuple(table_text(X).splitlines()[1:])


def answered_ahead(
    entry: Implementation, questions: Sequence[Question], seconds: float
) -> Implementation:
    """Return a program with its answers, computed in two concurrent starts.

    One that takes a manifest is started once. The first failure stops this: whatever
    fails is run again where failures are counted.
    """
    answers: dict[str, Answer] = {}
    _, command = named_command(entry.specification) or ("", "")
    with contextlib.suppress(CallFailure, ProgramError):
        if takes_manifest(entry.specification):
            texts = in_fresh_process(
                answers_in_one_start, words_in(command), list(questions), seconds=seconds
            )
            for (X, y, X_test), text in zip(questions, texts, strict=True):
                read = partial(answer_in, text.encode(), n=len(X_test))
                answers[digest(table_text(X, y))] = Answer(rows_of(X_test), read)
        else:
            for answered in _threads().map(partial(_answered, entry), questions):
                answers.update(answered)
    return replace(entry, make=partial(AnsweredModel, answers, entry.make), ahead=None)


@cache
def _threads() -> ThreadPoolExecutor:
    """Return the threads that start programs; each keeps its workers for later calls."""
    return ThreadPoolExecutor(AT_ONCE)


def answers_in_one_start(words: list[str], questions: list[Question]) -> list[str]:
    """Return the answers of a program to a list of all questions."""
    with tempfile.TemporaryDirectory(prefix="gnbbench-program-") as name:
        folder = Path(name)
        written(folder, {f"{n:04}": question for n, question in enumerate(questions)})
        run_program(filled_in(tuple(words), paths_in(folder)), folder)
        paths = [folder / row["out"] for row in manifest(folder)]
        return [answer_of(path).decode("utf-8-sig") for path in paths]


def _answered(entry: Implementation, question: Question) -> dict[str, Answer]:
    X, y, X_test = question
    model = entry.make()
    model = fitted_model(model, model.fit(X, y))
    labels = model.predict(X_test)
    table = model.predict_proba(X_test) if hasattr(model, "predict_proba") else None
    answer = Answer(rows_of(X_test), lambda _: (labels, table))
    return {digest(table_text(X, y)): answer}


def written(folder: Path, questions: Mapping[str, Question]) -> None:
    """Write the tables of all questions, and their manifest."""
    with (folder / MANIFEST).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for name, (X, y, X_test) in questions.items():
            texts = {"train": table_text(X, y), "test": table_text(X_test)}
            names = {side: f"{name}.{side}.csv" for side in texts}
            for side, text in texts.items():
                (folder / names[side]).write_bytes(text.encode())
            digests = map(digest, texts.values())
            writer.writerow([*names.values(), f"{name}.{ANSWER}", *digests])


def predictions(text: str) -> Implementation:
    """Return the implementation whose answers are in a folder, as ``predictions:DIR``."""
    folder = Path(text.removeprefix(PREDICTIONS)).expanduser().absolute()
    paths = [folder / row["out"] for row in manifest(folder)]
    if not any(path.is_file() for path in paths):
        remedy = f"Write {paths[0].name} and the others in {MANIFEST}."
        raise ImplementationError(str(folder), "holds no answer", remedy)
    contents = [path.read_bytes() for path in paths if path.is_file()]
    sha256 = hashlib.sha256(b"\0".join(contents)).hexdigest()
    return Implementation(
        folder.name,
        partial(_recorded, folder, sha256),
        f"answers in {folder.name}",
        text,
        digest=sha256,
        adaptations=("its predictions were made elsewhere",),
    )


def _recorded(folder: Path, sha256: str) -> AnsweredModel:
    return AnsweredModel(_answers_in(folder, sha256))


@cache
def _answers_in(folder: Path, sha256: str) -> dict[str, Answer]:  # noqa: ARG001  the key
    answers = {}
    for row in manifest(folder):
        for side in ("train", "test"):
            path = folder / row[side]
            try:
                content = path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                content = ""
            if digest(content) != row[f"{side}_sha256"]:
                remedy = "Write the splits again, and answer them: gnbbench export"
                what = "is not as it was exported"
                raise ImplementationError(str(path), what, remedy)
        rows = tuple(content.splitlines()[1:])
        read = partial(_read, folder / row["out"], rows)
        answers[row["train_sha256"]] = Answer(rows, read)
    return answers


def _read(path: Path, rows: Sequence[str], classes: Array) -> tuple[Array, Array | None]:
    if not path.is_file():
        raise ProgramError(f"there is no {path.name}")
    try:
        labels, table = answer_in(path.read_bytes(), classes, len(rows))
    except ProgramError as error:
        raise ProgramError(f"{path.name}: {error}") from None
    _, places, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if sorted(counts)[-2:-1] > [FEW] and (np.diff(places) >= 0).all():
        raise ProgramError(f"{path.name} is sorted: keep the order of the rows to label")
    return labels, table
