"""The study of conformance: what an implementation gets right, check by check."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from gnbbench.conformance import CHECKS, Check, Conformance, Finding, examine
from gnbbench.errors import (
    ConfigurationError,
    MissingLibraryError,
    OptionError,
)
from gnbbench.implementations import Implementation, implementation, isolated
from gnbbench.implementations.catalogue import IMPLEMENTATIONS, check_installed
from gnbbench.implementations.lookup import fresh_model, is_foreign
from gnbbench.implementations.specifications import parsed
from gnbbench.report.conformance_summary import ConformanceSummary, directory_name
from gnbbench.studies.inputs import call_text, origins
from gnbbench.studies.notes import decoded, encoded
from gnbbench.studies.options import ConformanceOptions
from gnbbench.studies.progress import Progress
from gnbbench.studies.store import Store
from gnbbench.studies.study import (
    Kind,
    Study,
    run,
    settled_plan,
    study_function,
    unfinished,
)
from gnbbench.words import listing, plural

if TYPE_CHECKING:
    from gnbbench.report.blocks import Document

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
        return chosen_checks(self.only)

    @property
    def directory_name(self) -> str:
        """Usual name of the results directory; code that changed has another one."""
        text = json.dumps(self.as_dict(), sort_keys=True)
        identifier = hashlib.sha256(text.encode()).hexdigest()[:8]
        return f"{directory_name(self.names)}-{identifier}"

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
        }


@dataclass(frozen=True)
class PreparedConformance:
    """A plan that is possible, with nothing examined yet."""

    options: ConformanceOptions
    plan: ConformancePlan

    @property
    def dataset(self) -> None:
        """Every check has data of its own."""


class ExamineConformance(Kind[ConformanceOptions, PreparedConformance]):
    """Every check of the battery, implementation by implementation."""

    name = "conformance"
    function = "examine_conformance"
    kept = "{done} of {total} implementations are kept in {directory}"

    def prepare(self, options: ConformanceOptions) -> PreparedConformance:
        given, every = options.implementation, options.every
        if (given is not None) == every:
            what = "names and --all exclude each other" if every else "nothing is named"
            raise OptionError("NAME", what, "Name implementations, or give --all.")
        asked = options.only or ()
        plan = conformance_plan(
            given if given is None or isinstance(given, list | tuple) else [given],
            only=[asked] if isinstance(asked, str) else asked,
            timeout_seconds=options.timeout_seconds,
            expected=expected_failures(options.expect_fail) if options.expect_fail else (),
        )
        return PreparedConformance(options, plan)

    def measure(
        self, prepared: PreparedConformance, store: Store, progress: Progress
    ) -> None:
        plan, done = prepared.plan, store.notes(EXAMINED)
        progress.begin("conformance", total=len(plan.entries), done=len(done))
        ids = [check.id for check in plan.checks]
        for entry in plan.entries:
            if entry.name not in done:
                found = examine(entry, only=ids, timeout_seconds=plan.timeout_seconds)
                store.add({}, {EXAMINED + entry.name: _noted(found)})
                progress.advance(1)

    def summarize(self, store: Store) -> ConformanceSummary:
        plan, command = settled_plan(store)
        found, names = store.notes(EXAMINED), plan["implementations"]
        if len(found) < len(names):
            raise unfinished(store, f"{len(found)} of {len(names)}")
        return ConformanceSummary(
            examined=tuple(_examined(found[name]) for name in names),
            plan={name: plan[name] for name in ASKED},
            environment=store.note("environment"),
            command=command,
            expected=tuple(plan["expected"]),
            warnings=_remarks(plan),
        )

    def call(self, prepared: PreparedConformance) -> str:
        plan = prepared.plan
        chosen = {"only": list(plan.only)} if plan.only else {}
        typed = [entry.specification or entry.name for entry in plan.entries]
        given: Any = typed[0] if len(typed) == 1 else typed
        limit = plan.timeout_seconds
        return call_text(self.function, given, **chosen, timeout_seconds=limit)

    def runs(self, summary: ConformanceSummary) -> pd.DataFrame:
        """Return one row for each implementation and check."""
        return summary.frame()

    def report(self, summary: ConformanceSummary) -> "Document":
        from gnbbench.report.conformance import report

        return report(summary)

    def surprises(
        self, options: ConformanceOptions, summary: ConformanceSummary
    ) -> tuple[str, ...]:
        where = options.expect_fail
        return tuple(f"{text} Take it out of {where}" for text in summary.surprises)

    def failure(self, summary: ConformanceSummary) -> str:
        failed: dict[str, list[str]] = {}
        for name, result in summary.unexpected_failures:
            failed.setdefault(name, []).append(result.check.id)
        several = len(failed) > 1
        return ", ".join(
            f"{name} fails {len(ids) if several else _first(ids)}"
            for name, ids in failed.items()
        )


def _noted(found: Conformance) -> dict[str, Any]:
    """Return results as a note; a check is told by what it asks, not by its code."""
    note: dict[str, Any] = encoded(found)
    for result in note["results"]:
        del result["check"]["examine"]
    return note


def _examined(note: dict[str, Any]) -> Conformance:
    for result in note["results"]:
        result["check"]["examine"] = _not_again
    found: Conformance = decoded(Conformance, note)
    return found


def _not_again(_: Any) -> Finding:
    raise NotImplementedError


def _remarks(plan: dict[str, Any]) -> tuple[str, ...]:
    remarks = []
    if plan["only"]:
        number, total = plural(plan["n_checks"], "check"), plan["n_checks_of_battery"]
        remarks.append(f"Only {listing(plan['only'])}: {number} of the battery's {total}.")
    if plan["left_out"]:
        names = listing(plan["left_out"])
        remarks.append(f"Not installed: {names}. See: gnbbench list implementations")
    return tuple(remarks)


def _first(ids: list[str]) -> str:
    """Return the first few names, and how many there are besides."""
    beyond = len(ids) - MOST_NAMED
    return ", ".join(ids[:MOST_NAMED]) + (f" and {beyond} more" if beyond > 0 else "")


def conformance_plan(
    given: Sequence[Any] | None,
    *,
    only: Sequence[str] = (),
    timeout_seconds: float = 30.0,
    expected: Sequence[str] = (),
) -> ConformancePlan:
    """Return a plan that is possible, with nothing examined yet."""
    chosen_checks(only)
    left_out: tuple[str, ...] = ()
    if given is None:
        given = [entry for entry in IMPLEMENTATIONS if _is_installed(entry)]
        left_out = tuple(one.name for one in IMPLEMENTATIONS if one not in given)
    _check_named_once(given)
    entries = _with_distinct_names([_entry(one, timeout_seconds) for one in given])
    return ConformancePlan(entries, tuple(only), timeout_seconds, tuple(expected), left_out)


def chosen_checks(only: Sequence[str]) -> tuple[Check, ...]:
    """Return the checks of these families or ids, in the order of the battery."""
    known = {name for check in CHECKS for name in (check.id, check.family)}
    for name in only:
        if name not in known:
            what = f"there is no check or family '{name}'"
            raise OptionError("--only", what, unknown_check_remedy(name, sorted(known)))
    return tuple(
        check for check in CHECKS if not only or {check.id, check.family} & set(only)
    )


def _check_named_once(given: Sequence[Any]) -> None:
    if not given:
        raise OptionError("NAME", "nothing to examine", "Name an implementation.")
    names = [one for one in given if isinstance(one, str)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        remedy = "Name each implementation once."
        raise OptionError("NAME", f"'{twice}' is named twice", remedy)


def _entry(given: Any, timeout_seconds: float) -> Implementation:
    """Return the implementation; a text for code of others is not loaded in this process.

    The isolated one proves, in its own process, that it loads; what is examined is the
    model itself, whose signatures checks ask for.
    """
    if isinstance(given, str) and is_foreign(given):
        loaded = isolated(given, timeout_seconds=timeout_seconds)
        text = parsed(given).absolute
        return replace(loaded, make=partial(fresh_model, text, loaded.digest))
    entry = implementation(given)
    check_installed(entry)
    return entry


def _is_installed(entry: Implementation) -> bool:
    try:
        check_installed(entry)
    except MissingLibraryError:
        return False
    return True


def _with_distinct_names(given: list[Implementation]) -> tuple[Implementation, ...]:
    """Return implementations of equal name as Mine, Mine 2, Mine 3."""
    result: list[Implementation] = []
    for entry in given:
        taken = {one.name for one in result}
        name, number = entry.name, 2
        while name in taken:
            name, number = f"{entry.name} {number}", number + 1
        result.append(replace(entry, name=name))
    return tuple(result)


def expected_failures(path: str | Path) -> tuple[str, ...]:
    """Return the ids of checks that a file lists, each once."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        what = f"cannot be read ({reason or error})"
        remedy = "Give a text file with one id of a check a line."
        raise ConfigurationError(str(path), what, remedy) from error
    known = [check.id for check in CHECKS]
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        wanted = line.partition("#")[0].strip()
        if wanted and wanted not in known:
            what = f"there is no check '{wanted}'"
            where = f"{path}, line {number}"
            raise ConfigurationError(where, what, unknown_check_remedy(wanted, known))
        if wanted:
            found.append(wanted)
    return tuple(dict.fromkeys(found))


def unknown_check_remedy(name: str, known: list[str]) -> str:
    """Return what to do about a check, or family, that there is not."""
    guesses = get_close_matches(name, known, n=1)
    hint = f"Did you mean '{guesses[0]}'? " if guesses else ""
    return f"{hint}See: gnbbench conformance --list"


@study_function(ConformanceOptions)
def conformance(options: ConformanceOptions) -> Study:
    """Return which checks of the battery an implementation passes.

    It is given as `gnbbench.implementations.implementation` takes it: a name, a class, a
    function, an estimator instance, or a sequence of them, which makes a scoreboard.

    Returns
    -------
    Study

    Raises
    ------
    GnbBenchError
        If an implementation, a check or the directory cannot be used; nothing is written
        then.

    Examples
    --------
    >>> study = conformance("numpy", only="tie-first-class")
    >>> study.details.headline
    'numpy passes the only check.'
    """
    return run(options)
