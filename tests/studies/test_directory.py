"""A results directory is made, resumed, cleared or refused; nobody else's files suffer."""

import json
import os
import sqlite3
from hashlib import sha256
from pathlib import Path

import pytest
from reading.commands import files

from gnbbench.errors import ResultsError
from gnbbench.files import UNFINISHED
from gnbbench.report.files import MANIFEST_NAME, REPORT_NAMES
from gnbbench.studies import directory as directories
from gnbbench.studies.store import FILE_NAME


def names(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


def test_empty_records_are_new_only_where_nothing_was_made_of_them(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).touch()
    directories.opened(tmp_path).close()
    (tmp_path / FILE_NAME).write_bytes(b"")
    (tmp_path / "index.html").write_text("a report on what was there")

    with pytest.raises(ResultsError, match="but no runs"):
        directories.opened(tmp_path)

    assert (tmp_path / FILE_NAME).read_bytes() == b""


def test_overwriting_takes_the_report_along_with_its_records(tmp_path: Path) -> None:
    with directories.opened(tmp_path) as store:
        store.add({}, {"plan": 1})
    directories.write_report(tmp_path, {"figures/fit.png": b"1", "index.html": b"2"})
    for name in ("runs.csv", "mine.txt", "figures/mine.png"):
        (tmp_path / name).write_text("mine")

    assert directories.clear(tmp_path) == [tmp_path / "runs.csv.bak"]

    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")}
    assert left == {"runs.csv.bak", "mine.txt", "figures/mine.png"}


def other_program(path: Path) -> bytes:
    """Write a database of another program, and return the file."""
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE mine (value)")
    connection.close()
    return path.read_bytes()


@pytest.mark.parametrize("taken", [FILE_NAME, "index.html", "runs.csv", "figures/fit.png"])
def test_foreign_directories_are_never_cleared(taken: str, tmp_path: Path) -> None:
    (tmp_path / "figures").mkdir()
    content = other_program(tmp_path / taken)

    if taken == FILE_NAME:
        with pytest.raises(ResultsError, match=r"another program\. Use another"):
            directories.clear(tmp_path)
    else:
        assert directories.clear(tmp_path) == []

    assert (tmp_path / taken).read_bytes() == content


def test_a_file_in_the_place_of_the_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")

    with pytest.raises(ResultsError, match="cannot be written"):
        directories.opened(tmp_path / "file")

    assert (tmp_path / "file").read_text() == "mine"


def test_a_directory_in_the_place_of_the_records_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()

    for of in (directories.opened, directories.clear):
        with pytest.raises(ResultsError):
            of(tmp_path)


def test_an_unreadable_manifest_is_refused_before_records_change(tmp_path: Path) -> None:
    directories.opened(tmp_path).close()
    before = (tmp_path / FILE_NAME).read_bytes()
    (tmp_path / MANIFEST_NAME).symlink_to(MANIFEST_NAME)

    with pytest.raises(ResultsError, match="Too many levels of symbolic links"):
        directories.opened(tmp_path)

    assert (tmp_path / FILE_NAME).read_bytes() == before
    assert names(tmp_path) == {FILE_NAME, MANIFEST_NAME}


def test_only_leftovers_of_a_killed_report_are_removed(tmp_path: Path) -> None:
    (tmp_path / "figures").mkdir()
    left = [tmp_path / f"{name}{UNFINISHED}" for name in (".a.json.1", "figures/.b.png.2")]
    kept = [tmp_path / name for name in (".notes.csv.20260101", ".page.html.original")]
    for path in (*left, *kept):
        path.write_text("half")
        os.utime(path, (0, 0))
    under_way = tmp_path / f".index.html.1{UNFINISHED}"
    under_way.write_text("another process is at it")

    directories.opened(tmp_path).close()

    assert not any(path.exists() for path in left)
    assert all(path.exists() for path in (*kept, under_way))


def test_stored_records_are_read_and_not_touched(tmp_path: Path) -> None:
    with directories.opened(tmp_path) as store:
        store.add({}, {"plan": 1})
    before = (tmp_path / FILE_NAME).read_bytes()

    with directories.stored(tmp_path) as found:
        found.add({}, {"more": 2})

    assert (tmp_path / FILE_NAME).read_bytes() == before
    assert names(tmp_path) == {FILE_NAME}


@pytest.mark.parametrize(
    ("path", "words"), [("", r"no runs\.sqlite in it"), ("nothing", "no such directory")]
)
def test_no_records_are_none_to_read(path: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=words):
        directories.stored(tmp_path / path)


def test_a_report_goes_nowhere_where_another_study_is(tmp_path: Path) -> None:
    directories.refuse_other_study(tmp_path / "new")
    directories.opened(tmp_path / "old").close()

    with pytest.raises(ResultsError, match="records of something else"):
        directories.refuse_other_study(tmp_path / "old")


def test_a_refusal_of_another_plan_says_what_differs() -> None:
    kept = {"study": "compare", "runs": 100, "sha256": "a", "digests": {"GNB": "1"}}
    asked = {
        "study": "compare",
        "runs": 20,
        "sha256": "a",
        "digests": {"GNB": "2"},
        "specifications": {"GNB": "my_gnb.py:GNB"},
    }

    assert str(directories.other_plan(Path("out"), kept, asked)) == (
        "out: this directory holds a study with other settings (runs: 100, now 20, "
        "my_gnb.py changed). Use --overwrite or another --out."
    )


REPORT = {
    "figures/fit.png": b"a picture",
    "figures/fit.csv": b"a table",
    "runs.csv": b"runs",
    "index.html": b"a page",
}


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """Give a directory with a report."""
    assert directories.write_report(tmp_path, REPORT) == []
    return tmp_path


def test_a_report_is_replaced_and_what_it_lacks_goes(written: Path) -> None:
    (written / "figures" / "mine.png").write_text("mine")

    new = {"index.html": b"new", "claims.csv": b"c"}
    assert directories.write_report(written, new) == []

    contents = files(written)
    assert json.loads(contents.pop(MANIFEST_NAME))["files"].keys() == new.keys()
    assert contents == {**new, "figures/mine.png": b"mine"}


@pytest.mark.parametrize("name", [*REPORT, MANIFEST_NAME])
def test_changed_files_are_set_aside(name: str, written: Path) -> None:
    for attempt in ("", ".2"):
        (written / name).write_text("mine")

        kept = directories.write_report(written, {n: c + b"2" for n, c in REPORT.items()})

        of_others = kept if name == MANIFEST_NAME else [written / f"{name}{attempt}.bak"]
        assert kept == of_others
        assert (written / f"{name}{attempt}.bak").read_text() == "mine"


def test_changed_files_that_are_not_replaced_stay(written: Path) -> None:
    (written / "runs.csv").write_text("mine")

    assert directories.write_report(written, {"index.html": b"new"}) == []

    assert (written / "runs.csv").read_text() == "mine"


def test_a_link_in_the_place_of_a_file_is_kept_and_its_target_untouched(
    written: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    target = tmp_path_factory.mktemp("elsewhere") / "page.html"
    target.write_bytes(REPORT["index.html"])
    (written / "index.html").unlink()
    (written / "index.html").symlink_to(target)

    kept = directories.write_report(written, {"index.html": b"new"})

    assert kept == [written / "index.html.bak"]
    assert target.read_bytes() == REPORT["index.html"]
    assert (written / "index.html.bak").is_symlink()


@pytest.mark.parametrize("kind", ["link", "file"])
def test_figures_that_lead_elsewhere_are_refused_before_anything_is_written(
    kind: str, tmp_path: Path
) -> None:
    elsewhere, here = tmp_path / "elsewhere", tmp_path / "here"
    for directory in (elsewhere, here):
        directory.mkdir()
    if kind == "link":
        (here / "figures").symlink_to(elsewhere)
    else:
        (here / "figures").write_text("mine")

    with pytest.raises(ResultsError, match=r"here/figures: it is (a link|not a directory)"):
        directories.opened(here)
    with pytest.raises(ResultsError, match="figures: it is"):
        directories.write_report(here, REPORT)

    assert not list(elsewhere.iterdir())
    assert [path.name for path in here.iterdir()] == ["figures"]


def test_after_a_kill_at_any_write_every_file_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each half of the old report and the new one is replaced and nothing kept aside."""
    new = {"figures/new.png": b"new", **dict.fromkeys(REPORT, b"new")}
    replace = Path.replace
    for place in range(len(new) + 2):
        directory = tmp_path / str(place)
        directories.write_report(directory, REPORT)
        left = [place]

        def mortal(path: Path, target: Path, left: list[int] = left) -> Path:
            left[0] -= 1
            if left[0] < 0:
                raise SystemExit
            return replace(path, target)

        with monkeypatch.context() as patch:
            patch.setattr(Path, "replace", mortal)
            with pytest.raises(SystemExit):
                directories.write_report(directory, new)

        assert directories.write_report(directory, {"index.html": b"third"}) == []
        assert files(directory).keys() == {"index.html", MANIFEST_NAME}


def test_a_foreign_list_deletes_nothing(written: Path) -> None:
    """A directory that somebody sent may name any file with its digest."""
    mine = written.parent / "mine.txt"
    mine.write_text("mine")
    text = (written / MANIFEST_NAME).read_text()
    for name in ("../mine.txt", str(mine), "figures/../../mine.txt"):
        digest = sha256(b"mine").hexdigest()
        (written / MANIFEST_NAME).write_text(
            text.replace('"files": {', f'"files": {{ "{name}": ["{digest}"],')
        )
        directories.write_report(written, {"index.html": b"new"})
        assert mine.read_text() == "mine"


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"schema": "gnbbench manifest"}', '{"schema": 1, "files": {}}'],
)
def test_a_list_that_is_not_ours_makes_no_report(text: str, tmp_path: Path) -> None:
    (tmp_path / MANIFEST_NAME).write_text(text)

    assert not directories.is_report(tmp_path)
    with pytest.raises(ResultsError, match=rf"it holds {MANIFEST_NAME}"):
        directories.opened(tmp_path)


@pytest.mark.parametrize("name", sorted({*REPORT_NAMES, "figures/scale_samples.svg"}))
def test_foreign_files_in_the_way_are_noticed(name: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).symlink_to(os.devnull)

    with pytest.raises(ResultsError, match=rf"it holds {name} but no runs.sqlite.*--out"):
        directories.opened(tmp_path)
