"""Small edits that may make a source agree with scikit-learn: proposed, not judged."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, product
from typing import TypeGuard

from gnbbench.diagnosis import edits as sources
from gnbbench.diagnosis import source_lines
from gnbbench.diagnosis.edits import Edit, Edits, Logarithm, SourceFile, name_of, number_in
from gnbbench.diagnosis.findings import Cause

MOST_PROPOSALS = 12
_VARIANCE = re.compile(r"var|sigma2|sigma_sq|sig2|s2|v$", re.IGNORECASE)
_QUOTIENT_OF_SQUARES = re.compile(r"\*\* ?2\b.*/", re.DOTALL)
_SPREADS = {"var", "stdev", "pstdev", "variance", "pvariance"}
_POPULATION = {"stdev": "pstdev", "variance": "pvariance"}


Proposer = Callable[[SourceFile], Iterable[Edits]]


def proposals(causes: Iterable[Cause], text: str, found: str) -> Iterator[str]:
    """Yield changed sources, starting with the likeliest edit for each cause.

    `found` names the class or the functions that were examined. Nothing is yielded unless
    there is an edit for every cause.
    """
    ways = []
    for cause in causes:
        file = SourceFile(text, found, cause)
        edits = {
            edits: None
            for propose in PROPOSERS.get(cause.cause, ())
            for edits in propose(file)
        }
        ways.append([*edits])
    if ways and all(ways):
        changed = (sources.applied(text, chosen) for chosen in product(*ways))
        yield from islice((source for source in changed if source), MOST_PROPOSALS)


def _jointly_and_singly(edits: list[Edits]) -> Iterator[Edits]:
    """Yield all edits together if there are several, then each by itself."""
    if len(edits) > 1:
        yield tuple(edit for group in edits for edit in group)
    yield from edits


def _divisor(file: SourceFile) -> Iterator[Edits]:
    """Yield edits that divide by n instead of n - 1."""
    source = file.source
    edits: list[Edits] = [
        (file.replaced(n.value, "0"),) for n in source_lines.ddof_of_one(source)
    ]
    edits += [
        (file.replaced(n, file.text(n.left)),)
        for n in source_lines.divisors_less_one(source)
    ]
    edits += [_population(file, call.func) for call in source_lines.sample_spreads(source)]
    for call in source_lines.calls_that_divide_by_less(source):
        if name_of(call.func).startswith("agg"):
            edits.append(tuple(_aggregated(file, call)))
            continue
        option = (
            "bias=True"
            if name_of(call.func) == "cov" and file.text(call).startswith("np")
            else "ddof=0"
        )
        end = file.span(call)[1] - 1
        comma = ", " if call.args or call.keywords else ""
        edits.append((Edit(end, end, comma + option),))
    yield from _jointly_and_singly(edits)


def _aggregated(file: SourceFile, call: ast.Call) -> Iterator[Edit]:
    """Yield the edits by which pandas aggregates to spreads with divisor n."""
    for node in ast.walk(call):
        if isinstance(node, ast.Constant) and node.value in ("var", "std"):
            spread = f"lambda c: c.{node.value}(ddof=0)"
            is_listed = isinstance(file.parents.get(id(node)), ast.List | ast.Tuple)
            named = f"({file.text(node)}, {spread})" if is_listed else spread
            yield file.replaced(node, named)


def _population(file: SourceFile, func: ast.expr) -> Edits:
    """Return the edits that use the population's spread of the module statistics."""
    name = name_of(func)
    edits = [file.last_name(func, _POPULATION[name])]
    if isinstance(func, ast.Name):
        for node in ast.walk(file.tree):
            if isinstance(node, ast.ImportFrom) and node.module == "statistics":
                edits += [
                    file.after(alias, f", {_POPULATION[name]}")
                    for alias in node.names
                    if alias.name == name
                ]
    return tuple(edits)


