"""The line that a cause comes from is named where the syntax shows it, and no wrong one."""

from dataclasses import replace
from pathlib import Path

import pytest

from gnbbench.diagnosis.edits import as_written
from gnbbench.diagnosis.findings import Cause
from gnbbench.diagnosis.source_lines import lines_of, located
from gnbbench.diagnosis.variants import WORDS

PEOPLE = Path(__file__).parents[1] / "faults" / "people"
ADD_ONE, LOGGED = WORDS["prior"]["add-one"], WORDS["space"]["log of density"]
MULTIPLIED, UNIFORM = WORDS["space"]["product"], WORDS["prior"]["uniform"]
# Author, knob, the amount or choice that answers show, start of the line.
LINES: tuple[tuple[str, str, float | str | None, str], ...] = (
    ("log_of_pdf", "no-smoothing", None, "self.sig2[i] = np.var(Xc, axis=0)"),
    ("log_of_pdf", "underflow", LOGGED, "s = np.log(self.pri[i]) + np.log(self._pdf"),
    ("pinv", "variance-divisor", "n-1", "cov = np.diag(np.diag(np.cov(Xc.T)))"),
    ("multivariate", "no-smoothing", None, "self.gaussians[c] = {'mean': current.mean"),
    ("counts_distinct_labels", "smoothing-rule", 1e-6, "self.params.append([(col.mean()"),
    ("product_on_pixels", "smoothing-rule", 1e-2, "v[v == 0] = 1e-2"),
    ("product_on_pixels", "underflow", MULTIPLIED, "return np.prod(f, axis=1)"),
    ("log_of_pdf_and_eps", "smoothing-rule", 1e-2, "self.s2 = [X[y == k].var(axis=0)"),
    ("log_of_pdf_and_eps", "density-floor", 1e-9, "joint.append(self.logprior[k]"),
    ("share_of_all_variance", "smoothing-rule", 1e-9, "var_smoothing: float = 1e-9"),
    ("fit_says_done", "smoothing-rule", 1e-9, "EPS = 1e-9"),
    ("fit_returns_parameters", "smoothing-rule", 1e-3, "MIN_VAR = 1e-3"),
    ("one_row_scores", "variance-divisor", "n-1", "self.summary[label] = [(mean(map("),
    ("one_row_scores", "underflow", MULTIPLIED, "scores[label] *= gaussian("),
    ("labels_and_probabilities", "prior", ADD_ONE, "self.log_prior = np.log((counts + 1)"),
    ("train_and_classify", "smoothing-rule", 1e-10, "self.groups[label] = dict(avg="),
    ("label_in_last_column", "variance-divisor", "n-1", "return math.sqrt(sum([(x - avg)"),
    ("label_in_last_column", "underflow", MULTIPLIED, "prob *= 1 / (math.sqrt("),
    ("wants_frames", "variance-divisor", "n-1", "'variance': rows[feature].var(),"),
    ("groupby_product", "variance-divisor", "n-1", "self.stds = data.groupby("),
    ("groupby_product", "underflow", MULTIPLIED, "return np.prod(np.exp(-0.5 *"),
    ("wants_lists", "smoothing-rule", 1e-6, "var = 1e-6"),
    ("answers_with_places", "smoothing-rule", 0.05, "self.sd.append(rows.std(0) + 0.05)"),
    ("column_of_answers", "variance-divisor", "n-1", "self.info[l] = np.array([part.mean"),
    ("labels_as_text", "smoothing-rule", 0.1, "return sum((x - m) ** 2 for x in c)"),
    ("several_in_one_file", "variance-divisor", "n-1", "self.v = np.array([g.var(0, ddof"),
    ("two_functions", "no-smoothing", None, "s = sqrt(sum((c - m) ** 2 for c in col)"),
    ("two_functions", "underflow", MULTIPLIED, "probs[lab] *= density(x, m, s)"),
    ("train_and_test_functions", "variance-divisor", "n-1", "theta.append((sel.mean(axis"),
    ("one_function", "smoothing-rule", 1e-3, "def gaussian_nb(X_train, y_train, X_test"),
    ("script_at_the_end", "underflow", MULTIPLIED, "return np.array([self.k[np.argmax("),
    ("half_twice", "no-smoothing", None, "self.spread = {name: rows.var(ddof=0)"),
)
# These rules cannot find their lines, so none is named.
SILENT = (
    ("counts_distinct_labels", "prior", UNIFORM),
    ("label_in_last_column", "prior", UNIFORM),
    ("sum_of_densities", "density-formula", WORDS["form"]["sum of densities"]),
    ("log_of_pdf", "smoothing-rule", 1e-4),
    ("log_of_pdf", "variance-divisor", "n-1"),
    ("five_neighbours", "not-gnb", None),
)


