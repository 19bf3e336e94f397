"""Arrays come back as they were sent, and nothing else is sent."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from gnbbench.processes.messages import Payload, packed, unpacked


@dataclass
class Dated:
    """Something of several fields."""

    value: float
    month: str


ARRAYS: dict[str, Any] = {
    "floats": np.linspace(-1.0, 1.0, 7),
    "not finite": np.array([np.nan, np.inf, -np.inf, -0.0]),
    "half": np.array([[0.5, 2.0]], dtype=np.float16),
    "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "every other": np.arange(12.0).reshape(3, 4)[::2, ::2],
    "backwards": np.arange(5)[::-1],
    "big-endian": np.arange(3, dtype=">i4"),
    "truths": np.array([True, False]),
    "texts": np.array(["a", "größer", ""]),
    "bytes": np.array([b"a", b"bc"]),
    "dates": np.array(["2020-01-01"], dtype="datetime64[D]"),
    "objects": np.array(["a", 1, None, 2.5, True], dtype=object),
    "empty": np.empty((0, 3)),
    "empty texts": np.array(["", ""]),
    "one": np.array(3.5),
    "read-only": np.frombuffer(b"12345678", dtype=np.float64),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_comes_back_with_its_bits_shape_type_and_order(name: str) -> None:
    given = ARRAYS[name]

    found = unpacked(bytearray(b"".join(packed({"it": [given, 1]}))))["it"][0]

    assert found.dtype == given.dtype
    assert found.shape == given.shape
    assert found.tolist() == given.tolist() or np.isnan(given).any()
    assert given.dtype == object or found.tobytes() == given.tobytes()
    assert found.flags.f_contiguous >= given.flags.f_contiguous
    assert found.flags.aligned


def test_plain_values_come_back() -> None:
    given = {"a": [1, 2.5, "é", None, True, {"b": {"payload": Payload(b"x")}}], "c": {}}

    assert unpacked(b"".join(packed(given))) == given
    assert unpacked(b"".join(packed(Dated(2.0, "may")))) == {"value": 2.0, "month": "may"}


def test_half_a_character_becomes_a_whole_one() -> None:
    assert unpacked(b"".join(packed("\ud800"))) == "?"


@pytest.mark.parametrize(
    "given",
    [
        len,
        object(),
        np.array([object()]),
        np.array([[1], [len]], dtype=object),
        np.zeros(2, dtype=[("a", int)]),
        1j,
        b"bytes",
    ],
)
def test_anything_else_is_not_sent(given: Any) -> None:
    with pytest.raises(TypeError):
        packed({"it": given})


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\x05" + bytes(7) + b"[1, 2",
        b"\xff" * 40,
        b"".join(packed(np.arange(9.0)))[:100],
        b"".join(packed(np.arange(9.0))).replace(b"<f8", b"|O8"),
        b"".join(packed(np.arange(9.0))).replace(b"[9]", b"[8]"),
        b"".join(packed(np.arange(9.0))).replace(b"<f8", b"<q!"),
        b"".join(packed(np.arange(9.0))).replace(b'"array"', b'"arrax"'),
    ],
)
def test_invalid_messages_are_refused(message: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        unpacked(message)
