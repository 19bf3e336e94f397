"""Messages of numbers, strings and arrays over two pipes, safe to read.

A message is JSON text followed by the bytes of arrays. Unlike a pickle it cannot run
code, whoever wrote it. The user's objects are sent to workers as a `Payload`, which only
workers open.
"""

import contextlib
import json
import math
import os
import pickle
import select
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal

import numpy as np

from gnbbench.arrays import Array

Buffer = bytes | memoryview

_LENGTH_BYTES = 8
# Arrays start at multiples of this, as in NumPy, for code that needs aligned data.
_ALIGNMENT = 64
# Kinds of NumPy dtypes whose bytes are the values.
_PLAIN_KINDS = "biufcSUmM"
_ITEMS = (bool, int, float, str, type(None))
_LONGEST_READ = 1 << 20
# Windows has no poll
_READING, _WRITING = (getattr(select, name, 0) for name in ("POLLIN", "POLLOUT"))


@dataclass(frozen=True)
class Payload:
    """A pickled argument, which a worker unpickles."""

    pickled: bytes


def payload(value: Any) -> Payload:
    """Pickle a value to send; classes of a notebook or script are sent with their code."""
    import cloudpickle

    return Payload(cloudpickle.dumps(value))


def opened(sent: Payload) -> Any:
    """Unpickle a payload; only for workers, since it may run any code."""
    return pickle.loads(sent.pickled)  # noqa: S301  pickled by the study


# Exceptions of pickling a class that cannot be imported from its module.
NO_ADDRESS = (AttributeError, ImportError, pickle.PicklingError)


def pickled_and_back(value: Any) -> Any:
    """Copy a value by pickling, which runs the value's own code."""
    return pickle.loads(pickle.dumps(value))  # noqa: S301  pickled on the same line


def packed(value: Any) -> list[Buffer]:
    """Pack a value into the parts of a message; a dataclass becomes a dict."""
    blobs: list[Buffer] = []
    text = json.dumps(_encoded(value, blobs)).encode()
    text += b" " * (-(_LENGTH_BYTES + len(text)) % _ALIGNMENT)
    return [len(text).to_bytes(_LENGTH_BYTES, "little"), text, *blobs]


def unpacked(message: bytes | bytearray) -> Any:
    """Unpack a message; arrays are writable if it is a bytearray."""
    view = memoryview(message)
    end = _LENGTH_BYTES + int.from_bytes(view[:_LENGTH_BYTES], "little")
    try:
        tree = json.loads(bytes(view[_LENGTH_BYTES:end]))
        return _decoded(tree, view[end:])
    except (TypeError, KeyError, IndexError, RecursionError, UnicodeDecodeError) as error:
        raise ValueError(f"not a message: {error}") from error


def _encoded(value: Any, blobs: list[Buffer]) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return _encoded_array(np.asarray(value), blobs)
    if isinstance(value, Payload):
        return {"payload": _added(value.pickled, blobs)}
    if isinstance(value, _ITEMS):
        return value
    if isinstance(value, list | tuple):
        return [_encoded(item, blobs) for item in value]
    if isinstance(value, dict):
        return {"dict": {str(key): _encoded(item, blobs) for key, item in value.items()}}
    if is_dataclass(value) and not isinstance(value, type):
        named = {field.name: getattr(value, field.name) for field in fields(value)}
        return _encoded(named, blobs)
    raise TypeError(f"a {type(value).__name__} is not a number, text or array")


def _encoded_array(value: Array, blobs: list[Buffer]) -> dict[str, Any]:
    shape = list(value.shape)
    if value.dtype.kind == "O":
        items = [
            item.item() if isinstance(item, np.generic) else item for item in value.flat
        ]
        for item in items:
            if not isinstance(item, _ITEMS):
                raise TypeError(f"an array that holds a {type(item).__name__}")
        return {"objects": items, "shape": shape}
    if value.dtype.kind not in _PLAIN_KINDS:
        raise TypeError(f"an array of {value.dtype}")
    fortran = value.flags.f_contiguous and not value.flags.c_contiguous
    order: Literal["F", "C"] = "F" if fortran else "C"
    flat = value.ravel(order=order)
    # Dates have no buffer, and an empty view cannot be cast.
    blob: Buffer = flat.view(np.uint8).data if flat.size and flat.itemsize else b""
    where = _added(blob, blobs)
    return {"array": where, "dtype": value.dtype.str, "shape": shape, "order": order}


def _added(blob: Buffer, blobs: list[Buffer]) -> list[int]:
    """Append a blob; return its offset and length."""
    start = sum(map(len, blobs))
    blobs += [blob, bytes(-len(blob) % _ALIGNMENT)]
    return [start, len(blob)]


def _decoded(tree: Any, blobs: memoryview) -> Any:
    if isinstance(tree, list):
        return [_decoded(item, blobs) for item in tree]
    if not isinstance(tree, dict):
        # A lone surrogate cannot be written to a file.
        text = isinstance(tree, str)
        return tree.encode("utf-8", "replace").decode() if text else tree
    if "dict" in tree:
        return {str(key): _decoded(item, blobs) for key, item in tree["dict"].items()}
    if "payload" in tree:
        return Payload(bytes(_blob(tree["payload"], blobs)))
    return _decoded_array(tree, blobs)


