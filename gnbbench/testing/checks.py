"""The battery of conformance as tests of pytest, one for each check."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeVar

from gnbbench.conformance import CHECKS, Check, Result, run_check
from gnbbench.errors import OptionError
from gnbbench.implementations import implementation
from gnbbench.implementations.libraries import check_installed

Test = TypeVar("Test", bound=Callable[..., object])


@dataclass(frozen=True, repr=False)
class ReadyCheck:
    """One check of the battery with the implementation that it is to examine.

    Parameters
    ----------
    check : Check
        Its id, family, statement, tolerance and source.
    make : callable
        Returns a fresh unfitted model.
    """

    check: Check
    make: Callable[[], Any]

    def __repr__(self) -> str:
        return f"<{self.check.id}: {self.check.statement}>"

    def __call__(self) -> None:
        """Carry the check out, in this process and without a time limit.

        Raises
        ------
        AssertionError
            If what must hold does not; says the number measured, the tolerance, the
            statement and its source.
        pytest.skip.Exception
            If the implementation does not offer what the check asks for.
        """
        __tracebackhide__ = True
        result = run_check(self.check, self.make)
        if result.outcome == "not applicable":
            import pytest

            pytest.skip(result.message)
        if result.outcome != "pass":
            raise AssertionError(failure_text(result))


def conformance_checks(
    model: Any, *, only: Iterable[str] = (), expected_failures: Iterable[str] = ()
) -> Callable[[Test], Test]:
    """Return a decorator that makes one test of a function for each check of the battery.

    The function takes an argument ``check``, which is called without arguments. What the
    implementation does not offer is skipped with the reason.

    Parameters
    ----------
    model : class, estimator instance, function or str
        Whatever `gnbbench.implementations.implementation` takes; an instance is copied
        unfitted for every model.
    only : iterable of str, default=()
        Ids or families of checks; all when empty.
    expected_failures : iterable of str, default=()
        Ids of checks whose failure is known: marked ``xfail(strict=True)``, so that one
        that passes after all is told.

    Returns
    -------
    callable
        A mark of pytest, which takes the function and returns it.

    Raises
    ------
    GnbBenchError
        If the implementation cannot be had, or a name is no check's.

    Examples
    --------
    In a file of tests::

        @conformance_checks(MyGNB, expected_failures=["offset-1e12"])
        def test_conformance(check):
            check()
    """
    import pytest

    entry = implementation(model)
    check_installed(entry)
    chosen, known_to_fail = tuple(only), tuple(expected_failures)
    ids = [check.id for check in CHECKS]
    _require_known("only", chosen, [*ids, *(check.family for check in CHECKS)])
    _require_known("expected_failures", known_to_fail, ids)
    expected = pytest.mark.xfail(strict=True, raises=AssertionError, reason="known to fail")
    return pytest.mark.parametrize(
        "check",
        [
            pytest.param(
                ReadyCheck(check, entry.make),
                id=check.id,
                marks=[expected] if check.id in known_to_fail else [],
            )
            for check in CHECKS
            if not chosen or {check.id, check.family} & set(chosen)
        ],
    )


def failure_text(result: Result) -> str:
    """Return what a failed check has to say, a line each: the number comes first."""
    check = result.check
    unit = f" ({check.unit})" if check.unit else ""
    lines = [f"{check.id}: {result.outcome}"]
    if result.measured is not None:
        limit = check.tolerance
        allowed = "" if limit is None else f", at most {limit:g} allowed"
        lines[0] += f", measured {result.measured:.4g}{allowed}{unit}"
    lines += [result.message, f"What must hold: {check.statement}"]
    lines += [f"Source: {check.source}" if check.source else ""]
    return "\n".join(line for line in lines if line)


def _require_known(option: str, given: Sequence[str], known: Sequence[str]) -> None:
    """Raise at the first name that is none of the known ones."""
    for name in given:
        if name not in known:
            guesses = get_close_matches(name, known, n=1)
            hint = f"Did you mean '{guesses[0]}'? " if guesses else ""
            remedy = f"{hint}See: gnbbench conformance --list"
            raise OptionError(option, f"there is no check '{name}'", remedy)
