"""The command for authors of a Gaussian naive Bayes: right or not, and what to change."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from faults.checks import checked_summary, findings_of
from reading import shown
from reading.commands import call

import gnbbench
from gnbbench.conformance.battery import CHECKS, examine
from gnbbench.diagnosis.checked_files import DataFindings, FileFindings, in_double_precision
from gnbbench.diagnosis.findings import (
    AS_MANY,
    Diagnosis,
    ExplainedDisagreement,
    stated,
)
from gnbbench.diagnosis.moves import hard_datasets
from gnbbench.diagnosis.variants import FORMS
from gnbbench.errors import GnbBenchError, OptionError
from gnbbench.implementations import implementation
from gnbbench.implementations.isolation import isolated
from gnbbench.implementations.names import files_by_name
from gnbbench.progress import Silence
from gnbbench.report.check import report
from gnbbench.studies import check as check_module
from gnbbench.studies.check import Check, fewer_splits
from gnbbench.studies.options import CheckOptions
from gnbbench.studies.schema import encoded
from gnbbench.studies.store import Store

pytestmark = pytest.mark.slow

MY_GNB = Path(__file__).parents[2] / "docs" / "my_gnb.py"
RIGHT = """
from gnbbench.core import GaussianNB

class Mine(GaussianNB):
    pass
"""
DIVISOR = """
import numpy as np

class Mine:
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        parts = [X[y == c] for c in self.classes_]
        smoothing = 1e-9 * X.var(axis=0).max()
        self.priors = np.array([len(part) / len(X) for part in parts])
        self.means = np.array([part.mean(axis=0) for part in parts])
        self.variances = np.array([part.var(axis=0, ddof=1) for part in parts]) + smoothing
        return self

    def predict(self, X):
        z = (X[:, None, :] - self.means) ** 2 / self.variances
        logs = np.log(self.priors) - 0.5 * (z + np.log(2 * np.pi * self.variances)).sum(-1)
        return self.classes_[logs.argmax(axis=1)]
"""
CRASHES = """
class Mine:
    def fit(self, X, y):
        raise ValueError("not yet written")

    def predict(self, X):
        return []
"""
ABSENT = "import no_such_package_anywhere\n"
IRIS = ("--data", "iris", "--runs", "2")


TIMED = check_module._timed


@pytest.fixture(autouse=True)
def _few_demands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Examine a file by few demands and synthetic data, and time nothing; others do.

    Without times these demands need no scikit-learn in a worker, which takes a second.
    """
    few = dict(list(hard_datasets().items())[:2])
    monkeypatch.setattr("gnbbench.studies.export.hard_datasets", lambda *_: few)
    monkeypatch.setattr("gnbbench.studies.check.CHECKS", CHECKS[7:12])
    monkeypatch.setattr(check_module, "_timed", lambda *_: None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    texts = {"right": RIGHT, "divisor": DIVISOR, "crashes": CRASHES, "absent": ABSENT}
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text)
    return tmp_path


def files(study: Path) -> pd.DataFrame:
    table = pd.read_csv(study / "check.csv", keep_default_na=False)
    return table.set_index("implementation")


@pytest.mark.parametrize(
    ("cause", "explained", "differ", "sentence"),
    [
        ("", 0, 0, "gives scikit-learn's labels in all 90 predictions."),
        ("tie", 2, 2, "gives scikit-learn's labels in all but 2 of 90 predictions, where"),
        ("nan", 3, 0, "in all 90 predictions, but not its probabilities: some are NaN."),
        ("probabilities", 0, 0, "in all 90 predictions, but not its probabilities."),
        ("stateful", 0, 0, "in all 90 predictions, but not when it is called again."),
        ("alone", 0, 0, "in all 90 predictions, but fails on a single row."),
        ("crash", 0, 0, "in all 90 predictions, but fails when probabilities are requ"),
        ("crash", 10, 0, "gives no label in 10 of 100 predictions; the others are scikit"),
        ("crash", 10, 4, "in 10 of 100 predictions; 4 of the other 90 differ from"),
        ("prior", 4, 4, "differs from scikit-learn in 4 of 90 labels."),
    ],
)
def test_a_file_agrees_only_if_all_its_answers_do(
    cause: str, explained: int, differ: int, sentence: str
) -> None:
    causes = [stated(cause, explained, "It does.")] if cause else []
    findings = findings_of(Diagnosis("", False, tuple(causes), differ, 90))
    summary = checked_summary(findings)

    agrees = cause in ("", "tie")
    assert sentence in summary.headline
    assert summary.table("files")["status"].tolist() == ["agrees" if agrees else "differs"]
    judgement = Check().judge(CheckOptions(files="a.py"), summary)
    assert bool(judgement.failure) != agrees