SMOOTHED = """
class NB:
    def __init__(self, eps={idle}):
        self.eps = eps
    def fit(self, X, y):
        eps = 1e-9
        self.var = X.var(axis=0) + eps

result = train(X, eps=1e-9)
"""


SLIPS = """class NB:
    def predict(self, X):
        total = sum(X[:, j] for j in range(0, self.d - 1))
        rest = X[:, 1:].mean(axis=0)
        best, label = -100, None
        for score in self.scores(X):
            if score > best:
                best = score
        z = X - X.std(axis=0)
        norm = 0.5 * np.log(2 * np.pi * self.v)
        return np.exp(-((X - self.m) ** 2))
        self.var[c] = X[y == c].std(axis=0)
"""


@pytest.mark.parametrize(
    ("cause", "choice", "lines"),
    [
        ("left-out", "all features but the last", [3]),
        ("left-out", "all features but the first", [4]),
        (
            "decision",
            "the first class to rows whose log-scores are all below about -100",
            [5],
        ),
        ("decision", "the first class to rows whose log-scores are all below about 0", []),
        ("stateful", "", [9]),
        ("density-formula", "a normaliser without its square root", [10]),
        ("density-formula", "an exponent without the factor 1/2", [11]),
        ("density-formula", "a density multiplied by the deviation", []),
        ("density-formula", WORDS["form"]["deviation for variance"], [12]),
    ],
)
def test_lines_of_slips_are_found_by_what_was_told(
    cause: str, choice: str, lines: list[int]
) -> None:
    told = Cause(cause, 1, choice, "")

    assert lines_of(told, SLIPS, "class NB") == lines


VARIANCE_USED = WORDS["form"]["variance for deviation"]


