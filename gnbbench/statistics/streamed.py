"""What a streamed study has besides the tables of every comparison."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from gnbbench.records import Records
from gnbbench.statistics.schema import columns_of, table_of
from gnbbench.words import plural


def stream_tables(note: Mapping[str, Any] | None) -> dict[str, pd.DataFrame]:
    """Return the tables that only a streamed study has; none for any other."""
    if note is None:
        return {}
    passes = pd.DataFrame(note["passes"], columns=columns_of("stream", "passes")[:5])
    passes = passes.astype({"seconds": "float64"})
    reading = passes[passes["what"] == "reading"].groupby("stage")["seconds"].sum()
    # A clock that stood still gives no rate.
    seconds = passes["seconds"].where(passes["seconds"] > 0.0)
    passes["rows_per_second"] = passes["rows"] / seconds
    passes["times_reading"] = passes["seconds"] / passes["stage"].map(
        reading.where(reading > 0.0)
    )
    return {
        "passes": table_of("passes", passes, "stream"),
        "parameters": table_of("parameters", note["parameters"], "stream"),
    }


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
