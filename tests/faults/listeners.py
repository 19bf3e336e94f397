"""Listeners of a study's progress, for tests that interrupt it."""

from typing import Any


class Listener:
    """Records its calls, and interrupts at the first step of a stage, like Ctrl-C."""

    def __init__(self, interrupts: str | None = None) -> None:
        self.told: list[Any] = []
        self._interrupts, self._stage = interrupts, ""

    def begin(self, stage: str, total: int | None = None, done: int = 0) -> None:
        """Keep the stage."""
        self._stage = stage
        self.told.append((stage, total, done))

    def advance(self, steps: int) -> None:
        """Keep the steps."""
        self.told.append(steps)
        if self._stage == self._interrupts:
            raise KeyboardInterrupt