def _decoded_array(tree: dict[str, Any], blobs: memoryview) -> Array:
    if "objects" in tree:
        result = np.empty(len(tree["objects"]), dtype=object)
        result[:] = _decoded(tree["objects"], blobs)
        return result.reshape(tree["shape"])
    dtype = np.dtype(tree["dtype"])
    if dtype.kind not in _PLAIN_KINDS:
        raise ValueError(f"not a message: an array of {dtype}")
    if dtype.itemsize == 0:
        return np.zeros(tree["shape"], dtype)
    flat = np.frombuffer(_blob(tree["array"], blobs), dtype)
    return flat.reshape(tree["shape"], order="F" if tree["order"] == "F" else "C")


def _blob(where: list[int], blobs: memoryview) -> memoryview:
    start, length = where
    if start < 0 or length < 0 or start + length > len(blobs):
        raise ValueError("not a message: it ends too early")
    return blobs[start : start + length]


class ChannelClosedError(Exception):
    """The other side has closed the channel."""


class ChannelTimeoutError(Exception):
    """The other side did not read or write in time."""


class Channel:
    """Sends and receives complete messages."""

    def __init__(self, reading: int, writing: int, alarm: int | None = None) -> None:
        self._reading = reading
        self._writing = writing
        self._alarm = alarm
        for descriptor in (reading, writing):
            os.set_blocking(descriptor, False)
            os.set_inheritable(descriptor, False)  # noqa: FBT003  positional only

    def send(self, parts: Sequence[Buffer], deadline: float | None = None) -> None:
        """Write a message."""
        length = sum(len(part) for part in parts).to_bytes(_LENGTH_BYTES, "little")
        left = [memoryview(part) for part in (length, *parts) if len(part)]
        while left:
            self._wait(self._writing, _WRITING, deadline)
            try:
                count = self._write(left)
            except BlockingIOError:
                continue
            except BrokenPipeError as error:
                raise ChannelClosedError from error
            while left and count >= len(left[0]):
                count -= len(left.pop(0))
            if count:
                left[0] = left[0][count:]

    def receive(
        self, deadline: float | None = None, most_bytes: float = math.inf
    ) -> bytearray:
        """Return the next message; raise ValueError if it is longer than allowed."""
        length = int.from_bytes(self._read(_LENGTH_BYTES, deadline), "little")
        if length > most_bytes:
            raise ValueError(f"it is longer than {most_bytes / 2**30:g} GiB")
        return self._read(length, deadline)

    def close(self) -> None:
        """Close both pipes."""
        for descriptor in (self._reading, self._writing):
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def _write(self, parts: Sequence[memoryview]) -> int:
        return os.writev(self._writing, parts[:16])

    def _read(self, length: int, deadline: float | None) -> bytearray:
        result = bytearray()
        while len(result) < length:
            self._wait(self._reading, _READING, deadline)
            try:
                chunk = os.read(self._reading, min(length - len(result), _LONGEST_READ))
            except BlockingIOError:
                continue
            if not chunk:
                raise ChannelClosedError
            result += chunk
        return result

    def _wait(self, descriptor: int, event: int, deadline: float | None) -> None:
        """Wait until the descriptor is ready, or raise once the other side has ended."""
        poll = select.poll()
        poll.register(descriptor, event)
        if self._alarm is not None:
            poll.register(self._alarm, _READING)
        left = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1e3
        ready = dict(poll.poll(left))
        if not ready:
            raise ChannelTimeoutError
        if descriptor not in ready or ready[descriptor] & select.POLLNVAL:
            raise ChannelClosedError


class BlockingChannel(Channel):
    """A channel of pipes that cannot be polled, as on Windows; late workers are killed."""

    def __init__(
        self, reading: int, writing: int, end: Callable[[], None] = lambda: None
    ) -> None:
        self._reading, self._writing, self._end = reading, writing, end

    def receive(
        self, deadline: float | None = None, most_bytes: float = math.inf
    ) -> bytearray:
        """Return the next message; raise ValueError if it is longer than allowed."""
        deadline = math.inf if deadline is None else deadline
        left = min(max(0.0, deadline - time.monotonic()), threading.TIMEOUT_MAX)
        timer = threading.Timer(left, self._end)
        timer.daemon = True
        timer.start()
        try:
            return super().receive(None, most_bytes)
        except ChannelClosedError:
            if time.monotonic() < deadline:
                raise
            raise ChannelTimeoutError from None
        finally:
            timer.cancel()

    def close(self) -> None:
        """Do nothing: whoever opened the pipes closes them."""

    def _write(self, parts: Sequence[memoryview]) -> int:
        return os.write(self._writing, parts[0])

    def _wait(self, descriptor: int, event: int, deadline: float | None) -> None:
        """Do nothing: the next call waits."""


def standard_channel() -> Channel:
    """Return a channel over standard input and output, replacing those by /dev/null."""
    channel = BlockingChannel(os.dup(0), os.dup(1))
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    return channel
