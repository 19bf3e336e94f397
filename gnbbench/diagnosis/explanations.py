"""Each disagreement with what alone restores the reference's label."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.diagnosis.family import (
    FloatArray,
    IntArray,
    Scores,
    TrainedRun,
    contributions,
    scores,
)
from gnbbench.diagnosis.findings import NOT_GNB, TIE, UNSEEN_CLASS, ExplainedDisagreement
from gnbbench.diagnosis.observations import UNSEEN, Observation
from gnbbench.diagnosis.reproduction import predicted
from gnbbench.diagnosis.variants import Variant, cause_of, moved, restored

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
