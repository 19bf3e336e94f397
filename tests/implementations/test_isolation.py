"""Third-party code may hang, crash, print and corrupt: it stays in its process."""

import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import faults
import joblib
import numpy as np
import pytest
from sklearn.datasets import load_wine

from gnbbench.core import GaussianNB
from gnbbench.errors import GnbBenchError, ImplementationError, OptionError
from gnbbench.implementations import Implementation, implementation, isolated
from gnbbench.measurement.predictions import RunError, predictions
from gnbbench.processes.client import CallCrash, CallError, CallFailure, CallTimeout

pytestmark = pytest.mark.slow

X, Y = load_wine(return_X_y=True)

# A class that runs what its parameters say, after fit and predict, and may answer with it.
PLUG_IN = Path(faults.__file__).with_name("rude.txt").read_text()


@pytest.fixture
def plug_in(tmp_path: Path) -> Iterator[Callable[..., Implementation]]:
    """Give the misbehaving class with parameters, isolated."""
    path = tmp_path / "rude.py"
    path.write_text(PLUG_IN)

    def give(timeout_seconds: float = 30.0, **parameters: str) -> Implementation:
        query = "&".join(f"{name}={value}" for name, value in parameters.items())
        text = f"{path}:Rude?{query}" if query else f"{path}:Rude"
        return isolated(text, timeout_seconds=timeout_seconds)

    yield give
    from gnbbench.implementations.isolation import _workers

    _workers.by_maker.clear()


def is_running(process: int) -> bool:
    """Return whether a process exists and is not just a zombie."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def all_end(processes: list[int], seconds: float = 20.0) -> bool:
    """Return whether all of them end in time."""
    deadline = time.monotonic() + seconds
    while any(map(is_running, processes)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not any(map(is_running, processes))


def descendants(process: int) -> list[int]:
    """Return children and their children."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == process:
            child = int(entry.parent.name)
            found += [child, *descendants(child)]
    return found


def test_a_model_answers_to_the_bit_as_it_would_here(
    plug_in: Callable[..., Implementation],
) -> None:
    model, here = plug_in().make(), GaussianNB().fit(X, Y)

    assert model.fit(X, Y) is model
    for method in ("predict", "predict_proba", "predict_joint_log_proba"):
        assert np.array_equal(getattr(model, method)(X), getattr(here, method)(X))
    for attribute in ("classes_", "theta_", "var_", "class_prior_", "epsilon_"):
        assert np.array_equal(getattr(model, attribute), getattr(here, attribute))


def test_a_model_offers_what_it_has_when_it_has_it_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def fit_predict(X, y, X_test):\n    return y[: len(X_test)]\n")
    model = isolated("density-product", timeout_seconds=30.0).make()
    before = hasattr(model, "theta_")

    model.fit(X, Y)
    entry = isolated(str(path), timeout_seconds=30.0)
    of_function = predictions(entry, X, Y, X[:9], np.unique(Y))

    assert not before
    offered = ("theta_", "predict_proba", "predict_joint_log_proba", "sigma_", "surprise")
    assert [hasattr(model, name) for name in offered] == [True, True, False, False, False]
    assert of_function.test.tolist() == Y[:9].tolist()
    assert of_function.probabilities is None
    assert of_function.joint_log_likelihood is None


@pytest.mark.parametrize(
    "held", ["{'a': 1.0}", "[{'a': 1.0}, {'a': 2.0}]", "[[1], [1, 2]]"]
)
def test_a_method_that_is_none_and_an_attribute_that_is_no_array_are_not_offered(
    held: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "from sklearn.naive_bayes import GaussianNB\n"
        "class Labels(GaussianNB):\n    predict_proba = None\n"
        f"    sigma_ = {held}\n"
    )
    entry = isolated(f"{path}:Labels", timeout_seconds=30.0)

    answers = predictions(entry, X, Y, X[:9], np.unique(Y))

    assert answers.test.tolist() == GaussianNB().fit(X, Y).predict(X[:9]).tolist()
    assert answers.probabilities is None
    assert not hasattr(entry.make().fit(X, Y), "sigma_")


