"""What a diagnosis says: the verdict, its causes and each disagreement explained.

``words.toml`` holds the names of causes and positions of knobs, and the remedies.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gnbbench.arrays import FloatArray
from gnbbench.diagnosis import variants
from gnbbench.diagnosis.acceptance import Identified
from gnbbench.diagnosis.observations import NOT_TRIED, Cut, Observation
from gnbbench.diagnosis.variants import IN_DENSITY, NONE, WORDS, Variant, moved, words_of
from gnbbench.tracebacks import hint_on
from gnbbench.words import amount, count, counted, listing, plural, two_digits

# Causes other than a knob of the formulas, or that are named separately.
TIE = "tie"
NAN = "nan"
UNSEEN_CLASS = "unseen-class"
PROBABILITIES = "probabilities"
UNNORMALISED = "unnormalised"
CLIPPED = "clipped"
ROWS = "left-out-rows"
LEFT_OUT = "left-out"
LEFT_OUT_CLASS = "left-out-class"
AS_MANY = ", as many as there are classes"  # Features that alone are used
PRECISION = "precision"
CONTRADICTION = "contradiction"
CONSTANT = "constant"
ROUNDING = "rounding"
COVARIANCES = "full-covariances"
ESTIMATES = "estimates"
LEARNED = "learned"
FORM = "density-formula"
CATEGORIES = "categories"
DECISION = "decision"
UNDERFLOW = "underflow"
STATEFUL = "stateful"
ORDER = "class-order"
ALONE = "alone"
MUTATION = "mutation"
HARD_CASE = "hard-case"
UNDECIDED = "undecided"
NOT_GNB = "not-gnb"
CRASH = "crash"

CAUSES = WORDS["causes"]


@dataclass(frozen=True)
class Cause:
    """One reason why an implementation differs."""

    cause: str  # A key of `CAUSES`
    # Disagreements; of a crash the predictions missing, of NaN rows without probabilities
    explained: int
    estimate: float | str | None  # The amount or choice found, where the cause has one
    evidence: str  # The evidence for it, in one sentence
    summary: str = ""  # What the implementation does, in one sentence
    remedy: str = ""  # How to agree with the reference; empty if unknown
    # Amounts that do as well as the estimate; None if there is no amount
    interval: tuple[float, ...] | None = None
    kind: str = ""  # One of the following, or the rule of an amount


LABELS = "labels"  # Later calls give other labels
TABLES = "tables"  # One table contradicts another
UNEXPLAINED = "unexplained"  # No setting tried gives these probabilities


def changes_labels(causes: Iterable[Cause]) -> bool:
    """Return whether later calls give other labels, rather than fail."""
    return any(cause.cause == STATEFUL and cause.kind == LABELS for cause in causes)


def stated(
    cause: str,
    explained: int,
    text: str,
    remedy: str = "",
    estimate: str | None = None,
    *,
    kind: str = "",
) -> Cause:
    """Return a cause that one sentence describes."""
    return Cause(cause, explained, estimate, text, text, remedy, kind=kind)


@dataclass(frozen=True, eq=False)
class ExplainedDisagreement:
    """One sample of one run whose labels differ."""

    run: int  # Position among the splits
    row: int  # Index of the sample in the dataset
    truth: Any
    reference_label: Any
    label: Any
    # Causes that alone restore the reference's label when switched back; two if only both
    # do; empty if none does
    causes: tuple[str, ...]
    # Lead of the reference's label over the other one, under the reference's formulas
    margin: float
    features: FloatArray  # (n_features,)
    # (n_classes,): None where probabilities are not offered
    reference_posterior: FloatArray | None
    posterior: FloatArray | None
    # (n_features,): Of each feature to the log-odds of the reference's label over the other
    # one, under the reference's formulas and under the variant found (NaN if undefined)
    reference_contributions: FloatArray
    contributions: FloatArray

    @property
    def cause(self) -> str | None:
        """The causes as one word, None if nothing explains the disagreement."""
        return " + ".join(self.causes) or None


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """How an implementation differs from the reference, and why."""

    verdict: str  # One sentence
    same: bool  # No label, probability or parameter differs beyond rounding
    causes: tuple[Cause, ...] = ()  # The most important one first
    n_disagreements: int = 0  # Labels that differ, out of
    n_predictions: int = 0  # those compared
    unexplained: int = 0  # Disagreements without a cause
    # Of predictions: the variant found gives the label and, where offered, the posterior
    reproduced_share: float = 0.0
    # Between posteriors; None where probabilities are not offered
    largest_remaining_difference: float | None = None
    setting: str = ""  # The variant of Gaussian naive Bayes that was found, in words
    disagreements: tuple[ExplainedDisagreement, ...] = ()  # The first 200; all are counted
    # Other causes that would give the same labels, if only labels are
    # offered. More runs may distinguish them.
    rivals: tuple[str, ...] = ()
    # What could be done differently without changing a label on these data; empty if
    # probabilities are offered, which would show it
    not_shown: tuple[str, ...] = ()


# What is said of several spaces that do as well.
_EITHER = {name: {*text.split("; ")} for name, text in WORDS["several_spaces"].items()}
# Amounts down to it were tried: near the smallest double that keeps all its digits.
TINY = 1e-306
# A floor this low is told as one that zeros alone show.
SMALL = 1e-299


def cause_of_knob(
    knob: str,
    result: Identified,
    base: Variant,
    explained: tuple[int, int],
    largest_variance: float,
) -> Cause:
    """Return the cause that a moved knob stands for.

    `explained` has the number of disagreements that it alone explains, and of all.
    """
    variant, summary = result.variant, summary_of(knob, result)
    if limit := result.limits.get(knob):
        summary = f"{summary.removesuffix('.')}; {limit}."
    estimate: float | str | None = None
    kind = ""
    if knob not in variants.AMOUNTS:
        estimate = words_of(knob, variant)
        kind = _space_of(result) if knob == "space" else ""
    elif position := getattr(variant, knob):
        estimate, kind = float(position.amount), position.rule
    return Cause(
        variants.cause_of(knob, variant),
        explained[0],
        estimate,
        _evidence_of(knob, result, *explained),
        summary,
        remedy_of(knob, result, base, largest_variance),
        result.intervals.get(knob),
        kind,
    )


def summary_of(knob: str, result: Identified) -> str:
    """Return what an implementation does with a knob, in one sentence."""
    variant, interval = result.variant, result.intervals.get(knob, (0.0, 0.0))
    words = words_of(knob, variant)
    if knob == "smoothing" and variant.smoothing is None:
        most = f": a constant up to about {amount(interval[1])} does the same"
        below = f", or too little to show{most}" if interval[1] else ""
        return f"It adds nothing to the variances{below}."
    if knob in variants.AMOUNTS:
        return _amount_summary(knob, result)
    if knob == "prior" and isinstance(variant.prior, tuple):
        shares = listing([amount(share) for share in variant.prior])
        binary = ", or a threshold other than 1/2" if len(variant.prior) == 2 else ""
        return f"It uses the priors {shares} in every run{binary}."
    if knob == "prior":
        key = str(_key(knob, variant, "does_with_prior"))
        return WORDS["does_with_prior"].get(key, "It uses other priors.")
    if knob == "space":
        text, alike = WORDS["does_with_space"][_space_of(result)], (variant, *result.equals)
        if variant.form == "no minus":
            text = re.sub("underflow(ed)? to zero", r"overflow\1", text)
        ties = {v.ties for v in alike if replace(v, ties=variant.ties) == variant}
        classes = {words: 0 for rule, words in variants.TIES.items() if rule in ties}
        return f"{text}; {' or '.join(classes)} gets such rows."
    return WORDS["does"][_key(knob, variant, "does")].format(words=words)


def _amount_summary(knob: str, result: Identified) -> str:
    """Return which amount is used, and which others do the same."""
    low, high = result.intervals.get(knob, (0.0, 0.0))
    # Labels alone do not show whether zeros are raised or, say, left out.
    if knob == "floor" and low <= SMALL and not (result.fit and result.fit.n_compared):
        return str(WORDS["does"]["tiny floor"])
    words = words_of(knob, result.variant)
    smoothing = result.variant.smoothing
    if knob == "smoothing" and smoothing and smoothing.rule in IN_DENSITY:
        words = " or ".join([words, *_same_knob(knob, result)])
    about = "about " if _is_rough(knob, result) else ""
    uses = f"It uses {words}"
    if words.startswith("variance + "):
        uses = f"It adds {about}{words.removeprefix('variance + ')} to every variance"
    others = (
        f"anything from {amount(low)} to" if low > TINY else "any positive number up to"
    )
    span = f"; {others} {amount(high)} does the same"
    return f"{uses}{span if high > max(1.05 * low, NONE) else ''}."


def _space_of(result: Identified) -> str:
    """Return how densities are lost, or the name of several ways that do as well."""
    spaces = {equal.space for equal in (result.variant, *result.equals)}
    names = (name for name, several in _EITHER.items() if several <= spaces)
    return next(names, result.variant.space)


def remedy_of(knob: str, result: Identified, base: Variant, largest_variance: float) -> str:
    """Return what to write to agree with the reference."""
    if base != variants.DEFAULT:
        return f"The reference has {words_of(knob, base)}."
    text = WORDS["remedy"][_key(knob, result.variant, "remedy")]
    here, instead = amount(1e-9 * largest_variance), ""
    if knob == "smoothing":
        instead = _instead(result)
    return text.format(here=here, instead=instead, **WORDS["code"])


def _instead(result: Identified) -> str:
    """Return which amount scikit-learn's smoothing is to replace, in words."""
    smoothing = result.variant.smoothing
    if smoothing is None or smoothing.rule == "match":
        return ""
    number = amount(smoothing.amount)
    if smoothing.rule in variants.RELATIVE or smoothing.rule == "floor":
        number = words_of("smoothing", result.variant).removeprefix("variance + ")
    low, high = result.intervals.get("smoothing", (1.0, 1.0))
    is_rough = high > max(1.05 * low, NONE) or _is_rough("smoothing", result)
    return f" in place of {'about' if is_rough else 'your'} {number}"


