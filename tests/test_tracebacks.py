"""Errors of third-party code are reported with their line and a hint."""

import linecache
import os
import re
import runpy
import signal
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy._expired_attrs_2_0 import __expired_attributes__

from gnbbench import tracebacks
from gnbbench.tracebacks import (
    described,
    explained,
    hint_on,
    pass_on_interruption,
    steps_passed,
)


def _raised(error: Exception) -> BaseException:
    def code_of_others() -> None:
        raise error  # this line

    with pytest.raises(type(error)) as caught:
        code_of_others()
    return caught.value


def test_lines_of_compiled_code_are_not_the_users() -> None:
    """They would make one error seem to come later than another in the same line."""
    compiled = compile("\n\n\n1 / 0", "pandas/_libs/hashtable.pyx", "exec")

    with pytest.raises(ZeroDivisionError) as caught:
        exec(compiled, {})  # noqa: S102  as an extension module has no source

    assert len(steps_passed(caught.value)) == 1


@pytest.mark.parametrize("is_theirs", [False, True])
def test_packages_on_windows_are_not_the_users(
    is_theirs: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, packages = r"C:\Users\me", r"C:\Python\Lib\site-packages"
    file = rf"{folder if is_theirs else packages}\nb.py"
    monkeypatch.setattr(os, "sep", "\\")
    monkeypatch.setattr(sys, "path", [packages, *sys.path])
    monkeypatch.setitem(linecache.cache, file, (6, None, ["1 / 0\n"], file))
    there = runpy.run_path(tracebacks.__file__)

    with pytest.raises(ZeroDivisionError) as caught:
        exec(compile("1 / 0", file, "exec"), {})  # noqa: S102  as an import would

    assert len(there["steps_passed"](caught.value)) == 1 + is_theirs


def test_a_call_gets_further_than_its_arguments_on_later_lines() -> None:
    def fails() -> int:
        raise ValueError

    def run(first: Any, second: Any) -> None:
        first(second())

    def steps_of(*calls: Any) -> tuple[int, ...]:
        with pytest.raises(ValueError) as caught:  # noqa: PT011  without a message
            run(*calls)
        return steps_passed(caught.value)

    assert steps_of(lambda _: fails(), int)[1] > steps_of(int, fails)[1]


def test_class_message_file_line_and_text_of_an_error_are_reported() -> None:
    text = described(_raised(ValueError("not\nthat")))

    assert text == (
        "ValueError: not that (test_tracebacks.py, line 32: raise error  # this line)"
    )
    assert described(_raised(ValueError())).startswith("ValueError (test_tracebacks.py")


def test_errors_outside_the_users_code_have_only_a_message() -> None:
    assert described(ValueError("x")) == "ValueError: x"
    assert described(KeyboardInterrupt()) == "KeyboardInterrupt"


def test_a_message_that_raises_or_is_huge_is_described() -> None:
    class RudeError(Exception):
        def __str__(self) -> str:
            raise ValueError

    assert described(RudeError()) == "RudeError: (its message cannot be shown)"
    assert len(described(ValueError("z" * 50_000_000))) < 2000


@pytest.mark.parametrize(
    ("kind", "message", "line", "words"),
    [
        ("AttributeError", "module 'numpy' has no attribute 'float'", "", "write float"),
        ("ValueError", "setting ... inhomogeneous shape after 1", "", "dtype=object"),
        ("ValueError", "setting an array element with a sequence.", "", "item()"),
        ("ValueError", "Invalid file path or buffer object type: x", "", "opens a file"),
        ("NameError", "name 'xrange' is not defined", "", "Python 2"),
        ("NameError", "name 'df' is not defined", "", "left out"),
        ("NameError", "name 'np' is not defined", "", "import numpy as np"),
        ("NameError", "name 'math' is not defined", "", "import math"),
        ("NameError", "name 'pd' is not defined", "", "import pandas as pd"),
        ("TypeError", "expected str, bytes or os.PathLike object, not list", "", "opens"),
        ("LinAlgError", "Singular matrix", "", "only variances"),
        ("NameError", "name 'iteritems' is not defined", "", "d.items()"),
        ("AttributeError", "'dict' object has no attribute 'iteritems'", "", "Python 2"),
        ("AttributeError", "'DataFrame' object has no attribute 'ix'", "", ".loc or"),
        ("AttributeError", "'DataFrameGroupBy' object has no attribute 'mad'", "", "abs"),
        ("AttributeError", "'dict_keys' object has no attribute 'sort'", "", "list(...)"),
        (
            "TypeError",
            "unsupported operand type(s) for /: 'map' and 'int'",
            "",
            "np.array(",
        ),
        (
            "TypeError",
            "unsupported operand type(s) for +: 'range' and 'list'",
            "",
            " list(",
        ),
        ("TypeError", "'float' object cannot be ... as an integer", "range(n / 2)", "//"),
        ("TypeError", "'float' object cannot be ... as an integer", "range(n)", ""),
        ("TypeError", "only 0-dimensional arrays can be converted to", "", "np.exp"),
        ("ImportError", "`load_boston` has been removed from", "", "no classes"),
        ("SyntaxError", "source code string cannot contain null bytes", "", "UTF-16"),
        ("AttributeError", "Module 'scipy' has no attribute 'zeros'", "", "np.zeros"),
        ("AttributeError", "Module 'scipy' has no attribute 'zeroes'", "", ""),
        ("ImportError", "cannot import name 'izip' from 'itertools' (x)", "", "write zip"),
        ("ModuleNotFoundError", "No module named 'sklearn.own'", "", "no sklearn.own"),
        ("ModuleNotFoundError", "No module named 'D.own'", "from .own import k", "lies in"),
        ("SyntaxError", "Missing parentheses in call to 'print'.", "", "Python 2"),
        ("SyntaxError", "f-string: expecting '}'", """f"{"a"}" """, "Python 3.12"),
        ("AttributeError", "'numpy.ndarray' object has no attribute 'float'", "", "Torch"),
        ("TypeError", "mean() got an unexpected keyword argument 'dim'", "", "PyTorch"),
        ("FileNotFoundError", "[Errno 2]", "open('x')", "empty directory"),
        ("ValueError", "math domain error", "s += math.log2(d)", "no logarithm"),
        ("ValueError", "math domain error", "math.sqrt(v)", ""),
        ("ValueError", "Encountered all NA values", "p.idxmax()", "divided by their sum"),
        ("OverflowError", "(34, 'Numerical result out of range')", "", "add logarithms"),
        ("KeyError", "0", "n = groups.count().loc[c][0]", ".iloc[0]"),
        ("KeyError", "0", "rows[0]", ""),
        ("KeyError", "'age'", 'len(data["age"])', "columns of its own"),
        ("KeyError", "np.float64(7.3)", "p *= counts[v]", "a Gaussian has a density"),
        ("KeyError", "np.float64(1.0)", "p *= counts[v]", ""),
        ("KeyError", "'age'", "data[name]", ""),
        ("KeyError", "\"['b'] not in index\"", "d[['a', 'b']]", "columns of its own"),
        ("ZeroDivisionError", "division by zero", "[v / total for v in p]", "product of"),
        ("ZeroDivisionError", "division by zero", "d / sd", ""),
        ("TypeError", "0 of type float which has no callable log method", "", ".astype("),
        ("LinAlgError", "When `allow_singular is False`, the input", "", "by feature"),
        ("ValueError", "operands could not be broadcast", "", ""),
        ("TypeError", "N.f() takes 2 positional arguments but 3 were", "self.f(x)", "self"),
        ("TypeError", "N.f() takes 2 positional arguments but 4 were", "self.f(x)", ""),
        ("IndexError", "only integers, slices (`:`) are", "row['age']", "no names"),
        ("TypeError", "'int' object is not subscriptable", "row['age']", "a dictionary"),
        ("TypeError", "'NoneType' object is not subscriptable", "row['age']", ""),
        ("TypeError", "'list' object is not callable", "self.m()", "another name"),
        ("TypeError", "'int' object is not callable", "2 (3)", ""),
        ("AttributeError", "'list' object has no attribute 'append2'", "", ""),
        ("AttributeError", "Module 'scipy' has no attribute 'pi'", "", "write np.pi"),
        ("AttributeError", "'NB' object has no attribute '_validate_data'", "", "(self, X"),
        ("ImportError", "cannot import name 'Mapping' from 'collections' (/)", "", ".abc"),
        ("ImportError", "cannot import name 'Mapping' from 'mine' (/home)", "", ""),
    ],
)
def test_known_errors_have_hints(kind: str, message: str, line: str, words: str) -> None:
    hint = hint_on(kind, message, line)

    assert words in hint
    assert bool(words) == bool(hint)


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ("def _init_(self): self.at = []\nK().at", "line 2 sets it: name that `__init__`"),
        ("def start(self): self.at = []\nK().at", ""),
        ("def at(self): return mean(1)\n    def mean(self): ...\nK().at()", "self.mean"),
        (
            "def a(s): s.shares = 1\n    def b(s, t=1): hares = 1\n"
            "    def c(s): return shares\nK().c()",
            "K keeps it in self.shares: write that",
        ),
        ("def b(s): hares = 1\n    def c(s): return shares\nK().c()", "nothing that was"),
        ("def c(s, hares=1): return shares\nK().c()", "did you mean hares?"),
        ("def __init__(self, a=None): self.a = a\nK().a[0]", ""),
        (
            "def __init__(self, a=None): self.a = a\n    def b(self): self.a[0]\nK().b()",
            "its constructor's `a` is None unless given",
        ),
        ("def a(s, x): [x[i] for i in range(4)]\nK().a(np.ones(3))", "past the 3 that"),
        (
            "def a(s, x):\n        for i in range(9): pass\n        for i in range(4): "
            "x[i]\nK().a(np.ones(3))",
            "range(4) in line 4 goes past the 3 that",
        ),
        ("def a(s, x): [x[i + 1] for i in range(3)]\nK().a(np.ones(3))", ""),
        ("c = []\n    def d(s): s.c.append(1), s.e()\nK().d()", "its list c, which keeps"),
        (
            "c, b = [], 0\n    a = []\n    def d(self): self.a.append(self.c[0])\n"
            "    c = []\n    def e(self): self.c = [1]\nK().d()",
            "its list c is empty until `e` sets it",
        ),
        (
            "c = []\n    def d(self): self.c[1]\n    def e(self):\n"
            "        self.c = [1]; self.d()\nK().e()",
            "",
        ),
        (
            "def a(s, x): np.append(np.array([[0, 0]]), x, 0)\nK().a(np.arange(3)[None])",
            "`np.array([[0, 0]])` in line 2 has size 2 whatever the data have",
        ),
        (
            "def a(s, x): return x[:, 0:2] - x.mean(axis=0)\nK().a(np.eye(3))",
            "`x[:, 0:2]` in line 2 has size 2 whatever the data have",
        ),
        (
            "def a(s, x): return np.zeros((5, 2)) + x\nK().a(np.arange(3)[None])",
            "in line 2",
        ),
        (
            "def a(s, x): np.zeros((4, 2))[:] = np.stack([x.mean(axis=1)] * 2).T\n"
            "K().a(np.ones((3, 4)))",
            "`x.mean(axis=1)` in line 2 is of each row: write axis=0 for each fea",
        ),
        ("def a(s, x): return x - x.mean(axis=0) - x.std(axis=1)\nK().a(np.eye(3, 4))", ""),
        ("def a(s, x, n=2): return np.zeros((5, n)) + x\nK().a(np.arange(3)[None])", ""),
        (
            "def a(s, p): return p.items()\ndef b(): p = shares(y)\nK().a(np.ones(3))",
            "line 3 makes `p` with shares: write fit(X, y), which does so, and pred",
        ),
        ("def a(s, p): return p.items()\nK().a(np.ones(3))", ""),
        ("def a(s, f): open(f)\nK().a([])", "this opens a file: let it take"),
        (
            "def a(s, f): x = np.loadtxt(f); return x[:, 0]\nK().a(['1 2'])",
            "line 2 opens `f` as a file: let it take the samples",
        ),
        (
            "def a(s, k):\n        if k != [-1]: raise ValueError\nK().a([0])",
            "line 3: if k != [-1]: raise ValueError; it does so if k != [-1]",
        ),
        ("def a(s, k):\n        if k: raise ValueError('k')\nK().a([0])", ""),
        ("c = []\n    def d(s, c=0): s.c, _ = [], s.c.append(1), s.e()\nK().d()", ""),
    ],
)
def test_slips_in_classes_are_told_where_something_is_missed(
    source: str, hint: str, tmp_path: Path
) -> None:
    path = tmp_path / "nb.py"
    path.write_text(f"class K:\n    {source}\n")

    with pytest.raises(
        (AttributeError, LookupError, NameError, TypeError, ValueError)
    ) as caught:
        exec(compile(path.read_text(), str(path), "exec"), {"np": np})  # noqa: S102

    told = explained(caught.value)
    assert hint in told
    assert (";" in told) == bool(hint)


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ("from code import gaussian\n", "code.py beside it has the name of another mo"),
        ("import code\ncode.gaussian(1)\n", "code.py beside it has the name of another mo"),
        ("from code import interact\nlen(WIDTH)\n", "line 9 defines it, in the script"),
        ("len(HEIGHT)\n", "line 9 defines it, in the script"),
        ("len(LENGTH)\n", "line 11 defines it, in the script"),
        ("len(DEPTH)\n", "nothing that was loaded defines it"),
        ("rnage(3)\n", "did you mean range?"),
        ("cupy.sum(1)\n", "line 16 imports it, and fails: install it: "),
        ("mine.sum(1)\n", "line 18 imports it, and fails: if it is your own file"),
        ("json.loads('1')\n", "nothing that was loaded defines it"),  # A late import
    ],
)
def test_what_was_left_out_or_not_used_is_named_where_it_is_missed(
    source: str, hint: str, tmp_path: Path
) -> None:
    (tmp_path / "code.py").write_text("def gaussian(x): return x\n")
    path = tmp_path / "nb.py"
    body = "".join(f"    {line}\n" for line in source.splitlines())
    text = f"def run():\n{body}" + "\n" * (7 - source.count("\n"))
    path.write_text(
        f"{text}WIDTH, HEIGHT = read('a.csv')\n"
        "if __name__ == '__main__':\n    LENGTH = dict(\n        DEPTH=2)\n"
        "def own():\n    DEPTH = 3\n"
        "try:\n    import json, cupy\nexcept: pass\nimport of_mine as mine\n"
    )
    names: dict[str, Any] = {}
    exec(compile(text, str(path), "exec"), names)  # noqa: S102  as without its script

    with pytest.raises((ImportError, AttributeError, NameError)) as caught:
        names["run"]()

    assert hint in explained(caught.value)


