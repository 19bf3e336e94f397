"""The next item is made on a thread while the last one is used."""

from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Final, TypeVar

Item = TypeVar("Item")

THREAD_NAME = "gnbbench-read-ahead"


class _End:
    """What stands behind the last item."""


END: Final = _End()


def read_ahead(items: Generator[Item, None, None]) -> Generator[Item, None, None]:
    """Yield the items in their order, one of them being made ahead.

    The thread starts with the first item and has ended when this generator has: after
    the last item, when it is closed, and when either side raises. What the items raise
    is raised here, in its turn.
    """
    with closing(items), ThreadPoolExecutor(1, THREAD_NAME) as thread:
        ahead = thread.submit(next, items, END)
        while not isinstance(item := ahead.result(), _End):
            ahead = thread.submit(next, items, END)
            yield item
