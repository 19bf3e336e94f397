"""Each disagreement with what alone restores the reference's label."""

from collections.abc import Iterator, Sequence
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
from gnbbench.diagnosis.settings import Setting, cause_of, moved, restored

MOST_SHOWN = 200


@dataclass(frozen=True, eq=False)
class Explanation:
    """The causes of every disagreement of one run."""

    rows: IntArray  # Positions among the test samples
    causes: tuple[tuple[str, ...], ...]  # One for each row
    margins: FloatArray  # Lead of the reference's label under the reference's formulas


def explain_run(
    run: TrainedRun,
    reference: Observation,
    seen: Observation,
    *,
    base: Setting,
    found: Setting | None,
) -> Explanation:
    """Return the causes of the disagreements of one run.

    A knob is a cause where switching it back alone restores the reference's label, two
    knobs where only both do.
    """
    rows = np.flatnonzero(disagrees(reference, seen))
    if not len(rows):
        return Explanation(rows, (), np.zeros(0))
    with np.errstate(all="ignore"):
        plain = scores(base, run)
        margins, is_tie = _margins(plain, reference.labels, seen.labels, rows)
        back = {} if found is None else _switched_back(run, base, found)
    mine = None if found is None else predicted(found, scores(found, run).joint)
    causes: list[tuple[str, ...]] = []
    for row, tie in zip(rows.tolist(), is_tie.tolist(), strict=True):
        label = reference.labels[row]
        if seen.labels[row] == UNSEEN:
            causes.append((UNSEEN_CLASS,))
        elif tie:
            causes.append((TIE,))
        elif found is None or mine is None:
            causes.append((NOT_GNB,))
        elif mine[row] != seen.labels[row]:
            causes.append(())
        else:
            causes.append(_restoring(back, row, int(label), found))
    return Explanation(rows, tuple(causes), margins)


def disagrees(reference: Observation, seen: Observation) -> NDArray[np.bool_]:
    """Return where the labels given differ."""
    differs: NDArray[np.bool_] = (reference.labels != seen.labels) | (
        (seen.labels == UNSEEN) & (reference.labels != UNSEEN)
    )
    return differs


def _switched_back(
    run: TrainedRun, base: Setting, found: Setting
) -> dict[tuple[str, ...], IntArray]:
    """Return the labels with one knob, then with two knobs, switched back."""
    knobs = moved(found, base)
    sets = [*combinations(knobs, 1), *combinations(knobs, 2)]
    return {
        chosen: predicted(one, scores(one, run).joint)
        for chosen in sets
        for one in [restored(found, base, *chosen)]
    }


def _restoring(
    back: dict[tuple[str, ...], IntArray], row: int, label: int, found: Setting
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


def details(
    explained: Sequence[tuple[int, TrainedRun, Observation, Observation, Explanation]],
    *,
    y: NDArray[Any],
    classes: NDArray[Any],
    base: Setting,
    found: Setting,
) -> tuple[ExplainedDisagreement, ...]:
    """Return the first disagreements in full."""
    return tuple(
        islice(
            (
                one
                for entry in explained
                for one in _run_details(*entry, y=y, classes=classes, two=(base, found))
            ),
            MOST_SHOWN,
        )
    )


def _run_details(
    number: int,
    run: TrainedRun,
    reference: Observation,
    seen: Observation,
    explanation: Explanation,
    *,
    y: NDArray[Any],
    classes: NDArray[Any],
    two: tuple[Setting, Setting],
) -> Iterator[ExplainedDisagreement]:
    its, own = reference.posterior, seen.posterior
    for at, row in enumerate(explanation.rows.tolist()):
        first, second = int(reference.labels[row]), int(seen.labels[row])
        sample = int(run.test[row])
        parts = [contributions(setting, run, row, first, second) for setting in two]
        yield ExplainedDisagreement(
            number,
            sample,
            y[sample],
            classes[first] if first >= 0 else reference.given[row],
            seen.given[row],
            explanation.causes[at],
            float(explanation.margins[at]),
            run.X_test[row],
            None if its is None else its[row],
            None if own is None else own[row],
            parts[0],
            parts[1],
        )