def test_of_three_features_the_first_two_are_not_called_all_but_the_last() -> None:
    """Where other data show how many features are used."""
    last = stated("left-out", 9, "It leaves out the last.", estimate=FORMS["last left out"])
    first = stated("left-out", 4, "It uses the first 2.", estimate="the first 2 features")
    other = stated("left-out", 5, "It leaves out one.", estimate=FORMS["first left out"])
    parts = [
        replace(findings_of(Diagnosis("", False, (cause,), 9, 90)).parts[0], dataset=name)
        for name, cause in (("iris", last), ("wine", first), ("digits", other))
    ]

    one, both = (
        FileFindings("a.py", "A", parts=tuple(some)) for some in (parts[::2], parts)
    )

    assert one.clearest("left-out")[1].summary == last.summary
    assert both.clearest("left-out")[1].summary == first.summary


@pytest.mark.parametrize(("second", "is_told"), [(AS_MANY, True), ("", False)])
def test_as_many_features_as_classes_are_told_where_all_data_show_it(
    second: str, *, is_told: bool
) -> None:
    """Two features may be as many as the classes by chance."""
    causes = [
        stated("left-out", n, f"It uses only the first {words}: no more.", estimate=words)
        for n, words in ((9, f"2 features{AS_MANY}"), (4, f"3 features{second}"))
    ]
    parts = [
        replace(findings_of(Diagnosis("", False, (cause,), 9, 90)).parts[0], dataset=name)
        for name, cause in zip(("cancer", "iris"), causes, strict=True)
    ]

    (_, clearest) = FileFindings("a.py", "A", parts=tuple(parts)).clearest("left-out")

    told = f"2 features{AS_MANY}" if is_told else "2 features"
    assert clearest.summary == f"It uses only the first {told}: no more."


def test_tables_that_contradict_each_other_are_not_called_wrong_probabilities() -> None:
    text = "`predict_joint_log_proba`, normalised, does not give `predict_proba`."
    cause = stated("probabilities", 0, text, kind="tables")

    summary = checked_summary(findings_of(Diagnosis("", False, (cause,), 0, 90)))
    assert summary.headline.endswith(", but its tables contradict each other.")


@pytest.mark.parametrize(
    ("field", "value", "status"),
    [
        ("measured", 2.0, "differs"),
        ("measured", None, "agrees"),  # It raised
        ("family", "bad input", "agrees"),
        ("family", "degenerate data", "differs"),
        ("family", "scales", "agrees"),  # Extreme ones
        ("id", "scale-1e6", "differs"),
        ("id", "scale-1e-6", "differs"),
        ("id", "partial-fit-after-fit", "differs"),
        ("unit", "difference", "differs"),
        ("family", "ties", "agrees"),
        ("family", "precision", "agrees"),  # Code that is right may compute in bytes
        ("unit", "relative error", "agrees"),
        ("expected_failure", True, "agrees"),
        ("outcome", "pass", "agrees"),
    ],
)
def test_labels_wrong_only_in_a_hard_case_are_not_agreement(
    field: str, value: object, status: str
) -> None:
    """Such as those of code that does something else with few rows."""
    case: dict[str, object] = {"id": "two-classes", "unit": "labels"}
    case["family"] = "another" if field == "id" else "sizes"
    case["statement"] = "Two are right."
    row: dict[str, object] = {"outcome": "fail", "message": "2 of 4 labels wrong"}
    row |= {"measured": 2.0, "expected_failure": False}
    (case if field in case else row)[field] = value
    findings = findings_of(Diagnosis("", same=True, n_predictions=90))

    findings = replace(findings, results=[{**row, "check": case}])

    assert findings.status == status
    texts = [cause.summary for shown in findings.causes.values() for _, cause in shown]
    text = f"Its answers differ in 1 hard case: {case['id']}, 2 of 4 labels wrong."
    assert texts == [text] * (status == "differs")
    remedies = "".join(one.remedy for shown in findings.causes.values() for _, one in shown)
    assert ("a number that is added" in remedies) == (case["id"] == "scale-1e-6")


def test_hard_cases_are_told_beside_labels_that_are_too_few_to_tell() -> None:
    case = {"id": "repeated-rows", "family": "symmetry", "unit": "labels"}
    case["statement"] = "Each counts."
    row = {"outcome": "fail", "message": "2 of 4 labels wrong", "measured": 2.0}
    few = stated("undecided", 1, "1 label is too few to tell.")
    findings = findings_of(Diagnosis("", False, (few,), 1, 90))

    results = [{**row, "check": case, "expected_failure": False, "seconds": 0.0}]
    findings = replace(findings, results=results)
    assert list(findings.causes) == ["undecided", "hard-case"]
    assert "repeated-rows" in findings.causes["hard-case"][0][1].summary


@pytest.mark.parametrize("cause", ["not-gnb", "learned", "left-out", "prior"])
def test_a_cause_of_labels_is_one_of_probabilities_on_other_data(cause: str) -> None:
    causes = stated(cause, 3, "It does."), stated("probabilities", 0, "They differ.")
    findings = findings_of(Diagnosis("", False, causes, 3, 90))

    assert ("probabilities" in findings.causes) == (cause == "prior")


