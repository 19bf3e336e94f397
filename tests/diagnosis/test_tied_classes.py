"""Which class gets tied rows, by what the source goes by."""

import numpy as np
import pytest

from gnbbench.diagnosis.findings import UNDERFLOW, Cause
from gnbbench.diagnosis.moments import Batch, TrainedRun
from gnbbench.diagnosis.reproduction import predicted
from gnbbench.diagnosis.tied_classes import as_source_allows, with_tied_class
from gnbbench.diagnosis.variants import TIES, WORDS, Variant

FIRST, MOST, ROWS, LAST = (TIES[k] for k in ("first", "largest", "appearance", "last"))
SORTED, BEST = "c = np.unique(y)\nr = X[y == c]\n", "k = np.argmax(scores, axis=1)\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (SORTED + BEST, FIRST),
        (SORTED + "for c in s:\n    if s[c] > best: best = s[c]\n", FIRST),
        (SORTED + BEST + "k = c[np.argmax(counts)]\n", f"{FIRST} or {MOST}"),
        ("c = y.value_counts().index\n" + BEST, f"{FIRST} or {MOST}"),
        ("d = {}\nfor r, l in zip(X, y): d[l] = r\n" + BEST, f"{FIRST} or {ROWS}"),
        (SORTED + "for c in s:\n    if s[c] >= best: best = s[c]\n", f"{FIRST} or {LAST}"),
        (SORTED + "k = max((s[c], c) for c in s)\n", f"{FIRST} or {LAST}"),
    ],
)
def test_only_a_class_that_the_source_may_prefer_gets_tied_rows(
    text: str, told: str
) -> None:
    several = " or ".join((FIRST, LAST, MOST, ROWS))
    cause = Cause("underflow", 5, None, "", f"It underflows; {several} gets such rows.")

    words = with_tied_class(cause, text).summary

    assert {*words[15:-16].split(" or ")} == {*told.split(" or ")}


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("p = np.prod(d.astype(np.float32))\n", "underflow"),
        ("p = torch.prod(d)\n", "underflow"),
        ("best = -100\nfor c in s:\n    if s[c] > best: best = s[c]\n", "decision"),
    ],
)
def test_a_search_starts_at_a_number_where_nothing_has_single_precision(
    text: str, cause: str
) -> None:
    words = f"{FIRST} to rows whose log-scores are all below about -104"
    summary = WORDS["does"][UNDERFLOW].format(words=words)

    told = as_source_allows(Cause(UNDERFLOW, 5, words, "", summary), text)

    assert (told.cause, told.explained) == (cause, 5)
    assert ("single precision" in told.summary) == (cause == UNDERFLOW)
    assert told.summary.startswith(f"It gives {words}")


def test_of_equally_frequent_classes_the_first_to_appear_is_the_most_frequent() -> None:
    X, y = np.zeros((7, 1)), np.array([3, 2, 2, 0, 1, 1, 0])
    batch = Batch.of([TrainedRun(X, y, X[:1], 4, np.array([0]))])

    winners = {
        ties: int(predicted(Variant(ties=ties), np.zeros((1, 4)), batch)[0])
        for ties in ("largest", "most frequent", "appearance", "last")
    }

    assert winners == {"largest": 0, "most frequent": 2, "appearance": 3, "last": 3}
