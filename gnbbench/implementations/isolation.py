"""Models that live in a worker process, where they may hang, crash and print.

Functions that end in ``_there`` run in the worker, which keeps models by number.
"""

import contextlib
import os
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any, Self

import numpy as np

from gnbbench.arrays import labels_in
from gnbbench.errors import (
    GnbBenchError,
    ImplementationError,
    OptionError,
    refuse_undecoded,
)
from gnbbench.implementations.adapting import ATTRIBUTES, fitted_model, kind_of
from gnbbench.implementations.attempts import Data, excerpt
from gnbbench.implementations.catalogue import Implementation
from gnbbench.implementations.conventions import PLAIN, TABLES, Convention
from gnbbench.implementations.kept_numbers import KeptNumbers, kept_numbers
from gnbbench.implementations.lookup import (
    forget,
    fresh,
    implementation,
    named_code,
    settled,
    unwatched,
    watched,
)
from gnbbench.implementations.names import parsed
from gnbbench.implementations.objects import Code, code_of
from gnbbench.processes.client import (
    NO_ANSWER,
    ONE_THREAD,
    CallError,
    CallFailure,
    WorkerProcess,
)
from gnbbench.processes.messages import Payload, packed, payload

# Loading includes imports of whole libraries; a call does not.
LOADING_SECONDS = 60.0
# Conventions are tried on a few samples; slow code is left to the study.
TRYING_SECONDS = 20.0

_SENT_AS_THEY_ARE = (np.ndarray, np.generic, bool, int, float, str, type(None))
# Methods that a model may offer; no others pass between a study and a worker process.
METHODS = ("fit", "partial_fit", "predict", *TABLES, "predict_joint_log_proba")

# Fields of code: texts, and tuples of them
_FIELDS = ("name", "description", "digest", "line", "remark")
_TEXTS = ("notes", "not_judged")


class _ModelsProcess(WorkerProcess):
    """A worker for the models of one implementation."""

    def __init__(self) -> None:
        super().__init__(environment=ONE_THREAD, relays_warnings=True)
        self.is_loaded = False
        self.numbers = count()
        self.forgotten: list[int] = []

    def load(self, maker: Payload, name: str, timeout_seconds: float) -> None:
        """Load an implementation, unless it is loaded already."""
        if not self.is_loaded:
            self.call_loading(load_there, maker, name, timeout_seconds)
            self.is_loaded = True

    def call_loading(
        self, function: Callable[..., Any], model: Any, name: str, timeout_seconds: float
    ) -> Any:
        """Call a function that imports third-party code; end the worker if that fails."""
        seconds = max(timeout_seconds, LOADING_SECONDS)
        try:
            return self.call(function, model, what=f"loading {name}", seconds=seconds)
        except CallFailure:
            self.end()
            raise


class _Workers(threading.local):
    """The workers of a thread by maker: threads must not lose each other's models."""

    def __init__(self) -> None:
        self.by_maker: dict[Payload, _ModelsProcess] = {}


_workers = _Workers()


# A forked copy of this process forgets the workers, which are its parent's.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _workers.by_maker.clear())  # noqa: PLW0108  of that thread


def isolated(model: Any, *, timeout_seconds: float, data: Data = None) -> Implementation:
    """Return an implementation whose models live in a worker process.

    Models are used as before; arrays are copied both ways. A call that hangs, crashes or
    raises becomes a `CallFailure` here, and the next model gets a new worker. One worker
    serves all models of an implementation in a thread of this process. The convention is
    found there, too, on `data` if synthetic samples do not suffice.
    """
    if not 0.0 < timeout_seconds < float("inf"):
        raise OptionError(
            "--timeout", f"{timeout_seconds} is out of range", "Give seconds above 0."
        )
    worker = _ModelsProcess()
    if isinstance(model, Implementation):
        entry = model
    elif isinstance(model, str) and parsed(model).kind == "command":
        entry = implementation(model)
    else:
        text = parsed(model).absolute if isinstance(model, str) else ""
        refuse_undecoded(text.rstrip(":"))
        code = _described(worker, text, timeout_seconds) if text else code_of(model)
        entry = _called(worker, code, text, timeout_seconds, data)
        entry = replace(entry, specification=model if text else "")
    maker = payload_of(entry.make, entry.name)
    if worker.usable:
        _workers.by_maker[maker] = worker
    make = partial(_new_model, maker, entry.name, timeout_seconds)
    return replace(entry, make=make, direct=entry.make)


