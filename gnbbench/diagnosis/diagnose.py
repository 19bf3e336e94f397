"""Why an implementation's answers differ from the reference's: causes and a verdict."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.diagnosis.family import (
    FloatArray,
    IntArray,
    Scores,
    TrainedRun,
    contributions,
    scores,
)
from gnbbench.diagnosis.findings import (
    CAUSES,
    CRASH,
    NAN,
    NOT_GNB,
    TIE,
    UNSEEN_CLASS,
    Cause,
    Diagnosis,
    ExplainedDisagreement,
)
from gnbbench.diagnosis.identification import Identified, identified
from gnbbench.diagnosis.observations import UNSEEN, Observation, observe
from gnbbench.diagnosis.reproduction import REPRODUCED_SHARE, predicted
from gnbbench.diagnosis.variants import (
    DEFAULT,
    Variant,
    cause_of,
    describe,
    estimate_of,
    moved,
    restored,
    words_of,
)
from gnbbench.implementations import Implementation

MOST_SHOWN = 200


@dataclass(frozen=True, eq=False)
class ComparedRun:
    """One run with the answers of both sides."""

    number: int  # Position among the splits
    run: TrainedRun
    reference: Observation
    answers: Observation


@dataclass(frozen=True, eq=False)
class Explanation:
    """The causes of every disagreement of one run."""

    compared: ComparedRun
    rows: IntArray  # Positions among the test samples
    causes: tuple[tuple[str, ...], ...]  # One for each row
    margins: FloatArray  # Lead of the reference's label under the reference's formulas


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
    no variant reproduces the answers, no knob is named.
    """
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
    runs = zip(range(len(splits)), trained, expected, answers, strict=True)
    return _diagnosed(entry.name, [ComparedRun(*run) for run in runs], labels, known)


def _diagnosed(
    name: str, runs: list[ComparedRun], y: NDArray[Any], classes: NDArray[Any]
) -> Diagnosis:
    compared = [run for run in runs if _answered(run.answers) and _answered(run.reference)]
    base = identified(DEFAULT, [(run.run, run.reference) for run in compared])
    found = identified(base.variant, [(run.run, run.answers) for run in compared])
    usable = found.variant if found.reproduces and base.reproduces else None
    explained = [explain_run(run, base=base.variant, found=usable) for run in compared]
    counts = Counter(cause for run in explained for row in run.causes for cause in set(row))
    n_disagreements = sum(len(run.rows) for run in explained)
    n_predictions = sum(len(run.answers.labels) for run in compared)
    causes = _causes(base, found, counts, [run.answers for run in runs])
    reproduction = found.fit.reproduction if found.fit else None
    offered = any(run.answers.log_posterior is not None for run in compared)
    return Diagnosis(
        verdict=_verdict(name, causes, n_disagreements, n_predictions, found),
        same=not causes and n_disagreements == 0,
        causes=causes,
        n_disagreements=n_disagreements,
        n_predictions=n_predictions,
        unexplained=sum(not row for run in explained for row in run.causes),
        reproduced_share=found.share,
        largest_remaining_difference=reproduction.largest_difference
        if reproduction and offered
        else None,
        setting="as scikit-learn"
        if found.variant == DEFAULT
        else describe(found.variant, DEFAULT),
        disagreements=disagreements(
            explained, y=y, classes=classes, base=base.variant, found=found.variant
        ),
        rivals=found.alternatives if causes and base.reproduces else (),
    )


def _answered(answers: Observation) -> bool:
    return not answers.failure or bool((answers.labels >= 0).any())


def _causes(
    base: Identified,
    found: Identified,
    counts: Mapping[str, int],
    observed: Sequence[Observation],
) -> tuple[Cause, ...]:
    """Return every cause with what it explains, the most important one first."""
    causes = [*_failures(found, observed)]
    if not (base.reproduces and found.reproduces):
        causes.append(_no_variant(base, found, counts))
    else:
        causes += _knob_causes(base, found, counts)
    if counts.get(TIE):
        evidence = "The reference's formulas score both labels alike, up to rounding."
        causes.append(Cause(TIE, counts[TIE], None, evidence))
    return tuple(sorted(causes, key=lambda cause: -cause.explained))