@pytest.mark.parametrize(
    ("cause", "choice", "line", "is_named"),
    [
        ("density-formula", VARIANCE_USED, "z = (x - self.m) / self.var", True),
        ("density-formula", VARIANCE_USED, "v = sum((x - m) ** 2) / n", False),
        ("density-formula", VARIANCE_USED, "v = np.einsum('ij->j', d**2) / n", False),
        ("density-formula", WORDS["form"]["no normaliser"], "s = (x - m) ** 2 / v", True),
        ("prior", UNIFORM, "Part(prior=1 / len(y))", True),
        ("prior", UNIFORM, "part = {'prior': 1 / len(y), 'n': 1}", True),
        ("prior", UNIFORM, "part = {'prior': n / len(y), 'width': 1 / n}", False),
        ("prior", WORDS["prior"]["to base 2"], "p = math.log2(share)", True),
        ("prior", UNIFORM, "p = math.log2(share)", False),
        ("prior", WORDS["prior"]["not logged"], "p = gaps + part['prior']", True),
        ("prior", WORDS["prior"]["not logged"], "p = prior - gaps", True),
        ("prior", WORDS["prior"]["not logged"], "p += self.prior[k]", True),
        ("prior", WORDS["prior"]["not logged"], "p = np.log(prior + eps) + gaps", False),
        ("prior", WORDS["prior"]["not logged"], "p = log_prior + gaps", False),
        ("prior", UNIFORM, "p = prior - gaps", False),
        ("underflow", "sums logarithms", "p = gaus(x); s = np.log(p)", True),
        ("stateful", None, "if self.m is None: self.m = X.mean(axis=0)", True),
        ("stateful", None, "if self.k is None: self.m = X.mean(axis=0)", False),
        ("precision", None, "self.var = np.zeros(3, 'f4')", True),
        ("precision", None, "half, Floats = 0.5, NDArray[np.float32]", False),
        ("cancellation", None, "var = q / n - mean**2", True),
        ("cancellation", None, "shrunk = 1 - mean**2", False),
        ("no-smoothing", None, "v = np.mean((x - m) ** 2, axis=0)", True),
        ("no-smoothing", None, "w = np.mean((x - m) ** 2, axis=0)", False),
        (
            "estimates",
            "variances divided by n − the number of classes",
            "s / (n - k)",
            True,
        ),
        ("learned", "in `self.m[…]['sd']` are", "m[c]['sd'] = (x - m).sum() / 9", True),
        ("learned", "in `self.sd` are", "self.sd[c] += (x - self.m[c]) ** 2", True),
        ("learned", "in `self.sd` are", "self.sd = np.zeros(3)", False),
        ("learned", "in `self.sd` are", "for c in x: self.sd += 0.01", True),
        ("learned", "in `self.sd` are", "self.sd += 0.01", False),
        ("learned", "in `self.sd` are", "self.m, self.sd = [], []", False),
        ("learned", "in `self.sd` are", "self.sd = None", False),
        ("learned", "in `self.sd` are", "self.m, self.sd = np.ones(3), np.ones(3)", False),
        ("learned", "in `self.m[…]['sd']` are", "sd = sd + 1e-9", False),
        ("learned", "in `sd` are", "sd = (x - m).sum() / 9", True),
        ("learned", "in `sd` are", "my_sd = (x - m).sum() / 9", False),
        ("learned", "in `self.m[…]['sd']` are", "m[c] = {'sd': spread(x)}", True),
        ("learned", "in `self.sd` are", "self.sd.append((x - m).sum() / 9)", True),
        ("smoothing-rule", 1.0, "v = np.var(x, axis=0) + 1", True),
        ("smoothing-rule", 1.0, "v = 1 / np.var(x, axis=1)", False),
    ],
)
def test_the_lines_of_more_causes_are_named(
    cause: str, choice: float | str | None, line: str, *, is_named: bool
) -> None:
    source = f"class NB:\n    def fit(self, x, y):\n        {line}\n"

    found = Cause(cause, 1, choice, "", "A second fit does not forget the first")
    assert lines_of(found, source, "NB") == [3] * is_named


FIT = "class NB:\n    def fit(self, X, y):\n        "
LOOP = "class NB:\n    def predict(self, x):\n        for c in x:\n            "
ORDER = "scores in the order in which the classes first appear"
OWN_MEAN = "def mean(x):\n    return sum(x, 1) / len(x)\ndef f(x):\n    m = mean(x)"
MOMENTS = f"{FIT}mu = X.mean(axis=0)\n        var = ((X - mu) ** 2).mean(axis=0)"
ADDED = (
    f"{FIT}self.var, prior = X.var(axis=0) + 1e-9, y.mean()\n        eps = 1e-9\n        "
)


@pytest.mark.parametrize(
    ("cause", "choice", "source", "lines"),
    [
        # A share that is computed is no uniform prior, though it is multiplied by one.
        ("prior", UNIFORM, f"{FIT}self.prior = 1.0 / len(set(y))", [3]),
        ("prior", UNIFORM, f"{FIT}self.prior = (y == 1).sum() * 1.0 / len(y)", []),
        # A variable times a density is a product.
        ("underflow", MULTIPLIED, f"{LOOP}p = p * pdf(x)", [4]),
        ("underflow", MULTIPLIED, f"{LOOP}p[c] = p[c] * dens", [4]),
        ("underflow", MULTIPLIED, f"{LOOP}p = q * pdf(x)", []),
        ("underflow", MULTIPLIED, f"{LOOP}p = np.prod(pdf(x))", [4]),
        ("underflow", MULTIPLIED, f"{LOOP}n = np.prod(x.shape)", []),
        # A default that all calls share is where state is kept.
        ("stateful", None, f"{FIT}pass".replace("y)", "y, groups={})"), [2]),
        ("stateful", None, f"{FIT}pass".replace("y)", "y, groups=[])"), [2]),
        ("stateful", None, f"{FIT}pass".replace("y)", "y, groups=None)"), []),
        ("stateful", None, f"{FIT}pass".replace("y)", "y, groups=())"), []),
        # Where labels first appear is found out.
        ("class-order", ORDER, f"{FIT}first = np.unique(y, return_index=True)[1]", [3]),
        ("class-order", ORDER, f"{FIT}first = pd.Series(y).unique()", [3]),
        ("class-order", ORDER, f"{FIT}first = np.unique(y)", []),
        # What is kept by a key is computed in its own line.
        (
            *("learned", "in `self.m[…]['sd']` are"),
            *(f"{FIT}self.m[0] = {{\n'mean': X.mean(0),\n'sd': X.std(0),\n}}", [5]),
        ),
        # Where means are wrong, these are named.
        ("learned", "The means in `f()[…][0]` are", MOMENTS, [3]),
        # A function of its own is where means are computed, not where it is called.
        ("learned", "The means in `f()[…][0]` are", OWN_MEAN, [2]),
        ("learned", "The variances in `f()[…][1]` are", MOMENTS, [4]),
        # A number that is added to priors is no smoothing.
        ("smoothing-rule", 1e-9, f"{ADDED}return np.log(prior + eps)", [3]),
        ("smoothing-rule", 1e-9, f"{ADDED}return eps", [3, 4]),
    ],
)
def test_only_the_lines_of_what_is_told_are_named(
    cause: str, choice: float | str | None, source: str, lines: list[int]
) -> None:
    interval = (choice, choice) if isinstance(choice, float) else None

    found = Cause(cause, 1, choice, "", interval=interval)
    assert lines_of(found, f"{source}\n", "class NB") == lines


