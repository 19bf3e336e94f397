"""The study of what others published: their figures beside measured ones."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import pandas as pd

from gnbbench.claims.claim import Claim, ClaimResult
from gnbbench.claims.measurements import examine
from gnbbench.claims.table import read_claims, usual_directory
from gnbbench.errors import OptionError
from gnbbench.report.blocks import Document, Table
from gnbbench.report.reproduce import claim_list
from gnbbench.report.reproduce import report as reproduce_report
from gnbbench.report.reproduce_summary import stated, summarize_claims
from gnbbench.statistics.documents import plain
from gnbbench.statistics.schema import fields_of
from gnbbench.statistics.summary import Summary
from gnbbench.studies.option import study_function
from gnbbench.studies.options import ReproduceOptions
from gnbbench.studies.plan import call_text, plan_digits
from gnbbench.studies.schema import decoded, encoded
from gnbbench.studies.store import Store
from gnbbench.studies.study import Kind, Progress, Study, run, settled_plan, unfinished

# Before the id of a claim in the key of a note.
CLAIM = "claim "
# What of the plan a reader has asked for.
ASKED = ("claims", "data", "runs")


@dataclass(frozen=True)
class ReproducePlan:
    """Which figures are measured, and from what."""

    chosen: tuple[Claim, ...]  # One at least
    ids: tuple[str, ...] = ()  # What was asked for; empty for all
    data: Path | None = None  # Directory of files that do not come with gnbbench
    runs: int | None = None  # Most runs of a repeated protocol; as its table says when None

    @property
    def directory_name(self) -> str:
        """Usual name of the results directory; tables that changed have another one."""
        stem = "-".join(["reproduce", *self.ids])[:80]
        return f"{stem}-{plan_digits(self.as_dict())}"

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as JSON can hold it."""
        tables = [
            replace(claim, source=replace(claim.source, file=Path()))
            for claim in self.chosen
        ]
        text = json.dumps(encoded(tables), sort_keys=True)
        return {
            "study": "reproduce",
            "claims": list(self.ids) or "all",
            "data": None if self.data is None else str(self.data),
            "runs": self.runs,
            "chosen": [claim.id for claim in self.chosen],
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
        }


@dataclass(frozen=True)
class PreparedReproduce:
    """A plan that is possible, with nothing measured yet."""

    options: ReproduceOptions
    plan: ReproducePlan
    dataset: None = None  # Every claim has data of its own


class Reproduce(Kind[ReproduceOptions, PreparedReproduce]):
    """Published figures, claim by claim."""

    name = "reproduce"
    function = "reproduce"
    kept = "the claims that were measured are kept in {directory}"

    def prepare(self, options: ReproduceOptions) -> PreparedReproduce:
        given = options.ids or ()
        ids = (given,) if isinstance(given, str) else tuple(given)
        data = options.data
        if data is not None and not data.is_dir():
            remedy = "Give the directory that holds student-mat.csv and student-por.csv."
            raise OptionError("--data", f"{data} is not a directory", remedy)
        known = read_claims(options.claims or usual_directory())
        plan = ReproducePlan(chosen(known, ids), ids, data, options.runs)
        return PreparedReproduce(options, plan)

    def measure(
        self, prepared: PreparedReproduce, store: Store, progress: Progress
    ) -> None:
        plan, done = prepared.plan, store.notes(CLAIM)
        missing = [claim for claim in plan.chosen if claim.id not in done]
        if not missing:
            return
        for result in examine(
            missing, data=plan.data, most_runs=plan.runs, progress=progress
        ):
            store.add({}, {CLAIM + result.claim.id: encoded(result)})

    def summarize(self, store: Store) -> Summary:
        plan, command = settled_plan(store)
        found, ids = store.notes(CLAIM), plan["chosen"]
        if len(found) < len(ids):
            raise unfinished(store, f"{len(found)} of {len(ids)} claims")
        results = tuple(decoded(ClaimResult, found[name]) for name in ids)
        asked = {name: plan[name] for name in ASKED}
        return summarize_claims(results, plan, store.note("environment"), command, asked)

    def call(self, prepared: PreparedReproduce) -> str:
        plan = prepared.plan
        given = [list(plan.ids)] if plan.ids else []
        data = {} if plan.data is None else {"data": str(plan.data)}
        runs = {} if plan.runs is None else {"runs": plan.runs}
        return call_text(self.function, *given, **data, **runs)

    def frame(self, summary: Summary) -> pd.DataFrame:
        """Return one row for each claim."""
        return summary.table("claims")

    runs = frame

    def report(self, summary: Summary) -> Document:
        return reproduce_report(summary)

    def listed(self, options: ReproduceOptions) -> tuple[Table, Mapping[str, Any]]:
        claims = self.prepare(options).plan.chosen
        rows = [fields_of("reproduce", "listed", stated(claim)) for claim in claims]
        head = {"schema": "gnbbench reproduce claims", "schema_version": 1}
        return claim_list(claims), {**head, "claims": plain(rows)}

    def failure(self, summary: Summary) -> str:
        lost = (result for result in summary.details["results"] if result.is_lost)
        return ", ".join(f"{one.claim.id} is {one.verdict}" for one in lost)


def chosen(known: Sequence[Claim], ids: Sequence[str]) -> tuple[Claim, ...]:
    """Return the claims of these ids or sources, in the order of the tables."""
    asked = {name.lower() for name in ids}
    names = {name for claim in known for name in (claim.id, claim.source.key.lower())}
    for name in ids:
        if name.lower() not in names:
            guesses = get_close_matches(name.lower(), sorted(names), n=1)
            hint = f"Did you mean '{guesses[0]}'? " if guesses else ""
            what = f"there is no claim or source '{name}'"
            raise OptionError("ID", what, f"{hint}See: gnbbench reproduce --list")
    return tuple(
        claim
        for claim in known
        if not asked or {claim.id, claim.source.key.lower()} & asked
    )


@study_function(ReproduceOptions)
def reproduce(options: ReproduceOptions) -> Study:
    """Return published figures beside measured ones, with a verdict for each.

    Examples
    --------
    >>> study = reproduce("guide-iris-mislabelled")
    >>> study.details.headline
    'The published figure is reproduced.'
    """
    return run(options)
