"""Samples have the sizes asked for and every class, and their memory is foreseen."""

from pathlib import Path

import numpy as np
import pytest

from gnbbench.data.gaussians import gaussians
from gnbbench.measurement.scale import (
    available_bytes,
    needed_bytes,
    scale_samples,
)


@pytest.mark.parametrize("sizes", [(4, 1, 2), (100, 3, 2), (128, 2, 64), (1000, 5, 64)])
def test_sides_are_equally_large_and_every_class_is_trained_on(
    sizes: tuple[int, int, int],
) -> None:
    n, d, k = sizes

    drawn = scale_samples(n, d, k, seed=3)

    assert drawn.X_train.shape == drawn.X_test.shape == (n, d)
    assert drawn.X_train.dtype == np.float64
    assert drawn.X_train.flags.c_contiguous
    assert drawn.X_test.flags.c_contiguous
    assert np.bincount(drawn.y_train, minlength=k).min() >= 2
    rows = np.concatenate([drawn.X_train, drawn.X_test])
    assert len(np.unique(rows, axis=0)) == 2 * n


def test_they_are_the_draws_of_the_dataset() -> None:
    drawn = scale_samples(500, 4, 3, seed=7)

    source = gaussians(n_samples=1000, n_features=4, n_classes=3, seed=7)
    np.testing.assert_array_equal(drawn.X_train, source.X[:500])
    np.testing.assert_array_equal(drawn.y_train, source.y[:500])
    np.testing.assert_array_equal(drawn.X_test, source.X[500:])


def test_the_estimate_grows_with_each_size() -> None:
    sizes = [(10, 10, 10), (20, 10, 10), (20, 20, 10), (20, 20, 20)]

    needed = [needed_bytes(*one) for one in sizes]

    assert needed == sorted(set(needed))
    assert needed[0] > 8 * 10 * (2 * 10)


def test_the_lower_of_machine_and_group_counts(tmp_path: Path) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal: 9 kB\nMemAvailable:    2048 kB\n")
    group = tmp_path / "group"
    group.mkdir()
    (group / "memory.max").write_text("1000000\n")
    (group / "memory.current").write_text("400000\n")

    assert available_bytes(meminfo, tmp_path / "none") == 2048 * 1024
    assert available_bytes(meminfo, group) == 600_000
    (group / "memory.max").write_text("max\n")
    assert available_bytes(meminfo, group) == 2048 * 1024
    assert available_bytes(tmp_path / "none", tmp_path / "none") is None
