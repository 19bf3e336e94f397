"""What a user made, as bytes for a worker; the way back is always a message."""

import pickle
from typing import Any

from gnbbench.processes.messages import Payload


def payload(value: Any) -> Payload:
    """Return a value to be sent; classes of a notebook or script go with their code."""
    # What joblib sends to its own workers; cloudpickle, wherever this version has it.
    from joblib.externals.loky.backend.reduction import dumps

    return Payload(bytes(dumps(value)))


def importable_payload(value: Any) -> Payload:
    """Return a value to be sent, of whose classes and functions the names alone go."""
    return Payload(pickle.dumps(value))


def opened(given: Payload) -> Any:
    """Return what was sent; for worker processes alone, as it may run any code."""
    return pickle.loads(given.pickled)  # noqa: S301  the study's own


def pickled_and_back(value: Any) -> Any:
    """Return the copy that pickle makes of a value; runs code of the value's own."""
    return pickle.loads(pickle.dumps(value))  # noqa: S301  pickled on the same line
