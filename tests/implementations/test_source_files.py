"""Source files are loaded and covered by a digest, and failures are reported."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gnbbench.errors import GnbBenchError, ImplementationError
from gnbbench.implementations import implementations, isolated
from gnbbench.implementations.lookup import named_code
from gnbbench.implementations.modules import digest_of, module_of
from gnbbench.implementations.names import check_name
from gnbbench.processes.client import CallError
from gnbbench.tracebacks import explained


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """Write a file that imports neighbours, one of them through another."""
    (tmp_path / "main.py").write_text("from near import x\nfrom pack import inner\n")
    (tmp_path / "near.py").write_text("import far\nx = far.x\n")
    (tmp_path / "far.py").write_text("x = 1\n")
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("")
    (tmp_path / "pack" / "inner.py").write_text("from . import beside\n")
    (tmp_path / "pack" / "beside.py").write_text("")
    (tmp_path / "other.py").write_text("")
    return tmp_path / "main.py"


@pytest.mark.parametrize(
    "edited",
    ["main.py", "near.py", "far.py", "pack/__init__.py", "pack/inner.py", "pack/beside.py"],
)
def test_an_edit_of_what_is_imported_changes_the_digest(edited: str, main: Path) -> None:
    before = digest_of(main)
    path = main.parent / edited
    path.write_text(path.read_text() + "# edited\n")

    assert digest_of(main) != before


def test_an_edit_of_anything_else_or_a_move_does_not(main: Path, tmp_path: Path) -> None:
    before = digest_of(main)
    (main.parent / "other.py").write_text("x = 2\n")

    moved = main.parent.rename(tmp_path.with_name(tmp_path.name + "-moved"))

    assert digest_of(moved / "main.py") == before


def test_a_file_is_loaded_once_and_anew_even_within_the_clocks_resolution(
    tmp_path: Path,
) -> None:
    path = tmp_path / "value.py"
    for value in (1, 2, 3):
        path.write_text(f"VALUE = {value}\n")
        digest = digest_of(path)
        assert value == module_of(path, digest).VALUE
        assert module_of(path, digest) is module_of(path, digest)


FUNCTION = "def fit_predict(X_train, y_train, X_test):\n    return {}\n"
GAPS = "a = input()\nb = a + '!'\nc = 1\nd = input()\ne = 2\nf = input()\ng = 3\ninput()\n"
# End of a file -> what of it is left out; the function must be there all the same.
SCRIPTS = {
    "print('done')\n": "in line 3",
    "data = open('a.csv').read()\nfor row in data:\n    print(row)\n": "in lines 3 to 5",
    "x = input()\nEPS = 1e-9\nplot(x)\n": "in lines 3 and 5",
    "try:\n    import absent\nexcept ImportError:\n    absent = None\n": "",
    "LIMITS = {'a': [1, 2]}\nROOT = (2 * 3.14) ** 0.5\n": "",
    "import numpy as np\nnp.random.seed(0)\nEYE = np.eye(3)[0].tolist()\n": "",
    "import sys\nsys.path.append('x')\nsys.exit(3)\n": "in line 5",
    "from collections import defaultdict\nrows = defaultdict(lambda: [])\n": "",
    "from decimal import getcontext\ngetcontext().prec = 6\n": "",
    "if __name__ == '__main__':\n    raise SystemExit\n": "",
    "import sys\npath = sys.argv[9]\nk = int(path)\n": "in lines 4 to 5",
    "from sys import argv, stdin\nN = argv[9]\nT = [*stdin]\nE = 1\n": "in lines 4 to 5",
    "X = input()\nX += X\nN = 1\nn = X\nn += 1": "in lines 3 to 4 and 6 to 7",
    "try:\n    fit_predict(1, 2, 3)\nfinally:\n    pass\n": "in lines 3 to 6",
    GAPS: "between lines 3 and 10",
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_is_left_out_with_a_remark(script: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(FUNCTION.format("y_train[0]") + script)

    module = module_of(path, digest_of(path))

    place = SCRIPTS[script]
    assert module.__left_out__ == (f"the script {place} was left out" if place else "")
    assert module.fit_predict(0, [7], 0) == 7


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("size = print() or 1\ndef f(n=size):\n    return n > 0\n", ""),
        ("B = type('B', (), {'f': lambda: True})\nclass C(B): pass\nf = C.f\n", ""),
        ("def made():\n    return lambda: True\nf = made()\n", "f"),
        ("import gc\nif gc.is_tracked([]):\n    n = 1\ndef f():\n    return n > 0\n", ""),
        ("for name in ('f',):\n    globals()[name] = lambda: True\n", "f"),
        ("mark = open(__file__).read\ndef as_is(g):\n    return g\n@as_is\ndef f():\n"
         "    return True\n", ""),
    ],
)  # fmt: skip
def test_dependencies_of_definitions_are_kept(
    source: str, wanted: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(source)

    assert module_of(path, digest_of(path), wanted).f() is True


@pytest.mark.parametrize("mark", ["repo/.git", "repo/setup.py", "repo/pkg/__init__.py"])
@pytest.mark.parametrize(
    "imports",
    [
        "from pkg.base import VALUE",
        "from ..base import VALUE",
        "from pkg.models.beside import VALUE",
        "from .beside import VALUE",
        "from beside import VALUE",
    ],
)
def test_imports_start_from_the_folders_of_the_project(
    imports: str, mark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    folder = tmp_path / "repo" / "pkg" / "models"
    folder.mkdir(parents=True)
    for place in ("repo/pkg/base.py", "repo/pkg/models/beside.py"):
        (tmp_path / place).write_text(f"VALUE = '{tmp_path}'\n")
    (tmp_path / mark).touch()
    if mark.endswith("__init__.py"):
        (folder / "__init__.py").touch()
    path = folder / "mine.py"
    path.write_text(imports)
    before = digest_of(path)

    assert tmp_path.samefile(module_of(path, before).VALUE)
    for name in [n for n in sys.modules if n.partition(".")[0] in {"pkg", "beside"}]:
        del sys.modules[name]


@pytest.mark.parametrize("name", ["html", "random", "numpy", "pandas"])
def test_no_neighbour_stands_for_a_library(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / f"{name}.py").write_text("raise RuntimeError('not this one')\n")
    (tmp_path / "other.py").write_text("VALUE = 5\n")
    path = tmp_path / "mine.py"
    path.write_text(f"import {name}\nfrom other import VALUE\n")
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "html", raising=False)

    module = module_of(path, digest_of(path))

    assert getattr(module, name).__file__ != str(tmp_path / f"{name}.py")
    assert module.VALUE == 5
    del sys.modules["other"]


# What stands beside the file and in it -> what the error says.
FAILURES = {
    ("def f(:\n", "import beside\n"): "beside.py, line 1: raises SyntaxError",
    ("", "import absent_pkg.part\n"): (
        f"mine.py, line 1: needs 'absent_pkg', which {sys.executable} does not find "
        "(`import absent_pkg.part`). If it is your own file or folder: PYTHONPATH=DIR "
        "gnbbench ..., where DIR contains absent_pkg"
    ),
    ("", "from .absent import Base\nclass A(Base): pass\n"): (
        "what it imports (`from .absent import Base`). Give the file where it lies in its"
    ),
    (
        "",
        f"from {'.' * 99}absent import Base\nclass A(Base): pass\n",
    ): "Give the file where",
    ("", "from . import absent\nclass A(absent.B): pass\n"): "what it imports (`from . im",
    ("", "import json.absent\n"): "needs 'json.absent', but json has no absent (`import js",
    ("", "import tqdm_absent, cv2\n"): "contains tqdm_absent",
    ("", "import keras.absent\n"): f"Install it: {sys.executable} -m pip install keras",
    ("", "print 'hello'\n"): "(`print 'hello'`). This is Python 2",
    ("", "class A:\n    x = {}['k']\n"): "line 2: raises KeyError when it is loaded: 'k'",
    ("", "class A:\n    raise GeneratorExit('now')\n"): "raises GeneratorExit",
    (
        "",
        "from sklearn.cross_validation import x\n",
    ): "Import it from sklearn.model_selection: sklearn.cross",
}


@pytest.mark.parametrize(("beside", "source"), FAILURES)
def test_an_error_names_the_file_the_line_and_what_is_known(
    beside: str, source: str, tmp_path: Path
) -> None:
    (tmp_path / "beside.py").write_text(beside)
    path = tmp_path / "mine.py"
    path.write_text(source)

    with pytest.raises(ImplementationError) as caught:
        named_code(str(path))

    assert FAILURES[beside, source] in str(caught.value)


def test_an_unused_missing_import_is_left_out_and_a_used_one_reported(
    tmp_path: Path,
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "from absent_pkg import bar as tick, two\nimport absent_too.part\n"
        "from numpy import NaN as nan, exp, product\n"
        + FUNCTION.format("y_train[0]")
        + "def fit(X):\n    return tick(X)\ndef predict(X):\n    return exp(X) * nan\n"
    )

    module = module_of(path, digest_of(path))

    text = "'absent_pkg', 'absent_too', 'numpy.NaN' and 'numpy.product' cannot be imported "
    assert module.__left_out__ == f"{text}and were left out"
    assert module.fit_predict(0, [7], 0) == 7
    with pytest.raises(ImportError, match="name 'NaN' from 'numpy'"):
        module.predict(0.0)
    with pytest.raises(ModuleNotFoundError, match="absent_pkg") as caught:
        module.fit([1])
    assert "mine.py, line 1: from absent_pkg import" in explained(caught.value)


@pytest.mark.parametrize("place", ["rows.py", "parts/rows.py"])
def test_an_unused_missing_import_of_a_neighbour_is_left_out_too(
    place: str, tmp_path: Path
) -> None:
    path, neighbour = tmp_path / "mine.py", tmp_path / place
    neighbour.parent.mkdir(exist_ok=True)
    neighbour.write_text(
        "from absent_pkg import Thing\nDEFAULT = [int('7')]\ndef first(X): return X[0]\n"
        "def made(): return Thing()\nprint(DEFAULT)\n"
    )
    name = place.removesuffix(".py").replace("/", ".")
    path.write_text(f"from {name} import first, made\n{FUNCTION.format('first(y_train)')}")

    module = module_of(path, digest_of(path))

    assert module.__left_out__ == "'absent_pkg' cannot be imported and was left out"
    assert module.fit_predict(0, [7], 0) == 7
    with pytest.raises(ModuleNotFoundError, match="absent_pkg"):
        module.made()


def test_a_folder_does_not_yield_to_a_module_beside_an_earlier_file(tmp_path: Path) -> None:
    """As two students may name theirs."""
    first, second = tmp_path / "first" / "mine.py", tmp_path / "second" / "mine.py"
    for path in (first, second):
        path.parent.mkdir()
    (first.parent / "halves.py").write_text("def label(y): return y[-1]\n")
    (second.parent / "halves").mkdir()
    (second.parent / "halves" / "rows.py").write_text("def label(y): return y[0]\n")
    first.write_text(f"from halves import label\n{FUNCTION.format('label(y_train)')}")
    second.write_text(f"from halves.rows import label\n{FUNCTION.format('label(y_train)')}")

    labels = [module_of(p, digest_of(p)).fit_predict(0, [7, 8], 0) for p in (first, second)]

    assert labels == [8, 7]


@pytest.mark.parametrize("lost", ["GaussianNB", "Scores"])
def test_another_model_is_not_taken_for_a_class_that_cannot_be_made(
    lost: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.py"
    source = f"from absent_pkg import Base\nclass {lost}(Base): pass\nclass Trees:\n"
    source += "    def fit(self, X, y): pass\n    def predict(self, X): return X[:, 0]\n"
    path.write_text(source)

    with pytest.raises(ImplementationError, match="needs 'absent_pkg'"):
        named_code(str(path))


@pytest.mark.parametrize(
    "source",
    [
        "KS = []\nfor k in range(3):\n    KS.append(k)\nN = len(KS)\n",
        "KS = {}\nfor k in range(3):\n    KS[k] = k\nN = len(KS)\n",
        "KS = []\nwhile len(KS) < 3:\n    KS.append(1)\nN = len(KS)\n",
        "N = 3\nKS = []\nfor k in open('absent'):\n    KS.append(k)\nM = KS[0]\n",
    ],
)
def test_a_loop_and_its_readers_stay_or_go_together(source: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(source)

    assert module_of(path, digest_of(path)).N == 3


def test_a_file_is_not_taken_for_the_package_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "bayes").mkdir()
    (tmp_path / "bayes" / "__init__.py").write_text("VALUE = 5\n")
    (tmp_path / "setup.py").touch()
    path = tmp_path / "models" / "bayes.py"
    path.write_text("from bayes import VALUE\n")

    assert module_of(path, digest_of(path)).VALUE == 5


@pytest.mark.parametrize("line", ["from helpers.spread import VALUE", "import helpers"])
def test_imports_are_found_in_the_nearest_folder_above_that_has_them(
    line: str, tmp_path: Path
) -> None:
    (tmp_path / "a" / "models").mkdir(parents=True)
    (tmp_path / "a" / "helpers").mkdir()  # Holds no such module
    (tmp_path / "helpers").mkdir()
    (tmp_path / "helpers" / "__init__.py").write_text("from .spread import VALUE\n")
    (tmp_path / "helpers" / "spread.py").write_text("VALUE = 5\n")
    path = tmp_path / "a" / "models" / "bayes.py"
    path.write_text(f"{line}\nimport numpy\nX = {line.rsplit(maxsplit=1)[-1]}\n")

    before = digest_of(path)
    value = module_of(path, before).X
    (tmp_path / "helpers" / "spread.py").write_text("VALUE = 6\n")

    assert getattr(value, "VALUE", value) == 5
    assert digest_of(path) != before


def test_what_is_installed_is_not_looked_for_in_the_folders_above(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "jinja2.py").write_text("raise RuntimeError('not this one')\n")
    path = tmp_path / "models" / "bayes.py"
    path.write_text("import jinja2\nVALUE = jinja2.__name__\n")

    assert module_of(path, digest_of(path)).VALUE == "jinja2"


def test_the_package_of_a_file_comes_before_a_file_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    folder = tmp_path / "nbown"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "nbown.py").write_text("raise RuntimeError('not this one')\n")
    (folder / "helpers.py").write_text("VALUE = 5\n")
    path = folder / "core.py"
    path.write_text("from nbown.helpers import VALUE\n")

    assert module_of(path, digest_of(path)).VALUE == 5


def test_a_broken_file_stops_no_other_and_all_broken_ones_are_reported(
    tmp_path: Path,
) -> None:
    sound, broken, other = (tmp_path / f"{of}.py" for of in ("sound", "broken", "other"))
    sound.write_text(FUNCTION.format("[y_train[0]] * len(X_test)"))
    broken.write_text("def f(:\n")
    other.write_text("import absent_pkg\n")
    check_name(str(sound), str(broken), others=True)

    _, first, second = implementations("sklearn", [str(broken), str(sound)])

    assert (first.name, second.name) == ("broken.py", "sound.py")
    with pytest.raises(GnbBenchError, match="line 1: raises SyntaxError"):
        first.make()
    with pytest.raises(GnbBenchError) as caught:
        implementations("sklearn", [str(broken), str(other)])
    lines = caught.value.args
    assert [path.name in line for path, line in zip((broken, other), lines, strict=True)]
    with pytest.raises(GnbBenchError, match="raises SyntaxError"):
        implementations("sklearn", str(broken))
    with pytest.raises(GnbBenchError, match="line 1: raises SyntaxError"):
        implementations(str(broken), [str(sound)])


@pytest.mark.slow
def test_code_runs_in_its_own_empty_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = "import os\nclass GNB:\n    def fit(self, X, y):\n        self.y = y\n{}"
    predict = "    def predict(self, X):\n        return self.y[:1].tolist() * len(X)\n"
    Path("writes.py").write_text(
        source.format("        open('left.txt', 'w').write(os.getcwd())\n") + predict
    )
    Path("reads.py").write_text(source.format("        open('there.csv')\n") + predict)
    Path("there.csv").touch()
    X, y = np.arange(8.0).reshape(4, 2), np.array([0, 1, 0, 1])

    writes, reads = (isolated(f"{n}.py", timeout_seconds=30.0) for n in ("writes", "reads"))
    labels = writes.make().fit(X, y).predict(X)

    assert labels.tolist() == [0] * 4
    with pytest.raises(CallError, match=r"reads.py, line 5: open.*empty directory"):
        reads.make().fit(X, y)
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == [
        "reads.py",
        "there.csv",
        "writes.py",
    ]


def notebook(path: Path, *cells: str, **others: Any) -> Path:
    """Write a notebook of these cells of code."""
    found = [{"cell_type": "code", "source": cell.splitlines(True)} for cell in cells]
    title = {"cell_type": "markdown", "source": ["# Not Python"]}
    path.write_text(json.dumps({"cells": [title, *found], **others}))
    return path


def test_a_notebook_is_the_code_in_its_cells(tmp_path: Path) -> None:
    cells = (
        "%matplotlib inline\nif 1:\n    !ls\nimport numpy as np\nnp.sum?",
        "%%bash\nls *",
        "reset -fs",
        "pip install absent==1.0\nmatplotlib inline\ncd = [1]\npwd",
        "cd + [2], cd",
        "\n  first = 1\n  if first:\n      second = 2",
        FUNCTION,
    )
    path = notebook(tmp_path / "mine.ipynb", *cells, "fit_predict(*input())")

    entry = implementations("sklearn", [str(path), "numpy"])[1]

    assert entry.name == "mine.ipynb"
    assert entry.adaptations == ("its code cells were joined, without what they only run",)


def test_an_error_in_a_notebook_names_the_cell(tmp_path: Path) -> None:
    syntax = notebook(tmp_path / "a.ipynb", "x = 1", "y = 2\nprint x\n")
    syntax.write_text(json.dumps(json.loads(syntax.read_text()), indent=1))
    with pytest.raises(GnbBenchError, match=r"a\.ipynb, code cell 2, line 2: .*`print x`"):
        check_name(str(syntax))
    loaded = notebook(tmp_path / "b.ipynb", "import numpy", "Y = 1\nX = numpy.zeros(Y, 1j)")
    with pytest.raises(GnbBenchError, match=r"b\.ipynb, code cell 2, line 2: .*zeros"):
        module_of(loaded, digest_of(loaded))


@pytest.mark.parametrize("content", ["", "[" * 9999, "{}", '{"cells": [{}]}'])
def test_an_invalid_notebook_is_an_error(content: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.ipynb"
    path.write_text(content)

    with pytest.raises(GnbBenchError, match="is not a notebook"):
        check_name(str(path))


def test_a_package_offers_what_its_modules_define(tmp_path: Path) -> None:
    (tmp_path / "bayes").mkdir()
    (tmp_path / "bayes" / "model.py").write_text(FUNCTION)
    path = tmp_path / "bayes" / "__init__.py"
    path.write_text("from .model import fit_predict\nfrom math import sqrt\n")

    assert implementations("sklearn", [str(path)])[1].name == "__init__.py"
