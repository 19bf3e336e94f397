"""Which lines of a source a cause is about, if the syntax shows them.

No line is better than a wrong one: if more than a few lines match, none is named.
"""

import ast
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, product

from gnbbench.diagnosis import edits
from gnbbench.diagnosis.edits import Source, name_of, number_in, targets_of
from gnbbench.diagnosis.findings import Cause, is_near
from gnbbench.tracebacks import excerpt, line_below

MOST_LINES = 3
_WRONG_MEANS = "The means in"  # What is told of kept ones begins so
# How far a number in the code may be from the amount estimated from answers.
_CLOSE = 1e-9
WITHIN = 0.1  # ... or from a bound that normalising has moved a little
WIDE = 100.0  # An interval of amounts whose ends differ by more says little

SAMPLE_SPREADS = frozenset({"stdev", "variance"})  # Of the module statistics
_SPREADS = SAMPLE_SPREADS | {"var", "std", "nanvar", "nanstd", "pstdev", "pvariance"}
_FRAME_SPREADS = frozenset({"var", "std", "cov", "describe", "agg", "aggregate"})
_MEANS = frozenset({"mean", "average", "median"})
_PRODUCTS = frozenset({"prod", "product", "reduce", "multivariate_normal"})
_DENSITY = re.compile(r"pdf|dens|gaus|normal|likelihood|prob", re.IGNORECASE)
_SCALES = re.compile(r"normali[sz]|standardi[sz]|scal(e|ing)", re.IGNORECASE)
_PRIOR = re.compile(r"prior", re.IGNORECASE)
_CLASSES = re.compile(r"class|label|uniq|set\(", re.IGNORECASE)
_PRIOR_OR_DENSITY = re.compile(f"{_PRIOR.pattern}|{_DENSITY.pattern}", re.IGNORECASE)
_LABELS = re.compile(r"predic|classif|predec|prever|vorher|przewi", re.IGNORECASE)
_OF_OTHERS = re.compile(r"prod\((self\.)?(var|sig|std|dev|sd)|\.shape\b")  # No densities
SPREAD_NAME = re.compile(r"var|sig|std|dev|sd\b|spread|s2", re.IGNORECASE)

Tier = Callable[["Source"], Iterable[ast.AST]]


def lines_of(cause: Cause, text: str, found: str, run: Sequence[int] = ()) -> list[int]:
    """Return the numbers of the lines that a cause is about; empty if none is certain.

    `found` names the class or the functions that were examined, `run` the lines that ran
    when they were tried out, if known: others are named only if none of these fits.
    """
    source = edits.source_of(cause, ast.parse(text), set(re.findall(r"\w+", found)))
    last = {f.name: f for f in source.functions}
    starts = [(f, f.body[0] if f is last[f.name] else f) for f in source.functions]
    idle = {n for f, start in starts for n in range(start.lineno, f.end_lineno + 1)}  # type: ignore[operator]
    idle = idle.difference(run) if run else set()
    tiers = [[*tier(source)] for tier in TIERS.get(cause.cause, ())]
    for unwanted, nodes in product((idle, set[int]()), tiers):
        places = [(n.lineno, n.end_lineno) for n in nodes if hasattr(n, "lineno")]  # type: ignore[attr-defined]
        lines = {first for first, last in places if {*range(first, last + 1)} - unwanted}
        if lines:
            return sorted(lines) if len(lines) <= MOST_LINES else []
    return []


def located(name: str, text: str, number: int) -> str:
    """Return a line of a file after its location."""
    lines = text.splitlines()
    cell = line_below(lines[:number])
    where = f"{name}, {cell}" if cell else f"{name}:{number}"
    return f"{where}: {excerpt(lines[number - 1])}"


def _less_one(node: ast.AST) -> ast.BinOp | None:
    """Return the subtraction of one that a node is, or that a call contains."""
    match node:
        case ast.BinOp(op=ast.Sub(), right=right) if number_in(right) == 1.0:
            return node
        case ast.Call(func=func, args=arguments) if name_of(func) in {"float", "max"}:
            return next(filter(None, map(_less_one, arguments)), None)
    return None


