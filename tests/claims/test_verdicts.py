"""From values to verdicts; every verdict has a case that must not get it."""

from dataclasses import replace

import numpy as np
import pytest
from faults.claims import OPEN, SPLIT, TIMES, made_claim

from gnbbench.claims.claim import Claim, ClaimResult, Measured, Verdict, published
from gnbbench.claims.verdicts import is_within_spread, share_reached, verdict_on

ONE = SPLIT.readings[0]
STRATIFIED, PLAIN = OPEN.readings
NEVER_STATED = replace(OPEN, is_stated=False)


def seeds(*values: float, resampled: bool = False) -> Measured:
    return Measured(
        STRATIFIED, float(np.mean(values)), np.array(values), is_resampled=resampled
    )


CASES: list[tuple[Claim, list[Measured], Verdict]] = [
    (made_claim("a", "0.91"), [Measured(ONE, 0.9111)], "reproduced"),
    (made_claim("a", "0.92"), [Measured(ONE, 0.9111)], "not reproduced"),
    (made_claim("a", "0.91"), [Measured(ONE, float("nan"))], "not reproduced"),
    (made_claim("a", "4 of 75"), [Measured(ONE, 4.0, total=75)], "reproduced"),
    (made_claim("a", "4 of 75"), [Measured(ONE, 4.0, total=45)], "not reproduced"),
    (made_claim("a", "0.91"), [], "not available"),
    (made_claim("a", "0.91", protocol=TIMES), [Measured(ONE, 0.91)], "measured here"),
    (made_claim("a", "1", protocol=OPEN), [seeds(1, 1), seeds(1, 1)], "reproduced"),
    (
        made_claim("a", "1", protocol=OPEN),
        [seeds(1, 1), seeds(1, 2)],
        "within run-to-run spread",
    ),
    (made_claim("a", "3", protocol=OPEN), [seeds(1, 1), seeds(1, 2)], "not reproduced"),
    (
        made_claim("a", "1", protocol=NEVER_STATED),
        [seeds(1, 1), seeds(1, 2)],
        "protocol not stated",
    ),
    (
        made_claim("a", "3", protocol=NEVER_STATED),
        [seeds(1, 1), seeds(1, 2)],
        "protocol not stated",
    ),
]


@pytest.mark.parametrize(("claim", "measured", "verdict"), CASES)
def test_a_verdict_follows_from_the_values(
    claim: Claim, measured: list[Measured], verdict: Verdict
) -> None:
    assert verdict_on(claim, measured) == verdict


def test_thirty_samples_cannot_come_to_95_percent() -> None:
    found = seeds(*(np.repeat([27, 28, 29, 30], 25) / 30))

    assert is_within_spread(published("0.97"), found)
    assert not is_within_spread(published("0.95"), found)


def test_resampling_need_not_draw_the_very_figure() -> None:
    values = [7.0] * 50 + [9.0] * 50

    assert is_within_spread(published("8"), seeds(*values, resampled=True))
    assert not is_within_spread(published("8"), seeds(*values))
    assert not is_within_spread(published("10"), seeds(*values, resampled=True))


def test_an_outlier_among_seeds_is_not_within_their_spread() -> None:
    found = seeds(*([0.5] * 99), 0.9)

    assert share_reached(published("0.9"), found) == 0.01
    assert not is_within_spread(published("0.9"), found)


@pytest.mark.parametrize(
    ("expected", "verdict", "is_cut", "is_lost"),
    [
        ("reproduced", "reproduced", False, False),
        ("reproduced", "not reproduced", False, True),
        ("reproduced", "within run-to-run spread", False, True),
        ("reproduced", "not reproduced", True, False),
        ("reproduced", "not available", False, False),
        ("within run-to-run spread", "reproduced", False, False),
        ("within run-to-run spread", "not reproduced", False, True),
        ("not reproduced", "not reproduced", False, False),
        ("measured here", "measured here", False, False),
    ],
)
def test_a_claim_is_lost_where_it_held_before(
    expected: str, verdict: Verdict, is_cut: bool, is_lost: bool
) -> None:
    claim = made_claim("a", "1", expected=expected)

    assert ClaimResult(claim, verdict, (), (), "", is_cut=is_cut).is_lost == is_lost
