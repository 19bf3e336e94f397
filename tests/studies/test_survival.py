"""A study survives: killed, on a full or read-only disk, beside another, damaged."""

import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gnbbench.studies.directory import stored
from gnbbench.studies.store import FILE_NAME, Store

Compare = Callable[[Store, Store, int], None]

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
COMMAND = ("-m", "gnbbench")
REPORT = {"index.html", "summary.json", "runs.csv", "runs.sqlite", "figures"}


def start(
    cwd: Path,
    *arguments: str,
    limit: int | None = None,
    program: tuple[str, ...] = COMMAND,
) -> "subprocess.Popen[str]":
    """Start the command; no file of it may grow beyond the limit in bytes."""

    def limited() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.Popen(
        [sys.executable, *program, *(arguments or STUDY)],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=limited,  # noqa: PLW1509  no other thread runs in the tests
    )


def finish(process: "subprocess.Popen[str]") -> tuple[int, str]:
    """Return exit code and stderr."""
    _, err = process.communicate(timeout=120)
    return process.returncode, err


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
    assert finish(start(root)) == (0, "")
    return root / "here"


def with_times_of(directory: Path, other: Path, study: tuple[str, ...]) -> None:
    """Give a study the times and memory of another, which may differ, and draw it."""
    connection = sqlite3.connect(directory / FILE_NAME, isolation_level=None)
    run = connection.execute
    run("ATTACH ? AS other", (str(other / FILE_NAME),))
    run("DELETE FROM main.timings")
    run("INSERT INTO main.timings SELECT * FROM other.timings")
    for key in ("timing_notes", "memory"):
        run("DELETE FROM main.study WHERE key = ?", (key,))
        run("INSERT INTO main.study SELECT * FROM other.study WHERE key = ?", (key,))
    connection.close()
    assert finish(start(directory.parent, *study))[0] == 0


def assert_same_results(
    directory: Path, undisturbed: Path, study: tuple[str, ...] = STUDY
) -> None:
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


@pytest.mark.parametrize("seed", [1])
def test_killed_at_any_moment_it_goes_on_to_the_same_bytes(
    seed: int, tmp_path: Path, undisturbed: Path
) -> None:
    moments = random.Random(seed)  # noqa: S311  reproducible moments, no secret
    path = tmp_path / "here" / FILE_NAME
    done = []
    for reach in (0.3, 1.0, 1.5, 3.0, 4.0):
        process = start(tmp_path)
        deadline = time.monotonic() + 60
        while not path.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(moments.uniform(0.0, reach))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        for left in tmp_path.rglob(".*"):
            # What was half written is swept once it is old.
            os.utime(left, (0, 0))
        if path.exists() and path.stat().st_size:
            done.append(assert_whole_batches(path))

    assert finish(start(tmp_path)) == (0, "")

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


@pytest.fixture(scope="module")
def undisturbed_sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the results directory of a sweep that nothing happened to."""
    root = tmp_path_factory.mktemp("undisturbed_sweep")
    assert finish(start(root, *SWEEP)) == (0, "")
    return root / "here"


# The command, which kills itself in the middle of one write: with half of the rows of a
# table inserted, or with a file of the report written but not yet in its place.
MORTAL = """
import os, signal
from pathlib import Path
from gnbbench.cli import main
from gnbbench.studies.store import Store

TABLE, POINT, PLACE = {moment!r}
add, replace, seen = Store.add, Path.replace, []

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def is_the_moment(table, point):
    seen.extend([table] if (table, point) == (TABLE, POINT) else [])
    return len(seen) == PLACE and (table, point) == (TABLE, POINT)

