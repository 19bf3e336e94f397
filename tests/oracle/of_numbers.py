"""Rules on numbers: means, differences, p values, sizes; each is that of the runs."""

import re
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from oracle.comparing import SHORT, N, Texts, compared, metric_of, whole
from oracle.said import NUMBER, Number, Said, numbers
from oracle.truth import REFERENCE, Compared, Truth, corrected_p
from oracle.wording import COUNT

_MORE = re.compile(rf"({N}) points (more|less) accurate")
FEW_ROWS, LEVEL = 10, 0.05


def largest_differences(texts: Texts, truth: Truth) -> Iterator[str]:
    """The largest difference of probabilities is that of the runs, redone."""
    pattern = rf"[Pp]robabilities differ by up to ({N})"
    for said, c in compared(texts, truth):
        shown = re.findall(pattern, said.plain) * ("Without it" not in said.plain)
        is_own = said.row.get("") == "Largest |Δp|" and said.heading == said.subject
        if said.heading == "largest |Δp|" or is_own:
            shown += NUMBER.findall(said.text)
        if said.heading.startswith("Largest probability") and said.place == "tile of value":
            shown += NUMBER.findall(said.text)
        for text in shown:
            # Two ways to the same sums differ by some of the last digits.
            number = Number.of(text)
            near = abs(number.value - c.largest_gap) <= number.step + 1e-15
            if not near and not c.largest_gap < 1e-14:
                yield f"{said.subject}: |Δp| {text} is {c.largest_gap:.4g}"


def one_way(texts: Texts, truth: Truth) -> Iterator[str]:
    """A quantity is written with the same digits in verdict, tile, table and terminal."""
    written: dict[tuple[str, str], set[str]] = {}
    for said, c in compared(texts, truth):
        is_elsewhere = "95" in said.heading or said.heading in ("median", "p (Holm)")
        if is_elsewhere or "train fraction" in said.row or not c.shared:
            continue
        about = f"{said.heading} {said.row.get('', '')} {said.plain}".lower()
        quantities = {
            "per run": float(np.mean(c.per_run)),
            "accuracy": float(np.mean(c.values("test accuracy"))),
            "δp": c.largest_gap,
            "probabilit": c.largest_gap,
        }
        for word, value in quantities.items():
            text = re.sub(r"(?:median|p =) [\d.,]+", "", said.plain)
            for number in numbers(text) if word in about else ():
                if number.rounds(value) and number.step < 1:
                    key = said.subject, word.replace("probabilit", "δp")
                    written.setdefault(key, set()).add(number.text.replace("\xa0", " "))
    for (name, word), texts_of_it in written.items():
        if len(texts_of_it) > 1:
            yield f"{name}: {word}: {' and '.join(sorted(texts_of_it))}"


def means(texts: Texts, truth: Truth) -> Iterator[str]:
    """A mean is that of the runs; what stands side by side is over the same runs."""
    for said, c in compared(texts, truth):
        row, metric = said.row, metric_of(said)
        shown = NUMBER.findall(said.text.partition(" (")[0])
        values = None
        if said.heading.startswith("mean (95") and "implementation" in row:
            values = c.values(metric)
        elif (
            said.place == "terminal"
            and said.heading in (said.subject, REFERENCE)
            and "" in row
        ):
            whose = c.own if said.heading == said.subject else c.reference
            if not c.shared:
                continue
            values = np.array([whose[r].scores.get(metric, np.nan) for r in c.shared])
            values = values[~np.isnan(values)]
            if metric not in SHORT.values() and metric != "log loss":
                continue
        if values is None or metric == "expected calibration error" or not shown:
            continue
        exact = float(np.mean(values)) if len(values) else np.nan
        if not Number.of(shown[0]).rounds(exact):
            yield f"{said.subject}, {said.heading}: {metric} {shown[0]} is {exact:.5f}"


def differences(texts: Texts, truth: Truth) -> Iterator[str]:
    """A difference is its own minus the reference's, over the runs that both have."""
    for said, c in compared(texts, truth):
        metric = metric_of(said)
        if not said.heading.startswith("difference") or said.subject == REFERENCE:
            continue
        shown = re.match(rf"({N})(?: \(|$)", said.text)
        values = c.differences(metric)
        if not shown or not len(values) or "model" in said.row:
            continue
        if not Number.of(shown[1]).rounds(float(np.mean(values))):
            yield f"{said.subject}: {metric} {shown[1]} is {np.mean(values):.5f}"


def effects(texts: Texts, truth: Truth) -> Iterator[str]:
    """More accurate is a difference with its sign, which two tests do not call chance."""
    for said, c in compared(texts, truth):
        changes = c.differences("test accuracy")
        mean = 100 * float(np.mean(changes)) if len(changes) else np.nan
        for match in _MORE.finditer(said.plain):
            is_more = match[2] == "more"
            if (mean > 0) != is_more or not Number.of(match[1]).rounds(abs(mean)):
                yield f"{said.subject}: '{match[0]}', and the mean is {mean:.3f} points"
            n_rows = c.distinct(c.disputed)
            is_of_others = "on this split" not in said.plain
            if n_rows < FEW_ROWS and not c.sign_test < LEVEL and is_of_others:
                yield f"{said.subject}: '{match[0]}' from {n_rows} rows"


