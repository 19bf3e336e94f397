"""What UCI serves is fetched with the roles of its columns, or refused in one line."""

import pytest
from faults.repositories import CSV, Repositories

from gnbbench.data import uci
from gnbbench.errors import DatasetError

# The libraries leave answers open that broke off.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


def test_columns_keep_their_roles(repositories: Repositories) -> None:
    fetched = uci.fetch("320")

    assert (fetched.source, fetched.name) == ("uci:320", "Student Performance")
    assert (fetched.targets, fetched.aside) == (("kind", "G3"), ("size",))
    assert fetched.text.splitlines()[0] == CSV.splitlines()[0]
    assert fetched.text.splitlines()[2] == "16.0,M,0.1,v,11"
    assert repositories.asked == ["/uci/api?id=320", "/uci/static/320.csv"]


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("34", "UCI has it, but not as one table"),
        ("999", "UCI has no such dataset"),
        ("12345", "has nothing there"),
    ],
)
def test_an_unknown_dataset_is_told(
    repositories: Repositories, wanted: str, words: str
) -> None:
    with pytest.raises(DatasetError, match=f"uci:{wanted}: .*{words}"):
        uci.fetch(wanted)

    assert repositories.asked


@pytest.mark.parametrize("wanted", ["", "0", "iris", "-1", "٣", "9" * 5000])
def test_a_name_is_refused(repositories: Repositories, wanted: str) -> None:
    with pytest.raises(DatasetError, match="asked for by number"):
        uci.fetch(wanted)

    assert repositories.asked == []


@pytest.mark.parametrize("part", ["api", "static"])
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("500", r"answered with an error \(500"),
        ("404", "nothing there"),
        ("truncated", "broke off"),
        ("garbage", "cannot be used"),
    ],
)
def test_a_server_that_fails_gets_one_line(
    repositories: Repositories, part: str, fault: str, words: str
) -> None:
    repositories.fault = lambda path: fault if part in path else ""

    with pytest.raises(DatasetError, match=words) as refusal:
        uci.fetch("320")

    assert str(refusal.value).isprintable()


def test_without_the_library_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uci, "find_spec", lambda _name: None)

    with pytest.raises(DatasetError, match=r'pip install "gnbbench\[uci\]"'):
        uci.fetch("320")
