"""Causes with their evidence, and the verdict in one sentence."""

from collections.abc import Mapping, Sequence

from gnbbench.diagnosis.findings import (
    CAUSES,
    CRASH,
    NAN,
    NOT_GNB,
    TIE,
    UNSEEN_CLASS,
    Cause,
)
from gnbbench.diagnosis.identification import Identified
from gnbbench.diagnosis.observations import UNSEEN, Observation
from gnbbench.diagnosis.reproduction import REPRODUCED_SHARE
from gnbbench.diagnosis.settings import (
    cause_of,
    describe,
    estimate_of,
    moved,
    words_of,
)


def causes_found(
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
    who, best = ("", found) if base.reproduces else ("of the reference ", base)
    nearest = describe(best.setting, base.setting)
    evidence = f"The nearest variant ({nearest}) reproduces {best.share:.2%} of the "
    evidence += f"predictions {who}only."
    if best.share >= REPRODUCED_SHARE:
        evidence = f"Only {nearest} would reproduce them, on too little evidence."
    return Cause(NOT_GNB, counts.get(NOT_GNB, 0), None, evidence)


def _knob_causes(
    base: Identified, found: Identified, counts: Mapping[str, int]
) -> list[Cause]:
    """Return a cause for each knob moved, the largest effect first."""
    knobs = moved(found.setting, base.setting)
    effects = {knob: found.effect(knob) for knob in knobs}
    ordered = sorted(knobs, key=lambda knob: -effects[knob])
    return [
        Cause(
            cause_of(knob, found.setting),
            counts.get(cause_of(knob, found.setting), 0),
            estimate_of(knob, found.setting),
            found.evidence(knob, words_of(knob, found.setting)),
        )
        for knob in ordered
    ]


def verdict_sentence(
    name: str,
    causes: Sequence[Cause],
    n_disagreements: int,
    n_predictions: int,
    found: Identified,
) -> str:
    """Return the diagnosis in one sentence."""
    labels = f"{n_disagreements} of {n_predictions} labels"
    if not causes:
        return f"{name}: no difference in {n_predictions} predictions beyond rounding."
    reasons = "; ".join(f"{cause.cause} ({CAUSES[cause.cause]})" for cause in causes)
    if n_disagreements:
        told = f"{name} differs from the reference in {labels}: {reasons}."
        if not found.rivals:
            return told
        others = " or ".join(found.rivals)
        return f"{told} These labels alone could come from {others} as well."
    what = (
        "parameters only" if _in_parameters_alone(found) else "probabilities or parameters"
    )
    if any(cause.cause == CRASH for cause in causes):
        return f"{name} fails: {reasons}."
    return f"{name} gives the same {n_predictions} labels, but {what} differ: {reasons}."


def _in_parameters_alone(found: Identified) -> bool:
    """Return whether labels and probabilities are those of the starting setting."""
    if found.plain is None:
        return False
    plain = found.plain.reproduction
    return plain.is_exact and found.setting != plain.setting
