"""What holds for every kind of study, asked of each by its command."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gnbbench.cli.app import app
from gnbbench.studies.configuration import configuration
from gnbbench.studies.kinds import STUDIES, kind_named
from gnbbench.studies.stored import draw_again

pytestmark = pytest.mark.slow

# Kind -> a small study of it, as it is typed; the directory of the test is "{here}".
COMMANDS: Mapping[str, str] = {
    "compare": "compare iris --runs 3 --budget 50ms",
    "matrix": "compare iris wine --runs 2 --budget 50ms",
    "stream": "compare {here}/rows.csv --target y --stream --block-rows 50",
    "sweep-split": "sweep-split iris --runs 2 --train-fractions 0.5,0.8 --budget 50ms",
    "assumptions": "assumptions iris --runs 2",
    "scale": "scale --samples 50:100 --features 3 --classes 2 --budget 200 --processes 1",
}
# Their plan holds what is found on the way, and they may have no figure or no row to show;
# tests/studies/test_{explain,conformance,reproduce}.py hold them.
HELD_ELSEWHERE = {"explain", "conformance", "reproduce"}
COMMON = {"index.html", "summary.json"}


@dataclass(frozen=True)
class Drawn:
    """A study that was carried out once for all tests."""

    kind: str
    words: tuple[str, ...]
    directory: Path
    stdout: str


def call(*words: object) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr of one call."""
    result = CliRunner().invoke(app, list(map(str, words)))
    return result.exit_code, result.stdout, result.stderr


def files(directory: Path) -> dict[str, bytes]:
    """Return every file below a directory, by its path there."""
    found = (path for path in directory.rglob("*") if path.is_file())
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in found}


@pytest.fixture(scope="module", params=list(COMMANDS))
def drawn(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Drawn:
    """Give one study of every kind in turn."""
    here = tmp_path_factory.mktemp(str(request.param))
    rows = "".join(f"{i % 7}.5,{i * i % 11},{'xy'[i % 2]}\n" for i in range(600))
    (here / "rows.csv").write_text(f"a,b,y\n{rows}")
    words = tuple(COMMANDS[request.param].format(here=here).split())
    code, out, err = call(*words, "--out", here / "study")
    assert (code, err) == (0, "")
    return Drawn(str(request.param), words, here / "study", out)


def test_every_kind_has_a_command_here() -> None:
    assert {*COMMANDS, *HELD_ELSEWHERE} == {kind.name for kind in STUDIES}


def test_a_terminal_of_80_columns_has_the_verdict_and_the_path(drawn: Drawn) -> None:
    lines = drawn.stdout.splitlines()

    assert max(len(line) for line in lines[:-1]) <= 80
    assert lines[-1] == f"Report: {drawn.directory / 'index.html'}"


def test_the_page_comes_with_its_summary_and_its_records(drawn: Drawn) -> None:
    found = files(drawn.directory)

    assert set(found) >= COMMON
    assert any(name.endswith("runs.sqlite") for name in found)
    assert not [name for name in found if Path(name).name.startswith(".")]


def test_json_is_all_that_stdout_gets(drawn: Drawn) -> None:
    code, out, err = call(*drawn.words, "--out", drawn.directory, "--json")

    assert (code, err) == (0, "")
    assert out == (drawn.directory / "summary.json").read_text(encoding="utf-8")
    assert json.loads(out)["headline"]


def test_quiet_prints_the_path_alone(drawn: Drawn) -> None:
    code, out, err = call("report", drawn.directory, "--quiet")

    assert (code, out, err) == (0, f"{drawn.directory / 'index.html'}\n", "")


def test_a_report_is_drawn_again_from_records_alone(drawn: Drawn, tmp_path: Path) -> None:
    shutil.copytree(drawn.directory, tmp_path / "copy")
    before = files(tmp_path / "copy")
    for name in before:
        if not name.endswith(("runs.sqlite", "summary.json")):
            (tmp_path / "copy" / name).unlink()

    assert call("report", tmp_path / "copy", "--quiet")[0] == 0

    assert files(tmp_path / "copy") == before


def test_a_finished_study_is_only_read(drawn: Drawn) -> None:
    before = {n: b for n, b in files(drawn.directory).items() if n.endswith("runs.csv")}

    assert call(*drawn.words, "--out", drawn.directory, "--quiet")[0] == 0

    after = files(drawn.directory)
    assert before == {name: after[name] for name in before}


def test_files_of_others_are_left_alone(drawn: Drawn, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("mine")

    code, out, err = call(*drawn.words, "--out", tmp_path)

    assert (code, out) == (2, "")
    assert err.startswith("gnbbench: ")
    assert err.count("\n") == 1
    assert files(tmp_path) == {"index.html": b"mine"}


def test_a_printed_file_describes_the_same_study(drawn: Drawn) -> None:
    code, text, err = call(*drawn.words, "--print-config")

    assert (code, err) == (0, "")
    found = configuration(text, directory=Path())
    kind = "compare" if drawn.kind == "matrix" else drawn.kind
    assert found.study == kind
    again = kind_named(drawn.kind).load()
    prepared = again.prepare(found.made())
    kept = [draw_again(path) for path in _folders(drawn)]
    plans = getattr(prepared.plan, "plans", [prepared.plan])
    for study, plan in zip(kept, plans, strict=True):
        told = {k: v for k, v in study.details.plan.items() if k != "command"}
        assert told == plan.as_dict()


def _folders(drawn: Drawn) -> list[Path]:
    if drawn.kind != "matrix":
        return [drawn.directory]
    return [drawn.directory / "iris", drawn.directory / "wine"]


def test_a_notebook_has_the_page_and_a_table(drawn: Drawn) -> None:
    study = draw_again(drawn.directory)

    assert study._repr_html_().startswith("<iframe")
    assert len(study.summary) > 0
    assert len(study.runs) > 0
    assert study.details.headline in repr(study)
    assert list(study.figures)
