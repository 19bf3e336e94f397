"""The study of conformance: which checks of the battery an implementation passes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from gnbbench.conformance.battery import CHECKS, checks_of, examine, require_check
from gnbbench.conformance.contract import Conformance
from gnbbench.errors import ConfigurationError, MissingLibraryError, OptionError
from gnbbench.files import text_of
from gnbbench.implementations import Implementation, competitors, implementation, isolated
from gnbbench.implementations.catalogue import IMPLEMENTATIONS, check_installed
from gnbbench.implementations.lookup import is_foreign
from gnbbench.implementations.names import is_program, refuse_predictions, typed_as
from gnbbench.implementations.programs import program
from gnbbench.progress import Progress
from gnbbench.report.blocks import Table
from gnbbench.report.conformance import check_list, report
from gnbbench.statistics.conformance import summarize_conformance
from gnbbench.statistics.documents import plain
from gnbbench.statistics.schema import fields_of
from gnbbench.statistics.summary import Summary
from gnbbench.studies.kinds import run
from gnbbench.studies.option import one_or_several, study_function
from gnbbench.studies.options import ConformanceOptions
from gnbbench.studies.plan import Prepared, origins
from gnbbench.studies.schema import encoded
from gnbbench.studies.store import Store
from gnbbench.studies.study import Judgement, Kind, Study, every_note, missing, settled

# Key of a note, before an implementation's name.
EXAMINED = "conformance of "
# Fields of the plan that a user chooses.
ASKED = ("implementations", "only", "timeout_seconds")
# Fields of the plan that identify third-party code.
OF_CODE = ("specifications", "digests", "adaptations")
MOST_NAMED = 5

PreparedConformance: TypeAlias = Prepared[ConformanceOptions]


class ExamineConformance(Kind):
    """All checks of the battery on each implementation."""

    name = "conformance"
    function = "examine_conformance"
    kept = "{done} of {total} implementations are kept in {directory}"
    frame_name = runs_name = "results"
    report = staticmethod(report)

    def prepare(self, options: ConformanceOptions) -> PreparedConformance:
        names, every = options.implementation, options.every
        if (names is not None) == every:
            what = "names and --all cannot be combined" if every else "nothing is named"
            raise OptionError("NAME", what, "Name implementations, or give --all.")
        only, limit = _only(options), options.timeout_seconds
        checks = checks_of(only)
        expected = expected_failures(options.expect_fail) if options.expect_fail else ()
        left_out: list[str] = []
        if every:
            names = []
            for entry in IMPLEMENTATIONS:
                try:
                    check_installed(entry)
                    names.append(entry)
                except MissingLibraryError:
                    left_out.append(entry.name)
        elif not isinstance(names, list | tuple):
            names = [names]
        if not names:
            raise OptionError("NAME", "nothing to examine", "Name an implementation.")
        competitors.check_named_once(names, "NAME")
        load = partial(examined_entry, limit, keep=options.keep)
        entries = competitors.with_distinct_names(competitors.each_loaded(load, names))
        names = [entry.name for entry in entries]
        fields = {
            "study": self.name,
            "implementations": names,
            "only": list(only),
            "timeout_seconds": limit,
            "expected": list(expected),
            "left_out": left_out,
            "n_checks": len(checks),
            "n_checks_of_battery": len(CHECKS),
        }
        plan = fields | {n: v for n, v in origins(entries).items() if n in OF_CODE}
        stem = re.sub(r"[^A-Za-z0-9._+]+", "-", names[0]).strip(".-")[:80] or "unnamed"
        typed = [typed_as(entry) for entry in entries]
        return Prepared(
            options=options,
            plan=plan,
            entries=entries,
            stem=f"{self.name}-{'scoreboard' if len(names) > 1 else stem}",
            first=None if every else one_or_several(typed),
        )

    def measure(
        self, prepared: PreparedConformance, store: Store, progress: Progress
    ) -> None:
        options, named = prepared.options, {entry.name: entry for entry in prepared.entries}
        checks, limit = checks_of(_only(options)), options.timeout_seconds
        with missing(store, EXAMINED, named, progress, self.name) as left:
            for name, entry in left.items():
                conformance = examine(entry, checks, timeout_seconds=limit)
                store.add({}, {EXAMINED + name: conformance_note(conformance)})
                progress.advance(1)

    def summarize(self, store: Store) -> Summary:
        known = settled(store)
        plan = known.plan
        notes = every_note(store, EXAMINED, plan["implementations"])
        asked = {name: plan[name] for name in ASKED}
        return summarize_conformance(notes, known, asked)

    def listed(self, options: ConformanceOptions) -> tuple[Table, Mapping[str, Any]]:
        checks = checks_of(_only(options))
        rows = [fields_of("conformance", "checks", vars(check)) for check in checks]
        head = {"schema": "gnbbench conformance checks", "schema_version": 1}
        return check_list(checks), {**head, "checks": plain(rows)}

    def judge(self, options: ConformanceOptions, summary: Summary) -> Judgement:
        remarks = tuple(
            f"{text} Take it out of {options.expect_fail}"
            for text in summary.details["surprises"]
        )
        failed = [row for row in summary.details["examined"] if row["unexpected"]]
        failure = ", ".join(
            f"{row['implementation']} fails "
            f"{len(row['unexpected']) if len(failed) > 1 else _first(row['unexpected'])}"
            for row in failed
        )
        return Judgement(failure, remarks, is_shown=options.expect_fail is None)


def conformance_note(conformance: Conformance) -> dict[str, Any]:
    """Return the results as a note, without the functions of the checks."""
    note: dict[str, Any] = encoded(conformance)
    for result in note["results"]:
        del result["check"]["examine"]
    return note


def _only(options: ConformanceOptions) -> tuple[str, ...]:
    asked = options.only or ()
    return (asked,) if isinstance(asked, str) else tuple(asked)


def _first(ids: Sequence[str]) -> str:
    """Return the first few ids and how many more there are."""
    beyond = len(ids) - MOST_NAMED
    return ", ".join(ids[:MOST_NAMED]) + (f" and {beyond} more" if beyond > 0 else "")


def examined_entry(
    timeout_seconds: float, specification: Any, *, keep: Path | None = None
) -> Implementation:
    """Return the implementation, after loading third-party code in a separate process.

    The checks examine the model itself, since they inspect its signatures.
    """
    refuse_predictions(specification)
    if isinstance(specification, str) and is_foreign(specification):
        if is_program(specification):
            specification = program(specification, keep)
        loaded = isolated(specification, timeout_seconds=timeout_seconds)
        return replace(loaded, make=loaded.direct or loaded.make, direct=None)
    entry = implementation(specification)
    check_installed(entry)
    return entry


def expected_failures(path: str | Path) -> tuple[str, ...]:
    """Return the distinct ids of checks listed in a file."""
    remedy = "Give a text file with one check id per line."
    text = text_of(Path(path), ConfigurationError, remedy)
    expected = []
    for number, line in enumerate(text.splitlines(), 1):
        check_id = line.partition("#")[0].strip()
        if check_id:
            require_check(check_id, f"{path}, line {number}", error=ConfigurationError)
            expected.append(check_id)
    return tuple(dict.fromkeys(expected))


@study_function(ConformanceOptions)
def conformance(options: ConformanceOptions) -> Study:
    """Return which checks of the battery an implementation passes.

    An implementation is a name, a class, a function or an estimator instance; a sequence
    of them makes a scoreboard.

    Examples
    --------
    >>> study = conformance("numpy", only="tie-first-class")
    >>> study.verdict
    'numpy passes the only check.'
    """
    return run(options)