@pytest.mark.parametrize(("rule", "lines"), [("floor", [2]), ("absolute", [])])
def test_a_bound_of_variances_may_be_that_of_deviations(
    rule: str, lines: list[int]
) -> None:
    cause = Cause("smoothing-rule", 1, 0.01, "", interval=(0.009, 0.011), kind=rule)
    source = "class NB:\n    LEAST = 0.1\n\n    def fit(self, X, y):\n"
    source += "        self.std = np.maximum(X.std(axis=0), self.LEAST)\n"

    assert lines_of(cause, source, "NB") == lines


@pytest.mark.parametrize("idle", ["1e-9", "2"])
def test_numbers_that_nothing_reads_are_not_named(idle: str) -> None:
    """A default that is only kept, and a call in the script, whatever was called."""
    found = Cause("smoothing-rule", 1, 1e-9, "", interval=(1e-9, 1e-9))

    assert lines_of(found, SMOOTHED.format(idle=idle), "class NB") == [6]
    assert lines_of(found, SMOOTHED.format(idle=idle), "nb.py of /home/nb.py") == [6]
    read = SMOOTHED.format(idle="1e-9").replace("+ eps", "+ self.eps")
    assert lines_of(found, read, "class NB") == [3, 6]


def test_a_place_in_an_array_is_no_amount() -> None:
    found = Cause("smoothing-rule", 1, 1.0, "", interval=(1.0, 1.0))
    fit = "    def fit(self, X, y):\n        self.var = np.empty((self.k, X.shape[1]))\n"
    fit += "        self.var[0, 1] = X[:, 1].var() + {}\n"

    assert lines_of(found, f"class NB:\n{fit.format('self.eps')}", "class NB") == []
    assert lines_of(found, f"class NB:\n{fit.format(1.0)}", "class NB") == [4]


def test_no_line_of_a_method_that_is_defined_again_is_named() -> None:
    found = Cause("smoothing-rule", 1, 1e-9, "", interval=(1e-9, 1e-9))
    made = "    def __init__(self, eps=1e-9):\n        self.eps = eps\n"
    fit = "    def fit(self, X, y):\n        self.var = X.var(axis=0) + self.eps\n"

    assert lines_of(found, f"class NB:\n{made}{made}{fit}", "class NB", [5, 7]) == [4]


def written_by(person: str) -> str:
    return (PEOPLE / f"{person}.txt").read_text(encoding="utf-8")


def shown(
    text: str, cause: str, estimate: float | str | None, found: str = ""
) -> list[str]:
    numbers = lines_of(Cause(cause, 1, estimate, ""), text, found)
    return [text.splitlines()[number - 1].strip() for number in numbers]


@pytest.mark.parametrize(("person", "cause", "estimate", "start"), LINES)
def test_the_line_of_a_cause_is_named(
    person: str, cause: str, estimate: float | str | None, start: str
) -> None:
    (line,) = shown(written_by(person), cause, estimate)

    assert line.startswith(start)


