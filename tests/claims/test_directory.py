"""Where the tables of claims are found."""

from pathlib import Path

import pytest

from gnbbench.claims import table as directory
from gnbbench.claims.table import usual_directory
from gnbbench.errors import ConfigurationError


class Listed:
    """A file as the metadata of an installed package list it."""

    def __init__(self, root: Path, name: str) -> None:
        self._root, self._name = root, name

    def as_posix(self) -> str:
        return self._name

    def locate(self) -> Path:
        return self._root / self._name


def test_a_checkout_has_its_tables() -> None:
    assert (usual_directory() / "study-a.toml").is_file()


def test_without_a_checkout_they_are_where_pip_has_put_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["gnbbench/errors.py", "share/gnbbench/claims/study-a.toml"]
    listed = [Listed(tmp_path, name) for name in names]
    monkeypatch.setattr(directory, "files", lambda _: listed)

    assert usual_directory(tmp_path / "elsewhere") == tmp_path / "share/gnbbench/claims"


def test_it_is_told_where_they_are_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(directory, "files", lambda _: None)

    with pytest.raises(ConfigurationError, match="--claims DIR"):
        usual_directory(tmp_path)