class IsolatedModel:
    """A proxy of a model in a worker, with the methods and attributes of that model."""

    def __init__(self, worker: _ModelsProcess, name: str, timeout_seconds: float) -> None:
        self._worker = worker
        self._name = name
        self._seconds = timeout_seconds
        self._number = next(worker.numbers)
        self._offered: frozenset[str] = frozenset()
        forgotten = worker.forgotten[:]
        del worker.forgotten[: len(forgotten)]
        self._offered = frozenset(self._ask(new_there, forgotten, what=name))
        # The worker drops it when it makes the next one: this may come at any moment.
        weakref.finalize(self, worker.forgotten.append, self._number).atexit = False

    def __repr__(self) -> str:
        return f"{self._name} in a separate process"

    def __getattr__(self, name: str) -> Any:
        if name not in self.__dict__.get("_offered", ()):
            raise AttributeError(f"{self.__dict__.get('_name')} does not offer {name}")
        if name in {"fit", "partial_fit"}:
            return partial(self._learn, name)
        if name in METHODS:
            return partial(self._call, name)
        return self._ask(read_there, name, what=name)

    def kept_numbers(self) -> KeptNumbers:
        """Return the numbers that it keeps."""
        fields = self._ask(kept_there, what="fit")
        return KeptNumbers(fields["paths"], fields["values"])

    def _learn(self, method: str, *args: Any, **named: Any) -> Self:
        self._offered = frozenset(self._call(method, *args, **named))
        return self

    def _call(self, method: str, *args: Any, **named: Any) -> Any:
        def sendable(value: Any) -> Any:
            return value if isinstance(value, _SENT_AS_THEY_ARE) else np.asarray(value)

        sent = [sendable(value) for value in args]
        sent_named = {key: sendable(value) for key, value in named.items()}
        return self._ask(call_there, method, sent, sent_named, what=method)

    def _ask(self, function: Callable[..., Any], *arguments: Any, what: str) -> Any:
        answer = self._worker.call(
            function, self._number, *arguments, what=what, seconds=self._seconds
        )
        is_scalar = isinstance(answer, np.ndarray) and answer.ndim == 0
        return answer[()] if is_scalar else answer


def _new_model(maker: Payload, name: str, timeout_seconds: float) -> IsolatedModel:
    """Return a model in this thread's worker, which is started if need be."""
    worker = _workers.by_maker.get(maker)
    if worker is None or not worker.usable:
        worker = _workers.by_maker[maker] = _ModelsProcess()
    worker.load(maker, name, timeout_seconds)
    return IsolatedModel(worker, name, timeout_seconds)


def watch(entry: Implementation, text: str) -> None:
    """Mark the lines of an implementation's file that run later, where its models live."""
    with contextlib.suppress(CallFailure):
        _where_it_lives(entry, watch_there, text)


def marked_since(entry: Implementation, text: str) -> set[int]:
    """Return the lines that were marked, and mark no more; none if a worker has ended."""
    with contextlib.suppress(CallFailure):
        return set(_where_it_lives(entry, unwatched, text))
    return set()


def processor_seconds(entry: Implementation) -> float:
    """Return the CPU time so far of the process where an implementation's models live."""
    return float(_where_it_lives(entry, time.process_time))


def _where_it_lives(entry: Implementation, call: Callable[..., Any], *args: Any) -> Any:
    """Call in the worker of an implementation in this thread, or here if it has none."""
    makers = getattr(entry.make, "args", ())[:1]
    of_thread = (_workers.by_maker.get(m) for m in makers if isinstance(m, Payload))
    if (worker := next(of_thread, None)) is None:
        return call(*args)
    return worker.call(call, *args, seconds=LOADING_SECONDS)


def _described(worker: _ModelsProcess, text: str, timeout_seconds: float) -> Code:
    """Return the code of a specification, looked up by a worker."""
    where = parsed(text).where
    try:
        fields = worker.call_loading(describe_there, text, where, timeout_seconds)
    except CallFailure as error:
        if isinstance(error, CallError) and error.user_error:
            raise GnbBenchError(str(error)) from None
        remedy = "Fix that, and run the command again."
        raise ImplementationError(where, f"cannot be loaded ({error})", remedy) from error
    try:
        return _code_from(fields, text)
    except (TypeError, KeyError, AttributeError) as error:  # Not an answer of ours
        what, remedy = f"cannot be loaded ({NO_ANSWER})", "Fix that, and run it again."
        raise ImplementationError(where, what, remedy) from error


def _code_from(fields: dict[str, Any], text: str) -> Code:
    """Return code of which a worker sent the fields."""
    fields["conventions"] = tuple(map(Convention.from_plain, fields["conventions"]))
    fields |= {name: tuple(fields[name]) for name in _TEXTS}
    line = parsed(fields["line"] or text).absolute
    return Code(**fields, make=partial(fresh, line, fields["digest"]))


