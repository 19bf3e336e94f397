"""Lines that no comparison ran: which count, and how they are told."""

import ast
from pathlib import Path

import numpy as np
import pytest

from gnbbench.conformance.battery import CHECKS, examine, marked_in_checks
from gnbbench.conformance.lines_run import lines_run
from gnbbench.implementations import implementation
from gnbbench.implementations.isolation import isolated, marked_since, watch
from gnbbench.implementations.lookup import unwatched, watched
from gnbbench.implementations.sources import mark
from gnbbench.processes.client import CallCrash, FreshProcess

SOURCE = '''
class Model:
    """It says how large a number is."""

    def fit(self, X, y):
        """Keep the first label."""
        self.label = y[0]
        if len(y) > 100_000:
            self.label = y[1]
            return self
        return self

    def predict(self, X):
        if not len(X):
            print("nothing to label")
        elif X[0][0] > 1e6:
            what = "too large"
            raise ValueError(what)
        elif X[0][0] > 1e5:
            label = 0
        else:
            for row in X:
                try:
                    label = self.label
                except AttributeError:
                    label = 1
                else:
                    label = label * 1
            with open(__file__) as file:
                label = label + 0
        return [label for row in X]

    def never(self, X):
        return X
'''
X, Y = [[1.0], [2.0]], [5, 5]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (path := tmp_path / "mine.py").write_text(SOURCE)
    return path


def test_pieces_that_did_not_run_are_known(path: Path) -> None:
    """What refuses or tells something is passed over, and so is what nothing called."""
    entry = implementation(str(path))
    run, model = watched(str(path)), entry.make()

    assert model.fit(X, Y).predict(X) == [5, 5]

    ran = lines_run(SOURCE, run)
    assert ran.idle == [(9, 10), (20, 20), (26, 26)]
    assert ran.in_words(SOURCE) == "lines 9 to 10, line 20 and line 26, which did not run"
    assert {7, 8, 11, 14, 23, 24, 28, 29, 30, 31} <= ran.run
    assert not {9, 10, 15, 17, 18, 20, 26, 34} & ran.run
    assert model.fit.__doc__ == "Keep the first label."


def test_lines_of_a_notebook_are_those_of_its_cells() -> None:
    """Its lines are counted from the line that begins a cell."""
    source = "# code cell 2\n" + SOURCE
    ran = lines_run(source, {7, 12})

    assert ran.in_words(source) == "code cell 2, lines 9 to 10, which did not run"


def test_all_that_ran_leaves_nothing_to_tell() -> None:
    source = "def f(x):\n    if x:\n        x = 1\n    return x\n"

    assert lines_run(source, {2, 3, 4}).in_words(source) == ""
    assert lines_run(source, set()).in_words(source) == ""  # Nothing called it


def test_a_file_is_watched_until_it_no_longer_is(path: Path) -> None:
    entry = implementation(str(path))
    run = watched(str(path))
    entry.make().fit(X, Y)
    assert run == {6, 11}

    unwatched(str(path))
    entry.make().fit(X, Y).predict(X)
    assert run == {6, 11}


@pytest.mark.parametrize("decorator", ["@jit", "@njit(cache=True)", "@staticmethod"])
def test_what_a_decorator_may_compile_is_not_marked(decorator: str) -> None:
    tree = ast.parse(f"{decorator}\ndef f(x):\n    return x")

    mark(tree)

    assert ("__ran__" in ast.unparse(tree)) == (decorator == "@staticmethod")


@pytest.mark.slow
def test_lines_are_known_only_if_one_process_ran_all_checks(path: Path) -> None:
    """A check that ends the process takes along what it knew."""
    entry, checks = implementation(str(path)), CHECKS[:2]
    with FreshProcess() as process:
        results = examine(entry, checks, process=process, file=str(path)).results
        assert {6, 11} <= marked_in_checks(process, results, str(path))

        process.end()
        assert marked_in_checks(process, results, str(path)) == set()


@pytest.mark.parametrize("apart", [True, False])
def test_lines_are_marked_where_models_live(path: Path, *, apart: bool) -> None:
    entry = (
        isolated(str(path), timeout_seconds=30.0) if apart else implementation(str(path))
    )
    entry.make().fit(X, Y)
    assert marked_since(entry, str(path)) == set()

    watch(entry, str(path))
    entry.make().fit(X, Y)
    assert marked_since(entry, str(path)) == {6, 11}
    assert marked_since(entry, str(path)) == set()


def test_a_process_that_ends_takes_along_what_was_marked(path: Path) -> None:
    path.write_text(
        path.read_text().replace("print(", "__import__('os')._exit(1) or print(")
    )
    entry = isolated(str(path), timeout_seconds=30.0)
    watch(entry, str(path))
    with pytest.raises(CallCrash):
        entry.make().fit(X, Y).predict(np.empty((0, 1)))
    entry.make().fit(X, Y)
    assert marked_since(entry, str(path)) == set()
