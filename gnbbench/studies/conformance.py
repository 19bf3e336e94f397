"""The study of conformance: what an implementation gets right, check by check."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from gnbbench.conformance.battery import CHECKS, checks_of, require_check
from gnbbench.conformance.examination import examine
from gnbbench.conformance.result import Check, Conformance
from gnbbench.errors import ConfigurationError, MissingLibraryError, OptionError
from gnbbench.implementations import Implementation, implementation, isolated
from gnbbench.implementations.catalogue import IMPLEMENTATIONS, check_installed
from gnbbench.implementations.lookup import (
    check_named_once,
    each_loaded,
    is_foreign,
    with_distinct_names,
)
from gnbbench.report.blocks import Document, Table
from gnbbench.report.conformance import check_list
from gnbbench.report.conformance import report as conformance_report
from gnbbench.report.conformance_summary import summarize_conformance
from gnbbench.statistics.documents import plain
from gnbbench.statistics.schema import fields_of
from gnbbench.statistics.summary import Summary
from gnbbench.studies.option import study_function
from gnbbench.studies.options import ConformanceOptions
from gnbbench.studies.plan import call_text, origins, plan_digits
from gnbbench.studies.schema import encoded
from gnbbench.studies.store import Store
from gnbbench.studies.study import Kind, Progress, Study, run, settled_plan, unfinished

# Before the name of an implementation in the key of a note.
EXAMINED = "conformance of "
# What of the plan a reader has asked for.
ASKED = ("implementations", "only", "timeout_seconds")
MOST_NAMED = 5


@dataclass(frozen=True)
class ConformancePlan:
    """What is examined: implementations under names that differ, checks, a time limit."""

    entries: tuple[Implementation, ...]
    # Families and ids of the checks that were asked for; empty for all
    only: tuple[str, ...] = ()
    timeout_seconds: float = 30.0  # Limit of each check
    expected: tuple[str, ...] = ()  # Ids of the checks whose failure is known
    # Implementations of the catalogue that are not installed
    left_out: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The implementations' names."""
        return tuple(entry.name for entry in self.entries)

    @property
    def checks(self) -> tuple[Check, ...]:
        """The checks asked for, in the order of the battery."""
        return checks_of(self.only)

    @property
    def directory_name(self) -> str:
        """Usual name of the results directory; code that changed has another one."""
        stem = re.sub(r"[^A-Za-z0-9._+]+", "-", self.names[0]).strip(".-")[:80] or "unnamed"
        what = "scoreboard" if len(self.names) > 1 else stem
        return f"conformance-{what}-{plan_digits(self.as_dict())}"

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as JSON can hold it."""
        origin = origins(self.entries)
        return {
            "study": "conformance",
            "implementations": list(self.names),
            "only": list(self.only),
            "timeout_seconds": self.timeout_seconds,
            "expected": list(self.expected),
            "left_out": list(self.left_out),
            "n_checks": len(self.checks),
            "n_checks_of_battery": len(CHECKS),
            "specifications": origin["specifications"],
            "digests": origin["digests"],
            **({"adaptations": origin["adaptations"]} if origin["adaptations"] else {}),
        }


@dataclass(frozen=True)
class PreparedConformance:
    """A plan that is possible, with nothing examined yet."""

    options: ConformanceOptions
    plan: ConformancePlan
    dataset: None = None  # Every check has data of its own


class ExamineConformance(Kind[ConformanceOptions, PreparedConformance]):
    """Every check of the battery, implementation by implementation."""

    name = "conformance"
    function = "examine_conformance"
    kept = "{done} of {total} implementations are kept in {directory}"

    def prepare(self, options: ConformanceOptions) -> PreparedConformance:
        given, every = options.implementation, options.every
        if (given is not None) == every:
            what = "names and --all cannot be combined" if every else "nothing is named"
            raise OptionError("NAME", what, "Name implementations, or give --all.")
        only, limit = _only(options), options.timeout_seconds
        checks_of(only)
        expected = expected_failures(options.expect_fail) if options.expect_fail else ()
        left_out: tuple[str, ...] = ()
        if every:
            given = [entry for entry in IMPLEMENTATIONS if _is_installed(entry)]
            left_out = tuple(one.name for one in IMPLEMENTATIONS if one not in given)
        elif not isinstance(given, list | tuple):
            given = [given]
        if not given:
            raise OptionError("NAME", "nothing to examine", "Name an implementation.")
        check_named_once(given, "NAME")
        entries = with_distinct_names(each_loaded(partial(examined_entry, limit), given))
        plan = ConformancePlan(entries, only, limit, expected, left_out)
        return PreparedConformance(options, plan)

    def measure(
        self, prepared: PreparedConformance, store: Store, progress: Progress
    ) -> None:
        plan, done = prepared.plan, store.notes(EXAMINED)
        progress.begin("conformance", total=len(plan.entries), done=len(done))
        for entry in plan.entries:
            if entry.name not in done:
                limit = plan.timeout_seconds
                found = examine(entry, plan.checks, timeout_seconds=limit)
                store.add({}, {EXAMINED + entry.name: noted(found)})
                progress.advance(1)

    def summarize(self, store: Store) -> Summary:
        plan, command = settled_plan(store)
        found, names = store.notes(EXAMINED), plan["implementations"]
        if len(found) < len(names):
            raise unfinished(store, f"{len(found)} of {len(names)}")
        examined = [found[name] for name in names]
        asked = {name: plan[name] for name in ASKED}
        environment = store.note("environment")
        return summarize_conformance(examined, plan, environment, command, asked)

    def call(self, prepared: PreparedConformance) -> str:
        plan = prepared.plan
        chosen = {"only": list(plan.only)} if plan.only else {}
        typed = [entry.specification or entry.name for entry in plan.entries]
        given: Any = typed[0] if len(typed) == 1 else typed
        limit = plan.timeout_seconds
        return call_text(self.function, given, **chosen, timeout_seconds=limit)

    def frame(self, summary: Summary) -> pd.DataFrame:
        """Return one row for each implementation and check."""
        return summary.table("results")

    runs = frame

    def report(self, summary: Summary) -> Document:
        return conformance_report(summary)

    def listed(self, options: ConformanceOptions) -> tuple[Table, Mapping[str, Any]]:
        checks = checks_of(_only(options))
        rows = [fields_of("conformance", "checks", vars(check)) for check in checks]
        head = {"schema": "gnbbench conformance checks", "schema_version": 1}
        return check_list(checks), {**head, "checks": plain(rows)}

    def surprises(self, options: ConformanceOptions, summary: Summary) -> tuple[str, ...]:
        where = options.expect_fail
        return tuple(
            f"{text} Take it out of {where}" for text in summary.details["surprises"]
        )

    def failure(self, summary: Summary) -> str:
        failed = [one for one in summary.details["examined"] if one["unexpected"]]
        return ", ".join(
            f"{one['implementation']} fails "
            f"{len(one['unexpected']) if len(failed) > 1 else _first(one['unexpected'])}"
            for one in failed
        )


def noted(found: Conformance) -> dict[str, Any]:
    """Return results as a note; a check is told by what it asks, not by its code."""
    note: dict[str, Any] = encoded(found)
    for result in note["results"]:
        del result["check"]["examine"]
    return note


def _only(options: ConformanceOptions) -> tuple[str, ...]:
    asked = options.only or ()
    return (asked,) if isinstance(asked, str) else tuple(asked)


def _first(ids: Sequence[str]) -> str:
    """Return the first few names, and how many there are besides."""
    beyond = len(ids) - MOST_NAMED
    return ", ".join(ids[:MOST_NAMED]) + (f" and {beyond} more" if beyond > 0 else "")


def examined_entry(timeout_seconds: float, given: Any) -> Implementation:
    """Return the implementation; a text for code of others is not loaded in this process.

    The isolated one proves, in its own process, that it loads; what is examined is the
    model itself, whose signatures checks ask for.
    """
    if isinstance(given, str) and is_foreign(given):
        loaded = isolated(given, timeout_seconds=timeout_seconds)
        return replace(loaded, make=loaded.direct or loaded.make, direct=None)
    entry = implementation(given)
    check_installed(entry)
    return entry


def _is_installed(entry: Implementation) -> bool:
    try:
        check_installed(entry)
    except MissingLibraryError:
        return False
    return True


def expected_failures(path: str | Path) -> tuple[str, ...]:
    """Return the ids of checks that a file lists, each once."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        what = f"cannot be read ({reason or error})"
        remedy = "Give a text file with one check id per line."
        raise ConfigurationError(str(path), what, remedy) from error
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        wanted = line.partition("#")[0].strip()
        if wanted:
            require_check(wanted, f"{path}, line {number}", error=ConfigurationError)
            found.append(wanted)
    return tuple(dict.fromkeys(found))


@study_function(ConformanceOptions)
def conformance(options: ConformanceOptions) -> Study:
    """Return which checks of the battery an implementation passes.

    It is given as `gnbbench.implementations.implementation` takes it: a name, a class, a
    function, an estimator instance, or a sequence of them, which makes a scoreboard.

    Examples
    --------
    >>> study = conformance("numpy", only="tie-first-class")
    >>> study.details.headline
    'numpy passes the only check.'
    """
    return run(options)
