"""Where commands are typed."""

from pathlib import Path

import numpy as np
import pytest

PLUG_INS = """
from sklearn.naive_bayes import GaussianNB

class Refuses(GaussianNB):
    def predict(self, X):
        raise RuntimeError("no")

class Small:
    def fit(self, X, y):
        if len(X) > 300:
            raise MemoryError("no room")
        self.means = [X[y == k].mean(axis=0) for k in (0, 1)]
        return self
    def predict(self, X):
        return 0 * X.sum(axis=1).astype(int)
"""
ROWS = "".join(f"{'FM'[i % 2]},{i % 7}.5,{i * i % 11},{5 + i % 11}\n" for i in range(40))
STUDY = 'study = "compare"\n[dataset]\nname = "iris"\n[options]\nruns = 3\n'


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a directory that holds samples, implementations and a study's file."""
    work = tmp_path / "work"
    work.mkdir()
    (work / "data.csv").write_text("sex,size,width,G3\n" + ROWS)
    np.save(work / "X.npy", np.zeros((4, 2)))
    (work / "mine.py").write_text(PLUG_INS)
    (work / "a.toml").write_text(STUDY)
    (work / "site").mkdir()
    (work / "site" / "index.html").write_text("mine")
    monkeypatch.chdir(work)
    return work


@pytest.fixture(scope="module", autouse=True)
def no_pictures(unpainted: None) -> None:
    """Leave the pictures of reports empty."""