def _is_rough(knob: str, result: Identified) -> bool:
    """Return whether labels alone show an amount that needs more than two digits."""
    number, fit = getattr(result.variant, knob).amount, result.fit
    return float(f"{number:.1e}") != number and fit is not None and not fit.n_compared


def _key(knob: str, variant: Variant, words: str) -> str:
    """Return the key of a knob's words: its position if that has any, else the knob."""
    rule = getattr(variant.smoothing, "rule", "")
    if words == "remedy" and rule in (*IN_DENSITY, "match"):
        rule = "in the density"
    elif words == "remedy" and rule == "floor":
        rule = "smoothing"  # That of the knob "floor" is about densities
    prior = "given" if isinstance(variant.prior, tuple) else variant.prior
    if prior == "square root" and "variances" in variant.form + variant.pooling:
        prior = "whole squares"  # Common variances leave the normaliser aside
    place = {
        "class order": "listed" if variant.listed else "",
        "form": variant.form,
        "pooling": variant.pooling,
        "formula": variant.formula,
        "prior": prior,
        "smoothing": rule,
        "space": variant.space,
    }.get(knob)
    return place if place in WORDS[words] else knob


def cause_of_all(result: Identified, failures: Sequence[Cause]) -> str:
    """Return the cause of labels that no setting of the textbook's formulas reproduces."""
    if result.instead[0] or result.is_constant:
        return result.instead[0] or CONSTANT
    if any(cause.cause == STATEFUL for cause in failures):
        return STATEFUL
    return UNDECIDED if result.outcome == "undecided" else NOT_GNB


