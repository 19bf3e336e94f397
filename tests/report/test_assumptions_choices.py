"""What is drawn where there is too much."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from gnbbench.report.assumptions_choices import (
    class_words,
    largest_pairs,
    least_normal,
    nearly_constant,
    ranked_pairs,
    shown_classes,
    shown_features,
    worst_cells,
)
from gnbbench.report.assumptions_summary import AssumptionsSummary

Give = Callable[[str], AssumptionsSummary]


def test_pairs_come_once_and_by_size(assumptions_of: Give) -> None:
    pairs = ranked_pairs(assumptions_of("iris"))

    assert len(pairs) == 3 * 6
    assert pairs["pearson"].abs().is_monotonic_decreasing
    first = pairs.iloc[0]
    assert (first["class_name"], first["feature"], first["other_feature"]) == (
        "virginica",
        "sepal length (cm)",
        "petal length (cm)",
    )


def test_pairs_are_ranked_by_the_chosen_correlation(assumptions_of: Give) -> None:
    summary = replace(assumptions_of("wine"), correlation="spearman")

    pairs = ranked_pairs(summary)

    assert pairs["spearman"].abs().is_monotonic_decreasing
    assert not pairs["pearson"].abs().is_monotonic_decreasing


def test_constant_features_are_in_no_pair(assumptions_of: Give) -> None:
    assert ranked_pairs(assumptions_of("constant")).empty


def test_the_largest_pairs_are_those_of_the_statistics(assumptions_of: Give) -> None:
    summary = assumptions_of("wine")

    own = largest_pairs(summary, 10)

    expected = summary.findings.largest_correlations
    assert own["pearson"].tolist() == pytest.approx(expected["pearson"].tolist())
    assert own["class_name"].tolist() == expected["class_name"].tolist()


def test_few_features_are_all_shown(assumptions_of: Give) -> None:
    summary = assumptions_of("iris")

    assert shown_features(summary) == list(summary.findings.feature_names)
    assert shown_classes(summary) == list(summary.findings.class_names)


def test_of_many_the_most_correlated_are_shown_in_the_order_of_the_data(
    assumptions_of: Give,
) -> None:
    summary = assumptions_of("many")
    names = list(summary.findings.feature_names)

    shown = shown_features(summary)

    worst = ranked_pairs(summary).iloc[0]
    assert len(shown) == len(shown_classes(summary)) == 12
    assert {worst["feature"], worst["other_feature"]} <= set(shown)
    assert shown == sorted(shown, key=names.index)
    assert worst["class_name"] in shown_classes(summary)


def test_nearly_constant_features_are_found(assumptions_of: Give) -> None:
    dull = nearly_constant(assumptions_of("digits"))

    assert ("3", "pixel_0_7") in dull
    assert ("0", "pixel_3_2") not in dull
    assert nearly_constant(assumptions_of("iris")) == set()


def test_nearly_constant_features_are_drawn_last(assumptions_of: Give) -> None:
    summary = assumptions_of("digits")
    dull = nearly_constant(summary)

    cells = worst_cells(summary)

    drawn = set(zip(cells["class_name"], cells["feature"], strict=True))
    assert len(drawn) == 12
    assert not drawn & dull
    table = summary.findings.normality.dropna(subset="qq_correlation")
    keys = zip(table["class_name"], table["feature"], strict=True)
    telling = table[[key not in dull for key in keys]]
    assert cells["qq_correlation"].max() == telling["qq_correlation"].nsmallest(12).max()


def test_few_cells_keep_the_order_of_the_data(assumptions_of: Give) -> None:
    cells = worst_cells(assumptions_of("iris"))

    assert (
        cells["class_name"].tolist()
        == np.repeat(["setosa", "versicolor", "virginica"], 4).tolist()
    )


def test_the_least_normal_is_found_beside_unknown_ones(assumptions_of: Give) -> None:
    table = assumptions_of("iris").findings.normality.copy()
    table.loc[0, "qq_correlation"] = float("nan")

    assert least_normal(table)["feature"] == "petal width (cm)"


def test_numbers_as_class_names_get_the_word() -> None:
    assert [class_words(name) for name in ("7", "-1", "class_0")] == [
        "class 7",
        "class -1",
        "class_0",
    ]
