"""The four tiles under the headline: how many figures have which verdict."""

from gnbbench.report.blocks import Fact, Tile
from gnbbench.report.reproduce_summary import ReproduceSummary
from gnbbench.words import SPACE, count


def reproduce_tiles(summary: ReproduceSummary) -> tuple[Tile, ...]:
    """Return counts of verdicts, under four headings."""
    counts = summary.counts
    of = f"{SPACE}of{SPACE}{count(len(summary.results))}"
    named = [
        (counts["protocol not stated"], "protocol not stated"),
        (counts["measured here"], "times"),
        (counts["not available"], "data not given"),
    ]
    kinds = ", ".join(f"{count(number)} {word}" for number, word in named if number)
    return (
        _tile("Reproduced", f"{counts['reproduced']}{of}", "equal at the published digits"),
        _tile(
            "Within run-to-run spread",
            count(counts["within run-to-run spread"]),
            "seeds are not stated; some give the figure",
        ),
        _tile(
            "Not reproduced",
            count(counts["not reproduced"]),
            f"{count(len(summary.lost)) if summary.lost else 'none'} of them held before",
        ),
        _tile(
            "Not judged",
            count(sum(number for number, _ in named)),
            kinds or "none",
        ),
    )


def _tile(title: str, value: str, detail: str) -> Tile:
    return Tile(title, (Fact("", value, detail),))
