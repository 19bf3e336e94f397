"""How a call in a worker process can fail; each has a status for the records."""

from typing import ClassVar


class CallFailure(Exception):  # noqa: N818  what happened is the name
    """Base of the three; the message is one for the records."""

    status: ClassVar[str]


class CallTimeout(CallFailure):
    """The call took longer than it may; its process was ended."""

    status = "timeout"

    def __init__(self, what: str, seconds: float) -> None:
        super().__init__(f"{what} did not answer within {seconds:g} s")
        self.seconds = seconds


class CallCrash(CallFailure):
    """The process ended by itself."""

    status = "crash"

    def __init__(self, what: str, how: str) -> None:
        super().__init__(f"{what}: its process {how}")
        self.how = how


class CallError(CallFailure):
    """The call raised, or answered with something that is no plain data."""

    status = "error"

    def __init__(self, kind: str, message: str, *, user_error: bool = False) -> None:
        super().__init__(message if user_error else f"{kind}: {message}")
        self.kind = kind
        self.message = message
        self.user_error = user_error


def outcome(failure: CallFailure) -> tuple[str, str]:
    """Return status and message of a measurement that failed in a process of its own."""
    if isinstance(failure, CallTimeout):
        return failure.status, f"took longer than {failure.seconds:.3g} s"
    if isinstance(failure, CallError) and failure.kind != SystemExit.__name__:
        return failure.status, f"{failure.kind}: {failure.message}"
    return CallCrash.status, "ended the process"
