"""Remarks that a reader must know, and the tables that only a stream has."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from textwrap import shorten
from typing import Any

import pandas as pd

from gnbbench import words
from gnbbench.records import INVALID, WITH_LABELS, Records
from gnbbench.statistics.labels import NO_CLASS
from gnbbench.statistics.metrics import impossible_runs
from gnbbench.statistics.schema import columns_of, table_of
from gnbbench.words import counted, listing, percent, plural

SMALL_TEST = 30
FAULTS = ("failed", "gave invalid probabilities")
SAME = 1e-12  # Relative differences up to this are rounding


def failure_clauses(runs: pd.DataFrame, implementations: Sequence[str]) -> dict[str, str]:
    """Return how often each implementation failed, such as "failed in 3 of 50 runs"."""
    clauses = {}
    for name in implementations:
        statuses = runs.loc[runs["implementation"] == name, "status"]
        parts = [
            f"{how} in {counted(n, len(statuses), 'run')}"
            for how, n in zip(FAULTS, _fault_counts(statuses), strict=True)
            if n
        ]
        if parts:
            clauses[name] = " and ".join(parts)
    return clauses


def _fault_counts(statuses: "pd.Series[str]") -> tuple[int, int]:
    """Return how many runs have no labels, and how many no valid probabilities."""
    return int((~statuses.isin(WITH_LABELS)).sum()), int((statuses == INVALID).sum())


def failures(runs: pd.DataFrame, implementations: Sequence[str]) -> dict[str, str]:
    """Return one sentence for each implementation that failed in some run."""
    sentences = {}
    for name, clause in failure_clauses(runs, implementations).items():
        own = runs[runs["implementation"] == name]
        bad = own[own["status"] != "ok"]
        n_failed, n_invalid = _fault_counts(own["status"])
        means = ""
        if 0 < n_failed < len(own):
            means = "; its means cover the others"
        elif 0 < n_invalid < len(own):
            means = "; the means of its probabilities cover the others"
        sentences[name] = (
            f'{name} {clause}{means}. Message: "{_usual_message(bad).rstrip(".")}".'
        )
    return sentences


def spot_checks(plan: Mapping[str, Any]) -> list[str]:
    """Return a sentence on the runs that were compared, if not all were."""
    if plan.get("spot_checks") in {None, plan["runs"]}:
        return []
    drawn = plural(plan["spot_checks"], "run")
    n_others = plan["runs"] - plan["spot_checks"]
    others = "other run" if n_others == 1 else f"other {n_others:,} runs"
    setting = " at each train fraction" if "train_fractions" in plan else ""
    return [
        f"Spot checks: the implementations were compared in {drawn}{setting}, drawn at "
        f"random (seed {plan['seed']}); in the {others} {plan['reference']} alone was "
        "evaluated."
    ]


def remarks(
    tables: Mapping[str, pd.DataFrame], failed: Sequence[str], *, is_sweep: bool
) -> tuple[str, ...]:
    """Return the remarks on a study's splits and labels, one sentence each."""
    points, sentences = tables["points"], list(failed)
    if is_sweep:
        sentences += _without_split(points, tables["runs"])
    if "passes" not in tables:
        sentences += _thin_runs(points, is_sweep=is_sweep)
    marked = points[points["conservative"]]
    if points["runs"].max() == 1:
        which = " at each train fraction" if is_sweep else ""
        sentences.append(f"With one run{which}, scores have no intervals.")
    elif is_sweep and len(marked):
        largest = percent(marked["fraction"].max())
        sentences.append(
            f"Up to a train fraction of {largest} more than half of the samples are "
            "tested: intervals there (marked *) are too wide to show most differences."
        )
    elif len(marked):
        n_train, n_test = marked[["n_train", "n_test"]].iloc[0]
        sentences.append(
            f"{words.share(n_test / (n_train + n_test))} of the samples are tested: above "
            "50 % intervals are too wide to detect most differences."
        )
    small = points[(points["n_test"] > 0) & (points["n_test"] < SMALL_TEST)]
    for row in small.sort_values("n_test").head(1).to_dict("records"):
        where = f"At a train fraction of {percent(row['fraction'])} a" if is_sweep else "A"
        sentences.append(
            f"{where} test side has only {plural(int(row['n_test']), 'sample')}, so one "
            f"label moves the accuracy of a run by {words.points(1 / row['n_test'])}."
        )
    return (*sentences, *_strange_labels(tables["confusion"]))


