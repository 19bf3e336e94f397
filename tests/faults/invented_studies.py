"""Invented studies by name, those that reports are held to."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from faults import scale
from faults.invented import HOSTILE, random_study, records_of, with_tables
from gnbbench.statistics.remarks import stream_tables
from gnbbench.statistics.scale import summarize_scale
from gnbbench.statistics.summarize import summarize
from gnbbench.statistics.summary import Summary

LONG = "a_very_long_name_of_an_implementation_that_nobody_would_type_twice_but_somebody_d"
IRIS: Mapping[str, Any] = {
    "n_runs": 20,
    "class_names": ("setosa", "versicolor", "virginica"),
    "feature_names": ("sepal length", "sepal width", "petal length", "petal width"),
    "dataset": "iris",
    "n_drawn": 100,
    "overfit": 0.01,
}
FAST = {"noise": {"numpy": 2e-16}, "ratios": {"numpy": 0.12}}
# What differs from a study of numpy on data like iris.
STUDIES: Mapping[str, Mapping[str, Any]] = {
    "usual": {**FAST, "n_runs": 400},
    "different": {
        "changed": {"density": 0.06},
        "noise": {"density": 1e-3},
        "ratios": {"density": 2.4},
        "n_runs": 200,
    },
    "cannot_tell": {
        "changed": {"textbook": 0.02},
        "ratios": {"textbook": 1.0},
        "n_runs": 50,
        "remarks": ("The machine was busy: load 3.2 on 2 cores.",),
    },
    "failed": {
        "changed": {"broken": 0.0},
        "broken": ("broken",),
        "ratios": {"sklearn": 1.0},
    },
    "no_probabilities": {
        "changed": {"labels_only": 0.0},
        "silent": ("labels_only",),
        "ratios": {"labels_only": 0.12},
    },
    "no_probabilities_at_all": {
        "changed": {"labels_only": 0.0},
        "with_probabilities": False,
        "n_drawn": 0,
    },
    "single": {**FAST, "n_runs": 1},
    "exact": {"ratios": {"numpy": 0.12}},
    "digits": {
        **FAST,
        "changed": {"numpy": 0.01},
        "n_runs": 100,
        "n_samples": 1797,
        "n_test": 539,
        "n_classes": 10,
        "class_names": tuple("0123456789"),
        "feature_names": tuple(f"pixel_{r}_{c}" for r in range(8) for c in range(8)),
        "dataset": "digits",
    },
    "thirty_classes": {
        "changed": {"numpy": 0.02},
        "n_samples": 1200,
        "n_test": 300,
        "n_classes": 30,
        "class_names": tuple(f"species {n}" for n in range(30)),
        "dataset": "leaves",
    },
    "several": {
        "changed": {
            "numpy": 0.0,
            "density": 0.08,
            "river": 0.02,
            "labels_only": 0.0,
            "broken": 0.0,
        },
        "noise": {"numpy": 1e-16, "density": 1e-2, "river": 1e-5},
        "ratios": {"numpy": 0.12, "density": 2.4, "river": 40.0, "labels_only": 0.5},
        "silent": ("labels_only",),
        "broken": ("broken",),
        "n_runs": 100,
        "processes": 3,
    },
    "hostile": {
        "changed": {
            HOSTILE: 0.02,
            '$x_1$ & id="a"': 0.05,
            LONG: 0.0,
            LONG + "x": 0.0,
            "🐼 панда\n\x00[bold]": 0.0,
        },
        "ratios": {HOSTILE: 0.12, LONG: 0.12, "🐼 панда\n\x00[bold]": 1.0},
        "n_runs": 10,
        "dataset": HOSTILE,
        "class_names": ("$\\alpha_1$", HOSTILE, LONG),
        "feature_names": ("a", "$y_2$", HOSTILE, "{{ 7 * 7 }}"),
        "remarks": (f"Beware of {HOSTILE}.",),
    },
}


def invented(name: str, **changes: Any) -> Summary:
    """Return the summary of a study in `STUDIES`; the same one for the same study."""
    return summarize(records_of(random_study(**{**IRIS, **STUDIES[name], **changes})))


def invented_stream() -> Summary:
    """Return the summary of a small streamed study with a hostile name in it."""
    row = {"stage": "scoring", "implementation": "", "rows": 1500}
    calls = {**row, "what": "calls", "implementation": "<b>\x1b[31m", "rows": 300}
    given = {"implementation": "<b>\x1b[31m", "parameter": "var_"}
    tables = stream_tables(
        {
            "passes": [
                {**row, "what": "reading", "seconds": 0.5},
                {**calls, "seconds": 0.125},
                {**row, "what": "whole pass", "seconds": 1.0},
            ],
            "parameters": [
                {**given, "largest_relative_difference": 2e-6},
                {**given, "largest_relative_difference": None},
            ],
        }
    )
    usual = replace(invented("usual"), study="stream")
    changed: Summary = with_tables(usual, **tables)
    return changed


# What ended before the last size: of one an error, of the other the budget.
STOPPED = {
    "numpy": ("features", 16, "error", "ValueError: no"),
    "river": ("samples", 5000, "budget", ""),
}


def invented_scale(name: str) -> Summary:
    """Return the summary of a scale study of these, of some that stopped, or a hostile."""
    if name == "stopped":
        faulty: dict[str, Any] = {"stopped": STOPPED, "differing": {"river": 4}}
        return summarize_scale(scale.made_records(("numpy", "river"), **faulty))
    if name != "hostile":
        return summarize_scale(scale.made_records(tuple(name.split())))
    halt = {HOSTILE: ("samples", 5000, "error", HOSTILE)}
    names = (HOSTILE, "x" * 60)
    records = scale.made_records(names, stopped=halt, differing={names[1]: 4})
    return summarize_scale(records)


# Kind of study -> an invented one with everything, and one with names that would do harm.
KINDS: Mapping[str, tuple[str, str]] = {
    "compare": ("usual", "hostile"),
    "matrix": ("usual", "hostile"),
    "sweep": ("density", "hostile"),
    "scale": ("numpy", "hostile"),
    "explain": ("mixed same", f"{HOSTILE} crashed invents"),
    "assumptions": ("wine", "hostile"),
    "conformance": ("faulty", f"{HOSTILE} perfect nothing"),
    "check": ("mixed", f"{HOSTILE} absent crashed same other"),
    "reproduce": ("", "claims"),  # One of these has a name that would do harm
}