def one_split(texts: Texts, truth: Truth) -> Iterator[str]:
    """What one split shows is not called unclear beside a p value that says it is not."""
    for said, c in compared(texts, truth):
        p = re.search(rf"\bp (?:= |< )({N})", said.plain)
        if c.planned == 1 and p and "unclear" in said.plain and float(p[1]) < LEVEL:
            yield f"{said.subject}: '{said.text}'"


def _tested(texts: Texts, truth: Truth) -> Iterator[tuple[Said, Compared, Number, str]]:
    """Yield the p values of the table of scores, each with the difference beside it."""
    for said, c in compared(texts, truth):
        is_p = said.heading == "p (Holm)" and "metric" in said.row
        if is_p and "model" not in said.row and NUMBER.search(said.text):
            change = said.row["difference (95 % interval)"]
            yield said, c, Number.of(NUMBER.findall(said.text)[0]), change


def p_values(texts: Texts, truth: Truth) -> Iterator[str]:
    """A p value is at least that of the corrected t test."""
    for said, c, p, _ in _tested(texts, truth):
        changes = c.differences(metric_of(said))
        exact = corrected_p(changes, truth.n_train, truth.n_test)
        least = exact - (0 if said.text.startswith("<") else 0.5 * p.step)
        if p.value < least:
            yield f"{said.subject}: {metric_of(said)}: p {said.text} is {exact:.4f}"


def p_beside_intervals(texts: Texts, truth: Truth) -> Iterator[str]:
    """A p value of a sole competitor is below 5 % where its interval leaves 0 out."""
    for said, _, p, change in _tested(texts, truth):
        ends = re.search(rf"\(({N}) to ({N})\)", change)
        if not ends or len(truth.competitors) > 1:
            continue
        low, high = (Number.of(end).value for end in ends.groups())
        is_small = said.text.startswith("<") or p.value < LEVEL
        if is_small != (low > 0 or high < 0) and min(abs(low), abs(high)) > 0:
            yield f"{said.subject}: {metric_of(said)}: p {said.text} beside {change}"


def clipped(texts: Texts, truth: Truth) -> Iterator[str]:
    """As many probabilities are clipped for the log loss as are below machine epsilon."""
    for said in texts:
        if not said.text.startswith("For the log loss"):
            continue
        pattern = rf"{COUNT} of {COUNT} predictions? of (\w+)"
        for part, total, name in re.findall(pattern, said.text):
            c = truth.subjects[name]
            exact = int(c.values("clipped").sum()), len(c.own) * truth.n_test
            if (whole(part), whole(total)) != exact:
                yield f"{name}: {part} of {total} clipped predictions is {exact}"


def sizes(texts: Texts, truth: Truth) -> Iterator[str]:
    """Rows, features, runs and sides are as many as there are."""
    X, y = np.asarray(truth.hard.X, dtype=float), np.asarray(truth.hard.y)
    rows = [(*x, label) for x, label in zip(X.tolist(), y.tolist(), strict=True)]
    n_duplicates = len(rows) - len(set(rows))
    facts = {"rows": len(X), "features": X.shape[1], "duplicates": n_duplicates}
    one = next(iter((truth.fractions or {0: truth}).values())).subjects[REFERENCE].planned
    sides = {"train": truth.n_train, "test": truth.n_test, "runs": one}
    for said in texts:
        name, _, value = said.text.partition(": ")
        is_fact = "section data" in said.place and name in facts and NUMBER.match(value)
        if is_fact and Number.of(NUMBER.findall(value)[0]).value != facts[name]:
            yield f"'{said.text}', where there are {facts[name]}"
        if said.place != "setting" or truth.fractions:
            continue
        for noun, exact in sides.items():
            for count in re.findall(rf"{COUNT} {noun.removesuffix('s')}s?\b", said.text):
                if whole(count) != exact:
                    yield f"'{said.text}': {noun} {exact}"


def features(texts: Texts, truth: Truth) -> Iterator[str]:
    """What the data say of each feature is what NumPy says of it."""
    X = np.asarray(truth.hard.X, dtype=float)
    measures: Mapping[str, Callable[[np.ndarray], float]] = {
        "minimum": np.min,
        "maximum": np.max,
        "mean": np.mean,
        "distinct values": lambda x: len(np.unique(x)),
    }
    for said in texts:
        if not said.place.endswith(": Features") or said.heading not in measures:
            continue
        exact = float(measures[said.heading](X[:, int(said.row["feature"][1:])]))
        near = abs(numbers(said.text)[0].value - exact) <= 5.01e-4 * abs(exact)
        if not near and not numbers(said.text)[0].rounds(exact):
            yield f"{said.row['feature']}: {said.heading} {said.text} is {exact:.6g}"