def test_models_of_a_worker_keep_apart_and_labels_of_any_type_come_back() -> None:
    entry = isolated("numpy", timeout_seconds=30.0)
    names = np.array(["low", "mid", "größer"])
    first, second = entry.make().fit(X, names[Y]), entry.make().fit(X[:100], Y[:100])
    third = entry.make().fit(X, names.astype(object)[Y])

    expected = GaussianNB().fit(X, names[Y]).predict(X)
    assert np.array_equal(first.predict(X), expected)
    assert np.array_equal(third.predict(X), expected)
    assert (first.theta_.shape, second.theta_.shape) == ((3, 13), (2, 13))


# What a plug-in does -> its status and message.
FAILURES: dict[str, tuple[type[CallFailure], str]] = {
    **dict.fromkeys(
        (
            "hang()",
            "hang(deaf=True)",
            "os.kill(os.getpid(), signal.SIGSTOP)",
            "ctypes.PyDLL(None).sleep(600)",
        ),
        (CallTimeout, "did not answer within 0.5 s"),
    ),
    "os._exit(3)": (CallCrash, "its process ended with exit code 3"),
    "os._exit(0)": (CallCrash, "its process ended with exit code 0"),
    "ctypes.string_at(0)": (CallCrash, "its process was ended by SIGSEGV"),
    "os.abort()": (CallCrash, "its process was ended by SIGABRT"),
    # Its process cannot be understood any more, and is ended.
    "garble()": (CallError, "ValueError: the answer cannot be read: it is longer than 2"),
}


@pytest.mark.parametrize(
    ("where", "what"),
    [
        (where, what)
        for what in FAILURES
        for where in (["fit", "predict"] if what == "os._exit(3)" else ["predict"])
    ],
)
def test_a_failure_is_reported_in_time_and_the_next_model_works(
    where: str, what: str, plug_in: Callable[..., Implementation]
) -> None:
    kind, words = FAILURES[what]
    entry = plug_in(0.5 if kind is CallTimeout else 30.0, **{where: what})

    # If a process ended, another one answers the next model; one such end is enough.
    for _ in range(1 + (kind is CallError or what == "os._exit(3)")):
        model, begin = entry.make(), time.monotonic()
        with pytest.raises(kind) as caught:
            model.fit(X, Y).predict(X)

        text = str(caught.value)
        assert time.monotonic() - begin < 20.0
        assert caught.value.status == kind.status
        assert text.encode()
        assert "\n" not in text
        assert words in text.removeprefix(where)
        with pytest.raises(CallCrash, match="has ended before"):
            model.predict(X)


# What `predict` evaluates -> the message.
ERRORS = {
    "1 / 0": "ZeroDivisionError: division by zero",
    "rude()": "Raised: (its message cannot be shown)",
    "int('\\ud800\\n' * 3)": "ValueError: invalid literal",
    "sys.exit(5)": "SystemExit: 5",
    "os.kill(os.getpid(), signal.SIGINT), time.sleep(5)": "KeyboardInterrupt: ",
    "recurse()": "RecursionError: maximum recursion depth exceeded",
    "input()": "EOFError: ",
    "None": "TypeError: predict gave",
    "lambda: 0": "TypeError: predict gave",
    "GaussianNB": "TypeError: predict gave",
    "np.array([object()] * 3)": "TypeError: predict gave",
    "[[1], [1, 2]]": "ValueError: ",
    "iter([1])": "TypeError: predict gave",
    "np.zeros(3, dtype=[('a', int)])": "TypeError: predict gave",
    "np.ma.array(labels, mask=labels == 1)": "TypeError: predict gave masked values",
    "str('abc')": "",  # One text is a wrong shape, which the caller checks
}


@pytest.fixture(scope="module")
def obedient(tmp_path_factory: pytest.TempPathFactory) -> tuple[Implementation, Path]:
    """Give what answers with an expression in a file, from one process, and the file."""
    folder = tmp_path_factory.mktemp("obedient")
    (folder / "rude.py").write_text(PLUG_IN)
    (folder / "answer").write_text("labels")
    query = f"answer=eval(open(self.place).read())&place={folder}/answer"
    made = isolated(f"{folder}/rude.py:Rude?{query}", timeout_seconds=30.0)
    return made, folder / "answer"


