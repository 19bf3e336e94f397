"""What is counted of published figures, and what a reader must see."""

from faults.claims import made_summary

from gnbbench.claims.claim import VERDICTS


def test_every_claim_is_counted_once() -> None:
    summary = made_summary()

    assert tuple(summary.counts) == VERDICTS
    assert sum(summary.counts.values()) == len(summary.results) == 7
    assert summary.counts["measured here"] == 2


def test_a_count_of_one_is_in_the_singular() -> None:
    summary = made_summary("s-same")

    assert summary.headline == "1 of 1 published figure is reproduced."
    assert summary.detail == ""
    assert summary.warnings == ()


def test_a_lost_claim_and_cut_runs_are_told() -> None:
    summary = made_summary()

    assert [result.claim.id for result in summary.lost] == ["s-lost"]
    assert summary.warnings[0] == "s-lost was reproduced and is not reproduced now."
    assert (
        "3 claims had fewer runs than the table asks for (50 at most)"
        in summary.warnings[1]
    )


def test_the_frame_has_published_beside_measured() -> None:
    frame = made_summary().frame().set_index("id")

    assert frame.loc["s-same", ["published", "measured"]].tolist() == ["0.9111", "0.9111"]
    assert frame.loc["s-spread", "measured"] == "mean 0.950"
    assert frame.loc["s-ratio", "measured"] == "0.150 (0.140 to 0.160)"
    assert frame.loc["s-time", "measured"] == "0.000200 ± 0.000050 s"
    assert frame.loc["h-absent", "measured"] == "–"
    assert frame["lost"].tolist() == [False, True, False, False, False, False, False]
