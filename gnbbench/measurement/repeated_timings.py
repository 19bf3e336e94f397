"""Times of the same operations, taken over again in several processes."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from gnbbench.measurement.operations import ImplementationTimings
from gnbbench.measurement.timing import TimingPlan

# Particulars that each process has for itself, by operation.
BY_PROCESS = (
    "inner_counts",
    "cold_seconds",
    "rounds",
    "spent_seconds",
    "clock_overhead_seconds",
    "noise",
    "pools_before",
    "pools_after",
    "is_precise",
)


@dataclass(frozen=True, slots=True)
class RepeatedTimings:
    """Times of every operation from one process, or from several one after the other.

    Where memory lies, in which order names are hashed, which libraries came first: a
    process draws that once, for all of its rounds. Only another process draws it anew.
    """

    parts: tuple[ImplementationTimings, ...]  # One for each process, at least one
    plan: TimingPlan  # With the budget of all processes together

    def rows(self) -> list[tuple[str, str, int, int, float]]:
        """Return the rows of `gnbbench.records.Records.timings`, in the order timed.

        Rounds are numbered on from process to process. An implementation that could not
        be timed in one of them is left out of that operation.
        """
        found = []
        for operation, names in self._kept().items():
            rounds = 0
            for part in self.parts:
                found += [
                    (operation, name, rounds + r, position, seconds)
                    for kind, name, r, position, seconds in part.rows()
                    if kind == operation and name in names
                ]
                rounds += len(part.operations[operation].seconds)
        return found

    def notes(self) -> dict[str, Any]:
        """Return `gnbbench.records.Records.timing_notes`, ready for JSON."""
        if len(self.parts) == 1:
            return {**self.parts[0].notes(), "plan": asdict(self.plan)}
        notes = [part.notes() for part in self.parts]
        kept = self._kept()
        return {
            "regime": f"{self.plan.sentence()} Repeated in {len(notes)} fresh processes.",
            "inner_counts": notes[0]["inner_counts"],
            "cold_seconds": {
                operation: {
                    name: median(one["cold_seconds"][operation][name] for one in notes)
                    for name in names
                    if all(name in one["cold_seconds"][operation] for one in notes)
                }
                for operation, names in kept.items()
            },
            "warnings": told_once([one["warnings"] for one in notes]),
            "skipped": self._skipped(),
            "plan": asdict(self.plan),
            "rounds": {name: sum(one["rounds"][name] for one in notes) for name in kept},
            "spent_seconds": {
                name: sum(one["spent_seconds"][name] for one in notes) for name in kept
            },
            "processes": [{key: one[key] for key in BY_PROCESS} for one in notes],
        }

    def _kept(self) -> dict[str, list[str]]:
        """Return operation -> the implementations that every process timed."""
        first, *others = [part.operations for part in self.parts]
        kept = {}
        for operation, timings in first.items():
            if all(operation in one for one in others):
                kept[operation] = [
                    name
                    for name in timings.names
                    if all(name in one[operation].names for one in others)
                ]
        return {operation: names for operation, names in kept.items() if names}

    def _skipped(self) -> dict[str, str]:
        reasons: dict[str, list[str]] = {}
        for part in self.parts:
            for name, reason in part.skipped.items():
                if reason not in reasons.setdefault(name, []):
                    reasons[name].append(reason)
        return {name: "; ".join(found) for name, found in reasons.items()}


def told_once(warnings: Sequence[Sequence[str]]) -> list[str]:
    """Return the warnings of several processes, those alike but for numbers told once."""
    alike: dict[str, list[str]] = {}
    for of_process in warnings:
        seen = set()
        for text in of_process:
            shape = "".join("#" if letter.isdigit() else letter for letter in text)
            shape = " ".join(word for word in shape.split() if "#" not in word)
            if shape not in seen:
                alike.setdefault(shape, []).append(text)
            seen.add(shape)
    return [
        f"{texts[0]} (In {len(texts)} of {len(warnings)} processes.)"
        for texts in alike.values()
    ]
