"""What a Python call cannot use: an error of ours, before anything is written.

What a command refuses too is asked of the command (`tests/cli/test_refusals.py`).
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults.streams import stream_of_arrays

import gnbbench
from gnbbench.conformance.battery import CHECKS
from gnbbench.errors import GnbBenchError
from gnbbench.implementations import Implementation
from gnbbench.implementations.catalogue import Library

ONE = CHECKS[0].id
X = np.arange(10.0).reshape(5, 2)
STREAM = stream_of_arrays(X, np.array([0, 1, 0, 1, 0]))
ABSENT = Implementation("absent", Library("absent", "", "", "no-such-distribution"))
MANY = ["iris", "wine"]


@pytest.mark.parametrize(
    ("function", "given", "options", "words"),
    [
        ("compare", ["iris"], {"budget_seconds": 0.0}, "budget_seconds: 0 s is out of"),
        ("compare", ["iris"], {"budget_seconds": float("nan")}, "budget_seconds: nan"),
        ("compare", ["iris"], {"precision": 0.0}, "precision: 0 % is out of range"),
        ("sweep_split", ["iris"], {"train_fractions": ()}, "train_fractions: there"),
        ("compare", ["iris", [1, 2, 3]], {}, "the dataset already has labels"),
        ("compare", [X, [0] * 5], {}, "one class"),
        ("compare", [X], {}, "the labels are missing"),
        ("compare", [[]], {}, "."),
        ("compare", [["iris", "missing.csv"]], {}, "missing.csv"),
        ("compare", [MANY], {"y": [1]}, "already have labels"),
        ("compare", [MANY], {"features": ("ash", "hue")}, "ash"),
        ("compare", [MANY], {"optional": ["nobody"]}, "nobody"),
        ("compare", [MANY], {"optional": ["mine.py:GNB"]}, "not in the catalogue"),
        ("compare", [X], {"stream": True}, "ndarray is not a path"),
        ("compare", [STREAM], {"stream": True, "target": "y"}, "the stream is open"),
        ("compare", ["a.npy", [0]], {"stream": True}, "a stream already has labels"),
        ("explain", ["iris"], {"against": "study-z"}, "Unknown implementation 'study-z'"),
        ("explain", ["iris"], {"against": []}, "nothing to compare"),
        ("examine_assumptions", [X, [1] * 5], {}, "has only one class"),
        ("examine_assumptions", [X, [0] * 4 + [1]], {}, "too few for a stratified split"),
        ("examine_assumptions", [np.eye(2500)[:4], [0, 0, 1, 1]], {}, "6,250,000 corr"),
        ("examine_conformance", [[]], {}, "nothing to examine"),
        ("examine_conformance", ["numpy"], {"only": f"{ONE}x"}, f"Did you mean '{ONE}'"),
        ("examine_conformance", [object()], {}, "has no fit"),
        ("examine_conformance", [ABSENT], {}, r"Not installed: absent \(no-such"),
    ],
)
def test_unusable_input_is_our_own_error_and_nothing_is_written(
    function: str, given: list[Any], options: dict[str, Any], words: str, tmp_path: Path
) -> None:
    with pytest.raises(GnbBenchError, match=words):
        getattr(gnbbench, function)(*given, out=tmp_path / "here", **options)

    assert not (tmp_path / "here").exists()


@pytest.mark.parametrize("locked", [True, False])
def test_python_without_its_lock_fails(
    locked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys._is_gil_enabled", lambda: locked, raising=False)

    words = "Unknown dataset 'irsi'" if locked else "Python: it runs without .*PYTHON_GIL"
    with pytest.raises(GnbBenchError, match=words):
        gnbbench.compare("irsi")