def _failures(found: Identified, observed: Sequence[Observation]) -> list[Cause]:
    """Return crashes, labels never seen and NaN that nothing reproduces."""
    causes = []
    failed = [seen for seen in observed if seen.failure]
    if failed:
        lost = [seen for seen in failed if not (seen.labels >= 0).any()]
        n = sum(len(seen.labels) for seen in lost)
        text = f"{len(failed)} of {len(observed)} runs failed; the first: "
        causes.append(Cause(CRASH, n, None, text + failed[0].failure))
    unseen = [
        label
        for seen in observed
        if not seen.failure
        for label in seen.given[seen.labels == UNSEEN].tolist()
    ]
    if unseen:
        shown = ", ".join(sorted({repr(label) for label in unseen})[:5])
        text = f"{len(unseen)} predictions are labels not seen in training: {shown}."
        causes.append(Cause(UNSEEN_CLASS, len(unseen), shown, text))
    if found.n_undefined:
        text = f"Probabilities of {found.n_undefined} predictions hold NaN."
        causes.append(Cause(NAN, found.n_undefined, None, text))
    return causes


def _no_variant(base: Identified, found: Identified, counts: Mapping[str, int]) -> Cause:
    whose, best = ("", found) if base.reproduces else ("of the reference ", base)
    nearest = describe(best.variant, base.variant)
    evidence = f"The nearest variant ({nearest}) reproduces {best.share:.2%} of the "
    evidence += f"predictions {whose}only."
    if best.share >= REPRODUCED_SHARE:
        evidence = f"Only {nearest} would reproduce them, on too little evidence."
    return Cause(NOT_GNB, counts.get(NOT_GNB, 0), None, evidence)


def _knob_causes(
    base: Identified, found: Identified, counts: Mapping[str, int]
) -> list[Cause]:
    """Return a cause for each knob moved, the largest effect first."""
    knobs = moved(found.variant, base.variant)
    # By how much the reproduction worsens with a knob switched back.
    ordered = sorted(knobs, key=lambda knob: -found.without[knob].loss)
    return [
        Cause(
            cause_of(knob, found.variant),
            counts.get(cause_of(knob, found.variant), 0),
            estimate_of(knob, found.variant),
            found.evidence(knob, words_of(knob, found.variant)),
        )
        for knob in ordered
    ]


def _verdict(
    name: str,
    causes: Sequence[Cause],
    n_disagreements: int,
    n_predictions: int,
    found: Identified,
) -> str:
    """Return the diagnosis in one sentence."""
    labels = f"{n_disagreements:,} of {n_predictions:,} labels"
    if not causes:
        return f"{name}: no difference in {n_predictions} predictions beyond rounding."
    # Where labels differ, a cause of no disagreement is none of theirs.
    named = [cause for cause in causes if cause.explained or not n_disagreements]
    reasons = "; ".join(f"{cause.cause} ({CAUSES[cause.cause]})" for cause in named)
    if n_disagreements:
        verdict = f"{name} differs from the reference in {labels}: {reasons}."
        if not found.alternatives:
            return verdict
        others = " or ".join(found.alternatives)
        return f"{verdict} These labels alone could come from {others} as well."
    what = (
        "parameters only" if _in_parameters_alone(found) else "probabilities or parameters"
    )
    if any(cause.cause == CRASH for cause in causes):
        return f"{name} fails: {reasons}."
    return f"{name} gives the same {n_predictions} labels, but {what} differ: {reasons}."


def _in_parameters_alone(found: Identified) -> bool:
    """Return whether labels and probabilities are those of the starting variant."""
    if found.plain is None:
        return False
    plain = found.plain.reproduction
    return plain.is_exact and found.variant != plain.variant


