"""Progress of a study, for listeners."""

from typing import Protocol


class Progress(Protocol):
    """A listener to the progress of a study."""

    def begin(self, stage: str, total: int | None = None, done: int = 0) -> None:
        """Start a stage, of which some steps may already be done."""

    def advance(self, steps: int) -> None:
        """Count more steps as done."""


class Silence:
    """A listener that does nothing."""

    def begin(self, stage: str, total: int | None = None, done: int = 0) -> None:
        """Ignore the stage."""

    def advance(self, steps: int) -> None:
        """Ignore the steps."""
