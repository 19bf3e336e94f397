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
        ("gausians?offset=1.5", {}),
        ("gaussians?m=9", {}),
        ("openml:a b", {}),
        ("uci:iris", {}),
        ("uci:320", {"header": True}),
        (".", {}),
    ],
)
def test_a_wrong_request_is_refused_in_the_same_words(source: str, options: Any) -> None:
    assert refusal(check, source, **options) == refusal(load, source, **options)


OF_A_FILE: list[tuple[str | bytes, dict[str, Any], str]] = [
    ("id,size,Species\n1,2,u\n3,4,v\n", options, message)
    for options, message in (
        ({}, "such as --target Species: 'id', 'size', 'Species'"),
        ({"target": "species"}, "Did you mean 'Species'"),
        ({"target": "Specis"}, "Did you mean 'Species'"),
        ({"target": "zzz"}, "no column 'zzz'. Its columns, by name or by number from 0"),
        ({"target": "id", "drop": ["sise"]}, "no column 'sise'. Did you mean 'size'"),
        ({"target": "id", "drop": ["id"]}, "--drop: 'id' is the target"),
        (
            {"target": "Species", "drop": ["id", "size"]},
            "no column is left besides the target 'Species'. Give fewer --drop, or another "
            "--sep than ','.",
        ),
        ({"target": "id", "missing": "fill"}, "--missing: 'fill' is unknown"),
        ({"target": "id", "separator": ";;"}, "--sep: ';;' is not one character"),
    )
]
OF_A_FILE += [
    ("p,q\n1,u\n", {}, "Give one of its columns: 'p', 'q'"),
    ("x;y\n1;u\n", {"target": "y", "separator": ","}, "column, 'x;y'. Give another"),
    (",x,y\n1,2,u\n", {"target": "y"}, "column 1 has no name; it may be an index"),
    (",x,y\n1,2,u\n", {"target": "y"}, "--drop c0"),
    ("x,y,x \n1,2,3\n", {"target": "y"}, "columns 1 and 3 are both called 'x'"),
    ("1,2,3\n4,5,6\n", {"target": "y"}, "the first line holds numbers (such as '1')"),
    ("", {"target": "y"}, "the file is empty"),
    (b"a,y\n1,\xff\n", {"target": "y"}, "it is not UTF-8: byte 0xff in line 2"),
]


@pytest.mark.parametrize(("content", "options", "message"), OF_A_FILE)
def test_a_wrong_header_is_refused_in_the_same_words(
    write: Write, content: str | bytes, options: Any, message: str
) -> None:
    path, given = write(content), {"target": None, **options}

    text = refusal(check, path, **options)

    assert message in text
    assert text == refusal(load, path, **options)
    of_stream = refusal(check, path, stream=True, **given)
    assert of_stream == refusal(open_stream, path, **given)
    assert message in of_stream


def test_wrong_requests_for_streams_are_refused_alike(tmp_path: Path, write: Write) -> None:
    np.save(tmp_path / "X.npy", np.eye(3))
    text = write("a,y\n1,u\n2,v\n")
    for source, options, message in (
        (tmp_path / "X.npy", {"separator": ";"}, "--sep: it does not apply to an array"),
        (tmp_path / "X.npy", {"header": True}, "--header: it does not apply to an array"),
        (tmp_path / "X.npy", {"missing": "fill"}, "--missing: 'fill' is unknown"),
        (tmp_path / "none.csv", {}, "there is no such file"),
        (text, {"block_rows": 0}, "--block-rows: 0 is less than 1"),
        (text, {"target": "b>1"}, "it has no column 'b'"),
    ):
        given: dict[str, Any] = {"target": "0", **options}

        of_stream = refusal(open_stream, source, **given)
        assert refusal(check, source, stream=True, **given) == of_stream
        assert message in of_stream


def test_valid_requests_pass(write: Write) -> None:
    path = write("a,b,y\n1,2,u\n3,4,v\n")

    assert {*FILE_OPTIONS, *NETWORK_OPTIONS} <= {*FLAGS}
    check("iris")
    check("gaussians?n=9", drop=(), missing="error", one_hot=False)
    check("openml:61", offline=True, target="class")
    check(path, target="b>=3", drop=["a"], missing="drop", one_hot=True)
    check(path, stream=True, target="y")
