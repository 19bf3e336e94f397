"""How a call of a model in a worker process can fail; each has a status for the records."""

from typing import ClassVar


class CallFailure(Exception):  # noqa: N818  what happened is the name
    """Base of the three; the message is one for the records."""

    status: ClassVar[str]


class CallTimeout(CallFailure):
    """The call took longer than it may; its process was ended."""

    status = "timeout"

    def __init__(self, what: str, seconds: float) -> None:
        super().__init__(f"{what} did not answer within {seconds:g} s")


class CallCrash(CallFailure):
    """The process of the model ended by itself."""

    status = "crash"

    def __init__(self, what: str, how: str) -> None:
        super().__init__(f"{what}: its process {how}")


class CallError(CallFailure):
    """The call raised, or answered with something that is no array."""

    status = "error"

    def __init__(self, kind: str, message: str, *, mendable: bool = False) -> None:
        super().__init__(message if mendable else f"{kind}: {message}")
        self.mendable = mendable