@pytest.mark.parametrize("cause", ["clipped", "prior"])
def test_probabilities_that_are_cut_need_not_sum_to_1(cause: str) -> None:
    causes = stated(cause, 0, "It does."), stated("unnormalised", 0, "It sums to 2.")
    findings = findings_of(Diagnosis("", False, causes, 0, 90))

    assert ("unnormalised" in findings.causes) == (cause == "prior")


@pytest.mark.parametrize("cause", ["class-order", "prior"])
def test_labels_in_another_order_contradict_scores(cause: str) -> None:
    findings = findings_of(Diagnosis("", False, (stated(cause, 3, "It does."),), 3, 90))

    findings = replace(findings, contradictions=("`label` is not that of `score`",))

    assert ("contradiction" in findings.causes) == (cause == "prior")


@pytest.mark.parametrize(
    ("run", "n", "causes"),
    [
        (1, 20, {"stateful"}),
        (0, 20, {"stateful", "not-gnb"}),
        (1, 3, {"stateful", "not-gnb"}),  # By chance
    ],
)
def test_memory_that_models_share_explains_labels_only_after_the_first_run(
    run: int, n: int, causes: set[str]
) -> None:
    case = {"id": "two-models", "family": "repetition", "unit": "labels"}
    row = {"outcome": "fail", "message": "1 of 9 labels differs", "measured": 1.0}
    row |= {"check": case, "expected_failure": False}
    strange = stated("not-gnb", n, "No setting gives these.")
    labels = ExplainedDisagreement(
        run, 7, 1, 1, 0, ("not-gnb",), 0.5, np.zeros(2), None, None, *2 * [np.zeros(2)]
    )
    findings = findings_of(Diagnosis("", False, (strange,), n, 90, disagreements=(labels,)))

    found = replace(findings, results=[row]).causes

    assert set(found) == causes
    assert sum(c.explained for shown in found.values() for _, c in shown) == n


def test_labels_that_change_by_themselves_do_not_hang_on_data_frames() -> None:
    case = {"id": "data-frames", "family": "memory", "unit": "labels"}
    row = {"outcome": "fail", "message": "2 of 9 labels differ", "measured": 2.0}
    row |= {"check": case, "expected_failure": False}
    texts = [
        replace(
            findings_of(Diagnosis("", False, (stated(cause, 9, "So."),), 9, 90)),
            results=[row],
        ).wrong_frames
        for cause in ("stateful", "divisor")
    ]

    assert texts == ["", "2 of 9 labels differ"]


@pytest.mark.parametrize(("status", "clause"), [("fail", True), ("pass", False)])
def test_agreement_that_ends_with_arrays_is_told_so(status: str, clause: bool) -> None:
    case = {"id": "data-frames", "family": "memory", "unit": "labels", "tolerance": 0.0}
    case |= {"statement": "So.", "source": ""}
    row = {"outcome": status, "message": "2 of 9 labels differ", "measured": 2.0}
    row |= {"check": case, "expected_failure": False, "seconds": 0.0}
    found = Diagnosis("", False, (), 0, 90, largest_remaining_difference=0.0)
    summary = checked_summary(replace(findings_of(found), results=[row]))

    assert summary.tables["files"]["status"][0] == "agrees"
    assert ("with arrays, but not with DataFrames." in summary.headline) == clause
    text = str(shown(report(summary), width=300))
    assert ("With DataFrames: 2 of 9 labels differ in a hard case" in text) == clause


@pytest.mark.parametrize(
    ("check", "outcome", "cause", "words"),
    [
        ("fit-twice", "fail", "stateful", "A second fit does not forget the first: 1 of"),
        ("two-models", "fail", "stateful", "A model's answers change when another one"),
        ("input-unchanged", "fail", "mutation", "It changes its input arrays."),
        ("input-unchanged", "raises", "", ""),
        ("fit-twice", "raises", "", ""),
        ("fit-twice", "pass", "", ""),
        ("threads", "fail", "", ""),  # Code may keep the rows it is asked for
    ],
)
def test_hard_cases_of_memory_are_causes_beside_others(
    check: str, outcome: str, cause: str, words: str
) -> None:
    case = {"id": check, "family": "repetition", "unit": "difference"}
    row = {"outcome": outcome, "message": "1 of 9 labels differs", "measured": 0.0}
    if check == "input-unchanged":
        row |= {"message": "changed: X", "measured": 1.0}
    if outcome == "raises":
        row |= {"outcome": "fail", "message": "ValueError: no room", "measured": None}
    amount = replace(stated("smoothing-rule", 3, "It adds 1."), interval=(1.0, 1.0))
    findings = findings_of(Diagnosis("", False, (amount,), 3, 90))

    row |= {"check": case, "expected_failure": False}
    findings = replace(findings, results=[row])

    assert set(findings.causes) == {"smoothing-rule", cause} - {""}
    assert not cause or findings.causes[cause][0][1].summary.startswith(words)
    remedies = [shown[0][1].remedy for shown in findings.causes.values()]
    assert any("in each model" in text for text in remedies) == (check == "two-models")


