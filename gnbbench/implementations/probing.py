"""Which convention code follows: each is tried on a few samples, until one answers."""

import contextlib
import io
import random
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from operator import attrgetter
from typing import Any

import numpy as np

from gnbbench.implementations.attempts import (
    ENOUGH,
    FAILED,
    FITTED,
    Attempt,
    Data,
    Example,
    attempted,
    examples,
)
from gnbbench.implementations.conventions import Container, Convention, LabelForm
from gnbbench.implementations.opinions import with_further_answers

# In which manners code is called, the plainest first.
_USUAL: list[LabelForm] = ["given", "codes"]
_TABLES: list[LabelForm] = ["column", "one-hot"]
_CONTAINERS: list[Container] = ["arrays", "lists", "frames"]
Manner = tuple[LabelForm, Container, bool]
USUAL: list[Manner] = [
    (form, container, one_by_one)
    for container, form, one_by_one in product(_CONTAINERS, _USUAL, (False, True))
]
# These are for what cannot be fitted in any of those, or to frames alone.
UNUSUAL: list[Manner] = [
    *product(_TABLES, _CONTAINERS[::2], (False, True)),
    *(("given", "frames first", one_by_one) for one_by_one in (False, True)),
    ("given", "transposed", False),
]


def found_convention(
    make: Callable[..., Any], conventions: Sequence[Convention], data: Data = None
) -> Convention:
    """Return the first convention under which the code gives labels, or gets furthest.

    Under a plain one nothing is adapted. One that gets the labels of samples far apart
    wrong stands back behind one that gets them right, but only behind another way to call
    the same function: labels that its author gives are judged, right or wrong.
    """
    attempts = [Attempt(FAILED, (), conventions[0])]
    with _undisturbed():
        for example in examples(data):
            for name in dict.fromkeys(how.predict for how in conventions):
                ways = [how for how in conventions if how.predict == name]
                attempt = _furthest(make, ways, USUAL, example)
                if attempt.reached == FAILED or (
                    attempt.reached == FITTED and attempt.how.container == "frames"
                ):
                    unusual = _furthest(make, ways, UNUSUAL, example)
                    # What takes rows for columns may answer, though never rightly.
                    if unusual.how.container != "transposed" or unusual.reached >= ENOUGH:
                        attempt = max(attempt, unusual, key=attrgetter("progress"))
                if attempt.reached >= 0.0:
                    return with_further_answers(make, attempt.how, example)
                attempts.append(attempt)
    return max(attempts, key=attrgetter("progress")).how


def _furthest(
    make: Callable[..., Any],
    conventions: Sequence[Convention],
    manners: Sequence[Manner],
    example: Example,
) -> Attempt:
    """Return the first attempt that gets labels right, or the one that gets furthest."""
    furthest = Attempt(FAILED, (), conventions[0])
    for how, (form, container, one_by_one) in product(conventions, manners):
        tried = replace(how, label_form=form, container=container, one_by_one=one_by_one)
        attempt = attempted(make, tried, example)
        if attempt.reached >= ENOUGH:
            return attempt
        if attempt.progress > furthest.progress:
            furthest = attempt
    return furthest


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Let code of others print and draw at random without anybody noticing."""
    states = random.getstate(), np.random.get_state()  # noqa: NPY002  others' own
    with (
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        try:
            yield
        finally:
            random.setstate(states[0])
            np.random.set_state(states[1])  # noqa: NPY002
