"""Examined assumptions, and sweeps that never ran, for statistics and reports alike."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, settings

from gnbbench.conformance.result import Check, Conformance, Finding, Outcome, Result
from gnbbench.data.dataset import Dataset, describe
from gnbbench.data.loading import load
from gnbbench.diagnosis import Cause, Diagnosis, ExplainedDisagreement
from gnbbench.records import NULL_COMPETITOR, OPERATIONS, RUN_METRICS, TABLES, Records
from gnbbench.report.assumptions_summary import AssumptionsSummary
from gnbbench.report.conformance_summary import summarize_conformance
from gnbbench.report.explain_summary import Diagnosed, ExplainSummary
from gnbbench.statistics import summarize_sweep
from gnbbench.statistics.descriptions import dataset_description
from gnbbench.statistics.summary import Summary
from gnbbench.studies.assumptions import assumptions
from gnbbench.studies.conformance import noted

# On a busy machine an example may take any time, which is no fault of what is tested.
settings.register_profile(
    "patient", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("patient")

STUDIES = Path(__file__).parents[1] / "gnbbench" / "studies"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Call examples that carry out whole studies slow: a docstring cannot say so."""
    for item in items:
        if isinstance(item, pytest.DoctestItem) and item.path.is_relative_to(STUDIES):
            item.add_marker(pytest.mark.slow)


HOSTILE_NAME = "<script>alert(1)</script>"


def _made(name: str, X: Any, y: Any, features: list[str], classes: list[str]) -> Dataset:
    return Dataset(
        name, np.asarray(X, dtype=float), np.asarray(y), tuple(features), tuple(classes)
    )


def _one_feature() -> Dataset:
    random = np.random.default_rng(3)
    X = np.concatenate([random.normal(size=60), 1.0 + random.exponential(size=60)])
    return _made("one", X[:, None], np.repeat([0, 1], 60), ["length"], ["a", "b"])


def _independent() -> Dataset:
    random = np.random.default_rng(8)
    y = np.repeat([0, 1], 200)
    X = random.normal(size=(400, 3)) + y[:, None]
    return _made("independent", X, y, ["a", "b", "c"], ["zero", "one"])


def _constant() -> Dataset:
    y = np.repeat([0, 1], 10)
    return _made("constant", np.stack([y, 2.0 * y], axis=1), y, ["a", "b"], ["0", "1"])


def _few() -> Dataset:
    X = [[0.0, 1.0], [1.0, 0.5], [4.0, 4.0], [5.0, 3.0], [0.5, 0.2], [4.5, 9.0]]
    return _made("few", X, [0, 0, 1, 1, 0, 1], ["a", "b"], ["0", "1"])


def _many() -> Dataset:
    random = np.random.default_rng(5)
    y = np.repeat(np.arange(15), 12)
    shared = random.normal(size=(180, 1))
    X = random.exponential(size=(180, 20)) + shared * np.linspace(0, 2, 20)
    features = [f"a feature with a long name, number {n}" for n in range(20)]
    return _made("many", X, y, features, [f"species {n}" for n in range(15)])


def _hostile() -> Dataset:
    random = np.random.default_rng(6)
    features = [HOSTILE_NAME, "$y_2$ 🐼", "{{ 7 * 7 }}", "x" * 90 + "\n"]
    classes = ["$\\alpha_1$", HOSTILE_NAME]
    X = random.normal(size=(60, 4))
    return _made(HOSTILE_NAME, X, np.repeat([0, 1], 30), features, classes)


# Name -> how the data are made, and over how many runs costs are measured.
EXAMINED: dict[str, tuple[Callable[[], Dataset], int]] = {
    "iris": (lambda: load("iris"), 20),
    "wine": (lambda: load("wine"), 5),
    "digits": (lambda: load("digits"), 2),
    "one": (_one_feature, 5),
    "independent": (_independent, 5),
    "constant": (_constant, 2),
    "few": (_few, 1),
    "many": (_many, 3),
    "hostile": (_hostile, 3),
}


