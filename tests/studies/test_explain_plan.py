"""The plan of a study of causes."""

from typing import Any

import numpy as np
import pytest
from faults.studies import prepared
from sklearn.model_selection import train_test_split

from gnbbench.data.loading import load
from gnbbench.errors import OptionError
from gnbbench.studies.explain import Explain, ExplainPlan
from gnbbench.studies.options import ExplainOptions
from gnbbench.studies.plan import sample_of


def _plan(against: str = "study-b", **options: Any) -> ExplainPlan:
    given = ExplainOptions(data=load("iris"), against=against, **options)
    return Explain().prepare(given).plan


def test_the_plan_names_what_results_depend_on() -> None:
    fields = _plan(runs=7).as_dict()

    assert fields["study"] == "explain"
    assert (fields["dataset"], fields["reference"], fields["against"], fields["runs"]) == (
        "iris",
        "sklearn",
        ["study-b"],
        7,
    )
    assert not {"margin", "spot_checks"} & set(fields)


@pytest.mark.parametrize(
    "options", [{"runs": 7}, {"seed": 1}, {"test_size": 0.4}, {"stratify": False}]
)
def test_another_plan_has_another_directory(options: dict[str, Any]) -> None:
    assert _plan().directory_name.startswith("explain-iris-")
    assert _plan(**options).directory_name != _plan().directory_name


def test_parameters_and_files_are_part_of_the_plan() -> None:
    plan = _plan("sklearn?var_smoothing=0.1")

    assert plan.against == ("sklearn?var_smoothing=0.1",)
    assert plan.identifier != _plan().identifier


@pytest.mark.parametrize("stratify", [True, False])
def test_splits_are_those_of_a_comparison_and_of_one_line(stratify: bool) -> None:
    data = load("iris")
    options: dict[str, Any] = {"runs": 3, "seed": 5, "test_size": 0.4}

    cuts = _plan(**options, stratify=stratify).rule.cuts(sample_of(data), range(3))

    compared = prepared(data, against="study-b", **options, stratify=stratify)
    for run, cut in enumerate(cuts):
        other = compared.rule.cut(compared.sample, run)
        train, test = train_test_split(
            np.arange(150),
            test_size=0.4,
            random_state=5 + run,
            stratify=data.y if stratify else None,
        )
        assert cut.train.tolist() == other.train.tolist() == train.tolist()
        assert cut.test.tolist() == other.test.tolist() == test.tolist()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"runs": 0}, "--runs"),
        ({"seed": -1}, "--seed"),
        ({"test_size": 1.0}, "--test-size"),
        ({"timeout_seconds": 0.0}, "--timeout: 0 is no time limit"),
        ({"timeout_seconds": float("nan")}, "--timeout: nan is no time limit"),
        ({"timeout_seconds": float("inf")}, "--timeout: inf is no time limit"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        _plan(**options)
