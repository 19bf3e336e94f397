"""What OpenML and UCI serve is fetched as it is, or refused in one line."""

import socket
import warnings
from dataclasses import replace
from http.client import IncompleteRead
from urllib.error import HTTPError, URLError

import pytest
from faults.repositories import CSV, Repositories

from gnbbench.data import repositories as module
from gnbbench.data.network import fetch_or_load
from gnbbench.data.repositories import (
    PATIENCE_SECONDS,
    UCI,
    fetch_openml,
    fetch_uci,
    fetching,
)
from gnbbench.errors import DatasetError

# The libraries leave answers open that broke off.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

SITE = replace(UCI, called="Repo", site="site.org")


class OpenMLError(ValueError):
    """Called as scikit-learn's is."""


def http_error(code: int, reason: str) -> HTTPError:
    return HTTPError("http://x", code, reason, None, None)  # type: ignore[arg-type]


def led_to(error: Exception, cause: Exception) -> Exception:
    error.__context__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (URLError(OSError(-2, "Name not known")), "site.org cannot be reached (Name not"),
        (ConnectionRefusedError(111, "Connection refused"), "reached (Connection refused)"),
        (TimeoutError("timed out"), "site.org cannot be reached (timed out). Try again,"),
        (http_error(500, "Internal"), "answered with an error (500 Internal). Try again l"),
        (http_error(404, "Not Found"), "has nothing there (404 Not Found). Look for it at"),
        (led_to(ConnectionError("Error"), http_error(503, "busy")), "503 busy"),
        (OpenMLError("Dataset with data_id 7"), "Repo has no such dataset. Look its name"),
        (IncompleteRead(b"abc", 9), "the answer of site.org broke off. Try again"),
        (EOFError("ended"), "broke off"),
        (ValueError("a\nb" + "c" * 999), "sent cannot be used (ValueError: a bccc"),
        (KeyError("data"), "cannot be used (KeyError: 'data')"),
    ],
)
def test_each_failure_has_its_line(error: Exception, words: str) -> None:
    with pytest.raises(DatasetError) as refusal, fetching("r:1", SITE):
        raise error

    assert str(refusal.value).startswith("r:1: ")
    assert words in str(refusal.value)
    assert str(refusal.value).isprintable()
    assert len(str(refusal.value)) < 400


def test_a_fault_of_ours_is_no_failure_of_the_network() -> None:
    with pytest.raises(ZeroDivisionError), fetching("r:1", SITE):
        _ = 1 / 0


def test_warnings_are_kept_and_waiting_has_an_end() -> None:
    before = socket.getdefaulttimeout()

    with fetching("r:1", SITE) as remarks:
        warnings.warn("two\nlines", stacklevel=1)
        assert socket.getdefaulttimeout() == PATIENCE_SECONDS

    assert remarks == ["two\\u000alines"]
    assert socket.getdefaulttimeout() == before


@pytest.mark.parametrize("wanted", ["toy", "9001", "TOY"])
def test_a_dataset_of_openml_is_known_by_its_number(
    repositories: Repositories, wanted: str
) -> None:
    fetched = fetch_openml(wanted)

    assert (fetched.source, fetched.name) == ("openml:9001", "toy")
    assert (fetched.targets, fetched.licence) == (("kind",), "Public")
    assert "dataset 9001 (toy, version 1)" in fetched.origin
    assert fetched.notes == ()
    assert repositories.asked[-1] == "/openml/toy.arff"
    rows, served = (
        [line.split(",") for line in text.splitlines()] for text in (fetched.text, CSV)
    )
    assert [row[1::2] for row in rows] == [row[1::2] for row in served]
    for column in (0, 2, 4):
        values = [[float(row[column] or "nan") for row in t[1:]] for t in (rows, served)]
        assert values[0] == pytest.approx(values[1], rel=0, abs=0, nan_ok=True)


@pytest.mark.parametrize(
    ("given", "targets"), [("kind,G3", ("kind", "G3")), (None, ()), ("no column", ())]
)
def test_targets_are_those_that_are_columns(
    repositories: Repositories, given: str | None, targets: tuple[str, ...]
) -> None:
    repositories.default_target = given
    repositories.versions = 2

    fetched = fetch_openml("toy")

    assert fetched.targets == targets
    assert "several active versions" in fetched.notes[0]


def test_columns_of_uci_keep_their_roles(repositories: Repositories) -> None:
    fetched = fetch_uci("320")

    assert (fetched.source, fetched.name) == ("uci:320", "Student Performance")
    assert (fetched.targets, fetched.aside) == (("kind", "G3"), ("size",))
    assert fetched.text.splitlines()[0] == CSV.splitlines()[0]
    assert fetched.text.splitlines()[2] == "16.0,M,0.1,v,11"
    assert repositories.asked == ["/uci/api?id=320", "/uci/static/320.csv"]


@pytest.mark.parametrize(
    ("repository", "wanted", "words"),
    [
        *(
            ("openml", wanted, "no dataset of OpenML can be called so")
            for wanted in ("", "0", "a/b", "a b", "../x", "a" * 129, "9" * 5000, "²", "a\n")
        ),
        *(
            ("uci", wanted, "asked for by number")
            for wanted in ("", "0", "iris", "-1", "٣", "9" * 5000)
        ),
        ("openml", "nothing", "openml:nothing: OpenML has no such dataset"),
        ("openml", "123456", "openml:123456: OpenML has no such dataset"),
        ("uci", "34", "uci:34: UCI has it, but not as one table"),
        ("uci", "999", "uci:999: UCI has no such dataset"),
        ("uci", "12345", "uci:12345: .*has nothing there"),
    ],
)
def test_what_there_is_not_is_named_and_asked_for_only_where_it_could_be(
    repositories: Repositories, repository: str, wanted: str, words: str
) -> None:
    with pytest.raises(DatasetError, match=words) as refusal:
        fetch_or_load(f"{repository}:{wanted}")

    assert bool(repositories.asked) == ("called so" not in words and "by n" not in words)
    assert str(refusal.value).isprintable()


def test_without_the_library_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda _name: None)

    with pytest.raises(DatasetError, match=r'pip install "gnbbench\[uci\]"'):
        fetch_uci("320")
