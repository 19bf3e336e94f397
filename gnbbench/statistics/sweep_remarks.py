"""What a reader must know before believing the summary of a sweep."""

from collections.abc import Sequence

import pandas as pd

from gnbbench.statistics.remarks import SMALL_TEST, failures
from gnbbench.statistics.sweep_points import SweepPoint, impossible_runs
from gnbbench.words import counted, plural, points

NO_CODE = -1


def sweep_failures(
    points_given: Sequence[SweepPoint], implementations: Sequence[str]
) -> dict[str, str]:
    """Return one sentence for each implementation that failed in some run with a split."""
    tables = [
        point.records.runs.assign(point=number) for number, point in enumerate(points_given)
    ]
    runs = pd.concat(tables, ignore_index=True)
    runs = runs[~impossible_runs(runs)]
    # A run of one fraction is another run than the one of the same number elsewhere.
    return failures(
        runs.assign(run=runs.groupby(["point", "run"]).ngroup()), implementations
    )


def sweep_remarks(
    points_given: Sequence[SweepPoint], fractions: pd.DataFrame, failed: Sequence[str]
) -> tuple[str, ...]:
    """Return the remarks on a sweep's splits and labels, one sentence each."""
    return (
        *failed,
        *_impossible(points_given, fractions),
        *_thin(fractions),
        *_one_run(fractions),
        *_conservative(fractions),
        *_small_test(fractions),
        *_strange_labels(points_given),
    )


def percent(fraction: float) -> str:
    """Return a train fraction in per cent."""
    return f"{100 * fraction:.4g} %"


def _impossible(given: Sequence[SweepPoint], fractions: pd.DataFrame) -> list[str]:
    found = []
    for point, number in zip(given, fractions["impossible_runs"], strict=True):
        if number:
            message = point.records.runs.loc[
                impossible_runs(point.records.runs), "message"
            ].iloc[0]
            found.append(
                f"At a train fraction of {percent(point.fraction)} there is no split: "
                f"{plural(int(number), 'run')} with an error, in no mean. "
                f'Message: "{message}".'
            )
    return found


def _thin(fractions: pd.DataFrame) -> list[str]:
    thin = fractions[fractions["thin_runs"] > 0]
    if thin.empty:
        return []
    total, runs = int(thin["thin_runs"].sum()), int(fractions["runs"].sum())
    where = ", ".join(
        f"{number:,} at {percent(fraction)}"
        for fraction, number in zip(thin["fraction"], thin["thin_runs"], strict=True)
    )
    return [
        f"In {counted(total, runs, 'run')} some class has fewer than two training samples "
        f"({where}); they count like all others."
    ]


def _one_run(fractions: pd.DataFrame) -> list[str]:
    if fractions["runs"].max() > 1:
        return []
    return [
        "One run at each train fraction: there are no intervals, and no test between "
        "accuracies."
    ]


def _conservative(fractions: pd.DataFrame) -> list[str]:
    marked = fractions.loc[fractions["conservative"], "fraction"]
    if marked.empty or fractions["runs"].max() == 1:
        return []
    return [
        f"Up to a train fraction of {percent(marked.max())} more than half of the samples "
        "are tested: intervals there are conservative, and the corrected test seldom finds "
        "a difference."
    ]


def _small_test(fractions: pd.DataFrame) -> list[str]:
    small = fractions[(fractions["n_test"] > 0) & (fractions["n_test"] < SMALL_TEST)]
    if small.empty:
        return []
    row = small.sort_values("n_test").iloc[0]
    return [
        f"At a train fraction of {percent(row['fraction'])} a test side has "
        f"{plural(int(row['n_test']), 'sample')} only: one label moves the accuracy of a "
        f"run by {points(1 / row['n_test'])}."
    ]


def _strange_labels(given: Sequence[SweepPoint]) -> list[str]:
    counts = pd.concat([point.records.confusion for point in given], ignore_index=True)
    strange = counts[counts["label"] == NO_CODE]
    numbers = strange.groupby("implementation", sort=False)["count"].sum()
    return [
        f"{name} gave {plural(int(number), 'label')} that are none of the classes."
        for name, number in numbers.items()
    ]
