"""Files to load: written for a test, or real ones beside the checkout."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from faults.repositories import Repositories, standing_in

SHARED_DATA = Path(__file__).parents[3] / "shared" / "data"


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