@pytest.fixture(scope="session")
def assumptions_of() -> Callable[[str], AssumptionsSummary]:
    """Give what was found on the data of a name in `EXAMINED`; each is examined once."""
    known: dict[str, AssumptionsSummary] = {}

    def give(name: str) -> AssumptionsSummary:
        if name not in known:
            make, runs = EXAMINED[name]
            dataset = make()
            known[name] = assumptions(dataset, runs=runs).details
        return known[name]

    return give


@pytest.fixture(params=list(EXAMINED))
def any_assumptions(
    request: pytest.FixtureRequest, assumptions_of: Callable[[str], AssumptionsSummary]
) -> AssumptionsSummary:
    """Every examined dataset in turn."""
    return assumptions_of(str(request.param))


NINE = tuple(round(tenth / 10, 1) for tenth in range(1, 10))


@dataclass(frozen=True)
class MadeSweep:
    """The plot of a sweep that never ran, over data like wine: 178 rows, three classes.

    Parameters
    ----------
    changed : mapping of str to float
        Competitor -> share of labels that differ at 10 %; it falls with the fraction.
    broken : collection of str
        Those that fail in every run.
    impossible : collection of float
        Fractions without a split.
    thin : int
        Runs at the first fraction with one training sample of some class.
    """

    changed: Mapping[str, float] = field(default_factory=lambda: {"numpy": 0.0})
    fractions: tuple[float, ...] = NINE
    n_runs: int = 40
    broken: tuple[str, ...] = ()
    impossible: tuple[float, ...] = ()
    thin: int = 0
    probabilities: bool = True
    timed: bool = True
    dataset: str = "wine"
    n_samples: int = 178


SWEEPS: Mapping[str, MadeSweep] = {
    "identical": MadeSweep(),
    "density": MadeSweep({"density-product": 0.02}, n_runs=200, thin=7),
    "several": MadeSweep(
        {"numpy": 0.0, "density-product": 0.02, "shuffled": 0.6, "broken": 0.0},
        fractions=(0.01, *NINE),
        broken=("broken",),
        impossible=(0.01,),
    ),
    "one_run": MadeSweep({"density-product": 0.3}, n_runs=1),
    "one_fraction": MadeSweep({"density-product": 0.02}, fractions=(0.5,)),
    "all_failed": MadeSweep({"broken": 0.0}, broken=("broken", "sklearn"), timed=False),
    "labels_only": MadeSweep({"labels": 0.1}, probabilities=False, timed=False, n_runs=5),
    "hostile": MadeSweep(
        {HOSTILE_NAME: 0.05, "$x_1$ & [bold]": 0.0, "🐼\n\x00панда" * 9: 0.1},
        fractions=(0.125, 0.3333, 0.5, 0.75),
        n_runs=6,
        dataset=HOSTILE_NAME,
    ),
}


def make_sweep(plot: MadeSweep) -> dict[float, Records]:
    """Return the records of a plot; the same ones for the same plot."""
    rng = np.random.default_rng(3)
    timed = max(plot.fractions) if plot.timed else None
    return {
        fraction: _records(plot, fraction, rng, timed=fraction == timed)
        for fraction in plot.fractions
    }


