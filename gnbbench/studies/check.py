"""The study of a file: is the Gaussian naive Bayes in it right, and if not, why?"""

import os
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from gnbbench.conformance.battery import CHECKS, examine, marked_in_checks, run_check
from gnbbench.conformance.contract import HardCase
from gnbbench.conformance.lines_run import lines_run
from gnbbench.data.dataset import Dataset
from gnbbench.diagnosis import Trial, diagnose_each
from gnbbench.diagnosis.checked_files import (
    DIFFERS,
    FAILED,
    MOST_NAMED,
    SAME,
    DataFindings,
    FileFindings,
    in_double_precision,
)
from gnbbench.diagnosis.edits import as_written, difference
from gnbbench.diagnosis.findings import CRASH, TIE
from gnbbench.diagnosis.patches import proposals
from gnbbench.diagnosis.source_lines import lines_of, located
from gnbbench.diagnosis.tied_classes import as_source_allows
from gnbbench.errors import GnbBenchError, OptionError, ResultsError
from gnbbench.implementations import Implementation, implementation, implementations, names
from gnbbench.implementations.answers import AT_ONCE
from gnbbench.implementations.isolation import marked_since, processor_seconds, watch
from gnbbench.implementations.modules import encoding_of, read_source
from gnbbench.measurement.timing import TimingPlan
from gnbbench.processes.client import CallTimeout, FreshProcess
from gnbbench.progress import Progress
from gnbbench.report.check import report
from gnbbench.statistics.check import summarize_check
from gnbbench.statistics.conformance import FAILURES
from gnbbench.statistics.summary import Summary
from gnbbench.studies.conformance import conformance_note
from gnbbench.studies.costs import time_in_processes
from gnbbench.studies.export import (
    Limits,
    cuts_of,
    exported,
    load_datasets,
    none_fits,
    of_many_classes,
    with_synthetic,
    within,
)
from gnbbench.studies.kinds import run
from gnbbench.studies.option import one_or_several, study_function
from gnbbench.studies.options import CHECKED_DATA, CheckOptions
from gnbbench.studies.plan import Prepared, folder_name, plan_of
from gnbbench.studies.schema import decoded, encoded
from gnbbench.studies.store import Store
from gnbbench.studies.study import Judgement, Kind, Study, every_note, missing, settled
from gnbbench.words import amount, listing

_LOADED = time.time()
REFERENCE = "sklearn"
CHECKED = "check of "  # Key of a note, before a file's name
TIMING_SECONDS = 0.5
LIMIT = "timeout_seconds"  # Of a call of user code; None: no separate process
UNLIMITED_SECONDS = 3600.0
HARD_CASE_SECONDS = 10.0  # Cases with many rows may take slow code longer
# Above this many seconds per row a file is checked on fewer splits (at least this share),
# and without times. All hard cases together get this much CPU, and less of slow code.
SLOW_SECONDS, FEWEST_SPLITS, CASES_SECONDS, SLOW_CASES_SECONDS = 1e-3, 0.1, 8.0, 4.0
# Then a split gets no more rows to label than take this long, but at least these.
SPLIT_SECONDS, FEWEST_ROWS = 0.5, 12
# Of any code no split is begun after so long on one dataset; changes of slow code are
# tried no longer than this.
DATASET_SECONDS, PATCH_SECONDS = 5.0, 4.0
STARTS_SECONDS = 40.0  # For all starts of a program together
# Disagreements listed per file and dataset; all are counted.
MOST_LISTED = 10
# What is known of an implementation once it has answered.
OF_ENTRY = (
    *("called", "adaptations", "contradictions", "unnormalised", "not_judged", "remark"),
)


@dataclass(frozen=True, kw_only=True)
class PreparedCheck(Prepared[CheckOptions]):
    """A check, ready to be measured."""

    datasets: tuple[Dataset, ...]  # Without synthetic ones
    files: Mapping[str, Any]  # Name -> implementation, or its specification

    share: float = 1.0  # Of the splits; below 1 for slow code
    row_seconds: float = 0.0  # Of slow code, on the widest of the datasets
    limits: Limits = (0, 0)  # What code works with

    @cached_property
    def data(self) -> tuple[tuple[Dataset, int], ...]:
        """Every dataset, synthetic ones included, with its number of runs."""
        every = with_synthetic(self.datasets, self.options.runs, self.limits)
        return tuple((dataset, max(1, round(n * self.share))) for dataset, n in every)

    @cached_property
    def reference(self) -> Implementation:
        """scikit-learn's GaussianNB."""
        return implementation(REFERENCE)

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """Every dataset with its splits and the reference's predictions."""
        trials = []
        for dataset, runs in self.data:
            cuts = cuts_of(dataset, runs, self.options.seed)
            n_rows = self._rows(dataset.X.shape[1])
            splits = [(cut.train, cut.test[:n_rows]) for cut in cuts]
            trial = Trial(dataset.X, dataset.y, splits, dataset.classes)
            trials.append(replace(trial, expected=trial.observed(self.reference)))
        return tuple(trials)

    def _rows(self, n_features: int) -> int | None:
        """Return how many rows slow code labels in a split, as features take time."""
        if not self.row_seconds:
            return None
        widest = max(dataset.X.shape[1] for dataset in self.datasets)
        seconds = self.row_seconds * n_features / widest
        return max(FEWEST_ROWS, int(SPLIT_SECONDS / seconds))


