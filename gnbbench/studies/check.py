"""The study of a file: is the Gaussian naive Bayes in it right, and if not, why?"""

import hashlib
import os
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from gnbbench.conformance.battery import CHECKS, examine, run_check
from gnbbench.conformance.contract import HardCase
from gnbbench.data.dataset import Dataset
from gnbbench.diagnosis import Trial, diagnose_each
from gnbbench.diagnosis.checked_files import (
    DIFFERS,
    FAILED,
    SAME,
    DataFindings,
    FileFindings,
)
from gnbbench.diagnosis.edits import difference
from gnbbench.diagnosis.findings import CRASH, TIE
from gnbbench.diagnosis.patches import proposals
from gnbbench.diagnosis.source_lines import lines_of, located
from gnbbench.errors import GnbBenchError, OptionError
from gnbbench.implementations import Implementation, implementation, implementations
from gnbbench.implementations.answers import AT_ONCE
from gnbbench.implementations.commands import (
    PREDICTIONS,
    command_digest,
    is_elsewhere,
    is_program,
    program_name,
    takes_manifest,
)
from gnbbench.implementations.names import check_name, parsed
from gnbbench.implementations.sources import NOTEBOOK, source_in
from gnbbench.measurement.timing import TimingPlan
from gnbbench.processes.client import CallTimeout, FreshProcess
from gnbbench.progress import Progress
from gnbbench.report.check import report
from gnbbench.statistics.check import summarize_check
from gnbbench.statistics.conformance import FAILURES
from gnbbench.statistics.summary import Summary
from gnbbench.studies.conformance import noted
from gnbbench.studies.costs import time_in_processes
from gnbbench.studies.export import cuts_of, exported, loaded, with_made
from gnbbench.studies.folders import files_in
from gnbbench.studies.kinds import run
from gnbbench.studies.option import one_or_several, study_function
from gnbbench.studies.options import CheckOptions
from gnbbench.studies.plan import Prepared, folder_name, plan_of
from gnbbench.studies.schema import decoded, encoded
from gnbbench.studies.store import Store
from gnbbench.studies.study import Judgement, Kind, Study, every_note, missing, settled
from gnbbench.words import amount

REFERENCE = "sklearn"
CHECKED = "check of "  # Before the name of a file in the key of a note
TIMING_SECONDS = 0.5
LIMIT = "timeout_seconds"  # Of each call of their code; None where this process calls it
UNLIMITED_SECONDS = 3600.0
HARD_CASE_SECONDS = 10.0  # Slow code may not answer some with many rows
# Seconds a row from which a file is checked on fewer splits, the least share of these, and
# for how long it is asked for hard cases.
SLOW_SECONDS, FEWEST_SPLITS, SLOW_CASES_SECONDS = 1e-3, 0.1, 6.0
STARTS_SECONDS = 40.0  # That all starts of a program may take
# Disagreements of a file on one dataset that are listed; all are counted.
MOST_LISTED = 10


@dataclass(frozen=True, kw_only=True)
class PreparedCheck(Prepared[CheckOptions, None]):
    """A plan together with what it is carried out on."""

    dataset: None = None  # There are several
    datasets: tuple[Dataset, ...]  # Those asked for
    files: Mapping[str, Any]  # Name -> the implementation if it is loaded, or what names it

    share: float = 1.0  # Of the splits, for code that is slow

    @cached_property
    def data(self) -> tuple[tuple[Dataset, int], ...]:
        """Every dataset with its runs; made ones show what the others do not."""
        every = with_made(self.datasets, self.options.runs)
        return tuple((dataset, max(1, round(n * self.share))) for dataset, n in every)

    @cached_property
    def reference(self) -> Implementation:
        """scikit-learn's."""
        return implementation(REFERENCE)

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """Every dataset with its splits, and what the reference answers on them."""
        trials = []
        for dataset, runs in self.data:
            cuts = cuts_of(dataset, runs, self.options.seed)
            splits = [(cut.train, cut.test) for cut in cuts]
            trial = Trial(dataset.X, dataset.y, splits, dataset.classes)
            trials.append(replace(trial, expected=trial.observed(self.reference)))
        return tuple(trials)


