"""Every claim in the tables, compared with its verdict when it was entered."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gnbbench.claims.claim import Claim, ClaimResult, published
from gnbbench.claims.measurements import examine
from gnbbench.claims.table import read_claims, usual_directory

CLAIMS = read_claims(usual_directory())
BY_ID = {claim.id: claim for claim in CLAIMS}
# Where the files of UCI 320 may be, which do not come with gnbbench.
STUDENTS = Path(__file__).parents[3] / "shared" / "data" / "student-performance"

# Data that do not come with gnbbench: claims about them are not available without.
NOT_GIVEN = {"Smarket.csv", "student-performance"}


def result(claim: Claim, **options: Any) -> ClaimResult:
    (examination,) = examine([claim], **options)
    return examination


@pytest.mark.slow
def test_a_claim_has_the_verdict_it_was_entered_with() -> None:
    """The slow ones of study E take a minute: they are held by ``make reproduce``."""
    claims = [one for one in CLAIMS if not one.slow or one.source.key in {"B", "D"}]

    every = list(examine(claims))

    found = [one for one in every if one.verdict != "not available"]
    absent = [one for one in every if one.verdict == "not available"]
    assert len(found) > 70
    assert [one.claim.id for one in found if one.verdict != one.claim.expected] == []
    assert [one.claim.id for one in found if one.is_lost] == []
    data = {reading.dataset for one in absent for reading in one.claim.protocol.readings}
    assert data <= NOT_GIVEN


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("a-iris-train-accuracy-sklearn", "0.9811"),
        ("a-cancer-train-accuracy-custom", "0.9447"),
        ("a-cancer-confidence-wrong", "0.9239"),
        ("a-iris-agreement", "0.9999"),
        ("guide-iris-mislabelled", "3 of 75"),
        ("guide-iris-mislabelled", "4 of 45"),
        ("handbook-iris", "0.97367"),
        ("tests-digits", "> 0.82"),
        ("nist-lottery-deviation", "291.699727470968"),
        ("wikipedia-male-means", "[5.855 176.25 11.26]"),
        ("tests-priors", "0.5; 0.5; 0.0"),
        ("guide-voting-iris", "0.91 ± 0.03"),
    ],
)
def test_a_planted_wrong_figure_is_not_reproduced(name: str, wrong: str) -> None:
    planted = replace(BY_ID[name], published=published(wrong))

    claim_result = result(planted)

    assert claim_result.verdict == "not reproduced"
    assert claim_result.is_lost


def test_the_floor_explains_a_training_accuracy() -> None:
    claim = BY_ID["a-cancer-train-accuracy-custom"]

    claim_result = result(claim)
    without = result(replace(claim, implementation="study-a?log_floor=none", contrasts=()))

    text = claim_result.explanation
    assert "not from study-a?log_floor=none (0.9447), sklearn (0.9447)" in text
    assert text.endswith("the floor under each density makes the difference.")
    assert without.verdict == "not reproduced"


@pytest.mark.slow
def test_the_density_form_explains_runs_that_do_not_match() -> None:
    claim = BY_ID["e-exact-runs"]

    claim_result = result(claim, most_runs=20)

    assert claim_result.is_cut
    assert 0.85 < claim_result.measured[0].value < 1.0
    contrasts = [(one.implementation, one.value) for one in claim_result.contrasts]
    assert contrasts == [("numpy", 1.0)]
    assert "densities multiplied without smoothing" in claim_result.explanation


@pytest.mark.slow
def test_a_time_is_neither_reproduced_nor_refuted() -> None:
    claim_result = result(BY_ID["a-iris-fit-time-custom"])
    (measured,) = claim_result.measured

    assert claim_result.verdict == "measured here"
    assert 0 < measured.low <= measured.high
    assert claim_result.explanation.startswith("The published spread exceeds its mean.")


def test_a_claim_without_its_files_is_not_available(tmp_path: Path) -> None:
    for data in (None, tmp_path):
        claim_result = result(BY_ID["b-students-accuracy"], data=data)

        assert claim_result.verdict == "not available"
        assert not claim_result.is_lost
        assert "student-mat.csv" in claim_result.explanation
        assert "--data DIR" in claim_result.explanation


@pytest.mark.slow
@pytest.mark.skipif(not STUDENTS.is_dir(), reason=f"there is no {STUDENTS}")
def test_student_performance_identifies_no_protocol() -> None:
    claim_result = result(BY_ID["b-students-accuracy"], data=STUDENTS)

    means = {one.reading.words: one.value for one in claim_result.measured}
    assert claim_result.verdict == "protocol not stated"
    assert "so it identifies none of them" in claim_result.explanation
    numeric = means["mathematics, numeric features, with G1 and G2"]
    one_hot = means["both subjects, one-hot features, without grades"]
    assert (numeric, one_hot) == pytest.approx((0.876, 0.770), abs=5e-4)


def test_shared_runs_of_claims_are_evaluated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    claims = [c for c in CLAIMS if c.protocol.name == "iris" and c.id[0] == "a"]
    calls: list[object] = []
    evaluated = __import__("gnbbench.measurement.batches", fromlist=["evaluated"]).evaluated

    def counted(*given: object, **options: object) -> object:
        calls.append(given)
        return evaluated(*given, **options)

    monkeypatch.setattr("gnbbench.claims.measurements.evaluated", counted)

    found = list(examine(claims))

    assert len(found) == 10
    assert len(calls) == 1
