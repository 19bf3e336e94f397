"""What a streamed study has besides the tables of every comparison."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from gnbbench.records import Records
from gnbbench.words import plural

PASS_COLUMNS = {
    "stage": "str",
    "what": "str",
    "implementation": "str",
    "rows": "int64",
    "seconds": "float64",
    "rows_per_second": "float64",
    "times_reading": "float64",
}
PARAMETER_COLUMNS = {
    "implementation": "str",
    "parameter": "str",
    "largest_relative_difference": "float64",
}


@dataclass(frozen=True)
class Streamed:
    """What the passes over a stream took, and how far trained models are apart."""

    # ``stage`` ("training" or "scoring"), ``what`` ("reading", "calls" of an
    # implementation's methods, "whole pass"), ``implementation`` (empty but for calls),
    # ``rows``, ``seconds``, ``rows_per_second``, ``times_reading`` (seconds over those of
    # reading in the same pass; NaN where that is not known)
    passes: pd.DataFrame
    # ``implementation``, ``parameter``, ``largest_relative_difference`` from the
    # reference's (NaN where one of them does not offer it). A mean is held against the
    # larger of its absolute value and its standard deviation.
    parameters: pd.DataFrame


def streamed(note: Mapping[str, Any] | None) -> Streamed | None:
    """Return the tables of a streamed study, None for any other."""
    if note is None:
        return None
    passes = pd.DataFrame(note["passes"], columns=list(PASS_COLUMNS)[:5])
    passes = passes.astype({"seconds": "float64"})
    reading = passes[passes["what"] == "reading"].groupby("stage")["seconds"].sum()
    # A clock that stood still gives no rate.
    seconds = passes["seconds"].where(passes["seconds"] > 0.0)
    passes["rows_per_second"] = passes["rows"] / seconds
    passes["times_reading"] = passes["seconds"] / passes["stage"].map(
        reading.where(reading > 0.0)
    )
    parameters = pd.DataFrame(note["parameters"], columns=list(PARAMETER_COLUMNS))
    return Streamed(passes.astype(PASS_COLUMNS), parameters.astype(PARAMETER_COLUMNS))


def stream_remarks(records: Records) -> list[str]:
    """Return what a reader of a streamed study must know, one sentence each."""
    note = records.stream
    if note is None:
        return []
    reference = str(records.plan["reference"])
    found = [
        "The scoring pass labels the test side alone: there is no train accuracy. "
        "Duplicates are not counted, and the bound on rows takes all for distinct."
    ]
    found += [_cause(cause, reference) for cause in note["variance_causes"]]
    found += _cut_disagreements(records)
    if int(records.runs["smallest_class"].min()) == 0:
        found.append("A class has no train sample.")
    return [*found, *note["remarks"]]


def _cause(cause: Mapping[str, Any], reference: str) -> str:
    """Return why variances differ from the reference's."""
    name = cause["implementation"]
    why = [
        _SMOOTHING[how].format(name=who)
        for who, how in ((name, cause["own"]), (reference, cause["reference"]))
        if how != "own"
    ]
    said = "; ".join(why) or f"the epsilon_ of {name} and {reference} differ"
    return (
        f"Variances of {name} differ from those of {reference} by up to "
        f"{cause['largest']:.2g} (relative), in every class by one amount for all "
        f"features: {said}. That amount taken off, {cause['left']:.2g} is left."
    )


_SMOOTHING = {
    "batch": (
        "partial_fit of {name} takes the epsilon_ of each new batch off the variances "
        "instead of the one that it had added"
    ),
    "none": "{name} offers no epsilon_, and adds none",
}


def _cut_disagreements(records: Records) -> list[str]:
    """Return a sentence for each competitor of which not all disagreements are kept."""
    kept = records.disagreements["implementation"].value_counts()
    found = []
    for name, differing in records.pairs[["implementation", "disagreements"]].itertuples(
        index=False
    ):
        n_kept = int(kept.get(name, 0))
        if n_kept < differing:
            found.append(
                f"Of {plural(int(differing), 'disagreement')} of {name} the first "
                f"{n_kept:,} of the stream are kept as rows; all are counted."
            )
    return found