def _smoothing(file: SourceFile) -> Iterator[Edits]:
    """Yield edits that add scikit-learn's amount to variances, replacing any other."""
    yield from _other_amounts(file)
    own = frozenset(function.name for function in file.source.functions)
    raised = [
        edits
        for node in file.source.nodes
        for edits in _raised(file, node, own)
        if file.share_of_variance(node)[0]
    ]
    amounts = source_lines.amount_nodes(file.source)
    raised += _raised_in_lists(file)
    # One in the density is not needed any more.
    if unneeded := tuple(file.replaced(node, "0.0") for node in amounts):
        yield from ((*edits, *unneeded) for edits in _jointly_and_singly(raised))
    yield from _jointly_and_singly(raised)


def _raised(file: SourceFile, node: ast.AST, own: frozenset[str]) -> Iterator[Edits]:
    """Yield the edits that add the share to what a node computes, if that is a spread."""
    share, computed = file.share_of_variance(node)
    match node:
        case ast.Call(func=ast.Attribute(attr="std") as func) if file.imports("np"):
            start, end = file.before(node, "np.sqrt("), file.after(node, f" + {share})")
            yield start, file.last_name(func, "var"), end, *computed
        case ast.Call(func=func, args=[inner]) if name_of(func) == "sqrt":
            if _QUOTIENT_OF_SQUARES.search(file.text(inner)):
                yield file.after(inner, f" + {share}"), *computed
        case ast.Call(func=func) if name_of(func) in own | _SPREADS:
            if edits := _raised_call(file, node, share):
                yield *edits, *computed
        case ast.Assign(value=value, targets=[target]) if _VARIANCE.search(
            file.text(target)
        ):
            text = file.text(value)
            is_square = "** 2" in text and "sqrt" not in text
            if is_square or re.search(r"""["']var["']""", text):
                yield *_with_term(file, value, share), *computed


def _raised_in_lists(file: SourceFile) -> Iterator[Edits]:
    """Yield the edits that add the share to quotients that a list of variances gets."""
    for call in file.source.calls({"append"}):
        quotient = call.args[0] if call.args else call
        share, computed = file.share_of_variance(call)
        is_kept = share and _VARIANCE.search(file.text(call.func))
        if is_kept and isinstance(quotient, ast.BinOp) and isinstance(quotient.op, ast.Div):
            yield file.after(quotient, f" + {share}"), *computed


def _raised_call(file: SourceFile, call: ast.Call, share: str) -> Edits:
    """Return the edits that add the share to a variance, or to a deviation's square."""
    if _is_share(file, call) or not source_lines.SPREAD_NAME.search(name_of(call.func)):
        return ()
    if _VARIANCE.search(name_of(call.func)):
        return _with_term(file, call, share)
    return file.before(call, "("), file.after(call, f" ** 2 + {share}) ** 0.5")


def _is_share(file: SourceFile, node: ast.AST) -> bool:
    """Return whether the largest or the mean of variances is taken, as for smoothing."""
    parent = file.parents.get(id(node))
    return isinstance(parent, ast.Attribute) and parent.attr in {"max", "mean"}


def _with_term(file: SourceFile, node: ast.AST, term: str) -> Edits:
    """Return the edits that add a term to an expression, in brackets if needed."""
    parent = file.parents.get(id(node))
    if isinstance(parent, ast.BinOp | ast.UnaryOp | ast.Attribute | ast.Subscript):
        return file.before(node, "("), file.after(node, f" + {term})")
    return (file.after(node, f" + {term}"),)


def _other_amounts(file: SourceFile) -> Iterator[Edits]:
    """Yield edits that use scikit-learn's amount where another is added or is a floor."""
    for node in source_lines.amount_nodes(file.source):
        yield from _at_use(file, node)
        parent = file.parents.get(id(node))
        match parent:
            case ast.Assign(targets=[target]) | ast.AnnAssign(target=target):
                name = name_of(target)
            case ast.arguments(args=arguments, defaults=defaults) if node in defaults:
                place = (
                    len(arguments) - len(defaults) + [*map(id, defaults)].index(id(node))
                )
                name = arguments[place].arg
            case _:
                continue
        for use in file.source.nodes:
            if isinstance(use, ast.Name | ast.Attribute) and name_of(use) == name:
                yield from _at_use(file, use)


