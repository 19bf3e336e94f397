"""The four tiles under the headline: passed, failed, not applicable, the slowest."""

from collections import Counter
from collections.abc import Mapping

from gnbbench.conformance.result import Conformance, Outcome, Result
from gnbbench.report.blocks import Fact, Tile
from gnbbench.report.conformance_summary import ConformanceSummary, passes_all
from gnbbench.report.conformance_wording import score
from gnbbench.words import DASH, SPACE, count, listing, plural, printable, seconds, shorten

MOST_NAMES = 4
MOST_LETTERS = 34
WORDS: Mapping[Outcome, str] = {
    "fail": "wrong",
    "crash": "crashed",
    "timeout": "out of time",
}


def conformance_tiles(summary: ConformanceSummary) -> tuple[Tile, ...]:
    """Facts on one implementation, or on a scoreboard, under four headings."""
    if summary.is_scoreboard:
        return _scoreboard(summary)
    one = summary.examined[0]
    return (
        _tile(
            "Passed",
            score(one.results).replace("/", f"{SPACE}/{SPACE}"),
            "of the checks that apply",
        ),
        _tile("Failed", count(len(one.failed)), _kinds(one, summary.expected)),
        _tile(
            "Not applicable",
            count(len(one.results) - one.n_applicable),
            f"of {plural(len(one.results), 'check')}: asks for what is not offered",
        ),
        _slowest({"": one.results}),
    )


def _scoreboard(summary: ConformanceSummary) -> tuple[Tile, ...]:
    ranked = summary.ranked
    names = summary.names
    perfect = [names[one.implementation] for one in ranked if passes_all(one)]
    best = [one for one in ranked if one.n_passed == ranked[0].n_passed]
    failed = Counter(result.check.id for one in ranked for result in one.failed)
    hardest, times = failed.most_common(1)[0] if failed else (DASH, 0)
    of = f"{SPACE}of{SPACE}{count(len(ranked))}"
    return (
        _tile("Pass every check that applies", f"{len(perfect)}{of}", _names(perfect)),
        _tile(
            "Most checks passed",
            count(ranked[0].n_passed),
            f"of {len(summary.checks)}: "
            + _names([names[one.implementation] for one in best]),
        ),
        _tile("Failed by most", f"{times}{of}", _short(hardest)),
        _slowest({names[one.implementation]: one.results for one in ranked}),
    )


def _kinds(one: Conformance, expected: tuple[str, ...]) -> str:
    kinds = Counter(result.outcome for result in one.failed)
    if not kinds:
        return "no check"
    found = [f"{kinds[kind]} {word}" for kind, word in WORDS.items() if kinds[kind]]
    known = sum(result.check.id in expected for result in one.failed)
    return listing(found) + (f"; {known} expected" if known else "")


def _slowest(results: dict[str, tuple[Result, ...]]) -> Tile:
    timed = [
        (result.seconds, name, result) for name, each in results.items() for result in each
    ]
    longest, name, result = max(timed, key=lambda entry: entry[0])
    detail = _short(result.check.id) + (f", {name}" if name else "")
    return _tile("Slowest check", seconds(longest), detail)


def _names(names: list[str]) -> str:
    shown = [_short(name) for name in names[:MOST_NAMES]]
    beyond = len(names) - len(shown)
    return listing(shown + ([f"{beyond} more"] if beyond > 0 else [])) or "none"


def _tile(title: str, value: str, detail: str) -> Tile:
    return Tile(title, (Fact("", value, detail),))


def _short(text: str) -> str:
    return shorten(printable(text), MOST_LETTERS)
