"""Files to load, written for a test or real ones; small data in every streamed format."""

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from faults.repositories import Repositories, standing_in
from numpy.typing import NDArray

from gnbbench.data.dataset import Dataset, from_arrays
from gnbbench.data.loading import load
from gnbbench.data.stream import RowBatch

SHARED_DATA = Path(__file__).parents[3] / "shared" / "data"

Complaints = Callable[[Iterable[RowBatch], Dataset, int], list[str]]


@pytest.fixture(scope="module", autouse=True)
def _texts(texts_as_usual: None) -> None:
    """Read texts as users have them read."""


@pytest.fixture
def shared_data() -> Path:
    if not SHARED_DATA.is_dir():
        pytest.skip(f"the folder of real data sets is not at {SHARED_DATA}")
    return SHARED_DATA


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes text or bytes to a file and returns its path."""

    def writer(content: str | bytes, name: str = "data.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return writer


@pytest.fixture
def repositories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Repositories]:
    """Serve made datasets in place of OpenML and UCI; copies are kept in ``cache``."""
    with standing_in(monkeypatch, tmp_path / "cache") as server:
        yield server


@dataclass(frozen=True)
class Stored:
    """A file, the options that open it, and the dataset that it holds."""

    path: Path
    options: dict[str, Any]
    dataset: Dataset


def complaints(batches: Iterable[RowBatch], dataset: Dataset, block_rows: int) -> list[str]:
    """Return what is wrong with batches that should be all rows of a dataset, in order."""
    found = []
    row = 0
    for batch in batches:
        stop = row + len(batch.codes)
        if batch.first_row != row:
            found.append(f"a batch starts at row {batch.first_row}, not {row}")
        if not 0 < len(batch.codes) <= block_rows:
            found.append(f"a batch has {len(batch.codes)} rows, not 1 to {block_rows}")
        if not batch.X.flags.c_contiguous:
            found.append(f"the batch at row {row} is not C-contiguous")
        if not np.array_equal(batch.X, dataset.X[row:stop]):
            found.append(f"values differ in rows {row} to {stop}")
        if not np.array_equal(batch.codes, dataset.codes[row:stop]):
            found.append(f"labels differ in rows {row} to {stop}")
        row = stop
    if row != len(dataset.X):
        found.append(f"{row} rows, not {len(dataset.X)}")
    return found


@pytest.fixture(name="complaints")
def complaints_fixture() -> Complaints:
    return complaints


@pytest.fixture(params=["pyarrow", "pandas"])
def either_reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have text cut by pyarrow, and by pandas, as where pyarrow is not installed."""
    if request.param == "pandas":
        monkeypatch.setitem(sys.modules, "pyarrow.csv", None)


def _frame(n_rows: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.normal(size=(n_rows, 3)).round(6), columns=["a", "b", "c d"])
    frame["whole"] = rng.integers(-5, 5, n_rows)
    frame["kind"] = rng.permutation(np.resize(["no", "yes", "maybe, so"], n_rows))
    return frame


@pytest.fixture
def frame() -> pd.DataFrame:
    return _frame()


def _npy(folder: Path, X: NDArray[Any], y: NDArray[Any]) -> tuple[Path, Path]:
    paths = folder / "X.npy", folder / "y.npy"
    for path, values in zip(paths, (X, y), strict=True):
        np.save(path, values)
    return paths


@pytest.fixture(params=["csv", "tsv", "parquet", "directory", "hive", "npy", "column"])
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Stored:
    """Return the same small data in each format."""
    frame = _frame()
    features = frame.drop(columns="kind")
    options: dict[str, Any] = {"target": "kind"}
    if request.param in {"csv", "tsv"}:
        path = tmp_path / f"data.{request.param}"
        frame.to_csv(path, index=False, sep="\t" if request.param == "tsv" else ",")
        return Stored(path, options, load(path, **options))
    if request.param in {"npy", "column"}:
        path, labels = _npy(tmp_path, features.to_numpy(), frame["kind"].to_numpy(str))
        dataset = from_arrays(features.to_numpy(), frame["kind"])
        if request.param == "npy":
            return Stored(path, {"target": str(labels)}, dataset)
        dataset = from_arrays(features.iloc[:, :3].to_numpy(), features["whole"])
        return Stored(path, {"target": "-1"}, dataset)
    pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
    path = tmp_path / "data.parquet"
    if request.param == "parquet":
        frame.to_parquet(path, row_group_size=11, index=False)
        return Stored(path, options, from_arrays(features, frame["kind"]))
    path.mkdir()
    if request.param == "directory":
        for number in range(4):
            part = frame.iloc[15 * number : 15 * number + 15]
            part.to_parquet(path / f"part-{number}.parquet", row_group_size=6, index=False)
        return Stored(path, options, from_arrays(features, frame["kind"]))
    pieces = sorted(frame.groupby("kind"))
    for number, (kind, piece) in enumerate(pieces):
        inside = path / f"kind={kind}".replace(" ", "%20") / f"{number}.parquet"
        inside.parent.mkdir()
        piece.drop(columns="kind").to_parquet(inside, index=False)
    joined = pd.concat([piece for _, piece in pieces])
    return Stored(path, options, from_arrays(joined.drop(columns="kind"), joined["kind"]))
