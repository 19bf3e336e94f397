import subprocess

import numpy as np
import pytest

from gnbbench.data import sources


@pytest.mark.parametrize(
    "text", ["plain", "two words", "it's", "$(x)", "a\nb", "a'\nb", "é\t"]
)
def test_a_shell_gives_the_word_back(text: str) -> None:
    command = f"printf %s {sources.shell_word(text)}"

    done = subprocess.run(["bash", "-c", command], capture_output=True, check=True)

    assert done.stdout.decode() == text
    assert "\n" not in command


def test_long_lists_and_values_are_cut_and_control_characters_written_out() -> None:
    names = [f"x{i}" for i in range(100)]

    assert sources.listed(names).endswith("'x4' and 95 more")
    assert sources.drop_flags(names).endswith("--drop x29 and 70 more")
    assert len(sources.quoted("y" * 1000)) < 50
    for show in (sources.one_line, sources.quoted):
        assert {"\n", "\x1b"} & set(show("a\nb\x1b[31m")) == set()


@pytest.mark.parametrize(
    ("options", "of_columns", "of_text", "of_both"),
    [
        ((), "Leave it out of X, or", "Encode it as numbers.", "Leave it out of X, or"),
        ((True,), "Leave out: --drop a", "Encode it as numbers.", "Leave out: --drop a"),
        ((True, True), "Leave out: --drop a", ": --one-hot", "; or leave out: --drop a"),
    ],
)
def test_advice_can_be_followed(
    options: tuple[bool, ...], of_columns: str, of_text: str, of_both: str
) -> None:
    source = sources.ErrorContext("data", "row {}".format, *options)

    assert of_columns in source.leave_out_columns(["a"])
    assert of_text in source.encode_text()
    assert of_both in source.encode_or_leave_out(["a"])
    assert ("--missing drop" in source.leave_out_missing()) == bool(options)
    # Selected rows keep their old places.
    rows = source.selected(np.array([3, 9]))
    assert rows.selected(np.array([1])).place(0) == "row 9"
