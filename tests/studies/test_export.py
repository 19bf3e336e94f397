"""Splits go out as files, and answers that were made elsewhere are judged."""

import csv
import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from gnbbench.diagnosis.checked_files import DIFFERS, SAME
from gnbbench.diagnosis.moves import hard_datasets
from gnbbench.errors import GnbBenchError, ImplementationError
from gnbbench.implementations.answers import answered_ahead, written
from gnbbench.implementations.competitors import implementations
from gnbbench.implementations.lookup import implementation
from gnbbench.implementations.textbook import TextbookGaussianNB
from gnbbench.measurement.batches import RunBatch, evaluated
from gnbbench.processes.programs import ProgramError
from gnbbench.splits import Sample, SplitRule
from gnbbench.studies.check import check
from gnbbench.studies.compare import compare
from gnbbench.studies.conformance import conformance
from gnbbench.studies.export import export, load_datasets
from gnbbench.studies.export import exported as exported_settings
from gnbbench.studies.kinds import check_names
from gnbbench.studies.options import CheckOptions, CompareOptions, DataSource

IRIS = DataSource(data=("iris",))
X, Y = np.random.default_rng(0).normal(size=(40, 3)), np.repeat(["no", "yes"], 20)
QUESTIONS = {f"q{i}": (X[i:], Y[i:], X[: i + 5]) for i in range(4)}
DIVISOR = TextbookGaussianNB(divisor="n-1", relative_smoothing=1e-9)
PROGRAM = """
import csv, pathlib, sys
with open(sys.argv[1], "a") as file: file.write("started;")
for row in csv.DictReader(open(sys.argv[2])):
    n = len(open(row["test"]).readlines()) - 1
    pathlib.Path(row["out"]).write_text("label,no,yes\\n" + "yes,0.25,0.75\\n" * n)
"""


