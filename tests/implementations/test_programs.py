"""A program of any language is an implementation, and its faults are named."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedShuffleSplit

from gnbbench.arrays import Array
from gnbbench.diagnosis import Trial, diagnose_each
from gnbbench.diagnosis.moves import hard_datasets
from gnbbench.errors import ImplementationError, OptionError
from gnbbench.implementations.competitors import implementations
from gnbbench.implementations.names import check_name, words_in
from gnbbench.implementations.programs import answer_in, program, table_text
from gnbbench.measurement.predictions import predictions
from gnbbench.processes import programs
from gnbbench.processes.client import CallError, CallTimeout
from gnbbench.processes.programs import ProgramError
from gnbbench.studies.compare import compare
from gnbbench.studies.scale import scale

PROGRAMS = Path(__file__).parents[2] / "docs" / "programs"
LANGUAGES = {
    "awk": "awk -v DDOF=%s -f {docs}/gnb.awk {{train}} {{test}}",
    "node": "node {docs}/gnb.js %s {{train}} {{test}} {{out}}",
    "gcc": "{built}/gnb %s {{train}} {{test}}",
    "javac": "java -cp {built} Gnb %s {{train}} {{test}}",
    sys.executable: "{python} -S {docs}/gnb.py %s {{train}} {{test}}",
}
BUILD = {
    "gcc": "gcc -O2 {docs}/gnb.c -lm -o {built}/gnb",
    "javac": "javac -d {built} {docs}/Gnb.java",
}
CLASSES = np.array([0, 1, 2])


@pytest.mark.slow
@pytest.mark.parametrize("program", LANGUAGES)
def test_a_right_program_agrees_and_a_divisor_is_named(
    program: str, tmp_path: Path
) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    places = {"docs": PROGRAMS, "built": tmp_path, "python": sys.executable}
    if program in BUILD:
        subprocess.run(BUILD[program].format(**places).split(), check=True)
    X, y = hard_datasets()["few"]
    rule = StratifiedShuffleSplit(2, test_size=0.3, random_state=0)
    trial = Trial(X, y, list(rule.split(X, y)), np.unique(y))
    for ddof, causes in enumerate(([], ["variance-divisor"])):
        command = "command:" + LANGUAGES[program].format(**places) % ddof
        reference, entry = implementations("sklearn", command, timeout_seconds=60.0)

        (diagnosis,) = diagnose_each(entry, reference, [trial])

        assert [cause.cause for cause in diagnosis.causes] == causes


def _predicted(script: str, timeout_seconds: float = 20.0, out: str = "{out}") -> Array:
    X, y = load_iris(return_X_y=True)
    out = "" if script in {"#", "print()"} else out
    command = f'command:{sys.executable} -S -c "{script}" {{train}} {{test}} {out}'
    entry = implementations("sklearn", command, timeout_seconds=timeout_seconds)[1]
    return np.asarray(entry.make().fit(X, y).predict(X[:3]))


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("import sys; print('bad', file=sys.stderr); sys.exit(3)", "exit code 3: bad"),
        ("import sys; print('Error: no x', '    at f (x.js:1)', '  code: 7', sep='\\n', "
         "file=sys.stderr); sys.exit(1)", "exit code 1: Error: no x . code: 7"),
        ("import sys; print('thread panicked at x.rs:3:', '400 features', 'backtrace:', "
         "*'abcd', sep='\\n', file=sys.stderr); sys.exit(101)", "x.rs:3: . 400 features"),
        ("import os; os.kill(os.getpid(), 11)", "signal SIGSEGV"),
        ("open('model.csv')", "'model.csv'; it runs in a folder of its own"),
        ("pass", "did not write out.csv"),
        ("#", "wrote nothing to standard output; its command has no {out}"),
        ("print()", "wrote only empty lines to standard output: no label at all"),
        ("import sys; open(sys.argv[3], 'w').write('label,0,1,2' + '\\n0,0,5,0,5,0,0' * 2)",
         "row 1 of the answer has 7 values, not 4: write decimal points"),
        ("import sys; open(sys.argv[3], 'w').write('0\\n')", "gave 1 line for"),
        ("import os, sys; os.remove(sys.argv[1]); raise SystemExit(4)", "exit code 4"),
        ("import sys\nwith open(sys.argv[3], 'wb') as f:\n for _ in range(1100): "
         "f.write(bytes(2**18))", "wrote more than 256 MiB"),
    ],
)  # fmt: skip
def test_a_program_that_fails_is_reported(script: str, message: str) -> None:
    with pytest.raises(Exception, match=message) as raised:
        _predicted(script)
    assert str(raised.value).endswith("; --keep DIR keeps its files")


def test_an_answer_is_read_where_the_program_wrote_it() -> None:
    """Not where it put something else meanwhile, which might have no end."""
    script = "import os, shutil, sys; at = os.path.dirname(sys.argv[1]); "
    script += "n = len(open(sys.argv[2]).readlines()) - 1; shutil.rmtree(at); "
    script += "os.mkdir(at); os.symlink('/dev/zero', at + '/stdout'); print('0\\n' * n)"
    script = f"{'n = 0; ' * 99}{script}"  # Longer than a file's name may be
    assert set(_predicted(script, out="").tolist()) == {0}


def test_files_for_a_program_are_kept_on_request(tmp_path: Path) -> None:
    command = f'command:{sys.executable} -S -c "raise SystemExit(3)"'
    entry = implementations("sklearn", command, timeout_seconds=20.0, keep=tmp_path / "a")[
        1
    ]
    with pytest.raises(CallError, match=f"exit code 3; its files are in {tmp_path / 'a'}"):
        entry.make().fit(np.eye(3), CLASSES)

    (folder,) = (tmp_path / "a").iterdir()
    assert (folder / "train.csv").read_text() == table_text(np.eye(3), CLASSES)
    assert (folder / "command.txt").read_text().endswith(f"{folder / 'test.csv'}\n")
    (tmp_path / "file").touch()
    with pytest.raises(OptionError, match=r"--keep: .*file cannot be written"):
        implementations("sklearn", command, keep=tmp_path / "file")


def test_a_start_labels_both_sides_of_a_split(tmp_path: Path) -> None:
    script = "import sys; print(*open(sys.argv[2]).read().split()[1:], sep='\\n')"
    command = f'command:{sys.executable} -S -c "{script}" {{train}} {{test}}'
    entry = program(command, tmp_path)
    X = np.arange(3.0)[:, np.newaxis]

    predicted = predictions(entry, X, CLASSES, X[1:], CLASSES)

    assert predicted.train.tolist() == [0, 1, 2]
    assert predicted.test.tolist() == [1, 2]
    # The first shows whether there are probabilities.
    starts = [(folder / "test.csv").read_text() for folder in tmp_path.iterdir()]
    assert sorted(starts) == [table_text(X[:2]), table_text(X[[0, 1, 2, 1, 2]])]


def test_a_program_has_no_more_memory_than_its_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    monkeypatch.setattr(programs, "MEMORY_SHARE", 2**28 / memory)

    def of(size: str) -> bytes:
        command = [sys.executable, "-S", "-c", f"print(len(bytearray({size})))"]
        return programs.run_program(command, tmp_path)

    assert of("2**26") == b"%d\n" % 2**26
    with pytest.raises(ProgramError, match="ended with exit code 1: MemoryError"):
        of("2**29")
    monkeypatch.setattr("resource.RLIMIT_DATA", 999)  # As where it is not known
    assert of("2**29") == b"%d\n" % 2**29


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_probabilities_that_do_not_sum_to_1_are_reported_with_their_sum(
    tmp_path: Path,
) -> None:
    script = tmp_path / "gnb.js"
    right = (PROGRAMS / "gnb.js").read_text()
    script.write_text(right.replace("q / total", "0.9 * q / total"))
    X, y = load_iris(return_X_y=True)
    command = f"command:node {script} 0 {{train}} {{test}} {{out}}"
    reference, entry = implementations("sklearn", command, timeout_seconds=60.0)

    (diagnosis,) = diagnose_each(entry, reference, [Trial(X, y, [(np.arange(150),) * 2])])

    (cause,) = diagnosis.causes
    assert cause.cause == "unnormalised"
    assert "rows sum to 0.90 instead of 1" in cause.summary


@pytest.mark.slow
def test_a_program_that_hangs_is_ended() -> None:
    with pytest.raises(CallTimeout):
        _predicted("import time; time.sleep(600)", timeout_seconds=1.0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no line for 3 samples"),
        (b"0\n1\n", "2 lines for 3 samples: write a label, and no more"),
        (b"Training ...\n0\n1\n2\n", "4 lines for 3 samples, among them 'Training ...'"),
        (b"label\n", "0 lines for 3"),
        (
            b"0,1,2\n1,0,0\n",
            "begins with '0,1,2', which is neither a label nor the header 'label,0,1,2'",
        ),
        (
            b"0\n1\nseven\n",
            "row 3 of the answer names 'seven', but the classes are 0, 1 and 2",
        ),
        (b"0\n1\n2,0\n", "row 3 of the answer has 2 values, not 1"),
        (b"label,0,1\n0,1,0\n0,1,0\n0,1,0\n", "each of 3 classes"),
        (
            b"label,0,1,2\n0,1,0,0\n0,1,0,NA\n0,1,0,0\n",
            "row 2 of the answer does not hold probabilities alone: could not convert",
        ),
        (b"label,0,1,2\n0,0,5,0,5,0,0\n0,1,0,0\n0,1,0,0\n", "row 1 .* 7 values, not 4"),
        (b"label;0;1;2\n0;0,5;0,5;0\n0;1;0;0\n0;1;0;0\n", "commas between columns"),
        (b"\xff\n", "not UTF-8"),
    ],
)
def test_an_answer_that_cannot_be_read_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(ProgramError, match=message):
        answer_in(content, CLASSES, 3)


def test_labels_in_another_case_are_not_classes() -> None:
    with pytest.raises(ProgramError, match="names 'Setosa'"):
        answer_in(b"setosa\nSetosa\n", np.array(["setosa", "virginica"]), 2)


def test_spaces_around_a_label_are_part_of_it_only_where_a_class_has_them() -> None:
    labels, _ = answer_in(b" oil\noil\n oil \n", np.array([" oil", "oil"]), 3)
    assert labels.tolist() == [" oil", "oil", "oil"]


def test_a_program_is_given_the_samples_as_they_were_in_fit() -> None:
    script = "import sys; n = len(open(sys.argv[2]).readlines()) - 1; "
    script += "print((open(sys.argv[1]).readlines()[1].split(',')[-1]) * n)"
    command = f'command:{sys.executable} -S -c "{script}" {{train}} {{test}}'
    X, y = load_iris(return_X_y=True)
    model = implementations("sklearn", command)[1].make().fit(X, y)

    y[:] = 2

    assert set(model.predict(X[:3]).tolist()) == {0}


@pytest.mark.parametrize(
    "content", [b"0\n2\n1\n", b"0\r\n2\r\n1\r\n", b"\xef\xbb\xbfLabel\n0.0\n2.0\n1\n"]
)
def test_line_ends_marks_and_numbers_by_value_are_read(content: bytes) -> None:
    labels, probabilities = answer_in(content, CLASSES, 3)
    assert labels.tolist() == [0, 2, 1]
    assert probabilities is None


def test_probabilities_follow_the_header() -> None:
    content = b"label,2,0,1\n2,0.7,0.1,0.2\n"
    labels, probabilities = answer_in(content, CLASSES, 1)
    assert labels.tolist() == [2]
    assert probabilities is not None
    assert probabilities.tolist() == [[0.1, 0.2, 0.7]]


def test_tables_give_back_the_same_doubles() -> None:
    X = np.random.default_rng(0).normal(size=(5, 3)) * [1e-300, 1.0, 1e300]
    lines = table_text(X, CLASSES[[0, 1, 2, 1, 0]]).splitlines()
    assert lines[0] == "x1,x2,x3,label"
    cells = [line.split(",") for line in lines[1:]]
    assert np.array_equal(np.array([row[:3] for row in cells], dtype=float), X)
    assert [row[3] for row in cells] == ["0", "1", "2", "1", "0"]


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
@pytest.mark.skipif(shutil.which("awk") is None, reason="awk is not installed")
def test_several_programs_are_compared_and_timed_apart() -> None:
    command = f"command:awk -f {PROGRAMS}/gnb.awk {{train}} {{test}}"
    study = compare("iris", against=(command, f"second={command}"), runs=2)

    verdicts = {
        verdict.implementation: verdict.outcome for verdict in study.details.verdicts
    }
    assert verdicts == {"gnb.awk": "identical", "second": "identical"}
    timed = study.summary.query("metric == 'fit_seconds'")
    assert timed["implementation"].tolist() == ["sklearn"]
    why = study.details.details["untimed"]["gnb.awk"]
    assert why.startswith("it is a program that takes ")


def test_unrunnable_commands_are_refused_before_anything_is_loaded(tmp_path: Path) -> None:
    with pytest.raises(ImplementationError, match="no-such-program: is not a program"):
        check_name("command:no-such-program {train}")
    for command in ("awk -f a/no.awk {train}", f"{sys.executable} -S no.py"):
        with pytest.raises(ImplementationError, match=r"no\.\w+: there is no such file"):
            check_name(f"command:{command}")
    (tmp_path / "no.py").touch()
    with pytest.raises(ImplementationError, match=r"is not executable\. Run chmod"):
        check_name(f"command:{tmp_path}/no.py")
    with pytest.raises(ImplementationError, match=r"{trian}: is not a pl.* mean {train}\?"):
        check_name("command:awk '{print}' {trian} {test}")
    check_name("command:awk '{print}' {train} {test}")
    with pytest.raises(ImplementationError, match="no shell runs it, which '>' needs"):
        check_name("command:awk 1 {test} > a.txt")
    with pytest.raises(ImplementationError, match="cannot be split"):
        check_name("command:awk 'open")
    with pytest.raises(OptionError, match="it is not UTF-8"):
        check_name("command:awk {train} \udcff")
    with pytest.raises(ImplementationError, match="is a program"):
        scale(against=("numpy", "mine=command:awk {train}"))


def test_paths_are_relative_to_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("lib", "a place"):
        (tmp_path / name).mkdir()
    (tmp_path / "lib" / "a.jar").touch()
    monkeypatch.chdir(tmp_path)
    words = words_in("awk -cp .:lib/a.jar ./lib 'a place/' lib 0 {train}")
    here = str(tmp_path)
    places = [f"{here}:{here}/lib/a.jar", f"{here}/lib", f"{here}/a place"]
    assert words[1:] == ["-cp", *places, "lib", "0", "{train}"]
    # A bare name is a folder where one must follow, and a word elsewhere.
    assert words_in("awk -cp lib lib")[1:] == ["-cp", f"{here}/lib", "lib"]
