"""What OpenML serves is fetched as it is, or refused in one line."""

import pytest
from faults.repositories import CSV, Repositories

from gnbbench.data import openml
from gnbbench.errors import DatasetError

# The libraries leave answers open that broke off.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.mark.parametrize("wanted", ["toy", "9001", "TOY"])
def test_a_dataset_is_known_by_its_number(repositories: Repositories, wanted: str) -> None:
    fetched = openml.fetch(wanted)

    assert (fetched.source, fetched.name) == ("openml:9001", "toy")
    assert (fetched.targets, fetched.licence) == (("kind",), "Public")
    assert "dataset 9001 (toy, version 1)" in fetched.origin
    assert fetched.notes == ()
    assert repositories.asked[-1] == "/openml/toy.arff"


def test_its_values_are_those_served(repositories: Repositories) -> None:
    rows = [line.split(",") for line in openml.fetch("toy").text.splitlines()]

    served = [line.split(",") for line in CSV.splitlines()]
    assert repositories.asked
    assert rows[0] == served[0]
    assert [row[1::2] for row in rows] == [row[1::2] for row in served]
    for column in (0, 2, 4):
        values = [[float(row[column] or "nan") for row in t[1:]] for t in (rows, served)]
        assert values[0] == pytest.approx(values[1], rel=0, abs=0, nan_ok=True)


def test_several_versions_are_noted(repositories: Repositories) -> None:
    repositories.versions = 2

    assert "several active versions" in openml.fetch("toy").notes[0]


@pytest.mark.parametrize(
    ("given", "targets"), [("kind,G3", ("kind", "G3")), (None, ()), ("no column", ())]
)
def test_targets_are_those_that_are_columns(
    repositories: Repositories, given: str | None, targets: tuple[str, ...]
) -> None:
    repositories.default_target = given

    assert openml.fetch("toy").targets == targets


@pytest.mark.parametrize(
    "wanted", ["", "0", "a/b", "a b", "../x", "a" * 129, "9" * 5000, "²", "iris\n"]
)
def test_what_no_dataset_can_be_called_is_not_asked_for(
    repositories: Repositories, wanted: str
) -> None:
    with pytest.raises(DatasetError, match="no dataset of OpenML can be called so") as told:
        openml.fetch(wanted)

    assert repositories.asked == []
    assert str(told.value).isprintable()


@pytest.mark.parametrize("wanted", ["nothing", "123456"])
def test_an_unknown_dataset_is_told(repositories: Repositories, wanted: str) -> None:
    with pytest.raises(DatasetError, match=f"openml:{wanted}: OpenML has no such dataset"):
        openml.fetch(wanted)

    assert repositories.asked


@pytest.mark.parametrize("part", ["list", "info", "features", "toy.arff"])
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("500", r"answered with an error \(500"),
        ("404", "nothing there"),
        ("truncated", "broke off|cannot be used"),
        ("garbage", "cannot be used"),
    ],
)
def test_a_server_that_fails_gets_one_line(
    repositories: Repositories, part: str, fault: str, words: str
) -> None:
    repositories.fault = lambda path: fault if part in path else ""

    with pytest.raises(DatasetError, match=words) as refusal:
        openml.fetch("toy")

    assert "download the file yourself and give its path" in str(refusal.value)
    assert str(refusal.value).isprintable()