def _records(
    plot: MadeSweep, fraction: float, rng: np.random.Generator, *, timed: bool
) -> Records:
    names = ("sklearn", *plot.changed)
    if fraction in plot.impossible:
        runs, pairs = _no_split(plot, names), pd.DataFrame(columns=list(TABLES["pairs"]))
    else:
        runs, pairs = _run_tables(plot, fraction, names, rng)
    empty: dict[str, Any] = {
        name: pd.DataFrame(columns=[c for c in columns if c != "first_run"])
        for name, columns in TABLES.items()
        if name not in {"runs", "pairs", "timings"}
    }
    notes = {"regime": "Warm.", "warnings": [], "skipped": {}, "cold_seconds": {}}
    return Records(
        plan={
            "study": "sweep-split",
            "dataset": plot.dataset,
            "train_fractions": list(plot.fractions),
            "runs": plot.n_runs,
            "stratify": True,
            "reference": "sklearn",
            "against": list(plot.changed),
            "margin": 0.01,
            "command": f"gnbbench sweep-split {plot.dataset}",
        },
        environment={
            "versions": {"numpy": "2.4.6"},
            "machine": {"cores": 2},
            "threads": "BLAS on 1 thread.",
        },
        dataset=_sweep_dataset(plot),
        runs=runs,
        pairs=pairs,
        timings=_timings(plot, rng) if timed else _timings(plot, rng).head(0),
        timing_notes=notes if timed else None,
        decision_regions=None,
        **empty,
    )


def _no_split(plot: MadeSweep, names: tuple[str, ...]) -> pd.DataFrame:
    rows = [(run, name) for run in range(plot.n_runs) for name in names]
    return pd.DataFrame(rows, columns=["run", "implementation"]).assign(
        status="error",
        message="no split: --train-fractions: too few samples.",
        n_train=0,
        n_test=0,
        smallest_class=0,
        **dict.fromkeys(RUN_METRICS, np.nan),
    )[list(TABLES["runs"])]


def _run_tables(
    plot: MadeSweep, fraction: float, names: tuple[str, ...], rng: np.random.Generator
) -> tuple[pd.DataFrame, pd.DataFrame]:
    n_train = int(fraction * plot.n_samples)
    n_test = plot.n_samples - n_train
    right = rng.random((plot.n_runs, n_test)) < 0.98 - 0.01 / fraction
    runs, pairs = [], []
    for name in names:
        share = plot.changed.get(name, 0.0) * (0.1 / fraction) ** 2
        changed = rng.random(right.shape) < share
        accuracy = (right ^ changed).mean(axis=1)
        table = pd.DataFrame(dict.fromkeys(RUN_METRICS, accuracy))
        table["train_accuracy"] = np.minimum(accuracy + 0.015 / fraction, 1.0)
        failed = name in plot.broken
        table = table.assign(
            run=range(plot.n_runs),
            implementation=name,
            status="error" if failed else "ok",
            message="ValueError: singular" if failed else "",
            n_train=n_train,
            n_test=n_test,
            smallest_class=max(int(0.27 * n_train), 2),
        )
        if fraction == plot.fractions[0]:
            table.loc[: plot.thin - 1, "smallest_class"] = 1
        if failed:
            table[list(RUN_METRICS)] = np.nan
        runs.append(table[list(TABLES["runs"])])
        if name != "sklearn" and not {name, "sklearn"} & set(plot.broken):
            pairs.append(_pairs(plot, name, right, changed))
    joined = pd.concat(pairs) if pairs else pd.DataFrame(columns=list(TABLES["pairs"]))
    return pd.concat(runs, ignore_index=True), joined.reset_index(drop=True)


def _pairs(
    plot: MadeSweep, name: str, right: np.ndarray, changed: np.ndarray
) -> pd.DataFrame:
    largest = np.where(changed.any(axis=1), 0.4, 2e-15)
    return pd.DataFrame(
        {
            "run": range(plot.n_runs),
            "implementation": name,
            "n_test": changed.shape[1],
            "disagreements": changed.sum(axis=1),
            "both_right": (right & ~changed).sum(axis=1),
            "only_reference_right": (right & changed).sum(axis=1),
            "only_implementation_right": (~right & changed).sum(axis=1),
            "both_wrong": (~right & ~changed).sum(axis=1),
            "max_probability_difference": largest if plot.probabilities else np.nan,
        }
    ).reindex(columns=list(TABLES["pairs"]))


