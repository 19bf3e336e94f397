"""Values as JSON can hold them."""

import json

import numpy as np
import pandas as pd
import pytest

from gnbbench.report.plain_values import as_text, plain


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.int64(3), 3),
        (np.bool_(True), True),
        (np.float64("nan"), None),
        (float("-inf"), "-Infinity"),
        (pd.NA, None),
        ((1, "a", None), [1, "a", None]),
        ({1: {"a": np.float32(0.5)}}, {"1": {"a": 0.5}}),
    ],
)
def test_only_plain_values_are_left(value: object, expected: object) -> None:
    found = plain(value)

    assert found == expected
    assert type(found) is type(expected)


def test_text_reads_back_and_ends_in_a_newline() -> None:
    text = as_text({"name": "naïve", "numbers": [0.1]})

    assert json.loads(text) == {"name": "naïve", "numbers": [0.1]}
    assert text.endswith("}\n")
    assert "naïve" in text


def test_a_number_that_json_does_not_know_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_text({"value": float("nan")})
