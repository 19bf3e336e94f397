"""Answers are read as offered, and failures count as answers."""

from copy import copy
from functools import partial
from typing import Any

import numpy as np
import pytest
from faults import planted
from faults.planted import LabelsOnly, PlainGNB

from gnbbench.diagnosis.acceptance import MANY_CUT, cut_of
from gnbbench.diagnosis.observations import (
    AS_AT_FIRST,
    Observation,
    _hang_on_rounding,
    observe,
)
from gnbbench.diagnosis.tables import softmax
from gnbbench.errors import ImplementationError
from gnbbench.implementations import Implementation

X = np.array([[0.0], [1.0], [5.0], [6.0], [2.0]])
Y = np.array(["a", "a", "b", "b", "a"])
SPLITS = [(np.arange(4), np.array([4, 0]))]


def observed(make: Any) -> Observation:
    return observe(Implementation("mine", make), X, Y, SPLITS, np.unique(Y))[0]


def test_labels_probabilities_and_parameters_are_read() -> None:
    observation = observed(PlainGNB)

    assert observation.labels.tolist() == [0, 0]
    assert observation.log_posterior is not None
    assert np.exp(observation.log_posterior).sum(axis=1) == pytest.approx(1.0)
    assert observation.parameters["theta"].tolist() == [[0.5], [5.5]]


def test_missing_answers_are_not_guessed() -> None:
    observation = observed(lambda: LabelsOnly(PlainGNB()))

    assert observation.log_posterior is None
    assert not observation.parameters


def test_an_implementation_cannot_change_the_samples() -> None:
    before = X.copy()
    observed(planted.ChangesItsInput)

    assert np.array_equal(X, before)


class ShiftedByAll(planted.ProbabilitiesOnly):  # type: ignore[misc]  # no types
    """Raises or shifts the probabilities of a row that is asked for alone."""

    def __init__(self, shift: Any) -> None:
        super().__init__(PlainGNB())
        self.shift = shift

    def predict_proba(self, X: Any) -> Any:
        shares = super().predict_proba(X)
        if len(X) > 1:
            return shares
        return shares[0] if self.shift is None else shares + self.shift


@pytest.mark.parametrize(
    ("shift", "text"),
    [
        (0.0, ""),
        (1e-12, ""),  # Another order of summation
        (0.1, "called one by one, it gives 2 of 2 rows other probabilities"),
        (np.nan, "called one by one, it gives 2 of 2 rows other probabilities"),
        ("0.1", "`predict_proba` raises "),
        (None, "`predict_proba` gives shape (2,) instead of (1, 2)"),
    ],
)
def test_probabilities_of_a_row_do_not_depend_on_the_others(shift: Any, text: str) -> None:
    found = observed(lambda: ShiftedByAll(shift))

    assert (found.alone or found.memory).startswith(text)
    assert [*map(bool, (found.memory, found.alone))] == ["other" in text, "`" in text]


def test_an_answer_of_another_shape_is_not_said_to_be_raised() -> None:
    """What is wrong with it is found where it is read as labels."""

    class Read(PlainGNB):  # type: ignore[misc]  # no types
        def predict(self, X: Any) -> Any:
            if len(X) == 1:
                what = "gave an answer of shape (3,) for 1 row"
                raise ImplementationError("`answer`", what, "Return one label per row.")
            return super().predict(X)

    assert observed(Read).alone == "`answer` gave an answer of shape (3,) for 1 row"


class CentresRowsAsked(PlainGNB):  # type: ignore[misc]  # no types
    """Labels rows by their first number less the mean of all rows asked for."""

    def predict(self, X: Any) -> Any:
        return self.classes_[(X[:, 0] > X[:, 0].mean()).astype(int)]


def test_labels_that_depend_on_the_rows_beside_are_told_from_other_memory() -> None:
    X = np.arange(120.0)[:, np.newaxis]
    X[1] = 1e6  # The second row to label, which is not asked for again
    split = [(np.arange(100, 120), np.arange(100))]
    codes = np.arange(120) % 2

    beside, forgets = (
        observe(Implementation("a", make), X, codes, split, np.arange(2))[0]
        for make in (CentresRowsAsked, planted.ForgetsWhilePredicting)
    )

    text = "called again with 40 of the rows in another order, it labels 20 of 40 rows "
    assert beside.memory == f"{text}differently{AS_AT_FIRST}"
    assert beside.beside
    assert forgets.memory
    assert not forgets.beside
    assert AS_AT_FIRST not in forgets.memory


class SmoothsByRowsAsked(PlainGNB):  # type: ignore[misc]  # no types
    """Adds a share of the variances of the rows asked for; a far row may be too much."""

    def __init__(self, most: float) -> None:
        super().__init__()
        self.most = most

    def predict(self, X: Any) -> Any:
        if X.max() > self.most:
            raise OverflowError
        smoothed = copy(self)
        smoothed.var_ = self.var_ + 1e-9 * X.var(axis=0).max()
        return PlainGNB.predict(smoothed, X)


def test_what_is_taken_from_all_rows_asked_shows_beside_a_far_one() -> None:
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], 70)
    X = rng.normal(size=(140, 1)) * np.where(codes, 1.0, 3.0)[:, np.newaxis]
    split = [(np.arange(0, 140, 2), np.arange(1, 140, 2))]

    beside, fails = (
        observe(
            Implementation("a", partial(SmoothsByRowsAsked, most)),
            X,
            codes,
            split,
            np.arange(2),
        )[0]
        for most in (np.inf, 1e3)
    )

    text = "called again beside a row 10,000,000 times as far from zero as any, it labels"
    assert beside.memory.startswith(text)
    assert "of 40 rows" in beside.memory
    assert beside.beside
    assert not fails.memory