def ddof_of_one(source: Source) -> Iterator[ast.keyword]:
    """Yield the arguments by which spreads divide by n - 1."""
    for node in source.nodes:
        match node:
            case ast.keyword(arg="ddof" | "correction", value=value):
                if any(number_in(part) == 1.0 for part in ast.walk(value)):
                    yield node


def sample_spreads(source: Source) -> Iterator[ast.Call]:
    """Yield calls of spreads of the module statistics that divide by n - 1."""
    return source.calls(SAMPLE_SPREADS - {function.name for function in source.functions})


def divisors_less_one(source: Source) -> Iterator[ast.BinOp]:
    """Yield divisors that are another number less one."""
    for node in source.nodes:
        match node:
            case ast.BinOp(op=ast.Div(), right=of) | ast.AugAssign(op=ast.Div(), value=of):
                if divisor := _less_one(of):
                    yield divisor


def calls_that_divide_by_less(source: Source) -> Iterator[ast.Call]:
    """Yield calls that divide by n - 1 by default: pandas', and `numpy.cov`."""
    for call in source.calls(_FRAME_SPREADS):
        is_numpys = re.match(r"(np|numpy)\.(var|std)\b", ast.unparse(call.func))
        chosen = {keyword.arg for keyword in call.keywords} & {"ddof", "bias"}
        may_be = source.is_framed or name_of(call.func) == "cov"
        if may_be and not is_numpys and not chosen:
            yield call


def _spreads(source: Source) -> Iterator[ast.AST]:
    """Yield spreads, but for those by which samples are standardised."""
    own = {function.name for function in source.functions}
    scalers = [f for f in source.functions if _SCALES.search(f.name)]
    scaling = {id(node) for function in scalers for node in ast.walk(function)}
    return (c for c in edits.of_classes(source, _SPREADS - own) if id(c) not in scaling)


def _kept_spreads(source: Source) -> Iterator[ast.AST]:
    """Yield spreads, except those in a maximum, as smoothing takes it; or means."""
    if source.choice.startswith(_WRONG_MEANS):
        nodes = chain(*(ast.walk(f) for f in source.functions if f.name in _MEANS))
        own: list[ast.AST] = [node for node in nodes if isinstance(node, ast.Return)]
        return iter(own or [c for c in source.calls(_MEANS) if not _squares(c)])
    in_largest = {id(n) for c in source.calls({"max", "amax"}) for n in ast.walk(c)}
    return (node for node in _spreads(source) if id(node) not in in_largest)


def _means_of_spreads(source: Source) -> Iterator[ast.AST]:
    """Yield means of what is called a spread, where means of such were found."""
    calls = source.calls({"mean", "average"} if "mean" in source.choice else ())
    texts = ((call, ast.unparse(call).replace("average", "")) for call in calls)
    return (call for call, text in texts if SPREAD_NAME.search(text))


def _whole_means(source: Source) -> Iterator[ast.AST]:
    """Yield means of arrays without an axis, but not those of comparisons."""
    for call in source.calls({"mean", "average"}):
        is_method = not re.match(r"(np|numpy)\.", ast.unparse(call.func))
        owner = getattr(call.func, "value", call)
        of, *axis = [owner, *call.args] if is_method else call.args or [owner]
        has_axis = axis or any(word.arg == "axis" for word in call.keywords)
        if not (has_axis or isinstance(of, ast.Compare)):
            yield call


def _sums_of_squares(source: Source) -> Iterator[ast.AST]:
    """Yield assignments of squares, or returns of them, under a name for a spread."""
    is_of_means = source.choice.startswith(_WRONG_MEANS)
    for function in () if is_of_means else source.functions:
        for node in ast.walk(function):
            names = function.name if isinstance(node, ast.Return) else ""
            if isinstance(node, ast.Assign):
                names = " ".join(map(ast.unparse, node.targets))
            if (names == "v" or SPREAD_NAME.search(names)) and _squares(node):
                yield node


