"""``gnbbench conformance`` and ``reproduce``: exit codes and lists."""

import json
from pathlib import Path

import pytest
from reading.commands import assert_refused, call

from gnbbench.claims.table import usual_directory
from gnbbench.conformance.contract import Conformance, HardCase, Result
from gnbbench.implementations import Implementation


@pytest.fixture
def directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made_examination: Conformance
) -> Path:
    """Work in a directory of lists of checks, and of tables of claims with mistakes."""
    results = made_examination.results

    def examine(
        entry: Implementation, checks: tuple[HardCase, ...], *, timeout_seconds: float
    ) -> Conformance:
        passes = entry.name == "numpy"
        found = tuple(
            Result(one.check, "pass", None, "", 0.01) if passes else one
            for one in results
            if one.check in checks
        )
        assert timeout_seconds > 0
        return Conformance(entry.name, entry.description, "", found)

    checks = tuple(result.check for result in results)
    monkeypatch.setattr("gnbbench.conformance.battery.CHECKS", checks)
    monkeypatch.setattr("gnbbench.studies.conformance.examine", examine)
    monkeypatch.chdir(tmp_path)
    known = "offsets-1  # why\noffsets-4\none-row-in-a-class-1\nweights-1\n"
    (tmp_path / "known.txt").write_text(known)
    (tmp_path / "some.txt").write_text("offsets-1\n")
    (tmp_path / "wrong.txt").write_text("# known\nofsets-1\n")
    guide = (usual_directory() / "scikit-learn-guide.toml").read_text()
    tables = {
        "lost": guide.replace('"4 of 75"', '"3 of 75"'),
        "refuted": guide.replace('"4 of 75"', '"3 of 75"').replace(
            'expected = "reproduced"', 'expected = "not reproduced"'
        ),
        "wrong": guide.replace("published =", "publised ="),
    }
    for name, text in tables.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "guide.toml").write_text(text)
    return tmp_path


# (arguments, exit code, words on stderr)
EXITS = [
    ("conformance numpy", 0, ""),
    ("conformance numpy --quiet", 0, ""),
    ("conformance numpy --only offsets --only weights-1", 0, ""),
    ("conformance sklearn", 1, ""),
    ("conformance sklearn --json", 1, "gnbbench: sklearn fails"),
    ("conformance sklearn --quiet", 1, "sklearn fails offsets-1, offsets-4, one-row-in-a"),
    ("conformance sklearn --expect-fail known.txt", 0, ""),
    ("conformance sklearn --expect-fail some.txt", 1, "sklearn fails offsets-4"),
    ("conformance sklearn --only offsets-0", 0, ""),
    ("conformance sklearn --only weights --expect-fail known.txt", 0, ""),
    ("conformance numpy --expect-fail some.txt", 0, "offsets-1 unexpectedly passes. Take"),
    ("conformance numpy sklearn", 1, ""),
    ("conformance --all --quiet", 1, " fail"),
    ("conformance --all --expect-fail known.txt", 0, "offsets-1 unexpectedly passes on"),
    ("conformance --list", 0, ""),
    ("conformance", 2, "nothing is named"),
    ("conformance numpy --all", 2, "cannot be combined"),
    ("conformance numpi", 2, "Did you mean 'numpy'"),
    ("conformance numpy numpy", 2, "named twice"),
    ("conformance missing.py:GNB", 2, "missing.py"),
    ("conformance numpy --only ofsets", 2, "Did you mean 'offsets'"),
    ("conformance --list --only ofsets", 2, "Did you mean 'offsets'"),
    ("conformance numpy --expect-fail wrong.txt", 2, "wrong.txt, line 2"),
    ("conformance numpy --expect-fail absent.txt", 2, "absent.txt: it cannot be read"),
    ("conformance numpy --timeout 0", 2, "--timeout"),
    ("conformance numpy --timeout soon", 2, "--timeout: 'soon' is not a number"),
    ("conformance numpy --out some.txt", 2, "it cannot be written"),
    ("reproduce guide", 0, ""),
    ("reproduce GUIDE guide-0.19 --quiet", 0, ""),
    ("reproduce guide-iris-mislabelled --json", 0, ""),
    ("reproduce b-students-accuracy", 0, ""),
    ("reproduce --claims refuted", 0, ""),
    ("reproduce --list", 0, ""),
    ("reproduce --claims lost", 1, "gnbbench: guide-iris-mislabelled is not reproduced"),
    ("reproduce --claims lost --json", 1, "is not reproduced"),
    ("reproduce --claims lost --quiet", 1, "is not reproduced"),
    ("reproduce guide-iris-mislabeled", 2, "Did you mean 'guide-iris-mislabelled'"),
    ("reproduce --list guidee", 2, "Did you mean 'guide'"),
    ("reproduce --claims wrong", 2, "guide.toml, line 17: unknown key 'publised'"),
    ("reproduce --claims absent", 2, "it is not a directory"),
    ("reproduce --claims .", 2, "it holds no *.toml"),
    ("reproduce guide --runs 3", 2, "--runs"),
    ("reproduce guide --data absent", 2, "--data"),
    ("reproduce guide --out some.txt", 2, "it cannot be written"),
]


@pytest.mark.parametrize(("typed", "code", "words"), EXITS)
def test_a_call_exits_as_its_outcome_says(
    typed: str, code: int, words: str, directory: Path
) -> None:
    if code == 2:
        assert_refused(typed.split(), words, directory)
        return

    found, _, err = call(*typed.split())

    assert found == code, err
    assert words in " ".join(err.split())
    assert "Traceback" not in err
    assert bool(words) == bool(err)


def test_a_scoreboard_has_its_own_directory(directory: Path) -> None:
    _, out, _ = call("conformance", "numpy", "sklearn")

    assert "1 of 2 implementations passes every check that applies: numpy." in out
    assert list((directory / "reports").glob("conformance-scoreboard-*/summary.json"))


@pytest.mark.usefixtures("directory")
@pytest.mark.parametrize(
    ("typed", "key", "ids"),
    [
        (
            "conformance --list --only weights",
            "checks",
            [f"weights-{number}" for number in range(4)],
        ),
        (
            "reproduce --list guide D",
            "claims",
            ["guide-iris-mislabelled", "d-predictions-equal"],
        ),
    ],
)
def test_a_list_shows_what_would_be_examined(typed: str, key: str, ids: list[str]) -> None:
    _, out, _ = call(*typed.split())
    _, as_json, _ = call(*typed.split(), "--json")

    assert [one["id"] for one in json.loads(as_json)[key]] == ids
    assert all(name in out for name in ids)