@pytest.mark.parametrize(
    ("message", "hint"),
    [
        ("module 'numpy' has no attribute 'in1d'", "no longer has np.in1d: write np.isin"),
        ("module 'numpy' has no attribute 'float'. `np", "no longer has np.float: w"),
        ("module 'numpy' has no attribute 'msort'", "write np.sort(a, axis=0)"),
        ("module 'numpy' has no attribute 'unicode'", "str (or np.unique, if"),
        ("cannot import name 'Inf' from 'numpy' (/x)", "np.Inf: write np.inf"),
        ("'numpy.ndarray' object has no attribute 'ptp'", "no ptp: write np.ptp(a)"),
        ("module 'numpy' has no attribute 'own_name'", ""),
    ],
)
def test_each_removed_numpy_name_has_a_replacement(message: str, hint: str) -> None:
    text = hint_on("AttributeError", message, "")

    assert hint in text
    assert bool(text) == bool(hint)


KNOWN = tomllib.loads(tracebacks._KNOWN_ERRORS.read_text("utf-8"))
REMOVED = KNOWN["removed"]
LATE = {"kron", "value_counts"}  # The lowest versions still have them


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_every_name_that_numpy_lists_as_removed_has_a_hint() -> None:
    without = {"add_newdoc_ufunc", "compat", "get_array_wrap", "set_numeric_ops"}
    for name in __expired_attributes__:
        message = f"cannot import name '{name}' from 'numpy' (/numpy/__init__.py)"
        assert bool(hint_on("ImportError", message, "")) == (name not in without), name
    assert {n for n in KNOWN["numpy"] if hasattr(np, n)} <= {"in1d", "row_stack", "trapz"}
    dotted = [n.removeprefix("-").partition("(")[0] for n in KNOWN["numpy"].values()]
    modules = ("np.", "warnings.", "pickle.", "inspect.", "ast.")
    for replacement in (name for name in dotted if name.startswith(modules)):
        assert resolve_name(replacement.replace("np.", "numpy.")) is not None
    for name in KNOWN["array"].keys() - {"tostring"}:
        with pytest.raises(AttributeError):
            getattr(np.zeros(1), name)()
    frame = pd.DataFrame({"x": [1.0]})
    present = [n for n in KNOWN["pandas"] if hasattr(frame, n) or hasattr(frame.x, n)]
    assert pd.__version__.startswith("2.") or not present


