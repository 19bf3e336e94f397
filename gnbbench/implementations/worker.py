"""The process in which models of others live: answers requests until there are no more."""

import os
import signal
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.reduction import ForkingPickler
from typing import Any

import numpy as np

from gnbbench.errors import GnbBenchError
from gnbbench.implementations.contract import ATTRIBUTES, METHODS
from gnbbench.implementations.lookup import implementation
from gnbbench.processes.channels import Channel, ChannelClosedError
from gnbbench.processes.messages import packed, unpacked

_LONGEST_TEXT = 2000
_MOST_WARNINGS = 50


def serve(requests: int, answers: int) -> None:
    """Answer requests until the other side is gone."""
    channel = Channel(requests, answers)
    models = Models()
    own = os.getpid()
    while True:
        try:
            request = unpacked(channel.receive())
        except ChannelClosedError:
            return
        answer = answered(models, request)
        if os.getpid() != own:
            # A plug-in forked, and this is its child: one process must answer, not two.
            signal.raise_signal(signal.SIGKILL)
        channel.send(answer)


@dataclass
class Models:
    """The models of one implementation."""

    make: Callable[[], Any] | None = None  # Returns a fresh one; None until it is loaded
    living: dict[int, Any] = field(default_factory=dict)  # Number of a model -> the model

    def describe(self, specification: str) -> dict[str, Any]:
        """Return the fields of the implementation that a text stands for."""
        entry = implementation(specification)
        names = ("name", "description", "digest", "foreign")
        return {name: getattr(entry, name) for name in names}

    def load(self, pickled: bytes) -> None:
        """Take the maker that the study sent; a first model shows that it works."""
        self.make = ForkingPickler.loads(pickled)
        self.make()

    def new(self, number: int) -> list[str]:
        """Make a model; return what it offers."""
        if self.make is None:
            raise RuntimeError("no implementation was loaded")
        self.living[number] = self.make()
        return self._offered(number)

    def call(self, number: int, name: str, given: list[Any], named: dict[str, Any]) -> Any:
        """Return the array that a method gave; after a fit, what the model offers now."""
        answer = getattr(self.living[number], name)(*given, **named)
        if name not in {"fit", "partial_fit"}:
            return _as_array(name, answer)
        if answer is not None:
            self.living[number] = answer
        return self._offered(number)

    def read(self, number: int, name: str) -> Any:
        """Return an attribute."""
        return _as_array(name, getattr(self.living[number], name))

    def forget(self, numbers: list[int]) -> None:
        """Let go of models that the study has let go of."""
        for number in numbers:
            self.living.pop(number, None)

    def _offered(self, number: int) -> list[str]:
        model = self.living[number]
        return [name for name in (*METHODS, *ATTRIBUTES) if _offers(model, name)]


def answered(models: Models, request: dict[str, Any]) -> list[Any]:
    """Return the packed answer to a request, whatever the code of others does in it."""
    models.forget(request["forgotten"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # Files and processes left open say nothing of results.
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            answer = getattr(models, request["action"])(*request["arguments"])
            return packed({"answer": answer, "warnings": _distinct(caught)})
        except BaseException as error:  # noqa: BLE001  exit() and Ctrl-C of others, too
            return packed({"error": _told(error), "warnings": _distinct(caught)})


def _as_array(name: str, answer: Any) -> Any:
    """Return the answer as an array; what NumPy can only wrap is none."""
    array = np.asarray(answer)
    if array.dtype == object and array.ndim == 0:
        raise TypeError(f"{name} gave a {type(answer).__name__} instead of an array")
    try:
        packed(array)
    except TypeError as error:
        raise TypeError(f"{name} gave {error}") from error
    return array


def _offers(model: Any, name: str) -> bool:
    try:
        return hasattr(model, name)
    except Exception:  # noqa: BLE001  reading it will say what is wrong
        return True


def _told(error: BaseException) -> dict[str, Any]:
    """Return type and message of an error, and whether the user can mend it."""
    return {
        "type": type(error).__name__,
        "message": " ".join(_text(error).split()),
        "mendable": isinstance(error, GnbBenchError),
    }


def _distinct(caught: list[warnings.WarningMessage]) -> list[list[str]]:
    """Return nearest built-in category and text of the first distinct warnings."""
    found: dict[tuple[str, str], None] = {}
    for one in caught:
        builtin = next(kind for kind in one.category.__mro__ if _is_builtin(kind))
        found[builtin.__name__, _text(one.message)] = None
    return [list(one) for one in list(found)[:_MOST_WARNINGS]]


def _text(said: Any) -> str:
    try:
        return str(said)[:_LONGEST_TEXT]
    except Exception:  # noqa: BLE001  a message of others' making
        return "(its message cannot be shown)"


def _is_builtin(kind: type) -> bool:
    return kind.__module__ == "builtins"
