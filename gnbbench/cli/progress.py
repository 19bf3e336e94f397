"""A progress bar on stderr with rate and remaining time; silent without a terminal."""

from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text


class Rate(ProgressColumn):
    """Steps per second."""

    def render(self, task: Task) -> Text:
        """Return the rate of a task, empty before it is known."""
        return Text("" if not task.speed else f"{task.speed:,.0f}/s")


class Bar:
    """A listener that shows the progress of a study."""

    def __init__(self, *, hidden: bool = False) -> None:
        console = Console(stderr=True)
        self.steps_done = self.steps_total = 0
        self._task: TaskID | None = None
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            Rate(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=hidden or not console.is_terminal,
            refresh_per_second=4,
        )

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def stop(self) -> None:
        """Remove the bar."""
        self._bar.stop()

    def begin(self, stage: str, total: int | None = None, done: int = 0) -> None:
        """Show the next stage."""
        if self._task is not None:
            self._bar.remove_task(self._task)
        if total is not None:
            self.steps_done, self.steps_total = done, total
        self._task = self._bar.add_task(stage, total=total, completed=done)

    def advance(self, steps: int) -> None:
        """Show some more steps as done."""
        self.steps_done += steps
        if self._task is not None:
            self._bar.advance(self._task, steps)
