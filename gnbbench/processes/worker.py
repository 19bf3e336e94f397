"""The process in which code of others runs: calls functions as it is asked to."""

import importlib
import operator
import os
import signal
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from gnbbench.errors import GnbBenchError
from gnbbench.processes.interruption import expect_none
from gnbbench.processes.messages import (
    Channel,
    ChannelClosedError,
    Part,
    Payload,
    opened,
    packed,
    unpacked,
)
from gnbbench.tracebacks import cause_of, explained

_LONGEST_TEXT = 2000
_MOST_WARNINGS = 50


def serve(requests: int, answers: int) -> None:
    """Answer requests until the other side is gone."""
    expect_none()
    channel = Channel(requests, answers)
    process = os.getpid()
    while True:
        try:
            request = unpacked(channel.receive())
        except ChannelClosedError:
            return
        answer = answered(request)
        if os.getpid() != process:
            # A plug-in forked, and this is its child: one process must answer, not two.
            signal.raise_signal(signal.SIGKILL)
        channel.send(answer)


def answered(request: Mapping[str, Any]) -> list[Part]:
    """Return the packed answer to a request, whatever the code of others does in it."""
    with _recorded(wanted=request["warnings"]) as caught:
        try:
            answer = {"answer": _called(request)}
            return packed({**answer, "warnings": _distinct(caught)})
        except BaseException as error:  # noqa: BLE001  exit() and Ctrl-C of others, too
            return packed({"error": _described(error), "warnings": _distinct(caught)})


def _called(request: Mapping[str, Any]) -> Any:
    """Return what the function named in a request gives."""
    module, name = request["function"]
    function = operator.attrgetter(name)(importlib.import_module(module))
    named = {name: _value(argument) for name, argument in request["named"].items()}
    return function(*map(_value, request["arguments"]), **named)


def _value(argument: Any) -> Any:
    return opened(argument) if isinstance(argument, Payload) else argument


@contextmanager
def _recorded(*, wanted: bool) -> Iterator[list[warnings.WarningMessage]]:
    """Record the warnings of a call where they are wanted: it costs time in each."""
    if not wanted:
        yield []
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # Files and processes left open say nothing of results.
        warnings.simplefilter("ignore", ResourceWarning)
        yield caught


def _described(error: BaseException) -> dict[str, Any]:
    """Return type and message of an error, and whether the user can mend it."""
    is_ours = isinstance(error, GnbBenchError)
    message = cause_of(error) if is_ours else explained(error)
    kind = type(error).__name__
    return {"type": kind, "message": message[:_LONGEST_TEXT], "user_error": is_ours}


def _distinct(caught: list[warnings.WarningMessage]) -> list[list[str]]:
    """Return nearest built-in category and text of the first distinct warnings."""
    distinct: dict[tuple[str, str], None] = {}
    for warning in caught:
        builtin = next(
            kind for kind in warning.category.__mro__ if kind.__module__ == "builtins"
        )
        distinct[builtin.__name__, _text(warning.message)] = None
    return [list(key) for key in list(distinct)[:_MOST_WARNINGS]]


def _text(value: object) -> str:
    try:
        return str(value)[:_LONGEST_TEXT]
    except Exception:  # noqa: BLE001  a message of others' making
        return "(its message cannot be shown)"
