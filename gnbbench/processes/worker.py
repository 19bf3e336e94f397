"""The worker process, which runs third-party code by calling functions on request."""

import gc
import importlib
import operator
import os
import signal
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from gnbbench.errors import GnbBenchError
from gnbbench.processes import messages
from gnbbench.tracebacks import cause_of, expect_none, explained

_LONGEST_TEXT = 2000
_MOST_WARNINGS = 50


def serve(channel: messages.Channel) -> None:
    """Answer requests until the channel is closed."""
    gc.set_threshold(50_000)  # Libraries are many objects that stay
    expect_none()
    process = os.getpid()
    while True:
        try:
            request = messages.unpacked(channel.receive())
        except messages.ChannelClosedError:
            return
        answer = answered(request)
        if os.getpid() != process:
            # Third-party code forked this child; only one process may answer.
            signal.raise_signal(signal.SIGKILL)
        channel.send(answer)


def answered(request: Mapping[str, Any]) -> list[messages.Buffer]:
    """Return the packed answer to a request, even if third-party code raises."""
    with _recorded(wanted=request["warnings"]) as caught:
        try:
            answer = {"answer": _called(request)}
            return messages.packed({**answer, "warnings": _distinct(caught)})
        except BaseException as error:  # noqa: BLE001  third-party code may call exit()
            return messages.packed(
                {"error": _described(error), "warnings": _distinct(caught)}
            )


def _called(request: Mapping[str, Any]) -> Any:
    """Return the result of the function named in a request."""
    module, name = request["function"]
    function = operator.attrgetter(name)(importlib.import_module(module))
    named = {name: _value(argument) for name, argument in request["named"].items()}
    return function(*map(_value, request["arguments"]), **named)


def _value(argument: Any) -> Any:
    return messages.opened(argument) if isinstance(argument, messages.Payload) else argument


@contextmanager
def _recorded(*, wanted: bool) -> Iterator[list[warnings.WarningMessage]]:
    """Record the warnings of a call if wanted, since that costs time."""
    if not wanted:
        yield []
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # Files and processes left open do not affect results.
        warnings.simplefilter("ignore", ResourceWarning)
        yield caught


def _described(error: BaseException) -> dict[str, Any]:
    """Return the type and message of an error, and whether the user can fix it."""
    is_ours = isinstance(error, GnbBenchError)
    message = cause_of(error) if is_ours else explained(error)
    kind = type(error).__name__
    return {"type": kind, "message": message[:_LONGEST_TEXT], "user_error": is_ours}


def _distinct(caught: list[warnings.WarningMessage]) -> list[list[str]]:
    """Return the built-in category and text of the first distinct warnings."""
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
    except Exception:  # noqa: BLE001  third-party code may raise anything
        return "(its message cannot be shown)"