def test_agreement_has_the_sizes_of_data_that_it_covers() -> None:
    def text(*causes: str, results: Sequence[Any] = ()) -> str:
        found = Diagnosis("", False, tuple(stated(c, 1, "So.") for c in causes), 1, 90)
        parts = [DataFindings("a", 1, found, sizes) for sizes in ((2, 4, 9), (3, 4, 1000))]
        findings = replace(findings_of(found), parts=tuple(parts), results=results)
        return str(shown(report(checked_summary(findings)), width=500))

    row = {"outcome": "pass", "message": "", "measured": 0.0, "expected_failure": False}
    case: dict[str, Any] = {"id": "many-rows", "family": "sizes", "unit": "labels"}
    case |= {"statement": "So.", "source": "", "tolerance": 0.0}
    sizes = "2 to 3 classes, 4 features, 9 to 1,000 training rows"

    assert f"Compared on: {sizes}." in text("tie")
    assert (
        f"Compared on: arrays with {sizes}, in hard cases up to 20,000 training rows."
        in text("tie", results=[{**row, "seconds": 0.0, "check": case}])
    )
    assert "Compared on" not in text("prior")


@pytest.mark.parametrize(
    ("patch", "clause"),
    [
        ("", "differs from scikit-learn in 4 of 90 labels."),
        ("--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n", "labels; one changed line makes it agree."),
        ("--- a\n+++ a\n@@ -1 +1,2 @@\n-x\n+y\n+z\n", "; 2 changed lines make it agree."),
        ("--- a\n+++ a\n@@ -1,3 +1,2 @@\n-x\n y\n-z\n+w\n", "; 2 changed lines make it "),
    ],
)
def test_the_headline_says_how_many_lines_to_change(patch: str, clause: str) -> None:
    diagnosis = Diagnosis("", False, (stated("prior", 4, "It does."),), 4, 90)
    findings = replace(findings_of(diagnosis), patch=patch)

    assert clause in checked_summary(findings).headline


@pytest.mark.parametrize(
    ("kind", "causes"), [("unexplained", ["precision"]), ("", ["probabilities"])]
)
def test_probabilities_that_double_precision_mends_were_of_single_precision(
    kind: str, causes: list[str]
) -> None:
    text = "Probabilities differ by up to 5e-8"
    cause = stated("probabilities", 0, f"{text}.", estimate=text, kind=kind)
    findings = findings_of(Diagnosis("", False, (cause,), 0, 90))

    told = in_double_precision(findings).causes

    assert list(told) == causes
    ((_, shown),) = told[causes[0]]
    ending = ", since numbers are in single precision" if kind else ""
    assert shown.summary == f"{text}{ending}."


def test_label_counts_add_up_or_the_reason_is_given() -> None:
    def lines(unexplained: int, *explained: int) -> str:
        names = ("no-smoothing", "prior")
        causes = tuple(
            stated(name, n, f"It does {name}.")
            for name, n in zip(names, explained, strict=True)
        )
        findings = findings_of(Diagnosis("", False, causes, 10, 90, unexplained))
        return str(shown(report(checked_summary(findings)), width=500))

    twice, unclear = "A label with several causes is counted for each.", "no cause"
    assert twice not in (screen := lines(1, 5, 4))
    assert unclear in screen
    assert twice in (screen := lines(0, 6, 5))
    assert unclear not in screen
    unproved = "1 of the 10 labels that differ has no cause that could be proved."
    assert f"{unproved} {twice}" in lines(1, 6, 4)


def test_of_a_folder_each_file_is_a_row_and_none_stops_the_others(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_module, "_timed", TIMED)
    code, _, err = call("check", folder, *IRIS, "--out", folder / "study")

    contents = files(folder / "study")
    assert code == 1
    assert contents["status"].to_dict() == {
        "absent.py": "cannot be run",
        "crashes.py": "cannot be run",
        "divisor.py": "differs",
        "right.py": "agrees",
    }
    assert "no_such_package_anywhere" in str(contents.loc["absent.py", "error"])
    assert "not yet written" in str(contents.loc["crashes.py", "error"])
    assert contents.loc["right.py", "fit_ratio"] != ""
    assert err == ""
    causes = pd.read_csv(folder / "study" / "causes.csv").set_index("implementation")
    named = {"crashes.py": "crash", "divisor.py": "variance-divisor"}
    assert causes["cause"].to_dict() == named
    assert len(causes["remedy"]["divisor.py"]) > 10


def test_what_a_table_of_files_cannot_show_of_right_ones_is_told_below_it() -> None:
    right = findings_of(Diagnosis("", True, (), 0, 90))
    partly = replace(right, name="b.py", not_judged=("line 8, which did not run",))

    text = shown(report(checked_summary(right, partly)), width=300)

    assert text.count(" gives scikit-learn's") == 1
    assert (
        "b.py gives scikit-learn's labels in all 90 predictions. Not judged: line 8" in text
    )


