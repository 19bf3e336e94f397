"""Verdicts on all competitors, and the headline of the page."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import pandas as pd

from gnbbench import words
from gnbbench.records import INVALID, WITH_LABELS
from gnbbench.statistics.intervals import fewest_rows
from gnbbench.statistics.metrics import FEW_ROWS, LEVEL
from gnbbench.statistics.remarks import FAULTS
from gnbbench.statistics.summary import Outcome, Verdict

FAILED = "Failed: no run gave labels to compare."
NOT_IDENTICAL = "Not identical: "
# Smaller differences of probabilities are due to rounding.
SAME_PROBABILITIES = 1e-8
# More names would make an unreadable headline; lists below it have them all.
MOST_NAMED = 4
MOST_DESCRIBED = 2
LARGEST_MARGIN = 0.5
SPOT_CHECK = "spot check"
SHOWN_EQUAL = ("identical", "equivalent")

Tables = Mapping[str, pd.DataFrame]


def rows_of(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows as dicts from column names to values."""
    return cast("list[dict[str, Any]]", table.to_dict("records"))


def verdict_of(
    name: str,
    outcome: Outcome,
    labels: Mapping[str, Any],
    *,
    planned: int,
    n_samples: int,
    unit: str = "run",
    effect: str = "",
    tested: str = "",
    failures: str = "",
    invalid: bool = False,
    nothing: str = FAILED,
) -> Verdict:
    """Return the verdict: labels first, then the numbers behind it.

    The outcome is that of the test accuracy; labels are as in the table `agreement`, over
    all compared runs of those planned (or spot checks, as the unit says); in some of them
    probabilities are invalid. The effect on accuracy, its evidence and the failures come
    as sentences.
    """
    sentence, detail = nothing, ""
    differing, total = (int(labels[column]) for column in ("disagreements", "predictions"))
    if differing:
        text = f"{words.differ(differing, total)} ({words.share(differing / total)})"
        sentence = f"{NOT_IDENTICAL}{text}; {effect}."
        detail = tested
    elif outcome != "failed":
        sentence, detail = _same_labels(labels, planned, unit, invalid=invalid)
        detail = f"{detail} {_tested(labels, n_samples)}".strip()
    is_partial = labels["compared_runs"] < planned or invalid
    return Verdict(name, outcome, sentence, f"{detail} {failures}".strip(), is_partial)


def _same_labels(
    labels: Mapping[str, Any], planned: int, unit: str, *, invalid: bool
) -> tuple[str, str]:
    largest, compared = labels["max_probability_difference"], labels["compared_runs"]
    n = int(labels["predictions"])
    none = f"one of {n:,} labels differ" if n > 1 else "o label differs"
    apart = "There are no probabilities to compare"
    if not math.isnan(largest):
        apart = f"Probabilities differ by up to {words.significant(largest, 2)}"
    if largest == 0:
        apart = "Probabilities are equal to the last bit"
    if compared < planned:
        runs = words.counted(int(compared), planned, unit)
        others = "other was" if planned - compared == 1 else "others were"
        sentence = f"Same labels in {runs}; the {others} not compared."
        return sentence, f"N{none}. {apart}."
    if invalid:
        where = "compared in no run" if math.isnan(largest) else "not compared in some runs"
        return f"Same labels; probabilities were {where}.", f"N{none}."
    if unit == SPOT_CHECK:
        every = "" if planned == 1 else "all "
        sentence = f"Same labels in {every}{words.plural(planned, unit)}."
        return sentence, f"N{none}. {apart}."
    if largest <= SAME_PROBABILITIES:
        return f"Identical: n{none}.", f"{apart}."
    if math.isnan(largest):
        return f"Same labels: n{none}.", f"{apart}."
    return f"Same labels; {apart[0].lower()}{apart[1:]}.", f"N{none}."


def _tested(labels: Mapping[str, Any], n_samples: int) -> str:
    """Return how many of the samples were tested in some run; empty if unknown."""
    tested = labels["tested_samples"]
    if math.isnan(tested):
        return ""
    if tested == n_samples:
        return f"All {words.plural(n_samples, 'sample')} were tested."
    verb = "was" if tested == 1 else "were"
    return f"{words.counted(int(tested), n_samples, 'sample')} {verb} tested."


def outcome_text(outcome: str, largest_difference: float) -> str:
    """Return the displayed outcome: only equal labels and probabilities are identical."""
    same = outcome != "identical" or largest_difference <= SAME_PROBABILITIES
    return outcome if same else "same labels"