class ByLastDigit(PlainGNB):  # type: ignore[misc]  # no types
    """Labels rows by a digit of their samples; a row alone, by the digit plus one."""

    def __init__(self, n_digits: int) -> None:
        self.digits = 10.0**n_digits

    def predict(self, X: Any) -> Any:
        digits = np.round(X[:, 0] * self.digits).astype(int) + (len(X) == 1)
        return self.classes_[digits % 2]


@pytest.mark.parametrize(("n_digits", "is_memory"), [(15, False), (2, True)])
def test_a_label_that_hangs_on_rounding_is_no_memory(
    n_digits: int, *, is_memory: bool
) -> None:
    """Sums of one row may be rounded otherwise, which changes no hundredths."""
    X = np.linspace(1.0, 8.0, 20)[:, np.newaxis]
    split = [(np.arange(10), np.arange(10, 20))]
    mine = Implementation("mine", lambda: ByLastDigit(n_digits))

    (seen,) = observe(mine, X, np.arange(20) % 2, split, np.arange(2))

    text = f"called one by one, it labels 10 of 10 rows differently{AS_AT_FIRST}"
    assert seen.memory == text * is_memory


@pytest.mark.parametrize(("n_moving", "hangs"), [(8, True), (4, True), (3, False)])
def test_answers_hang_on_rounding_if_half_of_them_move(
    n_moving: int, *, hangs: bool
) -> None:
    rows = np.arange(1.0, 9.0)[:, np.newaxis]

    def ask(X: Any) -> Any:
        digits = (X[:, 0] - rows[:, 0]) * 1e15
        return np.where(np.arange(len(X)) < n_moving, digits, 0.0)

    assert _hang_on_rounding(ask, rows, lambda one, other: one == other) == hangs


LOG, PROBA = "predict_log_proba", "predict_proba"
JOINT = "predict_joint_log_proba"


@pytest.mark.parametrize(
    ("tables", "text"),
    [
        (
            {LOG: lambda s: s},
            f"`{LOG}` is not normalised: the exponentials of its rows sum",
        ),
        ({PROBA: np.exp}, f"`{PROBA}` is not normalised: its rows sum to 0.25 to"),
        ({PROBA: lambda s: s}, f"`{PROBA}` gives numbers down to −3.0, which are not prob"),
        ({JOINT: lambda s: s}, ""),
        ({JOINT: lambda s: s, PROBA: softmax, LOG: lambda s: np.log(softmax(s))}, ""),
        ({LOG: lambda s: np.log(softmax(-s)), PROBA: softmax}, f"`{LOG}` does not give"),
        (
            {LOG: lambda s: s + np.inf, PROBA: softmax},
            f"`{LOG}` is infinite or NaN in 2 of",
        ),
        ({JOINT: lambda s: -s, PROBA: softmax}, f"`{JOINT}`, normalised, does not"),
        ({PROBA: lambda s: softmax(-s)}, "`predict` does not give the class with the larg"),
    ],
)
def test_each_table_is_judged_by_its_name(tables: dict[str, Any], text: str) -> None:
    scores = np.log([[0.3, 0.1], [0.2, 0.05]])

    def table(give: Any) -> Any:
        return lambda _self, _X: give(scores)

    methods = {name: table(give) for name, give in tables.items()}
    offers = type("Offers", (LabelsOnly,), methods)
    observation = observed(lambda: offers(PlainGNB()))

    faults = [
        *(observation.unnormalised or ())[:1],
        *(observation.contradiction or ())[:1],
        *filter(None, [observation.contrary]),
    ]
    assert [fault.startswith(text) for fault in faults] == [True] * bool(text)


@pytest.mark.parametrize(
    ("cut", "words"),
    [
        (lambda p: np.clip(p, 1e-4, 1 - 1e-4), "none is below 1.0 × 10⁻⁴"),
        (lambda p: p.round(3), "rounds probabilities to 3 decimals"),
        (
            lambda p: np.maximum(p / p.max(axis=1, keepdims=True), 1e-3),
            "none is below 0.0010 × the largest of its row",
        ),
    ],
)
def test_probabilities_that_were_cut_are_told_so(cut: Any, words: str) -> None:
    table = cut(np.random.default_rng(0).dirichlet(np.full(3, 0.1), size=200))

    if "rounds" not in words:
        table = table / table.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        found = cut_of(np.log(table))

    assert found is not None
    assert found.rows.sum() > MANY_CUT
    assert words in found.words.replace("\xa0", " ")


def test_unclipped_probabilities_have_one_smallest_value() -> None:
    table = np.random.default_rng(0).dirichlet(np.ones(3), size=200)

    found = cut_of(np.log(table))

    assert found is not None
    assert found.rows.sum() == 1 < MANY_CUT
    near_equal = 1.0 + np.random.default_rng(0).random((200, 36)) * 5.0
    assert cut_of(np.log(near_equal / near_equal.sum(axis=1, keepdims=True))) is None


def test_one_number_with_few_digits_is_not_rounding() -> None:
    """As of two classes that score the same in every row, or of one that is certain."""
    near_certain = np.linspace(1e-9, 1e-6, 200)
    for shares in (np.full(200, 0.5), near_certain):
        found = cut_of(np.log(np.stack([shares, 1.0 - shares], axis=1)))
        assert found is None or not found.decimals
