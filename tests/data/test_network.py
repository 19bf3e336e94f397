"""Datasets of OpenML and UCI are downloaded once, or give a one-line error."""

import hashlib
import json
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from dataclasses import replace
from http.client import IncompleteRead
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError

import pytest
from faults.repositories import CSV, Repositories

from gnbbench.data import network
from gnbbench.data.catalogue import UCI as UCI_REPOSITORY
from gnbbench.data.loading import load
from gnbbench.errors import DatasetError, GnbBenchError, OptionError

# The libraries leave answers open that broke off.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

TESTS = Path(__file__).parents[1]
OPENML: dict[str, Any] = {"source": "openml:toy", "missing": "drop", "one_hot": True}
UCI: dict[str, Any] = {**OPENML, "source": "uci:320", "target": "G3>=10"}


@pytest.mark.usefixtures("repositories")
def test_targets_and_features_equal_those_of_the_repository() -> None:
    by_name, by_number = load(**OPENML), load(**UCI)
    other = load("openml:toy", target="G3>=10", drop=["age", "kind", "sex"])

    assert by_name.feature_names == ("age", "sex=F", "sex=M", "size", "G3")
    assert by_name.X[1].tolist() == [16.0, 0.0, 1.0, 0.1, 11.0]
    assert by_name.y.tolist() == ["u", "v", "v", "u"]
    assert (by_name.name, by_name.target_name) == ("toy", "kind")
    assert by_name.origin.startswith("OpenML, dataset 9001")
    assert by_number.feature_names == ("age", "sex=F", "sex=M", "kind=u", "kind=v")
    assert load(**{**UCI, "target": "size>1"}).target_name == "size > 1"
    assert (other.feature_names, other.X[4, 0]) == (("size",), 0.001)
    assert other.class_names == ("G3 < 10", "G3 >= 10")
    assert other.y.tolist() == [0, 1, 1, 0, 1]


def test_of_several_targets_one_must_be_given(repositories: Repositories) -> None:
    with pytest.raises(OptionError, match=r"uci:320 has several: 'kind', 'G3'.*-target G3"):
        load("uci:320")

    repositories.default_target = "kind,G3"
    several = load("openml:toy", target="kind", drop=["sex"], missing="drop")
    note = "Used as features, though the repository lists them as targets: 'G3'."
    assert note in several.notes
    repositories.default_target = None
    [path] = [path for path in network.directory().iterdir() if "openml" in path.name]
    path.unlink()
    with pytest.raises(OptionError, match="openml:9001 does not say which column"):
        load("openml:toy")


@pytest.mark.parametrize("options", [OPENML, UCI])
def test_fetched_once_it_needs_no_network(
    repositories: Repositories, monkeypatch: pytest.MonkeyPatch, options: Any
) -> None:
    """Which dataset a name means is OpenML's to say: its number does not stand for it."""
    monkeypatch.setenv("GNBBENCH_OFFLINE", "1")
    with pytest.raises(DatasetError, match=r"no copy in .*cache, .*GNBBENCH_OFFLINE"):
        load(**options)
    assert repositories.asked == []
    monkeypatch.setenv("GNBBENCH_OFFLINE", "0")
    first = load(**options)
    asked = len(repositories.asked)

    again = load(**options, offline=True)
    by_parameters = load(**first.parameters, offline=True)

    assert len(repositories.asked) == asked
    assert again.sha256 == by_parameters.sha256 == first.sha256
    assert first.parameters["source"] in {"openml:9001", "uci:320"}
    (path,) = network.directory().iterdir()
    path.rename(path.with_name("openml-9001.csv"))
    with pytest.raises(DatasetError, match="there is no copy"):
        load("openml:toy", offline=True)


def refused(repositories: Repositories, _monkeypatch: pytest.MonkeyPatch) -> None:
    repositories.shutdown()
    repositories.server_close()


def silent(repositories: Repositories, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "PATIENCE_SECONDS", 0.05)
    repositories.fault = lambda _path: "silent"


def broken(fault: str, part: str) -> Callable[..., None]:
    def apply(repositories: Repositories, _monkeypatch: pytest.MonkeyPatch) -> None:
        repositories.fault = lambda path: fault if part in path else ""

    return apply


