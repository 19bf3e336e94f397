"""Rules on labels: which differ, in how many runs, and in which colour that is shown."""

import re
from collections.abc import Iterator

import numpy as np

from oracle.comparing import ROUNDING, SHORT, N, Texts, compared, metric_of, whole
from oracle.said import NUMBER, Number, numbers
from oracle.truth import REFERENCE, Compared, Truth, disputed_in_more_runs
from oracle.wording import COUNT

_OF_LABELS = re.compile(
    rf"{COUNT} of (?:the )?{COUNT} ?(labels?|predictions?|runs?|differ)?\b"
)
_SAME = re.compile(
    r"\b(?<!not )(?<!not the )(identical|same labels|same answers|no label differs|"
    r"no difference|labels match)\b",
    re.IGNORECASE,
)
_OF_SPEED = re.compile(r"\b(faster|slower|distinguishable|too noisy)\b")
_REASSURING = re.compile(
    r"\b(no label differs|every disagreement is explained|identical|same labels|agrees)\b",
    re.IGNORECASE,
)
_BOUND = re.compile(rf"\b[Aa]t most ({N}) % of (?:distinct )?rows\b")
MORE_RUNS = 1000


def counts(texts: Texts, truth: Truth) -> Iterator[str]:
    """Labels that differ, runs that match or failed: as many as the runs, redone, have."""
    for said, c in compared(texts, truth):
        is_of_losses = said.text.startswith("For the log loss")
        if "time" in said.place or said.subject == REFERENCE or is_of_losses:
            continue
        heading = f"{said.heading} {said.row.get('', '')}"
        for part, total, noun in _OF_LABELS.findall(said.plain):
            of_runs = noun.startswith("run") or "run" in heading
            known = set(_runs(c) if of_runs else _labels(c))
            known |= {_uncompared(c)} if "could not be compared" in said.plain else set()
            if "dispute" in heading or not (noun or "differ" in heading or of_runs):
                continue
            if (whole(part), whole(total)) not in known:
                yield f"{said.subject}: '{part} of {total}' is not among {sorted(known)}"
        for total in re.findall(rf"\b(?:[Nn]one of|[Aa]ll) {COUNT} labels", said.plain):
            if whole(total) != c.predictions:
                yield f"{said.subject}: '{total} labels' are {c.predictions}"


def _labels(c: Compared) -> Iterator[tuple[int, int]]:
    yield c.differing, c.predictions
    yield c.predictions - c.differing, c.predictions


def _uncompared(c: Compared) -> tuple[int, int]:
    asked = sum(len(rows) for rows in c.tests.values())
    return asked - c.predictions, asked


def _runs(c: Compared) -> Iterator[tuple[int, int]]:
    yield c.exact, len(c.shared)
    yield len(c.shared) - c.exact, len(c.shared)
    yield c.failed, c.planned
    yield len(c.shared), c.planned
    yield c.planned - len(c.reference), c.planned
    yield _n_invalid(c), c.planned


def _n_invalid(c: Compared) -> int:
    """Return the number of runs with labels and without valid probabilities."""
    return sum(answers.is_invalid for answers in c.own.values())


def identical(texts: Texts, truth: Truth) -> Iterator[str]:
    """A metric is called identical if it is the same in every run."""
    for said, c in compared(texts, truth):
        changes = c.differences(metric_of(said))
        is_change = said.heading.startswith(("difference", "minus"))
        if said.heading.startswith(("Test accuracy", "Mean test accuracy")):
            is_change, changes = True, c.differences("test accuracy")
        is_called = is_change and re.match(r"identical(?! at)", said.text)
        if is_called and np.any(abs(changes) > ROUNDING):
            yield f"{said.subject}: {said.heading}: '{said.text}' by {abs(changes).max()}"


def same_labels(texts: Texts, truth: Truth) -> Iterator[str]:
    """Labels are called the same if some were compared and none differs."""
    for said, c in compared(texts, truth):
        is_change = said.heading.startswith(("differ", "minus", "Test acc", "Mean test"))
        if is_change or metric_of(said) in SHORT.values() or said.subject == REFERENCE:
            continue
        is_of_some = re.search(r"\b(?:in|at) \d+\b", said.plain)
        is_said = _SAME.search(said.plain) and not is_of_some
        if is_said and (c.differing or not c.predictions):
            yield f"{said.subject}: '{said.text}', though {c.differing} labels differ"


