"""Calling conventions of third-party code, inferred from names and signatures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, get_args

from gnbbench.files import toml_beside
from gnbbench.implementations.roles import Roles
from gnbbench.words import listing

_FIRST = "feature.0"
ONE_CALL = ("X_train", "y_train", "X")  # Of a function that learns and predicts
# Frames are of pandas; with "frames first" only the training data are in one, with "label
# first" as well, their labels in its first column, as in that of "first column", an array.
# Groups are a dictionary of the rows of each class, rows apart a list of them, records a
# dictionary for each row; numbered frames have columns 0, 1, 2, with "numbered first" for
# training alone.
_Framed = Literal["frames", "numbered", "frames first", "numbered first", "label first"]
_Shaped = Literal["columns", "pairs", "label pairs", "tuple", "dictionary", "records"]
_Apart = Literal["groups", "apart"]
_Plain = Literal["arrays", "lists", "first column", "transposed"]
Container = Literal[_Plain, _Framed, _Shaped, _Apart]
FRAMED: list[Container] = [*get_args(_Framed)]
LABEL_FIRST = ("label first", "first column")
_SHAPES = {*get_args(_Shaped), *get_args(_Apart)}
# How labels are passed: unchanged, also to code that answers with their places, as 0, 1, 2,
# ..., as 1, 2, 3, ..., as -1 and 1, as text, as a table of one or more columns, as the
# labels that the code names itself, or as 0, 1, 2, ... where it answers with such names.
_Coded = Literal["codes", "from one", "column from one", "signs", "one-hot"]
_Named = Literal["text", "answered as text", "own", "names"]
LabelForm = Literal[_Coded, _Named, "given", "places", "column"]


@dataclass(frozen=True)
class Convention:
    """How an implementation is called; the defaults are scikit-learn's convention.

    Roles name the arguments of a call: "X" and "y" to learn from or "X" to label; "data", a
    table of both with the label last; "feature.0" and the like for one column of samples;
    "X_train" and the like for code that learns and predicts in one call; "whole.name", the
    learned state, or "state.name", a part of it; "made.call", what an earlier call
    returned, or "made.call.0", a part of that.
    """

    fit: str = "fit"  # Method or function that learns; empty if there is none
    predict: str = "predict"
    made_of: Roles = ()  # Arguments of the constructor
    learns_from: Roles = ("X", "y")
    answers_from: Roles = ("X",)
    # Calls that come before the one that learns: a name and the roles of its arguments
    before: tuple[str, ...] = ()
    of_script: tuple[str, ...] = ()  # Its names for training data, each with its role
    by_name: bool = False  # Whether arguments of a class can only be given by name
    container: Container = "arrays"
    label_form: LabelForm = "given"
    label_column: str = "label"  # Its name in a DataFrame
    feature_columns: tuple[str, ...] = ()  # Those that the code names; by default any
    one_by_one: bool = False  # Whether it is called row by row
    part: int | None = None  # The item of an answer that holds the labels
    # What it returns for a row: a label, also in a "column"; "first" etc. of several;
    # scores by class, or a "mark" of one; a "chance" of the second class, or that as the
    # first of several; log-"odds" of the second class
    answer: str = "label"
    kept: str = ""  # The attribute that holds its answer, if it returns none
    columns: str = "sorted"  # Order of the classes in a list of scores
    # Methods or functions that return tables of probabilities and of their logarithms, and
    # whether they are called row by row
    probabilities: str = ""
    log_probabilities: str = ""
    tables_one_by_one: bool = False
    table_columns: str = "sorted"  # Order of the classes in them; "named" in dictionaries
    returned: tuple[str, ...] = ()  # Functions that learning gives back, which answer
    # How other functions contradict `predict`, a sentence each
    contradictions: tuple[str, ...] = ()
    # Tables of probabilities whose rows do not sum to 1, with a clause on each
    unnormalised: tuple[tuple[str, str], ...] = ()
    not_judged: tuple[str, ...] = ()  # Other predictors, which could not be called
    own_labels: tuple[Any, ...] = ()  # The only ones that it knows, in order
    # How three classes went, where two did: "fails" or "wrong"
    two_classes: str = ""
    labels_as: str = ""  # What integer labels are where it returns them, if not integers
    fails: float = 0.0  # How it failed in every manner, if it gave no labels in any
    # The only numbers of features and classes with which it works, if there are any
    only_features: int = 0
    only_classes: int = 0

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """Rebuild a convention from the fields that another process sent."""
        values: Any = {n: tuple(v) if isinstance(v, list) else v for n, v in plain.items()}
        return cls(**values)

    @property
    def has_codes(self) -> bool:
        """Whether its classes are numbers from `first_code` on."""
        return self.label_form in get_args(_Coded)

    @property
    def plainly_given(self) -> Self:
        """The same call of data in the plainest manner."""
        fields = ("container", "label_form", "label_column", "one_by_one", "part", "answer")
        plain: dict[str, Any] = {name: getattr(PLAIN, name) for name in fields}
        return replace(self, **plain)

    @property
    def limits(self) -> tuple[int, int]:
        """The only numbers of features and classes with which it works; 0 for any."""
        return self.only_features, self.only_classes

    @property
    def is_binary(self) -> bool:
        """Whether it works with two classes alone."""
        return bool(self.two_classes) or self.only_classes == 2

    @property
    def is_in_table(self) -> bool:
        """Whether its labels are in a table of one column."""
        return self.label_form in {"column", "column from one"}

    @property
    def codes(self) -> range:
        """The numbers of its classes, as many as there are."""
        if self.label_form == "signs":
            return range(-1, 3, 2)
        return range(int(self.label_form.endswith("from one")), 10**6)

    @property
    def is_plain(self) -> bool:
        """Whether it is scikit-learn's convention."""
        is_usual = {*self.tables.values()} <= {"", *TABLES}
        is_usual = is_usual and self.table_columns != "named"
        return is_usual and self.called_alike == PLAIN

    @property
    def called_alike(self) -> Self:
        """The same call, without its other answers."""
        plain: dict[str, Any] = {name: getattr(PLAIN, name) for name in _ASIDE}
        return replace(self, **plain)

    @property
    def tables(self) -> dict[str, str]:
        """Its functions that return tables of probabilities, by scikit-learn's names."""
        names = self.probabilities, self.log_probabilities
        return dict(zip(TABLES, names, strict=True))

    @property
    def takes_tables(self) -> bool:
        """Whether it is given tables with their labels."""
        return "data" in {*self.made_of, *self.learns_from, *self.answers_from}

    @property
    def learners(self) -> list[str]:
        """The names of the calls that learn, in turn."""
        return [*(call.split()[0] for call in self.before), *filter(None, [self.fit])]

    @property
    def called(self) -> tuple[str, ...]:
        """The names of all calls."""
        return (*self.learners, *filter(None, (self.predict, *self.tables.values())))

    @property
    def path(self) -> str:
        """How the functions that it calls are named on a command line."""
        return "+".join(self.learners if self.returned else [*self.learners, self.predict])

    @property
    def adaptations(self) -> tuple[str, ...]:
        """The differences from scikit-learn's convention, a short sentence each."""
        fit, ask = self.fit, self.predict
        aside = ("made.", "feature.")
        learns = [role for role in self.learns_from if not role.startswith(aside)]
        is_odd = bool({*learns} - {"X", "y", "X_train", "y_train"})
        is_odd = is_odd or learns[:2] == ["y", "X"]
        is_odd = is_odd and self.container not in _SHAPES
        bound = dict(name.split() for name in self.of_script if " made." not in name)
        given = {n for n, role in bound.items() if role in {"data", "X", "y"}}
        special = set(_ROLES) - ({"X"} if fit else {"X", *ONE_CALL})
        besides = [role for role in self.answers_from if role in special]
        counting = [call for call in self.before if " n_features" in call]
        tables = [n for n in self.tables.values() if n not in {"", *TABLES, ask}]
        first, second, *more = self.codes[: 2 if self.is_binary else 3]
        numbers = f"{first}, {second}, {more[0]}, …" if more else f"{first} and {second}"
        needs_codes = self.label_form != "one-hot" and not self.fails
        end = "first" if self.container in LABEL_FIRST else "last"
        is_named = self.container in FRAMED and self.label_column != "label"
        own_list = listing([*map(repr, self.own_labels)])
        # A sentence is told if the field of its name holds.
        fields = {
            "fit": f"`{fit}`",
            "predict": f"`{ask}`",
            "given": f"`{fit}` was given" if fit else "training data were given as",
            "numbers": numbers,
            "upward": {-1: "; y = 2 * y - 1", 0: "", 1: "; y += 1"}[first],
            "of_script": listing([name for name in bound if name in given]),
            "set_in_script": listing([name for name in bound if name not in given]),
            "steps": self.before and listing([f"`{name}`" for name in self.learners]),
            "counting": listing([f"`{n.split()[0]}`" for n in counting]),
            "learner": not self.before and fit not in ("", "fit"),
            "by_name": self.by_name,
            "predictor": (fit or self.made_of) and not self.returned and ask != "predict",
            "returned": self.returned,
            "one_call": not fit and not self.made_of and ask != "fit_predict",
            "made_of": _listed(self.made_of, end),
            "learned_from": fit and is_odd and _listed(learns, end),
            "nothing_more": fit and not (learns or self.before),
            "also_asked": fit and _listed(besides, end),
            "asked": not fit and _listed(besides, end),
            "label_column": is_named and self.label_column,
            "feature_columns": self.feature_columns
            and listing([f"'{name}'" for name in self.feature_columns]),
            "by_feature": listing([f"`{name}`" for name in self.by_feature]),
            "own_list": own_list,
            "own": self.label_form == "own" and own_list,
            "names": self.label_form == "names",
            "validation": fit and not {"X_train", "y_train"}.isdisjoint(learns),
            "codes": self.has_codes,
            "needs_codes": self.has_codes and needs_codes,
            "row_by_row": self.one_by_one,
            "part": "" if self.part is None else _ordinal(self.part),
            "value": self.answer in ORDINALS and self.answer,
            "kept": self.kept,
            "tables": listing([f"`{name}`" for name in tables]),
        }
        for name in ("container", "label_form", "two_classes", "answer", "labels_as"):
            fields[f"{name} {getattr(self, name)}"] = True
        if self.is_in_table:
            fields["label_form column"] = True
        if self.container == "transposed":  # So are columns of labels
            form = "column" if self.is_in_table else self.label_form
            fields[f"{form} turned"] = fields.pop(f"label_form {form}")
        return tuple(text.format(**fields) for n, text in _TOLD.items() if fields.get(n))

    @property
    def by_feature(self) -> list[str]:
        """The names of the calls that take each feature as an argument."""
        calls = {self.fit: self.learns_from, self.predict: self.answers_from}
        return [name for name, roles in calls.items() if _FIRST in roles]


# Instead of a share of labels: fit failed, predict failed, or the answer has no labels.
FAILED, FITTED, ANSWERED = -3.0, -2.0, -1.0
PLAIN = Convention()
TABLES = ("predict_proba", "predict_log_proba")
_ASIDE = (  # Fields that do not say how the labels are had
    *("probabilities", "log_probabilities", "tables_one_by_one", "table_columns", "fails"),
    *("label_column", "contradictions", "unnormalised", "not_judged", "two_classes"),
    "labels_as",
)
CHANCES = ("chance", "first chance", "odds")
ORDINALS = ("first", "second", "third", "fourth", "last")  # Of five values or more
_WORDS = toml_beside(__file__, "manners.toml")
_ROLES: dict[str, str] = _WORDS["roles"]
_TOLD: dict[str, str] = _WORDS["told"]


def _ordinal(place: int) -> str:
    """Return which of several a place is, in words or as 5th, 6th, …."""
    return (*ORDINALS[:-1], f"{place + 1}th")[min(place, len(ORDINALS) - 1)]


def _listed(roles: Sequence[str], end: str) -> str:
    """Return the arguments in words; labels stand in the first or last column."""
    return listing([_ROLES.get(role, role).replace("{end}", end) for role in roles])
