import subprocess

import numpy as np
import pytest

from gnbbench.data.sources import Source, drop_flags, listed, one_line, quoted, shell_word


def test_selected_rows_keep_their_old_places() -> None:
    source = Source("data", has_options=True)

    rows = source.selected(np.array([3, 9]))

    assert rows.place(1) == "row 9"
    assert rows.selected(np.array([1])).place(0) == "row 9"
    assert (rows.where, rows.has_options) == ("data", True)


@pytest.mark.parametrize(
    ("source", "advice"),
    [
        (
            Source("data"),
            (
                "Leave it out of X, or encode as numbers.",
                "Encode it as numbers.",
                "Leave it out of X, or encode as numbers.",
                "Leave those rows out, or fill them in.",
            ),
        ),
        (
            Source("a.csv", has_options=True),
            (
                "Leave out: --drop a",
                "Encode it as numbers.",
                "Leave out: --drop a",
                "Leave those rows out: --missing drop",
            ),
        ),
        (
            Source("a.csv", has_options=True, has_one_hot=True),
            (
                "Leave out: --drop a",
                "Encode it as columns of 0 and 1: --one-hot",
                "Encode as 0 and 1: --one-hot; or leave out: --drop a",
                "Leave those rows out: --missing drop",
            ),
        ),
    ],
)
def test_what_is_advised_is_what_can_be_done(source: Source, advice: object) -> None:
    assert (
        source.leave_out_columns(["a"]),
        source.encode_text(),
        source.encode_or_leave_out(["a"]),
        source.leave_out_missing(),
    ) == advice


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