def _answer(folder: Path, model: Any) -> None:
    """Answer every split using only the files."""
    for row in csv.DictReader((folder / "manifest.csv").read_text().split()):
        lines = [(folder / row[side]).read_text().split()[1:] for side in ("train", "test")]
        train, test = ([line.split(",") for line in side] for side in lines)
        samples = np.array([line[:-1] for line in train], dtype=float)
        model.fit(samples, np.array([line[-1] for line in train]))
        labels = model.predict(np.array(test, dtype=float))
        (folder / row["out"]).write_text("\n".join(map(str, labels)))


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give the splits of iris as files, and of data that need all digits or n - 1."""
    made = {name: hard_datasets()[name] for name in ("few", "far")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gnbbench.studies.export.hard_datasets", lambda: made)
        folder = export(IRIS, 2, 42, tmp_path_factory.mktemp("out") / "splits")
        assert len((folder / "README.txt").read_text().splitlines()) == 10
        yield folder


@pytest.mark.slow
@pytest.mark.parametrize("causes", [[], ["variance-divisor"]])
def test_answers_are_judged_whole(
    tmp_path: Path, exported: Path, causes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit in ("SLOW_SECONDS", "DATASET_SECONDS"):  # Of code that is run
        monkeypatch.setattr(f"gnbbench.studies.check.{limit}", 0.0)
    folder = tmp_path / "splits"
    shutil.copytree(exported, folder)
    _answer(folder, DIVISOR if causes else GaussianNB())

    (file,) = check(f"predictions:{folder}").details.details["findings"]

    assert (file.status, list(file.causes)) == (DIFFERS if causes else SAME, causes)
    assert file.adaptations == ("its predictions were made elsewhere",)
    named = f"predictions:{folder}"
    compared = compare("iris", against=(named,), runs=2, budget_seconds=0.02)
    assert compared.details.verdicts[0].outcome == "identical"  # n - 1 moves none of iris


def test_tables_that_were_changed_and_other_samples_are_refused(tmp_path: Path) -> None:
    written(tmp_path, QUESTIONS)
    named = f"predictions:{tmp_path}"
    with pytest.raises(ImplementationError, match="holds no answer"):
        implementation(named)
    with pytest.raises(GnbBenchError, match="is not empty"):
        export(IRIS, 2, 42, tmp_path)
    (tmp_path / "a file").touch()
    with pytest.raises(GnbBenchError, match="a file cannot be written"):
        export(IRIS, 2, 42, tmp_path / "a file")
    with pytest.raises(ImplementationError, match="has no predictions for this study"):
        conformance(named)
    _answer(tmp_path, GaussianNB())

    model = implementation(named).make().fit(X[1:], Y[1:])

    expected = GaussianNB().fit(X[1:], Y[1:]).predict(X[:6])
    assert model.predict(X[:6]).tolist() == expected.tolist()
    assert model.predict(X[3:1:-1]).tolist() == expected[3:1:-1].tolist()
    with pytest.raises(ProgramError, match="these samples are not those to label"):
        model.predict(X[20:])
    with pytest.raises(ProgramError, match="these training samples are in none of"):
        model.fit(X[9:], Y[9:])
    table = tmp_path / "q2.train.csv"
    table.write_text(table.read_text().replace("yes", "no", 1))
    (tmp_path / "q3.answer.csv").write_text("yes\n")  # Has another digest: read anew
    with pytest.raises(ImplementationError, match=r"train\.csv: is not as it was exported"):
        implementation(named).make()


def test_files_are_read_for_the_check_as_for_the_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gnbbench.studies.export.hard_datasets", dict)
    (tmp_path / "a.csv").write_text("x,of,kind\n" + "1,red,a\n2,blue,b\n,red,a\n" * 9)
    data = ("iris", str(tmp_path / "a.csv"))
    source = DataSource(data=data, target="kind", missing="drop", one_hot=True)
    folder = export(source, 1, 1, tmp_path / "out")
    check_names(CompareOptions(data=list(data), target="kind"))  # "iris" has none

    options, digests = exported_settings(CheckOptions(files=f"predictions:{folder}"))

    assert {dataset.name: dataset.sha256 for dataset in load_datasets(options)} == digests


EXPORTED = {"data": ["iris"], "target": None, "runs": 2, "seed": 1, "sha256": {"iris": ""}}


@pytest.mark.parametrize(
    "edit", [{"data": [3]}, {"data": 3}, {"runs": "x"}, {"seed": -1}, {"sha256": [3]}, {}]
)
def test_edited_settings_of_exports_fail(edit: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "export.json").write_text(json.dumps(EXPORTED | edit))
    options = CheckOptions(files=f"predictions:{tmp_path}")

    with pytest.raises(GnbBenchError) if edit else nullcontext():
        assert exported_settings(options)[0].data == ("iris",)


@pytest.mark.parametrize(
    ("labels", "is_refused"),
    [
        (["no"] * 9 + ["yes"] * 5, True),
        (["yes", *["no"] * 9, *["yes"] * 4], False),
        (["no"] * 10 + ["yes"] * 4, False),  # May be chance
        (["no"] * 14, False),
    ],
)
def test_answers_that_were_sorted_are_refused(
    tmp_path: Path, labels: list[str], *, is_refused: bool
) -> None:
    written(tmp_path, {"q": (X, Y, X[:14])})
    (tmp_path / "q.answer.csv").write_text("\n".join(labels))
    model = implementation(f"predictions:{tmp_path}").make()

    if is_refused:
        with pytest.raises(ProgramError, match=r"q\.answer\.csv is sorted"):
            model.fit(X, Y)
    else:
        assert model.fit(X, Y).predict(X[:14]).tolist() == labels


def test_a_program_answers_a_manifest_in_one_start(tmp_path: Path) -> None:
    script, starts = tmp_path / "many.py", tmp_path / "starts"
    script.write_text(PROGRAM)
    starts.touch()
    entry = implementation(f"command:{sys.executable} -S {script} {starts} {{manifest}}")

    ahead = answered_ahead(entry, list(QUESTIONS.values()), 60.0)

    for train, labels, test in QUESTIONS.values():
        model = ahead.make().fit(train, labels)
        assert model.predict(test).tolist() == ["yes"] * len(test)
        assert model.predict_proba(test).tolist() == [[0.25, 0.75]] * len(test)
    assert starts.read_text() == "started;"
    assert model.predict(X[30:]).tolist() == ["yes"] * 10
    assert starts.read_text().count("started;") > 1


def test_runs_of_a_comparison_are_answered_in_one_start_too(tmp_path: Path) -> None:
    script, starts = tmp_path / "many.py", tmp_path / "starts"
    script.write_text(PROGRAM)
    command = f"command:{sys.executable} -S {script} {starts} {{manifest}}"
    entries = implementations("sklearn", command, timeout_seconds=60.0)
    sample = Sample(X, Y, np.unique(Y), np.repeat([0, 1], 20))
    work = [RunBatch(0, SplitRule(0, test_size=0.25), tuple(range(30)))]

    ((_, tables),) = evaluated(sample, entries, work, jobs=1)

    assert starts.read_text() == "started;"
    rows = [row for row in tables["runs"] if row[1] == entries[1].name]
    # Status, train and test accuracy of whatever is always "yes"
    assert [(row[2], *row[7:9]) for row in rows] == [("ok", 0.5, 0.5)] * 30
