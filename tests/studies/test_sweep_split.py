"""A sweep is one comparison at each train fraction; what cannot be split is recorded."""

import numpy as np
import pytest
from faults.studies import sweep_prepared
from sklearn.model_selection import train_test_split

from gnbbench.data.dataset import Dataset
from gnbbench.data.loading import load
from gnbbench.errors import OptionError
from gnbbench.implementations import implementation
from gnbbench.progress import Silence
from gnbbench.records import Records
from gnbbench.studies.compare import PreparedSweep, SweepSplit, sweep_records
from gnbbench.studies.store import Store
from gnbbench.studies.study import settle


def settled(dataset: Dataset, *fractions: float, runs: int = 4) -> PreparedSweep:
    prepared: PreparedSweep = sweep_prepared(
        dataset,
        against=["numpy", "density-product"],
        runs=runs,
        train_fractions=fractions,
        jobs=1,
        budget_seconds=0.01,
    )
    return prepared


def measured(made: PreparedSweep) -> dict[float, Records]:
    with Store() as store:
        settle(store, made, "")
        SweepSplit().measure(made, store, Silence())
        return sweep_records(store)


@pytest.mark.slow
def test_each_fraction_has_the_runs_of_its_own_splits() -> None:
    dataset = load("wine")

    measurement = measured(settled(dataset, 0.2, 0.5))

    for fraction, records in measurement.items():
        runs = records.runs.query("implementation == 'sklearn'")
        assert runs["run"].tolist() == [0, 1, 2, 3]
        train, test = train_test_split(
            np.arange(178), train_size=fraction, random_state=42, stratify=dataset.y
        )
        assert (runs["n_train"] == len(train)).all()
        assert (runs["n_test"] == len(test)).all()
        own = implementation("sklearn").make().fit(dataset.X[train], dataset.y[train])
        assert runs["test_accuracy"].iloc[0] == own.score(dataset.X[test], dataset.y[test])


def test_times_are_taken_once_at_the_fraction_nearest_to_compare_s() -> None:
    measurement = measured(settled(load("wine"), 0.2, 0.6, 0.9, runs=1))

    timed = [not records.timings.empty for records in measurement.values()]
    noted = [records.timing_notes is not None for records in measurement.values()]
    assert timed == noted == [False, True, False]


def test_no_split_at_any_fraction_is_refused() -> None:
    with pytest.raises(OptionError, match="there is no split at any of them"):
        settled(load("wine"), 0.001, 0.002)


def test_regions_equal_those_of_models_fitted_at_three_fractions() -> None:
    """Negative control: at other fractions there are none, and maps differ."""
    dataset = load("wine")
    made = settled(dataset, 0.01, 0.2, 0.3, 0.4, 0.8, runs=1)

    found = {at: one.decision_regions for at, one in measured(made).items()}

    assert [at for at, regions in found.items() if regions] == [0.2, 0.4, 0.8]
    for at in (0.2, 0.4, 0.8):
        sides = {"train_size": at, "random_state": 42, "stratify": dataset.y}
        _, test = train_test_split(np.arange(178), **sides)
        regions = found[at]
        assert regions is not None
        assert regions["rows"] == test.tolist()
    codes = [np.array(found[at]["codes"]["sklearn"]) for at in (0.2, 0.8)]  # type: ignore[index]  # they are there
    assert (codes[0] != codes[1]).any()