def _at_use(file: SourceFile, node: ast.AST) -> Iterator[Edits]:
    """Yield the edits where an amount is added, or is the floor of a spread."""
    parent, (share, computed) = file.parents.get(id(node)), file.share_of_variance(node)
    match parent:
        case ast.BinOp(left=left, op=ast.Add(), right=right) if share:
            other = left if right is node else right
            if isinstance(other, ast.Call) and name_of(other.func) == "std":
                text = file.text(other).replace(".std(", ".var(")
                yield file.replaced(parent, f"np.sqrt({text} + {share})"), *computed
            elif _is_deviation(other):
                yield file.replaced(parent, _with_share(file, other, share)), *computed
            else:
                yield file.replaced(node, share), *computed
        case ast.AugAssign(op=ast.Add()) if share:
            yield file.replaced(node, share), *computed
        case ast.BinOp(op=ast.Mult()) if share and "var" in file.text(parent):
            yield file.replaced(parent, share), *computed
        case ast.Call(func=ast.Attribute(attr="clip", value=spread), args=[first, *_]) if (
            share and first is node
        ):
            yield file.replaced(parent, f"({file.text(spread)} + {share})"), *computed
        case ast.Call(func=func, args=[first, second, *_]) if share and (
            name_of(func) in {"max", "maximum", "clip"}
        ):
            spread = first if second is node else second
            yield file.replaced(parent, _with_share(file, spread, share)), *computed


def _with_share(file: SourceFile, spread: ast.expr, share: str) -> str:
    """Return the text of a smoothed spread; a deviation is squared for it."""
    text = file.text(spread)
    return (
        f"({text} ** 2 + {share}) ** 0.5"
        if _is_deviation(spread)
        else f"({text} + {share})"
    )


def _is_deviation(node: ast.expr) -> bool:
    """Return whether a node has the name of standard deviations, or calls one."""
    name = name_of(node.func if isinstance(node, ast.Call) else node)
    is_variance = _VARIANCE.search(name) and not re.search("std|dev", name)
    return bool(source_lines.SPREAD_NAME.search(name)) and not is_variance


def _prior(file: SourceFile) -> Iterator[Edits]:
    """Yield edits that use the classes' shares as priors."""
    for node in file.source.nodes:
        match node:
            case ast.BinOp(left=ast.BinOp(left=count), right=ast.BinOp(left=total)) if (
                isinstance(node.op, ast.Div) and source_lines.is_prior(node)
            ):
                if "prior" in file.text(file.parents[id(node)]) or file.source.choice:
                    left, right = node.left, node.right
                    yield (
                        file.replaced(left, file.text(count)),
                        file.replaced(right, file.text(total)),
                    )
            case ast.Call(func=ast.Attribute(attr="log2" | "log10") as func):
                yield (file.last_name(func, "log"),)
    for term in sources.bare_priors(file.source) if file.imports("np") else ():
        yield (file.replaced(term, f"np.log({file.text(term)})"),)
    for node, value in source_lines.named_priors(file.source):
        for edit in _shares(file, node, value):
            yield (edit,)


def _unread_priors(file: SourceFile) -> Iterator[Edits]:
    """Yield edits that add to scores the logarithm of priors that are kept unread."""
    nodes = [n for n in file.source.nodes if isinstance(n, ast.Attribute)]
    read = {node.attr for node in nodes if isinstance(node.ctx, ast.Load)}
    kept = [node for node in nodes if "prior" in node.attr and node.attr not in read]
    for node in kept if file.imports("np") else ():
        prior = file.text(node) if "log" in node.attr else f"np.log({file.text(node)})"
        for scores in file.source.of_type(ast.Assign, ast.Return):
            value: ast.expr | None = getattr(scores, "value", None)
            text = file.text(value) if value else ""
            if (
                value
                and re.search(r"\blog\(", text)
                and re.search(r"(\.sum\(.*|axis=\S+)\)$", text)
            ):
                yield (file.after(value, f" + {prior}"),)


