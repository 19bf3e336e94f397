"""What a user can compare: a name or an object becomes an Implementation."""

from gnbbench.implementations.implementation import Implementation
from gnbbench.implementations.lookup import implementation, implementations

__all__ = ["Implementation", "implementation", "implementations"]