def test_if_nothing_can_be_loaded_the_reasons_are_lines_and_all(folder: Path) -> None:
    broken = folder / "broken.py"
    broken.write_text("class Mine(:\n")

    code, out, err = call("check", folder / "absent.py", broken, "--out", folder / "study")

    assert (code, out) == (2, "")
    assert [line.startswith("gnbbench: ") for line in err.splitlines()] == [True, True]
    assert "no_such_package_anywhere" in err
    assert "broken.py, line 1" in err
    assert not (folder / "study").exists()


def test_of_code_that_fails_it_is_told_how_it_was_called(tmp_path: Path) -> None:
    """The functions may not belong together, or need a package that is not there."""
    path, out = tmp_path / "steps.py", tmp_path / "study"
    path.write_text(
        "import no_such_package_anywhere\n"
        "def gauss_fit(data): return [sum(column) for column in zip(*data)]\n"
        "def gauss_predict(model, row): return max(model.items())[0]\n"
    )

    code, text, _ = call("check", path, *IRIS, "--out", out)

    told = "'no_such_package_anywhere' cannot be imported and was left out; `gauss_fit` was"
    assert code == 2
    assert f"Called: {told} called to fit" in " ".join(text.split())
    page = (out / "index.html").read_text()
    assert 'id="calls"' in page
    assert "cannot be imported and was left out" in page


def test_files_with_the_same_name_are_shown_with_their_folders(folder: Path) -> None:
    (folder / "b").mkdir()
    (folder / "b" / "right.py").write_text(RIGHT)
    given = (str(folder / "right.py"), str(folder / "b" / "right.py"))

    prepared = Check().prepare(CheckOptions(files=given, data=("iris",), runs=2))

    assert list(prepared.files) == list(given)


def test_folders_are_read_recursively_and_unrelated_files_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = {
        "anna/nb.py": RIGHT,
        "bert/nb.py": RIGHT + "# mine\n",
        "bert/copy.py": RIGHT,
        "bert/__pycache__/nb.py": RIGHT,
        "env/pyvenv.cfg": "",
        "env/lib/nb.py": RIGHT,
        "carl/__init__.py": "x = 1\n",
        "carl/test_nb.py": "def test(): pass\n",
        "tests/all.py": "x = 2\n",
        "setup.py": "import setuptools\n",
        "empty.py": "\n",
        "locked.py": RIGHT,
        "dora/homework (1).zip": "PK",
        "emil/nb.R": "x <- 1",
        "emil/NB.PY": RIGHT,
        "fred/__init__.py": DIVISOR,
        "gina/__init__.py": "class TextBayes:\n    def __call__(self, X): return X\n",
    }
    (tmp_path / "link.py").symlink_to(tmp_path / "absent.py")
    for name, text in sources.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    opened = Path.open

    def refused(path: Path, *how: Any, **named: Any) -> Any:
        if path.name == "locked.py":
            raise PermissionError(path)
        return opened(path, *how, **named)

    monkeypatch.setattr(Path, "open", refused)

    prepared = Check().prepare(CheckOptions(files=str(tmp_path), data=("iris",), runs=2))

    checked = ["anna/nb.py", "bert/nb.py", "fred/__init__.py", "gina/__init__.py"]
    assert list(prepared.files) == checked
    assert prepared.plan["skipped"] == {
        "empty.py": "empty",
        "link.py": "unreadable",
        "locked.py": "unreadable",
        "dora/homework (1).zip": "an archive: unpack it",
        "emil/nb.R": "not Python",
        "emil/NB.PY": "rename it to end in .py",
        "setup.py": "set-up, not an implementation",
        "bert/copy.py": "the same as anna/nb.py",
        "carl/__init__.py": "a package initialiser",
        "carl/test_nb.py": "a test",
        "tests/all.py": "a test",
    }


def test_files_that_others_import_are_skipped_if_they_hold_no_model(folder: Path) -> None:
    """What learns or predicts, in whatever words, is checked though others import it."""
    texts = {
        "nb.py": f"import helpers, core.rules\nfrom core import a, b, model, bad\n{RIGHT}",
        "helpers.py": "import limits\ndef train_test_split(X, y): pass\n",
        "limits.py": "LEAST = 3\n",
        "alone.py": "def draw(x): pass\n",
        "core/__init__.py": "",
        "core/rules.py": "def accuracy(y, given): pass\n",
        "core/a.py": "class A:\n  def fit(self, X): pass\n  def size(self): return 1\n",
        "core/b.py": "class B:\n  def fit(self, X): self.n = 1\n",
        "core/model.py": "def bereken(X, y): pass\n",
        "core/bad.py": "def accuracy(y:\n",
    }
    place = folder / "homework"
    for name, text in texts.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)

    files, skipped = files_by_name(str(place))

    why = "no name in it says that it learns or predicts"
    others = [f"core/{name}.py" for name in ("b", "bad", "model")]
    assert list(files) == ["alone.py", "nb.py", *others]
    assert skipped == {
        "helpers.py": f"imported by nb.py; {why}",
        "limits.py": f"imported by helpers.py; {why}",
        "core/rules.py": f"imported by nb.py; {why}",
        "core/a.py": "imported by nb.py; its classes leave fit and predict to those that "
        "inherit from them",
        "core/__init__.py": "a package initialiser",
    }


