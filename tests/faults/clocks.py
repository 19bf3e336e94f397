"""Clocks that advance on request."""

from collections.abc import Callable
from functools import partial

MICROSECOND = 1_000
MILLISECOND = 1_000_000
SECOND = 1_000_000_000


class FakeClock:
    """A clock that moves only when a call takes time, or when it is read."""

    def __init__(self, reading: int = 0) -> None:
        self.now = 0
        self.reading = reading

    def __call__(self) -> int:
        self.now += self.reading
        return self.now

    def take(self, nanoseconds: int) -> None:
        self.now += nanoseconds

    def call(self, nanoseconds: int) -> Callable[[], None]:
        """Return a call that takes so long."""
        return partial(self.take, nanoseconds)

    def prepared(self, nanoseconds: int) -> Callable[[], Callable[[], None]]:
        """Return the preparation of a call that takes so long."""
        return partial(self.call, nanoseconds)
