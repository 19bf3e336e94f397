"""What rules on comparisons have in common: whose a text is, and which metric is meant."""

from collections.abc import Callable, Iterator, Sequence

from oracle.said import NUMBER, Said, numbers
from oracle.truth import Compared, Truth

Texts = Sequence[Said]
Rule = Callable[[Texts, Truth], Iterator[str]]

N = NUMBER.pattern
# Differences due only to rounding do not count.
ROUNDING = 1e-12
# Titles in a terminal -> metrics.
SHORT = {
    "Train accuracy": "train accuracy",
    "Test accuracy": "test accuracy",
    "Confidence, right": "mean confidence where right",
    "Confidence, wrong": "mean confidence where wrong",
}


def metric_of(said: Said) -> str:
    """Return the metric of the row that a text belongs to; empty if it has none."""
    title = str(said.row.get("metric", said.row.get("", "")))
    title = str(SHORT.get(title, title))
    for name in ("log loss", "Brier score"):
        if title.lower().startswith(name.lower()):
            return name
    return title


def compared(texts: Texts, truth: Truth) -> Iterator[tuple[Said, Compared]]:
    """Yield each text on an implementation, with the truth about it."""
    for said in texts:
        if said.subject not in truth.subjects or "section method" in said.place:
            continue
        there = truth
        if "train fraction" in said.row and truth.fractions:
            fraction = numbers(said.row["train fraction"])[0].value / 100
            there = truth.fractions[round(fraction, 6)]
        yield said, there.subjects[said.subject]


def whole(text: str) -> int:
    """Return a whole number that is written with commas."""
    return int(text.replace(",", ""))