def test_labels_of_a_data_file_are_in_the_column_named(folder: Path) -> None:
    (folder / "own.csv").write_text("kind,x\n" + "a,1\nb,2\n" * 20)
    data = (str(folder / "own.csv"), "iris")

    (own, iris) = (
        Check()
        .prepare(CheckOptions(files=str(folder / "right.py"), data=data, target="kind"))
        .datasets
    )

    assert own.class_names == ("a", "b")
    assert iris.name == "iris"


def test_a_file_given_twice_and_a_folder_without_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="holds no Python file"):
        gnbbench.check(str(tmp_path))
    with pytest.raises(OptionError, match="given twice"):
        gnbbench.check(["a.py", "a.py"])
    with pytest.raises(GnbBenchError, match=r"no\.py"):
        gnbbench.check("no.py")


def test_slow_code_is_checked_on_fewer_splits_with_a_remark(folder: Path) -> None:
    options = CheckOptions(files=str(folder / "right.py"), data=("iris",), runs=20)
    prepared = Check().prepare(options)

    same, nothing = fewer_splits(prepared, 0.0009)
    fewer, remarks = fewer_splits(prepared, 0.004)

    assert (same, nothing) == (prepared, ())
    assert [runs for _, runs in fewer.data] == [5, 1, 1]
    (text,) = remarks
    assert text.startswith("fewer predictions were compared and nothing was timed, because")
    assert text.endswith("`fit` and `predict` take 4 ms per row to label")
    assert not examine(implementation("numpy"), budget_seconds=0.0).results


WAITS = "        import time; time.sleep(0.2)\n"
WORKS = """        import time; end = time.process_time() + 0.2
        while time.process_time() < end: pass
"""


@pytest.mark.parametrize(("body", "is_slow"), [(WAITS, False), (WORKS, True)])
def test_code_is_slow_by_its_own_time_not_by_the_clock(
    body: str, is_slow: bool, folder: Path
) -> None:
    """As on a machine that is busy with other things."""
    text = f"{RIGHT}    def predict(self, X):\n{body}        return super().predict(X)\n"
    (folder / "mine.py").write_text(text)
    entry = isolated(str(folder / "mine.py"), timeout_seconds=60)
    options = CheckOptions(files=str(folder / "mine.py"), data=("iris",), runs=1)

    seconds, rows, _ = check_module._first_call(entry, Check().prepare(options))

    assert rows == 45
    assert (seconds / rows > check_module.SLOW_SECONDS) == is_slow


def test_no_split_is_begun_after_the_time_of_a_dataset(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_module, "DATASET_SECONDS", 0.0)
    options = {"data": ("iris", "wine"), "runs": 3, "out": folder / "out"}

    study = gnbbench.check(str(folder / "divisor.py"), **options)

    labels = study.runs.set_index("dataset")
    assert labels["n_runs"].tolist() == [1] * len(labels)
    assert labels["n_predictions"]["iris"] == 45
    told = "only 1 of 3 splits of iris, 1 of 3 splits of wine"
    assert told in study.summary["adaptations"][0]
    assert "on iris and wine, up to 3 random splits of each" in shown(study.document)


def test_changes_of_slow_code_are_tried_for_a_limited_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "my_gnb.py"
    file.write_bytes(MY_GNB.read_bytes())

    def patch(out: str) -> str:
        options = {"data": ("iris",), "runs": 2, "out": tmp_path / out}
        return str(gnbbench.check(str(file), **options).summary["patch"][0])

    monkeypatch.setattr(check_module, "SLOW_SECONDS", 0.0)
    assert patch("enough")
    monkeypatch.setattr(check_module, "PATCH_SECONDS", 0.0)
    assert not patch("none")


