"""The study of a file: is the Gaussian naive Bayes in it right, and if not, why?"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from gnbbench.conformance.battery import CHECKS
from gnbbench.conformance.examination import examine
from gnbbench.data.dataset import Dataset, from_arrays
from gnbbench.data.loading import load
from gnbbench.diagnosis import Trial, diagnose_each
from gnbbench.diagnosis.findings import CRASH
from gnbbench.diagnosis.visibility import hard_datasets
from gnbbench.errors import GnbBenchError, OptionError
from gnbbench.implementations import Implementation, implementation, implementations
from gnbbench.implementations.names import check_name, parsed
from gnbbench.measurement.split_rules import SplitRule
from gnbbench.measurement.timing import TimingPlan
from gnbbench.report.check_summary import (
    FAILED,
    MADE,
    SAME,
    DataFindings,
    FileFindings,
    summarize_check,
)
from gnbbench.statistics.summary import Summary
from gnbbench.studies.conformance import examined_entry, noted
from gnbbench.studies.option import study_function
from gnbbench.studies.options import CheckOptions
from gnbbench.studies.plan import StudyPlan, call_text, folder_name, sample_of
from gnbbench.studies.runner import time_in_processes
from gnbbench.studies.schema import decoded, encoded
from gnbbench.studies.store import Store
from gnbbench.studies.study import (
    Kind,
    Progress,
    Study,
    run,
    settled_plan,
    unfinished,
)

if TYPE_CHECKING:
    from gnbbench.report.blocks import Document

REFERENCE = "sklearn"
CHECKED = "check of "  # Before the name of a file in the key of a note
TEST_SIZE = 0.3
MADE_RUNS = 5  # Of each made dataset
TIMING_SECONDS = 0.5
UNLIMITED_SECONDS = 3600.0
# Disagreements of a file on one dataset that are listed; all are counted.
MOST_LISTED = 10


@dataclass(frozen=True, kw_only=True)
class CheckPlan(StudyPlan):
    """A plan to check files."""

    study = "check"

    specifications: dict[
        str, str
    ]  # Name on the page -> what was typed, or found in a folder
    digests: dict[str, str]  # Name -> digest of the file
    datasets: tuple[str, ...]
    data_digests: tuple[str, ...]
    runs: int
    seed: int
    # Limit of each call of their code; None where it is called in this process
    timeout_seconds: float | None = None

    @property
    def directory_name(self) -> str:
        """Usual name of the results directory."""
        what = f"{len(self.specifications)}-files"
        if len(self.specifications) == 1:
            what = folder_name(next(iter(self.specifications)).removesuffix(".py"))
        return f"check-{what}-{self.identifier}"


@dataclass(frozen=True)
class PreparedCheck:
    """A plan together with what it is carried out on."""

    options: CheckOptions
    plan: CheckPlan
    datasets: tuple[Dataset, ...]  # Those asked for
    given: Mapping[str, Any]  # Name -> the implementation if it is loaded, or what names it
    dataset: None = None  # There are several

    @cached_property
    def data(self) -> tuple[tuple[Dataset, int], ...]:
        """Every dataset with its runs; made ones show what the others do not."""
        made = [from_arrays(X, y, MADE + name) for name, (X, y) in hard_datasets().items()]
        asked = [(dataset, self.plan.runs) for dataset in self.datasets]
        return (*asked, *((dataset, MADE_RUNS) for dataset in made))

    @cached_property
    def reference(self) -> Implementation:
        """scikit-learn's."""
        return implementation(REFERENCE)


