"""A real scheduler and two workers on this machine give the records of one process."""

import os
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults.clusters import Cluster, loopback_cluster
from faults.streams import HiddenFragment, SlowFragment, stream_of_arrays
from faults.studies import stream_prepared
from sklearn.datasets import load_breast_cancer, load_wine

from gnbbench.core import GaussianNB
from gnbbench.data.stream import Stream
from gnbbench.errors import DatasetError, OptionError
from gnbbench.implementations import implementations
from gnbbench.measurement import streaming
from gnbbench.measurement.batches import batches, evaluated
from gnbbench.measurement.streaming import Checkpoint, StreamResult, passes, run_tables
from gnbbench.processes.dask_cluster import ClusterWarning
from gnbbench.splits import Sample, SideRule, SplitRule
from gnbbench.studies import stream_on_dask

X, y = load_breast_cancer(return_X_y=True)
RULE = SideRule(seed=3, test_size=0.4)
ENTRIES = implementations("sklearn", ["numpy"])
CUTS = {
    "one part": (),
    "two parts": (300,),
    "uneven": (1, 2, 40, 41, 500),
    "many": tuple(range(20, 560, 20)),
}


def whole() -> GaussianNB:
    """Return our model of all train rows at once."""
    train = RULE.train_mask(0, len(X))
    return GaussianNB().fit(X[train], y[train])


def assert_equal_parameters(found: Any, expected: GaussianNB) -> None:
    """Fail unless all parameters are equal to 1e-12."""
    for name in ("theta_", "var_", "epsilon_", "class_prior_", "class_count_"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), 1e-12)


def learned(stream: Stream, part: Any) -> list[StreamResult]:
    """Return what our implementation learns of each batch of one part."""
    empty = StreamResult.of(stream, RULE, [ENTRIES[1]])
    return stream_on_dask.read_part("training", empty, 0, part)


@pytest.mark.parametrize("cuts", CUTS.values(), ids=CUTS)
def test_batches_learned_alone_and_merged_give_every_bit(cuts: tuple[int, ...]) -> None:
    stream = stream_of_arrays(X, y, block_rows=37, cuts=cuts)
    total = StreamResult.of(stream, RULE, [ENTRIES[1]])

    for part in stream.fragments:
        for found in learned(stream, part):
            total.merge(found)

    alone = passes(stream, RULE, [ENTRIES[1]])
    for name in ("theta_", "var_", "epsilon_", "class_prior_", "class_count_"):
        expected = getattr(alone.models[0].model, name)
        np.testing.assert_array_equal(getattr(total.models[0].model, name), expected)
    names = stream.feature_names
    assert total.ranges.rows(names) == alone.ranges.rows(names)
    assert total.n_rows == len(X)
    assert_equal_parameters(total.models[0].model, whole())


@pytest.mark.parametrize("most_bytes", [0, 2**20])
def test_models_follow_the_parts_as_in_one_process(most_bytes: int) -> None:
    stream = stream_of_arrays(X, y, block_rows=37, cuts=CUTS["uneven"])
    empty, following = (StreamResult.of(stream, RULE, [entry]) for entry in ENTRIES[::-1])

    for part in stream.fragments:
        _, kept = stream_on_dask.read_and_keep_part("training", empty, 0, part, most_bytes)
        following = stream_on_dask.learn_kept_part(following, kept, part)
        assert bool(kept) == bool(most_bytes)

    alone = passes(stream, RULE, ENTRIES[:1])
    for name in ("theta_", "var_", "epsilon_"):
        expected = getattr(alone.models[0].model, name)
        np.testing.assert_array_equal(getattr(following.models[0].model, name), expected)
    assert following.n_rows == len(X)


@pytest.mark.slow  # Imports dask-ml
def test_each_way_of_learning_is_reported() -> None:
    pytest.importorskip("dask_ml", reason="dask-ml is not installed")
    entries = implementations("sklearn", ["numpy", "dask-ml"])

    ways = [stream_on_dask.way_to_learn(entry.make()) for entry in entries]
    assert ways == ["stream", "merge", "arrays"]
    assert stream_on_dask.dask_remarks(entries) == [
        "On Dask numpy learned from each part separately, and the models were merged.",
        "On Dask sklearn learned from one part after the other, on one worker at a time.",
        "On Dask dask-ml learned from Dask arrays, one chunk a part.",
    ]


def test_an_address_that_is_none_is_refused_before_the_data_are_opened() -> None:
    pytest.importorskip("distributed", reason="Dask is not installed")

    with pytest.raises(OptionError, match="--dask: no scheduler answers"):
        stream_prepared("missing.parquet", target="y", dask="nonsense://x")