def until_death(rows):
    yield from rows[: len(rows) // 2]
    die()

def mortal_add(store, tables, notes=None, *, point=0):
    table = "timings" if "timings" in tables and tables["timings"] else "runs"
    if tables and is_the_moment(table, point):
        tables = {{**tables, table: until_death(tables[table])}}
    add(store, tables, notes, point=point)

def mortal_replace(path, target):
    if is_the_moment("report", 0):
        die()
    return replace(path, target)

Store.add, Path.replace = mortal_add, mortal_replace
main()
"""

# (table, point, which write of it by this process) -> what is kept at each fraction.
MOMENTS = (
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
    return tuple(
        assert_whole_batches(directory / FILE_NAME, point)
        for point in range(len(FRACTIONS))
    )


def test_a_sweep_killed_in_any_step_goes_on_to_the_same_bytes(
    tmp_path: Path, undisturbed_sweep: Path, assert_same_records: Compare
) -> None:
    """Its first batches, one in a later fraction, the times, and the report."""
    for moment, kept in MOMENTS:
        mortal = ("-c", MORTAL.format(moment=moment))
        code, _ = finish(start(tmp_path, *SWEEP, program=mortal))
        assert (moment, code) == (moment, -signal.SIGKILL)
        assert (moment, in_words(runs_kept(tmp_path / "here"))) == (moment, kept)
        assert not (tmp_path / "here" / "index.html").exists()
    for left in tmp_path.rglob(".*"):
        # What was half written is swept once it is old.
        os.utime(left, (0, 0))

    assert finish(start(tmp_path, *SWEEP)) == (0, "")

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

    with pytest.raises(AssertionError):
        runs_kept(tmp_path / "here")
    with (
        stored(tmp_path / "here") as found,
        stored(undisturbed_sweep) as expected,
        pytest.raises(AssertionError, match="confusion"),
    ):
        assert_same_records(found, expected, len(FRACTIONS))


# A shell that starts a command in the background has it ignore SIGINT; a user has not.
LISTENING = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from gnbbench.cli import main
main()
"""


def processes_of_session(session: int) -> list[str]:
    """Return the processes of a session that still run."""
    listed = subprocess.run(
        ["ps", "-ww", "-o", "stat=,pid=,args=", "-s", str(session)],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    return [line for line in listed.splitlines() if not line.startswith("Z")]


@pytest.mark.skipif(shutil.which("ps") is None, reason="lists processes by ps")
def test_a_sweep_interrupted_keeps_its_records_and_leaves_no_worker(tmp_path: Path) -> None:
    study = ["sweep-split", "digits", "--runs", "1000", "--jobs", "2", "--quiet"]
    study += ["--train-fractions", ",".join(map(str, FRACTIONS)), "--out", "here"]
    process = start(tmp_path, *study, program=("-c", LISTENING))
    log = tmp_path / "here" / f"{FILE_NAME}-wal"
    deadline = time.monotonic() + 60
    while not (
        (log.exists() and log.stat().st_size > 100_000)
        and any("LokyProcess" in line for line in processes_of_session(process.pid))
    ):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)

    os.killpg(process.pid, signal.SIGINT)
    code, err = finish(process)

    assert code == 130
    kept = sum(runs_kept(tmp_path / "here"))
    assert f"{kept} of {1000 * len(FRACTIONS)} runs are kept" in err
    assert 0 < kept < 1000 * len(FRACTIONS)
    assert not (tmp_path / "here" / "index.html").exists()
    deadline = time.monotonic() + 30
    while processes_of_session(process.pid):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_two_started_at_once_leave_one_study(tmp_path: Path, undisturbed: Path) -> None:
    ends = [finish(process) for process in [start(tmp_path), start(tmp_path)]]

    assert sorted(code for code, _ in ends) in ([0, 0], [0, 2])
    for end in ends:
        if end[0]:
            assert_refused(end, "another process is working on it")
    assert_whole_batches(tmp_path / "here" / FILE_NAME)
    assert_same_results(tmp_path / "here", undisturbed)


@pytest.mark.parametrize("more", [[], ["--overwrite"]])
def test_a_study_under_way_is_not_disturbed(more: list[str], tmp_path: Path) -> None:
    with Store(make(tmp_path / "here") / FILE_NAME) as store:
        store.add({}, {"plan": {"study": "compare"}})

        assert_refused(finish(start(tmp_path, *STUDY, *more)), "another process")

        store.add({}, {"more": 1})
    with Store(tmp_path / "here" / FILE_NAME) as again:
        assert again.note("more") == 1


def make(directory: Path) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    return directory


Resize = Callable[[str], None]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[tuple[Path, Resize]]:
    """Give a small file system of its own, and a way to change how it is mounted."""
    place = make(tmp_path / "disk")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=10m", "none", str(place)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("needs root and mount: a file system is filled and made read-only")

    def change(options: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{options}", str(place)], check=True)

    yield place, change
    subprocess.run(["umount", "-l", str(place)], check=True)


def files_of(directory: Path) -> dict[str, bytes]:
    """Return every file, for a comparison of before and after."""
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize(
    ("size", "words"), [("16k", "full"), ("200k", "full"), ("1300k", "report cannot be")]
)
def test_a_full_disk_is_said_and_the_study_goes_on_when_there_is_room(
    size: str, words: str, disk: tuple[Path, Resize], undisturbed: Path
) -> None:
    """Full while the schema is made, among the batches, and among the report's files."""
    place, change = disk
    change(f"size={size}")

    assert_refused(finish(start(place)), words)

    names = {path.name for path in (place / "here").rglob("*")}
    assert not {"index.html"} & names
    assert not [name for name in names if name.startswith(".")]
    change("size=20m")
    if size != "16k":
        assert assert_whole_batches(place / "here" / FILE_NAME) > 0
    assert finish(start(place)) == (0, "")
    assert_same_results(place / "here", undisturbed)


def test_a_file_that_may_not_grow_is_said_and_the_study_goes_on(
    tmp_path: Path, undisturbed: Path
) -> None:
    """The same without root: the child may write no file beyond 150 kB (RLIMIT_FSIZE)."""
    assert_refused(finish(start(tmp_path, limit=150_000)), "goes on from here")

    assert 0 < assert_whole_batches(tmp_path / "here" / FILE_NAME) < RUNS
    assert finish(start(tmp_path)) == (0, "")
    assert_same_results(tmp_path / "here", undisturbed)


def test_a_read_only_disk_is_said_and_nothing_changes(
    disk: tuple[Path, Resize], undisturbed: Path
) -> None:
    place, change = disk
    make(place / "empty")
    shutil.copytree(undisturbed, place / "here")
    change("ro")
    before = files_of(place)

    for out in ("here", "empty", "new"):
        assert_refused(finish(start(place, *STUDY, "--out", out)), "cannot be")
        assert_refused(
            finish(start(place, *STUDY, "--out", out, "--overwrite")), "cannot be"
        )

    assert files_of(place) == before
    with stored(place / "here") as store:
        assert store.finished_runs() == set(range(RUNS))
    assert files_of(place) == before


def test_an_interrupted_study_on_a_read_only_disk_can_be_read(
    disk: tuple[Path, Resize],
) -> None:
    """Its last batches are in the log, which SQLite alone would want to write to."""
    place, change = disk
    script = (
        "import os, signal; from pathlib import Path\n"
        "from gnbbench.studies.store import Store\n"
        "store = Store(Path('runs.sqlite')); store.add({}, {'plan': 7})\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", script], cwd=place, check=False)
    change("ro")
    before = files_of(place)
    assert len(before[f"{FILE_NAME}-wal"]) > 0

    with stored(place) as store:
        assert store.note("plan") == 7

    assert files_of(place) == before


def truncated(content: bytes) -> bytes:
    return content[: len(content) // 2]


def one_page_overwritten(content: bytes) -> bytes:
    page = 4096 * (len(content) // 4096 // 2)
    return content[:page] + b"\xa5" * 4096 + content[page + 4096 :]


def one_page_of_nothing(content: bytes) -> bytes:
    page = 4096 * 3
    return content[:page] + bytes(4096) + content[page + 4096 :]


def head_overwritten(content: bytes) -> bytes:
    return b"\x00" * 100 + content[100:]


def last_byte_missing(content: bytes) -> bytes:
    return content[:-1]


def nothing(content: bytes) -> bytes:
    return content[:0]


DAMAGES = (
    truncated,
    one_page_overwritten,
    one_page_of_nothing,
    head_overwritten,
    last_byte_missing,
    nothing,
)


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_records_are_refused_and_kept(
    damage: Callable[[bytes], bytes], tmp_path: Path, undisturbed: Path
) -> None:
    shutil.copytree(undisturbed, tmp_path / "here")
    path = tmp_path / "here" / FILE_NAME
    path.write_bytes(damage(path.read_bytes()))
    before = files_of(tmp_path)

    assert_refused(finish(start(tmp_path)), FILE_NAME)

    assert files_of(tmp_path) == before


def test_damaged_records_are_replaced_where_that_is_asked_for(
    tmp_path: Path, undisturbed: Path
) -> None:
    path = make(tmp_path / "here") / FILE_NAME
    path.write_bytes(one_page_overwritten((undisturbed / FILE_NAME).read_bytes()))

    assert finish(start(tmp_path, *STUDY, "--overwrite")) == (0, "")

    summary = json.loads((tmp_path / "here" / "summary.json").read_text())
    assert summary["n_runs"] == RUNS
