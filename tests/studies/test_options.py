"""Options are refused in words where they cannot be, and decide what they say."""

import inspect
import re
import shlex
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd
import pytest
import typer

import gnbbench
from gnbbench import Study
from gnbbench.cli.app import app
from gnbbench.errors import OptionError
from gnbbench.studies import compare as comparisons
from gnbbench.studies.compare import compared_runs, times_differ, timing_plan
from gnbbench.studies.option import fractions_of, seconds_of, share_of
from gnbbench.studies.options import (
    CompareOptions,
    DataSource,
    TimingOptions,
    each_to_load,
)
from gnbbench.studies.plan import competitors_of, explained_by

USUAL_BUDGET = comparisons.USUAL_BUDGET_SECONDS
SECONDS = {"30s": 30.0, "500ms": 0.5, "2m": 120.0, "1.5": 1.5, " .5 s ": 0.5}
NO_SECONDS = (
    *("", "s", "-1s", "0", "0ms", "1d", "30 S", "1e3", "nan", "inf"),
    *("1 000s", "٣s", "1,5s"),
)
SHARES = {"1%": 0.01, "0.5 %": 0.005, "0.01": 0.01, ".2": 0.2}
NO_SHARES = ("", "%", "0", "0%", "1", "100%", "-1%", "1%%", "nan")
# The decimals that a user means.
FRACTIONS_OF = {
    "0.1:0.9:0.1": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
    "0.05:0.5:0.15": (0.05, 0.2, 0.35, 0.5),
    "0.5": (0.5,),
    " 0.25, 0.5 ": (0.25, 0.5),
}
NO_FRACTIONS = (
    *("", "a", "0.1:0.9", "0.1:0.9:0", "0.1:0.9:-0.1", "0.1,0.2:0.3", "0.1;0.2"),
    "0.9:0.1:0.1",
)


@pytest.mark.parametrize(
    ("options", "seconds"),
    [({}, 1.0), ({"precision": 0.01}, 30.0), ({"precision": 0.01, "budget_seconds": 4}, 4)],
)
def test_the_budget_follows_from_the_precision_where_it_is_left_open(
    options: dict[str, Any], seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparisons, "USUAL_BUDGET_SECONDS", USUAL_BUDGET)

    assert timing_plan(TimingOptions(**options), 1).budget_seconds == seconds


def noted(processes: int = 1, **options: Any) -> dict[str, Any]:
    """Return notes of times that were taken with these options."""
    notes: dict[str, Any] = {"plan": asdict(timing_plan(TimingOptions(**options), 0))}
    return notes if processes == 1 else {**notes, "processes": [{}] * processes}


EARLIER = {"plan": {"budget_seconds": 1.0, "threads": 1}}
TWICE = TimingOptions(processes=2, precision=0.01)


@pytest.mark.parametrize(
    ("asked", "notes", "differ"),
    [
        (TWICE, noted(), True),
        (TWICE, noted(processes=2), True),
        (TWICE, noted(processes=2, precision=0.01), False),
        # No request matches any times; a different budget does not matter.
        (TimingOptions(), noted(processes=3, threads=2), False),
        (TimingOptions(budget_seconds=9.0), noted(), False),
        # Times of an earlier version say less.
        (TimingOptions(budget_seconds=0.5), EARLIER, False),
        (TimingOptions(threads=2), EARLIER, True),
        (TimingOptions(precision=0.01), EARLIER, True),
    ],
)
def test_times_measured_differently_are_distinguished(
    asked: TimingOptions, notes: dict[str, Any], differ: bool
) -> None:
    assert times_differ(asked, notes) == differ


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ({"random_state": 7}, {"seed": 7}),
        ({"budget": "500ms"}, {"budget_seconds": 0.5}),
        ({"budget_seconds": 0.5}, {"budget_seconds": 0.5}),
        ({"timeout": 0}, {"timeout_seconds": None}),
        ({"timeout": 5}, {"timeout_seconds": 5.0}),
        ({"sep": ";"}, {"separator": ";"}),
        ({"precision": "1%"}, {"precision": 0.01}),
    ],
)
def test_an_option_is_taken_as_the_command_or_scikit_learn_has_it(
    given: dict[str, Any], taken: dict[str, Any]
) -> None:
    options = CompareOptions(data="iris", **given)

    assert {name: getattr(options, name) for name in taken} == taken