def explain_run(
    compared: ComparedRun, *, base: Variant, found: Variant | None
) -> Explanation:
    """Return the causes of the disagreements of one run.

    A knob is a cause where switching it back alone restores the reference's label, two
    knobs where only both do.
    """
    run, expected, labels = (
        compared.run,
        compared.reference.labels,
        compared.answers.labels,
    )
    rows = np.flatnonzero(
        (expected != labels) | ((labels == UNSEEN) & (expected != UNSEEN))
    )
    if not len(rows):
        return Explanation(compared, rows, (), np.zeros(0))
    with np.errstate(all="ignore"):
        margins, is_tie = _margins(scores(base, run), expected, labels, rows)
        back = {} if found is None else _switched_back(run, base, found)
    reproduced = None if found is None else predicted(found, scores(found, run).joint)
    causes: list[tuple[str, ...]] = []
    for row, tie in zip(rows.tolist(), is_tie.tolist(), strict=True):
        if labels[row] == UNSEEN:
            causes.append((UNSEEN_CLASS,))
        elif tie:
            causes.append((TIE,))
        elif found is None or reproduced is None:
            causes.append((NOT_GNB,))
        elif reproduced[row] != labels[row]:
            causes.append(())
        else:
            causes.append(_restoring(back, row, int(expected[row]), found))
    return Explanation(compared, rows, tuple(causes), margins)


def _switched_back(
    run: TrainedRun, base: Variant, found: Variant
) -> dict[tuple[str, ...], IntArray]:
    """Return the labels with one knob, then with two knobs, switched back."""
    knobs = moved(found, base)
    sets = [*combinations(knobs, 1), *combinations(knobs, 2)]
    return {
        chosen: predicted(variant, scores(variant, run).joint)
        for chosen in sets
        for variant in [restored(found, base, *chosen)]
    }


def _restoring(
    back: dict[tuple[str, ...], IntArray], row: int, label: int, found: Variant
) -> tuple[str, ...]:
    alone = [knob for knob, *more in back if not more and back[(knob,)][row] == label]
    if not alone:
        pairs = (pair for pair in back if len(pair) == 2 and back[pair][row] == label)
        alone = list(next(pairs, ()))
    return tuple(cause_of(knob, found) for knob in alone)


def _margins(
    plain: Scores, reference: IntArray, labels: IntArray, rows: IntArray
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the leads of the reference's labels, and whether rounding may decide them."""
    first, second = reference[rows], labels[rows]
    known = (first >= 0) & (second >= 0)
    margins: FloatArray = plain.joint[rows, first] - plain.joint[rows, second]
    slack = plain.rounding[rows, first] + plain.rounding[rows, second]
    margins = np.where(known, margins, np.nan)
    return margins, np.abs(margins) <= slack


def disagreements(
    explanations: Iterable[Explanation],
    *,
    y: NDArray[Any],
    classes: NDArray[Any],
    base: Variant,
    found: Variant,
) -> tuple[ExplainedDisagreement, ...]:
    """Return the first disagreements in full."""
    in_full = (
        disagreement
        for explanation in explanations
        for disagreement in _of_run(explanation, y, classes, (base, found))
    )
    return tuple(islice(in_full, MOST_SHOWN))


def _of_run(
    explanation: Explanation,
    y: NDArray[Any],
    classes: NDArray[Any],
    variants: tuple[Variant, Variant],
) -> Iterator[ExplainedDisagreement]:
    compared = explanation.compared
    run, reference, answers = compared.run, compared.reference, compared.answers
    reference_posterior, posterior = reference.posterior, answers.posterior
    for at, row in enumerate(explanation.rows.tolist()):
        first, second = int(reference.labels[row]), int(answers.labels[row])
        sample = int(run.test[row])
        yield ExplainedDisagreement(
            compared.number,
            sample,
            y[sample],
            classes[first] if first >= 0 else reference.given[row],
            answers.given[row],
            explanation.causes[at],
            float(explanation.margins[at]),
            run.X_test[row],
            None if reference_posterior is None else reference_posterior[row],
            None if posterior is None else posterior[row],
            *(contributions(variant, run, row, first, second) for variant in variants),
        )
