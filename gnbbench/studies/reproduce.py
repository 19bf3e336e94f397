"""The study of published figures, beside measured ones."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gnbbench.claims.claim import Claim, ClaimResult
from gnbbench.claims.measurements import examine
from gnbbench.claims.table import read_claims, usual_directory
from gnbbench.claims.verdicts import stated, summarize_claims
from gnbbench.errors import OptionError, meant
from gnbbench.progress import Progress
from gnbbench.report.blocks import Table
from gnbbench.report.reproduce import claim_list, report
from gnbbench.statistics.documents import plain
from gnbbench.statistics.schema import fields_of
from gnbbench.statistics.summary import Summary
from gnbbench.studies.kinds import run
from gnbbench.studies.option import study_function
from gnbbench.studies.options import ReproduceOptions
from gnbbench.studies.plan import Prepared
from gnbbench.studies.schema import decoded, encoded
from gnbbench.studies.store import Store
from gnbbench.studies.study import Judgement, Kind, Study, every_note, settled

# Key of a note, before a claim's id.
CLAIM = "claim "
# Fields of the plan that a user chooses.
ASKED = ("claims", "data", "runs")


@dataclass(frozen=True, kw_only=True)
class PreparedReproduce(Prepared[ReproduceOptions]):
    """A study of at least one claim."""

    chosen: tuple[Claim, ...]
    known: tuple[Claim, ...]  # All claims of the tables


class Reproduce(Kind):
    """Published figures, claim by claim."""

    name = "reproduce"
    function = "reproduce"
    kept = "the claims that were measured are kept in {directory}"
    frame_name = runs_name = "claims"
    report = staticmethod(report)

    def prepare(self, options: ReproduceOptions) -> PreparedReproduce:
        ids = options.ids or ()
        ids = (ids,) if isinstance(ids, str) else tuple(ids)
        data = options.data
        if data is not None and not data.is_dir():
            remedy = "Give the directory of the files that claims name."
            raise OptionError("--data", f"{data} is not a directory", remedy)
        known = read_claims(options.claims or usual_directory())
        claims = chosen(known, ids)
        text = json.dumps(_placeless(known, claims), sort_keys=True)
        plan = {
            "study": self.name,
            "claims": list(ids) or "all",
            "data": None if data is None else str(data),
            "runs": options.runs,
            "chosen": [claim.id for claim in claims],
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
        }
        return PreparedReproduce(
            options=options,
            plan=plan,
            stem="-".join([self.name, *ids])[:80],
            first=list(ids) or None,
            chosen=claims,
            known=known,
        )

    def measure(
        self, prepared: PreparedReproduce, store: Store, progress: Progress
    ) -> None:
        done, options = store.notes(CLAIM), prepared.options
        left = [claim for claim in prepared.chosen if claim.id not in done]
        if not left:
            return
        for result in examine(
            left,
            known=prepared.known,
            data=options.data,
            most_runs=options.runs,
            progress=progress,
        ):
            store.add({}, {CLAIM + result.claim.id: encoded(result)})

    def summarize(self, store: Store) -> Summary:
        known = settled(store)
        plan = known.plan
        notes = every_note(store, CLAIM, plan["chosen"], " claims")
        results = tuple(decoded(ClaimResult, note) for note in notes)
        asked = {name: plan[name] for name in ASKED}
        return summarize_claims(results, known, asked)

    def listed(self, options: ReproduceOptions) -> tuple[Table, Mapping[str, Any]]:
        claims = self.prepare(options).chosen
        rows = [fields_of("reproduce", "listed", stated(claim)) for claim in claims]
        head = {"schema": "gnbbench reproduce claims", "schema_version": 1}
        return claim_list(claims), {**head, "claims": plain(rows)}

    def judge(self, options: ReproduceOptions, summary: Summary) -> Judgement:  # noqa: ARG002
        lost = [result for result in summary.details["results"] if result.is_lost]
        return Judgement(", ".join(f"{row.claim.id} is {row.verdict}" for row in lost))


def _placeless(known: Sequence[Claim], claims: Sequence[Claim]) -> list[Any]:
    """Return all claims of the chosen sources without directories, for a digest."""
    sources = {claim.source.key for claim in claims}
    tables: list[Any] = encoded([claim for claim in known if claim.source.key in sources])
    for claim in tables:
        claim["source"]["file"] = "."
        for reading in claim["protocol"]["readings"]:
            reading["directory"] = "."
    return tables


def chosen(known: Sequence[Claim], ids: Sequence[str]) -> tuple[Claim, ...]:
    """Return the claims of these ids or sources, in the order of the tables."""
    asked = {name.lower() for name in ids}
    names = {name for claim in known for name in (claim.id, claim.source.key.lower())}
    for name in ids:
        if name.lower() not in names:
            what = f"there is no claim or source '{name}'"
            remedy = meant(name.lower(), sorted(names), "See: gnbbench reproduce --list")
            raise OptionError("ID", what, remedy)
    return tuple(c for c in known if not asked or {c.id, c.source.key.lower()} & asked)


@study_function(ReproduceOptions)
def reproduce(options: ReproduceOptions) -> Study:
    """Measure published figures again, with a verdict on each.

    Examples
    --------
    >>> study = reproduce("guide-iris-mislabelled")
    >>> study.verdict
    'The published figure is reproduced.'
    """
    return run(options)