@pytest.mark.parametrize(
    ("source", "is_denied"),
    [
        (
            "def train(rows, labels): return {label: 1 for label in labels}\n"
            "def predict(model, row, shares): return max(shares)\n",
            False,
        ),
        (CRASHES, True),
    ],
)
def test_no_remedy_is_denied_beside_one(
    source: str, is_denied: bool, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(source)

    call("check", tmp_path / "mine.py", *IRIS, "--out", tmp_path / "out")

    page = (tmp_path / "out" / "index.html").read_text()
    assert ("Let it return model and shares" in page) != is_denied
    assert ("No remedy is known" in page) == is_denied


def test_code_that_hangs_is_asked_once(tmp_path: Path) -> None:
    """And not in every run on every dataset, for as long each time."""
    path = tmp_path / "hangs.py"
    path.write_text(
        "class NB:\n    def fit(self, X, y): pass\n"
        "    def predict(self, X):\n        while True: pass\n"
    )

    limits = ("--timeout", "0.5", "--runs", "3", "--out")

    code, checked, _ = call("check", path, "--data", "iris", *limits, tmp_path / "a")
    _, text, _ = call("explain", "iris", "--against", path, *limits, tmp_path / "b")

    assert (code, (tmp_path / "a" / "index.html").exists()) == (2, True)
    words = "predict did not answer within 0.5 s"
    assert f"cannot be run: {words}" in " ".join(checked.split())
    once = f"1 of 3 runs failed; the first: {words}; 2 were not tried"
    assert once in " ".join(text.split())


@pytest.mark.parametrize("score", ["0.5", "self.shares[row[0]]"])
def test_a_model_of_counts_is_told_to_be_no_gaussian(score: str, tmp_path: Path) -> None:
    """Whether its answers differ, or it only looks up what it has counted."""
    source = "class NB:\n    def fit(self, X, y): self.shares = dict(zip(y, y / len(y)))\n"
    source += f"    def predict(self, X): return [int({score} > 0.5) for row in X]\n"
    (tmp_path / "counts.py").write_text(source)

    options = ("--data", "iris", "--runs", "3", "--out", tmp_path / "out")
    _, out, _ = call("check", tmp_path / "counts.py", *options)

    said = "t computes no variance and no density, so it is no Gaussian naive Bayes."
    begun = " labels. I" if score == "0.5" else "counts.py cannot be run: i"
    assert f"{begun}{said}" in " ".join(out.split())


def test_a_program_that_fails_on_all_data_is_started_once_on_each(tmp_path: Path) -> None:
    command = f"{sys.executable} -S -c 'raise SystemExit(3)'"

    code, out, _ = call(
        *("check", f"fails=command:{command}", "--data", "iris", "--runs", "3"),
        *("--keep", tmp_path / "kept", "--out", tmp_path / "out"),
    )

    assert code == 2
    words = f"cannot be run: ended with exit code 3; its files are in {tmp_path}"
    assert words in " ".join(out.split())
    assert len(list((tmp_path / "kept").iterdir())) == 1


def test_a_patched_copy_finds_its_neighbours_where_links_are_not_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError("a required privilege is not held by the client")

    for name in ("mine.py", "beside.py", "data.csv"):
        (tmp_path / name).write_text(name)
    there = [tmp_path / name for name in ("links", "copies")]
    for folder in there:
        folder.mkdir()
        check_module._copy_beside(tmp_path / "mine.py", folder, "changed")
        monkeypatch.setattr(Path, "symlink_to", refused)

    assert [(folder / "beside.py").is_symlink() for folder in there] == [True, False]
    assert [sorted(path.name for path in folder.iterdir()) for folder in there] == [
        ["beside.py", "data.csv", "links", "mine.py"],
        ["beside.py", "mine.py"],
    ]


@pytest.mark.parametrize(
    ("names", "files", "what"),
    [
        (("a.py", "b.py"), {"b.py": "edited"}, r"b\.py was changed during the check"),
        (("a.py", "b.py"), {"b.py.bak": ""}, r"b\.py\.bak exists"),
        (("a.py", "a.py:Mine"), {}, r"a\.py would be changed twice"),
    ],
)
def test_no_file_is_fixed_unless_all_can_be(
    names: tuple[str, ...], files: dict[str, str], what: str, tmp_path: Path
) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(RIGHT)
    paths, store = [f"{tmp_path}/{name}" for name in names], Store()
    prepared = Check().prepare(CheckOptions(files=paths, data=("iris",), fix=True))
    for name in names:
        found = encoded(FileFindings(name, "", patched="x"))
        store.add({}, {f"check of {name}": found})
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    with pytest.raises(OptionError, match=what):
        Check().measure(prepared, store, Silence())
    assert (tmp_path / "a.py").read_text() == RIGHT
    assert not (tmp_path / "a.py.bak").exists()


def test_a_failure_after_gnbbench_was_replaced_is_no_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(CRASHES)
    options = CheckOptions(files=str(tmp_path / "mine.py"), data=("iris",), runs=2)
    prepared, store = Check().prepare(options), Store()
    monkeypatch.setattr(check_module, "_LOADED", 0.0)

    with pytest.raises(GnbBenchError, match="gnbbench: it was changed during the study"):
        Check().measure(prepared, store, Silence())
    assert not store.notes("check of ")


def test_a_script_with_lines_of_ipython_has_places_but_no_patch(tmp_path: Path) -> None:
    """A patch is of the file as it is written, which is no Python; without them: one."""
    file = tmp_path / "my_gnb.py"

    def checked(name: str, text: str) -> tuple[bool, list[str]]:
        file.write_text(text)
        options: dict[str, Any] = {"data": ("iris",), "runs": 2, "out": tmp_path / name}
        patch = gnbbench.check(str(file), **options).summary["patch"][0]
        places = pd.read_csv(tmp_path / name / "causes.csv")["places"].astype(str)
        return bool(patch), [place.partition(": ")[2] for place in places]

    is_patched, places = checked("plain", MY_GNB.read_text())
    assert is_patched
    assert any(places)
    text = "%matplotlib inline\n" + MY_GNB.read_text()
    assert checked("marked", text) == (False, places)


@pytest.mark.parametrize("fewest", [100, 10**7])
def test_lines_that_never_ran_limit_what_is_said_to_agree(
    fewest: int, tmp_path: Path
) -> None:
    """Hard cases have more than 100 rows; ten million are not tried."""
    text = RIGHT + "    def fit(self, X, y):\n        if len(X) > 100:\n            y = y\n"
    text = f"{text}        return super().fit(X, y)\n".replace("100", str(fewest))
    (tmp_path / "my_gnb.py").write_text(text)

    options: dict[str, Any] = {"data": ("iris",), "runs": 2, "out": tmp_path / "out"}
    study = gnbbench.check(str(tmp_path / "my_gnb.py"), **options)

    never = "line 8, which did not run"
    assert study.summary["status"].tolist() == ["agrees"]
    assert study.summary["not_judged"].tolist() == ["" if fewest == 100 else never]


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"# coding: latin-1, \xe9\n"])
def test_a_patch_that_was_run_is_written_on_request(mark: bytes, tmp_path: Path) -> None:
    file, kept = tmp_path / "my_gnb.py", tmp_path / "my_gnb.py.bak"
    written = mark + MY_GNB.read_bytes()
    file.write_bytes(written)
    file.chmod(0o600)

    def checked(*, fix: bool = False) -> str:
        options = {"data": ("iris",), "runs": 2, "out": tmp_path / "out", "fix": fix}
        return str(gnbbench.check(str(file), **options).summary["patch"][0])

    shown = checked()
    assert [line[0] for line in shown.splitlines()[3:] if line[0] in "+-"] == ["-", "+"]
    assert (file.read_bytes(), kept.exists()) == (written, False)
    page = tmp_path / "out" / "index.html"
    assert "The same command with --fix applies it." in page.read_text()
    checked(fix=True)
    assert "It was applied, and the original is kept as my_gnb.py.bak." in page.read_text()
    assert (kept.read_bytes(), kept.stat().st_mode & 0o777) == (written, 0o600)
    added = [line[1:].encode() for line in shown.splitlines()[3:] if line[0] == "+"]
    assert {*file.read_bytes().splitlines()} - {*written.splitlines()} == {*added}
    file.write_bytes(written)
    for elsewhere in (kept, tmp_path / "absent"):
        if elsewhere != kept:  # A link to nowhere would be followed
            kept.unlink()
            kept.symlink_to(elsewhere)
        with pytest.raises(OptionError, match=r"my_gnb\.py\.bak exists"):
            checked(fix=True)
    assert (file.read_bytes(), elsewhere.exists()) == (written, False)


