"""Verdicts and what explains them, from values made by hand."""

from dataclasses import replace

import numpy as np
import pytest
from faults.claims import OPEN, SPLIT, TIMES, made_claim

from gnbbench.claims.claim import Claim, ClaimResult, Contrast, Measured, Verdict, published
from gnbbench.claims.verdicts import (
    explanation,
    is_within_spread,
    percent,
    share_reached,
    verdict_on,
)

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


def seeds_of(place: int, *values: float) -> Measured:
    return Measured(OPEN.readings[place], float(np.mean(values)), np.array(values))


def test_what_seeds_give_is_told_reading_by_reading() -> None:
    claim = made_claim("a", "0.9", protocol=OPEN)

    told = explanation(
        claim,
        "within run-to-run spread",
        [seeds_of(0, 0.9, 0.8), seeds_of(1, 0.9, 0.9)],
        (),
    )

    assert told == (
        "Stratified: 50.0 % of 2 seeds give it, 95 % lie from 0.80 to 0.90; "
        "not stratified: 100 % of 2 seeds give it, 95 % lie at 0.90."
    )


def test_the_nearest_values_are_told_where_no_seed_gives_it() -> None:
    claim = made_claim("a", "0.95", protocol=OPEN)

    told = explanation(claim, "not reproduced", [seeds_of(0, 28 / 30, 29 / 30, 1.0)], ())

    assert told.endswith("No seed gives 0.95; nearest are 0.933 and 0.967.")


@pytest.mark.parametrize(
    ("verdict", "published", "told"),
    [
        (
            "reproduced",
            (True, True),
            "numpy and study-a give it too.",
        ),
        (
            "reproduced",
            (True, False),
            "It comes with sklearn and numpy; not with study-a (0.92): a floor.",
        ),
        (
            "not reproduced",
            (True, False),
            "It comes with numpy; not with study-a (0.92): a floor.",
        ),
        (
            "not reproduced",
            (False, False),
            "Not with numpy (0.92) and study-a (0.92).",
        ),
    ],
)
def test_contrasts_name_what_explains_a_figure(
    verdict: str, published: tuple[bool, bool], told: str
) -> None:
    claim = made_claim("a", "0.91", cause="a floor")
    contrasts = [
        Contrast(name, 0.91 if same else 0.92, same)
        for name, same in zip(("numpy", "study-a"), published, strict=True)
    ]

    found = explanation(claim, verdict, [Measured(ONE, 0.91)], contrasts)  # type: ignore[arg-type]

    assert found == told


def test_a_failure_is_all_that_is_told() -> None:
    failed = Measured(ONE, float("nan"), message="1 of 1 runs failed: no priors.")

    told = explanation(made_claim("a", "0.9", note="Note."), "not reproduced", [failed], ())

    assert told == "1 of 1 runs failed: no priors."


def test_a_share_is_whole_only_where_it_is() -> None:
    assert [percent(share) for share in (0.0, 0.00004, 0.5, 0.9999, 1.0)] == [
        "0 %",
        "0.004 %",
        "50.0 %",
        "99.99 %",
        "100 %",
    ]
