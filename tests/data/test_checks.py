"""What can be seen before anything heavy is loaded is refused as loading would."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gnbbench.data.checks import FILE_OPTIONS, FLAGS, NETWORK_OPTIONS, check
from gnbbench.data.loading import load
from gnbbench.data.stream import open_stream
from gnbbench.errors import GnbBenchError

Write = Callable[..., Path]

OF_A_FILE = [
    ("a,b,y\n1,2,u\n3,4,v\n", {}),
    ("a,b,y\n1,2,u\n3,4,v\n", {"target": "Y"}),
    ("a,b,y\n1,2,u\n3,4,v\n", {"target": "y", "drop": ["c"]}),
    ("a,b,y\n1,2,u\n3,4,v\n", {"target": "y", "drop": ["a", "b"]}),
    ("a,b,y\n1,2,u\n3,4,v\n", {"target": "y", "missing": "fill"}),
    ("a,b,y\n1,2,u\n3,4,v\n", {"target": "y", "separator": ";;"}),
    ("a,b,a\n1,2,u\n3,4,v\n", {"target": "y"}),
    ("1,2,3\n4,5,6\n", {"target": "y"}),
    ("", {"target": "y"}),
    (b"a,y\n1,\xff\n", {"target": "y"}),
]


def refusal(call: Callable[..., Any], *arguments: Any, **options: Any) -> str:
    with pytest.raises(GnbBenchError) as refused:
        call(*arguments, **options)
    return str(refused.value)


@pytest.mark.parametrize(
    ("source", "options"),
    [
        ("irsi", {}),
        ("iris", {"target": "y"}),
        ("gaussians", {"separator": ","}),
        ("none.csv", {"target": "y"}),
        ("none.csv", {"n_samples": 9}),
        ("openml:a b", {}),
        ("uci:iris", {}),
        ("uci:320", {"header": True}),
        (".", {}),
    ],
)
def test_a_wrong_request_is_refused_in_the_same_words(source: str, options: Any) -> None:
    assert refusal(check, source, **options) == refusal(load, source, **options)


@pytest.mark.parametrize(("content", "options"), OF_A_FILE)
def test_a_wrong_header_is_refused_in_the_same_words(
    write: Write, content: str | bytes, options: Any
) -> None:
    path, given = write(content), {"target": None, **options}

    assert refusal(check, path, **options) == refusal(load, path, **options)
    of_stream = refusal(check, path, stream=True, **given)
    assert of_stream == refusal(open_stream, path, **given)


def test_a_wrong_request_for_a_stream_is_refused_in_the_same_words(
    tmp_path: Path, write: Write
) -> None:
    np.save(tmp_path / "X.npy", np.eye(3))
    text = write("a,y\n1,u\n2,v\n")
    for source, options in (
        (tmp_path / "X.npy", {"separator": ";"}),
        (tmp_path / "X.npy", {"missing": "fill"}),
        (tmp_path / "none.csv", {}),
        (text, {"block_rows": 0}),
        (text, {"target": "a>1"}),
    ):
        given: dict[str, Any] = {"target": "0", **options}

        assert refusal(check, source, stream=True, **given) == refusal(
            open_stream, source, **given
        )


def test_what_may_be_loaded_passes(write: Write) -> None:
    path = write("a,b,y\n1,2,u\n3,4,v\n")

    check("iris")
    check("gaussians", n_samples=9, drop=(), missing="error", one_hot=False)
    check("openml:61", offline=True, target="class")
    check(path, target="b>=3", drop=["a"], missing="drop", one_hot=True)
    check(path, stream=True, target="y")


def test_options_of_a_source_have_flags() -> None:
    assert {*FILE_OPTIONS, *NETWORK_OPTIONS} <= {*FLAGS}
