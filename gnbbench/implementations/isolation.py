"""Models that live in a worker process, where they may hang, crash and print."""

import os
import threading
import weakref
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np

from gnbbench.errors import GnbBenchError, ImplementationError, OptionError
from gnbbench.implementations.contract import METHODS
from gnbbench.implementations.implementation import Implementation
from gnbbench.implementations.lookup import made
from gnbbench.implementations.objects import of_object
from gnbbench.implementations.specifications import Specification, parsed
from gnbbench.processes.client import WorkerProcess
from gnbbench.processes.failures import CallError, CallFailure

# Loading includes imports of whole libraries; a call does not.
LOADING_SECONDS = 60.0

_SENT_AS_THEY_ARE = (np.ndarray, np.generic, bool, int, float, str, type(None))

# Workers of this thread by what they loaded: threads must not lose each other's models.
_workers = threading.local()


def isolated(given: Any, *, timeout_seconds: float) -> Implementation:
    """Return an implementation whose models live in a worker process.

    Models are used as before, with arrays going to and fro as copies. A call that hangs,
    crashes or raises raises a `CallFailure` here; the next model then gets a new worker.
    One worker serves all models of an implementation in a thread of this process.
    """
    if not 0.0 < timeout_seconds < float("inf"):
        raise OptionError(
            "--timeout", f"{timeout_seconds} is out of range", "Give seconds above 0."
        )
    if os.name != "posix":
        remedy = "Give --timeout 0: code of others runs without a limit then."
        raise OptionError("--timeout", "needs Linux or macOS", remedy)
    if isinstance(given, str):
        entry = _described(parsed(given), given, timeout_seconds)
    else:
        entry = of_object(given)
    pickled = _pickled(entry)
    make = partial(_new_model, pickled, entry.name, timeout_seconds)
    return replace(entry, make=make, direct=entry.make)


class IsolatedModel:
    """A model elsewhere; has the methods and attributes that the model itself has."""

    def __init__(self, worker: WorkerProcess, name: str, timeout_seconds: float) -> None:
        self._worker = worker
        self._name = name
        self._seconds = timeout_seconds
        self._number = next(worker.numbers)
        self._offered: frozenset[str] = frozenset()
        self._offered = self._names(self._ask("new", what=name))
        weakref.finalize(self, worker.forget, self._number).atexit = False

    def __repr__(self) -> str:
        return f"{self._name} in a process of its own"

    def __getattr__(self, name: str) -> Any:
        if name not in self.__dict__.get("_offered", ()):
            raise AttributeError(f"{self.__dict__.get('_name')} does not offer {name}")
        if name in {"fit", "partial_fit"}:
            return partial(self._learn, name)
        if name in METHODS:
            return partial(self._call, name)
        return self._ask("read", name, what=name)

    def _learn(self, method: str, *given: Any, **named: Any) -> Self:
        self._offered = self._names(self._call(method, *given, **named))
        return self

    def _call(self, method: str, *given: Any, **named: Any) -> Any:
        sent = [_sendable(one) for one in given]
        sent_named = {key: _sendable(one) for key, one in named.items()}
        return self._ask("call", method, sent, sent_named, what=method)

    def _ask(self, action: str, *arguments: Any, what: str) -> Any:
        answer = self._worker.ask(
            action, self._number, *arguments, what=what, seconds=self._seconds
        )
        scalar = isinstance(answer, np.ndarray) and answer.ndim == 0
        return answer[()] if scalar else answer

    def _names(self, offered: Iterable[Any]) -> frozenset[str]:
        return frozenset(map(str, offered))


def _new_model(pickled: bytes, name: str, timeout_seconds: float) -> IsolatedModel:
    """Return a model in this thread's worker, which is started if need be."""
    known: dict[Any, WorkerProcess] = _workers.__dict__
    worker = known.get(pickled)
    if worker is None or not worker.usable:
        worker = WorkerProcess()
        seconds = max(timeout_seconds, LOADING_SECONDS)
        try:
            worker.ask("load", pickled, what=f"loading {name}", seconds=seconds)
        except CallFailure:
            worker.end()
            raise
        known[pickled] = worker
    return IsolatedModel(worker, name, timeout_seconds)


def _described(
    specification: Specification, text: str, timeout_seconds: float
) -> Implementation:
    """Return the implementation of a text, which a worker looked up."""
    worker = WorkerProcess()
    seconds = max(timeout_seconds, LOADING_SECONDS)
    where = specification.where
    try:
        found = worker.ask("describe", text, what=f"loading {where}", seconds=seconds)
    except CallError as error:
        if error.mendable:
            raise GnbBenchError(str(error)) from None
        raise _unloadable(where, error) from error
    except CallFailure as error:
        raise _unloadable(where, error) from error
    finally:
        worker.end()
    return Implementation(
        found["name"],
        partial(made, specification.absolute, found["digest"]),
        found["description"],
        specification=text,
        digest=found["digest"],
        foreign=found["foreign"],
    )


def _unloadable(where: str, error: CallFailure) -> ImplementationError:
    return ImplementationError(
        where, f"cannot be loaded ({error})", "Mend that, and give the command again."
    )


def _pickled(entry: Implementation) -> bytes:
    """Return the maker as bytes; classes of a notebook or script go with their code."""
    # What joblib sends to its own workers; cloudpickle, wherever this version has it.
    from joblib.externals.loky.backend.reduction import dumps

    try:
        pickled = bytes(dumps(entry.make))
    except Exception as error:
        raise ImplementationError(
            entry.name,
            f"cannot be sent to another process ({type(error).__name__}: {error})",
            "Give it as file.py:Class, or leave the time limit out.",
        ) from error
    return pickled


def _sendable(given: Any) -> Any:
    return given if isinstance(given, _SENT_AS_THEY_ARE) else np.asarray(given)


def _leave_workers() -> None:
    """Forget, in a forked copy of this process, workers that are its parent's."""
    _workers.__dict__.clear()


os.register_at_fork(after_in_child=_leave_workers)
