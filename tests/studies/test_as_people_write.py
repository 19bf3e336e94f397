"""Code as people write it runs unchanged, and every sentence about it is true."""

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults.as_people_write import BROKEN, CONSTANT, NOT_GNB, PERSONS, PRIOR, RULE, Person
from faults.checks import checked_summary, findings_of
from faults.plain_bayes import DEFAULT, disagreements, made, splits
from reading import shown

import gnbbench
from gnbbench import Study
from gnbbench.errors import GnbBenchError
from gnbbench.report.check import report

pytestmark = pytest.mark.slow

UNDECIDED = "undecided"
# Fields of a formula -> the causes that they are called by.
STEPS = {
    "ddof": {"variance-divisor"},
    "smoothing": {"no-smoothing", "smoothing-rule", "stateful"},
    "prior": {"prior"},
    "space": {"underflow"},
    "floor": {"density-floor"},
    "mistake": {"not-gnb", "learned", "density-formula", "left-out"},
}
# This many labels prove a cause.
FEWEST = 8
# Rules of smoothing -> words that a summary may have for them.
RULE_WORDS = {
    "added": r"adds [^×;]+ to every variance|standard deviation \+ ",
    "all entries": r"adds 1e-9 × the variance of all numbers to every",
    "at least": r"max\(variance|below",
    "if zero": r"zero|max\(variance|adds",
    "deviation": r"deviation",
    "widest": r"deviation",
    "in the density": r"in the density",
    "grows with each row": r"",
}
RUNNING = [person for person in PERSONS if person not in BROKEN]


