"""What the battery is made of and what it gives: HardCase, Finding, Result, Conformance."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeVar

Outcome = Literal["pass", "fail", "not applicable", "crash", "timeout"]


@dataclass(frozen=True)
class Finding:
    """What examining a check found."""

    # Compared with the check's tolerance; None where the answer is yes or no
    measured: float | None = None
    holds: bool = True  # False where the statement is broken whatever the number says
    # One line of evidence: the worst case, what was raised, what came instead
    message: str = ""


Examine = Callable[[Callable[[], Any]], Finding]
Asks = TypeVar("Asks", bound=Callable[..., Finding])


@dataclass(frozen=True)
class HardCase:
    """One thing that an implementation of Gaussian naive Bayes has to get right."""

    id: str  # Unique, in kebab case: ``"offset-1e9"``
    family: str  # What it belongs to: ``"offsets"``, ``"weights"``
    statement: str  # What must hold, in one sentence
    # What the measured number may be at most; None where the answer is yes or no
    tolerance: float | None
    unit: str  # Of the measured number: ``"relative error"``, ``"labels"``
    source: str  # Where the requirement, and its tolerance, come from
    # Takes a maker of fresh unfitted models, returns a Finding; raises
    # `gnbbench.conformance.contract.NotOffered` where the model lacks what it asks for
    examine: Examine


class Criterion(NamedTuple):
    """What the number of a finding counts, and how large it may be."""

    unit: str
    tolerance: float | None  # None where the answer is yes or no


WRONG_LABELS = Criterion("labels", 0.0)
YES_OR_NO = Criterion("yes or no", None)


@dataclass(frozen=True)
class Family:
    """Checks of one kind in the order of the battery, and what most of them share."""

    name: str
    source: str
    measure: Criterion = WRONG_LABELS
    on: Callable[[], Any] | None = None  # Gives the problem of most, in arrays of its own
    checks: list[HardCase] = field(default_factory=list)

    def check(
        self,
        id: str,  # noqa: A002  the field of a check
        statement: str,
        *,
        on: Callable[[], Any] | None = None,
        measure: Criterion | None = None,
        source: str | None = None,
    ) -> Callable[[Asks], Asks]:
        """Return a decorator that adds the check which a function carries out.

        It is given the problem, where there is one, and then a maker of models.
        """
        problem, (unit, tolerance) = on or self.on, measure or self.measure
        requirement = (statement, tolerance, unit, source or self.source)

        def added(ask: Asks) -> Asks:
            examine = ask if problem is None else lambda make: ask(problem(), make)
            self.checks.append(HardCase(id, self.name, *requirement, examine))
            return ask

        return added


@dataclass(frozen=True)
class Result:
    """The result of one check."""

    check: HardCase
    outcome: Outcome
    measured: float | None  # The number measured, in the check's unit, where there is one
    message: str  # One line: the evidence, what is not offered, or how the process ended
    seconds: float  # Wall time of the check


@dataclass(frozen=True)
class Conformance:
    """All results of the battery for one implementation."""

    implementation: str  # Its name
    description: str  # One line on what it is
    version: str  # Version of the library it comes from; empty where none is known
    results: tuple[Result, ...]  # In the order of the battery
