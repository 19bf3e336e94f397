"""Commands carried out in this process, and the files that they leave."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from gnbbench.cli.app import app as gnbbench
from gnbbench.report.figures.drawing import Absence


def call(*words: object, app: typer.Typer = gnbbench) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr of one call."""
    result = CliRunner().invoke(app, list(map(str, words)))
    return result.exit_code, result.stdout, result.stderr


def files(directory: Path) -> dict[str, bytes]:
    """Return every file below a directory, by its path there."""
    found = (path for path in directory.rglob("*") if path.is_file())
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in found}


def assert_refused(words: Sequence[object], remark: str, here: Path) -> None:
    """Exit code 2, one line on stderr that has the remark, and no file written."""
    before = files(here)

    code, out, err = call(*words)

    assert (code, out) == (2, ""), err
    assert remark in " ".join(err.split())
    assert "Traceback" not in err
    assert err.startswith("gnbbench: ")
    assert err.count("\n") == 1
    assert files(here) == before


def left_out(name: str, _summary: Any, *part: Any) -> Absence:
    """Stand in for a figure that is not looked at."""
    return Absence(name.format(*part), "A figure", "Left out.")


@contextmanager
def undrawn_studies() -> Iterator[None]:
    """Within it studies have neither figures nor memory: most of their time."""
    nothing: dict[str, Any] = {"rows": [], "skipped": {}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gnbbench.studies.compare.decision_regions", lambda *_: None)
        patch.setattr("gnbbench.studies.compare.memory_notes", lambda *_, **__: nothing)
        grid = "gnbbench.studies.scale_steps.GridMeasurement"
        patch.setattr(f"{grid}.measure_memory", lambda _: None)
        patch.setattr("gnbbench.report.blocks.draw_figure", left_out)
        yield