@pytest.mark.parametrize(("person", "cause", "estimate"), SILENT)
def test_where_no_line_is_sure_none_is_named(
    person: str, cause: str, estimate: float | str | None
) -> None:
    assert shown(written_by(person), cause, estimate) == []


def test_only_the_code_that_was_examined_is_searched() -> None:
    text = "import numpy as np\n"
    text += "class A:\n    def fit(self, X):\n        self.v = X.var(ddof=1)\n"
    text += "class B:\n    def fit(self, X):\n        self.v = spread(X)\n"
    text += "def spread(X):\n    return np.var(X, ddof=1)\n"

    assert shown(text, "variance-divisor", "n-1", "A") == ["self.v = X.var(ddof=1)"]
    assert shown(text, "variance-divisor", "n-1", "B") == ["return np.var(X, ddof=1)"]
    assert len(shown(text, "variance-divisor", "n-1")) == 2
    script = "np.var(a, ddof=1)\n"
    assert len(shown(text + script, "variance-divisor", "n-1")) == 2
    more = text + text.replace("A", "C").replace("B", "D").replace("spread", "other")
    assert shown(more, "variance-divisor", "n-1") == []


def test_a_method_of_another_class_is_not_searched() -> None:
    method = "    def spread(self, X):\n        return np.{}(X, ddof=1)\n"
    text = "class C:\n    def fit(self, X):\n        self.v = self.spread(X)\n"
    text += method.format("std") + "class D(C):\n" + method.format("var")
    text += "def spread(X):\n    return np.var(X, ddof=1)\n"

    assert shown(text, "variance-divisor", "n-1", "C") == ["return np.std(X, ddof=1)"]


def test_a_line_that_never_runs_is_named_only_if_no_other_fits() -> None:
    """Such as a method that another class replaces, or a branch that nothing takes."""
    method = "    def spread(self, X):\n        return X.var(ddof=1)\n"
    text = f"class Base:\n{method}class Mine(Base):\n{method}"
    cause = Cause("variance-divisor", 1, "n-1", "")

    assert lines_of(cause, text, "Mine") == [3, 6]
    assert lines_of(cause, text, "Mine", run=(5, 6)) == [6]
    assert lines_of(cause, text.replace("1)\n", "1)\nX = 0\n", 1), "Base", run=(9,)) == [3]


def test_a_floor_is_sought_in_a_logarithm_before_other_amounts() -> None:
    """Both amounts lie in the interval of what does the same."""
    text = "eps = 1e-4\ndef scores(p):\n    return np.log(p + 1e-300)\n"
    cause = Cause("density-floor", 1, 1e-10, "", interval=(0.0, 1.1e-4))

    assert lines_of(cause, text, "") == [3]
    assert lines_of(cause, text.replace("np.log", "np.sqrt"), "") == []
    assert lines_of(cause, f"{text}    s = log(prior[k] + 1e-300)\n", "") == [3]


def test_single_precision_that_no_line_shows_is_no_more_than_a_likeness() -> None:
    summary = WORDS["does"]["dtype"]
    cause = Cause("precision", 296, "single precision", "", summary)
    text = "def fit(X):\n    return np.{}(X)\n"

    for kind, told in (
        ("float32", summary),
        ("float64", "It answers as if it computed in"),
    ):
        lines = lines_of(cause, text.format(kind), "fit")
        written = as_written(cause, text.format(kind), "fit", lines)
        assert written.summary.startswith(told)


@pytest.mark.parametrize(
    ("summary", "told"),
    [
        (
            "It uses log(max(density, 1e-6)) of each feature",
            "It uses max(density, 1e-6) of",
        ),
        (
            "It takes logarithms of densities that have underflowed to zero; no class",
            "It computes densities, which underflow to zero, instead of their logarithms",
        ),
    ],
)
def test_code_without_a_logarithm_is_not_said_to_take_one(summary: str, told: str) -> None:
    cause = Cause("underflow", 1, None, "", summary)

    assert as_written(cause, "p = p * pdf(x)", "", []).summary.startswith(told)
    imported = "from math import log\np = p * pdf(x)  # no log"
    assert as_written(cause, imported, "", []).summary.startswith(told)
    assert as_written(cause, "p = log(pdf(x))", "", []) == cause


