"""Gates for somebody's build: told by lines on stderr, exit codes and JUnit XML."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import typer

from gnbbench.cli.exits import GATE_FAILED, INCONCLUSIVE, user_errors
from gnbbench.studies.shared_options import GateOptions

if TYPE_CHECKING:
    from gnbbench.statistics.gates import Gate
    from gnbbench.studies.study import Study

    Judged: TypeAlias = list[tuple[str, tuple[Gate, ...]]]


def check_gates(asked: GateOptions) -> None:
    """Raise, before anything is measured, unless the outcome of gates can be written."""
    if asked.junit is not None:
        from gnbbench.report.junit import require_file

        require_file(asked.junit)


def judge(asked: GateOptions, studies: "Sequence[Study]") -> None:
    """Say what does not pass, a line each; exit 1 if a gate fails, 3 if one is open."""
    if not (asked.fail_if_disagreement or asked.fail_if_slower_than):
        return
    from gnbbench.statistics.gates import gates

    same, slower = asked.fail_if_disagreement, asked.fail_if_slower_than
    summaries = [study.details for study in studies]
    judged = [
        (summary.dataset.name, gates(summary, same_labels=same, slower_than=slower))
        for summary in summaries
    ]
    if asked.junit is not None:
        _write(judged, summaries[0].study, asked)
    failed = _tell(judged, "fail", "gate failed")
    unsure = _tell(judged, "inconclusive", "inconclusive")
    if failed or unsure:
        raise typer.Exit(GATE_FAILED if failed else INCONCLUSIVE)


def _write(judged: "Judged", study: str, asked: GateOptions) -> None:
    from gnbbench.report.junit import gates_junit, write_document

    if asked.junit is not None:
        with user_errors():
            write_document(gates_junit(judged, study), asked.junit)


def _tell(judged: "Judged", outcome: str, words: str) -> int:
    """Return how many gates have this outcome, after a line on each was printed."""
    told = [
        f"{dataset}: {gate.sentence}" if len(judged) > 1 else gate.sentence
        for dataset, found in judged
        for gate in found
        if gate.outcome == outcome
    ]
    for sentence in told:
        typer.echo(f"gnbbench: {words}: {' '.join(sentence.split())}", err=True)
    return len(told)
