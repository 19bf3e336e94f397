"""Among the changes proposed for code as people write it is one after which it agrees."""

import difflib
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB

from gnbbench.diagnosis.edits import difference
from gnbbench.diagnosis.findings import Cause
from gnbbench.diagnosis.moves import hard_datasets
from gnbbench.diagnosis.patches import proposals
from gnbbench.diagnosis.source_lines import lines_of
from gnbbench.diagnosis.variants import WORDS
from gnbbench.implementations import implementation
from gnbbench.splits import split

PEOPLE = Path(__file__).parents[1] / "faults" / "people"
ROWS = tomllib.loads((PEOPLE / "persons.toml").read_text(encoding="utf-8"))
FORMULAS = {
    name: row["formula"]
    for rows in ROWS.values()
    for name, row in rows.items()
    if "formula" in row
}
PATCHED = (
    *("log_of_pdf", "share_of_all_variance", "fit_returns_accuracy"),
    *("fit_returns_parameters", "labels_and_probabilities", "frame_of_densities"),
    *("wants_frames", "wants_lists", "answers_with_places"),
    *("labels_as_text", "label_and_confidence", "two_functions", "one_function"),
    *("globals", "script_at_the_end", "fit_says_done"),
)
NP = "import numpy as np\n\n\n"
ENDINGS = {
    title: source
    for block in (PEOPLE / "endings_to_patch.txt")
    .read_text(encoding="utf-8")
    .split("### ")[1:]
    for title, source in [block.split("\n", 1)]
}
FIT, LOOP = ENDINGS["fit"], ENDINGS["loop"]
# Source with one fault -> the cause that it has.
PLANTED = {
    "precision": (
        NP + FIT.format(cast=".astype(np.float32)") + LOOP.format(start="-np.inf"),
        None,
    ),
    "constant": (NP + FIT.format(cast="") + LOOP.format(start="0"), None),
    "probabilities": (
        NP + FIT.format(cast='.astype("f4")') + LOOP.format(start="-np.inf"),
        None,
    ),
}
# Line of a right class -> what is written there instead, the cause, and its estimate.
SPREADS = "self.var = np.array([X[y == c].var(axis=0) + eps for c in self.classes_])"
PRIORS = "self.prior = np.array([np.mean(y == c) for c in self.classes_])"
UNIFORM, MULTIPLIED = WORDS["prior"]["uniform"], WORDS["space"]["product"]
REWRITTEN = [
    tuple(row.values())
    for row in tomllib.loads((PEOPLE / "rewritten.toml").read_text("utf-8"))["rewritten"]
]


@pytest.mark.slow
@pytest.mark.parametrize(("line", "other", "rest"), REWRITTEN)
def test_what_is_added_is_brought_to_where_it_is_missing(
    line: str, other: str, rest: str, tmp_path: Path
) -> None:
    right = NP + FIT.format(cast="") + LOOP.format(start="-np.inf")
    text = right.replace(line, other) + rest
    cause = Cause("no-smoothing", 1, None, "")
    if line != SPREADS:
        cause = Cause("prior", 1, UNIFORM, "")
    elif "0.01" in text:
        cause = Cause("smoothing-rule", 1, 0.01, "", interval=(0.009, 0.011))
    elif "0.1" in text:
        cause = Cause("smoothing-rule", 1, 0.01, "", interval=(0.01, 0.01), kind="floor")

    assert agrees(right, tmp_path)
    assert not agrees(text, tmp_path)
    assert any(agrees(changed, tmp_path) for changed in proposals([cause], text, "GNB"))