def test_an_option_under_two_names_is_refused() -> None:
    with pytest.raises(OptionError, match="random_state: it is another name for seed"):
        gnbbench.compare("iris", seed=1, random_state=1)


@pytest.mark.parametrize("name", ["compare", "explain", "scale"])
def test_other_names_are_documented_and_texts_are_of_python(name: str) -> None:
    text = inspect.getdoc(getattr(gnbbench, name)) or ""

    assert "Also `random_state`." in text
    assert "repeatable" not in text
    assert "--stream" not in text
    assert len(text.split()) <= 250
    assert ("Default: numpy, or sklearn" in text) == (name != "explain")


def test_only_public_names_are_listed() -> None:
    assert dir(gnbbench) == sorted(gnbbench.__all__)


@pytest.mark.parametrize(
    ("option", "error", "words"),
    [
        ({"runs": 0}, OptionError, "runs: 0 is out of range. Give a whole number from 1."),
        ({"budget": "1x"}, OptionError, "budget_seconds: '1x' is not a time."),
        ({"stratify": 3}, OptionError, "stratify: 3 is neither true nor false."),
        ({"run": 5}, TypeError, "unexpected keyword argument 'run'. Did you mean 'runs'?"),
        ({"zzz": 5}, TypeError, "keyword argument 'zzz'. See help()."),
    ],
)
def test_errors_in_python_use_parameter_names(
    option: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=re.escape(words)):
        gnbbench.compare("iris", **option)


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        *((seconds_of, text, seconds) for text, seconds in SECONDS.items()),
        *((share_of, text, share) for text, share in SHARES.items()),
        *((fractions_of, text, given) for text, given in FRACTIONS_OF.items()),
    ],
)
def test_a_time_or_share_is_read(read: Callable[[str], Any], text: str, value: Any) -> None:
    assert read(text) == (value if read is fractions_of else pytest.approx(value, 1e-12))


@pytest.mark.parametrize(
    ("read", "text", "words"),
    [
        *((seconds_of, text, f"--budget: '{text}' is not a time") for text in NO_SECONDS),
        *((share_of, text, f"--precision: '{text}' is not a share") for text in NO_SHARES),
        *((fractions_of, text, "--train-fractions: ") for text in NO_FRACTIONS),
    ],
)
def test_invalid_times_or_fractions_are_one_line_errors(
    read: Callable[[str], float], text: str, words: str
) -> None:
    with pytest.raises(OptionError, match=f"^{re.escape(words)}"):
        read(text)


@pytest.mark.slow
def test_the_drawn_runs_alone_are_compared_and_the_reference_has_all() -> None:
    options: dict[str, Any] = {"reference": "numpy", "runs": 30, "budget_seconds": 0.02}
    options["train_fractions"] = (0.5, 0.8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gnbbench.studies.plan.SPOT_CHECKS", 4)
        checked: Study = gnbbench.sweep_split("wine", **options)
    everything: Study = gnbbench.sweep_split("wine", **options)

    runs = checked.runs.query("implementation == 'sklearn'")
    assert set(runs["run"]) == set(compared_runs(checked.details.plan) or ())
    assert len(runs) == 4 * 2
    assert runs["status"].eq("ok").all()
    columns = ["train_accuracy", "test_accuracy", "precision", "recall", "f1"]
    ours, theirs = (
        study.runs.query("implementation == 'numpy'").reset_index(drop=True)
        for study in (checked, everything)
    )
    assert len(ours) == 30 * 2
    assert ours[columns].equals(theirs[columns])
    assert np.allclose(ours["log_loss"], theirs["log_loss"], rtol=1e-9)
    texts = [text for text in checked.details.warnings if text.startswith("Spot checks")]
    assert texts == [
        "Spot checks: the implementations were compared in 4 runs at each train fraction, "
        "drawn at random (seed 42); in the other 26 runs numpy alone was evaluated."
    ]
    assert checked.details.overall.set_index("implementation").loc["sklearn", "runs"] == 8


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((None, "sklearn", 5000), (("numpy",), None)),
        ((None, "numpy", 1000), (("sklearn",), None)),
        ((None, "numpy", 5000), (("sklearn",), 1000)),
        (("river", "numpy", 5000), ("river", None)),
    ],
)
def test_our_core_as_reference_is_held_against_scikit_learn_in_a_thousand_runs(
    given: tuple[Any, ...], expected: tuple[Any, ...]
) -> None:
    assert competitors_of(*given) == expected


