"""Names, files, modules and objects become implementations."""

import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from gnbbench.errors import (
    GnbBenchError,
    ImplementationError,
    OptionError,
    UnknownNameError,
)
from gnbbench.implementations import Implementation, implementation, implementations
from gnbbench.implementations.isolation import IsolatedModel
from gnbbench.implementations.names import check_name
from gnbbench.measurement.predictions import predictions

MINE = """
class GNB:
    def __init__(self, k=1):
        self.k = k

    def fit(self, X, y):
        self.labels = y

    def predict(self, X):
        return self.labels[: len(X)] * self.k


def scaled(X_train, y_train, X_test, factor=1):
    return y_train[: len(X_test)] * factor
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """Write a student's file with a class and a function."""
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    return path


def answers_of(entry: Implementation) -> list[int]:
    """Return what a model says of two samples that bear the labels 3 and 4."""
    model = entry.make()
    model.fit(np.array([[1.0], [2.0]]), np.array([3, 4]))
    return list(map(int, model.predict(np.array([[1.0], [2.0]]))))


@pytest.mark.parametrize(
    ("typed", "name", "labels"),
    [
        ("mine.py", "GNB", [3, 4]),
        ("mine.py:GNB", "GNB", [3, 4]),
        ("mine.py:GNB?k=2", "GNB?k=2", [6, 8]),
        ("mine.py:scaled", "mine.py:scaled", [3, 4]),
        ("mine.py:scaled?factor=-1", "mine.py:scaled?factor=-1", [-3, -4]),
        ("./mine.py?k=3", "GNB?k=3", [9, 12]),
    ],
)
def test_a_file_gives_its_class_or_function(
    typed: str, name: str, labels: list[int], mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(mine.parent)

    entry = implementation(typed)

    assert entry.name == name
    assert entry.specification == typed
    assert entry.foreign
    assert answers_of(entry) == labels


@pytest.mark.slow
def test_a_file_is_found_again_from_any_directory_and_process(
    mine: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(mine.parent)
    entry = implementation("mine.py:GNB?k=2")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")

    X, y = np.array([[1.0], [2.0]]), np.array([3, 4])
    call = joblib.delayed(predictions)(entry, X, y, X, np.array([3, 4, 6, 8]))
    ((_, there),) = ((one.train, one.test) for one in joblib.Parallel(n_jobs=2)([call]))

    assert there.tolist() == [2, 3]
    assert answers_of(entry) == [6, 8]


@pytest.mark.parametrize(
    ("typed", "name", "var_smoothing"),
    [
        ("sklearn", "sklearn", 1e-9),
        ("sklearn?var_smoothing=0.1", "sklearn?var_smoothing=0.1", 0.1),
        ("numpy?var_smoothing=1e-6", "numpy?var_smoothing=1e-6", 1e-6),
        (
            "sklearn.naive_bayes:GaussianNB?var_smoothing=0.5&priors=none",
            "GaussianNB?var_smoothing=0.5&priors=none",
            0.5,
        ),
    ],
)
def test_names_and_modules_make_fresh_estimators_with_parameters(
    typed: str, name: str, var_smoothing: float
) -> None:
    entry = implementation(typed)

    assert (entry.name, entry.specification) == (name, typed)
    assert entry.make().var_smoothing == var_smoothing
    assert entry.make() is not entry.make()
    assert entry.foreign == (":" in typed)


def test_an_edited_file_is_another_implementation_and_refused_in_place_of_the_first(
    mine: Path,
) -> None:
    before = implementation(f"{mine}:GNB")
    mine.write_text(MINE.replace("* self.k", "* 10"))

    after = implementation(f"{mine}:GNB")

    assert before.digest != after.digest
    assert answers_of(after) == [30, 40]
    with pytest.raises(ImplementationError, match="was changed while the study ran"):
        before.make()


@pytest.fixture
def announce(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Have a package announce an implementation; give the way to do so."""

    def give(**values: str) -> None:
        group = "gnbbench.implementations"
        points = {name: EntryPoint(name, value, group) for name, value in values.items()}
        for module in ("lookup", "names"):
            home = f"gnbbench.implementations.{module}.announced"
            monkeypatch.setattr(home, lambda: points)

    return give


def test_a_broken_entry_point_is_an_error_for_the_user(announce: Any) -> None:
    lost = "nowhere:Nothing"
    announce(theirs="sklearn.naive_bayes:GaussianNB", numpy=lost, broken=lost)

    entry = implementation("theirs?var_smoothing=0.25")

    assert entry.name == "theirs?var_smoothing=0.25"
    assert entry.make().var_smoothing == 0.25
    assert entry.foreign
    assert not implementation("numpy").foreign
    with pytest.raises(ImplementationError, match="does not load"):
        implementation("broken")
    with pytest.raises(UnknownNameError, match="Did you mean 'broken'"):
        implementation("brokn")


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("sklern", "Did you mean 'sklearn'"),
        ("absent.py", "absent.py: cannot be read: No such file or directory"),
        ("mine.py:GMB", "mine.py: has no 'GMB'. Did you mean 'GNB'?"),
        ("mine.py:GNB?q=1", "mine.py:GNB: has no parameter 'q'. It takes: k."),
        ("mine.py:scaled?facto=1", "Did you mean 'factor'?"),
        ("mine.py:GNB.fit.x", "has no 'x'"),
        ("sklearn?var_smoting=1", "Did you mean 'var_smoothing'?"),
        ("sklearn.naive_bayes:GaussianMB", "Did you mean 'GaussianNB'?"),
        ("sklearn.naive_bayes.GaussianNB", "write sklearn.naive_bayes:GaussianNB"),
        ("sklearn.absent:GaussianNB", "there is no module 'sklearn.absent'"),
        ("absent_module:GNB", "there is no module 'absent_module'"),
        ("./:GNB", "is not a Python file"),
        ("src", "src: is a directory. Give a file in it, such as src/gnb.py, or predict"),
        ("./src/", "./src/: is a directory. Give a file in it, such as src/gnb.py, or p"),
        ("math:sqrt", "has no fit and no predict"),
        ("math:pi", "has no fit and no predict"),
        ("several.py", "contains several implementations (First, Second)"),
        ("nothing.py", "does not contain a class with fit and predict"),
        ("nothing.py", "density(x, mean, var) and main(). Write a class"),
        ("density.py", "contains function pxy(x, mean, var). Write a class"),
        ("parts.py", "and gaussian_probability(x, mean, var); no right labels"),
        ("made.py", "contains model, made by GaussianNB of a library. Write a class"),
        ("base.py", "contains the abstract class Base (fit(X, y) and predict(X)). Write a"),
        ("raising.py", "raising.py, line 3: raises ZeroDivisionError when it is loaded"),
        ("syntax.py", "syntax.py, line 2: raises SyntaxError when it is loaded"),
        ("leaving.py", "leaving.py, line 3: raises SystemExit when it is loaded: 4"),
        ("needing.py", "cannot be made without its parameter 'k'"),
        ("asking.py", "no number, text or function of the file in its place gave labels"),
        ("using.py", "contains model, made by GNB of mine.py. Give mine.py."),
        ("steps.py", "`train` takes m besides samples and labels"),
        ("two.py", "no right labels came from opbouw+oordeel. Write a class"),
        ("whole.py", "no right labels came from alles. Write a class"),
        ("apart.py", "ask(X, y, model) and train(X, y)). Write a class"),
    ],
)
def test_unavailable_implementations_are_one_line_errors_at_first_use_too(
    typed: str, message: str, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = "\n    def fit(self, X, y): pass\n    def predict(self, X): pass\n"
    for name, source in {
        "several.py": f"class First:{body}class Second:{body}",
        "density.py": "def pxy(x, mean, var): pass\n",
        "parts.py": "def mean_of(data): return 1\ndef var_of(data): return 1\n"
        "def gaussian_probability(x, mean, var): return x.item() * mean * var\n",
        "nothing.py": "def density(x, mean, var): pass\ndef main(): pass\n",
        "made.py": "from sklearn.naive_bayes import GaussianNB\nmodel = GaussianNB()\n",
        "using.py": "from mine import GNB\nmodel = GNB()\n",
        "base.py": "from abc import ABC, abstractmethod\nclass Base(ABC):"
        + body.replace("    def", "    @abstractmethod\n    def"),
        "raising.py": "import math\n\n1 / 0\n",
        "syntax.py": "import math\ndef f(:\n",
        "leaving.py": "import sys\nclass GNB:\n    sys.exit(4)\n",
        "needing.py": f"class Needing:\n    def __init__(self, k): pass{body}",
        "asking.py": f"class Asking:\n    def __init__(self, pdf): pass{body}",
        "steps.py": "class C:\n    def train(self, X, y, m): pass\n"
        "    def spread(self, rows): pass\n    def classify(self, row): pass\n",
        "two.py": "def opbouw(rijen, soort): pass\ndef oordeel(stand, rijen): pass\n",
        "whole.py": "def alles(rijen, soort, nieuw): pass\n",
        "apart.py": "class C:\n    def train(self, X, y): pass\n"
        "    def ask(self, X, y, model): pass\n",
    }.items():
        (mine.parent / name).write_text(source)
    (mine.parent / "src").mkdir()
    monkeypatch.chdir(mine.parent)

    with pytest.raises(GnbBenchError) as caught:
        implementation(typed)

    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    if typed in ONLY_WHEN_LOADED:
        check_name(typed)
    else:
        with pytest.raises(type(caught.value)) as first_look:
            check_name(typed)
        assert str(first_look.value) == str(caught.value)


def test_a_parameter_may_be_a_function_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "def twice(x):\n    return 2 * x\n"
        "class C:\n    def __init__(self, pdf): self.pdf = pdf\n"
        "    def fit(self, X, y): pass\n    def predict(self, X): pass\n"
    )

    assert implementation(f"{path}:C?pdf=twice").make().pdf(4) == 8
    assert implementation(f"{path}:C?pdf=thrice").make().pdf == "thrice"


def test_names_that_hang_are_not_tried_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the code catches what interrupts it."""
    monkeypatch.setattr("gnbbench.implementations.trials.TRYING_SECONDS", 0.2)
    path = tmp_path / "mine.py"
    path.write_text(
        "def opbouw(rijen, soort):\n"
        "    try:\n        while True: pass\n    except:\n        while True: pass\n"
        "def oordeel(stand, rijen): pass\n"
    )

    with pytest.raises(
        ImplementationError,
        match=r"right labels came from opbouw\+oordeel in a few seconds",
    ):
        implementation(str(path))


@pytest.mark.slow
@pytest.mark.parametrize(("m", "value"), [("m", "1"), ("epsilon", "1e-09")])
def test_the_line_to_paste_works(m: str, value: str, tmp_path: Path) -> None:
    """What fits needs a number, and what answers takes what it gives in several parts."""
    path = tmp_path / "mine.py"
    path.write_text(
        f"def fit_it(X, y, {m}):\n    return sorted(set(y)), {m}\n"
        f"def predict_single(row, labels, {m}):\n    return labels[0]\n"
        f"def predict_all(X, labels, {m}):\n"
        f"    return [predict_single(row, labels, {m}) for row in X]\n"
    )

    with pytest.raises(ImplementationError) as refusal:
        implementation(str(path))
    line = str(refusal.value).partition("such as ")[2]
    model = implementation(line).make()

    assert line == f"{path}:fit_it+predict_all?{m}={value}"
    assert list(model.fit(np.eye(4), np.array([3, 5, 3, 5])).predict(np.eye(4))) == [3] * 4


# Wrong in a way that shows when the code is run, not when it is read.
ONLY_WHEN_LOADED = {
    *("using.py", "density.py", "parts.py", "mine.py:GNB?q=1", "mine.py:scaled?facto=1"),
    *("mine.py:GNB.fit.x", "sklearn?var_smoting=1", "sklearn.absent:GaussianNB"),
    *("math:sqrt", "math:pi", "several.py", "nothing.py", "made.py", "base.py"),
    *("raising.py", "leaving.py", "needing.py", "asking.py", "steps.py", "two.py"),
    *("whole.py", "apart.py"),
}


@pytest.mark.parametrize(
    "source",
    [
        "if True:\n    from collections import OrderedDict as GNB",
        "for GNB in (1,): pass",
        "GNB, other = 1, 2",
        "globals()['GNB'] = 1",
        "def __getattr__(name): return 1",
        "from math import *",
        "def define():\n    global GNB\n    GNB = 1",
        "import sys\nsys.modules[__name__].GNB = 1",
    ],
)
def test_a_first_look_refuses_nothing_that_may_be_there(source: str, mine: Path) -> None:
    mine.write_text(source)
    check_name(f"{mine}:GNB")

    mine.write_text("def scaled():\n    GNB = 1\n")
    with pytest.raises(ImplementationError, match="has no 'GNB'"):
        check_name(f"{mine}:GNB")


def test_a_file_imports_its_own_neighbours_and_leaves_path_and_terminal_alone(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = list(sys.path)
    entries = []
    for label, folder in enumerate((tmp_path / "first", tmp_path / "second")):
        folder.mkdir()
        (folder / "shared_label.py").write_text(f"LABEL = {label}\n")
        (folder / "mine.py").write_text(
            "from shared_label import LABEL\nprint('hello')\n"
            "def fit_predict(X, y, X_test):\n    return [y[LABEL]] * len(X_test)\n"
        )
        entries.append(implementation(str(folder / "mine.py")))

    assert [answers_of(entry) for entry in entries] == [[3, 3], [4, 4]]
    assert sys.path[: len(before)] == before
    assert "hello" not in capfd.readouterr().out


def test_equal_names_are_numbered_and_a_mapping_gives_names(mine: Path) -> None:
    file = str(mine)
    pairs: list[tuple[Any, list[str]]] = [
        ([GaussianNB(), file, GaussianNB()], ["GaussianNB", "GNB", "GaussianNB 2"]),
        ({"mine": GaussianNB(), "theirs": "numpy"}, ["mine", "theirs"]),
        ("numpy", ["numpy"]),
        (GaussianNB(), ["GaussianNB"]),
    ]
    for against, names in pairs:
        entries = implementations("sklearn", against)
        assert [entry.name for entry in entries] == ["sklearn", *names]
    _, renamed = implementations("sklearn", {"first try": file})

    assert (renamed.name, renamed.specification) == ("first try", file)
    assert renamed.digest
    assert renamed.foreign


@pytest.mark.parametrize(
    ("against", "message"),
    [(["numpy", "numpy"], "'numpy' is named twice"), ([], "nothing to compare")],
)
def test_names_given_twice_or_none_are_refused(against: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        implementations("sklearn", against)


@pytest.mark.slow
def test_only_third_party_code_is_isolated_under_a_time_limit(mine: Path) -> None:
    reference, known, foreign = implementations(
        "sklearn", ["numpy?var_smoothing=0.1", str(mine)], timeout_seconds=30.0
    )

    assert isinstance(reference.make(), GaussianNB)
    assert known.make().var_smoothing == 0.1
    assert isinstance(foreign.make(), IsolatedModel)


class Plain:
    """Says the first label it saw; without parameters to copy."""

    def fit(self, X: Any, y: Any) -> None:
        del X
        self.first = y[0]

    def predict(self, X: Any) -> list[Any]:
        return [self.first] * len(X)


def nearest(X_train: Any, y_train: Any, X_test: Any, power: int = 1) -> Any:
    """Return the label of the nearest sample; spoil whatever was given."""
    labels = y_train[abs(X_train[:, 0] - X_test**power).argmin(axis=1)]
    X_train[:], y_train[:], X_test[:] = -9.0, -9, -9.0
    return labels


def test_a_function_offers_labels_alone_and_its_arguments_stay_as_they_were() -> None:
    X, y = np.array([[0.0], [4.0]]), np.array([5, 6])
    model = implementation(nearest).make().fit(X, y)

    answers = [model.predict(X).tolist() for _ in range(3)]

    assert answers == [[5, 6]] * 3
    assert (X.tolist(), y.tolist()) == ([[0.0], [4.0]], [5, 6])
    for name in ("predict_proba", "predict_joint_log_proba", "theta_", "var_", "classes_"):
        assert not hasattr(model, name)
    with pytest.raises(ValueError, match="call fit before predict"):
        implementation(nearest).make().predict([[1.0]])


def test_a_class_is_called_and_an_object_copied_unfitted_for_every_model() -> None:
    given, plain = GaussianNB(var_smoothing=0.5).fit([[0.0], [1.0]], [0, 1]), Plain()

    made, copied = implementation(given).make(), implementation(plain).make()

    assert made.var_smoothing == 0.5
    assert not hasattr(made, "theta_")
    assert isinstance(copied, Plain)
    assert copied is not plain
    assert isinstance(implementation(Plain).make(), Plain)


@pytest.mark.parametrize("given", [3, object(), "".join, divmod])
def test_objects_without_fit_and_predict_are_refused(given: Any) -> None:
    with pytest.raises(OptionError, match="has no fit and no predict"):
        implementation(given)


def test_a_constructor_is_given_what_the_file_gives_it_and_the_number_of_classes(
    tmp_path: Path,
) -> None:
    source = "import numpy as np\nclass GaussNB:\n"
    source += "    def __init__(self, kinds, n_classes):\n"
    source += "        self.kinds, self.n_classes = kinds, n_classes\n"
    source += "    def fit(self, X, y):\n"
    source += (
        "        self.mean = [X[y == c].mean(axis=0) for c in range(self.n_classes)]\n"
    )
    source += "    def predict(self, X):\n"
    source += "        gaps = [((X - m) ** 2).sum(axis=1) for m in self.mean]\n"
    source += "        return np.argmin(gaps, axis=0)\n"
    path = tmp_path / "mine.py"
    path.write_text(source + "model = GaussNB(kinds=['r'], n_classes=3)\n")

    entry = implementation(str(path))

    assert "the constructor was given the number of classes" in entry.adaptations
    model = entry.make()
    model.fit(np.array([[1.0], [9.0]]), np.array([0, 1]))
    assert model.predict(np.array([[8.0], [2.0]])).tolist() == [1, 0]


COUNTS = """
import numpy as np
from beside import logarithm
class BernoulliNB:
    def fit(self, X, y):
        self.classes = np.unique(y)
        self.shares = [(X[y == c] > X.mean()).mean(axis=0) for c in self.classes]
    def predict(self, X):
        scores = [logarithm(X * p + (1 - X) * (1 - p)).sum(axis=1) for p in self.shares]
        return self.classes[np.argmax(scores, axis=0)]
"""


def test_code_without_squares_and_densities_is_told_to_be_no_gaussian(mine: Path) -> None:
    """Also not in what it imports; the controls compute one, or may do so elsewhere."""
    helper = "import numpy as np\ndef logarithm(x): return np.log(np.abs(x){} + 1e-9)\n"
    for name, power in (("beside", ""), ("squares", " ** 2")):
        (mine.parent / f"{name}.py").write_text(helper.format(power))
    changes = {"> X.mean()": "* X[y == c]", "X.mean()": "np.std(X)", "beside ": "squares "}
    changes["class"] = "import pickle\nclass"
    changes |= {
        "import logarithm": "import logarithm\nimport torch",
        "> X.mean()).": "* X).",
    }
    for old, new in (("", ""), *changes.items()):
        mine.write_text(COUNTS.replace(old, new, 1))

        words = "no density, so it is no Gaussian naive Bayes; its name says Bernoulli"
        assert (words in implementation(str(mine)).remark) == (new in {"", "* X)."})
