"""A small share of what ``make fuzz`` runs, and proof that it would find faults."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import fuzz_core
import numpy as np
import pytest
from fuzz_core import DEVIATIONS, KINDS, faults

from gnbbench import GaussianNB

CASES = 120


def test_cases_of_every_kind_have_scikit_learn_s_bits_or_deviate_by_name() -> None:
    deviations: Counter[str] = Counter()

    found = {seed: faults(seed, deviations) for seed in range(CASES)}

    assert {seed: faulty for seed, faulty in found.items() if faulty} == {}
    assert set(deviations) <= set(DEVIATIONS)
    assert deviations["partial_fit"] > 5
    assert len(KINDS) >= 14


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("var_", lambda var: var * (1.0 + 1e-15)),
        ("epsilon_", lambda epsilon: np.nextafter(epsilon, 1.0)),
        ("theta_", lambda theta: theta.astype(np.float32)),
        ("theta_", lambda theta: theta[::-1].copy()),
        ("classes_", lambda classes: classes.astype(object)),
    ],
)
def test_planted_faults_are_found(
    name: str, changed: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:

    def faulty(case: Any) -> GaussianNB:
        model = ours_of(case)
        setattr(model, name, changed(getattr(model, name)))
        return model

    ours_of = fuzz_core.ours_of
    monkeypatch.setattr(fuzz_core, "ours_of", faulty)

    assert any(faults(seed, Counter()) for seed in range(12))