@pytest.mark.parametrize(
    "best",
    [
        "np.argmax(scores, axis=1)",
        "scores.argmax(axis=1)",
        "np.argmax([s for s in scores.T], axis=0)",
    ],
)
def test_absent_priors_are_added_where_the_largest_score_is_taken(
    best: str, tmp_path: Path
) -> None:
    right = NP + FIT.format(cast="").replace("np.log(self.prior)", "0.0")
    right = right.replace("sum(1)", "sum(axis=-1)").replace("(x - ", "(x[:, None] - ")
    predict = "    def predict(self, X):\n        scores = self.scores(X)\n"
    text = f"{right}\n{predict}        return self.classes_[{best}]\n"
    cause = Cause("prior", 1, UNIFORM, "")

    assert not agrees(text, tmp_path)
    assert any(agrees(changed, tmp_path) for changed in proposals([cause], text, "GNB"))


@pytest.mark.parametrize(
    "loop",
    [
        "s = [{score} for c in range(3)]\n",
        "s = []\n            for c in range(3):\n                s.append({score})\n",
        "s = {{}}\n            for c in range(3):\n                s[c] = {score}\n"
        "            s = [*s.values()]\n",
    ],
)
def test_absent_priors_are_added_to_the_scores_that_a_loop_collects(
    loop: str, tmp_path: Path
) -> None:
    score = "-0.5 * (np.log(self.var[c]) + (x - self.mean[c]) ** 2 / self.var[c]).sum()"
    text = NP + FIT.format(cast="").partition("    def scores")[0].replace(PRIORS, "")
    text += f"""
    def predict(self, X):
        answers = []
        for x in X:
            {loop.format(score=score)}
            answers.append(self.classes_[np.argmax(s)])
        return np.array(answers)
"""
    (tmp_path / "gnb.py").write_text(text)
    (changed, *_) = proposals([Cause("prior", 1, UNIFORM, "")], text, "GNB")

    X, y = load_breast_cancer(return_X_y=True)
    y = np.where(y == 0, 2, (X[:, 0] > 13).astype(int))
    (tmp_path / "gnb.py").write_text(changed)
    model = implementation(str(tmp_path / "gnb.py")).make().fit(X, y)
    assert np.array_equal(model.predict(X), GaussianNB().fit(X, y).predict(X))


def test_shares_are_counted_without_numpy() -> None:
    text = "class A:\n    def fit(self, X, y):\n        for c in set(y):\n"
    text += "            self.prior[c] = 1 / len(set(y))\n"

    (changed,) = proposals([Cause("prior", 1, UNIFORM, "")], text, "A")

    assert "self.prior[c] = list(y).count(c) / len(y)" in changed


def test_a_prior_without_its_logarithm_gets_it(tmp_path: Path) -> None:
    right = NP + FIT.format(cast="") + LOOP.format(start="-np.inf")
    text = right.replace("np.log(self.prior)", "self.prior")
    cause = Cause("prior", 1, WORDS["prior"]["not logged"], "")

    assert not agrees(text, tmp_path)
    assert agrees(next(proposals([cause], text, "GNB")), tmp_path)


def test_an_amount_in_the_density_goes_when_variances_are_smoothed(tmp_path: Path) -> None:
    text = NP + FIT.format(cast="") + LOOP.format(start="-np.inf")
    text = text.replace(" + eps for", " for")
    text = text.replace("** 2 / self.var", "** 2 / (self.var + 1e-6)")
    cause = Cause("smoothing-rule", 1, 1e-6, "", interval=(9e-7, 1.1e-6))

    first = next(new for new in proposals([cause], text, "GNB") if agrees(new, tmp_path))
    assert "1e-6" not in first


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("ending", "is_mended"),
    [
        ("at once", 1),
        ("in place", 1),
        ("reduced", 1),
        ("reduced at once", 1),
        ("one by one", 0),
    ],
)
def test_log_densities_of_scipy_are_added(
    ending: str, is_mended: bool, tmp_path: Path
) -> None:
    cause = Cause("underflow", 1, MULTIPLIED, "")

    source = ENDINGS["head"] + ENDINGS[ending]
    assert not agrees(source, tmp_path)
    changes = proposals([cause], source, "GNB")
    assert any(agrees(changed, tmp_path) for changed in changes) == is_mended


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("argument", "is_mended"), [("p", True), ("p * 1.0", False)])
def test_the_logarithm_of_a_density_is_kept_in_place_of_it(
    argument: str, is_mended: bool, tmp_path: Path
) -> None:
    source = NP + FIT.format(cast="") + ENDINGS["log of kept"].format(argument=argument)
    cause = Cause("underflow", 1, WORDS["space"]["log of density"], "")

    assert not agrees(source, tmp_path)
    changes = proposals([cause], source, "GNB")
    assert any(agrees(changed, tmp_path) for changed in changes) == is_mended
    named = [source.splitlines()[n - 1] for n in lines_of(cause, source, "class GNB")]
    assert [line.strip()[:16] for line in named] == ["return np.argmax"] * is_mended


