"""A study survives: killed, on a full or read-only disk, beside another, damaged."""

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faults.commands import Moment, start
from reading.commands import assert_refused as refused_here
from reading.commands import files

from gnbbench.studies.directory import seal, stored
from gnbbench.studies.store import FILE_NAME, Store

Compare = Callable[[Store, Store, int], None]
Disk = tuple[Path, Callable[[str], None]]

pytestmark = pytest.mark.slow

RUNS = 300
# Short times: what is proved here are records.
STUDY = (
    *("compare", "iris", "--runs", str(RUNS), "--budget", "100ms"),
    *("--jobs", "1", "--quiet", "--out", "here"),
)
FRACTIONS = (0.2, 0.5, 0.8)
SWEEP_RUNS = 60
# Several batches at each fraction, and in some runs disagreements.
SWEEP = (
    *("sweep-split", "wine", "--train-fractions", ",".join(map(str, FRACTIONS))),
    *("--runs", str(SWEEP_RUNS), "--against", "density-product", "--budget", "50ms"),
    *("--jobs", "1", "--quiet", "--out", "here"),
)
REPORT = {"index.html", "summary.json", "runs.csv", FILE_NAME, "figures", "manifest.json"}


def end(here: Path, *arguments: str, **fate: Any) -> tuple[int, str]:
    """Return exit code and stderr of a command, by default the small study."""
    code, err = start(here, *(arguments or STUDY), **fate).end()
    return code, err


def assert_refused(found: tuple[int, str], words: str) -> None:
    code, err = found
    assert code == 2, err
    assert err.startswith("gnbbench: ")
    assert len(err.splitlines()) == 1
    assert words in err


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the results directory of a study that nothing happened to."""
    root = tmp_path_factory.mktemp("undisturbed")
    assert end(root) == (0, "")
    return root / "here"


@pytest.fixture(scope="module")
def undisturbed_sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the results directory of a sweep that nothing happened to."""
    root = tmp_path_factory.mktemp("undisturbed_sweep")
    assert end(root, *SWEEP) == (0, "")
    return root / "here"


def with_times_of(directory: Path, other: Path, study: tuple[str, ...]) -> None:
    """Give a study the times and memory of another, which may differ, and draw it."""
    seal(directory, is_finished=False)
    connection = sqlite3.connect(directory / FILE_NAME, isolation_level=None)
    run = connection.execute
    run("ATTACH ? AS other", (str(other / FILE_NAME),))
    run("DELETE FROM main.timings")
    run("INSERT INTO main.timings SELECT * FROM other.timings")
    for key in ("timing_notes", "memory"):
        run("DELETE FROM main.study WHERE key = ?", (key,))
        run("INSERT INTO main.study SELECT * FROM other.study WHERE key = ?", (key,))
    connection.close()
    assert end(directory.parent, *study)[0] == 0


def assert_same_results(directory: Path, undisturbed: Path, study: Any = STUDY) -> None:
    """Byte for byte, once both have the same times."""
    names = {path.name for path in directory.iterdir()}
    assert names - {"timings.pyperf.json"} == REPORT
    assert names == {path.name for path in undisturbed.iterdir()}
    csv = (undisturbed / "runs.csv").read_bytes()
    assert (directory / "runs.csv").read_bytes() == csv
    with_times_of(directory, undisturbed, study)
    for name in ("summary.json", "runs.csv"):
        assert (directory / name).read_bytes() == (undisturbed / name).read_bytes()


def assert_whole_batches(path: Path, point: int = 0) -> int:
    """Return how many runs of a point are there, none of them in part."""
    with Store(path) as store:
        records = store.records(point)
        done = store.finished_runs(point)
    tested = records.runs.groupby("implementation")["n_test"].sum()
    counted = records.confusion.groupby("implementation")["count"].sum()
    assert dict(tested) == dict(counted)
    assert len(records.runs) == 2 * len(done)
    assert set(records.pairs["run"]) == done
    return len(done)


def test_a_study_killed_at_any_moment_resumes_to_the_same_bytes(
    tmp_path: Path, undisturbed: Path
) -> None:
    moments = random.Random(1)  # noqa: S311  reproducible moments, no secret
    path = tmp_path / "here" / FILE_NAME
    done = []
    for reach in (0.1, 0.5, 1.2):
        study = start(tmp_path, *STUDY)
        while not path.exists() and study.is_running:
            time.sleep(0.002)
        time.sleep(moments.uniform(0.0, reach))
        study.kill()
        for left in tmp_path.rglob(".*"):
            # What was half written is swept once it is old.
            os.utime(left, (0, 0))
        if path.exists() and path.stat().st_size:
            done.append(assert_whole_batches(path))

    assert end(tmp_path) == (0, "")

    assert done == sorted(done)
    assert done[0] < RUNS, "no kill came early enough to prove anything"
    assert_same_results(tmp_path / "here", undisturbed)


