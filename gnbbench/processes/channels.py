"""Messages over two pipes, each wait with an end."""

import contextlib
import os
import select
import time
from collections.abc import Sequence

from gnbbench.processes.messages import Part

_LENGTH_BYTES = 8
_LONGEST_READ = 1 << 20


class ChannelClosedError(Exception):
    """The other side is gone."""


class ChannelTimeoutError(Exception):
    """The other side did not read or write in time."""


class Channel:
    """Sends and receives whole messages."""

    def __init__(self, reading: int, writing: int, alarm: int | None = None) -> None:
        self._reading = reading
        self._writing = writing
        self._alarm = alarm
        for descriptor in (reading, writing):
            os.set_blocking(descriptor, False)
            os.set_inheritable(descriptor, False)  # noqa: FBT003  positional only

    def send(self, parts: Sequence[Part], deadline: float | None = None) -> None:
        """Write a message."""
        length = sum(len(part) for part in parts).to_bytes(_LENGTH_BYTES, "little")
        left = [memoryview(part) for part in (length, *parts) if len(part)]
        while left:
            self._wait(self._writing, select.POLLOUT, deadline)
            try:
                count = os.writev(self._writing, left[:16])
            except BlockingIOError:
                continue
            except BrokenPipeError as error:
                raise ChannelClosedError from error
            while left and count >= len(left[0]):
                count -= len(left.pop(0))
            if count:
                left[0] = left[0][count:]

    def receive(self, deadline: float | None = None) -> bytearray:
        """Return the next message."""
        length = int.from_bytes(self._read(_LENGTH_BYTES, deadline), "little")
        return self._read(length, deadline)

    def close(self) -> None:
        """Close both pipes."""
        for descriptor in (self._reading, self._writing):
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def _read(self, length: int, deadline: float | None) -> bytearray:
        result = bytearray()
        while len(result) < length:
            self._wait(self._reading, select.POLLIN, deadline)
            try:
                chunk = os.read(self._reading, min(length - len(result), _LONGEST_READ))
            except BlockingIOError:
                continue
            if not chunk:
                raise ChannelClosedError
            result += chunk
        return result

    def _wait(self, descriptor: int, event: int, deadline: float | None) -> None:
        """Return when the descriptor is ready; what can still be read comes first."""
        poll = select.poll()
        poll.register(descriptor, event)
        if self._alarm is not None:
            poll.register(self._alarm, select.POLLIN)
        left = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1e3
        ready = dict(poll.poll(left))
        if not ready:
            raise ChannelTimeoutError
        if descriptor not in ready or ready[descriptor] & select.POLLNVAL:
            raise ChannelClosedError
