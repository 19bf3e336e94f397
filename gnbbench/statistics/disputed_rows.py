"""The rows of the data whose labels were ever in dispute."""

from collections.abc import Mapping

import pandas as pd

COLUMNS = (
    "implementation",
    "row",
    "truth",
    "tested",
    "disputed",
    "votes",
    "reference_votes",
    "smallest_margin",
)

NOT_RECORDED = (float("nan"), "")


def disputed_rows(
    disagreements: pd.DataFrame,
    votes: pd.DataFrame,
    labels: Mapping[int, str],
    *,
    reference: str,
    competitors: tuple[str, ...],
) -> pd.DataFrame:
    """Return the table `disputed_rows` of a Summary, most disputed rows first."""
    shares = _votes(votes[votes["row"].isin(disagreements["row"])], labels)
    rows = []
    for name in competitors:
        own = disagreements[disagreements["implementation"] == name]
        own = own.assign(margin=own["margin"].astype("float64"))
        found = own.groupby("row").agg(
            truth=("truth", "first"), disputed=("run", "nunique"), margin=("margin", "min")
        )
        ordered = found.reset_index().sort_values(
            ["disputed", "row"], ascending=[False, True]
        )
        for row, truth, disputed, margin in ordered.itertuples(index=False):
            tested, text = shares.get((name, row), NOT_RECORDED)
            _, other = shares.get((reference, row), NOT_RECORDED)
            rows.append((name, row, labels[truth], tested, disputed, text, other, margin))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def vote_shares(counts: Mapping[str, int]) -> str:
    """Return the share of each label in words, the most frequent first."""
    total = sum(counts.values())
    given = [item for item in counts.items() if item[1]]
    ordered = sorted(given, key=lambda item: -item[1])
    return ", ".join(f"{name} {_percent(count, total)}" for name, count in ordered)


def _percent(count: int, total: int) -> str:
    if 0 < count < 0.005 * total:
        return "<1 %"
    if 0.995 * total < count < total:
        return ">99 %"
    return f"{100 * count / total:.0f} %"


def _votes(
    votes: pd.DataFrame, labels: Mapping[int, str]
) -> dict[tuple[str, int], tuple[float, str]]:
    """Return how often each row was labelled by whom, and the shares in words."""
    summed = votes.groupby(["implementation", "row", "label"])["count"].sum().reset_index()
    counts: dict[tuple[str, int], dict[str, int]] = {}
    for name, row, label, count in summed.itertuples(index=False):
        counts.setdefault((name, row), {})[labels[label]] = int(count)
    return {key: (sum(c.values()), vote_shares(c)) for key, c in counts.items()}