@pytest.mark.parametrize("answer", ERRORS)
def test_an_invalid_answer_is_reported_and_the_model_keeps_working(
    answer: str, obedient: tuple[Implementation, Path]
) -> None:
    entry, place = obedient
    place.write_text("labels")
    model = entry.make().fit(X, Y)
    place.write_text(answer)

    if not ERRORS[answer]:
        assert model.predict(X) == "abc"
    else:
        with pytest.raises(CallError) as caught:
            model.predict(X)
        text = str(caught.value)
        assert (caught.value.status, "\n" in text) == (CallError.status, False)
        assert text.encode()
        assert text.startswith(ERRORS[answer])
    assert model.predict_proba(X).shape == (178, 3)
    assert entry.make().fit(X, Y)._worker is model._worker


@pytest.mark.parametrize("does", ["flood()", "X[...] = 0", "fork_and_stay()"])
def test_output_changes_and_forks_of_a_worker_stay_there(
    does: str, plug_in: Callable[..., Implementation], capfd: pytest.CaptureFixture[str]
) -> None:
    given, labels = X.copy(), Y.copy()
    expected = GaussianNB().fit(X, Y).predict(X)

    model = plug_in(fit=does, predict=does).make().fit(given, labels)

    for rows in (178, 6, 7):
        assert np.array_equal(model.predict(given[:rows]), expected[:rows])
    assert capfd.readouterr() == ("", "")
    assert np.array_equal(given, X)
    assert np.array_equal(labels, Y)


def test_without_isolation_arrays_would_be_changed(tmp_path: Path) -> None:
    """The negative control: the plug-in does spoil what it can reach."""
    (tmp_path / "rude.py").write_text(PLUG_IN)
    given = X.copy()

    implementation(f"{tmp_path}/rude.py:Rude?fit=X[...] = 0").make().fit(given, Y.copy())

    assert not given.any()


def test_one_that_fails_at_random_or_closes_its_pipes_spoils_no_later_answer(
    plug_in: Callable[..., Implementation],
) -> None:
    does = "if random.random() < 0.5: raise RuntimeError('bad luck')"
    model = plug_in(predict=does).make().fit(X, Y)
    expected = GaussianNB().fit(X, Y).predict(X)

    outcomes = []
    for _ in range(40):
        try:
            outcomes.append(np.array_equal(model.predict(X), expected))
        except CallError as error:
            outcomes.append("bad luck" in str(error))

    assert outcomes == [True] * 40
    with pytest.raises(CallCrash, match="predict: its process"):
        plug_in(predict="os.closerange(0, 100)").make().fit(X, Y).predict(X)