WINE = {"source": "wine"}
TABLE = {"source": "m.csv", "target": "G>9", "drop": ["a", "b"]}


@pytest.mark.parametrize(
    ("data", "changed", "command"),
    [
        (WINE, {}, "wine --against study-b"),
        ({"source": "gaussians?n=9&k=3"}, {}, "'gaussians?n=9&k=3' --against study-b"),
        (TABLE, {}, "m.csv --against study-b --target 'G>9' --drop a --drop b"),
        (
            {"source": "a.csv", "header": False, "one_hot": True, "separator": ";"},
            {"seed": 7, "stratify": False, "reference": "numpy"},
            "a.csv --against study-b --reference numpy --no-stratify \\\n    --seed 7 "
            "--sep ';' --no-header --one-hot",
        ),
        (WINE, {"specifications": {"study-b": "b.py:B"}}, "wine --against b.py:B"),
        (WINE, {"against": ["mine"]}, None),
        (WINE, {"reference": "mine"}, None),
        ({}, {}, None),  # arrays have no name
    ],
)
def test_where_labels_differ_the_next_command_can_be_typed(
    data: dict[str, Any], changed: dict[str, Any], command: str | None
) -> None:
    """It explains the same disagreements: those of the same runs of the same splits."""
    plan: dict[str, Any] = {"against": ["study-b"], "reference": "sklearn", "seed": 42}
    plan |= {"stratify": True}
    plan |= {"runs": 100, "specifications": {}, "dataset_options": data, **changed}
    row = {"run": 3, "implementation": plan["against"][0], "disagreements": 2}

    commands = explained_by(plan, {0.3: pd.DataFrame([row])})

    expected = [] if command is None else [f"gnbbench explain {command}"]
    assert list(commands.values()) == expected
    for text in commands.values():
        words = shlex.split(text.replace("\\\n", ""))[2:]
        known: Any = typer.main.get_command(app)
        known.commands["explain"].make_context("explain", words).close()


def test_the_next_command_makes_the_runs_in_which_labels_differ() -> None:
    plan: dict[str, Any] = {"against": ["study-a", "study-b", "one"], "seed": 42}
    plan |= {"reference": "sklearn"}
    plan |= {"runs": 100, "stratify": True, "specifications": {"one": "a.py:One"}}
    plan |= {"dataset_options": {"source": "wine"}}

    def pairs(**disagreements: int) -> pd.DataFrame:
        return pd.DataFrame(
            [
                {"run": run, "implementation": name, "disagreements": number * (run == 30)}
                for run in range(100)
                for name, number in {"study-a": 0, **disagreements}.items()
            ]
        )

    commands = explained_by(
        plan,
        {0.1: pairs(**{"study-b": 1, "one": 2}), 0.5: pairs(**{"study-b": 9, "one": 0})},
    )

    start = "gnbbench explain wine --runs 100 --against"
    assert commands == {
        "study-b": f"{start} study-b --test-size 0.5",
        "one": f"{start} a.py:One --test-size 0.1",
    }


@pytest.mark.parametrize(
    ("data", "targets"),
    [(["iris", "a.csv"], [False, True]), (["iris", "wine"], [True, True])],
)
def test_options_of_files_are_not_those_of_names_beside_them(
    data: list[str], targets: list[bool]
) -> None:
    """Where no file is, they are refused; what is said of the network is of all."""
    options = DataSource(data=data, target="y", offline=True)

    keywords = each_to_load(options, data)

    assert [of_one.get("target") == "y" for of_one in keywords] == targets
    assert all(of_one["offline"] for of_one in keywords)
