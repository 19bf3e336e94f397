"""Diagnoses in words: headlines, tones, counts of a cause, and how sure it is."""

from collections.abc import Mapping

from gnbbench.diagnosis import CAUSES, Cause, Diagnosis
from gnbbench.diagnosis.findings import CRASH, NAN, NOT_GNB, TIE, UNSEEN_CLASS
from gnbbench.words import DASH, count, listing, plural, printable, share, significant

# Causes that are failures, whether a label differs or not.
FAILURES = frozenset({CRASH, NAN, UNSEEN_CLASS, NOT_GNB})
MOST_NAMED = 3


def headline_of(diagnosis: Diagnosis, name: str, reference: str) -> str:
    """Return what differs and why, in one sentence."""
    n, total = diagnosis.n_disagreements, plural(diagnosis.n_predictions, "prediction")
    reasons = "; ".join(CAUSES[cause.cause] for cause in diagnosis.causes[:MOST_NAMED])
    beyond = len(diagnosis.causes) - MOST_NAMED
    if beyond > 0:
        reasons += f"; and {plural(beyond, 'more cause')}"
    if not diagnosis.n_predictions:
        what = f"{name} gives no labels to compare" if reasons else "Nothing was compared"
        return f"{what}: {reasons or f'no run of {reference} has labels'}."
    if not diagnosis.causes:
        if n:
            return f"{name} differs from {reference} in {count(n)} of {total}, unexplained."
        return f"{name} does what {reference} does in {total}."
    if n:
        return f"{name} differs from {reference} in {count(n)} of {total}: {reasons}."
    return f"{name} gives the labels of {reference}, and yet: {reasons}."


def verdict_of(diagnosis: Diagnosis, name: str, reference: str) -> str:
    """Return the verdict; where no run of either has labels, that there is none."""
    if diagnosis.n_predictions or diagnosis.causes:
        return printable(diagnosis.verdict)
    return headline_of(diagnosis, name, reference)


def several_headline(found: Mapping[str, Diagnosis], reference: str) -> str:
    """Return how many implementations differ in labels or otherwise, in one sentence."""
    groups: dict[str, list[str]] = {"labels": [], "other": [], "same": [], "none": []}
    for name, diagnosis in found.items():
        groups[_group(diagnosis)].append(name)
    parts = [
        f"{_named(names)} {verbs[len(names) > 1]} {rest}"
        for key, verbs, rest in (
            ("labels", ("differs", "differ"), f"from {reference} in labels"),
            ("other", ("gives", "give"), "the same labels in another way"),
            ("same", ("does", "do"), f"what {reference} does"),
            ("none", ("gives", "give"), "nothing to compare"),
        )
        if (names := groups[key])
    ]
    return "; ".join(parts) + "."


def tone_of(diagnosis: Diagnosis) -> str:
    """Return "good" for no difference, "bad" for another label or failure, else "unsure".

    Labels that differ within rounding alone are no fault, and so unsure.
    """
    found = {cause.cause for cause in diagnosis.causes}
    if found & FAILURES:
        return "bad"
    if diagnosis.n_disagreements and found != {TIE}:
        return "bad"
    return "unsure" if found or not diagnosis.n_predictions else "good"


def outcome_of(diagnosis: Diagnosis) -> str:
    """Return the causes by name, the most important one first."""
    if diagnosis.causes:
        return listing([cause.cause for cause in diagnosis.causes])
    if not diagnosis.n_predictions:
        return "nothing compared"
    return "unexplained" if diagnosis.n_disagreements else "no difference"


def explained_text(cause: Cause) -> str:
    """Return how much a cause accounts for, with what is counted."""
    if cause.cause == CRASH:
        return f"{plural(cause.explained, 'prediction')} missing"
    if cause.cause == NAN:
        return f"{plural(cause.explained, 'row')} without probabilities"
    return plural(cause.explained, "disagreement")


def estimate_text(cause: Cause) -> str:
    """Return the amount or choice that was found; a dash where there is none."""
    if cause.estimate is None:
        return DASH
    if isinstance(cause.estimate, str):
        return printable(cause.estimate)
    return significant(float(cause.estimate), 4)


def is_reproduced(diagnosis: Diagnosis) -> bool:
    """Return whether the setting found is what the implementation does."""
    return all(cause.cause not in {NOT_GNB, CRASH} for cause in diagnosis.causes) and (
        diagnosis.n_predictions > 0
    )


def explained_number(diagnosis: Diagnosis) -> int:
    """Return the disagreements that have a cause other than not being GNB at all."""
    without = next((c.explained for c in diagnosis.causes if c.cause == NOT_GNB), 0)
    return diagnosis.n_disagreements - diagnosis.unexplained - without


def difference_text(diagnosis: Diagnosis) -> str:
    """Return the largest remaining probability difference; a dash where none is known."""
    largest = diagnosis.largest_remaining_difference
    return DASH if largest is None else significant(largest, 2)


def sureness(diagnosis: Diagnosis) -> str:
    """Return how well the setting found reproduces the implementation, in one sentence."""
    if not diagnosis.n_predictions:
        return "No prediction could be compared."
    told = (
        f"The setting found ({printable(diagnosis.setting)}) reproduces "
        f"{share(diagnosis.reproduced_share)} of "
        f"{plural(diagnosis.n_predictions, 'prediction')}"
    )
    if diagnosis.largest_remaining_difference is None:
        return f"{told}; probabilities are not offered."
    largest = difference_text(diagnosis)
    return f"{told}; the largest remaining probability difference is {largest}."


def remainder(diagnosis: Diagnosis) -> str:
    """Return what remains unexplained, in one sentence."""
    n = diagnosis.n_disagreements
    if not n:
        return "No label differs."
    left = n - explained_number(diagnosis)
    if not left:
        return "Every disagreement is explained." if n > 1 else "It is explained."
    return f"{count(left)} of {plural(n, 'disagreement')} remain unexplained."


def _group(diagnosis: Diagnosis) -> str:
    if not diagnosis.n_predictions:
        return "none"
    if diagnosis.n_disagreements:
        return "labels"
    return "other" if diagnosis.causes else "same"


def _named(names: list[str]) -> str:
    beyond = len(names) - MOST_NAMED
    shown = names[:MOST_NAMED] + ([f"{beyond} more"] if beyond > 0 else [])
    return listing(shown)
