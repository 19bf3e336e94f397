"""Numbers, texts and arrays as bytes and back; nothing else, so that reading is harmless.

A message is a JSON text and the arrays' own bytes behind it. Unlike a pickle it cannot run
code, whoever wrote it.
"""

import json
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Part = bytes | memoryview

_LENGTH_BYTES = 8
# Arrays start at multiples of this, as NumPy's own do: some code wants aligned data.
_ALIGNMENT = 64
# Kinds of NumPy's types whose bytes are their values.
_PLAIN_KINDS = "biufcSUmM"
_ITEMS = (bool, int, float, str, type(None))


def packed(value: Any) -> list[Part]:
    """Return the parts of a message."""
    blobs: list[Part] = []
    text = json.dumps(_encoded(value, blobs)).encode()
    text += b" " * (-(_LENGTH_BYTES + len(text)) % _ALIGNMENT)
    return [len(text).to_bytes(_LENGTH_BYTES, "little"), text, *blobs]


def unpacked(message: bytes | bytearray) -> Any:
    """Return what was packed; arrays are writable where the message is a bytearray."""
    view = memoryview(message)
    end = _LENGTH_BYTES + int.from_bytes(view[:_LENGTH_BYTES], "little")
    try:
        tree = json.loads(bytes(view[_LENGTH_BYTES:end]))
        return _decoded(tree, view[end:])
    except (TypeError, KeyError, IndexError, RecursionError, UnicodeDecodeError) as error:
        raise ValueError(f"no message: {error}") from error


def _encoded(value: Any, blobs: list[Part]) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return _encoded_array(np.asarray(value), blobs)
    if isinstance(value, bytes):
        return {"bytes": _added(value, blobs)}
    if isinstance(value, _ITEMS):
        return value
    if isinstance(value, list | tuple):
        return [_encoded(one, blobs) for one in value]
    if isinstance(value, dict):
        return {"dict": {str(key): _encoded(one, blobs) for key, one in value.items()}}
    raise TypeError(f"a {type(value).__name__} is no number, text or array")


def _encoded_array(value: NDArray[Any], blobs: list[Part]) -> dict[str, Any]:
    shape = list(value.shape)
    if value.dtype.kind == "O":
        items = [one.item() if isinstance(one, np.generic) else one for one in value.flat]
        for one in items:
            if not isinstance(one, _ITEMS):
                raise TypeError(f"an array that holds a {type(one).__name__}")
        return {"objects": items, "shape": shape}
    if value.dtype.kind not in _PLAIN_KINDS:
        raise TypeError(f"an array of {value.dtype}")
    fortran = value.flags.f_contiguous and not value.flags.c_contiguous
    order: Literal["F", "C"] = "F" if fortran else "C"
    flat = value.ravel(order=order)
    # Dates have no buffer of their own, and an empty view cannot be cast.
    blob: Part = flat.view(np.uint8).data if flat.size and flat.itemsize else b""
    where = _added(blob, blobs)
    return {"array": where, "dtype": value.dtype.str, "shape": shape, "order": order}


def _added(blob: Part, blobs: list[Part]) -> list[int]:
    """Return first byte and length of a blob among all, after it has been added."""
    start = sum(len(one) for one in blobs)
    blobs += [blob, bytes(-len(blob) % _ALIGNMENT)]
    return [start, len(blob)]


def _decoded(tree: Any, blobs: memoryview) -> Any:
    if isinstance(tree, list):
        return [_decoded(one, blobs) for one in tree]
    if not isinstance(tree, dict):
        # A lone surrogate could be written to no file.
        text = isinstance(tree, str)
        return tree.encode("utf-8", "replace").decode() if text else tree
    if "dict" in tree:
        return {str(key): _decoded(one, blobs) for key, one in tree["dict"].items()}
    if "bytes" in tree:
        return bytes(_blob(tree["bytes"], blobs))
    return _decoded_array(tree, blobs)


def _decoded_array(tree: dict[str, Any], blobs: memoryview) -> NDArray[Any]:
    if "objects" in tree:
        result = np.empty(len(tree["objects"]), dtype=object)
        result[:] = _decoded(tree["objects"], blobs)
        return result.reshape(tree["shape"])
    dtype = np.dtype(tree["dtype"])
    if dtype.kind not in _PLAIN_KINDS:
        raise ValueError(f"no message: an array of {dtype}")
    if dtype.itemsize == 0:
        return np.zeros(tree["shape"], dtype)
    flat = np.frombuffer(_blob(tree["array"], blobs), dtype)
    return flat.reshape(tree["shape"], order="F" if tree["order"] == "F" else "C")


def _blob(where: list[int], blobs: memoryview) -> memoryview:
    start, length = where
    if start < 0 or length < 0 or start + length > len(blobs):
        raise ValueError("no message: it ends too early")
    return blobs[start : start + length]