def _kept(source: Source) -> Iterator[ast.AST]:
    """Yield statements that compute what the model keeps under the name in backticks."""
    if not (place := re.search(r"`([^`]+)`", source.choice)):
        return
    *_, (mark, name) = re.findall(r"(\.|\['|)([^\W\d]\w*)", place[1])
    start = re.escape(mark) if mark else r"\b"
    repeated = {id(n) for loop in source.of_type(ast.For) for n in ast.walk(loop)}
    for node in source.nodes:
        left, right = "", ""
        match node:
            case ast.Assign(value=value) | ast.AugAssign(value=value):
                left, right = ast.unparse(node).split("=")[0], ast.unparse(value)
            case ast.Call(func=ast.Attribute(value=owner, attr="append" | "extend")):
                left = ast.unparse(owner)
            case ast.Dict(keys=keys, values=values) if mark == "['":
                pairs = zip(keys, values, strict=True)
                yield from (v for k, v in pairs if getattr(k, "value", "") == name)
        is_start = re.match(
            r"\(?((\w+\.)?(zeros|empty|ones|dict|list)|None|[\[{\d])", right
        )
        is_added_to_all = id(node) in repeated and re.fullmatch(r"[\d.e-]+", right)
        if re.search(rf"{start}{name}\b", left) and (is_added_to_all or not is_start):
            yield node


def _squares(root: ast.AST) -> bool:
    parts = [*ast.walk(root)]
    called = {name_of(node.func) for node in parts if isinstance(node, ast.Call)}
    terms = [n for n in parts if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Pow)]
    return bool(called & {"square", "pow"}) or 2.0 in (number_in(n.right) for n in terms)


def amount_nodes(source: Source) -> Iterator[ast.AST]:
    """Yield numbers equal to the estimated amount, or failing that, within its interval.

    An interval so wide that any small number would do yields none. A bound of variances
    may be that of deviations.
    """
    low, high = source.amounts
    if high > WIDE * low:
        return iter(())
    idle = _idle_defaults(source) | _only_in_logs(source) | source.other_numbers()
    numbers = [(node, number_in(node)) for node in source.nodes if id(node) not in idle]
    positive = [(node, value) for node, value in numbers if value and value > 0.0]
    exact = [
        node
        for node, value in positive
        if any(math.isclose(value, end, rel_tol=_CLOSE) for end in (low, high))
    ]
    if source.bounds_deviations and not exact:
        exact = [
            node
            for node, value in positive
            if low * (1.0 - _CLOSE) <= value**2 <= high * (1.0 + _CLOSE)
        ]
    within = [node for node, value in positive if high < 1.0 and is_near(value, low, high)]
    return iter(exact or within)


def _added_in_logs(source: Source, said: re.Pattern[str] = _DENSITY) -> set[int]:
    """Return what is added in a logarithm to something with such a name, by identity."""
    return {
        id(sum_.right)
        for call in source.calls({"log"})
        for sum_ in call.args
        if isinstance(sum_, ast.BinOp) and isinstance(sum_.op, ast.Add)
        if said.search(ast.unparse(sum_.left))
    }


def _only_in_logs(source: Source) -> set[int]:
    """Return numbers, by identity, that are only added to priors or densities in a log."""
    numbers = _added_in_logs(source, _PRIOR_OR_DENSITY)
    for function in source.functions:
        names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
        loads = [node for node in names if isinstance(node.ctx, ast.Load)]
        kept = {n.id for n in loads} - {n.id for n in loads if id(n) not in numbers}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and {*targets_of(node)} - {""} <= kept:
                numbers |= {id(inner) for inner in ast.walk(node.value)}
    return numbers


def _idle_defaults(source: Source) -> set[int]:
    """Return default values, by identity, of parameters that are at most kept unread."""
    loads = [n for n in source.nodes if isinstance(getattr(n, "ctx", None), ast.Load)]
    read = {node.attr for node in loads if isinstance(node, ast.Attribute)}
    kept = {
        id(node.value)
        for node in source.of_type(ast.Assign)
        if isinstance(node, ast.Assign)
        and all(
            isinstance(at, ast.Attribute) and at.attr not in read for at in node.targets
        )
    }
    ids, idle = {id(node) for node in loads}, set[int]()
    for function in source.functions:
        defaults = function.args.defaults
        names = [argument.arg for argument in function.args.args][-len(defaults) :]
        used = {name_of(n) for n in ast.walk(function) if id(n) in ids - kept}
        for name, default in zip(names, defaults, strict=False):
            idle |= {id(n) for n in ast.walk(default)} if name not in used else set()
    return idle