def _called(
    worker: _ModelsProcess, code: Code, text: str, timeout_seconds: float, data: Data
) -> Implementation:
    """Return code under the convention that the worker finds."""
    if not code.conventions:  # of the catalogue
        return replace(code.called(PLAIN), foreign=False)
    how, seconds = code.conventions[0], min(timeout_seconds, TRYING_SECONDS)
    maker = payload_of(code.make, code.name)
    given = list(code.conventions), text, *(excerpt(*data) if data else ())
    # The study finds and records what is wrong with it.
    with contextlib.suppress(CallFailure, TypeError, KeyError, AttributeError):
        fields = worker.call(settle_there, maker, *given, what=code.name, seconds=seconds)
        how = Convention.from_plain(fields.pop("how"))
        code = _code_from(fields, text) if text else code
    return code.called(how)


def payload_of(
    make: Callable[..., Any],
    name: str,
    remedy: str = "Give it as file.py:Class, or leave the time limit out.",
) -> Payload:
    """Return a maker as a payload for a worker."""
    try:
        return payload(make)
    except Exception as error:
        what = f"cannot be sent to another process ({type(error).__name__}: {error})"
        raise ImplementationError(name, what, remedy) from error


# In the worker: one implementation, and its models by number.
_makers: list[Callable[[], Any]] = []
_models: dict[int, Any] = {}


def describe_there(text: str) -> dict[str, Any]:
    """Return the fields of the code that a text stands for, without its maker."""
    return _fields_of(named_code(text))


def _fields_of(code: Implementation | Code) -> dict[str, Any]:
    lists = {name: list(getattr(code, name, ())) for name in ("conventions", *_TEXTS)}
    fields = {name: getattr(code, name, "") for name in _FIELDS}
    return {**fields, **lists}


def settle_there(
    make: Callable[..., Any], ways: list[dict[str, Any]], text: str, *data: Any
) -> dict[str, Any]:
    """Return the fields of code with its convention; a file is then loaded again."""
    known = tuple(map(Convention.from_plain, ways))
    code = named_code(text) if text else Code("", make, "", known)
    assert isinstance(code, Code)  # noqa: S101  those of the catalogue are not settled
    code, how = settled(text, code, data or None)
    if text:
        forget(text)
    return {**_fields_of(code), "how": how}


def watch_there(text: str) -> None:
    """Load a file again when its code is used next, with marks."""
    watched(text)


def load_there(make: Callable[[], Any]) -> None:
    """Keep the maker that the study sent, after it has made a first model."""
    make()
    _makers[:] = [make]


def new_there(number: int, forgotten: list[int]) -> list[str]:
    """Make a model, and drop forgotten ones; return what it offers."""
    for other in forgotten:
        _models.pop(other, None)
    (make,) = _makers
    _models[number] = make()
    return _offered(number)


def call_there(number: int, name: str, given: list[Any], named: dict[str, Any]) -> Any:
    """Return the result of a method as an array; after a fit, what the model offers."""
    answer = getattr(_models[number], name)(*given, **named)
    if name not in {"fit", "partial_fit"}:
        return _as_array(name, answer)
    _models[number] = fitted_model(_models[number], answer)
    return _offered(number)


def kept_there(number: int) -> KeptNumbers:
    """Return the numbers that a model keeps."""
    return kept_numbers(_models[number])


def read_there(number: int, name: str) -> Any:
    """Return an attribute."""
    return _as_array(name, getattr(_models[number], name))


def _offered(number: int) -> list[str]:
    def offers(name: str) -> bool:
        try:
            value = getattr(_models[number], name, None)
        except Exception:  # noqa: BLE001  reading it will say what is wrong
            return True
        return value is not None and (name in METHODS or _is_array(value))

    return list(filter(offers, (*METHODS, *ATTRIBUTES)))


def _is_array(value: Any) -> bool:
    """Return whether an attribute holds plain items, whatever its name promises."""
    with contextlib.suppress(TypeError, ValueError):
        return _as_array("", value) is not None
    return False


def _as_array(name: str, answer: Any) -> Any:
    """Return the answer as an array; raise if NumPy could only wrap it."""
    if np.ma.is_masked(answer):
        raise TypeError(f"{name} gave masked values")
    if np.ndim(answer) == 0 and np.asarray(answer).dtype == object:
        raise TypeError(f"{name} gave {kind_of(answer)} instead of an array")
    array = labels_in(answer)
    try:
        packed(array)
    except TypeError as error:
        raise TypeError(f"{name} gave {error}") from error
    return array
