"""Records become a summary: verdicts, order, failures, degenerate studies."""

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from faults.invented import random_study, records_of
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from gnbbench.records import Records
from gnbbench.statistics.summarize import summarize
from gnbbench.statistics.summary import DecisionRegions, Summary
from gnbbench.statistics.verdicts import smallest_margins

few = settings(max_examples=3, deadline=None)


def _tables(value: Any) -> dict[str, pd.DataFrame]:
    found = {field.name: getattr(value, field.name) for field in fields(value)}
    return {name: table for name, table in found.items() if isinstance(table, pd.DataFrame)}


def _assert_same(left: Summary, right: Summary) -> None:
    assert left.verdicts == right.verdicts
    assert left.warnings == right.warnings
    for name, table in _tables(left).items():
        assert_frame_equal(table, _tables(right)[name], check_exact=True)


def _shuffled(records: Records, seed: int) -> Records:
    tables: dict[str, Any] = {
        name: table.sample(frac=1, random_state=seed, ignore_index=True)
        for name, table in _tables(records).items()
    }
    return replace(records, **tables)


def test_identical_code_is_found_identical() -> None:
    summary = summarize(records_of(random_study(n_runs=1000)))

    (verdict,) = summary.verdicts
    assert verdict.outcome == "identical"
    assert summary.headline == "Identical: none of 45,000 labels differ."
    assert "equal to the last bit. All 150 samples were tested." in verdict.detail
    assert summary.differences["p"].isna().all()


@pytest.mark.parametrize(
    ("n_samples", "outcome", "text"),
    [
        (474, "equivalent", "Difference: "),
        (150, "cannot tell", "1 of 149 distinct rows got a different label in some run."),
    ],
)
def test_one_other_label_is_not_identical(n_samples: int, outcome: str, text: str) -> None:
    """Negative control of the test above; few rows show no equivalence."""
    study = replace(random_study(n_runs=1000), n_samples=n_samples)
    changed = study.labels["numpy"].copy()
    changed[500, 7] = (changed[500, 7] + 1) % 3

    summary = summarize(records_of(study, labels={**study.labels, "numpy": changed}))

    margins = smallest_margins(summary.differences).replace("\N{NO-BREAK SPACE}", " ")
    assert ("shown: numpy 3.2 points." in margins) == (outcome == "cannot tell")
    (verdict,) = summary.verdicts
    assert verdict.outcome == outcome
    assert text in verdict.detail.replace("\N{NO-BREAK SPACE}", " ")
    assert "Not identical: 1 of 45,000 labels differs" in verdict.sentence
    assert len(summary.disputed_rows) == 1


@pytest.mark.slow
@few
@given(seed=st.integers(0, 10_000))
def test_the_order_of_records_changes_nothing(seed: int) -> None:
    study = random_study(changed={"numpy": 0.1, "textbook": 0.02}, n_runs=6)
    records = records_of(study, failed={"numpy": [2, 4]})

    _assert_same(summarize(_shuffled(records, seed)), summarize(records))


@pytest.mark.slow
@few
@given(order=st.permutations([0, 1, 2]))
def test_swapping_classes_swaps_their_rows_alone(order: list[int]) -> None:
    """The classes are numbered in another order, names going along."""
    study = random_study(changed={"numpy": 0.2}, n_runs=6)
    expected = summarize(records_of(study))
    place = np.array(order)
    back = np.argsort(place)

    swapped = summarize(
        records_of(
            study,
            truth=place[study.truth],
            labels={name: place[codes] for name, codes in study.labels.items()},
            probabilities={n: p[..., back] for n, p in study.probabilities.items()},
            class_names=tuple(np.array(study.class_names)[back].tolist()),
        )
    )

    assert [v.outcome for v in swapped.verdicts] == [v.outcome for v in expected.verdicts]
    assert_frame_equal(swapped.agreement, expected.agreement)
    keys = ["implementation", "class_name"]
    assert_frame_equal(
        swapped.class_scores.sort_values(keys, ignore_index=True),
        expected.class_scores.sort_values(keys, ignore_index=True),
    )