def verdicts(
    tables: Tables, failures: Mapping[str, str], plan: Mapping[str, Any], *, n_samples: int
) -> Iterator[Verdict]:
    """Yield one verdict per competitor, in the order of the agreement table."""
    differences = tables["differences"]
    accuracy = differences[differences["metric"] == "test_accuracy"]
    n_tests, margin = int(accuracy["p"].notna().sum()), float(plan["margin"])
    by_name = {str(row["implementation"]): row for row in rows_of(accuracy)}
    for row in rows_of(tables["agreement"]):
        name, n_disputed = row["implementation"], int(row["disputed_rows"])
        own, p = by_name[name], row["mcnemar_p"]
        effect, tested = accuracy_effect(
            own, p, margin, n_tests=n_tests, disputed=n_disputed
        )
        outcome = own["outcome"]
        if outcome == "cannot tell" and own["runs"] > 1:
            what = "sample" if row["tested_rows"] == n_samples else "distinct row"
            disputed = words.counted(n_disputed, row["tested_rows"], what)
            tested += f" {disputed} got a different label in some run."
        runs = _of_runs(tables, failures, plan, name)
        yield verdict_of(
            name, outcome, row, n_samples=n_samples, effect=effect, tested=tested, **runs
        )


def _of_runs(
    tables: Tables, failures: Mapping[str, str], plan: Mapping[str, Any], name: str
) -> dict[str, Any]:
    """Return how many runs or spot checks were planned, and what failed in them."""
    points, runs, reference = tables["points"], tables["runs"], plan["reference"]
    failed = " ".join(failures[n] for n in (reference, name) if n in failures)
    result: dict[str, Any] = {"failures": failed, "planned": int(points["runs"].sum())}
    statuses = runs.loc[runs["implementation"] == reference, "status"]
    own = runs.loc[runs["implementation"] == name, "status"]
    result["invalid"] = INVALID in {*statuses, *own}
    if not statuses.isin(WITH_LABELS).any():
        result["nothing"] = f"Nothing to compare with: no run of {reference} succeeded."
    if plan.get("spot_checks") is not None:
        result |= {"planned": int(plan["spot_checks"]) * len(points), "unit": SPOT_CHECK}
    return result


def smallest_margins(differences: pd.DataFrame) -> str:
    """Return the margins at which unclear equivalence could be shown."""
    accuracy = differences[differences["metric"] == "test_accuracy"]
    unclear = accuracy.groupby("implementation", sort=False)
    texts = [
        f"{name} {words.bound_text(margin).replace('%', 'points')}"
        for name, rows in unclear
        for margin in [rows["equivalence_margin"].max(skipna=False)]
        if "cannot tell" in set(rows["outcome"]) and margin < LARGEST_MARGIN
    ]
    lead = "Smallest margin at which equivalence could be shown"
    return f"{lead}: {words.listing(texts, 8)}." if texts else ""


def equivalence_values(margin: float, n_competitors: int) -> dict[str, str]:
    """Return a margin of equivalence and the number of rows it needs, in words."""
    needed = fewest_rows(margin, LEVEL / max(1, n_competitors))
    text = "No number of rows shows equivalence at a margin of 0."
    if math.isfinite(needed):
        text = (
            f"This takes at least {words.plural(int(needed), 'distinct row')}, even if "
            "no label differs."
        )
    return {"margin": words.decimal(margin, 3), "rows_needed": text}


def bound_on_rows(agreement: pd.DataFrame) -> str:
    """Return how many rows may get a different label in such runs; empty if unknown.

    The tested rows bound what the same number of runs of the same size does to other rows;
    more runs dispute more of them (one row in ten runs may be two in a thousand).
    """
    bounds = [
        f"{row['implementation']} {words.bound_text(row['row_bound'])}"
        for row in rows_of(agreement)
        if not math.isnan(row["row_bound"])
    ]
    if not bounds:
        return ""
    return (
        "Share of rows that get a different label, at most (one-sided 95 % bound from the "
        f"distinct rows tested, Clopper and Pearson 1934): {words.listing(bounds, 8)}. It "
        "holds for runs like these, as many and of this size; more runs may show more."
    )


