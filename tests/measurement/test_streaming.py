"""Two passes over a stream, compared with all rows in memory."""

import math
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from faults.streams import forgetful, stream_of_arrays
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

from gnbbench.core import GaussianNB
from gnbbench.data.stream import Stream
from gnbbench.errors import DatasetError
from gnbbench.implementations import Implementation, implementation, implementations
from gnbbench.implementations.catalogue import sklearn_posterior
from gnbbench.measurement import evaluation, streaming
from gnbbench.measurement.rounds import BatchRounds
from gnbbench.measurement.streaming import (
    Checkpoint,
    StreamResult,
    passes,
    run_tables,
    stream_note,
)
from gnbbench.measurement.tallies import PairTally
from gnbbench.records import RUN_METRICS
from gnbbench.splits import Sample, SideRule, Split

RULE = SideRule(seed=3, test_size=0.4)
ENTRIES = implementations("sklearn", ["numpy"])
COUNTED = ("confusion", "label_pairs", "probability_differences", "reliability")


@cache
def data(name: str = "breast_cancer") -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the rows of a dataset, twice over and slightly moved."""
    X, y = {"breast_cancer": load_breast_cancer, "wine": load_wine}[name](return_X_y=True)
    noise = np.random.default_rng(0).normal(scale=1e-3, size=(2 * len(X), X.shape[1]))
    return np.tile(X, (2, 1)) * (1.0 + noise), np.tile(y, 2)


class LearnsInBlocks:
    """A model whose fit is partial_fit over the train rows of the stream's blocks."""

    def __init__(self, make: Any, stream: Stream, train: NDArray[np.intp]) -> None:
        self._model, self._stream, self._train = make(), stream, train

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def fit(self, X: Any, y: Any) -> "LearnsInBlocks":
        first = {"classes": self._stream.classes}
        for block in self._stream.batches():
            stop = block.first_row + len(block.codes)
            inside = (self._train >= block.first_row) & (self._train < stop)
            if inside.any():
                self._model.partial_fit(X[inside], y[inside], **first)
                first = {}
        return self


class OneSplit:
    """A rule that only has the split of a stream."""

    def __init__(self, split: Split) -> None:
        self._split = split

    def cuts(self, _sample: Sample, _runs: Sequence[int]) -> list[Split]:
        return [self._split]


def direct(stream: Stream, entries: Sequence[Implementation]) -> dict[str, list[Any]]:
    """Return the tables that `evaluate` gives for the same rows, all in memory."""
    X = np.concatenate([block.X for block in stream.batches()])
    codes = np.concatenate([block.codes for block in stream.batches()])
    mask = RULE.train_mask(0, len(X))
    split = Split(0, np.flatnonzero(mask), np.flatnonzero(~mask))
    sample = Sample(X, stream.classes[codes], stream.classes, codes)
    whole = [
        replace(
            entry,
            make=partial(LearnsInBlocks, entry.make, stream, split.train),
            posterior=None,
            together=None,
        )
        for entry in entries
    ]
    return evaluation.evaluate(sample, OneSplit(split), [0], whole)  # type: ignore[arg-type]  # is in for the rule


def assert_same(found: dict[str, list[Any]], expected: dict[str, list[Any]]) -> None:
    """Fail unless counts are equal, and means up to rounding."""
    for name in COUNTED:
        assert sorted(found[name], key=str) == sorted(expected[name], key=str), name
    place = 7 + RUN_METRICS.index("train_accuracy")
    for own, other in zip(found["runs"], expected["runs"], strict=True):
        assert own[:7] == other[:7]
        assert own[place] is None
        for value, metric in zip(own[7:], other[7:], strict=True):
            if value is not None:
                assert value == pytest.approx(metric, rel=1e-13)
    for own, other in zip(found["pairs"], expected["pairs"], strict=True):
        assert own[:8] == other[:8]
        assert own[8:] == pytest.approx(other[8:], rel=1e-12)
    assert found["disagreements"] == expected["disagreements"]


