"""How a call of a model in a worker process can fail; each has a status for the records."""

from typing import ClassVar


class CallFailure(Exception):  # noqa: N818  what happened is the name
    """Base of the three; the message is one for the records."""

    status: ClassVar[str]


class CallTimeout(CallFailure):
    """The call took longer than it may; its process was ended.

    Parameters
    ----------
    what : str
        Which call.
    seconds : float
        What it may take.

    Examples
    --------
    >>> print(CallTimeout("fit", 2.0))
    fit did not answer within 2 s
    """

    status = "timeout"

    def __init__(self, what: str, seconds: float) -> None:
        super().__init__(f"{what} did not answer within {seconds:g} s")


class CallCrash(CallFailure):
    """The process of the model ended by itself.

    Parameters
    ----------
    what : str
        Which call.
    how : str
        Exit code or signal, in words.

    Examples
    --------
    >>> print(CallCrash("predict", "was ended by SIGSEGV"))
    predict: its process was ended by SIGSEGV
    """

    status = "crash"

    def __init__(self, what: str, how: str) -> None:
        super().__init__(f"{what}: its process {how}")


class CallError(CallFailure):
    """The call raised, or answered with something that is no array.

    Parameters
    ----------
    kind : str
        Name of the exception's type.
    message : str
        What it said.
    mendable : bool, default=False
        Whether the message is one of ours that tells the user what to do.

    Examples
    --------
    >>> print(CallError("ValueError", "no luck"))
    ValueError: no luck
    """

    status = "error"

    def __init__(self, kind: str, message: str, *, mendable: bool = False) -> None:
        super().__init__(message if mendable else f"{kind}: {message}")
        self.mendable = mendable
