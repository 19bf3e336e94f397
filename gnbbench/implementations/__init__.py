"""What a user can compare: a name or an object becomes an Implementation."""

from gnbbench.implementations.competitors import implementations
from gnbbench.implementations.implementation import Implementation
from gnbbench.implementations.isolation import isolated
from gnbbench.implementations.lookup import implementation
from gnbbench.processes.failures import CallCrash, CallError, CallFailure, CallTimeout

__all__ = [
    "CallCrash",
    "CallError",
    "CallFailure",
    "CallTimeout",
    "Implementation",
    "implementation",
    "implementations",
    "isolated",
]
