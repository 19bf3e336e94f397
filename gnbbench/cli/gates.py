"""Gates for somebody's build: asked for by options, told by exit codes and JUnit XML."""

from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import typer

from gnbbench.cli.exits import GATE_FAILED, INCONCLUSIVE, user_errors
from gnbbench.errors import OptionError

if TYPE_CHECKING:
    from gnbbench.interface.study import Study
    from gnbbench.statistics.gates import Gate

    Judged: TypeAlias = list[tuple[str, tuple[Gate, ...]]]


@dataclass(frozen=True)
class GatesAsked:
    """The gates that a command's options ask for."""

    same_labels: bool  # Whether any label that differs fails
    # Multiple of the reference's time that no operation may take more than
    slower_than: float | None
    junit: Path | None  # File for the outcome of every gate

    def check(self) -> None:
        """Raise, before anything is measured, unless these gates can be judged and told."""
        limit = self.slower_than
        if limit is not None and not (isfinite(limit) and limit > 0.0):
            remedy = "Give a number above 0, such as 1.5."
            raise OptionError("--fail-if-slower-than", f"{limit:g} is no multiple", remedy)
        if self.junit is None:
            return
        if limit is None and not self.same_labels:
            remedy = "Give --fail-if-disagreement or --fail-if-slower-than with it."
            raise OptionError("--junit", "no gate is asked for", remedy)
        from gnbbench.report.junit import require_file

        require_file(self.junit)

    def judge(self, *studies: "Study") -> None:
        """Say what does not pass, a line each; exit 1 if a gate fails, 3 if one is open."""
        from gnbbench.statistics.gates import gates

        judged = [
            (
                study.details.dataset.name,
                gates(
                    study.details,
                    same_labels=self.same_labels,
                    slower_than=self.slower_than,
                ),
            )
            for study in studies
        ]
        if self.junit is not None:
            _write(judged, studies[0].details.study, self.junit)
        failed = _tell(judged, "fail", "gate failed")
        unsure = _tell(judged, "inconclusive", "inconclusive")
        if failed or unsure:
            raise typer.Exit(GATE_FAILED if failed else INCONCLUSIVE)


def _write(judged: "Judged", study: str, path: Path) -> None:
    from gnbbench.report.gates_junit import gates_junit
    from gnbbench.report.junit import write_document

    with user_errors():
        write_document(gates_junit(judged, study), path)


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
