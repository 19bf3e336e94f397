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


def larger_variances(model: GaussianNB) -> None:
    model.var_ = model.var_ * (1.0 + 1e-15)


def other_epsilon(model: GaussianNB) -> None:
    model.epsilon_ = np.nextafter(model.epsilon_, 1.0)


def narrow_means(model: GaussianNB) -> None:
    model.theta_ = model.theta_.astype(np.float32)


def swapped_means(model: GaussianNB) -> None:
    model.theta_ = model.theta_[::-1].copy()


def boxed_classes(model: GaussianNB) -> None:
    model.classes_ = model.classes_.astype(object)


@pytest.mark.parametrize(
    "fault", [larger_variances, other_epsilon, narrow_means, swapped_means, boxed_classes]
)
def test_planted_faults_are_found(
    fault: Callable[[GaussianNB], None], monkeypatch: pytest.MonkeyPatch
) -> None:

    def faulty(case: Any) -> GaussianNB:
        model = ours_of(case)
        fault(model)
        return model

    ours_of = fuzz_core.ours_of
    monkeypatch.setattr(fuzz_core, "ours_of", faulty)

    assert any(faults(seed, Counter()) for seed in range(12))