def same_answers(texts: Texts, truth: Truth) -> Iterator[str]:
    """Answers are the same only where NaN stands beside NaN, and no bit is another."""
    for said, c in compared(texts, truth):
        answers = re.search(r"same answers|no difference in", said.plain)
        if answers and c.is_undefined:
            yield f"{said.subject}: '{said.text}', though NaN stands beside numbers"
        if "last bit" in said.plain and c.largest_gap != 0:
            yield f"{said.subject}: '{said.text}', though by {c.largest_gap}"


def every_run(texts: Texts, truth: Truth) -> Iterator[str]:
    """'Every run' means all requested runs, not only the successful ones."""
    for said, c in compared(texts, truth):
        is_said = re.search(r"\b(every|all) (\d+ )?runs?\b", said.plain)
        if is_said and c.failed and "failed" not in said.plain:
            yield f"{said.subject}: '{said.text}', though {c.failed} runs failed"


def agreements(texts: Texts, truth: Truth) -> Iterator[str]:
    """A share of equal labels is that of the runs, redone."""
    for said, c in compared(texts, truth):
        is_share = said.heading.lower() in ("agreement", "same labels")
        is_own = said.row.get("") == "Agreement" and said.heading == said.subject
        if not (is_share or is_own) or not re.fullmatch(rf"{N}\s%", said.text):
            continue
        exact = 100 * (1 - c.differing / c.predictions) if c.predictions else np.nan
        if not numbers(said.text)[0].rounds(exact):
            yield f"{said.subject}: agreement {said.text} is {exact:.3f} %"


def silence(texts: Texts, truth: Truth) -> Iterator[str]:
    """An implementation that failed in every run is not called fast or identical."""
    failed = {name for name in truth.competitors if not truth.subjects[name].shared}
    for said in texts:
        if said.subject not in failed or "method" in said.place:
            continue
        word = _OF_SPEED.search(said.plain) or _SAME.search(said.plain)
        if word:
            yield f"{said.subject} has no label in any run: '{said.text}'"


def blame(texts: Texts, truth: Truth) -> Iterator[str]:
    """An implementation that always answered is not said to fail or to offer nothing."""
    for said, c in compared(texts, truth):
        is_sound = bool(c.tests) and not c.failed
        name = re.escape(said.subject)
        is_blamed = re.match(r"Failed:", said.plain) or re.search(
            rf"\b{name} (?:failed|gives no)\b", said.plain
        )
        if is_sound and is_blamed:
            yield f"{said.subject} failed in no run: '{said.text}'"
        if not _n_invalid(c) and re.search(rf"\b{name} gave invalid", said.plain):
            yield f"{said.subject} gave no invalid probability: '{said.text}'"
        offers = [answers.probabilities is not None for answers in c.own.values()]
        denial = r"\boffers no probabilities|probabilities are not offered"
        is_denied = re.search(denial, said.plain)
        if is_denied and all(offers) and offers:
            yield f"{said.subject} offers probabilities: '{said.text}'"


def reproduced(texts: Texts, truth: Truth) -> Iterator[str]:
    """What scikit-learn's setting gives of the labels is the share that agrees."""
    pattern = rf"\(as scikit-learn\) gives ({N})\s% of"
    for said, c in compared(texts, truth):
        shown = re.findall(pattern, said.plain)
        is_tile = said.heading == "Predictions reproduced" and said.place == "tile of value"
        if is_tile and said.row.get("detail") == "as scikit-learn":
            shown += NUMBER.findall(said.text)
        if "are those of one setting (as scikit-learn)" in said.plain:
            shown.append("100")
        for text in shown:
            exact = 100 * (1 - c.differing / c.predictions) if c.predictions else np.nan
            if not Number.of(text).rounds(exact):
                yield f"{said.subject}: '{said.text}' is {exact:.2f} %"


def tones(texts: Texts, truth: Truth) -> Iterator[str]:
    """The colour of a sentence is that of what it says."""
    for said, c in compared(texts, truth):
        is_calm = _REASSURING.search(said.plain) and " but" not in said.plain
        if said.tone == "bad" and is_calm and "not" not in said.plain.lower():
            yield f"in the colour of alarm: '{said.text}'"
        if said.tone == "good" and said.subject != REFERENCE:
            is_bad = c.differing and "within" not in said.plain and "label" in said.plain
            if is_bad or c.failed or not c.predictions:
                yield f"{said.subject} in the colour of all's well: '{said.text}'"