def test_warnings_are_warned_here(plug_in: Callable[..., Implementation]) -> None:
    does = "warnings.warn('mind the gap', RuntimeWarning)"
    model = plug_in(predict=does).make().fit(X, Y)

    with pytest.warns(RuntimeWarning, match="mind the gap"):
        model.predict(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict_proba(X)


# Started in the background, a process ignores SIGINT; a user's does not.
STUDY = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from gnbbench.implementations import isolated, isolation
import numpy as np

isolation.TRYING_SECONDS = 0.5
X, y = np.arange(8.0).reshape(4, 2), np.array([0, 0, 1, 1])
if __name__ == "__main__":
    model = isolated(sys.argv[1], timeout_seconds=600).make().fit(X, y)
    print("ready", flush=True)
    model.predict(X) if sys.argv[2] == "busy" else sys.stdin.readline()
"""


@pytest.mark.parametrize(
    ("sent", "fit", "predict"),
    [
        (signal.SIGKILL, "detach(self.place)", "ctypes.PyDLL(None).sleep(600)"),
        (signal.SIGKILL, "detach(self.place)", "hang(deaf=True)"),
        (signal.SIGINT, "detach(self.place)", "hang()"),
        (signal.SIGTERM, "detach(self.place)", "os.kill(os.getpid(), signal.SIGSTOP)"),
        (None, "threading.Thread(target=hang).start()", ""),
        (None, "", ""),
    ],
)
def test_nothing_is_left_when_the_study_is_ended_or_over(
    sent: signal.Signals | None, fit: str, predict: str, tmp_path: Path
) -> None:
    (tmp_path / "rude.py").write_text(PLUG_IN)
    (tmp_path / "study.py").write_text(STUDY)
    place = tmp_path / "processes"
    text = f"{tmp_path}/rude.py:Rude?fit={fit}&predict={predict}&place={place}"
    command = [sys.executable, str(tmp_path / "study.py"), text, "busy" if sent else "over"]
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, **pipes) as study:
        assert study.stdout is not None
        assert study.stdout.readline() == b"ready\n"
        started = descendants(study.pid)

        if sent is not None:
            study.send_signal(sent)
        study.communicate(b"\n", timeout=60)

    detached = list(map(int, place.read_text().split())) if sent else []
    assert set(detached) <= set(started)
    assert len(started) >= 2
    assert sent is not None or study.returncode == 0
    assert all_end([*started, *detached])


def test_one_worker_serves_all_models_of_a_thread(
    plug_in: Callable[..., Implementation],
) -> None:
    entry = plug_in()
    elsewhere: list[Any] = []
    thread = threading.Thread(target=lambda: elsewhere.append(entry.make()))
    thread.start()
    thread.join()

    first, second = entry.make(), entry.make()

    assert first._worker is second._worker
    assert elsewhere[0]._worker is not first._worker


def test_it_works_in_workers_of_joblib(plug_in: Callable[..., Implementation]) -> None:
    entry = plug_in()
    call = joblib.delayed(predictions)(entry, X, Y, X, np.unique(Y))

    answers = joblib.Parallel(n_jobs=2)([call, call])

    expected = GaussianNB().fit(X, Y).predict(X)
    assert all(np.array_equal(one.test, expected) for one in answers)


def test_a_forked_copy_of_the_study_leaves_the_workers_alone(
    plug_in: Callable[..., Implementation],
) -> None:
    entry = plug_in()
    model = entry.make().fit(X, Y)

    child = os.fork()
    if child == 0:
        try:
            model.predict(X)
        except CallCrash:
            os.kill(os.getpid(), signal.SIGUSR1)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)

    assert os.WTERMSIG(status) == signal.SIGUSR1
    assert len(model.predict(X)) == len(X)


class Holds:
    """Cannot be sent to another process."""

    def __init__(self) -> None:
        self.lock = threading.Lock()

    def fit(self, X: Any, y: Any) -> None: ...

    def predict(self, X: Any) -> None: ...


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import os\nclass GNB:\n    os._exit(4)\n", "ended with exit code 4"),
        ("import time\nclass GNB:\n    time.sleep(600)\n", "did not answer within 1 s"),
        (Holds(), "cannot be sent to another process"),
    ],
)
def test_code_that_a_worker_cannot_load_is_not_loaded_here_either(
    source: Any, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, seconds = source, 1.0 if "1 s" in message else 30.0
    monkeypatch.setattr("gnbbench.implementations.isolation.LOADING_SECONDS", seconds)
    if isinstance(source, str):
        given = str(tmp_path / "mine.py")
        Path(given).write_text(source)

    with pytest.raises(ImplementationError, match=message) as caught:
        isolated(given, timeout_seconds=seconds)

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["absent.py", "sklern", "sklearn.naive_bayes:GaussianMB"])
def test_errors_of_the_lookup_equal_those_in_this_process(text: str) -> None:
    with pytest.raises(GnbBenchError) as here:
        implementation(text)
    with pytest.raises(GnbBenchError) as there:
        isolated(text, timeout_seconds=30.0)

    assert str(here.value) == str(there.value)


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf")])
def test_a_time_limit_is_positive(seconds: float) -> None:
    with pytest.raises(OptionError, match="--timeout"):
        isolated("numpy", timeout_seconds=seconds)


@pytest.mark.parametrize("when", ["loaded", "asked"])
def test_forged_answers_of_a_plug_in_are_one_line_errors(when: str, tmp_path: Path) -> None:
    """It takes the place of the function that answers, at once or with the first model."""
    path, indent = tmp_path / "forging.py", "        " if when == "asked" else ""
    forging = f"{indent}worker.answered = lambda _: messages.packed(FORGED)\n"
    path.write_text(
        "from gnbbench.core import GaussianNB\n"
        "from gnbbench.processes import messages, worker\n"
        "FORGED = {'answer': {'a': [1]}, 'warnings': []}\n"
        "class Forging(GaussianNB):\n    def __init__(self):\n        super().__init__()\n"
        f"{forging}"
    )

    entry = isolated(f"{path}:Forging", timeout_seconds=30.0)

    with pytest.raises(RunError) as caught:
        predictions(entry, X, Y, X[:9], np.unique(Y))
    assert "\n" not in str(caught.value)