def accuracy_effect(
    difference: Mapping[str, Any],
    mcnemar_p: float,
    margin: float,
    *,
    n_tests: int,
    disputed: int,
) -> tuple[str, str]:
    """Return the effect of differing labels on accuracy, and the evidence for it."""
    if math.isnan(difference["mean"]):
        return "", ""
    mean, low, high, p = (difference[column] for column in ("mean", "low", "high", "p"))
    if difference["runs"] == 1:
        return _effect_on_one_split(mean, mcnemar_p)
    between = words.points_between(mean, low, high)
    if math.isnan(low) and not math.isnan(p):
        few = (
            f"Rows in dispute: {disputed}, too few to tell (sign test: {words.p_value(p)})."
        )
        return f"effect on accuracy unclear: {between}", few
    after = f" after Holm's correction over {n_tests} tests" if n_tests > 1 else ""
    test = f"{words.p_value(p)}{after}."
    if disputed < FEW_ROWS:
        test = (
            f"{test[:-1]}, the larger of a t test's and a sign test's over disputed rows."
        )
    if math.isnan(p):
        test = "the difference is the same in every run, so not tested."
    tested = f"95 % interval, corrected for overlapping splits; {test}"
    return _effect_over_runs(difference, between, margin, tested)


def _effect_over_runs(
    difference: Mapping[str, Any], between: str, margin: float, tested: str
) -> tuple[str, str]:
    mean, low, high = (difference[column] for column in ("mean", "low", "high"))
    if difference["outcome"] == "cannot tell":
        return f"effect on accuracy unclear: {between}", tested
    sizes = sorted((abs(low), abs(high)))
    number, ends = words.points_parts(abs(mean), *sizes, signed=False)
    shown = f"{number} {'more' if mean > 0 else 'less'} accurate"
    shown = words.with_ends(shown, ends)
    if difference["outcome"] == "different":
        return shown, tested
    if difference["p"] < LEVEL:
        return f"{shown}, within the margin of {words.points(margin)}", tested
    return f"accuracy within {words.points(margin)}", f"Difference: {between}. {tested}"


def _effect_on_one_split(mean: float, mcnemar_p: float) -> tuple[str, str]:
    """Return the effect of differing labels on accuracy for a single split."""
    test = f"McNemar's test on this split: {words.p_value(mcnemar_p)}. "
    if math.isnan(mcnemar_p):
        test = ""  # Both are right and wrong on the same samples
    text = f"{test}One run says nothing about other splits."
    if not mean:
        return "accuracy on this split is the same", text
    size = words.points_between(abs(mean), math.nan, math.nan, signed=False)
    return f"{size} {'more' if mean > 0 else 'less'} accurate on this split", text


def sweep_verdicts(
    tables: Tables, failures: Mapping[str, str], plan: Mapping[str, Any], *, n_samples: int
) -> Iterator[Verdict]:
    """Yield one verdict per competitor over all fractions.

    Identical: no label differs in any run. Different: the test accuracy differs at some
    fraction, corrected over all. Equivalent: it is within the margin at every fraction.
    Otherwise it is undecided. No test combines fractions, as their runs share samples.
    """
    reference, margin = str(plan["reference"]), float(plan["margin"])
    rows = {str(row["implementation"]): row for row in rows_of(tables["overall"])}
    points, differences = tables["points"], tables["differences"]
    possible = points.loc[points["n_train"] > 0, "point"]
    is_accuracy = differences["metric"] == "test_accuracy"
    judged = differences[differences["point"].isin(possible) & is_accuracy]
    by_name = tables["agreement"].groupby("implementation")
    totals = by_name[["predictions", "disagreements", "compared_runs"]].sum()
    # If no single fraction tested all samples, several together may have.
    most_tested = by_name["tested_samples"].max()
    most_tested = most_tested.where(most_tested == n_samples)
    for name in [name for name in rows if name != reference]:
        own = judged[judged["implementation"] == name]
        labels = {**rows[name], **totals.loc[name], "tested_samples": most_tested[name]}
        shown = own["outcome"].isin(SHOWN_EQUAL) & (own["equivalence_margin"] <= margin)
        outcome = _sweep_outcome(rows[name], own["outcome"], shown)
        effect = _sweep_effect(outcome, own.assign(shown=shown), margin)
        is_single = points["runs"].max() == 1
        tested = "One run at each train fraction gives no interval." if is_single else ""
        kept = _of_runs(tables, failures, plan, name)
        yield verdict_of(
            name, outcome, labels, n_samples=n_samples, effect=effect, tested=tested, **kept
        )


def _sweep_outcome(
    overall: Mapping[str, Any], outcomes: "pd.Series[str]", shown: "pd.Series[bool]"
) -> Outcome:
    """Combine the outcomes of the test accuracy at all fractions."""
    if not overall["runs"]:
        return "failed"
    if overall["exact_runs"] == overall["runs"]:
        return "identical"
    if "different" in set(outcomes):
        return "different"
    return "equivalent" if shown.all() else "cannot tell"


