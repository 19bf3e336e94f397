"""Why an implementation's answers differ from the reference's."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.diagnosis.explanations import Explanation, details, explain_run
from gnbbench.diagnosis.family import IntArray, TrainedRun, trained_runs
from gnbbench.diagnosis.findings import Diagnosis
from gnbbench.diagnosis.identification import identified
from gnbbench.diagnosis.observations import Observation, observe
from gnbbench.diagnosis.settings import DEFAULT, describe
from gnbbench.diagnosis.verdicts import causes_found, verdict_sentence
from gnbbench.implementations import Implementation


@dataclass(frozen=True, eq=False)
class _Pair:
    """One run with both answers."""

    number: int
    run: TrainedRun
    reference: Observation
    seen: Observation


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
    together; the setting whose labels, probabilities and parameters are the
    implementation's, with the fewest knobs moved, is what it does. A disagreement's cause
    is the knob that restores the reference's label when it alone is switched back. Where
    no setting reproduces the answers, no knob is named.
    """
    samples, labels = np.asarray(X, dtype=np.float64), np.asarray(y)
    known = np.unique(labels) if classes is None else np.asarray(classes)
    splits = [(np.asarray(train), np.asarray(test)) for train, test in splits]
    codes = np.searchsorted(known, labels)
    pairs = [
        _Pair(number, *three)
        for number, three in enumerate(
            zip(
                trained_runs(samples, codes, splits, len(known)),
                observe(reference, samples, labels, splits, known),
                observe(entry, samples, labels, splits, known),
                strict=True,
            )
        )
    ]
    return _diagnosed(entry.name, pairs, labels, known)


def _answered(seen: Observation) -> bool:
    return not seen.failure or bool((seen.labels >= 0).any())


def _diagnosed(
    name: str, pairs: list[_Pair], y: NDArray[Any], classes: NDArray[Any]
) -> Diagnosis:
    compared = [
        pair for pair in pairs if _answered(pair.seen) and _answered(pair.reference)
    ]
    runs = [pair.run for pair in compared]
    base = identified(DEFAULT, runs, [pair.reference for pair in compared])
    found = identified(base.setting, runs, [pair.seen for pair in compared])
    usable = found.setting if found.reproduces and base.reproduces else None
    explained = [
        explain_run(pair.run, pair.reference, pair.seen, base=base.setting, found=usable)
        for pair in compared
    ]
    counts = Counter(cause for run in explained for row in run.causes for cause in set(row))
    unexplained = sum(not row for run in explained for row in run.causes)
    n_disagreements = sum(len(run.rows) for run in explained)
    causes = causes_found(base, found, counts, [pair.seen for pair in pairs])
    rep = found.fit.reproduction if found.fit else None
    offers = any(pair.seen.log_posterior is not None for pair in compared)
    return Diagnosis(
        verdict_sentence(name, causes, n_disagreements, _n_predictions(compared), found),
        not causes and n_disagreements == 0,
        causes,
        n_disagreements,
        _n_predictions(compared),
        unexplained,
        rep.share if rep else 0.0,
        rep.largest_difference if rep and offers else None,
        describe(found.setting, DEFAULT) if found.setting != DEFAULT else "as scikit-learn",
        details(
            _numbered(compared, explained),
            y=y,
            classes=classes,
            base=base.setting,
            found=found.setting,
        ),
        found.rivals if causes and base.reproduces else (),
    )


def _numbered(
    pairs: list[_Pair], explained: list[Explanation]
) -> list[tuple[int, TrainedRun, Observation, Observation, Explanation]]:
    return [
        (pair.number, pair.run, pair.reference, pair.seen, one)
        for pair, one in zip(pairs, explained, strict=True)
    ]


def _n_predictions(pairs: list[_Pair]) -> int:
    return sum(len(pair.seen.labels) for pair in pairs)