FAILURES = {
    "500": r"answered with an error \(500",
    "404": "nothing there",
    "truncated": "was cut off|cannot be used",
    "garbage": "cannot be used",
}


@pytest.mark.parametrize(
    ("options", "fault", "words"),
    [
        *(
            (options, refused, r"reached \(Connection refused\)")
            for options in (OPENML, UCI)
        ),
        *((options, silent, r"did not answer within 0.05 s") for options in (OPENML, UCI)),
        *(
            (options, broken(fault, part), words)
            for options, parts in (
                (OPENML, ("list", "info", "features", "toy.arff")),
                (UCI, ("api", "static")),
            )
            for part in parts
            for fault, words in FAILURES.items()
        ),
    ],
)
def test_a_failure_is_one_line_and_leaves_no_file(
    repositories: Repositories,
    monkeypatch: pytest.MonkeyPatch,
    *,
    options: Any,
    fault: Callable[..., None],
    words: str,
) -> None:
    fault(repositories, monkeypatch)

    with pytest.raises(DatasetError, match=words) as refusal:
        load(**options)

    assert str(refusal.value).isprintable()
    assert "download the file yourself and give its path" in str(refusal.value)
    assert not network.directory().exists()


@pytest.mark.parametrize("place", [30, 200, -3])
def test_a_damaged_copy_is_noticed(repositories: Repositories, place: int) -> None:
    first = load(**OPENML)
    (path,) = network.directory().iterdir()
    whole = path.read_bytes()
    damaged = bytearray(whole)
    damaged[place] ^= 1
    path.write_bytes(damaged)
    asked = len(repositories.asked)

    with pytest.raises(DatasetError, match=r"openml-9001\+toy\.csv is damaged"):
        load(**OPENML, offline=True)
    assert len(repositories.asked) == asked

    assert load(**OPENML).sha256 == first.sha256
    assert len(repositories.asked) > asked
    assert path.read_bytes() == whole


def test_a_copy_that_were_not_checked_would_give_other_data(
    repositories: Repositories, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = load(**OPENML)
    (path,) = network.directory().iterdir()
    path.write_bytes(path.read_bytes().replace(b"3.25", b"3.26"))
    monkeypatch.setattr("gnbbench.data.network._digest", lambda _content: b"")
    monkeypatch.setattr(network, "FIRST_LINE", path.read_bytes().partition(b"\n")[0])

    assert load(**OPENML, offline=True).sha256 != first.sha256
    assert repositories.asked


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"separator": ","}, "--sep: it does not apply to a dataset from openml: or uci:"),
        ({"header": True}, "--header: it does not apply"),
        ({"one_hot": False}, r"columns? 'sex' holds text.*first 'F' in row 0.*--one-hot"),
        ({"missing": "error"}, "first in row 2, column 'age'.*--missing drop"),
        ({"target": "G4>1"}, "openml:9001: it has no column 'G4'.*Did you mean 'G3'"),
        ({"drop": ["age", "sex", "size", "G3"]}, r"no column is left.* fewer --drop\.$"),
    ],
)
def test_unusable_data_are_one_line_errors(
    repositories: Repositories, options: Any, message: str
) -> None:
    with pytest.raises(GnbBenchError, match=message):
        load(**{**OPENML, **options})

    assert repositories.asked is not None


CHILD = """
import sys
from faults.repositories import redirect
redirect(setattr, sys.argv[1])
from gnbbench.data.loading import load
print(load("openml:toy", missing="drop", one_hot=True).sha256)
"""


