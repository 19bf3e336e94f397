"""A pool of loky workers beside this process, which works too.

Results are unpickled here: workers run our own evaluation, in which third-party code
answers from supervised processes.
"""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import AbstractContextManager, suppress
from typing import Any, Protocol

from loky import ProcessPoolExecutor
from loky.backend.context import LokyContext

# One piece being processed and one waiting, so that no worker is idle.
PIECES_A_WORKER = 2
PARENT_SECONDS = 0.5  # Interval at which a worker checks its parent

_shared: list[Any] = []


class WorkQueue(Protocol):
    """Work to do, handed out in pieces."""

    n_runs: int  # Remaining runs

    def take(self) -> Any:
        """Return the next piece."""

    def give_back(self, piece: Any) -> None:
        """Take back an unfinished piece."""


class Pool(AbstractContextManager["Pool"]):
    """Worker processes beside this one.

    They end with the pool, since later timings must run alone and an interruption must
    leave no process behind.
    """

    def __init__(
        self, count: int, function: Callable[..., Any], shared: Sequence[Any]
    ) -> None:
        """Start `count` workers that call the function with `shared` and a piece."""
        self._count, self._function = count, function
        self._pieces: dict[Future[Any], Any] = {}
        self._executor = None
        if count:
            with suppress(OSError):  # Without shared memory this process works alone
                self._executor = ProcessPoolExecutor(
                    max_workers=count,
                    context=LokyContext(),  # joblib's copy of loky may replace the default
                    initializer=_begin,
                    initargs=(os.getpid(), shared),
                )

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End all workers; after an error, kill them."""
        if self._executor is not None:
            self._executor.shutdown(wait=True, kill_workers=kind is not None)

    def feed(self, queue: WorkQueue) -> None:
        """Hand out pieces so that every worker has one waiting."""
        if self._executor is None:
            return
        while queue.n_runs and len(self._pieces) < PIECES_A_WORKER * self._count:
            piece = queue.take()
            try:
                future = self._executor.submit(_call, self._function, piece)
            except BrokenExecutor:
                self._lose(queue, piece)
                return
            self._pieces[future] = piece

    def results(self, queue: WorkQueue, *, patiently: bool) -> Iterator[Any]:
        """Yield the results so far; the pieces of a lost worker go back to the queue."""
        if not self._pieces:
            return
        finished, _ = wait(
            self._pieces, timeout=None if patiently else 0.0, return_when=FIRST_COMPLETED
        )
        for future in finished:
            piece = self._pieces.pop(future)
            try:
                yield future.result()
            except BrokenExecutor:
                self._lose(queue, piece)
                return

    @property
    def is_working(self) -> bool:
        """Whether there are results to come."""
        return bool(self._pieces)

    def _lose(self, queue: WorkQueue, piece: Any) -> None:
        """Give up all workers after one of them died; this process continues alone."""
        for lost in (piece, *self._pieces.values()):
            queue.give_back(lost)
        self._pieces.clear()
        if self._executor is not None:
            self._executor.shutdown(wait=True, kill_workers=True)
        self._executor = None


def _begin(parent: int, shared: Sequence[Any]) -> None:
    """Keep the shared arguments, and end with the parent even if it is killed."""
    _shared[:] = shared
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    known = multiprocessing.parent_process()
    if known is not None and known.sentinel is not None:
        known.join()  # On Windows, where the parent's number outlives it
    else:
        while os.getppid() == parent:
            time.sleep(PARENT_SECONDS)
    os.kill(os.getpid(), signal.SIGKILL if os.name == "posix" else signal.SIGTERM)


def _call(function: Callable[..., Any], piece: Any) -> Any:
    return function(*_shared, piece)