def test_code_for_ten_classes_is_compared_on_a_dataset_with_ten(tmp_path: Path) -> None:
    file, out = tmp_path / "ten.py", tmp_path / "out"
    file.write_text(
        DIVISOR.replace("for c in self.classes_", "for c in range(10)")
        .replace(", ddof=1", "")
        .replace("1e-9 *", "1e-3 *")
    )

    found = gnbbench.check(file, runs=2, out=out).summary.iloc[0]

    told = "data with other than 10 classes; larger datasets were cut to that"
    assert (found["not_judged"], found["causes"]) == (told, "smoothing-rule")
    assert " on digits, 2 random splits, and on" in (out / "index.html").read_text()


def test_code_for_some_features_is_compared_on_those_of_each_dataset(
    tmp_path: Path,
) -> None:
    """With a reference that sees no more; where no dataset has enough, that is told."""
    file, out = tmp_path / "six.py", tmp_path / "out"
    cut = "        X = np.array([[a, b, c, d, e, f] for a, b, c, d, e, f in X])\n"
    text = DIVISOR.replace("X, y):\n", f"X, y):\n{cut}")
    file.write_text(text.replace("self, X):\n", f"self, X):\n{cut}"))

    def checked(*data: str) -> Any:
        return gnbbench.check(file, data=data, runs=2, out=out, overwrite=True).summary

    found, page = checked("iris", "wine").iloc[0], (out / "index.html").read_text()

    left = "data with other than 6 features; larger datasets were cut to that, and iris was"
    assert found["not_judged"] == f"{left} left out"
    assert found["causes"] == "variance-divisor"
    assert " on wine, 2 random splits, and on synthetic data." in page
    assert checked("iris")["error"].tolist() == [
        "it works with 6 features alone, which no dataset has. Give one: --data"
    ]
