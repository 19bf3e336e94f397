"""Two passes over a stream: held against one look at all rows in memory."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from faults.streams import ArrayFragment, forgetful, stream_of_arrays
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

from gnbbench.core import GaussianNB
from gnbbench.data.stream import Stream
from gnbbench.errors import DatasetError
from gnbbench.implementations import Implementation, implementation, implementations
from gnbbench.measurement import evaluation, streaming
from gnbbench.measurement.rounds import BatchRounds
from gnbbench.measurement.split_rules import Sample, SideRule
from gnbbench.measurement.streaming import passes, run_tables, stream_note
from gnbbench.measurement.tallies import PairTally, TestTally
from gnbbench.records import RUN_METRICS
from gnbbench.splits import Split

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
    """A rule with the split of a stream alone."""

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
    return evaluation.evaluate(sample, OneSplit(split), [0], whole)  # type: ignore[arg-type]  # stands in for the rule


def assert_same(found: dict[str, list[Any]], expected: dict[str, list[Any]]) -> None:
    """Fail unless counts are equal, and means but for rounding."""
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
def test_the_records_are_those_of_one_look_at_all_rows(name: str, block_rows: int) -> None:
    stream = stream_of_arrays(*data(name), block_rows=block_rows, cuts=(100, 130))

    found = run_tables(passes(stream, RULE, ENTRIES))

    assert_same(found, direct(stream, ENTRIES))


def test_labels_that_are_text_and_a_class_of_few_rows_are_counted_alike() -> None:
    X, y = data("wine")
    names = np.array(["red", "white", "a rare one"])[y]
    names[:-3][names[:-3] == "a rare one"] = "white"
    stream = stream_of_arrays(X, names, block_rows=50)

    found = run_tables(passes(stream, RULE, ENTRIES))

    assert_same(found, direct(stream, ENTRIES))


def test_counts_added_twice_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control of the comparison above."""
    stream = stream_of_arrays(*data(), block_rows=64)
    once = PairTally.add_rows

    def twice(self: PairTally, *given: Any) -> None:
        once(self, *given)
        once(self, *given)

    monkeypatch.setattr(PairTally, "add_rows", twice)
    found = run_tables(passes(stream, RULE, ENTRIES))

    with pytest.raises(AssertionError):
        assert_same(found, direct(stream, ENTRIES))