def _floors_in_logs(source: Source) -> Iterator[ast.AST]:
    """Yield numbers within the interval in a log, priors' aside, or added to densities."""
    (low, high), others = source.amounts, _added_in_logs(source, _PRIOR)
    taken = (part for call in source.calls({"log"}) for part in call.args)
    nodes = (n for part in taken for n in ast.walk(part) if id(n) not in others)
    yield from (n for n in nodes if low <= (number_in(n) or math.nan) <= high)
    added = _added_in_logs(source)
    yield from (node for node in source.of_type(ast.Name) if id(node) in added)


def _held_densities(source: Source) -> Iterator[ast.AST]:
    """Yield calls that keep densities from zero."""
    calls = source.calls({"maximum", "max", "fmax", "clip", "where"})
    firsts = ((call, ast.unparse(call.args[0])) for call in calls if len(call.args) > 1)
    return (call for call, text in firsts if _DENSITY.search(text))


def _zeros_passed_over(source: Source) -> Iterator[ast.AST]:
    """Yield comparisons with 0 of a number whose logarithm is taken as well."""
    logged = {ast.unparse(arg) for call in source.calls({"log"}) for arg in call.args}
    densities = (f for f in source.functions if _DENSITY.search(f.name))
    returns = (n for f in densities for n in ast.walk(f) if isinstance(n, ast.Return))
    logged |= {ast.unparse(node.value) for node in returns if node.value}
    for node in source.of_type(ast.Compare):
        match node:
            case ast.Compare(left=left, comparators=[right]) if number_in(right) == 0:
                name = ast.unparse(left)
                is_other = _PRIOR.search(name) or SPREAD_NAME.search(name)
                if name in logged and not is_other:
                    yield node


def _cast_to_single(source: Source) -> Iterator[ast.AST]:
    """Yield names of narrow types, except within the type of something: `NDArray[...]`."""
    types = {
        id(inner)
        for node in source.of_type(ast.Subscript)
        if isinstance(node, ast.Subscript)
        for inner in ast.walk(node.slice)
    }
    return (node for node in edits.single_precision_nodes(source) if id(node) not in types)


def is_prior(node: ast.AST) -> bool:
    """Return whether a quotient is 1 / (number of classes), or (count + 1) / (n + k)."""
    match node:
        case ast.BinOp(
            left=ast.BinOp(op=ast.Add(), right=one), right=ast.BinOp(op=ast.Add()) as whole
        ):
            # Or an amount that the whole has as well: (count + alpha) / (n + k * alpha)
            return number_in(one) == 1.0 or ast.unparse(one) in ast.unparse(whole)
        case ast.BinOp(left=left, right=ast.Call(func=func, args=[of])):
            is_number = number_in(left) == 1.0 and name_of(func) == "len"
            return is_number and bool(_CLASSES.search(ast.unparse(of)))
    return False


def named_priors(source: Source) -> Iterator[tuple[ast.AST, ast.expr]]:
    """Yield what gives something the name of a prior, and its value."""
    named: list[tuple[str, ast.AST, ast.expr]]
    for node in source.nodes:
        match node:
            case ast.Assign(targets=targets, value=value):
                named = [(" ".join(map(ast.unparse, targets)), node, value)]
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                named = [(ast.unparse(target), node, value)]
            case ast.keyword(arg=str() as name, value=value):
                named = [(name, node, value)]
            case ast.BinOp(op=ast.Div()) if is_prior(node):
                named = [("prior", node, node)]
            case ast.Dict(keys=keys, values=values):
                texts = [ast.unparse(key) if key else "" for key in keys]
                named = [*zip(texts, values, values, strict=True)]
            case _:
                continue
        yield from ((at, value) for text, at, value in named if _PRIOR.search(text))


