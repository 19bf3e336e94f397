"""How a budget of time is shared by axes and implementations, and what a point costs."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gnbbench.measurement.rounds import SHORTEST_NANOSECONDS, williams_design

# Parts of the whole budget; the rest is for first looks and starting processes.
TIMING_SHARE = 0.65
MEMORY_SHARE = 0.2
USUAL_ROUNDS = 20
FEWEST_ROUNDS = 4
# Calls before the rounds: cold, two to find the inner count, one to fit a model.
_CALLS_BEFORE = 4
# Speed at which one read of X is expected, for the inner count alone.
_READ_BYTES_PER_SECOND = 1e10
_SHORTEST_CALL = 1e-6


@dataclass(frozen=True)
class Visit:
    """What one process does at one point."""

    rounds: int  # Whole blocks of a balanced design
    # Implementation -> what it is expected to take, all calls together
    seconds: dict[str, float]


def visit(
    call_seconds: Mapping[str, float],
    reference: str,
    *,
    x_bytes: int,
    allowance: float,
    fewest: int = FEWEST_ROUNDS,
    further_seconds: float = 0.0,
) -> Visit:
    """Return how many rounds a visit has, and what it costs.

    Twenty rounds where they fit into the allowance; else as many whole blocks as do, and
    the fewest rounds at least.
    """
    block = len(williams_design(len(call_seconds) + 1 + (reference in call_seconds)))
    inner = _inner_count(call_seconds, x_bytes)
    calls = {name: 1 + (name == reference) for name in call_seconds}
    a_round = sum(
        calls[name] * (1 + inner) * seconds for name, seconds in call_seconds.items()
    )
    least, most = (math.ceil(rounds / block) for rounds in (fewest, USUAL_ROUNDS))
    rounds = block * min(max(int(allowance / (a_round * block)), least), most)
    each = further_seconds / len(call_seconds)
    return Visit(
        rounds,
        {
            name: seconds * (_CALLS_BEFORE + calls[name] * rounds * (1 + inner)) + each
            for name, seconds in call_seconds.items()
        },
    )


def _inner_count(call_seconds: Mapping[str, float], x_bytes: int) -> int:
    """Return the expected number of calls in one timing."""
    read = _SHORTEST_CALL + x_bytes / _READ_BYTES_PER_SECOND
    # Two operations make up a time.
    fastest = min(read, *(seconds / 2 for seconds in call_seconds.values()))
    ratio = SHORTEST_NANOSECONDS / 1e9 / max(fastest, _SHORTEST_CALL)
    return 1 << max(math.ceil(math.log2(ratio)), 0)


def fair_shares(needs: Mapping[str, float], budget: float) -> dict[str, float]:
    """Return equal shares, but that what one does not need goes to those that need more."""
    shares: dict[str, float] = {}
    left = budget
    ordered = sorted(needs, key=lambda name: needs[name])
    for place, name in enumerate(ordered):
        others = len(ordered) - place
        is_last = others == 1
        shares[name] = left if is_last else min(max(needs[name], 0.0), left / others)
        left -= shares[name]
    return {name: shares[name] for name in needs}


def grown(seconds: Mapping[str, float], last: int, size: int) -> dict[str, float]:
    """Return the times expected at another size: they grow no faster than the size."""
    return {name: one * size / last for name, one in seconds.items()}


def affordable(costs: Sequence[Mapping[str, float]], budget: float) -> dict[str, bool]:
    """Return who can pay for the next point out of its share of what is left."""
    following = costs[0]
    needs = {name: sum(one.get(name, 0.0) for one in costs) for name in following}
    shares = fair_shares(needs, budget)
    return {name: following[name] <= shares[name] for name in following}
