"""Times and shares as they are typed."""

import pytest

from gnbbench.errors import OptionError
from gnbbench.studies.option import seconds_of, share_of


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30s", 30.0), ("500ms", 0.5), ("2m", 120.0), ("1.5", 1.5), (" .5 s ", 0.5)],
)
def test_a_time_is_read(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize(
    "text",
    ["", "s", "-1s", "0", "0ms", "1d", "30 S", "1e3", "nan", "inf", "1 000s", "٣s", "1,5s"],
)
def test_what_is_no_time_is_one_line(text: str) -> None:
    with pytest.raises(OptionError, match="is no time") as caught:
        seconds_of(text)

    assert str(caught.value).startswith(f"--budget: '{text}'")


@pytest.mark.parametrize(
    ("text", "share"), [("1%", 0.01), ("0.5 %", 0.005), ("0.01", 0.01), (".2", 0.2)]
)
def test_a_share_is_read(text: str, share: float) -> None:
    assert share_of(text) == pytest.approx(share)


@pytest.mark.parametrize("text", ["", "%", "0", "0%", "1", "100%", "-1%", "1%%", "nan"])
def test_what_is_no_share_is_one_line(text: str) -> None:
    with pytest.raises(OptionError, match="is no share"):
        share_of(text)