def _priors(source: Source) -> Iterator[ast.AST]:
    """Yield priors that match the finding."""
    is_uniform = source.choice.startswith("uniform")
    pattern = r"(^|(?<!\* )\b)1(\.0?)? / |ones|full|\[1" if is_uniform else r"\+ 1\b"
    for node, value in named_priors(source):
        is_sum = not is_uniform and is_prior(value)
        is_meant = is_sum or re.search(pattern, ast.unparse(value))
        if is_meant and (is_uniform or "(count + 1)" in source.choice):
            yield node


def _logs_of_one_more(source: Source) -> Iterator[ast.AST]:
    """Yield logarithms of 1 + prior."""
    for call in source.calls({"log", "log1p"} if "1 + prior" in source.choice else ()):
        text = " ".join(map(ast.unparse, call.args))
        if name_of(call.func) == "log1p" or re.search(r"\b1(\.0?)? \+|\+ 1\b", text):
            yield call


def _calls(names: Iterable[str], *words: str) -> Tier:
    """Return the tier of these calls, if what was found has one of the words, if any."""

    def tier(source: Source) -> Iterable[ast.AST]:
        is_meant = not words or any(word in source.choice for word in words)
        calls = source.calls(names if is_meant else ())
        return (call for call in calls if not _OF_OTHERS.search(ast.unparse(call)))

    return tier


def _terms(pattern: str, word: str) -> Tier:
    """Return the tier of terms that match a pattern, if what was found has the word."""

    def tier(source: Source) -> Iterable[ast.AST]:
        terms = source.of_type(ast.BinOp) if word in source.choice else iter(())
        return (term for term in terms if re.fullmatch(pattern, ast.unparse(term)))

    return tier


def _bounds(source: Source) -> Iterator[ast.AST]:
    """Yield calls that keep numbers from going below the amount, or that round."""
    low, high = source.amounts
    for call in source.calls({"clip", "maximum", "max", "fmax", "around", "round"}):
        numbers = filter(None, map(number_in, ast.walk(call)))
        is_bound = any(math.isclose(n, low, rel_tol=WITHIN) for n in numbers)
        if is_bound or (math.isnan(high) and name_of(call.func) in {"round", "around"}):
            yield call


def _products_in_loops(source: Source) -> Iterator[ast.AST]:
    """Yield what multiplies a variable in place, or by itself and a density."""
    for node in source.nodes if "multiplied" in source.choice else ():
        match node:
            case ast.AugAssign(target=at, op=ast.Mult()) if not edits.is_evidence(at):
                yield node
            case ast.Assign(
                targets=[target], value=ast.BinOp(left=left, op=ast.Mult(), right=right)
            ):
                kept, factor = ast.unparse(left), ast.unparse(right)
                if kept == ast.unparse(target) and _DENSITY.search(factor):
                    yield node


def _exponentials_of_sums(source: Source) -> Iterator[ast.AST]:
    """Yield exponentials of a sum, or of what a loop has summed."""
    summed = {name_of(n.target) for n in source.nodes if isinstance(n, ast.AugAssign)}
    for call in source.calls({"exp"} if "multiplied" in source.choice else ()):
        inside = {name_of(n.func) for n in ast.walk(call) if isinstance(n, ast.Call)}
        if inside & {"sum", "fsum"} or (summed - {""}) & {*map(name_of, call.args)}:
            yield call


def _logs_of_densities(source: Source) -> Iterator[ast.AST]:
    kept = edits.results_of(source, _DENSITY)
    for node in source.nodes:
        if isinstance(node, ast.Assign) and any(
            map(_squares, edits.exponentials(node.value))
        ):
            kept |= {name_of(node.targets[0])} - {""}
    logs = {"log", "log10", "log2"} if "logarithms" in source.choice else ()
    for call in source.calls(logs):
        inner = [node for argument in call.args for node in ast.walk(argument)]
        called = (name_of(node.func) for node in inner if isinstance(node, ast.Call))
        if any(map(_DENSITY.search, called)) or kept & {*map(name_of, call.args)}:
            yield call


