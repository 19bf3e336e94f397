"""A real scheduler and two workers on this machine give the records of one process."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from faults.clusters import Cluster, loopback_cluster
from sklearn.datasets import load_wine

from gnbbench.errors import OptionError
from gnbbench.implementations import implementations
from gnbbench.measurement.split_rules import Sample, SplitRule
from gnbbench.studies.dask_cluster import dask_cluster
from gnbbench.studies.runner import batches, evaluated

pytest.importorskip("distributed", reason="Dask is not installed")

X, y = load_wine(return_X_y=True)
SAMPLE = Sample(X, y, np.arange(3), y)
RULE = SplitRule(seed=0, test_size=0.3)
ENTRIES = implementations("sklearn", ["numpy"])


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """Start a scheduler and two worker processes; end them by their ids."""
    with loopback_cluster(tmp_path) as found:
        yield found


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Dask and Tornado warn of their own workings
def test_a_cluster_that_loses_a_worker_gives_the_records_of_one_process(
    cluster: Cluster,
) -> None:
    work = batches(0, RULE, range(600), n_values=1)

    found = []
    for number, (_, tables) in enumerate(
        evaluated(SAMPLE, ENTRIES, work, dask=cluster.address)
    ):
        found += tables["runs"]
        if number == 3:
            cluster.workers[0].kill()

    alone = [
        row
        for _, tables in evaluated(SAMPLE, ENTRIES, work, jobs=1)
        for row in tables["runs"]
    ]
    assert sorted(found) == sorted(alone)
    assert cluster.workers[0].wait(timeout=10) != 0


@pytest.mark.parametrize("address", ["nonsense://x", "not an address at all:"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with (
        pytest.raises(OptionError, match="--dask: no scheduler answers"),
        dask_cluster(address),
    ):
        pass


def test_an_address_that_is_none_is_refused_before_anything_is_measured() -> None:
    work = batches(0, RULE, range(3), n_values=1)

    with pytest.raises(OptionError, match="no scheduler answers"):
        next(evaluated(SAMPLE, ENTRIES, work, dask="nonsense://x"))
