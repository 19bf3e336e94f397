"""What tests of several studies compare."""

from collections.abc import Callable

import pandas as pd
import pytest

from gnbbench.records import TABLES
from gnbbench.studies.store import Store

Compare = Callable[[Store, Store, int], None]


@pytest.fixture(scope="session")
def assert_same_records() -> Compare:
    """Return a function that fails unless two stores have the same rows, bit for bit."""

    def compare(found: Store, expected: Store, n_points: int) -> None:
        for point in range(n_points):
            assert found.finished_runs(point) == expected.finished_runs(point)
            own, others = found.records(point), expected.records(point)
            for name in TABLES:
                pd.testing.assert_frame_equal(
                    getattr(own, name), getattr(others, name), check_exact=True, obj=name
                )

    return compare


@pytest.fixture(scope="module", autouse=True)
def no_pictures(unpainted: None) -> None:
    """Leave the figures of reports empty, except in ``test_every_kind.py``."""