def _sweep_effect(outcome: Outcome, differences: pd.DataFrame, margin: float) -> str:
    """Return at how many fractions differing labels change the accuracy."""

    def fractions(rows: "pd.Series[bool]") -> str:
        counted = words.counted(int(rows.sum()), len(rows), "train fraction")
        return f" at {counted}" if len(rows) > 1 else ""

    if outcome == "equivalent":
        where = " at every train fraction" if len(differences) > 1 else ""
        return f"accuracy within {words.points(margin)}{where}"
    called = differences["outcome"]
    if outcome != "different":
        unclear = ~called.isin(SHOWN_EQUAL)
        if not unclear.any():
            where = fractions(~differences["shown"])
            return f"too few rows to show accuracy within {words.points(margin)}{where}"
        return f"effect on accuracy unclear{fractions(unclear)}"
    signs = set(differences.loc[called == "different", "mean"] > 0)
    word = "accuracy differs" if len(signs) > 1 else "more accurate"
    word = "less accurate" if signs == {False} else word
    return f"{word}{fractions(called == 'different')}"


@dataclass(frozen=True)
class Standing:
    """Parts of a sentence on several implementations, for one of them."""

    name: str
    same: bool  # Whether every label is the reference's
    differs: str = ""  # Where or how often labels differ, such as "in 1.4 %"
    failed: str = ""  # Such as "failed in 3 of 50 runs"


def standings(
    judged: Sequence[Verdict], tables: Tables, clauses: Mapping[str, str]
) -> list[Standing]:
    """Return the standing of each competitor of a study."""
    columns = ["disagreements", "predictions"]
    totals = tables["agreement"].groupby("implementation")[columns].sum()
    result = []
    for verdict in judged:
        name = verdict.implementation
        differing, total = map(int, totals.loc[name])
        differs = f"in {words.share(differing / total)}" if differing else ""
        failed = clauses.get(name, "")
        # With invalid probabilities it still gave labels.
        same = verdict.outcome == "identical" and not failed.startswith(FAULTS[0])
        result.append(Standing(name, same, differs, failed))
    return result


def ranked(entries: Sequence[Standing], reference: str, where: str = "") -> str:
    """Return one sentence in which each implementation is counted once."""
    same = [entry.name for entry in entries if entry.same]
    others = [entry for entry in entries if not entry.same]
    if not entries:
        return f"Nothing was compared with {reference}."
    clauses = []
    labels = f"the same labels as {reference}{where}"
    if same and len(entries) <= MOST_NAMED:
        verb = "gives" if len(same) == 1 else "give"
        clauses.append(f"{words.listing(same)} {verb} {labels}")
    elif same:
        who = f"{len(same)} of {len(entries)}" if others else f"All {len(entries)}"
        named = f" ({words.listing(same)})" if others and len(same) <= MOST_NAMED else ""
        clauses.append(f"{who} implementations give {labels}{named}")
    origin = "" if same else f" from {reference}"
    differing = [entry for entry in others if entry.differs]
    rest = [entry for entry in others if not entry.differs]
    if len(differing) > MOST_DESCRIBED:
        wide = " on at least one dataset" if where else ""
        who = words.listing([entry.name for entry in differing], MOST_NAMED)
        clauses.append(f"{who} differ{origin}{wide}")
    else:
        clauses += [
            f"{entry.name} differs{origin} {entry.differs}"
            + (f" and {entry.failed}" if entry.failed else "")
            for entry in differing
        ]
    if len(rest) > MOST_DESCRIBED:
        clauses.append(f"{len(rest)} could not be compared in every run")
    else:
        clauses += [f"{e.name} {e.failed or 'could not be compared'}" for e in rest]
    invalid = [entry for entry in entries if entry.same and entry.failed]
    if len(invalid) > MOST_DESCRIBED:
        clauses.append(f"{len(invalid)} {FAULTS[1]}")
    else:
        clauses += [f"{entry.name} {entry.failed}" for entry in invalid]
    return f"{'; '.join(clauses)}."


def headline(
    judged: Sequence[Verdict], tables: Tables, clauses: Mapping[str, str], reference: str
) -> str:
    """Return the first sentence of a page: the one verdict, or one on all competitors."""
    if len(judged) == 1:
        return judged[0].sentence
    text = ranked(standings(judged, tables, clauses), reference)
    blame = f"; {reference} {clauses[reference]}" if reference in clauses else ""
    return f"{text.removesuffix('.')}{blame}."