class Check(Kind[CheckOptions, PreparedCheck]):
    """What is right and what is wrong with the code in each file."""

    name = "check"
    function = "check"
    kept = "{done} of {total} files are kept in {directory}"

    def prepare(self, options: CheckOptions) -> PreparedCheck:
        """Return the study settled; one file that can be loaded is enough."""
        given = _named(_files(options.files))
        loaded = _first_loaded(given, options.timeout_seconds)
        datasets = tuple(
            load(name, offline=options.offline) for name in dict.fromkeys(options.data)
        )
        plan = CheckPlan(
            specifications={name: _typed(one) for name, one in given.items()},
            digests={name: _digest(one) for name, one in given.items()},
            datasets=tuple(dataset.name for dataset in datasets),
            data_digests=tuple(dataset.sha256 for dataset in datasets),
            runs=options.runs,
            seed=options.seed,
            timeout_seconds=options.timeout_seconds,
        )
        return PreparedCheck(options, plan, datasets, {**given, **loaded})

    def measure(self, prepared: PreparedCheck, store: Store, progress: Progress) -> None:
        done = store.notes(CHECKED)
        progress.begin("check", total=len(prepared.given), done=len(done))
        for name, given in prepared.given.items():
            if name not in done:
                found = _checked(name, given, prepared)
                store.add({}, {CHECKED + name: encoded(found)})
                progress.advance(1)

    def summarize(self, store: Store) -> Summary:
        plan, command = settled_plan(store)
        found = store.notes(CHECKED)
        names = plan["specifications"]
        if len(found) < len(names):
            raise unfinished(store, f"{len(found)} of {len(names)}")
        findings = [decoded(FileFindings, found[name]) for name in names]
        return summarize_check(findings, plan, store.note("environment"), command)

    def call(self, prepared: PreparedCheck) -> str:
        plan = prepared.plan
        given: Any = list(plan.specifications.values())
        named = prepared.options.given()
        named.pop("files")
        return call_text(self.function, given[0] if len(given) == 1 else given, **named)

    def frame(self, summary: Summary) -> pd.DataFrame:
        """Return one row for each file."""
        return summary.table("files")

    def runs(self, summary: Summary) -> pd.DataFrame:
        """Return one row for each file and dataset."""
        return summary.table("labels")

    def report(self, summary: Summary) -> "Document":
        from gnbbench.report.check import report

        return report(summary)

    def failure(self, summary: Summary) -> str:
        status = summary.table("files").set_index("implementation")["status"]
        return "" if (status == SAME).all() else summary.headline.rstrip(".")

    def has_run(self, summary: Summary) -> bool:
        return bool((summary.table("files")["status"] != FAILED).any())


def _files(given: Any) -> list[Any]:
    """Return what is to be checked; a folder stands for the Python files in it."""
    found: list[Any] = []
    for one in given if isinstance(given, list | tuple) else [given]:
        folder = Path(one).expanduser() if isinstance(one, str | Path) else None
        if folder is None or not folder.is_dir():
            found.append(str(one) if isinstance(one, Path) else one)
            continue
        files = sorted(map(str, folder.glob("*.py")))
        if not files:
            raise OptionError(str(one), "holds no Python file", "Give one, or its folder.")
        found += files
    if not found:
        raise OptionError("FILE", "nothing to check", "Give a file, such as my_gnb.py.")
    return found


def _named(given: Sequence[Any]) -> dict[str, Any]:
    """Return what is checked by the name of its file, or by its path where two agree."""
    paths = [_typed(one) for one in given]
    names = [_base_name(path) for path in paths]
    found: dict[str, Any] = {}
    for path, name, one in zip(paths, names, given, strict=True):
        shown = name if names.count(name) == 1 else path
        if shown in found:
            raise OptionError("FILE", f"'{shown}' is given twice", "Give each file once.")
        found[shown] = one
    return found


def _typed(given: Any) -> str:
    """Return a text that names what is checked."""
    if isinstance(given, str):
        return given
    if isinstance(given, Implementation):
        return given.specification or given.name
    return str(getattr(given, "__name__", type(given).__name__))


def _base_name(text: str) -> str:
    """Return a path without its folders; what follows the file's name stays."""
    head, colon, rest = text.partition(".py")
    return Path(head).name + colon + rest


