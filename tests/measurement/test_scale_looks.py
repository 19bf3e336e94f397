"""A look says what an implementation did, whatever it did."""

import warnings
from typing import Any

import numpy as np

from gnbbench.implementations import Implementation, implementation
from gnbbench.measurement.scale import disagreements, look, scale_samples
from gnbbench.processes.failures import CallTimeout

SAMPLES = scale_samples(200, 3, 2, seed=0)


class Model:
    """One that gives every row the same label, or raises."""

    def __init__(self, raised: Exception | None = None, warned: str = "") -> None:
        self.raised, self.warned = raised, warned

    def fit(self, X: Any, y: Any) -> "Model":  # noqa: ARG002
        if self.raised is not None:
            raise self.raised
        if self.warned:
            warnings.warn(self.warned, stacklevel=1)
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X), dtype=int)


def test_labels_of_both_are_compared_row_by_row() -> None:
    entries = [implementation(name) for name in ("sklearn", "numpy")]
    entries.append(Implementation("constant", Model))

    looks = [look(entry, SAMPLES, 2) for entry in entries]

    wrong = int((looks[0].labels != 0).sum()) if looks[0].labels is not None else 0
    assert disagreements(looks) == {"numpy": 0, "constant": wrong}
    assert wrong > 50
    assert all(one.status == "ok" and one.seconds > 0 for one in looks)


def test_a_failure_has_its_status_and_no_time() -> None:
    def make(error: Exception) -> Implementation:
        return Implementation("bad", lambda: Model(error))

    error = look(make(ValueError("no luck")), SAMPLES, 2)
    late = look(make(CallTimeout("fit", 2.0)), SAMPLES, 2)

    assert (error.status, error.message) == ("error", "ValueError: no luck")
    assert (late.status, late.message) == ("timeout", "fit did not answer within 2 s")
    assert np.isnan(error.seconds)
    assert error.disagreements(look(implementation("numpy"), SAMPLES, 2)) is None


def test_warnings_are_kept_and_not_sprayed() -> None:
    found = look(Implementation("loud", lambda: Model(warned="mind\nthe gap")), SAMPLES, 2)

    assert (found.status, found.message) == ("ok", "warned: mind the gap")