class Check(Kind[CheckOptions, PreparedCheck]):
    """What is right and what is wrong with the code in each file."""

    name = "check"
    function = "check"
    kept = "{done} of {total} files are kept in {directory}"
    frame_name, runs_name = "files", "labels"
    report = staticmethod(report)

    def prepare(self, options: CheckOptions) -> PreparedCheck:
        """Return the study settled; one file that can be loaded is enough."""
        options, digests = exported(options)
        files, skipped = _files(options.files)
        entries: dict[str, Any] = {}
        for name, file in files.items():
            entries[name] = _loaded(file, options)
            if isinstance(entries[name], Implementation):
                break
        else:
            errors = list(entries.values())
            raise errors[0] if len(errors) == 1 else GnbBenchError(*map(str, errors))
        datasets = loaded(options.data, options.target, offline=options.offline)
        for dataset in datasets:
            if digests.get(dataset.name, dataset.sha256) != dataset.sha256:
                what, remedy = "was changed since the export", "Export it again."
                raise OptionError(dataset.name, what, remedy)
        typed = {name: _typed(file) for name, file in files.items()}
        plan = plan_of(
            self.name,
            specifications=typed,
            digests={name: _digest(file) for name, file in files.items()},
            datasets=[dataset.name for dataset in datasets],
            data_digests=[dataset.sha256 for dataset in datasets],
            skipped=skipped,
            **{name: getattr(options, name) for name in ("runs", "seed", LIMIT, "patch")},
        )
        what = f"{len(files)}-files"
        if len(files) == 1:
            what = folder_name(Path(next(iter(files))).stem)
        return PreparedCheck(
            options=options,
            plan=plan,
            stem=f"{self.name}-{what}",
            first=one_or_several(list(typed.values())),
            datasets=datasets,
            files={**files, **entries},
        )

    def measure(self, prepared: PreparedCheck, store: Store, progress: Progress) -> None:
        with missing(store, CHECKED, prepared.files, progress, self.name) as left:
            for place, (name, file) in enumerate(left.items()):
                done = len(prepared.files) - len(left) + place
                progress.begin(name, len(prepared.files), done)
                findings = _checked(name, file, prepared)
                store.add({}, {CHECKED + name: encoded(findings)})
                progress.advance(1)
        if prepared.options.fix:
            notes = every_note(store, CHECKED, prepared.files)
            _write_patches([decoded(FileFindings, note) for note in notes], prepared)

    def summarize(self, store: Store) -> Summary:
        known = settled(store)
        notes = every_note(store, CHECKED, known["plan"]["specifications"])
        return summarize_check([decoded(FileFindings, note) for note in notes], **known)

    def judge(self, options: CheckOptions, summary: Summary) -> Judgement:  # noqa: ARG002
        status = summary.table("files")["status"]
        failure = "" if (status == SAME).all() else summary.headline.rstrip(".")
        return Judgement(failure, could_run=bool((status != FAILED).any()))


