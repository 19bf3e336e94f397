"""Verdicts and what explains them, from values made by hand."""

from dataclasses import replace

import numpy as np
import pytest
from faults.claims import OPEN, SPLIT, TIMES, made_claim

from gnbbench.claims.claim import (
    Claim,
    ClaimResult,
    ClaimVerdict,
    Contrast,
    Measured,
    Protocol,
    Reading,
    published,
)
from gnbbench.claims.measurements import examine
from gnbbench.claims.verdicts import explanation, is_within_spread, verdict_on

ONE = SPLIT.readings[0]
PLAIN = OPEN.readings[1]
NEVER_STATED = replace(OPEN, is_stated=False)


def seeds_of(place: int, *values: float) -> Measured:
    return Measured(OPEN.readings[place], float(np.mean(values)), np.array(values))


def seeds(*values: float, resampled: bool = False) -> Measured:
    return replace(seeds_of(0, *values), is_resampled=resampled)


CASES: list[tuple[Claim, list[Measured], ClaimVerdict]] = [
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
    (made_claim("a", "1 2; 3 4"), [Measured(ONE, 2, rows=((1, 2), (3, 4)))], "reproduced"),
    (
        made_claim("a", "1 2; 3 4"),
        [Measured(ONE, 2, rows=((1, 2), (3, 5)))],
        "not reproduced",
    ),
    (made_claim("a", "[1 2]"), [Measured(ONE, 2, rows=((1,), (2,)))], "not reproduced"),
    (
        made_claim("a", "1", protocol=OPEN),
        [replace(seeds(1, 2), together=0.0), replace(seeds(1, 2), together=0.0)],
        "not reproduced",
    ),
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
    claim: Claim, measured: list[Measured], verdict: ClaimVerdict
) -> None:
    assert verdict_on(claim, measured) == verdict


IRIS_SHARES = seeds(*(np.repeat([27, 28, 29, 30], 25) / 30))
SEVENS_AND_NINES = [7.0] * 50 + [9.0] * 50


@pytest.mark.parametrize(
    ("text", "found", "is_within"),
    [
        # Thirty samples cannot come to 95 per cent.
        ("0.97", IRIS_SHARES, True),
        ("0.95", IRIS_SHARES, False),
        # Resampling need not draw the very figure.
        ("8", seeds(*SEVENS_AND_NINES, resampled=True), True),
        ("8", seeds(*SEVENS_AND_NINES), False),
        ("10", seeds(*SEVENS_AND_NINES, resampled=True), False),
        # An outlier among seeds.
        ("0.9", seeds(*([0.5] * 99), 0.9), False),
    ],
)
def test_a_figure_lies_within_the_spread_that_seeds_can_give(
    text: str, found: Measured, is_within: bool
) -> None:
    assert is_within_spread(published(text), found) == is_within


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
    expected: str, verdict: ClaimVerdict, is_cut: bool, is_lost: bool
) -> None:
    claim = made_claim("a", "1", expected=expected)

    assert ClaimResult(claim, verdict, (), (), "", is_cut=is_cut).is_lost == is_lost


@pytest.mark.parametrize(
    ("claim", "verdict", "measured", "words"),
    [
        (
            made_claim("a", "0.9", protocol=OPEN),
            "within run-to-run spread",
            [seeds_of(0, 0.9, 0.8), seeds_of(1, 0.9, 0.9)],
            "Stratified: 50.0\u00a0% of 2 seeds give it, 95 % lie from 0.80 to 0.90; "
            "not stratified: 100\u00a0% of 2 seeds give it, 95 % lie at 0.90.",
        ),
        (
            made_claim("a", "0.95", protocol=OPEN),
            "not reproduced",
            [seeds_of(0, 28 / 30, 29 / 30, 1.0)],
            "Stratified: 0\u00a0% of 3 seeds give it, 95 % lie from 0.935 to 0.998. "
            "No seed gives 0.95; nearest are 0.933 and 0.967.",
        ),
        (
            made_claim("a", "0.9", note="Note."),
            "not reproduced",
            [Measured(ONE, float("nan"), message="1 of 1 runs failed: no priors.")],
            "1 of 1 runs failed: no priors.",
        ),
    ],
)
def test_the_measured_value_is_shown(
    claim: Claim, verdict: ClaimVerdict, measured: list[Measured], words: str
) -> None:
    assert explanation(claim, verdict, measured, ()) == words


