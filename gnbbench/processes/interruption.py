"""Interruptions from outside, as distinct from what third-party code raises."""

import signal

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
# Not empty where signals are watched: in commands, and in workers, which get no Ctrl-C.
_watched: list[bool] = []
_received: list[int] = []


def watch_signals() -> None:
    """Let SIGTERM and SIGHUP end a study as Ctrl-C does, unless they are ignored."""
    expect_none()
    for name in _SIGNALS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)


def expect_none() -> None:
    """Attribute a KeyboardInterrupt without a signal to third-party code."""
    _watched.append(True)


def pass_on_interruption(error: BaseException) -> None:
    """Raise an error again if it is an interruption from outside."""
    if isinstance(error, KeyboardInterrupt) and (_received or not _watched):
        raise error


def _interrupt(number: int, _frame: object) -> None:
    _received.append(number)
    raise KeyboardInterrupt
