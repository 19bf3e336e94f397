"""What ends a study from outside, told from what code of others raises."""

import signal

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
# Whether signals are watched, as they are by the command line and in workers, where no
# Ctrl-C arrives; and those that came.
_watched: list[bool] = []
_received: list[int] = []


def watch_signals() -> None:
    """Have Ctrl-C, SIGTERM and SIGHUP end a study alike, unless they are ignored."""
    expect_none()
    for name in _SIGNALS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)


def expect_none() -> None:
    """Take every KeyboardInterrupt without a signal for one of others' making."""
    _watched.append(True)


def pass_on_interruption(error: BaseException) -> None:
    """Raise again what ends the study; all else that code of others raised is told."""
    if isinstance(error, KeyboardInterrupt) and (_received or not _watched):
        raise error


def _interrupt(number: int, _frame: object) -> None:
    _received.append(number)
    raise KeyboardInterrupt
