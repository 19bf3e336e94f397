"""Why an implementation's answers differ from the reference's: causes and a verdict."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.diagnosis.acceptance import Identified, identified
from gnbbench.diagnosis.family import (
    Batch,
    FloatArray,
    IntArray,
    TrainedRun,
    contributions,
    scores,
)
from gnbbench.diagnosis.findings import (
    CAUSES,
    CONSTANT,
    CRASH,
    NAN,
    NOT_GNB,
    PROBABILITIES,
    STATEFUL,
    TIE,
    UNDECIDED,
    UNSEEN_CLASS,
    Cause,
    Diagnosis,
    ExplainedDisagreement,
)
from gnbbench.diagnosis.observations import UNSEEN, Compared, Observation, observe, softmax
from gnbbench.diagnosis.reproduction import predicted
from gnbbench.diagnosis.variants import (
    DEFAULT,
    Variant,
    cause_of,
    describe,
    estimate_of,
    moved,
    restored,
)
from gnbbench.diagnosis.visibility import not_shown
from gnbbench.diagnosis.wording import evidence_of, remedy_of, summary_of
from gnbbench.implementations import Implementation
from gnbbench.words import amount, count, counted, plural

MOST_SHOWN = 200
# Probabilities that differ by less are the same to any reader.
NEGLIGIBLE = 1e-9
_ENOUGH_RUNS = 200


@dataclass(frozen=True, eq=False)
class Comparison:
    """The runs that both sides answered, row after row."""

    numbers: IntArray  # Of each run in the batch: its position among the splits
    reference: Compared
    answers: Compared
    expected: NDArray[Any]  # (n,): The reference's labels as they were given
    given: NDArray[Any]  # (n,): The implementation's

    @property
    def batch(self) -> Batch:
        """The rows compared."""
        return self.reference.batch

    @property
    def n_disagreements(self) -> int:
        """Rows whose labels differ."""
        return int((self.reference.labels != self.answers.labels).sum())


@dataclass(frozen=True, eq=False)
class Explanation:
    """The causes of every disagreement."""

    rows: IntArray  # Positions in the batch
    causes: tuple[tuple[str, ...], ...]  # One for each row
    margins: FloatArray  # Lead of the reference's label under the reference's formulas


@dataclass(frozen=True, eq=False)
class Trial:
    """Labelled samples, and the splits on which both sides are asked."""

    X: ArrayLike
    y: ArrayLike
    splits: Sequence[tuple[IntArray, IntArray]]
    classes: ArrayLike | None = None


def diagnose(
    entry: Implementation,
    reference: Implementation,
    X: ArrayLike,
    y: ArrayLike,
    splits: Sequence[tuple[IntArray, IntArray]],
    *,
    classes: ArrayLike | None = None,
) -> Diagnosis:
    """Return the causes of all differences between an implementation and the reference.

    The textbook's formulas are evaluated with their knobs set one at a time and
    together; the variant whose labels, probabilities and parameters are the
    implementation's, with the fewest knobs moved, is what it does. A disagreement's cause
    is the knob that restores the reference's label when it alone is switched back. Where
    no variant reproduces the answers, or too few labels speak for one, no knob is named.
    """
    (found,) = diagnose_each(entry, reference, [Trial(X, y, splits, classes)])
    return found


def diagnose_each(
    entry: Implementation, reference: Implementation, trials: Sequence[Trial]
) -> list[Diagnosis]:
    """Return the causes on each of several datasets, those that tell most first.

    A variant that is proved on one of them is taken on the next where it leaves nothing
    there to explain.
    """
    proved: list[Variant] = []
    return [_diagnosed_on(entry, reference, trial, proved) for trial in trials]


def _diagnosed_on(
    entry: Implementation, reference: Implementation, trial: Trial, proved: list[Variant]
) -> Diagnosis:
    """Return the causes on one dataset; what it proves is added to what others have."""
    X, y, splits, classes = trial.X, trial.y, trial.splits, trial.classes
    samples, labels = np.asarray(X, dtype=np.float64), np.asarray(y)
    known = np.unique(labels) if classes is None else np.asarray(classes)
    splits = [(np.asarray(train), np.asarray(test)) for train, test in splits]
    codes = np.searchsorted(known, labels)
    trained = [
        TrainedRun(samples[train], codes[train], samples[test], len(known), test)
        for train, test in splits
    ]
    expected, answers = (
        observe(side, samples, labels, splits, known) for side in (reference, entry)
    )
    both = [
        place
        for place, (one, other) in enumerate(zip(expected, answers, strict=True))
        if _answered(one) and _answered(other)
    ]
    failures = _failures(answers)
    if not both:
        return _without_labels(entry.name, failures)
    batch = Batch.of([trained[place] for place in both])
    first, second = ([side[place] for place in both] for side in (expected, answers))
    compared = Comparison(
        np.array(both),
        Compared.of(batch, first),
        Compared.of(batch, second),
        np.concatenate([one.given for one in first]),
        np.concatenate([one.given for one in second]),
    )
    base = identified(DEFAULT, compared.reference)
    found = identified(base.variant, compared.answers, proved)
    if found.is_proved and base.variant == DEFAULT:
        proved.append(found.variant)
    return _diagnosed(entry.name, compared, failures, (base, found), (labels, known))


def _answered(answers: Observation) -> bool:
    return not answers.failure or bool((answers.labels >= 0).any())


def _without_labels(name: str, failures: list[Cause]) -> Diagnosis:
    """Return the diagnosis where no run can be compared: failures are all there is."""
    verdict = f"{name}: no run could be compared, because the reference failed."
    if failures:
        verdict = f"{name} fails: {failures[0].summary}"
    return Diagnosis(
        verdict=verdict,
        same=False,
        causes=tuple(failures),
        n_disagreements=0,
        n_predictions=0,
        unexplained=0,
        reproduced_share=0.0,
        largest_remaining_difference=None,
        setting="",
        disagreements=(),
    )


def _diagnosed(
    name: str,
    compared: Comparison,
    failures: list[Cause],
    sides: tuple[Identified, Identified],
    known: tuple[NDArray[Any], NDArray[Any]],
) -> Diagnosis:
    """Return the diagnosis by what the reference and the implementation do."""
    (base, found), (y, classes) = sides, known
    reproduces = found.outcome == base.outcome == "reproduced"
    explained = explain(compared, base=base.variant, found=found if reproduces else None)
    counts = Counter(cause for row in explained.causes for cause in set(row))
    n_disagreements, n_predictions = len(explained.rows), len(compared.given)
    causes = [*failures, *_oddities(found, compared)]
    if base.outcome != "reproduced":
        causes.append(_no_variant(base, counts, "of the reference "))
    elif not any(cause.cause == STATEFUL for cause in failures) or reproduces:
        causes += _of_answers(base, found, counts, compared)
    else:
        causes = [
            replace(cause, explained=n_disagreements) if cause.cause == STATEFUL else cause
            for cause in causes
        ]
    if counts.get(TIE):
        text = "Both labels score alike by the reference's formulas, up to rounding."
        causes.append(Cause(TIE, counts[TIE], None, text, text))
    causes.sort(key=lambda cause: -cause.explained)
    reproduction = found.fit.reproduction if found.fit else None
    offered = compared.answers.log_posterior is not None
    return Diagnosis(
        verdict=_verdict(name, causes, n_disagreements, n_predictions),
        same=not causes and n_disagreements == 0,
        causes=tuple(causes),
        n_disagreements=n_disagreements,
        n_predictions=n_predictions,
        unexplained=sum(not row for row in explained.causes),
        reproduced_share=found.share,
        largest_remaining_difference=reproduction.largest_difference
        if reproduction and offered
        else None,
        setting="as scikit-learn"
        if found.variant == DEFAULT
        else describe(found.variant, DEFAULT),
        disagreements=tuple(
            islice(_in_full(explained, compared, y, classes, (base, found)), MOST_SHOWN)
        ),
        rivals=found.rivals if causes and reproduces and not offered else (),
        not_shown=() if offered else not_shown(base.variant, compared.batch),
    )


def _failures(observed: Sequence[Observation]) -> list[Cause]:
    """Return crashes and labels that change when rows are asked for again."""
    causes = []
    failed = [seen for seen in observed if seen.failure]
    if failed:
        lost = [seen for seen in failed if not (seen.labels >= 0).any()]
        n = sum(len(seen.labels) for seen in lost)
        what = f"{counted(len(failed), len(observed), 'run')} failed; the first: "
        text = what + failed[0].failure
        causes.append(Cause(CRASH, n, None, text, text))
    memories = [seen.memory for seen in observed if seen.memory]
    if memories:
        text = f"Labels are not the same every time: {memories[0]}."
        remedy = "Let predict change nothing, draw nothing and look at one row at a time."
        causes.append(Cause(STATEFUL, 0, None, text, text, remedy))
    return causes


def _oddities(found: Identified, compared: Comparison) -> list[Cause]:
    """Return labels never seen, NaN and probabilities that nothing reproduces."""
    causes, answers = [], compared.answers
    unseen = compared.given[answers.labels == UNSEEN].tolist()
    if unseen and not found.explains_unseen:
        shown = ", ".join(sorted({repr(label) for label in unseen})[:5])
        text = f"{plural(len(unseen), 'label')} were not among those trained on: {shown}."
        remedy = "Return elements of `np.unique(y)`."
        causes.append(Cause(UNSEEN_CLASS, len(unseen), shown, text, text, remedy))
    if found.n_undefined:
        text = f"The probabilities of {plural(found.n_undefined, 'row')} hold NaN."
        remedy = "Subtract the row's largest log-score before np.exp."
        causes.append(Cause(NAN, found.n_undefined, None, text, text, remedy))
    if found.probabilities_left:
        text = "Its labels are reproduced, its probabilities are not: they differ by up to "
        text += f"{amount(found.probabilities_left)}."
        remedy = "Give np.exp of the log-scores, divided by their sum in each row."
        causes.append(Cause(PROBABILITIES, 0, None, text, text, remedy))
    return causes


def _of_answers(
    base: Identified, found: Identified, counts: Counter[str], compared: Comparison
) -> list[Cause]:
    """Return why answers differ that nothing above explains."""
    n, n_runs = compared.n_disagreements, len(compared.numbers)
    if found.is_constant:
        return [_constant(compared)]
    if found.outcome == "stranger":
        return [_no_variant(found, counts, "")]
    if found.outcome == "undecided":
        return [_undecided(found, base, n, n_runs)]
    causes = _knob_causes(base, found, counts, compared)
    if found.unproven:
        causes.append(_undecided(found, base, counts[UNDECIDED], n_runs))
    return causes or _remaining(found)


def _constant(compared: Comparison) -> Cause:
    given = compared.given
    labels = list(dict.fromkeys(given.tolist()))
    text = f"It gives the label {labels[0]!r} to all {count(len(given))} rows."
    if len(labels) > 1:
        text = "It gives one label to all rows of a run."
    remedy = "Look for scores that do not depend on the row, or are all equal."
    return Cause(CONSTANT, compared.n_disagreements, str(labels[0]), text, text, remedy)


def _no_variant(found: Identified, counts: Counter[str], whose: str) -> Cause:
    nearest = describe(found.variant, DEFAULT) if found.variant != DEFAULT else ""
    summary = "No setting of the textbook's formulas that was tried gives these answers."
    wrong = found.fit.reproduction if found.fit else None
    n = round((1.0 - found.share) * wrong.n_predictions) if wrong else 0
    evidence = f"The nearest setting{f' ({nearest})' if nearest else ', as scikit-learn,'} "
    evidence += f"misses {plural(n, 'answer')} {whose}".rstrip() + "."
    return Cause(NOT_GNB, counts[NOT_GNB], None, evidence, summary)


def _undecided(found: Identified, base: Identified, n: int, n_runs: int) -> Cause:
    """Return what cannot be told from so few labels, and what would tell."""
    knobs = found.unproven or moved(found.variant, base.variant)
    causes = list(dict.fromkeys(cause_of(knob, found.variant) for knob in knobs))
    if found.outcome == "reproduced":
        few = "1 label is" if n == 1 else f"{count(n)} labels are"
        summary = f"{few} too few to tell; {_likely(causes, found.rivals, n)}."
    else:
        wrong = found.fit.errors if found.fit else 0
        summary = f"Too few labels differ to tell: the nearest setting misses {wrong} of "
        summary += f"{plural(n, 'disagreement')}."
    runs = max(_ENOUGH_RUNS, 10 * n_runs)
    remedy = f"More runs or harder data tell: --runs {runs}, or breast_cancer."
    return Cause(UNDECIDED, n, None, summary, summary, remedy)


def _likely(causes: list[str], rivals: Sequence[str], n: int) -> str:
    words = " and ".join(CAUSES[cause] for cause in causes)
    others = [CAUSES[one] for one in rivals if one not in causes][:2]
    if others:
        return f"perhaps {words}, perhaps {' or '.join(others)}"
    return f"{'most likely' if n > 2 and len(causes) == 1 else 'perhaps'} {words}"


def _knob_causes(
    base: Identified,
    found: Identified,
    counts: Counter[str],
    compared: Comparison,
) -> list[Cause]:
    """Return a cause for each knob that the answers bear out."""
    largest_variance = float(np.median(compared.batch.moments().pooled.max(axis=1)))
    knobs = [k for k in moved(found.variant, base.variant) if k not in found.unproven]
    # By how much the reproduction worsens with a knob switched back.
    knobs.sort(key=lambda knob: -found.without[knob].loss)
    causes = []
    for knob in knobs:
        cause = cause_of(knob, found.variant)
        n = counts[cause]
        causes.append(
            Cause(
                cause,
                n,
                estimate_of(knob, found.variant),
                evidence_of(knob, found, n, compared.n_disagreements),
                summary_of(knob, found),
                remedy_of(knob, found, base.variant, largest_variance),
                found.intervals.get(knob),
            )
        )
    return causes


def _remaining(found: Identified) -> list[Cause]:
    """Return a difference of probabilities that no knob accounts for."""
    fit = found.fit
    if fit is None or fit.reproduction.largest_difference <= NEGLIGIBLE:
        return []
    largest = amount(fit.reproduction.largest_difference)
    text = f"Probabilities differ by up to {largest}, which no setting tried explains."
    return [Cause(UNDECIDED, 0, None, text, text)]


def _verdict(
    name: str, causes: Sequence[Cause], n_disagreements: int, n_predictions: int
) -> str:
    """Return the diagnosis in one sentence."""
    labels = f"{count(n_disagreements)} of {count(n_predictions)} labels"
    if not causes and n_disagreements:
        return f"{name} differs from the reference in {labels}, which nothing explains."
    if not causes:
        return f"{name}: no difference in {count(n_predictions)} predictions."
    # Where labels differ, a cause of no disagreement is none of theirs.
    named = [cause for cause in causes if cause.explained or not n_disagreements]
    reasons = "; ".join(f"{cause.cause} ({CAUSES[cause.cause]})" for cause in named)
    if n_disagreements:
        return f"{name} differs from the reference in {labels}: {reasons}."
    if any(cause.cause == CRASH for cause in causes):
        return f"{name} fails: {reasons}."
    return f"{name} gives the same {count(n_predictions)} labels, but: {reasons}."


def explain(
    compared: Comparison, *, base: Variant, found: Identified | None
) -> Explanation:
    """Return the causes of all disagreements.

    A knob is a cause where switching it back alone restores the reference's label, two
    knobs where only both do.
    """
    expected, labels = compared.reference.labels, compared.answers.labels
    is_odd = (labels == UNSEEN) & (expected != UNSEEN)
    keep = (expected != labels) | is_odd
    rows, batch = np.flatnonzero(keep), compared.batch.rows(keep)
    if not len(rows):
        return Explanation(rows, (), np.zeros(0))
    first, second = expected[rows], labels[rows]
    margins, is_tie = _margins(base, batch, first, second)
    back = {} if found is None else _switched_back(batch, base, found.variant)
    causes: list[tuple[str, ...]] = []
    for at, (wanted, given) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        if given == UNSEEN and not (found and found.explains_unseen):
            causes.append((UNSEEN_CLASS,))
        elif is_tie[at]:
            causes.append((TIE,))
        elif found is None:
            causes.append((NOT_GNB,))
        elif back[()][at] != given:
            causes.append(())
        else:
            causes.append(_restoring(back, at, wanted, found))
    return Explanation(rows, tuple(causes), margins)


def _switched_back(
    batch: Batch, base: Variant, found: Variant
) -> dict[tuple[str, ...], IntArray]:
    """Return the labels with no, one, two and all knobs switched back."""
    knobs = moved(found, base)
    sets = [size for n in (0, 1, 2) for size in combinations(knobs, n)]
    with np.errstate(all="ignore"):
        return {
            chosen: predicted(variant, scores(variant, batch).joint, batch)
            for chosen in dict.fromkeys([*sets, knobs])
            for variant in [restored(found, base, *chosen)]
        }


def _restoring(
    back: dict[tuple[str, ...], IntArray], at: int, label: int, found: Identified
) -> tuple[str, ...]:
    """Return the causes that restore a label alone, or else together."""
    alone = [knobs[0] for knobs in back if len(knobs) == 1 and back[knobs][at] == label]
    if not alone:
        sets = (knobs for knobs in back if len(knobs) > 1 and back[knobs][at] == label)
        alone = list(next(sets, ()))
    causes = (
        UNDECIDED if knob in found.unproven else cause_of(knob, found.variant)
        for knob in alone
    )
    return tuple(dict.fromkeys(causes))


def _margins(
    base: Variant, batch: Batch, first: IntArray, second: IntArray
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the leads of the reference's labels, and whether rounding may decide them."""
    plain, rows = scores(base, batch), np.arange(len(first))
    known = (first >= 0) & (second >= 0)
    with np.errstate(all="ignore"):
        margins: FloatArray = plain.joint[rows, first] - plain.joint[rows, second]
        slack = plain.rounding[rows, first] + plain.rounding[rows, second]
        margins = np.where(known, margins, np.nan)
        return margins, np.abs(margins) <= slack


