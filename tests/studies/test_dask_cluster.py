"""A real scheduler and two workers on this machine give the records of one process."""

from pathlib import Path

import numpy as np
import pytest
from faults.clusters import loopback_cluster
from sklearn.datasets import load_wine

from gnbbench.errors import OptionError
from gnbbench.implementations import implementations
from gnbbench.measurement.split_rules import Sample, SplitRule
from gnbbench.studies.runner import batches, evaluated

pytest.importorskip("distributed", reason="Dask is not installed")

X, y = load_wine(return_X_y=True)
SAMPLE = Sample(X, y, np.arange(3), y)
RULE = SplitRule(seed=0, test_size=0.3)
ENTRIES = implementations("sklearn", ["numpy"])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Dask and Tornado warn of their own workings
def test_a_cluster_that_loses_a_worker_gives_the_records_of_one_process(
    tmp_path: Path,
) -> None:
    work = batches(0, RULE, range(600), n_values=1)

    found = []
    with loopback_cluster(tmp_path) as cluster:
        done = evaluated(SAMPLE, ENTRIES, work, dask=cluster.address)
        for number, (_, tables) in enumerate(done):
            found += tables["runs"]
            if number == 3:
                cluster.workers[0].kill()
        assert cluster.workers[0].wait(timeout=10) != 0

    alone = evaluated(SAMPLE, ENTRIES, work, jobs=1)
    assert sorted(found) == sorted(row for _, tables in alone for row in tables["runs"])


@pytest.mark.parametrize("address", ["nonsense://x", "not an address at all:"])
def test_an_address_that_is_none_is_refused_before_anything_is_measured(
    address: str,
) -> None:
    work = batches(0, RULE, range(3), n_values=1)

    with pytest.raises(OptionError, match="--dask: no scheduler answers"):
        next(evaluated(SAMPLE, ENTRIES, work, dask=address))