def _digest(given: Any) -> str:
    """Return the digest of a file as it is; empty for anything else."""
    if not isinstance(given, str) or parsed(given).kind != "file":
        return ""
    path = Path(parsed(given).place).expanduser()
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _first_loaded(given: Mapping[str, Any], limit: float | None) -> dict[str, Any]:
    """Return those up to the first that can be loaded; raise where none can."""
    found: dict[str, Any] = {}
    for name, one in given.items():
        found[name] = _loaded(one, limit)
        if isinstance(found[name], Implementation):
            return found
    errors = list(found.values())
    raise errors[0] if len(errors) == 1 else GnbBenchError(*map(str, errors))


def _loaded(given: Any, limit: float | None) -> Implementation | GnbBenchError:
    """Return the implementation, or why there is none."""
    try:
        if isinstance(given, str):
            check_name(given)
        return implementations(REFERENCE, [given], timeout_seconds=limit)[1]
    except GnbBenchError as error:
        return error


def _checked(name: str, given: Any, prepared: PreparedCheck) -> FileFindings:
    """Return all that is found on one file."""
    plan = prepared.plan
    entry = given
    if not isinstance(entry, Implementation | GnbBenchError):
        entry = _loaded(given, plan.timeout_seconds)
    if isinstance(entry, GnbBenchError):
        folder = Path(plan.specifications[name]).expanduser().absolute().parent
        return FileFindings(name, "", error=str(entry).replace(f"{folder}{os.sep}", "", 1))
    shown = replace(entry, name=name)
    parts = tuple(_diagnosed(shown, prepared))
    found = FileFindings(name, entry.name, "", entry.adaptations, parts)
    if not found.n_predictions:
        return found
    limit = plan.timeout_seconds or UNLIMITED_SECONDS
    examined = examine(examined_entry(limit, given), CHECKS, timeout_seconds=limit)
    times = None if CRASH in found.causes else _timed(shown, prepared)
    return replace(found, results=noted(examined)["results"], times=times)


def _diagnosed(entry: Implementation, prepared: PreparedCheck) -> list[DataFindings]:
    """Return where labels differ on each dataset, and why; made data tell most."""
    trials = []
    for dataset, runs in reversed(prepared.data):
        cuts = _rule(prepared.plan, dataset).cuts(sample_of(dataset), range(runs))
        splits = [(cut.train, cut.test) for cut in cuts]
        trials.append(Trial(dataset.X, dataset.y, splits, dataset.classes))
    found = diagnose_each(entry, prepared.reference, trials)
    return [
        DataFindings(
            dataset.name, runs, replace(one, disagreements=one.disagreements[:MOST_LISTED])
        )
        for (dataset, runs), one in zip(prepared.data, reversed(found), strict=True)
    ]


def _rule(plan: CheckPlan, dataset: Dataset) -> SplitRule:
    return SplitRule(plan.seed, test_size=TEST_SIZE, name=dataset.name)


def _timed(entry: Implementation, prepared: PreparedCheck) -> dict[str, Any]:
    """Return rows and notes of the times on the first split of the last real dataset."""
    dataset = prepared.datasets[-1]
    cut = _rule(prepared.plan, dataset).cut(sample_of(dataset), 0)
    X, y = dataset.X, dataset.y
    timed = time_in_processes(
        (prepared.reference, entry),
        (X[cut.train], y[cut.train], X[cut.test]),
        plan=TimingPlan(TIMING_SECONDS, seed=prepared.plan.seed),
    )
    return {"dataset": dataset.name, "rows": timed.rows(), "notes": timed.notes()}


@study_function(CheckOptions)
def check(options: CheckOptions) -> Study:
    """Return whether code is a right Gaussian naive Bayes, and if not, what to change.

    Each file (or class, or object) is compared with scikit-learn on real and on made data
    over randomised splits, explained, run through the battery of hard cases, and timed.

    Examples
    --------
    >>> from gnbbench.implementations.textbook import TextbookGaussianNB
    >>> study = check(TextbookGaussianNB(), data=("wine",), runs=2)
    >>> study.summary["status"].tolist()
    ['differs']
    """
    return run(options)
