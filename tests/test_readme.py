"""What README shows is true: its Python blocks run."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: str(block).splitlines()[0])
def test_python_blocks_run(
    block: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)

    exec(compile(block, "README.md", "exec"), {})  # noqa: S102  our own text

    printed = capsys.readouterr().out
    assert ("print(" in block) == bool(printed)


def test_there_are_blocks_to_run() -> None:
    assert len(BLOCKS) == 3


def test_files_that_readme_points_to_are_there() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README.read_text(encoding="utf-8"))

    assert targets
    for target in targets:
        assert (README.parent / target).is_file(), target