@pytest.mark.parametrize(
    ("text", "rows", "words"),
    [
        ("1 2; 3 4", ((1.0, 2.0), (3.0, 4.0)), ""),
        ("1 2; 3 4", ((1.0, 2.0), (3.0, 5.0)), "1 of 4 numbers differs: 5 instead of 4."),
        (
            "1 2; 3 4",
            ((1.0, 0.0), (3.0, 5.0)),
            "2 of 4 numbers differ: 0 instead of 2, and so on.",
        ),
        ("1 2; 3 4", ((1.0, 2.0),), "The table has 1 × 2 numbers, not 2 × 2."),
        ("[0.55 1.]", ((0.55, 1.04),), "1 of 2 numbers differs: 1.04 instead of 1."),
    ],
)
def test_differing_numbers_of_a_table_are_reported(
    text: str, rows: tuple[tuple[float, ...], ...], words: str
) -> None:
    claim = made_claim("a", text)
    found = [Measured(ONE, 1.0, rows=rows)]

    assert explanation(claim, verdict_on(claim, found), found, ()) == words


@pytest.mark.parametrize(
    ("verdict", "published", "text"),
    [
        ("reproduced", (True, True), "numpy and study-a give it too."),
        (
            "reproduced",
            (True, False),
            "It comes from sklearn and numpy; not from study-a (0.92): a floor.",
        ),
        (
            "not reproduced",
            (True, False),
            "It comes from numpy; not from study-a (0.92): a floor.",
        ),
        ("not reproduced", (False, False), "Not from numpy (0.92) and study-a (0.92)."),
    ],
)
def test_contrasts_name_what_explains_a_figure(
    verdict: str, published: tuple[bool, bool], text: str
) -> None:
    claim = made_claim("a", "0.91", cause="a floor")
    contrasts = [
        Contrast(name, 0.91 if same else 0.92, same)
        for name, same in zip(("numpy", "study-a"), published, strict=True)
    ]

    words = explanation(claim, verdict, [Measured(ONE, 0.91)], contrasts)  # type: ignore[arg-type]

    assert words == text


@pytest.mark.parametrize(
    ("text", "found", "verdict"),
    [
        # Standard deviation 0.0471 with divisor n, 0.0544 with n - 1.
        ("0.90 ± 0.05", Measured(SPLIT.readings[0], 0.9, n_runs=4, spread=0.0471), True),
        ("0.90 ± 0.9", Measured(SPLIT.readings[0], 0.9, n_runs=4, spread=0.0471), False),
        ("0.90 ± 0.05", Measured(SPLIT.readings[0], 0.9), False),
        ("0.90", Measured(SPLIT.readings[0], 0.9), True),
    ],
)
def test_a_printed_spread_is_judged(text: str, found: Measured, verdict: bool) -> None:
    claim = made_claim("a", text)

    called = verdict_on(claim, [found])

    assert called == ("reproduced" if verdict else "not reproduced")
    assert ("±" in explanation(claim, called, [found], [])) == ("±" in text)


@pytest.mark.slow
def test_figures_of_one_protocol_are_judged_on_the_same_seeds() -> None:
    ways = Reading("splits", "iris", test_size=0.2, runs=60)
    protocol = Protocol("one", (ways,))
    accuracy = made_claim("a", "0.97", protocol=protocol, expected="not reproduced")
    wrong = replace(accuracy, id="b", published=published("0.90"))
    recall = replace(accuracy, id="c", metric="recall")

    alone, beside, same = (
        next(examine([accuracy], known=known))
        for known in ((), (accuracy, wrong), (accuracy, recall))
    )

    assert alone.verdict == same.verdict == "within run-to-run spread"
    assert beside.verdict == "not reproduced"
    assert "No seed gives all figures of this protocol at once." in beside.explanation
    (one,) = same.measured
    assert 0 < one.together <= (one.figures.round(2) == 0.97).mean()