def test_a_run_too_few_would_be_seen(tmp_path: Path, undisturbed: Path) -> None:
    """Negative control: what the comparison of bytes is worth."""
    shutil.copytree(undisturbed, tmp_path / "here")
    assert_same_results(tmp_path / "here", undisturbed)
    connection = sqlite3.connect(tmp_path / "here" / FILE_NAME)
    with connection:
        connection.execute("UPDATE confusion SET count = count + 1 WHERE first_run = 0")
    connection.close()

    with pytest.raises(AssertionError):
        assert_whole_batches(tmp_path / "here" / FILE_NAME)
    with pytest.raises(AssertionError):
        assert_same_results(tmp_path / "here", undisturbed)


# Moment of death -> what is kept at each fraction.
MOMENTS: tuple[tuple[Moment, tuple[str, ...]], ...] = (
    (("runs", 0, 2), ("some", "none", "none")),
    (("runs", 1, 1), ("all", "none", "none")),
    (("runs", 1, 2), ("all", "some", "none")),
    (("timings", 2, 1), ("all", "all", "all")),
    (("report", 0, 4), ("all", "all", "all")),
)


def in_words(runs: tuple[int, ...]) -> tuple[str, ...]:
    """Return whether none, some or all of a sweep's runs are there, at each fraction."""
    return tuple({0: "none", SWEEP_RUNS: "all"}.get(one, "some") for one in runs)


def runs_kept(directory: Path) -> tuple[int, ...]:
    """Return how many whole runs there are at each fraction."""
    path = directory / FILE_NAME
    return tuple(assert_whole_batches(path, point) for point in range(len(FRACTIONS)))


def test_a_sweep_killed_in_any_step_resumes_to_the_same_bytes(
    tmp_path: Path, undisturbed_sweep: Path, assert_same_records: Compare
) -> None:
    """Its first batches, one in a later fraction, the times, and the report."""
    for moment, kept in MOMENTS:
        code, _ = end(tmp_path, *SWEEP, death=moment)
        assert (moment, code) == (moment, -signal.SIGKILL)
        assert (moment, in_words(runs_kept(tmp_path / "here"))) == (moment, kept)
        assert not (tmp_path / "here" / "index.html").exists()
    for left in tmp_path.rglob(".*"):
        # What was half written is swept once it is old.
        os.utime(left, (0, 0))

    assert end(tmp_path, *SWEEP) == (0, "")

    assert_same_results(tmp_path / "here", undisturbed_sweep, SWEEP)
    with stored(tmp_path / "here") as found, stored(undisturbed_sweep) as expected:
        assert_same_records(found, expected, len(FRACTIONS))


@pytest.mark.parametrize(
    "fault", ["DELETE FROM confusion", "INSERT INTO confusion SELECT * FROM confusion"]
)
def test_a_batch_of_a_later_fraction_lost_or_twice_would_be_seen(
    fault: str, tmp_path: Path, undisturbed_sweep: Path, assert_same_records: Compare
) -> None:
    """Negative control: all runs are there, and what was counted over them is wrong."""
    shutil.copytree(undisturbed_sweep, tmp_path / "here")
    connection = sqlite3.connect(tmp_path / "here" / FILE_NAME)
    with connection:
        connection.execute(f"{fault} WHERE point = 1 AND first_run = 0")
    connection.close()
    for command in (SWEEP, ("report", tmp_path / "here")):
        words = (*command, "--out", tmp_path / "here")
        refused_here(words, "damaged or edited after its study finished", tmp_path)
    seal(tmp_path / "here", is_finished=False)

    with pytest.raises(AssertionError):
        runs_kept(tmp_path / "here")
    with (
        stored(tmp_path / "here") as found,
        stored(undisturbed_sweep) as expected,
        pytest.raises(AssertionError, match="confusion"),
    ):
        assert_same_records(found, expected, len(FRACTIONS))