def _timings(plot: MadeSweep, rng: np.random.Generator) -> pd.DataFrame:
    names = ("sklearn", NULL_COMPETITOR, *plot.changed)
    rows = [
        (
            operation,
            name,
            number,
            place,
            (4e-4 if place < 2 else 1e-4) * rng.uniform(1, 1.1),
        )
        for operation in OPERATIONS
        for number in range(30)
        for place, name in enumerate(names)
    ]
    return pd.DataFrame(rows, columns=list(TABLES["timings"]))


def _sweep_dataset(plot: MadeSweep) -> dict[str, Any]:
    return {
        "name": plot.dataset,
        "target_name": "cultivar",
        "origin": "made",
        "licence": "",
        "sha256": "ab" * 32,
        "n_samples": plot.n_samples,
        "n_features": 1,
        "n_duplicates": 0,
        "class_names": ["a", "b", "c"],
        "class_counts": [59, 71, 48],
        "notes": [],
        "features": [
            {
                "feature": "alcohol",
                "minimum": 11.0,
                "maximum": 14.8,
                "mean": 13.0,
                "standard_deviation": 0.8,
                "distinct": 126,
            }
        ],
    }


@pytest.fixture(scope="session")
def sweep_records() -> Callable[..., dict[float, Records]]:
    """Give the records of a sweep in `SWEEPS`, its plot changed as asked."""

    def give(name: str = "identical", **changes: Any) -> dict[float, Records]:
        return make_sweep(replace(SWEEPS[name], **changes))

    return give


@pytest.fixture(scope="session")
def sweep_of() -> Callable[[str], Summary]:
    """Give the summary of a sweep in `SWEEPS`; each is made once."""
    made: dict[str, Summary] = {}

    def give(name: str) -> Summary:
        if name not in made:
            made[name] = summarize_sweep(make_sweep(SWEEPS[name]))
        return made[name]

    return give


@pytest.fixture(params=list(SWEEPS))
def any_sweep(
    request: pytest.FixtureRequest, sweep_of: Callable[[str], Summary]
) -> Summary:
    """Every made sweep in turn."""
    return sweep_of(str(request.param))


def _made_check(number: int, family: str) -> Check:
    return Check(
        id=f"{family.replace(' ', '-')}-{number}",
        family=family,
        statement=f"Whatever the {family} may be, labels are those of exact arithmetic.",
        tolerance=(1e-9, 0.0, None)[number % 3],
        unit=("relative error", "labels", "")[number % 3],
        source=("Chan, Golub and LeVeque (1983)", "NIST StRD, SmLs07", "")[number % 3],
        examine=lambda _make: Finding(),
    )


MADE_CHECKS = tuple(
    _made_check(number, family)
    for family, size in (("offsets", 5), ("one row in a class", 3), ("weights", 4))
    for number in range(size)
)


def _measured(check: Check, outcome: Outcome) -> float | None:
    if check.tolerance is None or outcome not in {"pass", "fail"}:
        return None
    return 0.0452 if outcome == "fail" else 2.5e-7 * check.tolerance


MESSAGES: Mapping[Outcome, str] = {
    "pass": "",
    "fail": "worst of 4 classes: got -3.1, exact 2.7",
    "crash": "the process ended with signal 11",
    "timeout": "no answer in 30 s",
    "not applicable": "has no sample_weight",
}
SPOILED: Mapping[str, Mapping[int, Outcome]] = {
    "perfect": {},
    "partial": {3: "not applicable", 4: "not applicable"},
    "faulty": {1: "fail", 4: "crash", 6: "timeout", 8: "not applicable", 9: "fail"},
    "nothing": dict.fromkeys(range(12), "not applicable"),
    HOSTILE_NAME: {2: "fail"},
}


