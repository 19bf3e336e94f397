"""Sentences that explain verdicts."""

import numpy as np
import pytest
from faults.claims import OPEN, SPLIT, made_claim

from gnbbench.claims.claim import Contrast, Measured
from gnbbench.claims.verdicts import explanation, percent

ONE = SPLIT.readings[0]


def seeds(place: int, *values: float) -> Measured:
    return Measured(OPEN.readings[place], float(np.mean(values)), np.array(values))


def test_what_seeds_give_is_told_reading_by_reading() -> None:
    claim = made_claim("a", "0.9", protocol=OPEN)

    told = explanation(
        claim, "within run-to-run spread", [seeds(0, 0.9, 0.8), seeds(1, 0.9, 0.9)], ()
    )

    assert told == (
        "Stratified: 50.0 % of 2 seeds give it, 95 % lie from 0.80 to 0.90; "
        "not stratified: 100 % of 2 seeds give it, 95 % lie at 0.90."
    )


def test_the_nearest_values_are_told_where_no_seed_gives_it() -> None:
    claim = made_claim("a", "0.95", protocol=OPEN)

    told = explanation(claim, "not reproduced", [seeds(0, 28 / 30, 29 / 30, 1.0)], ())

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