NEAR_ZERO = Cause("density-floor", 1, 1e-9, "", interval=(1e-300, 1e-5))
KNOWN = {
    "floor": NEAR_ZERO,
    "uniform": Cause("prior", 1, UNIFORM, ""),
    "product": Cause("underflow", 1, MULTIPLIED, ""),
    "n-1": Cause("variance-divisor", 1, "n-1", ""),
    "none": Cause("no-smoothing", 1, None, ""),
}
TO_PATCH = [
    pytest.param(source.replace("VARIANT", variant), causes.split("; "), id=name)
    for block in (PEOPLE / "to_patch.txt").read_text().split("### ")[1:]
    for title, source in [block.split("\n", 1)]
    for name, causes, variants in [title.split(" | ")]
    for variant in variants.split(" ;; ")
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("source", "causes"), TO_PATCH)
def test_one_of_the_changes_for_each_way_of_writing_makes_it_agree(
    source: str, causes: list[str], tmp_path: Path
) -> None:
    assert not agrees(source, tmp_path)
    changes = proposals([KNOWN[cause] for cause in causes], source, "NB")
    assert any(agrees(changed, tmp_path) for changed in changes)


TABLE = """
    def predict_log_proba(self, X):
        return np.array([self.scores(x) for x in X])
"""


def causes_of(formula: dict[str, Any]) -> list[Cause]:
    """Return the causes that a diagnosis names where code follows a formula."""
    rule, amount = formula.get("smoothing", (None, 0.0))
    causes = []
    if rule == "none":
        causes.append(Cause("no-smoothing", 1, None, ""))
    elif rule:
        near = (0.7 * amount, 1.4 * amount)
        causes.append(Cause("smoothing-rule", 1, float(amount), "", interval=near))
    if formula.get("ddof"):
        causes.append(Cause("variance-divisor", 1, "n-1", ""))
    if formula.get("prior") == "add-one":
        causes.append(Cause("prior", 1, WORDS["prior"]["add-one"], ""))
    if space := formula.get("space"):
        causes.append(Cause("underflow", 1, WORDS["space"][space], ""))
    return causes


def agrees(source: str, folder: Path) -> bool:
    """Return whether a source gives scikit-learn's labels where every step matters."""
    path = folder / f"changed_{len(list(folder.iterdir()))}.py"
    path.write_text(source, encoding="utf-8")
    make = implementation(str(path)).make
    for X, y in (*hard_datasets().values(), load_breast_cancer(return_X_y=True)):
        cut = split(y, 0)
        train, test = cut.train, cut.test
        model = make()
        answer = model.fit(X[train], y[train])
        model = answer if hasattr(answer, "predict") else model
        expected = GaussianNB().fit(X[train], y[train]).predict(X[test])
        if not np.array_equal(model.predict(X[test]), expected):
            return False
    return True


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("person", PATCHED)
def test_one_of_the_changes_makes_it_agree(person: str, tmp_path: Path) -> None:
    text = (PEOPLE / f"{person}.txt").read_text(encoding="utf-8")

    assert not agrees(text, tmp_path)
    changes = proposals(causes_of(FORMULAS[person]), text, "")
    assert any(agrees(changed, tmp_path) for changed in changes)