def processes_of_session(session: int) -> list[str]:
    """Return the processes of a session that still run."""
    listed = subprocess.run(
        ["ps", "-ww", "-o", "stat=,pid=,args=", "-s", str(session)],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    return [line for line in listed.splitlines() if not line.startswith("Z")]


MANY = ("digits", "--runs", "1000", "--quiet", "--out", "here")


@pytest.mark.skipif(shutil.which("ps") is None, reason="lists processes by ps")
@pytest.mark.parametrize(
    ("command", "n_points", "sent"),
    [
        (("compare", *MANY, "--jobs", "1"), 1, "SIGHUP"),
        (
            ("sweep-split", *MANY, "--train-fractions", "0.2,.5", "--jobs", "2"),
            2,
            "SIGTERM",
        ),
    ],
    ids=["alone", "with a worker"],
)
def test_an_interruption_keeps_records_and_leaves_no_worker(
    command: tuple[str, ...], n_points: int, sent: str, tmp_path: Path
) -> None:
    study = start(tmp_path, *command)
    log = tmp_path / "here" / f"{FILE_NAME}-wal"
    deadline = time.monotonic() + 120
    while not (
        (log.exists() and log.stat().st_size > 100_000)
        and (n_points == 1 or "LokyProcess" in str(processes_of_session(study.pid)))
    ):
        assert study.is_running, study.end()
        assert time.monotonic() < deadline
        time.sleep(0.02)

    os.killpg(study.pid, getattr(signal, sent))
    code, err = study.end()

    assert code == 130
    path = tmp_path / "here" / FILE_NAME
    kept = sum(assert_whole_batches(path, point) for point in range(n_points))
    assert f"interrupted; {kept} of {1000 * n_points} runs are kept" in err.replace(",", "")
    assert 0 < kept < 1000 * n_points
    assert not (tmp_path / "here" / "index.html").exists()
    deadline = time.monotonic() + 60
    while processes_of_session(study.pid):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_two_started_at_once_leave_one_study(tmp_path: Path, undisturbed: Path) -> None:
    ends = [study.end() for study in [start(tmp_path, *STUDY), start(tmp_path, *STUDY)]]

    assert sorted(code for code, _ in ends) in ([0, 0], [0, 2])
    for found in ends:
        if found[0]:
            assert_refused(found, "another process is using it")
    assert_whole_batches(tmp_path / "here" / FILE_NAME)
    assert_same_results(tmp_path / "here", undisturbed)


@pytest.mark.parametrize("more", [[], ["--overwrite"]])
def test_a_study_under_way_is_not_disturbed(more: list[str], tmp_path: Path) -> None:
    command = (*STUDY, *more, "--out", tmp_path / "here")
    with Store(make(tmp_path / "here") / FILE_NAME) as store:
        store.add({}, {"plan": {"study": "compare"}})

        refused_here(command, "another process", tmp_path)

        store.add({}, {"more": 1})
    with Store(tmp_path / "here" / FILE_NAME) as again:
        assert again.note("more") == 1


def make(directory: Path) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    return directory


def test_a_full_disk_is_reported_and_the_study_continues_with_room(
    disk: Disk, undisturbed: Path
) -> None:
    """Full while the schema is made; among the batches it is a limit of the process."""
    place, change = disk
    change("size=16k")

    assert_refused(end(place), "full")

    names = {path.name for path in (place / "here").rglob("*")}
    assert not {"index.html"} & names
    assert not [name for name in names if name.startswith(".")]
    change("size=20m")
    assert end(place) == (0, "")
    assert_same_results(place / "here", undisturbed)


def test_a_disk_that_fills_up_during_the_report_is_reported(
    disk: Disk, undisturbed: Path
) -> None:
    place, change = disk
    shutil.copy(undisturbed / FILE_NAME, make(place / "here"))
    change(f"size={(undisturbed / FILE_NAME).stat().st_size + 300_000}")

    assert_refused(end(place, drawn=True), "report cannot be")

    names = {path.name for path in (place / "here").rglob("*")}
    assert "index.html" not in names
    assert not [name for name in names if name.startswith(".")]
    change("size=20m")
    assert end(place) == (0, "")
    assert_same_results(place / "here", undisturbed)


def test_a_file_that_may_not_grow_is_reported_and_the_study_continues(
    tmp_path: Path, undisturbed: Path
) -> None:
    """The same without root: the child may write no file beyond 150 kB (RLIMIT_FSIZE)."""
    assert_refused(end(tmp_path, limit=150_000), "continues from here")

    assert 0 < assert_whole_batches(tmp_path / "here" / FILE_NAME) < RUNS
    assert end(tmp_path) == (0, "")
    assert_same_results(tmp_path / "here", undisturbed)


def test_a_read_only_disk_is_reported_and_nothing_changes(
    disk: Disk, undisturbed: Path
) -> None:
    place, change = disk
    make(place / "empty")
    shutil.copytree(undisturbed, place / "here")
    change("ro")
    before = files(place)

    for out in ("here", "empty", "new"):
        assert_refused(end(place, *STUDY, "--out", out), "cannot be")
        assert_refused(end(place, *STUDY, "--out", out, "--overwrite"), "cannot be")

    assert files(place) == before
    with stored(place / "here") as store:
        assert store.finished_runs() == set(range(RUNS))
    assert files(place) == before


def test_interrupted_studies_on_read_only_disks_are_read(disk: Disk) -> None:
    """Its last batches are in the log, to which SQLite would want to write."""
    place, change = disk
    script = (
        "import os, signal; from pathlib import Path\n"
        "from gnbbench.studies.store import Store\n"
        "store = Store(Path('runs.sqlite')); store.add({}, {'plan': 7})\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", script], cwd=place, check=False)
    change("ro")
    before = files(place)
    assert len(before[f"{FILE_NAME}-wal"]) > 0

    with stored(place) as store:
        assert store.note("plan") == 7

    assert files(place) == before


