"""Who listens to how far a study is."""

from typing import Protocol


class Progress(Protocol):
    """Somebody who wants to know how far a study is."""

    def begin(self, stage: str, total: int | None = None, done: int = 0) -> None:
        """Take note that a stage starts."""

    def advance(self, steps: int) -> None:
        """Take note that some steps are done."""


class Silence:
    """A listener that keeps nothing."""

    def begin(self, stage: str, total: int | None = None, done: int = 0) -> None:
        """Do nothing."""

    def advance(self, steps: int) -> None:
        """Do nothing."""
