"""Examined assumptions, and sweeps that never ran, for statistics and reports alike."""

import gc
import hashlib
import math
import os
import pickle
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import cloudpickle
import numpy as np
import pandas as pd
import pytest
from faults.invented import HOSTILE as HOSTILE_NAME
from faults.invented import InventedSweep, sweep_records_of
from hypothesis import HealthCheck, settings
from reading import Kept
from reading.commands import undrawn_studies

from gnbbench.conformance.contract import Conformance, Finding, HardCase, Outcome, Result
from gnbbench.data.dataset import Dataset, describe
from gnbbench.data.loading import load
from gnbbench.diagnosis import Cause, Diagnosis, ExplainedDisagreement
from gnbbench.diagnosis.checked_files import DataFindings, FileFindings
from gnbbench.records import Records
from gnbbench.statistics.check import summarize_check
from gnbbench.statistics.conformance import summarize_conformance
from gnbbench.statistics.explain import summarize_diagnoses
from gnbbench.statistics.summarize import summarize_sweep
from gnbbench.statistics.summary import DatasetDescription, StudyNotes, Summary
from gnbbench.studies.assumptions import assumptions
from gnbbench.studies.conformance import conformance_note

fcntl: Any = None
with suppress(ImportError):  # Windows has no such module
    import fcntl
