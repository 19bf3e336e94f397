import subprocess

import numpy as np
import pytest

from gnbbench.data.sources import (
    ArraySource,
    Selection,
    drop_flags,
    listed,
    one_line,
    quoted,
    shell_word,
)


def test_a_selection_knows_the_old_places() -> None:
    rows = Selection(ArraySource("data"), np.array([3, 9]))

    assert rows.where == "data"
    assert rows.place(1) == "row 9"
    assert rows.leave_out_missing() == ArraySource("data").leave_out_missing()
    assert rows.leave_out_columns(["a"]) == ArraySource("data").leave_out_columns(["a"])


@pytest.mark.parametrize(
    "text", ["plain", "two words", "it's", "$(x)", "a\nb", "a'\nb", "é\t"]
)
def test_a_shell_gives_the_word_back(text: str) -> None:
    command = f"printf %s {shell_word(text)}"

    done = subprocess.run(["bash", "-c", command], capture_output=True, check=True)

    assert done.stdout.decode() == text
    assert "\n" not in command


def test_long_lists_and_values_are_cut() -> None:
    names = [f"x{i}" for i in range(100)]

    assert listed(names).endswith("'x4' and 95 more")
    assert drop_flags(names).endswith("--drop x29 and 70 more")
    assert len(quoted("y" * 1000)) < 50


@pytest.mark.parametrize("show", [one_line, quoted])
def test_control_characters_are_written_out(show: object) -> None:
    assert callable(show)
    assert "\n" not in show("a\nb\x1b[31m")
    assert "\x1b" not in show("a\nb\x1b[31m")