def made_conformance(name: str, spoiled: Mapping[int, Outcome]) -> Conformance:
    """Return an examination that never was: all passes but for the places named."""
    outcomes = [spoiled.get(place, "pass") for place in range(len(MADE_CHECKS))]
    hostile = f" {HOSTILE_NAME} \x00\x1b ]]> \ud800" if name == HOSTILE_NAME else ""
    results = tuple(
        Result(
            check,
            outcome,
            _measured(check, outcome),
            MESSAGES[outcome] + hostile,
            0.01 * (place + 1),
        )
        for place, (check, outcome) in enumerate(zip(MADE_CHECKS, outcomes, strict=True))
    )
    version = "" if hostile else "1.9.1"
    return Conformance(name, f"A GNB that is {name}{hostile}", version, results)


def _summary_of_conformance(*examined: Any, expected: tuple[str, ...] = ()) -> Summary:
    names = [one["implementation"] for one in examined]
    asked = {"implementations": names, "only": [], "timeout_seconds": 30.0}
    return summarize_conformance(
        examined,
        {**asked, "expected": expected, "left_out": []},
        {"versions": {"numpy": "2.4.6"}, "machine": {"cores": 2}},
        f"gnbbench conformance {' '.join(names)}",
        asked,
    )


@pytest.fixture(scope="session")
def conformance_of() -> Callable[..., Summary]:
    """Give the summary of implementations in `SPOILED`; several make a scoreboard."""

    def give(*names: str, expected: tuple[str, ...] = ()) -> Summary:
        examined = [noted(made_conformance(name, SPOILED[name])) for name in names]
        return _summary_of_conformance(*examined, expected=expected)

    return give


@pytest.fixture
def made_examination() -> Conformance:
    """Give an examination of the faulty implementation."""
    return made_conformance("faulty", SPOILED["faulty"])


@pytest.fixture
def conformance_odd() -> Summary:
    """Give an examination in which one number was infinite, one none, one not taken."""
    made = noted(made_conformance("faulty", {0: "fail", 1: "fail", 2: "fail"}))
    for row, measured in zip(made["results"], (math.inf, math.nan, None), strict=False):
        row["measured"] = measured
    return _summary_of_conformance(made)


@pytest.fixture(params=[(name,) for name in SPOILED] + [tuple(SPOILED)], ids=" ".join)
def any_conformance(
    request: pytest.FixtureRequest, conformance_of: Callable[..., Summary]
) -> Summary:
    """Every made examination in turn, then the scoreboard of all."""
    return conformance_of(*request.param)


def made_disagreement(number: int, causes: tuple[str, ...]) -> ExplainedDisagreement:
    """Return a disagreement over data like iris: versicolor taken for virginica."""
    parts, shift = np.array([0.5, -0.25, 1.0, 0.25]), np.array([0.0, -0.5, -2.0, 0.125])
    changed = parts if causes == ("prior",) else parts + shift
    is_unseen = causes == ("unseen-class",)
    if is_unseen:
        parts = changed = np.full(4, np.nan)
    return ExplainedDisagreement(
        run=number // 3,
        row=50 + number,
        truth=np.int64(1),
        reference_label=np.int64(1),
        label=np.str_("7") if is_unseen else np.int64(2),
        causes=causes,
        margin=1.5 + number,
        features=np.array([5.9, 3.0, 4.2, 1.5]),
        reference_posterior=np.array([0.0, 0.8175, 0.1825]),
        posterior=np.array([0.0, 0.25, 0.75]),
        reference_contributions=parts,
        contributions=changed,
    )


def made_diagnosis(name: str, causes: tuple[Cause, ...], **changes: Any) -> Diagnosis:
    """Return a diagnosis that never was; each cause explains as many as it says."""
    rows = [(cause.cause,) for cause in causes for _ in range(cause.explained)]
    kept = [made_disagreement(number, row) for number, row in enumerate(rows)]
    fields: dict[str, Any] = {
        "verdict": f"{name}: " + "; ".join(cause.cause for cause in causes),
        "same": not causes,
        "causes": causes,
        "n_disagreements": len(rows),
        "n_predictions": 900,
        "unexplained": 0,
        "reproduced_share": 1.0,
        "largest_remaining_difference": 2.5e-16,
        "setting": "as scikit-learn" if not causes else "nothing added to variances",
        "disagreements": tuple(kept),
    }
    return Diagnosis(**{**fields, **changes})


