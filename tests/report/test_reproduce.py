"""The report of published figures: its counts, its tables, its terminal."""

from pathlib import Path

import pytest
from faults.claims import made_summary
from playwright.sync_api import Browser

from gnbbench.claims.claim import VERDICTS
from gnbbench.report.files import contents, page
from gnbbench.report.reproduce import report
from gnbbench.studies.directory import write_report


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
