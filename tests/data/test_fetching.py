"""Whatever goes wrong while fetching becomes one line that says what to do."""

import socket
import warnings
from http.client import IncompleteRead
from urllib.error import HTTPError, URLError

import pytest

from gnbbench.data.fetching import PATIENCE_SECONDS, fetching
from gnbbench.errors import DatasetError


class OpenMLError(ValueError):
    """Called as scikit-learn's is."""


def http_error(code: int, reason: str) -> HTTPError:
    return HTTPError("http://x", code, reason, None, None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (URLError(OSError(-2, "Name not known")), "site.org cannot be reached (Name not"),
        (ConnectionRefusedError(111, "Connection refused"), "reached (Connection refused)"),
        (
            TimeoutError("timed out"),
            "site.org cannot be reached (timed out). Try again, or",
        ),
        (
            http_error(500, "Internal"),
            "answered with an error (500 Internal). Try again lat",
        ),
        (http_error(404, "Not Found"), "has nothing there (404 Not Found). Look for it at"),
        (OpenMLError("Dataset with data_id 7"), "Repo has no such dataset. Look its name"),
        (IncompleteRead(b"abc", 9), "the answer of site.org broke off. Try again"),
        (EOFError("ended"), "broke off"),
        (
            ValueError("a\nb" + "c" * 999),
            "site.org sent cannot be used (ValueError: a bccc",
        ),
        (KeyError("data"), "cannot be used (KeyError: 'data')"),
    ],
)
def test_each_failure_has_its_line(error: Exception, words: str) -> None:
    with pytest.raises(DatasetError) as refusal, fetching("r:1", "Repo", "site.org"):
        raise error

    assert str(refusal.value).startswith("r:1: ")
    assert words in str(refusal.value)
    assert str(refusal.value).isprintable()
    assert len(str(refusal.value)) < 400


def test_what_led_to_an_error_counts() -> None:
    error = ConnectionError("Error connecting to server")
    error.__context__ = http_error(503, "busy")

    with pytest.raises(DatasetError, match="503 busy"), fetching("r:1", "R", "s"):
        raise error


def test_a_fault_of_ours_is_no_failure_of_the_network() -> None:
    with pytest.raises(ZeroDivisionError), fetching("r:1", "R", "s"):
        _ = 1 / 0


def test_warnings_are_kept_and_waiting_has_an_end() -> None:
    before = socket.getdefaulttimeout()

    with fetching("r:1", "R", "s") as told:
        warnings.warn("two\nlines", stacklevel=1)
        assert socket.getdefaulttimeout() == PATIENCE_SECONDS

    assert told == ["two\\u000alines"]
    assert socket.getdefaulttimeout() == before