@pytest.mark.parametrize("name", ["breast_cancer", "wine"])
@pytest.mark.parametrize("block_rows", [17, 64, 5000])
def test_records_equal_those_of_one_look_at_all_rows(name: str, block_rows: int) -> None:
    X, y = data(name)
    if block_rows == 64:  # text, and a class of few rows
        y = np.array(["red", "white", "a rare one"])[y]
        y[:-3][y[:-3] == "a rare one"] = "white"
    stream = stream_of_arrays(X, y, block_rows=block_rows, cuts=(100, 130))

    tables = run_tables(passes(stream, RULE, ENTRIES))

    assert_same(tables, direct(stream, ENTRIES))


class Counts(ScikitLearnGaussianNB):  # type: ignore[misc]  # scikit-learn has no types
    """Counts its calls."""

    calls: ClassVar[Counter[str]] = Counter()

    def partial_fit(self, *given: Any, **named: Any) -> "Counts":
        self.calls["partial_fit"] += 1
        super().partial_fit(*given, **named)
        return self

    def predict(self, X: Any) -> Any:
        self.calls["predict"] += 1
        return super().predict(X)

    def predict_joint_log_proba(self, X: Any) -> Any:
        self.calls["scores"] += 1
        return super().predict_joint_log_proba(X)


def softened(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give probabilities of another model."""
    return sklearn_posterior(scores / 2)


def test_each_learns_and_scores_a_block_once_and_is_seldom_asked_for_more() -> None:
    counted = replace(implementation(Counts), posterior=sklearn_posterior)
    stream = stream_of_arrays(*data(), block_rows=20)
    Counts.calls.clear()

    passes(stream, RULE, [counted, ENTRIES[1]])

    n_blocks = math.ceil(stream.n_rows / 20)
    assert Counts.calls["partial_fit"] == Counts.calls["scores"] == n_blocks
    assert streaming.FULL_LOOKS <= Counts.calls["predict"] < n_blocks


@pytest.mark.parametrize("posterior", [softened, None])
def test_without_scores_that_agree_all_blocks_are_labelled_in_full(posterior: Any) -> None:
    stream = stream_of_arrays(*data(), block_rows=20)
    expected = run_tables(passes(stream, RULE, ENTRIES))
    counted = replace(implementation(Counts), posterior=posterior, name="sklearn")
    Counts.calls.clear()

    tables = run_tables(passes(stream, RULE, [counted, ENTRIES[1]]))

    assert Counts.calls["predict"] == math.ceil(stream.n_rows / 20)
    assert tables["runs"] == expected["runs"]
    assert tables["pairs"] == expected["pairs"]


def test_runs_that_share_the_passes_equal_those_of_passes_of_their_own() -> None:
    stream = stream_of_arrays(*data(), block_rows=64)

    tables = run_tables(passes(stream, RULE, ENTRIES, runs=2))

    for run in range(2):
        alone = run_tables(passes(stream, replace(RULE, seed=RULE.seed + run), ENTRIES))
        for name in (*COUNTED, "runs", "pairs", "disagreements", "votes"):
            own = [row[1:] for row in tables[name] if row[0] == run]
            assert own == [row[1:] for row in alone[name]]


def counts_rows_twice(self: PairTally, *given: Any) -> None:
    for _ in range(2):
        COUNT_ONCE(self, *given)


def looks_at_the_block(self: SideRule, _first: int, n_rows: int) -> Any:
    return BY_NUMBER(self, 0, n_rows)


COUNT_ONCE, BY_NUMBER = PairTally.add_rows, SideRule.train_mask
FAULTY: dict[type, str] = {PairTally: "add_rows", SideRule: "train_mask"}


def test_a_planted_fault_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative controls of the comparison above."""
    stream = stream_of_arrays(*data(), block_rows=64)
    expected = direct(stream, ENTRIES)

    for owner, fault in ((PairTally, counts_rows_twice), (SideRule, looks_at_the_block)):
        with monkeypatch.context() as patch:
            patch.setattr(owner, FAULTY[owner], fault)
            tables = run_tables(passes(stream, RULE, ENTRIES))
        with pytest.raises(AssertionError):
            assert_same(tables, expected)


def test_a_stream_that_loses_blocks_or_their_order_is_refused() -> None:
    stream = stream_of_arrays(*data(), block_rows=100, cuts=(700,))

    with pytest.raises(DatasetError, match=r"made.parquet: it gave 1,100 rows instead of"):
        passes(forgetful(stream), RULE, ENTRIES)
    with pytest.raises(DatasetError, match="row 700 follows row 0"):
        passes(replace(stream, fragments=stream.fragments[::-1]), RULE, ENTRIES)


@pytest.mark.slow
@pytest.mark.parametrize("block_rows", [1, 10, 333, 5000])
def test_our_parameters_equal_those_of_one_fit_whatever_the_blocks(block_rows: int) -> None:
    X, y = data()
    train = RULE.train_mask(0, len(X))
    whole = GaussianNB().fit(X[train], y[train])

    stream = stream_of_arrays(X, y, block_rows=block_rows, cuts=(5, 1000))
    model = passes(stream, RULE, ENTRIES).models[1].model

    for name in ("theta_", "var_", "epsilon_", "class_prior_", "class_count_"):
        np.testing.assert_allclose(getattr(model, name), getattr(whole, name), rtol=1e-12)


def note_of(*entries: Implementation, block_rows: int = 64) -> dict[str, Any]:
    result = passes(stream_of_arrays(*data(), block_rows=block_rows), RULE, entries)
    return stream_note(result, 30)


def test_blocks_change_scikit_learn_s_variances_and_the_cause_is_named() -> None:
    note = note_of(*ENTRIES)

    (cause,) = note["variance_causes"]
    assert (cause["own"], cause["reference"]) == ("own", "batch")
    assert cause["largest"] > 1e-6
    assert cause["left"] < 1e-12
    names = "parameter", "largest_relative_difference"
    differences = dict([row[name] for name in names] for row in note["parameters"])
    assert differences["var_"] == cause["largest"]
    assert differences["theta_"] < 1e-12
    assert differences["class_prior_"] < 1e-15
    assert differences["epsilon_"] > 1e-3


class WrongVariances(ScikitLearnGaussianNB):  # type: ignore[misc]  # scikit-learn has no types
    """Planted fault: variances off by a share, in no way a smoothing amount."""

    def partial_fit(self, *given: Any, **named: Any) -> "WrongVariances":
        """Learn, then raise every variance by a hundredth."""
        super().partial_fit(*given, **named)
        self.var_ *= 1.01
        return self


def test_ineffective_smoothing_gets_no_cause() -> None:
    wrong = note_of(*implementations("numpy", [WrongVariances]))
    one_block = note_of(*ENTRIES, block_rows=5000)

    assert wrong["variance_causes"] == one_block["variance_causes"] == []


def test_float32_blocks_are_taken_in_as_doubles() -> None:
    X, y = data()
    narrow = X.astype(np.float32)

    found, wide = (
        run_tables(passes(stream_of_arrays(values, y), RULE, ENTRIES))
        for values in (narrow, narrow.astype(np.float64))
    )

    assert (found["confusion"], found["runs"]) == (wide["confusion"], wide["runs"])


class Breaks(ScikitLearnGaussianNB):  # type: ignore[misc]  # scikit-learn has no types
    """Raises in the third call of a method."""

    def __init__(self, where: str = "partial_fit") -> None:
        super().__init__()
        self.where = where
        self.calls = 0

    def _count(self, method: str) -> None:
        self.calls += method == self.where
        if self.calls == 3:
            raise ArithmeticError("no more")

    def partial_fit(self, *given: Any, **named: Any) -> "Breaks":
        self._count("partial_fit")
        super().partial_fit(*given, **named)
        return self

    def predict(self, X: Any) -> Any:
        self._count("predict")
        return super().predict(X)


@pytest.mark.parametrize("where", ["partial_fit", "predict"])
@pytest.mark.parametrize("as_reference", [False, True])
def test_failures_are_recorded_and_change_no_others(where: str, as_reference: bool) -> None:
    stream = stream_of_arrays(*data(), block_rows=64)
    broken = implementation(Breaks(where))
    order = (broken, ENTRIES[1]) if as_reference else (ENTRIES[1], broken)

    tables = run_tables(passes(stream, RULE, implementations(order[0], [order[1]])))

    rows = {row[1]: row for row in tables["runs"]}
    status, message = rows["Breaks"][2:4]
    place = rf'{Path(__file__).name}, line \d+: raise ArithmeticError\("no more"\)'
    assert status == "error"
    assert re.fullmatch(rf"ArithmeticError: no more \({place}\)", message)
    assert set(rows["Breaks"][7:]) == {None}
    alone = run_tables(passes(stream, RULE, ENTRIES))
    assert rows["numpy"] == next(row for row in alone["runs"] if row[1] == "numpy")
    assert tables["pairs"] == []
    assert {row[1] for row in tables["confusion"]} == {"numpy"}
    timed = {row[0] for row in tables["timings"] if row[1] == "Breaks"}
    assert timed == (set() if where == "partial_fit" else {"fit"})


def test_only_the_first_disagreements_are_kept_and_all_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = stream_of_arrays(*data(), block_rows=64)
    entries = implementations("sklearn", [ScikitLearnGaussianNB(priors=[0.999, 0.001])])
    whole = run_tables(passes(stream, RULE, entries))["disagreements"]
    monkeypatch.setattr("gnbbench.measurement.tallies.MOST_DISAGREEMENTS", 4)

    tables = run_tables(passes(stream, RULE, entries))

    assert len(whole) > 4
    assert tables["disagreements"] == whole[:4]
    assert tables["pairs"][0][3] == len(whole)
    assert {row[2] for row in tables["votes"]} == {row[2] for row in whole[:4]}


def test_rounds_are_complete_and_the_first_block_makes_none() -> None:
    stream = stream_of_arrays(*data(), block_rows=64)
    ticks = iter(range(10**9))

    result = passes(stream, RULE, ENTRIES, clock=lambda: 1000 * next(ticks))

    by_round: dict[tuple[str, int], list[Any]] = {}
    for operation, name, number, position, seconds in result.timings:
        by_round.setdefault((operation, number), []).append((position, name))
        assert seconds > 0.0
    assert {key[0] for key in by_round} == {"fit", "predict", "predict_proba"}
    n_blocks = math.ceil(len(data()[0]) / 64)
    assert {key[1] for key in by_round} == set(range(n_blocks - 2))
    for taken in by_round.values():
        assert sorted(place for place, _ in taken) == [0, 1, 2]
        assert {name for _, name in taken} == {"sklearn", "numpy", "reference again"}
    assert set(result.cold_seconds["fit"]) == {"sklearn", "numpy"}


def test_reading_is_timed_apart_from_calls() -> None:
    result = passes(stream_of_arrays(*data(), block_rows=64), RULE, ENTRIES)

    n_train = result.runs[0].n_train
    for stage, n_own in (("training", n_train), ("scoring", len(data()[0]) - n_train)):
        rows = [row for row in result.passes if row["stage"] == stage]
        reading, *work, whole = [row["seconds"] for row in rows]
        calls = [row["rows"] for row in rows if row["what"] == "calls"]
        assert calls == [n_own, n_own]
        assert reading > 0.0
        assert sum(work) < whole


def test_ranges_of_features_equal_those_of_all_rows() -> None:
    X, y = data()

    rows = passes(stream_of_arrays(X, y), RULE, ENTRIES).ranges.rows(["x"] * 30)

    for place, row in enumerate(rows):
        column = X[:, place]
        assert (row["minimum"], row["maximum"]) == (column.min(), column.max())
        assert row["mean"] == pytest.approx(column.mean(), rel=1e-13)
        assert row["standard_deviation"] == pytest.approx(column.std(), rel=1e-12)


def test_scores_merge_to_those_of_all_rows_in_any_order() -> None:
    stream = stream_of_arrays(*data(), block_rows=40, cuts=(300, 301, 900))
    whole = passes(stream, RULE, ENTRIES)
    merged = whole.without_counts()

    for part in stream.fragments[::-1]:
        found = whole.without_counts()
        rounds = BatchRounds(["sklearn", "numpy"], seed=0, n_rows=stream.n_rows)
        streaming.run_pass("scoring", part.batches(), found, rounds)
        merged.runs[0].test.merge(found.runs[0].test)

    expected = run_tables(whole)
    whole.runs[0].test = merged.runs[0].test
    found_tables = run_tables(whole)
    assert found_tables["runs"] == expected["runs"]
    assert found_tables["disagreements"] == expected["disagreements"]
    assert_same(found_tables, expected)


class Closed(ScikitLearnGaussianNB):  # type: ignore[misc]  # scikit-learn has no types
    """A model that cannot be saved, since it may be more than its attributes."""


THREE = implementations("sklearn", ["numpy", Closed])


def passes_interrupted(stream: Stream, *moments: int) -> StreamResult:
    """Return the result of passes interrupted after a number of batches each time."""
    saved: list[bytes] = [b""]
    for moment in moments:
        left = iter(range(moment))

        def advance(_rows: int, left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                raise KeyboardInterrupt

        keeper = Checkpoint(saved[-1], saved.append)
        with pytest.raises(KeyboardInterrupt):
            passes(stream, RULE, THREE, runs=2, advance=advance, checkpoint=keeper)
    return passes(stream, RULE, THREE, runs=2, checkpoint=Checkpoint(saved[-1]))


def numbers(result: StreamResult) -> list[Any]:
    """Return all results except times."""
    tables = {name: rows for name, rows in run_tables(result).items() if name != "timings"}
    note = stream_note(result, 30)
    work = [(row["stage"], row["what"], row["rows"]) for row in note.pop("passes")]
    return [tables, note, work, result.ranges.rows(["x"] * 30)]


@pytest.fixture
def saved_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "SAVE_SECONDS", 0.0)
    monkeypatch.setattr(streaming, "SAVE_SHARE", 0)


@pytest.mark.slow
@pytest.mark.usefixtures("saved_always")
@pytest.mark.parametrize("moments", [(1,), (7,), (18,), (19,), (30,), (5, 14, 20, 22)])
def test_interrupted_passes_go_on_to_the_same_bits(moments: tuple[int, ...]) -> None:
    """There are 18 batches a pass, and a model that cannot be saved learns them again."""
    stream = stream_of_arrays(*data(), block_rows=64, cuts=(100, 130))

    result = passes_interrupted(stream, *moments)

    assert numbers(result) == numbers(passes(stream, RULE, THREE, runs=2))
    assert result.n_interruptions == len(moments)
    assert result.learned_anew == ["Closed"]


@pytest.mark.slow
@pytest.mark.usefixtures("saved_always")
@pytest.mark.parametrize("part", ["train_counts", "test"])
def test_an_unsaved_part_would_be_seen(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control of the comparison above."""
    go_on = streaming.StreamRun.go_on

    def forget(run: streaming.StreamRun, state: dict[str, Any]) -> None:
        go_on(run, {**state, part: getattr(run, part)})

    monkeypatch.setattr(streaming.StreamRun, "go_on", forget)
    stream = stream_of_arrays(*data(), block_rows=64)

    result = passes_interrupted(stream, 25)

    assert numbers(result) != numbers(passes(stream, RULE, THREE, runs=2))


def test_saving_takes_a_hundredth_of_the_time() -> None:
    time, written = [0.0], []

    def write(_state: bytes) -> None:
        written.append(time[0])
        time[0] += 0.3

    keeper = Checkpoint(write=write, clock=lambda: time[0])
    while time[0] < 1000.0:
        time[0] += 1.0
        keeper.save(lambda: {"n_rows": len(written)})

    assert written[0] == 5.0
    assert 25 <= len(written) <= 35


PEAK_MEMORY = """
import sys
sys.path.insert(0, sys.argv[1])
from faults.streams import drawn_stream
from gnbbench.implementations import implementations
from gnbbench.measurement import streaming
from gnbbench.splits import SideRule

stream = drawn_stream(int(sys.argv[2]), 40, 5_000)
rows = []
if sys.argv[3] == "hoarding":
    read = streaming.read_ahead
    streaming.read_ahead = lambda batches: (rows.append(b) or b for b in read(batches))
entries = implementations("numpy", ["density-product"])
found = streaming.passes(stream, SideRule(1, 0.3), entries)
streaming.run_tables(found)
# Not ru_maxrss, which a process inherits from the one that started it.
with open("/proc/self/status") as status:
    [line] = [line for line in status if line.startswith("VmHWM")]
print(line.split()[1])
"""


def peak(n_rows: int, manner: str = "") -> int:
    """Return the largest resident memory of a fresh process, in KiB."""
    tests = str(Path(__file__).parents[1])
    arguments = [sys.executable, "-c", PEAK_MEMORY, tests, str(n_rows), manner]
    return int(subprocess.run(arguments, check=True, capture_output=True).stdout)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
def test_six_times_the_rows_need_no_more_memory() -> None:
    few, many = peak(30_000), peak(180_000)

    assert many < 1.1 * few
    assert peak(180_000, "hoarding") > 1.2 * few, "negative control: all blocks are kept"
