"""Worker processes beside this one, which works as well."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from types import TracebackType
from typing import Any, Self

from joblib.externals.loky import get_reusable_executor

from gnbbench.studies.batches import Batch, Queue

# One batch in work and one waiting, so that no worker waits for this process.
BATCHES_A_WORKER = 2

_settled: dict[str, Any] = {}


class Workers:
    """Some processes that evaluate batches while this one does too.

    Ending them is part of it: what is timed next must run alone, and an interruption may
    leave no process behind.
    """

    def __init__(
        self, count: int, function: Callable[..., Any], settled: tuple[Any, ...]
    ) -> None:
        self._count, self._function = count, function
        self._futures: dict[Future[Any], Batch] = {}
        self._executor = None
        if count:
            self._executor = get_reusable_executor(
                max_workers=count, reuse=False, initializer=_settle, initargs=(settled,)
            )

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End all processes; at once if something went wrong."""
        if self._executor is not None:
            self._executor.shutdown(wait=True, kill_workers=kind is not None)

    def feed(self, queue: Queue) -> None:
        """Hand out batches so that every process has one to go on with."""
        if self._executor is None:
            return
        while queue.n_runs and len(self._futures) < BATCHES_A_WORKER * self._count:
            batch = queue.take()
            try:
                future = self._executor.submit(_call, self._function, batch)
            except BrokenExecutor:
                self._lose(queue, [batch])
                return
            self._futures[future] = batch

    def done(self, queue: Queue, *, patiently: bool) -> Iterator[Any]:
        """Yield the results that have come; what a lost process had goes back."""
        if not self._futures:
            return
        finished, _ = wait(
            self._futures,
            timeout=None if patiently else 0.0,
            return_when=FIRST_COMPLETED,
        )
        for future in finished:
            batch = self._futures.pop(future)
            try:
                yield future.result()
            except BrokenExecutor:
                self._lose(queue, [batch])
                return

    @property
    def at_work(self) -> bool:
        """Whether there are results to come."""
        return bool(self._futures)

    def _lose(self, queue: Queue, batches: Sequence[Batch]) -> None:
        """Do without processes after one of them died; this one goes on alone."""
        for batch in (*batches, *self._futures.values()):
            queue.give_back(batch)
        self._futures.clear()
        if self._executor is not None:
            self._executor.shutdown(wait=True, kill_workers=True)
        self._executor = None


def _settle(settled: tuple[Any, ...]) -> None:
    _settled["here"] = settled


def _call(function: Callable[..., Any], batch: Batch) -> Any:
    return function(*_settled["here"], batch)