def _of_squares(source: Source) -> Iterator[ast.AST]:
    """Yield exponentials of squares, or failing that, quotients of squares, not of sums."""
    lacks_normaliser = source.choice.startswith("a density without its normaliser")
    elsewhere = "sum of densities|all features|normaliser|multiplied"
    if lacks_normaliser or not re.search(elsewhere, source.choice):
        of_squares = [call for call in source.calls({"exp"}) if _squares(call)]
        divisions = (n for n in source.nodes if isinstance(n, ast.BinOp))
        divisions = (n for n in divisions if isinstance(n.op, ast.Div) and _squares(n.left))
        sums = {"sum", "fsum", "mean", "einsum", "dot"}
        others = (n for n in divisions if name_of(getattr(n.left, "func", n)) not in sums)
        yield from of_squares or others


def _less_squares(source: Source) -> Iterator[ast.AST]:
    """Yield differences whose second part is a square, as in E[x²] - E[x]²."""
    for node in source.nodes:
        match node:
            case ast.BinOp(
                left=left, op=ast.Sub(), right=ast.BinOp(op=ast.Pow(), right=power)
            ) if number_in(left) is None and number_in(power) == 2.0:
                yield node


def _deviations_called_variances(source: Source) -> Iterator[ast.AST]:
    """Yield assignments of standard deviations under a name for variances."""
    for node in source.nodes if "the variance belongs" in source.choice else ():
        match node:
            case ast.Assign(targets=[name], value=value):
                calls = [n.func for n in ast.walk(value) if isinstance(n, ast.Call)]
                are_roots = {"std", "nanstd", "stdev", "pstdev"} & {*map(name_of, calls)}
                if are_roots and re.search("var|s2|sq", ast.unparse(name)):
                    yield node


def _slips(source: Source) -> Iterator[ast.AST]:
    """Yield ranges and slices without the first or the last feature."""
    is_last = "last" in source.choice
    labelled = {
        ast.unparse(node.value)
        for node in source.nodes
        if isinstance(node, ast.Subscript) and number_in(node.slice) == -1.0
    }
    for node in source.nodes:
        match node:
            case ast.Call(func=func, args=[*_, last]) if is_last and _less_one(last):
                if name_of(func) == "range":
                    yield node
            case ast.Call(func=func, args=[first, _]) if number_in(first) == 1.0:
                if name_of(func) == "range" and not is_last:
                    yield node
            case ast.Subscript(value=value, slice=ast.Tuple(elts=[_, part]) | part):
                side = getattr(part, "upper" if is_last else "lower", None)
                end = number_in(side) if side else None
                is_slip = end == (-1.0 if is_last else 1.0)
                if is_slip and ast.unparse(value) not in labelled:
                    yield node


def _starts(source: Source) -> Iterator[ast.AST]:
    """Yield start values near the bound that was found."""
    bound = float((re.findall(r"about (\S+)$", source.choice) or [math.nan])[0])
    near = {"rel_tol": WITHIN, "abs_tol": 1.0}
    starts = edits.start_values(source)
    return (n for n in starts if math.isclose(number_in(n) or 0.0, bound, **near))


def _shared_defaults(source: Source) -> Iterator[ast.AST]:
    """Yield default values that all calls share and may change: `groups={}`."""
    for arguments in (function.args for function in source.functions):
        shared = (*arguments.defaults, *arguments.kw_defaults)
        yield from (one for one in shared if isinstance(one, ast.Dict | ast.List | ast.Set))


def _of_rows_to_label(source: Source) -> Iterator[ast.AST]:
    """Yield means and spreads of the samples that a function labels."""
    for function in source.functions:
        names = [argument.arg for argument in function.args.args if argument.arg != "self"]
        if len(names) == 1 and _LABELS.search(function.name):
            own = rf"(np\.\w+\({names[0]}\b|{names[0]}\.\w+\()"
            calls = (node for node in ast.walk(function) if isinstance(node, ast.Call))
            calls = (call for call in calls if name_of(call.func) in {"mean", *_SPREADS})
            yield from (call for call in calls if re.match(own, ast.unparse(call)))