DEGENERATE: dict[str, dict[str, Any]] = {
    "one run": {"n_runs": 1},
    "one run, labels differ": {"n_runs": 1, "changed": {"numpy": 0.3}},
    "two runs": {"n_runs": 2, "changed": {"numpy": 0.3}},
    "two runs, identical": {"n_runs": 2},
    "labels only": {"with_probabilities": False, "changed": {"numpy": 0.3}},
    "one sample tested": {"n_test": 1, "changed": {"numpy": 0.3}},
    "nearly all tested": {"n_test": 147, "changed": {"numpy": 0.3}},
    "all labels differ": {"changed": {"numpy": 1.0}},
}
FAILED: dict[str, dict[str, range]] = {
    "nothing failed": {},
    "first run failed": {"numpy": range(1)},
    "competitor failed": {"numpy": range(20)},
    "reference failed": {"sklearn": range(20)},
    "all failed": {"sklearn": range(20), "numpy": range(20)},
    "one run left": {"numpy": range(1, 20)},
}

WHOLE = {"competitor failed", "reference failed", "all failed"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "failed"),
    [
        (case, failed)
        for case in DEGENERATE
        for failed in FAILED
        # Where a whole side failed, nothing is left of what the case is.
        if case in {"two runs", "labels only"} or failed not in WHOLE
    ],
)
def test_degenerate_studies_end_in_a_verdict_without_nan_or_false_certainty(
    case: str, failed: str
) -> None:
    study = random_study(**DEGENERATE[case])
    n_runs = len(study.truth)
    which = {n: [r for r in runs if r < n_runs] for n, runs in FAILED[failed].items()}

    summary = summarize(records_of(study, failed=which))

    (verdict,) = summary.verdicts
    compared = summary.agreement["compared_runs"].iloc[0]
    differing = summary.agreement["disagreements"].iloc[0]
    if compared == 0:
        assert verdict.outcome == "failed"
    elif differing == 0:
        assert verdict.outcome == "identical"
    elif compared == 1:
        assert verdict.outcome == "cannot tell"
    else:
        assert verdict.outcome in {"equivalent", "different", "cannot tell"}
    assert "nan" not in (verdict.sentence + verdict.detail).split()
    assert not (summary.differences["p"] == 0).any()
    assert set(summary.frame()["implementation"]) == {"sklearn", "numpy"}


def test_tables_without_a_row_may_have_any_dtype() -> None:
    """A store reads an empty table back with columns of objects."""
    failed = {"sklearn": [0, 1], "numpy": [0, 1]}
    records = records_of(random_study(n_runs=2), failed=failed)
    empty: dict[str, Any] = {
        name: table.astype(object)
        for name, table in _tables(records).items()
        if table.empty
    }

    summary = summarize(replace(records, **empty))

    assert len(empty) > 5
    assert summary.verdicts[0].outcome == "failed"


def test_regions_become_grids_that_their_codes_fill() -> None:
    regions: dict[str, Any] = {
        "axis_names": ["x", "y"],
        "extent": [0, 3, 0, 2],
        "shape": [2, 3],
        "codes": {"numpy": [0, 0, 1, 0, 1, 1]},
        "points": [[0.5, 0.5], [2.5, 1.5]],
        "point_codes": [0, 1],
        "caption": "Fitted on x and y.",
    }

    found = DecisionRegions.of(regions)

    assert found is not None
    assert found.codes["numpy"].tolist() == [[0, 0, 1], [0, 1, 1]]
    assert found.points.shape == (2, 2)
    with pytest.raises(ValueError, match="reshape"):
        DecisionRegions.of({**regions, "codes": {"numpy": [0, 1]}})
    assert DecisionRegions.of(None) is None
