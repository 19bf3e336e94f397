"""The same numbers laid out otherwise in memory."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from gnbbench.conformance.contract import FloatArray, Make, fitted
from gnbbench.conformance.evidence import ROUNDING, alike
from gnbbench.conformance.problems import blobs
from gnbbench.conformance.result import Check, Finding

LAYOUT = "values alone count; other layouts may sum in another order (Higham 2002)"
Layout = Callable[[FloatArray], Any]


def _laid_out(make: Make, *, layout: Layout) -> Finding:
    """Train, and predict, in the layout; compare with plain C-contiguous arrays."""
    problem = blobs()
    plain = fitted(make, problem.X, problem.y)
    model = fitted(make, layout(problem.X), problem.y)
    trained = alike(model, plain, problem.X_test, problem.y)
    asked = layout(problem.X_test)
    changed = int((np.asarray(plain.predict(asked)) != problem.labels).sum())
    if changed:
        message = f"{changed} labels of such samples wrong"
        return Finding(trained.measured, holds=False, message=message)
    return trained


def _fortran(X: FloatArray) -> FloatArray:
    return np.asfortranarray(X)


def _read_only(X: FloatArray) -> FloatArray:
    frozen = X.copy()
    frozen.flags.writeable = False
    return frozen


def _strided(X: FloatArray) -> FloatArray:
    """Every other row and column of a larger array, backwards."""
    wide = np.full((2 * len(X), 2 * X.shape[1]), np.nan)
    view = wide[::-2, ::-2]
    view[...] = X
    return view


def _lists(X: FloatArray) -> list[list[float]]:
    return X.tolist()  # type: ignore[no-any-return]  # typed as Any for any dimension


def _memory_mapped(make: Make) -> Finding:
    with TemporaryDirectory() as directory:
        layout = partial(_on_disk, directory=Path(directory))
        return _laid_out(make, layout=layout)


def _on_disk(X: FloatArray, *, directory: Path) -> FloatArray:
    path = directory / f"{len(list(directory.iterdir()))}.npy"
    np.save(path, X)
    mapped: FloatArray = np.load(path, mmap_mode="r")
    return mapped


def _check(name: str, what: str, examine: Callable[[Make], Finding]) -> Check:
    statement = f"{what} give the model and the labels of a plain array."
    return Check(name, "memory", statement, ROUNDING, "difference", LAYOUT, examine)


CHECKS = (
    _check("fortran-order", "Arrays in Fortran order", partial(_laid_out, layout=_fortran)),
    _check("read-only", "Read-only arrays", partial(_laid_out, layout=_read_only)),
    _check("non-contiguous", "Strided views", partial(_laid_out, layout=_strided)),
    _check("memory-mapped", "Memory-mapped files", _memory_mapped),
    _check("lists", "Lists of lists", partial(_laid_out, layout=_lists)),
)