@pytest.mark.parametrize("name", KNOWN["moved"])
def test_a_module_that_moved_is_gone_and_its_successor_is_there(name: str) -> None:
    with pytest.raises(ModuleNotFoundError) as caught:
        import_module(name)
    hint = hint_on("ModuleNotFoundError", str(caught.value), "")
    assert hint == f"import it from {KNOWN['moved'][name]}: {name} was moved"
    if KNOWN["moved"][name] != "six":  # Not installed
        assert import_module(KNOWN["moved"][name]).__name__ == KNOWN["moved"][name]


@pytest.mark.parametrize(
    ("module", "name", "instead"),
    [(module, *pair) for module, names in REMOVED.items() for pair in names.items()],
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_removed_name_is_gone_and_its_replacement_is_there(
    module: str, name: str, instead: str
) -> None:
    if name not in LATE:
        with pytest.raises((ImportError, AttributeError)):
            getattr(import_module(module), name)
    dotted = instead.partition("(")[0].replace("np.", "numpy.").replace("pd.", "pandas.")
    if re.fullmatch(r"(?!a\.|str\.)\w+(\.\w+)+", dotted):
        assert resolve_name(dotted)


def test_ctrl_c_of_the_user_alone_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracebacks, "_watched", [])
    monkeypatch.setattr(tracebacks, "_received", [])
    pass_on_interruption(SystemExit())
    with pytest.raises(KeyboardInterrupt):  # nobody watches: it may be the user
        pass_on_interruption(KeyboardInterrupt())
    tracebacks.expect_none()
    pass_on_interruption(KeyboardInterrupt())
    tracebacks._received.append(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt):
        pass_on_interruption(KeyboardInterrupt())


def test_a_notebook_is_not_told_of_the_file_that_it_lacks() -> None:
    script, notebook = (
        hint_on("FileNotFoundError", "No such file", "open('a.csv')", file)
        for file in ("nb.py", "nb.ipynb")
    )

    assert "__file__" in script
    assert script.startswith(notebook)
    assert "__file__" not in notebook