def _files(sources: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Return what is to be checked by name, and why files of a folder are skipped.

    A folder stands for its Python files and notebooks, those of its folders included.
    """
    folders: dict[str, str] = {}
    skipped: dict[str, str] = {}
    others: list[Any] = []
    for source in sources if isinstance(sources, list | tuple) else [sources]:
        folder = Path(source).expanduser() if isinstance(source, str | Path) else None
        if folder is None or not folder.is_dir():
            others.append(str(source) if isinstance(source, Path) else source)
            continue
        inside, beside = files_in(folder)
        for name, path in inside.items():
            folders[path if name in folders else name] = path
        skipped |= beside
    if not others and not folders:
        raise OptionError("FILE", "nothing to check", "Give a file, such as my_gnb.py.")
    named = _named(others)
    for name in set(named) & set(folders):
        raise OptionError("FILE", f"'{name}' is given twice", "Give each file once.")
    return {**folders, **named}, skipped


def _named(sources: Sequence[Any]) -> dict[str, Any]:
    """Return what is checked by the name of its file, or by its path where two agree."""
    paths = [_typed(source) for source in sources]
    # A path without its folders; what follows the file's name stays.
    parts = [(p, "", "") if is_program(p) else p.partition(".py") for p in paths]
    names = [
        program_name(head) if is_program(head) else Path(head).name + suffix + rest
        for head, suffix, rest in parts
    ]
    names = [name.removeprefix(PREDICTIONS) for name in names]
    by_name: dict[str, Any] = {}
    for path, name, source in zip(paths, names, sources, strict=True):
        shown = name if names.count(name) == 1 else path
        if shown in by_name:
            raise OptionError("FILE", f"'{shown}' is given twice", "Give each file once.")
        by_name[shown] = source
    return by_name


def _typed(source: Any) -> str:
    """Return a text that names what is checked."""
    if isinstance(source, str):
        return source
    if isinstance(source, Implementation):
        return source.specification or source.name
    return str(getattr(source, "__name__", type(source).__name__))


def _digest(source: Any) -> str:
    """Return the digest of a file as it is; empty for anything else."""
    if is_program(source):
        return command_digest(parsed(source).place)
    if not isinstance(source, str) or parsed(source).kind != "file":
        return ""
    path = Path(parsed(source).place).expanduser()
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _loaded(source: Any, options: CheckOptions) -> Implementation | GnbBenchError:
    """Return the implementation, or why there is none."""
    try:
        if isinstance(source, str):
            check_name(source)
        limit, keep = options.timeout_seconds, options.keep
        return implementations(REFERENCE, [source], timeout_seconds=limit, keep=keep)[1]
    except GnbBenchError as error:
        return error


def _checked(name: str, source: Any, prepared: PreparedCheck) -> FileFindings:
    """Return all that is found on one file."""
    limit, entry = prepared.options.timeout_seconds, source
    if not isinstance(entry, Implementation | GnbBenchError):
        entry = _loaded(source, prepared.options)
    if isinstance(entry, GnbBenchError):
        folder = Path(prepared.plan["specifications"][name]).expanduser().absolute().parent
        return FileFindings(name, "", error=str(entry).replace(f"{folder}{os.sep}", "", 1))
    shown = replace(entry, name=name)
    seconds, rows, what = _first_call(shown, prepared)
    if limit and what:
        return FileFindings(name, entry.name, what, entry.adaptations)
    if is_program(entry.specification):
        seconds *= not takes_manifest(entry.specification)  # Which takes a single start
        prepared, told = fewer_starts(prepared, seconds)
    else:
        prepared, told = fewer_splits(prepared, seconds / rows)
    entry = replace(entry, adaptations=(*entry.adaptations, *told))
    parts = tuple(_diagnosed(shown, prepared, prepared.trials))
    findings = FileFindings(
        name,
        entry.name,
        adaptations=entry.adaptations,
        parts=parts,
        contradictions=entry.contradictions,
        not_judged=entry.not_judged,
    )
    if not findings.n_predictions:
        return findings
    if is_program(entry.specification) or is_elsewhere(entry.specification):
        return replace(findings, times=_timed(shown, prepared))
    return _examined(findings, shown, prepared)


def _examined(
    findings: FileFindings, entry: Implementation, prepared: PreparedCheck
) -> FileFindings:
    """Return the findings with hard cases, times, places and a patch."""
    limit = prepared.options.timeout_seconds
    limit = min(limit, HARD_CASE_SECONDS) if limit else UNLIMITED_SECONDS
    # Checks inspect the signatures of the model itself.
    inside = replace(entry, make=entry.direct or entry.make, direct=None)
    is_slow = prepared.share < 1.0
    budget = SLOW_CASES_SECONDS if is_slow else np.inf
    with FreshProcess() as process:  # One for both: what it imports takes a second
        examined = examine(
            inside,
            CHECKS,
            timeout_seconds=min(limit, budget),
            budget_seconds=budget,
            process=process,
        )
        is_timed = not is_slow and CRASH not in findings.causes
        times = _timed(entry, prepared, process) if is_timed else None
    results = noted(examined)["results"]
    for row, result in zip(results, examined.results, strict=True):
        too = row["outcome"] in FAILURES and _fails_too(result.check)
        row["expected_failure"] = too
    findings = replace(findings, results=results, times=times)
    specification = str(prepared.plan["specifications"][findings.name])
    if parsed(specification).kind != "file" or findings.status != DIFFERS:
        return findings
    path = Path(parsed(specification).place).expanduser()
    content = path.read_bytes()
    is_notebook = path.suffix == NOTEBOOK
    text = source_in(content) if is_notebook else content.decode()
    findings = replace(findings, places=_places(findings, path.name, text))
    if is_notebook or not prepared.options.patch:
        return findings
    return _patched(findings, path, text, specification, prepared)


def _places(findings: FileFindings, name: str, text: str) -> dict[str, list[str]]:
    """Return which lines of the file show each cause, where its syntax tells."""
    causes = {cause: findings.clearest(cause)[1] for cause in findings.causes}
    numbers = {n: lines_of(cause, text, findings.found) for n, cause in causes.items()}
    return {
        cause: [located(name, text, line) for line in lines]
        for cause, lines in numbers.items()
        if lines
    }


def _patched(
    findings: FileFindings,
    path: Path,
    text: str,
    specification: str,
    prepared: PreparedCheck,
) -> FileFindings:
    """Return the findings with the first change after which a copy of the file agrees."""
    causes = [findings.clearest(name)[1] for name in findings.causes if name != TIE]
    place = parsed(specification).place
    for changed in proposals(causes, text, findings.found):
        with tempfile.TemporaryDirectory() as folder:
            copy = _copy_beside(path, Path(folder), changed)
            source = specification.replace(place, str(copy), 1)
            entry = _loaded(source, prepared.options)
            if isinstance(entry, GnbBenchError):
                continue
            trials = list(_with_same_labels(entry, prepared))
            if len(trials) < len(prepared.trials):
                continue
            parts = tuple(_diagnosed(entry, prepared, trials[::-1]))
        if replace(findings, parts=parts).status == SAME:
            patch = difference(text, changed, path.name)
            return replace(findings, patched=changed, patch=patch)
    return findings


def _copy_beside(path: Path, folder: Path, changed: str) -> Path:
    """Return a changed copy of a file in a folder that shows all that lies beside it."""
    for beside in path.absolute().parent.iterdir():
        if beside.name != path.name:
            (folder / beside.name).symlink_to(beside)
    copy = folder / path.name
    copy.write_bytes(changed.encode())
    return copy


def _with_same_labels(entry: Implementation, prepared: PreparedCheck) -> Iterator[Trial]:
    """Yield datasets, the last first, until labels of a first split are not the same."""
    for trial in reversed(prepared.trials):
        answers = trial.observed(entry, n_splits=1)
        if not np.array_equal(answers[0].labels, trial.expected[0].labels):
            return
        yield replace(trial, answers=answers)


def _write_patches(every: Sequence[FileFindings], prepared: PreparedCheck) -> None:
    """Write each change that was run into its file, and keep beside it what it was."""
    for findings in every:
        if findings.patched:
            specification = str(prepared.plan["specifications"][findings.name])
            path = Path(parsed(specification).place).expanduser()
            kept = path.with_name(f"{path.name}.bak")
            if kept.exists():
                raise OptionError("--fix", f"{kept} exists", "Move it away.")
            kept.write_bytes(path.read_bytes())
            path.write_bytes(findings.patched.encode())


def _first_call(entry: Implementation, prepared: PreparedCheck) -> tuple[float, int, str]:
    """Return seconds and rows of a first prediction; in words, if it does not answer."""
    pairs = zip(prepared.datasets, prepared.trials, strict=False)
    # Some code takes its time for each number of a row.
    dataset, trial = max(pairs, key=lambda pair: pair[0].X.shape[1])
    train, test = trial.splits[0]
    start = time.perf_counter()
    try:
        model = entry.make().fit(dataset.X[train], dataset.y[train])
        start = time.perf_counter()
        model.predict(dataset.X[test])
    except CallTimeout as error:
        return 0.0, 1, str(error)
    except Exception:  # noqa: BLE001  code of others; told with all else that fails
        return 0.0, 1, ""
    return time.perf_counter() - start, len(test), ""


def fewer_splits(
    prepared: PreparedCheck, seconds: float
) -> tuple[PreparedCheck, tuple[str, ...]]:
    """Return fewer splits for code that takes so long a row, and how to tell it."""
    if seconds <= SLOW_SECONDS:
        return prepared, ()
    share = max(SLOW_SECONDS / seconds, FEWEST_SPLITS)
    text = "fewer splits were made, no times taken and hard cases asked for "
    text += f"{SLOW_CASES_SECONDS:g} s only, as `predict` takes "
    text += f"{amount(seconds * 1e3)} ms a row"
    return replace(prepared, share=share), (text,)


def fewer_starts(
    prepared: PreparedCheck, seconds: float
) -> tuple[PreparedCheck, tuple[str, ...]]:
    """Return fewer splits for a program whose starts take so long, and how to tell it."""
    needed = seconds * sum(runs for _, runs in prepared.data) / AT_ONCE
    if needed <= STARTS_SECONDS:
        return prepared, ()
    share = max(STARTS_SECONDS / needed, FEWEST_SPLITS)
    text = f"fewer splits were made, as a start takes {amount(seconds)} s"
    return replace(prepared, share=share), (text,)


@cache
def _fails_too(check: HardCase) -> bool:
    """Tell whether scikit-learn does not pass a check of the battery either."""
    return run_check(check, implementation(REFERENCE).make).outcome in FAILURES


def _diagnosed(
    entry: Implementation, prepared: PreparedCheck, trials: Sequence[Trial]
) -> list[DataFindings]:
    """Return where labels differ on each dataset, and why; made data tell most."""
    diagnoses = diagnose_each(entry, prepared.reference, trials[::-1])
    return [
        DataFindings(
            dataset.name,
            runs,
            replace(diagnosis, disagreements=diagnosis.disagreements[:MOST_LISTED]),
        )
        for (dataset, runs), diagnosis in zip(
            prepared.data, reversed(diagnoses), strict=True
        )
    ]


def _timed(
    entry: Implementation, prepared: PreparedCheck, process: FreshProcess | None = None
) -> dict[str, Any]:
    """Return rows and notes of the times on the first split of the last real dataset."""
    dataset = prepared.datasets[-1]
    train, test = prepared.trials[len(prepared.datasets) - 1].splits[0]
    X, y = dataset.X, dataset.y
    timed = time_in_processes(
        (prepared.reference, entry),
        (X[train], y[train], X[test]),
        plan=TimingPlan(TIMING_SECONDS, seed=prepared.options.seed),
        process=process,
    )
    return {"dataset": dataset.name, "rows": timed.rows, "notes": timed.notes}


@study_function(CheckOptions)
def check(options: CheckOptions) -> Study:
    """Return whether code is a correct Gaussian naive Bayes, and if not, what to change.

    Each file (or class, or object) is compared with scikit-learn on real and synthetic data
    over randomised splits, explained, run through the battery of hard cases, and timed.

    Examples
    --------
    >>> from gnbbench.implementations.textbook import TextbookGaussianNB
    >>> study = check(TextbookGaussianNB(), data=("wine",), runs=2)
    >>> study.summary["status"].tolist()
    ['differs']
    """
    return run(options)
