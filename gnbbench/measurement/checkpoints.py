"""The state of the passes over a stream, saved as bytes every few seconds.

Numbers, strings and arrays are saved exactly, and reading them runs no code.
"""

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from gnbbench.measurement.stream_models import SmoothingTrace
from gnbbench.measurement.tallies import (
    FeatureRanges,
    LabelTally,
    Mean,
    PairTally,
    TestTally,
)
from gnbbench.processes.messages import packed, unpacked

SAVE_SECONDS = 5.0
# Saving takes at most the inverse of this share of a pass.
SAVE_SHARE = 100
KEPT_WHOLE = {
    kind.__name__: kind
    for kind in (FeatureRanges, LabelTally, Mean, PairTally, SmoothingTrace, TestTally)
}


class Checkpoint:
    """The last saved state of the passes, with a function that saves the next one."""

    def __init__(
        self,
        saved: bytes = b"",
        write: Callable[[bytes], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Without `write` nothing is ever saved."""
        self._write, self._clock = write, clock
        self._state = _rebuilt(unpacked(bytearray(saved))) if saved else {}
        self._due = clock() + SAVE_SECONDS
        self.n_rows = self._state.get("n_rows", 0)  # Rows of the current pass, as saved

    def take(self) -> dict[str, Any]:
        """Return the state that an earlier process saved, and forget it."""
        state, self._state = self._state, {}
        return state

    def save(self, state: Callable[[], dict[str, Any]], *, at_once: bool = False) -> None:
        """Save a state if one is due."""
        begin = self._clock()
        if self._write is None or (begin < self._due and not at_once):
            return
        now = state()
        self._write(b"".join(packed(_plain(now))))
        self.n_rows = now["n_rows"]
        end = self._clock()
        self._due = end + max(SAVE_SECONDS, SAVE_SHARE * (end - begin))


def _plain(value: Any) -> Any:
    """Convert a value for a message: objects and mappings become named lists."""
    kind = type(value).__name__
    if isinstance(value, dict):
        items = [[_plain(key), _plain(item)] for key, item in value.items()]
        return {"Counter" if isinstance(value, Counter) else "dict": items}
    if kind in KEPT_WHOLE:
        names = getattr(value, "__slots__", None) or vars(value)
        return {kind: _plain({name: getattr(value, name) for name in names})}
    if isinstance(value, tuple):
        return {"tuple": [_plain(item) for item in value]}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _rebuilt(tree: Any) -> Any:
    """Rebuild a value from the result of `_plain`."""
    if isinstance(tree, list):
        return [_rebuilt(item) for item in tree]
    if not isinstance(tree, dict):
        return tree[()] if isinstance(tree, np.ndarray) and not tree.ndim else tree
    ((kind, content),) = tree.items()
    if kind in KEPT_WHOLE:
        instance = object.__new__(KEPT_WHOLE[kind])
        for name, value in _rebuilt(content).items():
            setattr(instance, name, value)
        return instance
    items = _rebuilt(content)
    if kind == "tuple":
        return tuple(items)
    return Counter(dict(items)) if kind == "Counter" else dict(items)