@pytest.mark.slow
def test_two_that_fetch_at_once_leave_one_whole_file(repositories: Repositories) -> None:
    both = threading.Barrier(2)

    def wait_for_the_other(path: str) -> None:
        if path == "/openml/toy.arff":
            both.wait(120)

    repositories.before = wait_for_the_other
    command = [sys.executable, "-c", CHILD, repositories.url]
    children = [
        subprocess.Popen(command, cwd=TESTS, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    digests = [child.communicate(timeout=200)[0].strip() for child in children]

    assert [path.name for path in network.directory().iterdir()] == ["openml-9001+toy.csv"]
    dataset = load(**OPENML, offline=True)
    assert digests == [dataset.sha256] * 2
    assert repositories.asked.count("/openml/toy.arff") == 4
    assert network.fetch_or_load("openml:toy", offline=True).source == "openml:9001"


ONE = network.Fetched(
    source="openml:61",
    name="größe\nü",
    origin="OpenML",
    text='a,"b\r\n",y\n1,2,"x"\n',
    licence="CC0",
    targets=("y",),
    aside=("a",),
    notes=("One.", "Two."),
)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GNBBENCH_CACHE", str(tmp_path / "deep" / "cache"))
    return tmp_path / "deep" / "cache"


def test_a_copy_is_read_and_found_by_number_and_the_name_asked_for(cache: Path) -> None:
    by_number, by_name = network.write_copy(ONE), network.write_copy(ONE, asked="iris-2")

    assert by_number == cache / "openml-61.csv"
    assert network.read_copy(by_number) == network.read_copy(by_name) == ONE
    assert {*cache.iterdir()} == {by_number, by_name}
    assert set(network.copies_of("openml", "61")) == {by_number, by_name}
    assert network.copies_of("openml", "iris-2") == [by_name]
    for other in ("6", "1", "610", "iris", "2", "ris-2"):
        assert network.copies_of("openml", other) == []
    assert network.copies_of("uci", "61") == []


def test_every_flipped_or_lost_byte_and_every_other_file_is_noticed(cache: Path) -> None:
    path = network.write_copy(ONE)
    whole = path.read_bytes()
    others = [b"", b"\n", b"a,b\n1,2\n", b"\xff\xfe\n{}"]
    for place in range(len(whole)):
        others += [whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]]
        others += [whole[:place]]

    described, text = whole.split(b"\n", 2)[1:]
    fields = json.loads(described)
    edited: list[Any] = [[], 7, {}, {**fields, "name": 3}, {**fields, "targets": [None]}]
    edited += [{**fields, "more": ""}, {**fields, "notes": 1}]
    edited += [{**fields, "source": "openml:62"}]
    contents = [json.dumps(entry).encode() + b"\n" + text for entry in edited]
    for content in (*contents, b"", b"no json\n" + text, described, b"\xff\n" + text):
        digest = hashlib.sha256(content).hexdigest().encode()
        others.append(b"gnbbench dataset 1 sha256 " + digest + b"\n" + content)
    for content in others:
        path.write_bytes(content)
        assert network.read_copy(path) is None, content
    path.write_bytes(whole)
    assert network.read_copy(path) == ONE
    assert network.read_copy(cache / "none.csv") is None
    assert network.read_copy(cache) is None


def test_readers_see_whole_files_while_many_write_and_one_that_fails_leaves_the_old(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = [f"a,y\n{number},1\n" * 2000 for number in range(4)]
    versions = [network.Fetched("openml:61", "a", "b", text=text) for text in texts]
    path = network.write_copy(versions[0])
    writers = [
        threading.Thread(
            target=lambda version=version: [network.write_copy(version) for _ in range(8)]
        )
        for version in versions
    ]

    for writer in writers:
        writer.start()
    seen = [network.read_copy(path)]
    while any(writer.is_alive() for writer in writers):
        seen.append(network.read_copy(path))

    assert all(version in versions for version in seen)
    assert [*path.parent.iterdir()] == [path]

    def full(_from: Path, _to: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(DatasetError, match=r"No space left on device.*GNBBENCH_CACHE=DIR"):
        network.write_copy(ONE)
    assert network.read_copy(path) in versions
    assert [*path.parent.iterdir()] == [path]


def test_the_directory_is_the_users_cache_or_what_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("GNBBENCH_CACHE", str(tmp_path / "file"))
    assert network.copies_of("openml", "61") == []
    with pytest.raises(DatasetError, match="cannot be written"):
        network.write_copy(ONE)

    monkeypatch.setenv("GNBBENCH_CACHE", "")
    assert network.directory().name == "gnbbench"
    assert network.directory().is_absolute()


SITE = replace(UCI_REPOSITORY, called="Repo", site="site.org")


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
        (TimeoutError("timed out"), "site.org did not answer within 30 s. Try again,"),
        (http_error(500, "Internal"), "answered with an error (500 Internal). Try again l"),
        (http_error(404, "Not Found"), "has nothing there (404 Not Found). Look for it at"),
        (led_to(ConnectionError("Error"), http_error(503, "busy")), "503 busy"),
        (OpenMLError("Dataset with data_id 7"), "Repo has no such dataset. Look up its"),
        (IncompleteRead(b"abc", 9), "the answer from site.org was cut off. Try again"),
        (EOFError("ended"), "was cut off"),
        (ValueError("a\nb" + "c" * 999), "site.org cannot be used (ValueError: a bccc"),
        (KeyError("data"), "cannot be used (KeyError: 'data')"),
    ],
)
def test_each_failure_has_its_line(error: Exception, words: str) -> None:
    with pytest.raises(DatasetError) as refusal, network.fetching("r:1", SITE):
        raise error

    assert str(refusal.value).startswith("r:1: ")
    assert words in str(refusal.value)
    assert str(refusal.value).isprintable()
    assert len(str(refusal.value)) < 400


def test_warnings_are_kept_waiting_has_an_end_and_a_fault_of_ours_stays_one() -> None:
    before = socket.getdefaulttimeout()

    with network.fetching("r:1", SITE) as remarks:
        warnings.warn("two\nlines", stacklevel=1)
        assert socket.getdefaulttimeout() == network.PATIENCE_SECONDS
    with pytest.raises(ZeroDivisionError), network.fetching("r:1", SITE):
        _ = 1 / 0

    assert remarks == ["two\\u000alines"]
    assert socket.getdefaulttimeout() == before


def test_targets_are_columns_and_uci_has_roles(repositories: Repositories) -> None:
    repositories.versions = 2
    for given, targets in (("kind,G3", ("kind", "G3")), (None, ()), ("no column", ())):
        repositories.default_target = given
        fetched = network.fetch_openml("toy")
        assert fetched.targets == targets
        assert "several active versions" in fetched.notes[0]
    repositories.asked.clear()

    fetched = network.fetch_uci("320")

    assert (fetched.source, fetched.name) == ("uci:320", "Student Performance")
    assert (fetched.targets, fetched.aside) == (("kind", "G3"), ("size",))
    assert fetched.text.splitlines()[0] == CSV.splitlines()[0]
    assert fetched.text.splitlines()[2] == "16.0,M,0.1,v,11"
    assert repositories.asked == ["/uci/api?id=320", "/uci/static/320.csv"]


@pytest.mark.parametrize(
    ("repository", "wanted", "words"),
    [
        *(
            ("openml", wanted, "this cannot be the name of an OpenML dataset")
            for wanted in ("", "0", "a/b", "a b", "../x", "a" * 129, "9" * 5000, "²", "a\n")
        ),
        *(
            ("uci", wanted, "identified by number")
            for wanted in ("", "0", "iris", "-1", "٣", "9" * 5000)
        ),
        ("openml", "nothing", "openml:nothing: OpenML has no such dataset"),
        ("openml", "123456", "openml:123456: OpenML has no such dataset"),
        ("uci", "34", "uci:34: UCI has it, but not as one table"),
        ("uci", "999", "uci:999: UCI has no such dataset"),
        ("uci", "12345", "uci:12345: .*has nothing there"),
    ],
)
def test_missing_datasets_are_named_and_requested_only_if_possible(
    repositories: Repositories, repository: str, wanted: str, words: str
) -> None:
    with pytest.raises(DatasetError, match=words) as refusal:
        network.fetch_or_load(f"{repository}:{wanted}")

    assert bool(repositories.asked) == ("cannot be" not in words and "by n" not in words)
    assert str(refusal.value).isprintable()


def test_without_the_library_its_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "find_spec", lambda _name: None)

    with pytest.raises(DatasetError, match="pip install ucimlrepo"):
        network.fetch_uci("320")