# On a busy machine an example may take any time, which is not a failure.
settings.register_profile(
    "patient",
    deadline=None,
    max_examples=50,  # Each run draws others
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("patient")

collect_ignore = ["faults", "oracle", "reading"]  # Which hold neither tests nor examples
USUAL_STORAGE = pd.get_option("mode.string_storage")
STUDIES = Path(__file__).parents[1] / "gnbbench" / "studies"
# Last digits differ between processors, and between versions of NumPy and SciPy.
UNROUNDED = re.compile(r"-?\d+\.\d{9,}(?:e-?\d+)?")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer to write down what reports say now, to be looked at."""
    parser.addoption("--rewrite", action="store_true", help="write down what reports say")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Call examples that carry out whole studies slow: a docstring cannot say so."""
    for item in items:
        if isinstance(item, pytest.DoctestItem) and item.path.is_relative_to(STUDIES):
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Search for no garbage among what is loaded, which stays, and seldom afterwards."""
    gc.disable()
    yield
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish() -> None:
    """Collect what is left once: pytest does so five times, over all that is loaded."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def kept(request: pytest.FixtureRequest) -> Kept:
    """Compare a text with the one that was looked at; ``--rewrite`` writes it down."""

    def compare(path: Path, text: str) -> None:
        text = f"{text.rstrip()}\n"
        if request.config.getoption("--rewrite"):
            path.write_text(text, encoding="utf-8")
        expected = path.read_text(encoding="utf-8")
        numbers, wanted = (
            [float(number) for number in UNROUNDED.findall(part)]
            for part in (text, expected)
        )
        assert numbers == pytest.approx(wanted, rel=1e-9)
        text, expected = (UNROUNDED.sub("#", part) for part in (text, expected))
        assert text == expected

    return compare


@pytest.fixture(scope="session", autouse=True)
def _timed_briefly() -> Iterator[None]:
    """Let studies time for a twentieth of a second, and start processes only on request.

    How long they do, and when processes are worthwhile, has tests of its own. Texts are
    kept as without pyarrow, which is faster in small tables.
    """
    storage = pd.option_context("mode.string_storage", "python")
    with pytest.MonkeyPatch.context() as patch, storage:
        for place in ("compare.USUAL_BUDGET", "compare.NOISY_BUDGET", "check.TIMING"):
            patch.setattr(f"gnbbench.studies.{place}_SECONDS", 0.05)
        patch.setattr("gnbbench.measurement.batches.WORKER_START_SECONDS", math.inf)
        yield


@pytest.fixture(scope="module")
def texts_as_usual() -> Iterator[None]:
    """Keep texts as pandas does by itself: for whole studies, and for data."""
    with pd.option_context("mode.string_storage", USUAL_STORAGE):
        yield


@pytest.fixture(scope="module")
def unpainted() -> Iterator[None]:
    """Have reports written with empty pictures, where these are not the point."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gnbbench.report.files.png", lambda _: b"")
        patch.setattr("gnbbench.report.files.svg", lambda _: "")
        patch.setattr("gnbbench.report.files.inline_svg", lambda _drawing, _text: "")
        yield


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[tuple[Path, Callable[[str], None]]]:
    """Give a small file system of its own, and a way to change how it is mounted."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=10m", "none", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs root and mount: a file system is filled and made read-only")

    def change(options: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{options}", str(place)], check=True)

    yield place, change
    subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.fixture
def undrawn() -> Iterator[None]:
    """Leave figures and memory out of studies: most of their time, with own tests."""
    with undrawn_studies():
        yield


def _made(name: str, X: Any, y: Any, features: list[str], classes: list[str]) -> Dataset:
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    return Dataset(name, X, y, tuple(features), tuple(classes))


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
    y = np.repeat(np.arange(13), 10)
    shared = random.normal(size=(130, 1))
    X = random.exponential(size=(130, 14)) + shared * np.linspace(0, 2, 14)
    features = [f"a feature with a long name, number {n}" for n in range(14)]
    return _made("many", X, y, features, [f"species {n}" for n in range(13)])


def _some_digits() -> Dataset:
    """Return a third of the pixels: as odd as all, in an eighth of the time."""
    whole, pixels = load("digits"), slice(7, 28)
    X = np.ascontiguousarray(whole.X[:, pixels])
    return replace(whole, X=X, feature_names=whole.feature_names[pixels])


def _hostile() -> Dataset:
    random = np.random.default_rng(6)
    features = [HOSTILE_NAME, "$y_2$ 🐼", "{{ 7 * 7 }}", "x" * 90 + "\n"]
    classes = ["$\\alpha_1$", HOSTILE_NAME]
    X = random.normal(size=(60, 4))
    return _made(HOSTILE_NAME, X, np.repeat([0, 1], 30), features, classes)


# Name -> how the data are made, and over how many runs costs are measured.
EXAMINED: dict[str, tuple[Callable[[], Dataset], int]] = {
    "iris": (lambda: load("iris"), 8),
    "wine": (lambda: load("wine"), 3),
    "digits": (_some_digits, 2),
    "one": (_one_feature, 5),
    "independent": (_independent, 5),
    "constant": (_constant, 2),
    "few": (_few, 1),
    "many": (_many, 3),
    "hostile": (_hostile, 3),
}


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Give a function as it makes each result once in a run: workers read it of another."""
    own = tmp_path_factory.getbasetemp()
    folder = own.parent if fcntl and "PYTEST_XDIST_WORKER" in os.environ else own

    def once(make: Callable[..., Any]) -> Callable[..., Any]:
        @cache
        def give(*given: Any) -> Any:
            named = (make.__module__, make.__qualname__, given)
            digest = hashlib.sha256(repr(named).encode())
            with (folder / f"{digest.hexdigest()}.pickle").open("ab+") as file:
                if fcntl:
                    fcntl.flock(file, fcntl.LOCK_EX)
                file.seek(0)
                content = file.read()
                if not content:
                    content = cloudpickle.dumps(make(*given))
                    file.write(content)
            return pickle.loads(content)  # noqa: S301  our own

        return give

    return once


def _examined(name: str) -> Summary:
    make, runs = EXAMINED[name]
    summary: Summary = assumptions(make(), runs=runs).details
    return summary


@pytest.fixture(scope="session")
def assumptions_of(made_once: Callable[..., Any]) -> Callable[[str], Summary]:
    """Give what was found on the data of a name in `EXAMINED`; each is examined once."""
    give: Callable[[str], Summary] = made_once(_examined)
    return give


SWEEPS: Mapping[str, InventedSweep] = {
    "identical": InventedSweep(),
    "density": InventedSweep({"density-product": 0.02}, n_runs=200, thin=7),
    "several": InventedSweep(
        {"numpy": 0.0, "density-product": 0.02, "shuffled": 0.6, "broken": 0.0},
        fractions=(0.01, *InventedSweep().fractions),
        broken=("broken",),
        impossible=(0.01,),
    ),
    "one_run": InventedSweep({"density-product": 0.3}, n_runs=1),
    "one_fraction": InventedSweep({"density-product": 0.02}, fractions=(0.5,)),
    "all_failed": InventedSweep({"broken": 0.0}, broken=("broken", "sklearn"), timed=False),
    "labels_only": InventedSweep(
        {"labels": 0.1}, probabilities=False, timed=False, n_runs=5
    ),
    "hostile": InventedSweep(
        {HOSTILE_NAME: 0.05, "$x_1$ & [bold]": 0.0, "🐼\n\x00панда" * 9: 0.1},
        fractions=(0.125, 0.3333, 0.5, 0.75),
        n_runs=6,
        dataset=HOSTILE_NAME,
    ),
}


@pytest.fixture(scope="session")
def sweep_records() -> Callable[..., dict[float, Records]]:
    """Return the records of a sweep in `SWEEPS`, with changes to its plot."""

    def give(name: str = "identical", **changes: Any) -> dict[float, Records]:
        found: dict[float, Records] = sweep_records_of(replace(SWEEPS[name], **changes))
        return found

    return give


def _swept(name: str) -> Summary:
    return summarize_sweep(sweep_records_of(SWEEPS[name]))


@pytest.fixture(scope="session")
def sweep_of(made_once: Callable[..., Any]) -> Callable[[str], Summary]:
    """Give the summary of a sweep in `SWEEPS`; each is made once."""
    give: Callable[[str], Summary] = made_once(_swept)
    return give


def _made_check(number: int, family: str) -> HardCase:
    return HardCase(
        id=f"{family.replace(' ', '-')}-{number}",
        family=family,
        statement=f"Whatever the {family} may be, labels are those of exact arithmetic.",
        tolerance=(1e-9, 0.0, None)[number % 3],
        unit=("labels", "relative error", "")[number % 3],
        source=("Chan, Golub and LeVeque (1983)", "NIST StRD, SmLs07", "")[number % 3],
        examine=lambda _make: Finding(),
    )


MADE_CHECKS = tuple(
    _made_check(number, family)
    for family, size in (("offsets", 5), ("one row in a class", 3), ("weights", 4))
    for number in range(size)
)


def _measured(check: HardCase, outcome: Outcome) -> float | None:
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
    """Return an invented examination in which only the named checks fail."""
    outcomes = [spoiled.get(place, "pass") for place in range(len(MADE_CHECKS))]
    hostile = f" {HOSTILE_NAME} \x00\x1b ]]> \ud800" if name == HOSTILE_NAME else ""
    results = tuple(
        Result(check, end, _measured(check, end), MESSAGES[end] + hostile, 0.01 * number)
        for number, (check, end) in enumerate(zip(MADE_CHECKS, outcomes, strict=True), 1)
    )
    version = "" if hostile else "1.9.1"
    return Conformance(name, f"A GNB that is {name}{hostile}", version, results)


ENVIRONMENT = {"versions": {"numpy": "2.4.6"}, "machine": {"cores": 2}}


def _summary_of_conformance(*examined: Any, expected: tuple[str, ...] = ()) -> Summary:
    names = [one["implementation"] for one in examined]
    asked = {"implementations": names, "only": [], "timeout_seconds": 30.0}
    plan = {**asked, "expected": expected, "left_out": []}
    command = f"gnbbench conformance {' '.join(names)}"
    return summarize_conformance(examined, StudyNotes(plan, ENVIRONMENT, command), asked)


@pytest.fixture(scope="session")
def conformance_of() -> Callable[..., Summary]:
    """Give the summary of implementations in `SPOILED`; several make a scoreboard."""

    def give(*names: str, expected: tuple[str, ...] = ()) -> Summary:
        made = [made_conformance(name, SPOILED[name]) for name in names]
        examined = [conformance_note(conformance) for conformance in made]
        return _summary_of_conformance(*examined, expected=expected)

    return give


@pytest.fixture
def made_examination() -> Conformance:
    """Give an examination of the faulty implementation."""
    return made_conformance("faulty", SPOILED["faulty"])


@pytest.fixture
def conformance_odd() -> Summary:
    """Give an examination in which one number was infinite, one none, one not taken."""
    made = conformance_note(made_conformance("faulty", {0: "fail", 1: "fail", 2: "fail"}))
    for row, measured in zip(made["results"], (math.inf, math.nan, None), strict=False):
        row["measured"] = measured
    return _summary_of_conformance(made)


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
def explain_of() -> Callable[..., Summary]:
    """Give the summary of diagnoses in `DIAGNOSES`, over iris or other data."""

    def give(
        *names: str,
        dataset: Dataset | None = None,
        n_classes: int = 0,
        each: Mapping[str, Any] = MappingProxyType({}),
        **changes: Any,
    ) -> Summary:
        data = load("iris") if dataset is None else dataset
        described = DatasetDescription.of(describe(data))
        if n_classes:
            species = tuple(f"species {n}" for n in range(n_classes))
            sizes = (5,) * n_classes
            described = replace(described, class_names=species, class_counts=sizes)
        diagnoses = {name: replace(DIAGNOSES[name](), **changes) for name in names}
        for name, found in diagnoses.items():
            rows = tuple(replace(row, **each) for row in found.disagreements)
            diagnoses[name] = replace(found, disagreements=rows)
        return summarize_diagnoses(
            diagnoses,
            StudyNotes(
                plan={
                    "study": "explain",
                    "dataset": data.name,
                    "reference": "sklearn",
                    "runs": 20,
                    "digests": {},
                },
                environment={**ENVIRONMENT, "threads": "BLAS on 1 thread."},
                command=f"gnbbench explain {data.name} --against {names[0]}",
            ),
            data=described,
            classes=np.arange(n_classes) if n_classes else data.classes,
            sizes=(105, 45),
        )

    return give


@pytest.fixture(scope="session")
def check_of() -> Callable[..., Summary]:
    """Give the summary of files with diagnoses in `DIAGNOSES`, or that cannot be loaded."""

    def findings(name: str) -> FileFindings:
        if name == "absent":
            return FileFindings("absent.py", "", error="there is no module 'absent'")
        made = made_conformance(name, SPOILED.get(name, SPOILED["faulty"]))
        results = conformance_note(made)
        parts = tuple(
            DataFindings(dataset, 20, DIAGNOSES[diagnosis]())
            for dataset, diagnosis in (("iris", name), ("wine", "same"))
        )
        how = ("`classify` was called row by row",) if name == "mixed" else ()
        return FileFindings(f"{name}.py", "Mine", "", how, parts, results["results"])

    def give(*names: str) -> Summary:
        plan = {"study": "check", "datasets": ["iris", "wine"], "runs": 20}
        environment = {"versions": {"scikit-learn": "1.9.1"}, "machine": {"cores": 2}}
        notes = StudyNotes(plan, environment, f"gnbbench check {' '.join(names)}")
        return summarize_check([findings(name) for name in names], notes)

    return give