def _without_split(points: pd.DataFrame, runs: pd.DataFrame) -> Iterator[str]:
    """Yield a remark on train fractions without a split."""
    without = points[points["impossible_runs"] > 0]
    if without.empty:
        return
    where = "a train fraction" if len(without) == 1 else "train fractions"
    fractions = listing([percent(fraction) for fraction in without["fraction"]])
    n_runs = plural(int(without["impossible_runs"].sum()), "run")
    message = str(runs.loc[impossible_runs(runs), "message"].iloc[0]).rstrip(".")
    yield (
        f"At {where} of {fractions} no split is possible: {n_runs} with an error, not in "
        f'any mean. First message: "{message}".'
    )


def _thin_runs(points: pd.DataFrame, *, is_sweep: bool) -> Iterator[str]:
    """Yield a remark on runs in which a class has too few samples for a variance."""
    thin = points[points["thin_runs"] > 0]
    if thin.empty:
        return
    total, planned = int(thin["thin_runs"].sum()), int(points["runs"].sum())
    where = ", ".join(
        f"{row['thin_runs']:,} at {percent(row['fraction'])}"
        for row in thin.to_dict("records")
        if is_sweep
    )
    yield (
        f"In {counted(total, planned, 'run')} some class has fewer than two training "
        f"samples{f' ({where})' if where else ''}; these runs count like all others."
    )


def _usual_message(failed: pd.DataFrame) -> str:
    """Return the most frequent message on one line, the first one among equals."""
    texts = failed.sort_values("run")["message"].fillna("").astype(str)
    ((usual, _),) = Counter(texts).most_common(1)
    return shorten(usual, 200, placeholder=" …") or "none recorded"


def _strange_labels(confusion: pd.DataFrame) -> list[str]:
    strange = confusion[confusion["label"] == NO_CLASS]
    counts = strange.groupby("implementation", sort=False)["count"].sum()
    return [
        f"{name} gave {plural(int(count), 'label')} that {'is' if count == 1 else 'are'} "
        "not among the classes."
        for name, count in counts.items()
        if count
    ]


def stream_tables(note: Mapping[str, Any] | None) -> dict[str, pd.DataFrame]:
    """Return the tables that only a streamed study has; none for other studies."""
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
    """Return the remarks on a streamed study, one sentence each."""
    note = records.stream
    if note is None:
        return []
    reference = str(records.plan["reference"])
    sentences = [
        "Only the test side is labelled, so there is no train accuracy. "
        "Duplicates are not looked for: all rows count as distinct."
    ]
    sentences += [
        f"The epsilon_ of {row['implementation']} differs from that of {reference} by "
        f"{words.significant(row['largest_relative_difference'])} times the latter."
        for row in note["parameters"]
        if row["parameter"] == "epsilon_"
        and (row["largest_relative_difference"] or 0.0) > SAME
    ]
    sentences += [_cause(cause, reference) for cause in note["variance_causes"]]
    sentences += _cut_disagreements(records)
    if int(records.runs["smallest_class"].min()) == 0:
        sentences.append("In at least one run a class has no training sample.")
    return [*sentences, *note["remarks"]]


def _cause(cause: Mapping[str, Any], reference: str) -> str:
    """Return why variances differ from the reference's."""
    name = cause["implementation"]
    why = [
        _SMOOTHING[how].format(name=who)
        for who, how in ((name, cause["own"]), (reference, cause["reference"]))
        if how != "own"
    ]
    reasons = "; ".join(why) or f"the epsilon_ of {name} and {reference} differ"
    return (
        f"Variances of {name} differ from those of {reference} by up to "
        f"{words.two_digits(cause['largest'])} (relative), in every class by one amount "
        f"for all features: {reasons}. Without that amount "
        f"{words.two_digits(cause['left'])} is left."
    )


_SMOOTHING = {
    "batch": (
        "partial_fit of {name} subtracts the epsilon_ of each new batch from the "
        "variances, not the one that it had added"
    ),
    "none": "{name} has no epsilon_ and adds none",
}


def _cut_disagreements(records: Records) -> list[str]:
    """Return a sentence for each competitor with more disagreements than are kept."""
    kept = records.disagreements["implementation"].value_counts()
    sentences = []
    pairs = records.pairs[["implementation", "disagreements"]]
    for name, differing in pairs.itertuples(index=False):
        n_kept = int(kept.get(name, 0))
        if n_kept < differing:
            sentences.append(
                f"Of {plural(int(differing), 'disagreement')} of {name} the first "
                f"{n_kept:,} of the stream are kept as rows; all are counted."
            )
    return sentences