def _kept_from_before(source: Source) -> Iterator[ast.AST]:
    """Yield conditions under which a method keeps what a call before it has set."""
    methods = [f for f in source.functions if f.name != "__init__"]
    for node in chain(*map(ast.walk, methods)) if "second fit" in source.choice else ():
        if isinstance(node, ast.If):
            parts = (inner for part in node.body for inner in ast.walk(part))
            kept = (part for part in parts if isinstance(part, ast.Attribute))
            names = {part.attr for part in kept if isinstance(part.ctx, ast.Store)}
            if names & {*re.findall(r"\w+", ast.unparse(node.test))}:
                yield node.test


def _table_returns(source: Source) -> Iterator[ast.AST]:
    named = [f for f in source.functions if f.name == source.choice] or source.functions
    nodes = chain(*(ast.walk(function) for function in named if "prob" in function.name))
    return (node for node in nodes if isinstance(node, ast.Return))


_DRAWS = {"choice", "multinomial", "random", "shuffle", "choices", "randint", "uniform"}


def _first_places(source: Source) -> Iterator[ast.AST]:
    """Yield what finds out where labels first appear, in NumPy or pandas."""
    is_meant = re.search("(first|classes) appear", source.choice)
    for node in source.of_type(ast.keyword, ast.Call) if is_meant else ():
        match node:
            case ast.keyword(arg="return_index"):
                yield node
            case ast.Call(func=ast.Attribute(attr="unique"), args=[]):
                yield node


# What lists labels in another order than that of their values.
_ORDERS = (
    _calls({"fromkeys"}, "first appear", "classes appear"),
    _first_places,
    _calls({"most_common", "value_counts"}, "largest", "falling"),
)
# Cause -> where to look, the surest place first.
TIERS: dict[str, tuple[Tier, ...]] = {
    "variance-divisor": (
        *(ddof_of_one, sample_spreads, divisors_less_one, calls_that_divide_by_less),
    ),
    "no-smoothing": (*(_spreads, _sums_of_squares), *(_calls({"cov"}), divisors_less_one)),
    "smoothing-rule": (amount_nodes,),
    "density-floor": (
        *(_floors_in_logs, _held_densities, _zeros_passed_over, amount_nodes),
    ),
    "prior": (
        *(_priors, _logs_of_one_more, edits.bare_priors, *_ORDERS),
        *(_calls({"log2"}, "base 2"), _calls({"log10"}, "base 10")),
    ),
    "underflow": (
        _calls(_PRODUCTS, "multiplied", "matrix"),
        *(_calls({"multivariate_normal"}, "exponential"), _calls({"softmax"}, "softmax")),
        *(_products_in_loops, _exponentials_of_sums),
        _logs_of_densities,
    ),
    "precision": (_cast_to_single,),
    "cancellation": (_less_squares,),
    "density-formula": (
        _deviations_called_variances,
        *(_of_squares, _terms(r"2(\.0)? \* (\w+\.)?pi\b.*", "normaliser")),
        _terms(rf"\(.+ - .+\) / .*(?i:{SPREAD_NAME.pattern}).*", "deviation belongs"),
        _calls({"pdf", "logpdf"}, "deviation belongs"),
    ),
    "left-out": (_slips,),
    "decision": (_starts,),
    "shared-variances": (_means_of_spreads, _kept_spreads, _sums_of_squares),
    "one-variance": (_means_of_spreads, _kept_spreads, _sums_of_squares),
    "one-mean": (_whole_means,),
    "variance-centre": (_sums_of_squares,),
    "class-order": _ORDERS,
    "full-covariances": (_calls({"cov"}), _calls({"inv", "pinv"})),
    "learned": (_kept, _kept_spreads, _sums_of_squares),
    "estimates": (
        *(_calls({"median"}, "median"), _calls({"trim_mean"}, "smallest")),
        _terms(r".+ / \(.+ - .+\)", "number of classes"),
    ),
    "clipped": (_bounds,),
    "unnormalised": (_table_returns,),
    "stateful": (
        *(_kept_from_before, _calls(_DRAWS), _shared_defaults, _of_rows_to_label),
    ),
}