SMOOTHING = Cause("no-smoothing", 14, None, "With nothing added, all are reproduced.")
DIAGNOSES: Mapping[str, Callable[[], Diagnosis]] = {
    "same": lambda: made_diagnosis("same", ()),
    "unsmoothed": lambda: made_diagnosis("unsmoothed", (SMOOTHING,)),
    "mixed": lambda: made_diagnosis(
        "mixed",
        (
            SMOOTHING,
            Cause("prior", 2, "uniform priors", "Priors are uniform."),
            Cause("density-floor", 1, 1e-9, "A floor of 1e-9."),
        ),
    ),
    "divisor": lambda: made_diagnosis(
        "divisor", (Cause("variance-divisor", 0, "n-1", "By parameters."),)
    ),
    "tied": lambda: made_diagnosis("tied", (Cause("tie", 1, None, "Both score alike."),)),
    "other": lambda: made_diagnosis(
        "other",
        (Cause("not-gnb", 3, None, "The nearest variant reproduces 83.11%."),),
        reproduced_share=0.8311,
        largest_remaining_difference=0.43,
    ),
    "invents": lambda: made_diagnosis(
        "invents", (Cause("unseen-class", 2, "'7'", "Two labels are '7'."),)
    ),
    "undefined": lambda: made_diagnosis(
        "undefined", (Cause("nan", 5, None, "NaN."),), n_disagreements=0, disagreements=()
    ),
    "crashed": lambda: made_diagnosis(
        "crashed",
        (Cause("crash", 900, None, "20 of 20 runs failed; the first: ValueError: a\nb"),),
        n_disagreements=0,
        n_predictions=0,
        disagreements=(),
        reproduced_share=0.0,
        largest_remaining_difference=None,
    ),
    "uncompared": lambda: made_diagnosis(
        "uncompared", (), n_predictions=0, largest_remaining_difference=None
    ),
    "left": lambda: made_diagnosis(
        "left",
        (SMOOTHING,),
        n_disagreements=16,
        unexplained=2,
        disagreements=(
            *(made_disagreement(number, ("no-smoothing",)) for number in range(14)),
            *(made_disagreement(number, ()) for number in (14, 15)),
        ),
        largest_remaining_difference=None,
    ),
    HOSTILE_NAME: lambda: made_diagnosis(
        HOSTILE_NAME,
        (Cause("prior", 2, HOSTILE_NAME, f"{HOSTILE_NAME} \x00"),),
        setting=f"{HOSTILE_NAME} {{{{ 7 * 7 }}}}",
    ),
}


@pytest.fixture(scope="session")
def explain_of() -> Callable[..., ExplainSummary]:
    """Give the summary of diagnoses in `DIAGNOSES`, over iris or other data."""

    def give(*names: str, dataset: Dataset | None = None) -> ExplainSummary:
        data = load("iris") if dataset is None else dataset
        return ExplainSummary(
            reference="sklearn",
            diagnosed=tuple(Diagnosed(name, DIAGNOSES[name]()) for name in names),
            dataset=dataset_description(describe(data)),
            classes=data.classes,
            n_train=105,
            n_test=45,
            plan={"study": "explain", "dataset": data.name, "runs": 20, "digests": {}},
            environment={
                "versions": {"numpy": "2.4.6"},
                "machine": {"cores": 2},
                "threads": "BLAS on 1 thread.",
            },
            command=f"gnbbench explain {data.name} --against {names[0]}",
        )

    return give


@pytest.fixture(params=[(name,) for name in DIAGNOSES] + [tuple(DIAGNOSES)], ids=len)
def any_explain(
    request: pytest.FixtureRequest, explain_of: Callable[..., ExplainSummary]
) -> ExplainSummary:
    """Every made diagnosis in turn, then all in one study."""
    return explain_of(*request.param)