def test_a_floor_has_the_amount_that_its_line_spells_out() -> None:
    """Unless that does not do as well, or is one of several."""
    summary = "It uses log(density + 1e-10); anything from 1e-10 to 9e-7 does the same."
    cause = Cause("density-floor", 1, 1e-10, "", summary, interval=(1e-10, 9e-7))
    text = "def scores(p):\n    return np.log(p + {})\n"

    written = as_written(cause, text.format("1e-9"), "", [2])

    assert written.summary == summary.replace("1e-10", "1e-9", 1)
    assert written.estimate == 1e-9
    for others in ("1e-5", "1e-9 + 1e-8", "eps"):
        assert as_written(cause, text.format(others), "", [2]) == cause
    added = Cause("smoothing-rule", 1, 0.016, "", "It adds 0.016.", "about 0.016", (0.016,))
    told = as_written(added, "v += 0.01559", "", lines_of(added, "v += 0.01559", ""))
    assert (told.summary, told.remedy) == ("It adds 0.0156.", "your 0.0156")


@pytest.mark.parametrize("lines", [[2], []])
def test_the_amount_of_a_floor_may_stand_below_its_line_or_be_the_only_one(
    lines: list[int],
) -> None:
    cause = Cause("density-floor", 1, 1e-10, "", "log(density + 1e-10)", interval=(0, 1e-4))
    text = "def scores(p):\n    if p == 0:\n        p = 1e-9\n    return 0.5 * log(p)\n"
    beside = text + "eps = 1e-6\ndef fit(v):\n    return v + {}\n"

    assert as_written(cause, text, "scores", lines).estimate == 1e-9
    assert as_written(cause, beside.format("eps"), "scores", lines).estimate == 1e-9
    both = as_written(cause, beside.format("eps"), "fit scores", lines)
    assert both.estimate == (1e-9 if lines else 1e-10)


@pytest.mark.parametrize("held", ["np.maximum(pdf, eps)", "max(pdf, 1e-10)"])
def test_a_floor_that_holds_densities_is_found_outside_the_logarithm(held: str) -> None:
    text = f"eps = 1e-10\ndef scores(pdf, v):\n    v = max(v, eps)\n    pdf = {held}\n"
    text += "    return np.log(pdf).sum()\n"
    cause = Cause("density-floor", 1, 1e-10, "", interval=(1e-20, 2e-6))

    assert lines_of(cause, text, "") == [4]
    assert lines_of(cause, text.replace("pdf", "share"), "") == []


@pytest.mark.parametrize(
    "line",
    ["s += math.log(p) if p > 0 else 0", "if p == 0: p = 1e-300", "if p != 0: s += log(p)"],
)
def test_a_density_of_zero_that_is_passed_over_has_its_line(line: str) -> None:
    text = f"def scores(p, share, s):\n    if share > 0: s += log(share)\n    {line}\n"
    text += "    return s + np.log(p)\n"
    cause = Cause("density-floor", 1, 1e-10, "", interval=(0.0, 1.1e-4))

    assert lines_of(cause, text.replace("share", "prior"), "") == [3]
    assert lines_of(cause, text.replace(" 0", " 1").replace("share", "prior"), "") == []


@pytest.mark.parametrize(
    ("quotient", "prior"),
    [
        ("1 / len(self.classes)", "uniform"),
        ("1.0 / len(set(y))", "uniform"),
        ("(len(rows) + 1) / (len(X) + k)", "add-one"),
        ("(len(rows) + self.alpha) / (len(X) + k * self.alpha)", "add-one"),
    ],
)
def test_a_prior_without_a_name_has_its_line(quotient: str, prior: str) -> None:
    text = "def fit(X, y):\n    w = 1 / len(X)\n    m = (X + 1) / (2 * k)\n"
    text += f"    return X.mean(axis=0), {quotient}\n"
    cause = Cause("prior", 1, WORDS["prior"][prior], "")

    assert lines_of(cause, text, "") == [4]
    assert lines_of(cause, text.replace(quotient, "w"), "") == []