def _shares(file: SourceFile, node: ast.AST, value: ast.expr) -> Iterator[Edit]:
    """Yield edits that put the classes' shares in the place of equal priors."""
    _, labels, *_ = [*file.arguments(file.function_around(node)), "", ""]
    shares = f"np.array([{file.share(labels, 'c')} for c in np.unique({labels})])"
    for part in ast.walk(value):
        match part:
            case ast.BinOp(op=ast.Div(), left=left) if labels and number_in(left) == 1:
                if label := next(iter(file.loop_names(part)[::-1]), ""):
                    yield file.replaced(part, file.share(labels, label))
                elif file.imports("np"):
                    yield file.replaced(part, shares)
    is_log = isinstance(value, ast.Call) and name_of(value.func) == "log"
    inner = value.args[0] if isinstance(value, ast.Call) and is_log else value
    if labels and re.match(r"(np\.)?(ones|full|repeat)\b|\[1", file.text(inner)):
        yield file.replaced(inner, shares)


def _double_precision(file: SourceFile) -> Iterator[Edits]:
    edits: list[Edits] = []
    for node in sources.single_precision_nodes(file.source):
        if isinstance(node, ast.Constant):
            edits.append((file.replaced(node, '"float64"'),))
        else:
            edits.append((file.last_name(node, "float64"),))
    yield tuple(edit for edits_of_node in edits for edit in edits_of_node)


# What may divide the exponentials of logarithms, or a table, by the sum of each row.
_LESS_LOG_SUM = "{0} - np.logaddexp.reduce({0}, axis=-1, keepdims=True)"
_NORMALISED = {
    "predict_log_proba": (_LESS_LOG_SUM,),
    "predict_proba": (
        "{0} / np.sum({0}, axis=-1, keepdims=True)",
        f"np.exp({_LESS_LOG_SUM})",  # If another edit takes logarithms
    ),
}


def _normalised(file: SourceFile) -> Iterator[Edits]:
    """Yield edits that normalise what functions of probabilities return."""
    method = file.source.choice or "predict_log_proba"
    for function in file.source.functions if method in _NORMALISED else ():
        is_log = "log" in function.name
        if "prob" in function.name and is_log == (method == "predict_log_proba"):
            for node in ast.walk(function):
                if isinstance(node, ast.Return) and node.value is not None:
                    for form in _NORMALISED[method]:
                        yield _wrapped(file, node.value, form)


def _wrapped(file: SourceFile, value: ast.expr, form: str) -> Edits:
    """Return the edits that put a value, by a name of its own, in a form."""
    if isinstance(value, ast.Name):
        name = value.id
        start, end = form.format(name).split(name, 1)
    else:
        before, after = form.split("{0}", 1)
        start, end = f"{before}(table := np.asarray(", f")){after.format('table')}"
    return file.before(value, start), file.after(value, end)


def _start_values(file: SourceFile) -> Iterator[Edits]:
    """Yield edits that start the search for a maximum below every number."""
    starts = sources.start_values(file.source)
    yield from _jointly_and_singly(
        [(file.replaced(value, 'float("-inf")'),) for value in starts]
    )


def _sums_of_logs(file: SourceFile) -> Iterator[Edits]:
    """Yield edits that add logarithms of densities instead of multiplying densities."""
    for function in file.source.functions:
        logarithm = Logarithm(file, function)
        for result in logarithm.returns():
            edits = [file.replaced(result, logarithm.of(_unbounded(result)))]
            edits += [*_as_logarithms(file, function.name, logarithm.log)]
            edits += _import_of(file, logarithm.log)
            if len(edits) > 1 and logarithm.is_whole:
                yield tuple(edits)
                yield from ((*edits, *starts) for starts in _start_values(file))