def cross_tables(texts: Texts, truth: Truth) -> Iterator[str]:
    """A table of label against label holds all labels, and those that differ off it."""
    cells: dict[str, dict[tuple[str, str], int]] = {}
    for said in texts:
        says = f"{REFERENCE} says"
        if says in said.row and said.heading != says and NUMBER.fullmatch(said.text):
            table = cells.setdefault(said.subject, {})
            table[said.row[says], said.heading] = int(Number.of(said.text).value)
    for name, table in cells.items():
        c = truth.subjects[name]
        apart = sum(count for (row, column), count in table.items() if row != column)
        if (sum(table.values()), apart) != (c.predictions, c.differing):
            yield f"{name}: {apart} of {sum(table.values())} labels off the diagonal"


def disputed_rows(texts: Texts, truth: Truth) -> Iterator[str]:
    """A row in dispute was so in as many runs, of as many that tested it."""
    for said, c in compared(texts, truth):
        if said.heading != "runs in dispute":
            continue
        row = int(Number.of(said.row["row"]).value)
        tested = [r for r in c.shared if row in c.tests[r]]
        apart = sum(bool(c.apart[r][c.tests[r] == row].any()) for r in tested)
        # A row is counted as tested wherever the implementation itself had labels.
        own = sum(row in c.tests[r] for r in c.own)
        if said.text not in (f"{apart} of {len(tested)}", f"{apart} of {own}"):
            yield f"{said.subject}, row {row}: {said.text} is {apart} of {len(tested)}"


def bounds(texts: Texts, truth: Truth) -> Iterator[str]:
    """A bound on rows is not exceeded in a thousand runs."""
    if truth.fractions or not truth.hard.often:
        return
    for name in truth.competitors:
        told = [
            match
            for said, _ in compared(texts, truth)
            if said.subject == name and "runs like these" not in said.plain
            for match in _BOUND.finditer(said.plain)
        ]
        share = 100 * disputed_in_more_runs(truth.hard, name, MORE_RUNS) if told else 0
        for match in told:
            if share > float(match[1]):
                yield f"{name}: '{match[0]}', and {share:.1f} % do in {MORE_RUNS} runs"


def samples(texts: Texts, truth: Truth) -> Iterator[str]:
    """As many samples were tested as the test sides of the runs hold, taken together."""
    for said, c in compared(texts, truth):
        total = len(truth.hard.y)
        for text in re.findall(rf"\b[Aa]ll {COUNT} samples were tested", said.plain):
            if whole(text) != total or len(c.tested) != total:
                yield f"{said.subject}: '{said.text}' is {len(c.tested)} of {total}"
        for part, of in re.findall(rf"{COUNT} of {COUNT} samples were", said.plain):
            if (whole(part), whole(of)) != (len(c.tested), total):
                yield f"{said.subject}: '{said.text}' is {len(c.tested)} of {total}"


def distinct_rows(texts: Texts, truth: Truth) -> Iterator[str]:
    """Distinct rows are those of X, as many as were tested."""
    for said, c in compared(texts, truth):
        exact = c.distinct(c.disputed), c.distinct(c.tested)
        pattern = rf"{COUNT} of (?:the )?{COUNT} distinct rows?"
        for part, total in re.findall(pattern, said.plain):
            if (whole(part), whole(total)) != exact:
                yield f"{said.subject}: {part} of {total} distinct rows is {exact}"


def explained(texts: Texts, truth: Truth) -> Iterator[str]:
    """A disagreement is one of the runs, redone, and so is its label."""
    for said in texts:
        named = [name for name in truth.competitors if name in said.row]
        if said.heading != "truth" or "run" not in said.row or not named:
            continue
        c = truth.subjects[named[0]]
        run, row = (int(Number.of(said.row[name]).value) for name in ("run", "row"))
        place = int(np.flatnonzero(c.tests[run] == row)[0])
        labels = c.y[row], c.reference[run].labels[place], c.own[run].labels[place]
        shown = (said.text, said.row[REFERENCE], said.row[named[0]])
        if tuple(map(str, labels)) != shown or labels[1] == labels[2]:
            yield f"{named[0]}, run {run}, row {row}: {shown} is {labels}"