def _in_full(
    explained: Explanation,
    compared: Comparison,
    y: NDArray[Any],
    classes: NDArray[Any],
    sides: tuple[Identified, Identified],
) -> Iterator[ExplainedDisagreement]:
    """Return each disagreement with all that is known of it."""
    batch, reference, answers = compared.batch, compared.reference, compared.answers
    starts = np.searchsorted(batch.of_run, batch.of_run)
    for at, row in enumerate(explained.rows.tolist()):
        first, second = int(reference.labels[row]), int(answers.labels[row])
        run = int(batch.of_run[row])
        sample = int(batch.runs[run].test[row - starts[row]])
        yield ExplainedDisagreement(
            int(compared.numbers[run]),
            sample,
            y[sample],
            classes[first] if first >= 0 else compared.expected[row],
            compared.given[row],
            explained.causes[at],
            float(explained.margins[at]),
            batch.samples[row],
            _posterior(reference, row),
            _posterior(answers, row),
            *(_contributions(side.variant, batch, row, first, second) for side in sides),
        )


def _posterior(seen: Compared, row: int) -> FloatArray | None:
    if seen.log_posterior is None:
        return None
    result: FloatArray = softmax(seen.log_posterior[[row]])[0]
    return result


def _contributions(
    variant: Variant, batch: Batch, row: int, first: int, second: int
) -> FloatArray:
    if first < 0 or second < 0:
        return np.full(batch.samples.shape[1], np.nan)
    return contributions(variant, batch, row, first, second)