def test_a_part_that_is_merged_twice_is_found() -> None:
    """Negative control of the comparison above."""
    stream = stream_of_arrays(X, y, cuts=(300,))
    total = StreamResult.of(stream, RULE, [ENTRIES[1]])
    for part in (*stream.fragments, stream.fragments[0]):
        for found in learned(stream, part):
            total.merge(found)

    with pytest.raises(AssertionError):
        assert_equal_parameters(total.models[0].model, whole())


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Give a cluster on this machine, of which each test ends a worker of its own."""
    pytest.importorskip("distributed", reason="Dask is not installed")
    with loopback_cluster(tmp_path_factory.mktemp("cluster"), n_workers=3) as found:
        yield found


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Dask and Tornado warn of their own workings
def test_a_cluster_that_loses_a_worker_has_records_of_one_process(
    cluster: Cluster, tmp_path: Path
) -> None:
    pytest.importorskip("dask_ml", reason="dask-ml is not installed")
    stream = stream_of_arrays(X, y, block_rows=60, cuts=tuple(range(60, 560, 60)))
    (tmp_path / "read").mkdir()
    slow = [
        SlowFragment(**vars(p), folder=str(tmp_path / "read")) for p in stream.fragments
    ]

    hidden = tuple(HiddenFragment(**vars(p), owner=os.getpid()) for p in stream.fragments)

    with pytest.raises(DatasetError, match="does not see the same data"):
        stream_on_dask.passes_on_dask(
            replace(stream, fragments=hidden), RULE, ENTRIES, cluster.address
        )

    def end_one() -> None:
        read = tmp_path / "read"
        at_one = read / f"by {cluster.workers[0].pid}"
        while len(list(read.glob("*-*"))) < 5 or not at_one.exists():
            time.sleep(0.01)
        cluster.workers[0].kill()

    killer = threading.Thread(target=end_one)
    killer.start()
    with (
        pytest.warns(ClusterWarning, match="done again, because a worker was lost"),
        pytest.warns(ClusterWarning, match="sklearn cannot be merged"),
    ):
        result = stream_on_dask.passes_on_dask(
            replace(stream, fragments=tuple(slow)),
            RULE,
            implementations("sklearn", ["numpy", "dask-ml"]),
            cluster.address,
        )
    killer.join(timeout=10)
    assert cluster.workers[0].wait(timeout=10) != 0
    saved = interrupted_in_scoring(stream, cluster.address)
    gone_on = [
        stream_on_dask.passes_on_dask(
            stream, RULE, ENTRIES, cluster.address, checkpoint=Checkpoint(saved)
        ),
        passes(stream, RULE, ENTRIES, checkpoint=Checkpoint(saved)),
    ]

    for continued in gone_on:
        assert continued.n_interruptions == 1
        assert_same_records(continued, passes(stream, RULE, ENTRIES))
    assert_equal_parameters(model_of(result, "numpy"), whole())
    alone = passes(stream, RULE, ENTRIES)
    assert_same_records(result, alone)
    by_name = {row[1]: row for row in run_tables(result)["runs"]}
    assert by_name["dask-ml"][2] == "ok"
    assert result.timings == []
    for stage in ("training", "scoring"):
        rows = [row for row in result.passes if row["stage"] == stage]
        assert rows[0]["what"] == "reading"
        assert rows[0]["rows"] == len(X)
        assert rows[0]["seconds"] > 0.5
        assert {row["implementation"] for row in rows} == {"", *by_name}


def interrupted_in_scoring(stream: Stream, address: str) -> bytes:
    """Return what is saved of passes on a cluster after some parts were scored."""
    saved: list[bytes] = []
    left = [len(X) + 200]

    def advance(n_rows: int) -> None:
        left[0] -= n_rows
        if left[0] < 0:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streaming, "SAVE_SECONDS", 0.0)
        patch.setattr(streaming, "SAVE_SHARE", 0)
        keeper = Checkpoint(write=saved.append)
        with pytest.raises(KeyboardInterrupt):
            stream_on_dask.passes_on_dask(
                stream, RULE, ENTRIES, address, advance=advance, checkpoint=keeper
            )
    assert keeper.n_rows < len(X)
    return saved[-1]


def model_of(result: StreamResult, name: str) -> Any:
    """Return the trained model of an implementation."""
    return next(one.model for one in result.models if one.name == name)


def assert_same_records(result: StreamResult, expected: StreamResult) -> None:
    """Fail unless scikit-learn's and our records are those of one process."""
    own, other = run_tables(result), run_tables(expected)
    names = {"sklearn", "numpy"}
    for table in ("runs", "confusion", "reliability", "pairs", "label_pairs"):
        rows = [row for row in own[table] if row[1] in names]
        assert len(rows) == len(other[table]) > 0
        for row, another in zip(rows, other[table], strict=True):
            for value, known in zip(row, another, strict=True):
                assert value == known
    kept = [row for row in own["disagreements"] if row[1] in names]
    assert [row[:6] for row in kept] == [row[:6] for row in other["disagreements"]]


WINE = load_wine(return_X_y=True)
SAMPLE = Sample(WINE[0], WINE[1], np.arange(3), WINE[1])
SPLIT_RULE = SplitRule(seed=0, test_size=0.3)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Dask and Tornado warn of their own workings
def test_runs_where_a_worker_is_lost_equal_those_of_one_process(cluster: Cluster) -> None:
    work = batches(0, SPLIT_RULE, range(600), n_values=1)

    found = []
    done = evaluated(SAMPLE, ENTRIES, work, dask=cluster.address)
    for number, (_, tables) in enumerate(done):
        found += tables["runs"]
        if number == 3:
            cluster.workers[1].kill()
    assert cluster.workers[1].wait(timeout=10) != 0

    alone = evaluated(SAMPLE, ENTRIES, work, jobs=1)
    assert sorted(found) == sorted(row for _, tables in alone for row in tables["runs"])
