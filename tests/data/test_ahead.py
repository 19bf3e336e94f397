import threading
from collections.abc import Generator
from contextlib import closing

import pytest

from gnbbench.data.ahead import THREAD_NAME, read_ahead


class Source:
    """Numbers, and what happened to them."""

    def __init__(self, n: int, fault_at: int | None = None) -> None:
        self.made: list[int] = []
        self.is_closed = False
        self._n = n
        self._fault_at = fault_at

    def items(self) -> Generator[int, None, None]:
        try:
            for number in range(self._n):
                if number == self._fault_at:
                    raise OSError(f"no item {number}")
                self.made.append(number)
                yield number
        finally:
            self.is_closed = True


def threads() -> list[str]:
    return [
        thread.name
        for thread in threading.enumerate()
        if thread.name.startswith(THREAD_NAME)
    ]


def test_items_come_in_order_and_the_thread_ends() -> None:
    source = Source(20)

    assert list(read_ahead(source.items())) == list(range(20))
    assert source.is_closed
    assert threads() == []


def test_nothing_is_made_before_it_is_asked_for() -> None:
    source = Source(3)

    items = read_ahead(source.items())

    assert source.made == []
    assert threads() == []
    items.close()


def test_the_next_item_is_made_while_one_is_used_and_none_beyond() -> None:
    made_second = threading.Event()

    def numbers() -> Generator[int, None, None]:
        yield 0
        made_second.set()
        yield 1
        pytest.fail("made two ahead")

    items = read_ahead(numbers())

    assert next(items) == 0
    assert made_second.wait(timeout=60)
    assert len(threads()) == 1
    items.close()
    assert threads() == []


def test_items_are_made_on_one_other_thread() -> None:
    def idents() -> Generator[int, None, None]:
        for _ in range(3):
            yield threading.get_ident()

    seen = set(read_ahead(idents()))

    assert len(seen) == 1
    assert threading.get_ident() not in seen


def test_stopping_early_closes_the_source_and_ends_the_thread() -> None:
    source = Source(100)
    items = read_ahead(source.items())

    next(items)
    items.close()

    assert source.is_closed
    assert len(source.made) <= 2
    assert threads() == []


def test_what_the_source_raises_comes_in_its_turn() -> None:
    source = Source(5, fault_at=2)
    seen: list[int] = []

    with pytest.raises(OSError, match="no item 2"):
        seen.extend(read_ahead(source.items()))

    items = read_ahead(Source(5, fault_at=2).items())
    assert [next(items), next(items)] == [0, 1]
    with pytest.raises(OSError, match="no item 2"):
        next(items)
    assert source.is_closed
    assert threads() == []


def test_a_consumer_that_raises_ends_the_thread() -> None:
    source = Source(100)
    items = read_ahead(source.items())

    def consume() -> None:
        with closing(items):
            for number in items:
                raise ArithmeticError(number)

    with pytest.raises(ArithmeticError, match="0"):
        consume()

    assert source.is_closed
    assert threads() == []