def _as_logarithms(file: SourceFile, density: str, log: str) -> Iterator[Edit]:
    """Yield the edits where densities are multiplied, or their logarithm is taken."""
    kept = sources.results_of(file.source, re.compile(f"^{re.escape(density)}$"))
    kept |= _names_of_products(file)
    for node in file.source.nodes:
        match node:
            case ast.Call(args=[argument]) if _is_log(node) and (
                _is_density(_unbounded(argument), density, kept)
                and not isinstance(file.parents.get(id(node)), ast.IfExp)
            ):
                yield file.replaced(node, file.text(_unbounded(argument)))
            case ast.IfExp(body=ast.Call(func=func, args=[ast.Name(id=name)])) if (
                name_of(func) == "log" and name in kept
            ):
                yield file.replaced(node, name)
            case ast.Call(func=func) if name_of(func) in {"prod", "reduce"}:
                yield from _sum_for_product(file, node, log)
            case ast.AugAssign(op=ast.Mult(), value=value, target=target):
                start, end = file.span(target)[1], file.span(value)[0]
                yield Edit(start, end, " += ")
                if density not in file.text(value):
                    yield file.replaced(value, f"{log}({file.text(value)})")
                elif _unbounded(value) is not value:
                    yield file.replaced(value, file.text(_unbounded(value)))
                yield from _start_of_product(file, node, log)


def _is_density(node: ast.expr, density: str, kept: set[str]) -> bool:
    """Return whether a node is a call of the density, or a name that keeps its result."""
    called = name_of(node.func) if isinstance(node, ast.Call) else ""
    return called == density or name_of(node) in kept


def _logs_of_values(file: SourceFile) -> Iterator[Edits]:
    """Yield edits that keep the logarithm of a density of which no more is used."""
    for function in file.source.functions:
        for name, value in Logarithm(file, function).densities():
            logarithm = Logarithm(file, function)
            edits = [file.replaced(value, logarithm.of(_unbounded(value)))]
            reads = [
                node
                for node in ast.walk(function)
                if isinstance(node, ast.Name) and node.id == name
                if isinstance(node.ctx, ast.Load)
            ]
            ways = [[*_read_as_log(file, node, logarithm.log)] for node in reads]
            if ways and all(ways) and logarithm.is_whole:
                edits += [edit for way in ways for edit in way]
                yield (*edits, *_import_of(file, logarithm.log))


def _read_as_log(file: SourceFile, node: ast.Name, log: str) -> Iterator[Edit]:
    """Yield the edits where a density is read that is now its logarithm, if that can be."""
    around: ast.AST | None = file.parents.get(id(node))
    is_bounded = isinstance(around, ast.expr) and _unbounded(around) is node
    if is_bounded or isinstance(around, ast.Attribute):  # As in d.prod()
        around = file.parents.get(id(around))
    if _is_log(around):
        yield file.replaced(around, node.id)
    elif isinstance(around, ast.Call) and name_of(around.func) == "prod":
        yield from _sum_for_product(file, around, log)


def _unbounded(node: ast.expr) -> ast.expr:
    """Return what a node keeps from zero: the other part of a maximum or a sum."""
    match node:
        case (
            ast.BinOp(left=first, op=ast.Add(), right=second)
            | ast.Call(args=[first, second, *_])
        ) if isinstance(node, ast.BinOp) or (
            name_of(node.func) in {"max", "maximum", "fmax", "clip"}
        ):
            return first if number_in(first) is None else second
    return node


def _is_log(node: ast.AST | None) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and name_of(node.func) == "log"


def _log_densities(file: SourceFile) -> Iterator[Edits]:
    """Yield edits that add the log-densities of SciPy instead of multiplying densities."""
    is_meant, edits = "multiplied" in file.source.choice, list[Edit]()
    products = _names_of_products(file)
    for node in file.source.nodes if is_meant else ():
        match node:
            case ast.Call(func=ast.Attribute(attr="pdf") as func):
                edits.append(file.last_name(func, "logpdf"))
            case ast.Call(func=func) if name_of(func) in {"prod", "reduce"}:
                edits += _sum_for_product(file, node, "np.log")
            case ast.AugAssign(op=ast.Mult(), value=value, target=target):
                start, end = file.span(target)[1], file.span(value)[0]
                edits += Edit(start, end, " += "), *_start_of_product(file, node, "np.log")
            case ast.Call(func=func, args=[ast.Name(id=name)]) if (
                name_of(func) == "log" and name in products
            ):
                edits.append(file.replaced(node, name))
    if any(edit.text == "logpdf" for edit in edits):
        yield tuple(edits)