def _evidence_of(
    knob: str, result: Identified, explained: int, n_disagreements: int
) -> str:
    """Return the evidence for a knob, in one sentence."""
    left = result.without[knob].largest_difference
    if explained:
        labels = plural(n_disagreements, "disputed label")
        text = f"Fixing this alone restores {explained:,} of {labels}"
    elif left > 0.0:
        text = f"Without it, probabilities differ by up to {two_digits(left)}"
    elif n_disagreements:
        text = "It changes labels only together with the other causes"
    else:
        text = "It changes the parameters, not the answers"
    others = _same_knob(knob, result)
    return f"{text}; {' or '.join(others)} would do as well." if others else f"{text}."


def _same_knob(knob: str, result: Identified) -> list[str]:
    """Return two other positions of a knob that give the same answers, in words."""
    base = result.plain.variant if result.plain else result.variant
    own_words = words_of(knob, result.variant)

    def rule(variant: Variant) -> object:
        position = getattr(variant, knob, None)
        return getattr(position, "rule", position)

    words = {
        words_of(knob, other): None
        for other in result.equals
        if moved(other, base) == moved(result.variant, base)
        and rule(other) != rule(result.variant)
        and not (knob == "prior" and isinstance(other.prior, tuple))
    }
    # A relative amount that happens to do as well adds nothing to an absolute one.
    alike = (
        text
        for text in words
        if text != own_words and ("×" in own_words or "×" not in text)
    )
    return [*alike][:2]


# What a failure says -> its remedy, with what the pattern finds.
_REMEDIES = {
    r"too many values to unpack \(expected 2\) \(.*= (?:np\.unique|sorted\(set)\(\w+\)": (
        "Loop over all of `np.unique(y)`: this line takes them to be two."
    ),
    r"^predict gave shape": "Let predict return one label for each row.",
    r"^(\w+) gave shape": (
        "Let {0} return a row for each sample and a column for each class."
    ),
    "of the answer names": (
        "Let it give each row one of these, also where all scores are 0 or -inf."
    ),
    "ended with signal SIG(SEGV|BUS|ABRT)": (
        "Look for an array that is too small for these data, or an index past its end."
    ),
    "did not answer within": (
        "Look for an endless loop, or allow more time with --timeout."
    ),
    r"([\w-]+\.answer\.csv)": "Write {0} as README.txt beside it says.",
}


