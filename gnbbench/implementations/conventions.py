"""Calling conventions of third-party code, inferred from names and signatures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

from gnbbench.implementations.roles import Roles
from gnbbench.words import listing

ONE_CALL = ("X_train", "y_train", "X")  # Of a function that learns and predicts
# Frames are of pandas; with "frames first" only the training data are in one, with "label
# first" as well, their labels in its first column, as in that of "first column", an array.
# Groups are a dictionary of the rows of each class, rows apart a list of them; numbered
# frames have columns 0, 1, 2.
Container = Literal[
    "arrays",
    "lists",
    "frames",
    "numbered",
    "frames first",
    "label first",
    "first column",
    "transposed",
    "columns",
    "pairs",
    "label pairs",
    "groups",
    "tuple",
    "dictionary",
    "apart",
]
FRAMED: list[Container] = ["frames", "numbered", "frames first", "label first"]
LABEL_FIRST = ("label first", "first column")
_SHAPES = {
    "columns": "columns, rows to label as rows",
    "pairs": "pairs of a row and its label",
    "label pairs": "pairs of a label and its row",
    "tuple": "a tuple of samples and labels",
    "dictionary": "a dictionary of 'X' and 'y'",
    "groups": "a dictionary of the rows of each class",
    "apart": "a list of the rows of each class",
}
# How labels are passed: unchanged, also to code that answers with their places, as 0, 1, 2,
# ..., as 1, 2, 3, ..., as -1 and 1, as text, or as a table of one or more columns.
LabelForm = Literal[
    "given",
    "places",
    "codes",
    "from one",
    "signs",
    "text",
    "answered as text",
    "column",
    "one-hot",
]


@dataclass(frozen=True)
class Convention:
    """How an implementation is called; the defaults are scikit-learn's convention.

    Roles name the arguments of a call: "X" and "y" to learn from or "X" to label; "data", a
    table of both with the label last; "X_train" and the like for code that learns and
    predicts in one call; "whole.name", the learned state, or "state.name", a part of it;
    "made.call", what an earlier call returned, or "made.call.0", a part of that.
    """

    fit: str = "fit"  # Method or function that learns; empty if there is none
    predict: str = "predict"
    made_of: Roles = ()  # Arguments of the constructor
    learns_from: Roles = ("X", "y")
    answers_from: Roles = ("X",)
    # Calls that come before the one that learns: a name and the roles of its arguments
    before: tuple[str, ...] = ()
    by_name: bool = False  # Whether arguments of a class can only be given by name
    container: Container = "arrays"
    label_form: LabelForm = "given"
    label_column: str = "label"  # Its name in a DataFrame
    one_by_one: bool = False  # Whether it is called row by row
    part: int | None = None  # The item of an answer that holds the labels
    # What it returns for a row: a label; "first" etc. of several values; scores by class
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
    own_labels: tuple[str, ...] = ()  # The only ones that it knows, where it fails
    # How three classes went, where two did: "fails" or "wrong"
    two_classes: str = ""
    fails: bool = False  # Whether it gave no labels in any manner
    only_features: int = 0  # The only number with which it works, if there is one

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """Rebuild a convention from the fields that another process sent."""
        values: Any = {n: tuple(v) if isinstance(v, list) else v for n, v in plain.items()}
        return cls(**values)

    @property
    def has_codes(self) -> bool:
        """Whether its classes are numbers from `first_code` on."""
        return self.label_form in {"codes", "from one", "signs", "one-hot"}

    @property
    def codes(self) -> range:
        """The numbers of its classes, as many as there are."""
        if self.label_form == "signs":
            return range(-1, 3, 2)
        return range(int(self.label_form == "from one"), 10**6)

    @property
    def is_plain(self) -> bool:
        """Whether it is scikit-learn's convention."""
        tables = (self.probabilities, self.log_probabilities)
        is_usual = set(tables) <= {"", "predict_proba", "predict_log_proba"}
        is_usual = is_usual and self.table_columns != "named"
        return is_usual and self.called_alike == PLAIN

    @property
    def called_alike(self) -> Self:
        """The same call, without its other answers."""
        return replace(
            self,
            probabilities="",
            log_probabilities="",
            tables_one_by_one=False,
            table_columns="sorted",
            label_column="label",
            contradictions=(),
            unnormalised=(),
            not_judged=(),
            two_classes="",
            fails=False,
        )

    @property
    def learners(self) -> list[str]:
        """The names of the calls that learn, in turn."""
        return [*(call.split()[0] for call in self.before), *filter(None, [self.fit])]

    @property
    def called(self) -> tuple[str, ...]:
        """The names of all calls."""
        asked = (self.predict, self.probabilities, self.log_probabilities)
        return (*self.learners, *filter(None, asked))

    @property
    def path(self) -> str:
        """How the functions that it calls are named on a command line."""
        return "+".join(self.learners if self.returned else [*self.learners, self.predict])

    @property
    def adaptations(self) -> tuple[str, ...]:
        """The differences from scikit-learn's convention, a short sentence each."""
        ask, learns = f"`{self.predict}`", self.learns_from
        several = [f"`{name}`" for name in self.learners]
        is_odd = bool({"data", "n_classes", "n_features"} & {*learns})
        is_odd = bool(self.fit) and (is_odd or learns[:2] == ("y", "X"))
        is_odd = is_odd and self.container not in _SHAPES
        special = set(_ROLES) - ({"X"} if self.fit else {"X", *ONE_CALL})
        besides = [role for role in self.answers_from if role in special]
        scored, is_yielded = self.answer == "score", self.answer == "yielded"
        is_framed, is_first = self.container in FRAMED, self.container in LABEL_FIRST
        is_named = is_framed and self.label_column != "label"
        validates = self.fit and not {"X_train", "y_train"}.isdisjoint(learns)
        tables = [self.probabilities, self.log_probabilities]
        tables = [name for name in tables if name not in {"", *TABLES, self.predict}]
        first, second, *more = self.codes[:3]
        codes = f"{first}, {second}, {more[0]}, …" if more else f"{first} and {second}"
        if self.two_classes:
            codes = f"{first} and {second}"
        upward = {-1: "; y = 2 * y - 1", 0: "", 1: "; y += 1"}[first]
        is_numbered = self.has_codes and self.label_form != "one-hot" and not self.fails
        place, is_item = ORDINALS[self.part or 0], self.answer in ORDINALS
        given = f"`{self.fit}` was given" if self.fit else "training data were given as"
        sentences = {
            f"{listing(several)} were called in turn to fit": self.before,
            f"`{self.fit}` was called to fit": not self.before
            and self.fit not in ("", "fit"),
            "arguments were given by name": self.by_name,
            f"{ask} was called to predict": (self.fit or self.made_of)
            and not self.returned
            and self.predict != "predict",
            f"what `{self.fit}` returns was called to predict": self.returned,
            f"{ask} was called to fit and predict": not self.fit
            and not self.made_of
            and self.predict != "fit_predict",
            f"the constructor was given {_listed(self.made_of)}": self.made_of,
            f"`{self.fit}` was given {_listed(learns)}": is_odd,
            f"`{self.fit}` was given nothing more": self.fit
            and not (learns or self.before),
            f"{ask} was also given {_listed(besides)}": besides and self.fit,
            f"{ask} was given {_listed(besides)}": besides and not self.fit,
            "data were given as lists of rows": self.container == "lists",
            f"training data were given as {_SHAPES.get(self.container)}": (
                self.container in _SHAPES
            ),
            "data were given as pandas DataFrames": self.container == "frames",
            "data were given as pandas DataFrames with the columns 0, 1, 2, …": (
                self.container == "numbered"
            ),
            f"{given} pandas DataFrames": self.container in FRAMED[2:],
            f"the column of the labels was called '{self.label_column}'": is_named,
            "samples were given as columns": self.container == "transposed",
            f"`{self.fit}` was also given the training rows to validate with": validates,
            f"labels were encoded as {codes} and its answers decoded": self.has_codes,
            "its answers 0, 1, 2, … were taken for places in the sorted labels; to return "
            "labels, keep `classes = np.unique(y)` in fit and return `classes[answer]`": (
                self.label_form == "places"
            ),
            f"labels must be {codes} for it to work; to take others, let it number them "
            f"with `classes, y = np.unique(y, return_inverse=True){upward}`": is_numbered,
            "on synthetic data it runs with two classes, but fails with three": (
                self.two_classes == "fails"
            ),
            "on synthetic data it labels two classes right, but not three": (
                self.two_classes == "wrong"
            ),
            "labels were given as text": self.label_form == "text",
            "its answers were taken for the labels of which they are the text; to return "
            "those, return elements of `np.unique(y)`": self.label_form
            == "answered as text",
            "labels were given as a column of a table": self.label_form == "column",
            "labels were given one-hot, a column per class": self.label_form == "one-hot",
            f"{ask} was called row by row, which makes it slow": self.one_by_one,
            f"the {place} of the tuple that {ask} gave was taken": self.part is not None,
            f"the class with the largest of the scores that {ask} gave was taken": scored,
            f"the {self.answer} of the values that {ask} gives a row was taken": is_item,
            f"what {ask} gave was taken for the probability of the second class": (
                self.answer == "chance"
            ),
            f"what {ask} yields was collected": is_yielded,
            f"its labels were read from `{self.kept}`, as {ask} returns nothing": self.kept,
            f"{listing([f'`{name}`' for name in tables])} gave probabilities": tables,
        }
        told = (sentence for sentence, applies in sentences.items() if applies)
        end = "first" if is_first else "last"
        return tuple(
            text.replace("in the last column", f"in the {end} column") for text in told
        )


PLAIN = Convention()
TABLES = ("predict_proba", "predict_log_proba")
ORDINALS = ("first", "second", "third", "fourth", "fifth")
_ROLES = {
    "X": "the samples",
    "y": "their labels",
    "data": "one table with the label in the last column",
    "X_train": "the training samples",
    "y_train": "their labels",
    "classes": "the list of labels",
    "n_classes": "the number of classes",
    "n_features": "the number of features",
    "own_name": "a name",
    "label_name": "the name of the label column",
    "feature_names": "the names of the feature columns",
    "y_asked": "placeholder labels",
    "place": "the number of a row, each in turn",
    "X_labelled": "a last column of labels that are not the true ones",
}


def _listed(roles: Sequence[str]) -> str:
    return listing([_ROLES.get(role, role) for role in roles])