def _logs_of_pdf(file: SourceFile) -> Iterator[Edits]:
    """Yield edits that take the log-density of SciPy for the logarithm of its density."""
    edits = list[Edit]()
    for call in file.source.calls({"log"}):
        density = _unbounded(call.args[0]) if call.args else call
        if isinstance(density, ast.Call) and name_of(density.func) == "pdf":
            text, start = file.text(density), len(file.text(density.func)) - len("pdf")
            edits.append(file.replaced(call, f"{text[:start]}log{text[start:]}"))
    if edits:
        yield tuple(edits)


def _names_of_products(file: SourceFile) -> set[str]:
    """Return the variables that keep a product over features."""
    product_ = re.compile(r"\bprod\(|multiply\.reduce\(")
    return {
        target.id
        for node in file.source.of_type(ast.Assign)
        for target in getattr(node, "targets", ())
        if isinstance(target, ast.Name) and product_.search(file.text(node))
    }


def _sum_for_product(file: SourceFile, call: ast.Call, log: str) -> Iterator[Edit]:
    """Yield the edits that add what a call multiplies."""
    func = call.func
    if name_of(func) == "prod":
        yield file.last_name(func, "fsum" if file.text(func) == "math.prod" else "sum")
        yield from _factor(file, call, log)
    elif isinstance(func, ast.Attribute) and name_of(func.value) == "multiply":
        yield file.last_name(func.value, "add")
        yield from _factor(file, call, log)
    elif call.args and re.search(r"\bmul\b|\*|multiply", file.text(call.args[0])):
        yield file.replaced(call.args[0], "lambda a, b: a + b")
        for start in call.args[2:]:
            yield file.replaced(start, f"{log}({file.text(start)})")


def _factor(file: SourceFile, node: ast.AST, log: str) -> Iterator[Edit]:
    """Yield the edits that turn a prior times a product into a sum."""
    match file.parents.get(id(node)):
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            other = left if right is node else right
            yield file.replaced(other, f"{log}({file.text(other)})")
            spans = sorted([file.span(left), file.span(right)])
            yield Edit(spans[0][1], spans[1][0], " + ")
            around = file.parents.get(id(file.parents[id(node)]))
            if _is_log(around):  # Of the whole, which is a logarithm now
                (start, end), whole = file.span(around), (spans[0][0], spans[1][1])
                yield from (Edit(start, whole[0], "("), Edit(whole[1], end, ")"))


def _start_of_product(file: SourceFile, node: ast.AugAssign, log: str) -> Iterator[Edit]:
    """Yield the edit of the initial value of a product."""
    function, target = file.function_around(node), file.text(node.target)
    for other in ast.walk(function) if function else ():
        match other:
            case ast.Assign(targets=[first], value=value) if file.text(first) == target:
                if other.lineno < node.lineno:
                    yield file.replaced(value, f"{log}({file.text(value)})")


def _import_of(file: SourceFile, log: str) -> list[Edit]:
    """Return the edit that imports a bare `log` beside `exp`, unless it is imported."""
    if log != "log" or file.imports("log"):
        return []
    return [
        file.after(alias, ", log")
        for node in ast.walk(file.tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name == "exp"
    ]


# Cause -> what may remove it.
PROPOSERS: dict[str, tuple[Proposer, ...]] = {
    "variance-divisor": (_divisor,),
    "no-smoothing": (_smoothing,),
    "smoothing-rule": (_smoothing,),
    "prior": (_prior, _unread_priors, sources.absent_priors),
    "underflow": (_sums_of_logs, _logs_of_values, _log_densities, _logs_of_pdf),
    "density-floor": (_sums_of_logs, _logs_of_values, _logs_of_pdf),
    "precision": (_double_precision,),
    "probabilities": (_double_precision,),
    "unnormalised": (_normalised,),
    "decision": (_start_values,),
    "constant": (_start_values,),
    "unseen-class": (_start_values,),
}