def test_a_spread_that_standardises_samples_is_not_a_variance() -> None:
    text = "def normalize(X):\n    return (X - X.mean(axis=0)) / X.std(axis=0)\n"
    text += "def fit(X, y):\n    Z = normalize(X)\n    return Z.var(axis=0)\n"

    assert shown(text, "no-smoothing", None) == ["return Z.var(axis=0)"]
    assert len(shown(text.replace("normalize", "prepare"), "no-smoothing", None)) == 2


def test_what_is_the_same_for_every_class_is_not_named() -> None:
    text = "def fit(x, y):\n    all = {i: x[:, i].std() for i in range(4)}\n"
    text += "    rows = x[y == 0]\n    return all, rows.std()\n"
    text += "def p(x):\n    p_x = p_xy = 1.0\n"
    text += "    for v in x:\n        p_x *= pdf(v)\n        p_xy *= pdf(v)\n"

    assert shown(text, "no-smoothing", None) == ["return all, rows.std()"]
    assert shown(text, "underflow", MULTIPLIED) == ["p_xy *= pdf(v)"]


@pytest.mark.parametrize(
    "mean", ["np.mean(X[y == c])", "X[y == c].mean()", "np.mean(rows[0])"]
)
def test_a_mean_without_an_axis_is_that_of_all_numbers(mean: str) -> None:
    """But not that of a comparison, which is a share."""
    text = f"def fit(X, y, c):\n    m = {mean}\n    v = np.mean(X, axis=0) + X.mean(0)\n"
    text += "    p = np.mean(y == c) + (y == c).mean() + np.mean(X, 0)\n"

    assert lines_of(Cause("one-mean", 1, "one mean", ""), text, "fit") == [2]


def test_lines_of_a_script_that_became_a_function_are_named() -> None:
    text = "X_train, X_test, y_train, y_test = split(X, y)\nmean, var = {}, {}\n"
    text += "for c in set(y_train):\n    var[c] = X_train[y_train == c].var(ddof=1)\n"
    text += "y_pred = [max(var, key=lambda c: f(x, var[c])) for x in X_test]\n"

    cause = Cause("variance-divisor", 1, "ddof", "")

    assert lines_of(cause, text, "predict_in_script") == [4]


def test_the_table_that_is_not_normalised_is_the_one_named() -> None:
    text = "def predict_log_proba(X):\n    return scores(X)\n"
    text += "def predict_proba(X):\n    return softmax(predict_log_proba(X))\n"
    cause = Cause("unnormalised", 0, "predict_log_proba", "")

    assert lines_of(cause, text, "") == [2]
    assert lines_of(replace(cause, estimate="scores"), text, "") == [2, 4]


def test_what_is_added_to_a_density_is_not_added_to_a_variance() -> None:
    found = Cause("smoothing-rule", 1, 1e-9, "", interval=(1e-9, 1e-9))
    text = "def fit(X):\n    return X.var(axis=0) + 1e-9\n"
    text += "def score(p):\n    return np.log({} + 1e-9)\n"

    assert lines_of(found, text.format("likelihood"), "") == [2]
    assert lines_of(found, text.format("v"), "") == [2, 4]


def test_a_line_has_its_place_also_in_a_notebook() -> None:
    text = "a = 1\nb = 2\n"

    assert located("nb.py", text, 2) == "nb.py:2: b = 2"
    assert located("nb.py", "x" * 101, 1) == f"nb.py:1: {'x' * 100}…"
    assert (
        located("n.ipynb", f"# code cell 4\n{text}", 3)
        == "n.ipynb, code cell 4, line 2: b = 2"
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("p = np.exp(s.sum())", "It takes exp"),
        ("p *= density(x)", "It multiplies"),
        ("p *= math.exp(-s * x**2)", "It multiplies"),
        ("p = p * density(np.exp(x))", "It multiplies"),
    ],
)
def test_how_densities_are_lost_is_said_as_its_line_shows(line: str, words: str) -> None:
    text, kind = f"def f(s, x, p):\n    {line}\n    return p\n", "product or whole"
    summary = WORDS["does_with_space"][kind]
    cause = Cause("underflow", 1, WORDS["space"]["product"], "", summary, kind=kind)

    assert lines_of(cause, text, "f") == [2]
    assert as_written(cause, text, "f", [2]).summary.startswith(words)
    assert " or " not in as_written(cause, text, "f", [2]).summary