def each(persons: Iterable[Person]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("person", persons, ids=lambda person: person.source)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the made data."""
    path = tmp_path_factory.mktemp("people")
    X, y = made()
    lines = zip(X.tolist(), y, strict=True)
    rows = [",".join([*map(repr, row), label]) for row, label in lines]
    head = ",".join([*(f"x{place}" for place in range(X.shape[1])), "class"])
    (path / "made.csv").write_text("\n".join([head, *rows]) + "\n")
    return path


@pytest.fixture(scope="session")
def explained(folder: Path) -> Callable[[Person], Study]:
    """Give what `gnbbench explain` finds; a file is written and explained once."""

    @cache
    def give(person: Person) -> Study:
        own = {"target": "class"} if person.where == "made" else {}
        data = folder / "made.csv" if person.where == "made" else person.where
        return gnbbench.explain(
            data,
            against=person.write(folder / person.source),
            runs=person.runs,
            **own,
        )

    return give


def found_in(study: Study) -> Any:
    (found,) = study.details.details["diagnoses"].values()
    return found


def all_rows(person: Person) -> int:
    return sum(len(split[2]) for split in splits(person.where, person.runs))


@each(RUNNING)
def test_the_truth_can_be_seen_in_labels(person: Person) -> None:
    """Each step said to matter moves labels when it alone is undone."""
    if person.formula is None:
        return
    steps = [n for n in STEPS if getattr(person.formula, n) != getattr(DEFAULT, n)]
    causes = set().union(*(STEPS[name] for name in steps)) | ({NOT_GNB} & person.shows)
    assert person.shows | person.may | person.other <= causes
    for name, cause in product(steps, sorted(person.shows)):
        if cause in STEPS[name]:
            back = person.formula.restored(name)
            moved = disagreements(person.formula, back, person.where, person.runs)
            assert moved >= FEWEST, name
    differing = disagreements(person.formula, DEFAULT, person.where, person.runs)
    assert bool(differing) == bool(person.shows)


@each(RUNNING)
def test_real_code_runs_and_every_sentence_about_it_is_true(
    person: Person, explained: Callable[[Person], Study]
) -> None:
    study = explained(person)
    found, screen = found_in(study), shown(study.document, width=10_000)

    _all_rows_are_labelled(found, person)
    _no_cause_is_wrong(found, person)
    _counts_are_true(found, screen, person)
    _amounts_are_true(found, person)
    _nothing_is_contradicted(found, screen)
    _check_is_true(found, person)
    for words in person.told:
        assert re.search(words, screen), words


def test_a_false_sentence_of_a_check_is_found(explained: Callable[[Person], Study]) -> None:
    """Negative control: counts, amounts and code that are not so."""
    (person,) = (one for one in RUNNING if one.source == "log_of_pdf")
    diagnosis = found_in(explained(person))
    (cause,) = (one for one in diagnosis.causes if one.cause == "no-smoothing")
    n, remedy = diagnosis.n_disagreements, cause.remedy
    false = [
        {"n_disagreements": n + 1},
        {"n_disagreements": 0, "causes": ()},
        {"causes": (replace(cause, explained=n + 1),)},
        {"causes": (replace(cause, explained=1),), "unexplained": 0},
        {"causes": (replace(cause, remedy=re.sub(r"is, \S+ here", "is, 7 here", remedy)),)},
        {"causes": (replace(cause, remedy=remedy.replace("max()", "max(")),)},
    ]

    for fields in false:
        with pytest.raises((AssertionError, SyntaxError)):
            _check_is_true(replace(diagnosis, **fields), person)


@each(BROKEN)
def test_code_that_cannot_run_is_reported_with_its_line(
    person: Person, explained: Callable[[Person], Study]
) -> None:
    try:
        screen = shown(explained(person).document, width=10_000)
    except GnbBenchError as error:
        screen = str(error)

    lines = person.text.splitlines()
    number = 1 + [line.strip() for line in lines].index(person.fails_in)
    assert re.search(rf"{person.source}\.py[:,] (line )?{number}\b", screen)
    assert person.fails_in in screen
    for words in person.told:
        assert re.search(words, screen), words
    assert "no difference" not in screen


def _all_rows_are_labelled(diagnosis: Any, person: Person) -> None:
    assert "crash" not in {cause.cause for cause in diagnosis.causes}
    assert diagnosis.n_predictions == all_rows(person)
    if person.formula is not None:
        wanted = disagreements(person.formula, DEFAULT, person.where, person.runs)
        assert diagnosis.n_disagreements == wanted


def _no_cause_is_wrong(diagnosis: Any, person: Person) -> None:
    """Check that causes are true, and that all that labels prove are named."""
    causes = {cause.cause for cause in diagnosis.causes}
    names = causes - {UNDECIDED}
    assert names <= person.shows | person.may | person.other
    assert diagnosis.same == (not person.shows) or not diagnosis.n_disagreements
    if not names & person.other:
        assert names <= person.shows | person.may
        assert person.shows <= names


def _counts_are_true(diagnosis: Any, screen: str, person: Person) -> None:
    """Check that numbers of labels are those of the oracle, and that they add up."""
    stated = re.findall(r"([\d,]+) of ([\d,]+) (?:labels|predictions)", screen)
    pairs = {tuple(int(number.replace(",", "")) for number in pair) for pair in stated}
    assert all(total == diagnosis.n_predictions for _, total in pairs)
    if person.formula is not None and pairs:
        wanted = disagreements(person.formula, DEFAULT, person.where, person.runs)
        assert {number for number, _ in pairs} <= {wanted, diagnosis.n_predictions}
    missing = all_rows(person) - diagnosis.n_predictions
    for cause in diagnosis.causes:
        most = missing if cause.cause == "crash" else diagnosis.n_predictions
        assert 0 <= cause.explained <= most
    explained = sum(bool(row.causes) for row in diagnosis.disagreements)
    assert explained + diagnosis.unexplained >= len(diagnosis.disagreements)


def _check_is_true(found: Any, person: Person) -> None:
    """Check what `gnbbench check` says about a diagnosis against the code."""
    document = report(checked_summary(findings_of(found, person.where)))
    screen = shown(document, width=10_000)
    head, total = screen.splitlines()[1], f"{found.n_predictions:,}"
    differ = found.n_disagreements
    if person.formula is not None:
        differ = disagreements(person.formula, DEFAULT, person.where, person.runs)
    words = f"differs from scikit-learn in {differ:,} of {total} labels."
    assert words in head if differ else "gives scikit-learn's labels" in head
    assert (f"differ: {person.where} {differ:,} of {total}." in screen) == bool(differ)
    assert len(shown(document).splitlines()) <= 21  # With four more on cases and times
    plain = screen.replace(",", "")
    counts = [int(n) for n in re.findall(r"^\d\. .*\((\d+) label", plain, re.MULTILINE)]
    unclear = re.findall(r"^(\d+) of the \d+ labels? that differ ha", plain, re.MULTILINE)
    text = sum(counts) + sum(map(int, unclear))
    assert max(counts, default=0) <= differ
    if not re.search(r"^\d\. .*\(on ", plain, re.MULTILINE):  # Each cause with a number
        assert text >= differ
        assert ("is counted for each" in screen) == (text > differ)
    for line in re.findall(r"^   To agree: .*:\n(.*)$", screen, re.MULTILINE):
        ast.parse(line)
    largest = [split[0].var(axis=0).max() for split in splits(person.where, person.runs)]
    for given in re.findall(rf"\(that is, (\S+) on {person.where}\)", screen):
        assert float(given) == pytest.approx(1e-9 * np.median(largest), rel=6e-3)


def _amounts_are_true(diagnosis: Any, person: Person) -> None:
    """Check each amount and rule against what was written."""
    for cause in diagnosis.causes:
        words = f"{cause.estimate} {cause.summary}"
        if cause.cause == RULE and person.amount is not None and person.formula:
            low, high = person.amount
            rule = person.formula.smoothing[0]
            assert isinstance(cause.estimate, float)
            assert low <= cause.estimate <= high
            assert re.search(RULE_WORDS[rule], cause.summary), cause.summary
            is_exact = rule not in {"in the density", "widest"}
            if cause.interval and is_exact:
                written = person.formula.smoothing[1]
                assert cause.interval[0] <= written <= cause.interval[-1]
        if cause.cause == PRIOR and person.formula and person.formula.prior == "none":
            assert "uniform" in words
        if cause.cause == "no-smoothing" and person.formula:
            assert person.formula.smoothing[1] < 1e-5


def _nothing_is_contradicted(diagnosis: Any, screen: str) -> None:
    """Check that no two sentences of a screen exclude each other."""
    outcomes = {cause.cause for cause in diagnosis.causes}
    assert ("gives the same answers" in screen) <= (not outcomes)
    assert ("no difference" in screen) <= (diagnosis.n_disagreements == 0)
    assert ("Every disagreement is explained" in screen) <= (
        not diagnosis.unexplained and diagnosis.n_disagreements > 0
    )
    if outcomes & {NOT_GNB, UNDECIDED}:
        assert "Every disagreement is explained" not in screen or not any(
            cause.explained for cause in diagnosis.causes if cause.cause == UNDECIDED
        )
        assert not re.search(r"reproduces? 100 %|100 % (of|are) .*reproduced", screen)
    if NOT_GNB in outcomes:
        assert outcomes <= {NOT_GNB, "tie"}
    if CONSTANT in outcomes:
        assert outcomes == {CONSTANT}
        assert "fitted variant" not in screen
