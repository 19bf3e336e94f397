import pytest

from gnbbench.statistics.intervals import Estimate
from gnbbench.statistics.metrics import outcome

NAN = float("nan")


@pytest.mark.parametrize(
    ("mean", "error", "p", "expected"),
    [
        (0.000, 0.001, 0.9, "equivalent"),
        (0.005, 0.001, 0.0001, "equivalent"),  # real, but within the margin
        (0.050, 0.001, 0.0001, "different"),
        (-0.05, 0.001, 0.0001, "different"),
        (0.005, 0.010, 0.6, "cannot tell"),
        (0.050, 0.020, 0.06, "cannot tell"),
        (0.020, 0.000, NAN, "cannot tell"),  # the same in every run: nothing to test
        (1e-17, 0.000, NAN, "equivalent"),  # nothing but rounding
    ],
)
def test_outcome_follows_interval_and_margin(
    mean: float, error: float, p: float, expected: str
) -> None:
    estimate = Estimate(mean, error, 99)

    assert outcome(estimate, identical=False, corrected_p=p, margin=0.01) == expected


def test_identical_is_decided_before_any_test() -> None:
    """Negative control: these numbers alone would say "different"."""
    estimate = Estimate(0.5, 0.001, 99)

    assert outcome(estimate, identical=True, corrected_p=0.0, margin=0.01) == "identical"
    assert outcome(estimate, identical=False, corrected_p=0.0, margin=0.01) == "different"


def test_without_an_estimate_it_cannot_be_told() -> None:
    assert outcome(None, identical=False, corrected_p=NAN, margin=0.01) == "cannot tell"


def test_a_margin_of_zero_makes_nothing_equivalent() -> None:
    estimate = Estimate(0.0, 1e-9, 999)

    assert outcome(estimate, identical=False, corrected_p=1.0, margin=0.0) == "cannot tell"