PAGE = 4096


def overwritten(content: bytes, page: int, filling: bytes) -> bytes:
    """Return a file with one of its pages, or the beginning of it, overwritten."""
    return content[: page * PAGE] + filling + content[page * PAGE + len(filling) :]


def middle_overwritten(content: bytes) -> bytes:
    return overwritten(content, len(content) // PAGE // 2, b"\xa5" * PAGE)


def rows_in_another_order(content: bytes) -> bytes:
    """Swap the addresses of two rows of a table, which can all be read even so."""
    leaf = max(n for n in range(1, len(content) // PAGE) if content[n * PAGE] == 13)
    first = content[leaf * PAGE :][8:12]
    head = content[leaf * PAGE :][:8] + first[2:] + first[:2]
    return overwritten(content, leaf, head)


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "rows in another order": rows_in_another_order,
    "truncated": lambda content: content[: len(content) // 2],
    "a page overwritten": middle_overwritten,
    "a page of nothing": lambda content: overwritten(content, 3, bytes(PAGE)),
    "head overwritten": lambda content: overwritten(content, 0, bytes(100)),
    "last byte missing": lambda content: content[:-1],
    "nothing": lambda content: content[:0],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_records_are_refused_and_kept(
    damage: str, tmp_path: Path, undisturbed: Path
) -> None:
    shutil.copytree(undisturbed, tmp_path / "here")
    path = tmp_path / "here" / FILE_NAME
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    path.with_name("manifest.json").unlink()  # Its digest would tell any change

    command = (*STUDY, "--out", tmp_path / "here")
    refused_here(command, FILE_NAME, tmp_path)


def test_damaged_records_are_replaced_on_request(tmp_path: Path, undisturbed: Path) -> None:
    path = make(tmp_path / "here") / FILE_NAME
    path.write_bytes(middle_overwritten((undisturbed / FILE_NAME).read_bytes()))

    assert end(tmp_path, *STUDY, "--overwrite") == (0, "")

    summary = json.loads((tmp_path / "here" / "summary.json").read_text())
    assert summary["n_runs"] == RUNS


def test_notes_of_the_user_survive_a_study_its_repetition_and_its_replacement(
    tmp_path: Path, undisturbed: Path
) -> None:
    shutil.copytree(undisturbed, tmp_path / "here")
    notes = {".notes.csv.20260101": b"1", ".page.html.original": b"2", "notes.txt": b"3"}
    for name, content in notes.items():
        (tmp_path / "here" / name).write_bytes(content)
        os.utime(tmp_path / "here" / name, (0, 0))
    (tmp_path / "here" / "index.html").write_text("changed by hand")

    for more in ((), ("--overwrite", "--runs", "2")):
        code, err = end(tmp_path, *STUDY, *more)

        assert code == 0
        kept = "" if more else "gnbbench: here/index.html.bak: kept aside"
        assert err.startswith(kept)
        assert len(err.splitlines()) == bool(kept)

    contents = files(tmp_path / "here")
    assert {name: contents[name] for name in notes} == notes
    assert contents["index.html.bak"] == b"changed by hand"
    assert not [name for name in contents if name.endswith(".2.bak")]