@pytest.mark.parametrize("cause", PLANTED)
def test_a_planted_fault_is_mended_and_all_else_keeps_its_bytes(
    cause: str, tmp_path: Path
) -> None:
    text, estimate = PLANTED[cause]

    assert not agrees(text, tmp_path)
    (changed, *_) = proposals([Cause(cause, 1, estimate, "")], text, "GNB")
    assert agrees(changed, tmp_path)
    before, after = text.splitlines(), changed.splitlines()
    blocks = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    edited = sum(end - start for kind, start, end, _, _ in blocks if kind != "equal")
    assert 1 <= edited <= 2
    assert "# kept as it is: ünïcödé" in after[4]


def test_log_probabilities_are_normalised(tmp_path: Path) -> None:
    text = NP + FIT.format(cast="") + LOOP.format(start="-np.inf") + TABLE

    (changed,) = proposals([Cause("unnormalised", 1, None, "")], text, "GNB")
    path = tmp_path / "normalised.py"
    path.write_text(changed, encoding="utf-8")
    X, y = load_breast_cancer(return_X_y=True)
    table = implementation(str(path)).make().fit(X, y).predict_log_proba(X)
    assert np.allclose(np.exp(table).sum(axis=1), 1.0)


@pytest.mark.parametrize(
    "returned",
    [
        "d = np.exp(-z * z / 2) / self.s\n        return self.p * d.prod(axis=2)",
        "return self.p * norm.pdf(z).prod(axis=2)",
    ],
)
def test_probabilities_are_normalised_also_where_logarithms_are_taken(
    returned: str, tmp_path: Path
) -> None:
    text = f"""import numpy as np
from scipy.stats import norm
class GNB:
    def fit(self, X, y):
        self.c, n = np.unique(y, return_counts=True)
        self.m, self.p = np.array([X[y == c].mean(axis=0) for c in self.c]), n / n.sum()
        self.s = 2.0 + 0.0 * self.m
        return self
    def predict_proba(self, X):
        z = (X[:, None] - self.m) / self.s
        {returned}
    def predict(self, X):
        return self.c[self.predict_proba(X).argmax(axis=1)]
"""
    path, (X, y) = tmp_path / "gnb.py", load_breast_cancer(return_X_y=True)
    lost = Cause("underflow", 1, "densities multiplied", "")
    sums = Cause("unnormalised", 1, "predict_proba", "")
    logs = [*proposals([lost, sums], text, "GNB")]

    for changed in [*proposals([sums], text, "GNB")][:1], logs:
        tables = []
        for source in changed:
            path.write_text(source, encoding="utf-8")
            model = implementation(str(path)).make().fit(X[:, :2], y)
            tables.append(model.predict_proba(X[:, :2]))
        assert any(np.allclose(table.sum(axis=1), 1.0) for table in tables)
    assert all("prod(" not in source for source in logs)


@pytest.mark.parametrize(
    "value", ["p * np.exp(-x)", "q * np.exp(-x)\n    q = p * np.exp(x)"]
)
def test_a_density_that_is_named_after_itself_is_not_taken_apart(value: str) -> None:
    text = f"def score(p, q, x):\n    p = {value}\n    return p * np.exp(x)\n"

    assert [*proposals([KNOWN["product"]], text, "score")] == []


def test_nothing_is_proposed_without_an_edit_for_every_cause() -> None:
    text = NP + FIT.format(cast="") + LOOP.format(start="0")
    causes = [Cause("constant", 1, None, ""), Cause("density-floor", 1, 1e-9, "")]

    assert [*proposals(causes[:1], text, "GNB")] != []
    assert [*proposals(causes, text, "GNB")] == []
    text = NP + FIT.format(cast="")
    assert [*proposals([Cause("not-gnb", 1, None, "")], text, "GNB")] == []


def test_a_difference_is_unified() -> None:
    lines = difference("a\nb\nc\n", "a\nB\nc\n", "gnb.py").splitlines()

    assert lines == ["--- gnb.py", "+++ gnb.py", "@@ -1,3 +1,3 @@", " a", "-b", "+B", " c"]