def remedy_of_crash(failure: str) -> str:
    """Return the remedy for a failure."""
    for pattern, remedy in _REMEDIES.items():
        if told := re.search(pattern, failure):
            return remedy.format(*told.groups())
    is_told = bool(re.search(r"\(.+, line \d+: .+; .+\)$", failure))
    has_hint = is_told or hint_on(failure.partition(":")[0], failure, "")
    return "" if has_hint else "No remedy is known for this error."


def setting_of(result: Identified) -> str:
    """Return the variant found, in words; empty where another cause was."""
    if result.instead[0]:
        return ""
    moves = result.variant != variants.DEFAULT
    return (
        variants.describe(result.variant, variants.DEFAULT) if moves else "as scikit-learn"
    )


def failures_of(observed: Sequence[Observation]) -> list[Cause]:
    """Return crashes, labels that change, and tables with errors of their own."""
    causes = []
    failed = [seen for seen in observed if seen.failure]
    if failed:
        n = sum(len(seen.labels) for seen in failed if not (seen.labels >= 0).any())
        rest = sum(seen.failure == NOT_TRIED for seen in failed)
        what = f"{counted(len(failed) - rest, len(observed), 'run')} failed"
        what += "; the first: " if len(observed) > 1 else ": "
        what += failed[0].failure + (f"; {count(rest)} were not tried" if rest else "")
        remedy = "" if failed[0].has_remedy else remedy_of_crash(failed[0].failure)
        causes.append(stated(CRASH, n, what, remedy))
    remedies = WORDS["remedy"]
    of_runs = {
        STATEFUL: [_stateful(run) for run in observed if run.memory],
        ALONE: [
            stated(ALONE, 0, f"It fails on a single row: {run.alone}.", remedies[ALONE])
            for run in observed
            if run.alone
        ],
        UNNORMALISED: [
            stated(UNNORMALISED, 0, text, remedies[remedy], estimate=method)
            for text, remedy, method in filter(None, (run.unnormalised for run in observed))
        ],
        PROBABILITIES: [
            stated(PROBABILITIES, 0, text, remedies[remedy], kind=TABLES)
            for text, remedy in filter(None, (run.contradiction for run in observed))
        ],
        CONTRADICTION: [
            stated(CONTRADICTION, 0, run.contrary, remedies[CONTRADICTION])
            for run in observed
            if run.contrary
        ],
    }
    return causes + [first for first, *_ in filter(None, of_runs.values())]


def _stateful(run: Observation) -> Cause:
    """Return that answers depend on other calls, or on the rows beside."""
    text = "Its answers are not the same every time"
    if run.beside:
        text = "The answer for a row depends on the rows asked for with it"
    remedy = WORDS["remedy"]["beside" if run.beside else STATEFUL]
    kind = LABELS if len(run.changed) else ""
    return stated(STATEFUL, 0, f"{text}: {run.memory}.", remedy, kind=kind)


def with_cut(failures: Sequence[Cause], cut: Cut) -> list[Cause]:
    """Return what fails with probabilities that were cut, which need not sum to 1 then."""
    left = f"; they differ by up to {two_digits(cut.left)}" if cut.left else ""
    text = f"{cut.words}{left}."
    remedy = WORDS["remedy"][CLIPPED]
    clipped = Cause(CLIPPED, 0, cut.least or cut.words, text, text, remedy)
    return [*(cause for cause in failures if cause.cause != UNNORMALISED), clipped]


def verdict_of(
    name: str, causes: Sequence[Cause], n_disagreements: int, n_predictions: int
) -> str:
    """Return the diagnosis in one sentence."""
    labels = f"{count(n_disagreements)} of {count(n_predictions)} labels"
    if not causes and n_disagreements:
        return f"{name} differs from the reference in {labels}, which nothing explains."
    if not causes:
        return f"{name}: no difference in {count(n_predictions)} predictions."
    # Where labels differ, only causes that explain some of them count.
    named = [cause for cause in causes if cause.explained or not n_disagreements]
    reasons = "; ".join(f"{cause.cause} ({CAUSES[cause.cause]})" for cause in named)
    if n_disagreements:
        return f"{name} differs from the reference in {labels}: {reasons}."
    if any(cause.cause == CRASH for cause in causes):
        return f"{name} fails: {reasons}."
    return f"{name} gives the same {count(n_predictions)} labels, but: {reasons}."


def is_near(number: float, low: float, high: float) -> bool:
    """Return whether a number is in an interval, with its ends rounded to two digits."""
    rounded = f"{number:.1e}"
    return low <= number <= high or rounded in {f"{end:.1e}" for end in (low, high)}