class Check(Kind):
    """Whether the code in each file is right, and if not, what is wrong."""

    name = "check"
    function = "check"
    kept = "{done} of {total} files are kept in {directory}"
    frame_name, runs_name = "files", "labels"
    report = staticmethod(report)

    def prepare(self, options: CheckOptions) -> PreparedCheck:
        """Prepare the study; raise if no file can be loaded."""
        options, digests = exported(options)
        files, skipped = names.files_by_name(options.files)
        entries: dict[str, Any] = {}
        for name, file in files.items():
            entries[name] = _loaded(file, options)
            if isinstance(entries[name], Implementation):
                break
        else:
            errors = list(entries.values())
            raise errors[0] if len(errors) == 1 else GnbBenchError(*map(str, errors))
        datasets = load_datasets(options)
        for dataset in datasets:
            if digests.get(dataset.name, dataset.sha256) != dataset.sha256:
                what, remedy = "was changed since the export", "Export it again."
                raise OptionError(dataset.name, what, remedy)
        typed = {name: names.typed_as(file) for name, file in files.items()}
        plan = plan_of(
            self.name,
            specifications=typed,
            digests={name: names.digest_of(file) for name, file in files.items()},
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
                if findings.status == FAILED:
                    _require_same_code()
                store.add({}, {CHECKED + name: encoded(findings)})
                progress.advance(1)
        if prepared.options.fix:
            notes = every_note(store, CHECKED, prepared.files)
            checked = [decoded(FileFindings, note) for note in notes]
            for one in _fixed(checked, prepared):
                store.add({}, {CHECKED + one.name: encoded(one)})

    def summarize(self, store: Store) -> Summary:
        known = settled(store)
        notes = every_note(store, CHECKED, known.plan["specifications"])
        return summarize_check([decoded(FileFindings, note) for note in notes], known)

    def judge(self, options: CheckOptions, summary: Summary) -> Judgement:  # noqa: ARG002
        status = summary.table("files")["status"]
        failure = "" if (status == SAME).all() else summary.headline.rstrip(".")
        return Judgement(failure, could_run=bool((status != FAILED).any()))


def _require_same_code() -> None:
    """Raise if gnbbench was replaced since it was loaded: new workers run the new code."""
    modules = Path(__file__).parents[1].rglob("*.py")
    if any(module.stat().st_ctime > _LOADED for module in modules):
        remedy = "Run the same command again."
        raise ResultsError("gnbbench", "it was changed during the study", remedy)


def _loaded(source: Any, options: CheckOptions) -> Implementation | GnbBenchError:
    """Return the implementation, or the error raised while loading it."""
    try:
        if isinstance(source, str):
            names.check_name(source)
        limit, keep = options.timeout_seconds, options.keep
        return implementations(REFERENCE, [source], timeout_seconds=limit, keep=keep)[1]
    except GnbBenchError as error:
        return error


def _checked(name: str, source: Any, prepared: PreparedCheck) -> FileFindings:
    """Return all findings on one file."""
    entry = source
    if not isinstance(entry, Implementation | GnbBenchError):
        entry = _loaded(source, prepared.options)
    if isinstance(entry, GnbBenchError):
        folder = Path(prepared.plan["specifications"][name]).expanduser().absolute().parent
        return FileFindings(name, "", error=str(entry).replace(f"{folder}{os.sep}", "", 1))
    datasets, left = within(entry.limits, prepared.datasets)
    if not datasets and (*prepared.options.data,) == CHECKED_DATA:
        datasets, left = within(entry.limits, of_many_classes())
    prepared = replace(prepared, datasets=datasets, limits=entry.limits)
    if not datasets:
        return FileFindings(name, entry.name, none_fits(entry.limits), entry.adaptations)
    entry = replace(entry, not_judged=(*entry.not_judged, *left))
    return _compared(replace(entry, name=name), entry, prepared)


def _compared(
    shown: Implementation, entry: Implementation, prepared: PreparedCheck
) -> FileFindings:
    """Return the findings on code that is shown under the name of its file."""
    name, limit = shown.name, prepared.options.timeout_seconds
    if file := _file_of(shown):
        watch(shown, file)
    seconds, rows, what = _first_call(shown, prepared)
    if limit and what:
        return FileFindings(name, entry.name, what, entry.adaptations)
    is_program = names.is_program(entry.specification)
    is_elsewhere = names.is_elsewhere(entry.specification)
    remarks: tuple[str, ...] = ()  # What was made elsewhere is read whole
    if is_program:
        # A manifest needs one start.
        seconds *= not names.takes_manifest(entry.specification)
        prepared, remarks = fewer_starts(prepared, seconds)
    elif not is_elsewhere:
        prepared, remarks = fewer_splits(prepared, seconds / rows)
    longest = np.inf if is_program or is_elsewhere else DATASET_SECONDS
    trials = [_answered(shown, trial, longest) for trial in prepared.trials]
    remarks = (*remarks, *_left_out(prepared, trials))
    entry = replace(entry, adaptations=(*entry.adaptations, *remarks))
    parts = tuple(_diagnosed(shown, prepared, trials))
    known: Any = {field: getattr(entry, field) for field in OF_ENTRY}
    findings = FileFindings(name, entry.name, parts=parts, **known)
    if not findings.n_predictions:
        return findings
    if is_program or is_elsewhere:
        return replace(findings, times=_timed(shown, prepared))
    return _examined(findings, shown, prepared)


def _examined(
    findings: FileFindings, entry: Implementation, prepared: PreparedCheck
) -> FileFindings:
    """Add hard cases, timings, and what the source shows, to the findings."""
    limit = prepared.options.timeout_seconds
    limit = min(limit, HARD_CASE_SECONDS) if limit else UNLIMITED_SECONDS
    # Checks inspect the signatures of the model itself.
    in_process = replace(entry, make=entry.direct or entry.make, direct=None)
    budget = SLOW_CASES_SECONDS if prepared.row_seconds else CASES_SECONDS
    budget = budget if limit < UNLIMITED_SECONDS else np.inf
    file = _file_of(entry)
    compared = marked_since(entry, file) if file else set()
    with FreshProcess() as process:  # Shared, as its imports take a second
        examined = examine(
            in_process,
            CHECKS,
            timeout_seconds=limit,
            budget_seconds=budget,
            process=process,
            file=file,
        )
        # Before anything is timed, which is done without marks.
        in_checks = marked_in_checks(process, examined.results, file)
        is_timed = prepared.share == 1.0 and CRASH not in findings.causes
        times = _timed(entry, prepared, process) if is_timed else None
    results = conformance_note(examined)["results"]
    for row, result in zip(results, examined.results, strict=True):
        fails_too = row["outcome"] in FAILURES and _fails_too(result.check)
        row["expected_failure"] = fails_too
    done = {result.check.id for result in examined.results}
    if missing := [check.id for check in CHECKS if check.id not in done]:
        few = listing(missing, MOST_NAMED)
        text = f"hard cases get {budget:g} s of CPU together, too little for {few}"
        findings = replace(findings, adaptations=(*findings.adaptations, text))
    findings = replace(findings, results=results, times=times)
    marked = compared, in_checks
    return _read(findings, file, marked, prepared) if file else findings


def _file_of(entry: Implementation) -> str:
    """Return the specification of code that comes from a file; else an empty text."""
    specification = names.parsed(entry.specification or REFERENCE)
    return specification.absolute if specification.kind == "file" else ""


def _read(
    findings: FileFindings,
    specification: str,
    marked: Sequence[set[int]],
    prepared: PreparedCheck,
) -> FileFindings:
    """Add what the source shows: lines that did not run, or lines to change and a patch."""
    path = Path(names.parsed(specification).place)
    source = read_source(path)
    text = source.decode(encoding_of(source))
    ran = lines_run(text, set().union(*marked))
    if findings.status == DIFFERS:
        # A patch is of the file as it is written.
        if prepared.options.patch and source == path.read_bytes():
            findings = _patched(findings, path, text, specification, prepared)
        return _with_places(findings, path.name, text, sorted(ran.run))
    if findings.status == SAME and all(marked) and (idle := ran.in_words(text)):
        return replace(findings, not_judged=(*findings.not_judged, idle))
    return findings


def _with_places(
    findings: FileFindings, name: str, text: str, run: Sequence[int]
) -> FileFindings:
    """Add the lines of the file behind each cause, where its syntax shows them."""
    findings = findings.with_causes(lambda cause: as_source_allows(cause, text))
    clearest = {cause: findings.clearest(cause)[1] for cause in findings.causes}
    found = findings.called_in(name)
    numbers = {n: lines_of(cause, text, found, run) for n, cause in clearest.items()}
    places = {
        cause: [located(name, text, line) for line in lines]
        for cause, lines in numbers.items()
        if lines
    }
    return replace(findings, places=places).with_causes(
        lambda cause: as_written(cause, text, found, numbers.get(cause.cause, ()))
    )


def _patched(
    findings: FileFindings,
    path: Path,
    text: str,
    specification: str,
    prepared: PreparedCheck,
) -> FileFindings:
    """Add the first change that makes a copy of the file agree with scikit-learn."""
    causes = [findings.clearest(name)[1] for name in findings.causes if name != TIE]
    place = names.parsed(specification).place
    end = time.perf_counter() + (PATCH_SECONDS if prepared.row_seconds else np.inf)
    for changed in proposals(causes, text, findings.called_in(path.name)):
        if time.perf_counter() > end:
            break
        with tempfile.TemporaryDirectory() as folder:
            copy = _copy_beside(path, Path(folder), changed)
            source = specification.replace(place, str(copy), 1)
            entry = _loaded(source, prepared.options)
            if isinstance(entry, GnbBenchError):
                continue
            trials = _with_same_labels(entry, prepared, end)
            if not trials:
                continue
            parts = tuple(_diagnosed(entry, prepared, trials))
        # Labels of hard cases are those of the file before.
        others = [row for row in findings.results if row not in findings.wrong_cases]
        tables = entry.unnormalised
        after = replace(findings, parts=parts, results=others, unnormalised=tables)
        if after.status == SAME:
            patch = difference(text, changed, path.name)
            findings = replace(findings, patched=changed, patch=patch)
            return in_double_precision(findings)
    return findings


def _copy_beside(path: Path, folder: Path, changed: str) -> Path:
    """Write a changed copy of a file into a folder that links to its neighbours."""
    for beside in path.absolute().parent.iterdir():
        if beside.name != path.name:
            try:
                (folder / beside.name).symlink_to(beside)
            except OSError:  # Windows allows links to few users
                if beside.suffix == ".py" and beside.is_file():
                    shutil.copyfile(beside, folder / beside.name)
    copy = folder / path.name
    copy.write_bytes(changed.encode(encoding_of(path.read_bytes())))
    return copy


def _with_same_labels(
    entry: Implementation, prepared: PreparedCheck, end: float
) -> list[Trial]:
    """Return the trials with the answers on each first split, if labels agree in time.

    The last trial comes first, but of slow code the one with the fewest numbers to label.
    """
    places = [*range(len(prepared.trials))][::-1]
    if prepared.row_seconds:
        trials = prepared.trials
        sizes = [len(trial.splits[0][1]) * np.shape(trial.X)[1] for trial in trials]
        places.sort(key=lambda place: sizes[place])
    answered = {}
    for place in places:
        if time.perf_counter() > end:
            return []
        trial = prepared.trials[place]
        answers = trial.observed(entry, n_splits=1)
        if not np.array_equal(answers[0].labels, trial.expected[0].labels):
            return []
        answered[place] = replace(trial, answers=answers)
    return [answered[place] for place in sorted(places)]


def _fixed(
    all_findings: Sequence[FileFindings], prepared: PreparedCheck
) -> list[FileFindings]:
    """Apply each verified change to its file, and keep the original as ``*.bak``."""
    changes: dict[Path, FileFindings] = {}
    for findings in all_findings:
        if not findings.patched:
            continue
        specification = str(prepared.plan["specifications"][findings.name])
        path = Path(names.parsed(specification).place).expanduser()
        if path in changes:
            remedy = "Check its classes one after another."
            raise OptionError("--fix", f"{path} would be changed twice", remedy)
        if names.digest_of(specification) != prepared.plan["digests"][findings.name]:
            what = f"{path} was changed during the check"
            raise OptionError("--fix", what, "Run the same command again.")
        if os.path.lexists(backup := path.with_name(f"{path.name}.bak")):
            raise OptionError("--fix", f"{backup} exists", "Move it away.")
        changes[path] = replace(findings, backup=backup.name)
    for path, findings in changes.items():
        try:
            content = findings.patched.encode(encoding_of(path.read_bytes()))
            with path.open("r+b") as file:  # Before a copy is made for nothing
                shutil.copy(path, path.with_name(f"{path.name}.bak"))
                file.write(content)
                file.truncate()
        except OSError as error:
            what = f"{error.filename or path} cannot be written ({error.strerror})"
            raise OptionError("--fix", what, "Check permissions.") from error
    return [*changes.values()]


def _first_call(entry: Implementation, prepared: PreparedCheck) -> tuple[float, int, str]:
    """Return seconds and rows of a first fit and prediction, or why there is none.

    Of a program that is where it fails on every dataset; of other code a timeout. Programs
    are timed by the clock, other code by its CPU time: a busy machine makes none slow.
    """
    pairs = zip(prepared.datasets, prepared.trials, strict=False)
    widest_first = sorted(pairs, key=lambda pair: -pair[0].X.shape[1])
    is_program, why = names.is_program(entry.specification), ""
    for dataset, trial in widest_first:  # Some code is slow in each feature
        train, test = trial.splits[0]
        try:
            model = entry.make()
            start = processor_seconds(entry)
            model = model.fit(dataset.X[train], dataset.y[train])
            begun = time.perf_counter()
            model.predict(dataset.X[test])
        except CallTimeout as error:
            return 0.0, 1, f"{error}; --timeout gives it more"
        except Exception as error:  # noqa: BLE001  third-party code; reported later
            if not is_program:
                return 0.0, 1, ""
            why = str(error)
        else:
            by_clock = time.perf_counter() - begun
            spent = by_clock if is_program else processor_seconds(entry) - start
            return spent, len(test), ""
    return 0.0, 1, why


def fewer_splits(
    prepared: PreparedCheck, seconds: float
) -> tuple[PreparedCheck, tuple[str, ...]]:
    """Reduce the splits for slow code; return the remark about it as well."""
    if seconds <= SLOW_SECONDS:
        return prepared, ()
    share = max(SLOW_SECONDS / seconds, FEWEST_SPLITS)
    text = "fewer predictions were compared and nothing was timed, because `fit` and "
    text += f"`predict` take {amount(seconds * 1e3)} ms per row to label"
    return replace(prepared, share=share, row_seconds=seconds), (text,)


def fewer_starts(
    prepared: PreparedCheck, seconds: float
) -> tuple[PreparedCheck, tuple[str, ...]]:
    """Reduce the splits for a program slow to start; return the remark as well."""
    needed = seconds * sum(runs for _, runs in prepared.data) / AT_ONCE
    if needed <= STARTS_SECONDS:
        return prepared, ()
    share = max(STARTS_SECONDS / needed, FEWEST_SPLITS)
    text = f"fewer splits were run, because each start takes {amount(seconds)} s"
    return replace(prepared, share=share), (text,)


def _answered(entry: Implementation, trial: Trial, seconds: float) -> Trial:
    """Return a trial with answers, of as many splits as the time allows."""
    answers = trial.observed(entry, seconds=seconds)
    n = len(answers)
    splits, expected = trial.splits[:n], trial.expected[:n]
    return replace(trial, splits=splits, expected=expected, answers=answers)


def _left_out(prepared: PreparedCheck, trials: Sequence[Trial]) -> list[str]:
    """Return which datasets had no time for all splits, in words."""
    pairs = zip(prepared.data, trials, strict=True)
    cut = [
        f"{len(trial.splits)} of {runs} splits of {dataset.name}"
        for (dataset, runs), trial in pairs
        if len(trial.splits) < runs
    ]
    few = listing(cut, MOST_NAMED)
    text = f"only {few} were compared, as no split is begun after {DATASET_SECONDS:g} s"
    return [text] if cut else []


@cache
def _fails_too(check: HardCase) -> bool:
    """Return whether scikit-learn fails a check of the battery as well."""
    return run_check(check, implementation(REFERENCE).make).outcome in FAILURES


def _diagnosed(
    entry: Implementation, prepared: PreparedCheck, trials: Sequence[Trial]
) -> list[DataFindings]:
    """Diagnose each dataset, synthetic ones first, since they show the most."""
    diagnoses = diagnose_each(entry, prepared.reference, trials[::-1])
    return [
        DataFindings(
            dataset.name,
            len(trial.splits),
            replace(diagnosis, disagreements=diagnosis.disagreements[:MOST_LISTED]),
            (len(dataset.classes), dataset.X.shape[1], len(trial.splits[0][0])),
        )
        for (dataset, _), trial, diagnosis in zip(
            prepared.data, trials, reversed(diagnoses), strict=True
        )
    ]


def _timed(
    entry: Implementation, prepared: PreparedCheck, process: FreshProcess | None = None
) -> dict[str, Any]:
    """Return the timings on the first split of the last real dataset."""
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