def test_a_rule_that_looks_at_the_block_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: sides by the place within the block."""
    stream = stream_of_arrays(*data(), block_rows=64)
    expected = direct(stream, ENTRIES)
    by_number = SideRule.train_mask
    monkeypatch.setattr(
        SideRule, "train_mask", lambda self, _first, n_rows: by_number(self, 0, n_rows)
    )

    found = run_tables(passes(stream, RULE, ENTRIES))

    with pytest.raises(AssertionError):
        assert_same(found, expected)


def test_a_stream_that_loses_its_last_block_is_refused() -> None:
    stream = forgetful(stream_of_arrays(*data(), block_rows=100, cuts=(700,)))

    with pytest.raises(DatasetError, match=r"made.parquet: it gave 1,100 rows instead of"):
        passes(stream, RULE, ENTRIES)


def test_blocks_out_of_order_are_refused() -> None:
    stream = stream_of_arrays(*data(), block_rows=100, cuts=(700,))

    with pytest.raises(DatasetError, match="row 700 follows row 0"):
        passes(replace(stream, fragments=stream.fragments[::-1]), RULE, ENTRIES)


@pytest.mark.slow
@pytest.mark.parametrize("block_rows", [1, 10, 333, 5000])
def test_our_parameters_are_those_of_one_fit_whatever_the_blocks(block_rows: int) -> None:
    X, y = data()
    train = RULE.train_mask(0, len(X))
    whole = GaussianNB().fit(X[train], y[train])

    found = passes(
        stream_of_arrays(X, y, block_rows=block_rows, cuts=(5, 1000)),
        RULE,
        implementations("sklearn", ["numpy"]),
    )

    (model,) = (one.model for one in found.models if one.name == "numpy")
    for name in ("theta_", "var_", "epsilon_", "class_prior_", "class_count_"):
        np.testing.assert_allclose(getattr(model, name), getattr(whole, name), rtol=1e-12)


def test_blocks_change_scikit_learn_s_variances_and_the_cause_is_named() -> None:
    stream = stream_of_arrays(*data(), block_rows=64)

    note = stream_note(passes(stream, RULE, ENTRIES), stream_n_features(stream))

    (cause,) = note["variance_causes"]
    assert (cause["own"], cause["reference"]) == ("own", "batch")
    assert cause["largest"] > 1e-6
    assert cause["left"] < 1e-12
    differences = {
        row["parameter"]: row["largest_relative_difference"] for row in note["parameters"]
    }
    assert differences["var_"] == cause["largest"]
    assert differences["theta_"] < 1e-12
    assert differences["class_prior_"] < 1e-15
    assert differences["epsilon_"] > 1e-3


def stream_n_features(stream: Stream) -> int:
    return len(stream.feature_names)


class WrongVariances(ScikitLearnGaussianNB):  # type: ignore[misc]  # scikit-learn has no types
    """Planted fault: variances off by a share, in no way a smoothing amount."""

    def partial_fit(self, *given: Any, **named: Any) -> "WrongVariances":
        """Learn, then raise every variance by a hundredth."""
        super().partial_fit(*given, **named)
        self.var_ *= 1.01
        return self


def test_a_difference_that_is_no_smoothing_is_given_no_cause() -> None:
    stream = stream_of_arrays(*data(), block_rows=64)

    found = passes(stream, RULE, implementations("numpy", [WrongVariances]))

    assert stream_note(found, stream_n_features(stream))["variance_causes"] == []


def test_one_block_leaves_nothing_to_explain() -> None:
    stream = stream_of_arrays(*data(), block_rows=5000)

    note = stream_note(passes(stream, RULE, ENTRIES), stream_n_features(stream))

    assert note["variance_causes"] == []


def test_float32_blocks_are_taken_in_as_doubles() -> None:
    X, y = data()
    narrow = X.astype(np.float32)

    found, wide = (
        run_tables(passes(stream_of_arrays(values, y), RULE, ENTRIES))
        for values in (narrow, narrow.astype(np.float64))
    )

    assert found["confusion"] == wide["confusion"]
    assert found["runs"] == wide["runs"]


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
        """Learn, or raise."""
        self._count("partial_fit")
        super().partial_fit(*given, **named)
        return self

    def predict(self, X: Any) -> Any:
        """Label, or raise."""
        self._count("predict")
        return super().predict(X)


@pytest.mark.parametrize("where", ["partial_fit", "predict"])
@pytest.mark.parametrize("as_reference", [False, True])
def test_what_breaks_is_a_record_and_changes_nobody_else_s(
    where: str, as_reference: bool
) -> None:
    stream = stream_of_arrays(*data(), block_rows=64)
    broken = implementation(Breaks(where))
    order = (broken, ENTRIES[1]) if as_reference else (ENTRIES[1], broken)

    found = run_tables(passes(stream, RULE, implementations(order[0], [order[1]])))

    rows = {row[1]: row for row in found["runs"]}
    assert rows["Breaks"][2:4] == ("error", "ArithmeticError: no more")
    assert set(rows["Breaks"][7:]) == {None}
    alone = run_tables(passes(stream, RULE, ENTRIES))
    assert rows["numpy"] == next(row for row in alone["runs"] if row[1] == "numpy")
    assert found["pairs"] == []
    assert {row[1] for row in found["confusion"]} == {"numpy"}
    timed = {row[0] for row in found["timings"] if row[1] == "Breaks"}
    assert timed == (set() if where == "partial_fit" else {"fit"})


def test_only_the_first_disagreements_are_kept_and_all_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = stream_of_arrays(*data(), block_rows=64)
    entries = implementations("sklearn", [ScikitLearnGaussianNB(priors=[0.999, 0.001])])
    whole = run_tables(passes(stream, RULE, entries))["disagreements"]
    monkeypatch.setattr("gnbbench.measurement.tallies.MOST_DISAGREEMENTS", 4)

    found = run_tables(passes(stream, RULE, entries))

    assert len(whole) > 4
    assert found["disagreements"] == whole[:4]
    assert found["pairs"][0][3] == len(whole)
    assert {row[2] for row in found["votes"]} == {row[2] for row in whole[:4]}


def test_rounds_are_complete_and_the_first_block_makes_none() -> None:
    stream = stream_of_arrays(*data(), block_rows=64)
    ticks = iter(range(10**9))

    found = passes(stream, RULE, ENTRIES, clock=lambda: 1000 * next(ticks))

    by_round: dict[tuple[str, int], list[Any]] = {}
    for operation, name, number, position, seconds in found.timings:
        by_round.setdefault((operation, number), []).append((position, name))
        assert seconds > 0.0
    assert {key[0] for key in by_round} == {"fit", "predict", "predict_proba"}
    n_blocks = math.ceil(len(data()[0]) / 64)
    assert {key[1] for key in by_round} == set(range(n_blocks - 1))
    for taken in by_round.values():
        assert sorted(place for place, _ in taken) == [0, 1, 2]
        assert {name for _, name in taken} == {"sklearn", "numpy", "reference again"}
    assert set(found.cold_seconds["fit"]) == {"sklearn", "numpy"}


def test_reading_is_timed_apart_from_calls() -> None:
    stream = stream_of_arrays(*data(), block_rows=64)

    found = passes(stream, RULE, ENTRIES)

    for one in found.seconds:
        assert one.reading_seconds > 0.0
        assert sum(one.own_seconds.values()) < one.seconds
    assert [one.n_rows for one in found.seconds] == [
        int(found.train.train_counts.sum()),
        found.test.labels["numpy"].n_rows,
    ]


def test_ranges_of_features_are_those_of_all_rows() -> None:
    X, y = data()

    rows = passes(stream_of_arrays(X, y), RULE, ENTRIES).train.ranges.rows(["x"] * 30)

    for place, row in enumerate(rows):
        column = X[:, place]
        assert (row["minimum"], row["maximum"]) == (column.min(), column.max())
        assert row["mean"] == pytest.approx(column.mean(), rel=1e-13)
        assert row["standard_deviation"] == pytest.approx(column.std(), rel=1e-12)


def test_an_error_while_reading_reaches_the_caller() -> None:
    stream = stream_of_arrays(*data(), block_rows=100)

    class Torn(ArrayFragment):  # type: ignore[misc]  # its types are checked where it is
        def batches(self) -> Iterator[Any]:
            yield from list(super().batches())[:2]
            raise DatasetError("made.parquet", "row 200 has no value", "Give it one.")

    (part,) = stream.fragments
    assert isinstance(part, ArrayFragment)

    with pytest.raises(DatasetError, match="row 200"):
        passes(replace(stream, fragments=(Torn(**vars(part)),)), RULE, ENTRIES)


def test_scores_merge_to_those_of_all_rows_in_any_order() -> None:
    stream = stream_of_arrays(*data(), block_rows=40, cuts=(300, 301, 900))
    whole = passes(stream, RULE, ENTRIES)
    models, sides = whole.models, streaming.Sides(RULE, stream.classes)
    merged = TestTally(["sklearn", "numpy"], "sklearn", 2)

    for part in stream.fragments[::-1]:
        rounds = BatchRounds(["sklearn", "numpy"], seed=0, n_rows=stream.n_rows)
        own = TestTally(["sklearn", "numpy"], "sklearn", 2)
        streaming.score_batches(
            part.batches(), sides, models, rounds, own, advance=lambda _rows: None
        )
        merged.merge(own)

    expected = run_tables(whole)
    whole.test = merged
    found = run_tables(whole)
    assert found["runs"] == expected["runs"]
    assert found["disagreements"] == expected["disagreements"]
    assert_same(found, expected)
