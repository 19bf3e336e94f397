"""The report of published figures: its counts, its tables, its terminal."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from faults.claims import made_results, made_summary
from playwright.sync_api import Browser
from reading import shown, tables

from gnbbench.claims.claim import VERDICTS, ClaimResult
from gnbbench.report.blocks import Section
from gnbbench.report.files import contents
from gnbbench.report.html import page
from gnbbench.report.reproduce import report
from gnbbench.studies.directory import write_report


def ids(results: Sequence[ClaimResult]) -> list[str]:
    return [result.claim.id for result in results]


def test_every_claim_has_a_row_and_every_source_a_section() -> None:
    document = report(made_summary())

    assert document.headline == (
        "1 of 3 published figures that can be checked is reproduced; 2 timings are shown, "
        "not judged."
    )
    table = tables(document, "claims")["Published beside measured"]
    assert table.anchors == tuple(f"claim-{name}" for name in ids(made_results()))
    sources = next(one for one in document.sections if one.anchor == "sources")
    inner = [block.anchor for block in sources.blocks if isinstance(block, Section)]
    assert inner == ["source-S", "source-H"]


@pytest.mark.slow
def test_what_was_lost_stands_above_the_table_and_each_cause_once() -> None:
    text = page(report(made_summary()))

    verdict = text[text.index('<section id="verdict">') : text.index('id="claims"')]
    assert "s-lost is not reproduced; its table expects &#34;reproduced&#34;." in verdict
    assert "s-spread" not in verdict
    assert "not with numpy (0.9333): a floor." in text.replace(verdict, "")
    assert "a floor" not in verdict
    assert 'id="verdict"' not in page(report(made_summary("s-spread")))


@pytest.mark.slow
def test_an_earlier_report_is_replaced_with_its_figures(tmp_path: Path) -> None:
    write_report(tmp_path, contents(report(made_summary())))
    (tmp_path / "figures" / "claim-mine.png").write_text("mine")
    earlier = {path.stem for path in (tmp_path / "figures").iterdir()}

    write_report(tmp_path, contents(report(made_summary("s-same"))))

    assert earlier == {"claim-s-spread", "claim-s-open", "claim-mine"}
    left = [path.name for path in (tmp_path / "figures").iterdir()]
    assert left == ["claim-mine.png"]


@pytest.mark.browser
def test_claims_fit_a_desktop_and_sort_by_the_measured_value(
    browser: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "page.html"
    file.write_text(page(report(made_summary())))
    visited = browser.new_page(viewport={"width": 1280, "height": 900})
    visited.goto(file.as_uri())

    hidden = visited.locator("#claims .scroll").evaluate(
        "one => one.scrollWidth - one.clientWidth"
    )
    visited.locator("#claims thead button", has_text="measured").click()
    names = visited.locator("#claims tbody th").all_inner_texts()
    visited.close()

    assert hidden <= 0
    assert (names[0], names[-1]) == ("s-time", "h-absent")


def test_what_a_row_cannot_say_stands_below() -> None:
    text = " ".join(shown(report(made_summary()), 120).split())

    assert "s-same: It comes with sklearn; not with numpy (0.9333): a floor." in text
    assert "s-open: No protocol can be told from it." in text
    assert 'Remark: s-lost is not reproduced; its table expects "reproduced".' in text


def test_every_claim_is_counted_once_and_a_count_of_one_is_in_the_singular() -> None:
    several, one = made_summary(), made_summary("s-same")

    counts = several.details["counts"]
    assert tuple(counts) == VERDICTS
    assert (sum(counts.values()), counts["measured here"]) == (7, 2)
    assert one.headline == "The published figure is reproduced."
    assert (one.detail, one.warnings) == ("", ())
    spread, lost = made_summary("s-spread"), made_summary("s-lost", "s-time")
    assert spread.headline == "The published figure is within run-to-run spread."
    assert lost.headline == (
        "The only published figure that can be checked is not reproduced; 1 timing is "
        "shown, not judged."
    )
    assert (spread.detail, lost.detail) == ("", "")


def test_a_lost_claim_and_cut_runs_are_told() -> None:
    first, second = made_summary().warnings

    assert first == 's-lost is not reproduced; its table expects "reproduced".'
    assert "3 claims had fewer runs than the table asks for (50 at most)" in second


def test_the_frame_has_published_beside_measured() -> None:
    frame = made_summary().table("claims").set_index("id")

    assert frame.loc["s-same", ["published", "measured"]].tolist() == ["0.9111", "0.9111"]
    assert frame.loc["s-spread", "measured"] == "mean 0.950"
    assert frame.loc["s-ratio", "measured"] == "0.150 (0.140 to 0.160)"
    assert frame.loc["s-time", "measured"] == "0.000200 ± 0.000050 s"
    assert frame.loc["h-absent", "measured"] == "–"
    assert frame.index[frame["lost"]].tolist() == ["s-lost"]
