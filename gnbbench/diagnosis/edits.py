"""The syntax tree of a source: what of it was examined, and edits by its nodes.

An edit leaves the rest of the file unchanged.
"""

import ast
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import unified_diff
from itertools import pairwise

from gnbbench.diagnosis import variants
from gnbbench.diagnosis.findings import Cause, is_near
from gnbbench.implementations.scripts import PREDICTOR, TRAINER, make_function
from gnbbench.words import amount

_SHARE = "1e-9 * np.var({X}, axis=0).max()"
_PLAIN_SHARE = (
    "1e-9 * max(sum((v - m) ** 2 for v in c) / len(c)"
    " for c in zip(*{X}) for m in [sum(c) / len(c)])"
)
_NAME = "smoothing"

LARGEST_WRITTEN = 0.1  # A larger number is no amount, unless a cause has its line
_SINGLE = re.compile(r"float32|float16|half|single|[<=>]?f[24]")
_LABEL = re.compile(r"y|labels?|targets?", re.IGNORECASE)
_EVIDENCE = re.compile(r"(self\.)?(p_?x|evidence|marginal)", re.IGNORECASE)


@dataclass(frozen=True)
class Source:
    """The definitions in a source that an implementation consists of."""

    nodes: tuple[ast.AST, ...]
    functions: tuple[ast.FunctionDef, ...]
    amounts: tuple[float, float]  # The smallest and the largest possible
    choice: str  # The position of a knob, in words
    is_framed: bool = False  # Whether it uses pandas
    bounds_deviations: bool = False  # Whether amounts may be squares of a bound

    def calls(self, names: Iterable[str]) -> Iterator[ast.Call]:
        """Yield calls of functions or methods with these names."""
        for node in self.nodes:
            if isinstance(node, ast.Call) and name_of(node.func) in names:
                yield node

    def of_type(self, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
        """Yield nodes of some kinds."""
        return (node for node in self.nodes if isinstance(node, kinds))

    def other_numbers(self) -> set[int]:
        """Return what is divided, places, axes and degrees of freedom, by identity."""
        indices = (node.slice for node in self.nodes if isinstance(node, ast.Subscript))
        return {id(part) for index in indices for part in ast.walk(index)} | {
            id(getattr(node, "left", getattr(node, "value", None)))
            for node in self.nodes
            if isinstance(getattr(node, "op", None), ast.Div)
            or getattr(node, "arg", "") in ("axis", "ddof")
        }


def of_classes(source: Source, named: Iterable[str]) -> list[ast.Call]:
    """Return calls, without those on all samples of a learner if there are others.

    A learner is given samples and labels; its rows of one class have another name.
    """
    whole: set[int] = set()
    for function in source.functions:
        names = [a.arg for a in function.args.args if a.arg not in {"self", "cls"}]
        if len(names) == 2 and _LABEL.fullmatch(names[1]):
            on_all = re.compile(rf"(np\.\w+\()?{names[0]}(\[:, \w+\])?[.,)]")
            parts = (node for node in ast.walk(function) if isinstance(node, ast.Call))
            whole |= {id(part) for part in parts if on_all.match(ast.unparse(part))}
    calls = [*source.calls(named)]
    return [call for call in calls if id(call) not in whole] or calls


def is_evidence(node: ast.AST) -> bool:
    """Return whether a name is that of the sum over all classes, the same for each."""
    return bool(_EVIDENCE.fullmatch(ast.unparse(node)))


def bare_priors(source: Source) -> Iterator[ast.expr]:
    """Yield priors in sums of which no logarithm is taken, there or before."""
    logs = [part for call in source.calls({"log"}) for part in ast.walk(call)]
    in_logs = {id(part) for part in logs if isinstance(part, ast.expr)}
    logged = [
        ast.unparse(node).partition(" = ")[0]
        for node in source.of_type(ast.Assign)
        if {*map(id, ast.walk(node))} & in_logs
    ]
    terms: list[ast.expr] = []
    for node in source.nodes if "without its logarithm" in source.choice else ():
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            terms += [node.left, node.right]
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
            terms.append(node.value)
    for term in terms:
        text = ast.unparse(term)
        is_bare = "prior" in text.lower() and "log" not in text and text not in logged
        is_name = isinstance(term, ast.Name | ast.Attribute | ast.Subscript)
        if is_bare and is_name and id(term) not in in_logs:
            yield term


def source_of(cause: Cause, tree: ast.Module, names: set[str]) -> Source:
    """Return the definitions of these names, and of all that they mention."""
    if {TRAINER, PREDICTOR} & names:
        make_function(tree)
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    # Methods are reached through their class: another class may have some of these names.
    methods = {node for owner in classes for node in owner.body}.difference(classes)
    definitions = {
        node.name: node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node not in methods
    }
    constants = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    reached: dict[str, ast.AST] = {}
    waiting = [name for name in names if name in definitions]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached[name] = definitions[name]
            inside = ast.walk(definitions[name])
            mentioned = {name_of(node) for node in inside if not _is_own(node)}
            waiting += [other for other in mentioned if other in definitions]
    if not reached:
        kinds = ast.FunctionDef | ast.ClassDef
        reached = {node.name: node for node in tree.body if isinstance(node, kinds)}
    used = {name_of(node) for root in reached.values() for node in ast.walk(root)}
    constants = [node for node in constants if (used - {""}) & set(targets_of(node))]
    roots = [*reached.values(), *constants] if reached else [tree]
    nodes = {id(node): node for root in roots for node in ast.walk(root)}
    functions = [node for node in nodes.values() if isinstance(node, ast.FunctionDef)]
    interval = cause.interval or ()
    if isinstance(cause.estimate, float):
        interval = (cause.estimate, *interval)
    amounts = (min(interval), max(interval)) if interval else (math.nan, math.nan)
    told = cause.summary if cause.cause == "stateful" else ""
    choice = cause.estimate if isinstance(cause.estimate, str) else told
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.Import))
    is_framed = any(alias.name == "pandas" for node in imports for alias in node.names)
    bounded = cause.kind in variants.OF_DEVIATIONS
    return Source(
        tuple(nodes.values()), tuple(functions), amounts, choice, is_framed, bounded
    )


def _is_own(node: ast.AST) -> bool:
    """Return whether a node is an attribute of the object itself, like a method of it."""
    return isinstance(node, ast.Attribute) and name_of(node.value) == "self"


def targets_of(node: ast.Assign | ast.AnnAssign) -> Iterator[str]:
    """Yield the names that an assignment binds."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return (name_of(part) for target in targets for part in ast.walk(target))


def name_of(node: ast.AST) -> str:
    """Return the last name of a call's function, of a variable or of an attribute."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _multiplies_on(node: ast.AST) -> bool:
    """Return whether a statement multiplies a variable by something, in place or not."""
    match node:
        case ast.AugAssign(op=ast.Mult()):
            return True
        case ast.Assign(targets=[target], value=ast.BinOp(op=ast.Mult()) as whole):
            return ast.unparse(target) in map(ast.unparse, (whole.left, whole.right))
    return False


# Causes that answers of a few data alone may suggest, and what they begin with.
_ROUNDS, _COMPUTES = {"precision", "cancellation"}, "It computes"


def as_written(cause: Cause, text: str, called: str, lines: Sequence[int]) -> Cause:
    """Return a cause with the only amount in its lines, or near, that does as well.

    Failing that it is the only one in what was `called`.
    """
    tree = ast.parse(text)
    named = [n for n in ast.walk(tree) if getattr(n, "lineno", 0) in lines]
    if not any("log" in name_of(node) for node in ast.walk(tree)):
        cause = replace(cause, summary=variants.without_logs(cause.summary))
    if cause.cause in _ROUNDS and cause.summary.startswith(_COMPUTES) and not lines:
        as_if = cause.summary.replace(_COMPUTES, "It answers as if it computed", 1)
        return replace(cause, summary=as_if)
    if cause.kind == "product or whole" and named:
        functions = {name_of(n.func) for n in named if isinstance(n, ast.Call)}
        is_whole = "exp" in functions and not {"prod", "product"} & functions
        is_whole &= not any(map(_multiplies_on, named))
        words = variants.WORDS["does_with_space"]
        old, new = words[cause.kind], words["whole" if is_whole else "product"]
        return replace(cause, summary=cause.summary.replace(old, new))
    if cause.cause not in {"density-floor", "smoothing-rule"} or not isinstance(
        cause.estimate, float
    ):
        return cause
    interval = cause.interval or [cause.estimate]
    below = [inner for n in named if isinstance(n, ast.If) for inner in ast.walk(n)]
    examined = source_of(cause, tree, set(re.findall(r"\w+", called))).nodes
    for nodes in (named, below, examined):
        numbers = {number_in(node) or 0.0 for node in nodes}
        numbers = {n for n in numbers if 0.0 < n < LARGEST_WRITTEN or nodes is named}
        low, high = min(interval), max(interval)
        written = {n for n in numbers if n > 0.0 and is_near(n, low, high)}
        if len(written) == 1:
            break
    else:
        return cause
    (number,) = written
    old, new = amount(cause.estimate), amount(number)
    said, semicolon, rest = cause.summary.partition(";")
    summary = f"{said.replace(old, new)}{semicolon}{rest}"
    remedy = re.sub(rf"\b(your|about) {re.escape(old)}(?!\w)", f"your {new}", cause.remedy)
    evidence = cause.evidence.replace(old, new)
    return replace(
        cause, estimate=number, summary=summary, evidence=evidence, remedy=remedy
    )


def number_in(node: ast.AST) -> float | None:
    """Return the number that an expression of constants stands for."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return float(value)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            base, power = number_in(left), number_in(right)
            if base and base > 0 and power and abs(power) < 300:
                return float(base**power)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            positive = number_in(operand)
            return None if positive is None else -positive
        case ast.Call(func=func, args=[argument]) if name_of(func) == "float":
            return number_in(argument)
    return None


@dataclass(frozen=True)
class Edit:
    """New text for a range of bytes of a source."""

    start: int
    end: int
    text: str


Edits = tuple[Edit, ...]


class SourceFile:
    """A source with its syntax tree, and the bytes of each node."""

    def __init__(self, text: str, found: str, cause: Cause) -> None:
        self.content = text.encode()
        self.tree = ast.parse(text)
        self.source: Source = source_of(cause, self.tree, set(re.findall(r"\w+", found)))
        lines = self.content.splitlines(keepends=True)
        self._starts = [0]
        for line in lines:
            self._starts.append(self._starts[-1] + len(line))
        self.parents = {
            id(child): node
            for node in ast.walk(self.tree)
            for child in ast.iter_child_nodes(node)
        }

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return the start and the end of a node."""
        first, last = node.lineno, node.end_lineno  # type: ignore[attr-defined]
        columns = node.col_offset, node.end_col_offset  # type: ignore[attr-defined]
        return self._starts[first - 1] + columns[0], self._starts[last - 1] + columns[1]

    def text(self, node: ast.AST) -> str:
        """Return the text of a node."""
        start, end = self.span(node)
        return self.content[start:end].decode()

    def replaced(self, node: ast.AST, text: str) -> Edit:
        """Return the edit that replaces a node."""
        return Edit(*self.span(node), text)

    def before(self, node: ast.AST, text: str) -> Edit:
        """Return the edit that inserts text before a node."""
        return Edit(self.span(node)[0], self.span(node)[0], text)

    def after(self, node: ast.AST, text: str) -> Edit:
        """Return the edit that inserts text after a node."""
        return Edit(self.span(node)[1], self.span(node)[1], text)

    def last_name(self, node: ast.AST, text: str) -> Edit:
        """Return the edit that changes a name, or the last attribute of an object."""
        end = self.span(node)[1]
        return Edit(end - len(name_of(node)), end, text)

    def function_around(self, node: ast.AST) -> ast.FunctionDef | None:
        """Return the innermost function around a node."""
        current: ast.AST | None = node
        while current is not None and not isinstance(current, ast.FunctionDef):
            current = self.parents.get(id(current))
        return current

    def imports(self, name: str) -> bool:
        """Return whether a module is imported under a name."""
        return any(
            (alias.asname or alias.name) == name
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        )

    def share(self, labels: str, label: str) -> str:
        """Return the text of a class's share of the labels."""
        if self.imports("np"):
            return f"np.mean({labels} == {label})"
        return f"list({labels}).count({label}) / len({labels})"

    def arguments(self, function: ast.FunctionDef | None) -> list[str]:
        """Return the names of a function's arguments, but for the object's own."""
        names = [argument.arg for argument in function.args.args] if function else []
        return [name for name in names if name not in {"self", "cls"}]

    def calls_of(self, function: ast.FunctionDef) -> list[ast.Call]:
        """Return the calls of a function within other functions that were examined."""
        owner = self._class_around(function) if function.name == "__init__" else None
        calls = self.source.calls({owner.name if owner else function.name})
        pairs = ((call, self.function_around(call)) for call in calls)
        return [call for call, caller in pairs if caller not in (None, function)]

    def samples_argument(self, function: ast.FunctionDef | None) -> str:
        """Return the argument that has all training samples; empty if there is none."""
        names = self.arguments(function)
        if function is None or len(names) < 2:  # Without labels they may be a class's
            return ""
        for call in self.calls_of(function):
            known = self.samples_argument(self.function_around(call))
            if not call.args or self.text(call.args[0]) != known:
                return ""
        return names[0]

    def share_of_variance(self, node: ast.AST) -> tuple[str, Edits]:
        """Return scikit-learn's smoothing at a node, and the edits that provide it.

        It is an attribute, or a further argument, where the training samples are out of
        reach. Empty if there is no way.
        """
        function = self.function_around(node)
        if function is None:
            return "", ()
        if samples := self.samples_argument(function):
            share = self._share_of(samples)
            if self.imports("np"):
                return share, ()
            return _NAME, (self.at_start(function, f"{_NAME} = {share}"),)
        if (owner := self._class_around(function)) is None:
            return self._as_argument(function)
        trainers = [f for f in self.source.functions if self.samples_argument(f)]
        trainers.sort(key=lambda trainer: self._class_around(trainer) is not owner)
        for trainer in trainers[:1]:
            is_own = self._class_around(trainer) is owner
            is_bound = "self" in (argument.arg for argument in function.args.args)
            name = f"{'self' if is_own and is_bound else owner.name}.{_NAME}"
            value = self._share_of(self.samples_argument(trainer))
            return name, (self.at_start(trainer, f"{name} = {value}"),)
        return "", ()

    def _share_of(self, samples: str) -> str:
        """Return the smoothing from samples, of which not all may be numbers."""
        if f"{samples}.select_dtypes(".encode() in self.content:
            samples += '.select_dtypes("number")'
        return (_SHARE if self.imports("np") else _PLAIN_SHARE).format(X=samples)

    def _as_argument(self, function: ast.FunctionDef) -> tuple[str, Edits]:
        """Return the smoothing as a further argument of a function that is only called."""
        calls, arguments = self.calls_of(function), function.args
        uses = [n for n in self.source.of_type(ast.Name) if name_of(n) == function.name]
        simple = arguments.args and not (arguments.defaults or arguments.kwonlyargs)
        if not calls or not simple or len(uses) != len(calls):
            return "", ()
        edits: Edits = (self.after(arguments.args[-1], f", {_NAME}"),)
        for call in calls:
            share, computed = self.share_of_variance(call)
            if not share or not call.args or call.keywords:
                return "", ()
            edits += (self.after(call.args[-1], f", {share}"), *computed)
        return _NAME, edits

    def _class_around(self, function: ast.AST) -> ast.ClassDef | None:
        parent = self.parents.get(id(function))
        return parent if isinstance(parent, ast.ClassDef) else None

    def loop_names(self, node: ast.AST | None) -> list[str]:
        """Return the variables of the innermost loop around a node."""
        while node is not None and not isinstance(node, ast.FunctionDef):
            loop = getattr(node, "generators", [node])[0]
            if isinstance(loop, ast.For | ast.comprehension):
                return [*filter(None, map(name_of, ast.walk(loop.target)))]
            node = self.parents.get(id(node))
        return []

    def at_start(self, function: ast.FunctionDef, line: str) -> Edit:
        """Return the edit that inserts a statement below the docstring of a function."""
        has_more = ast.get_docstring(function) is not None and len(function.body) > 1
        first = function.body[int(has_more)]
        return self.before(first, f"{line}\n{' ' * first.col_offset}")


def absent_priors(file: SourceFile) -> Iterator[Edits]:
    """Yield edits that keep the logarithms of shares in fit and add them to scores."""
    trainers = [f for f in file.source.functions if file.samples_argument(f)]
    trainer = next((f for f in trainers if f.args.args[0].arg == "self"), None)
    modules = {"np": "np.log", "math": "math.log", "log": "log"}
    log = next((name for module, name in modules.items() if file.imports(module)), "")
    if trainer is None or not log:
        return
    y = file.arguments(trainer)[1]
    share = file.share(y, "c")
    kept = file.at_start(
        trainer, f"self.log_priors = {{c: {log}({share}) for c in set({y})}}"
    )
    inside = {id(node) for node in ast.walk(trainer)}
    nodes = [node for node in file.source.nodes if id(node) not in inside]
    for score in (score for node in nodes for score in _scores_of_classes(file, node)):
        for label in file.loop_names(score):
            is_start = number_in(score) == 0.0
            prior = f"self.log_priors[{label}]"
            added = (file.after(score, f" + {prior}"),)
            yield kept, *((file.replaced(score, prior),) if is_start else added)
    listed = f"self.log_priors = {log}([{share} for c in np.unique({y})])"
    for call in nodes if log == "np.log" else ():
        if isinstance(call, ast.Call) and name_of(call.func) == "argmax":
            axes = [number_in(word.value) for word in call.keywords if word.arg == "axis"]
            of = [*call.args, getattr(call.func, "value", call)][0]
            prior = "self.log_priors" + ("[:, None]" if axes == [0.0] else "")
            if axes:
                start, end = file.before(of, "("), file.after(of, f" + {prior})")
                yield file.at_start(trainer, listed), start, end


def _scores_of_classes(file: SourceFile, node: ast.AST) -> Iterator[ast.expr]:
    """Yield what may be a class's score: a start of sums, or what a loop collects."""
    match node:
        case ast.Assign(targets=[target], value=value) if number_in(value) == 0.0:
            if any(
                isinstance(n, ast.AugAssign)
                and isinstance(n.op, ast.Add)
                and name_of(n.target) == name_of(target)
                for n in ast.walk(file.function_around(node) or node)
            ):
                yield value
        case (
            ast.Call(func=ast.Attribute(attr="append"), args=[value])
            | ast.Assign(targets=[ast.Subscript()], value=value)
            | ast.ListComp(elt=value)
            | ast.DictComp(value=value)
        ) if re.search(r"\b(log|log_?pdf|sum)\w*\(", file.text(value)):
            yield value


def single_precision_nodes(source: Source) -> Iterator[ast.AST]:
    """Yield names of narrow types; a variable may have one of the shorter names."""
    for node in source.of_type(ast.Attribute, ast.Name, ast.Constant):
        text = node.value if isinstance(node, ast.Constant) else name_of(node)
        if isinstance(text, str) and _SINGLE.fullmatch(text):
            is_short = "float" not in text and isinstance(node, ast.Name)
            is_code = isinstance(node, ast.Constant) or not text.startswith("f4")
            if is_code and not is_short:
                yield node


def start_values(source: Source) -> Iterator[ast.expr]:
    """Yield the numbers, at most 0, from which the search for a maximum starts."""
    for function in source.functions:
        replaced = {
            name
            for node in ast.walk(function)
            if isinstance(node, ast.If) and isinstance(node.test, ast.Compare)
            for inner in node.body
            if isinstance(inner, ast.Assign)
            for name in {*targets_of(inner)} & {*map(name_of, ast.walk(node.test))} - {""}
        }
        for node in ast.walk(function):
            match node:
                case ast.Assign(
                    targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)
                ):
                    pairs = zip(targets, values, strict=False)
                case ast.Assign(targets=[target], value=value):
                    pairs = zip([target], [value], strict=True)
                case _:
                    continue
            for target, value in pairs:
                number = number_in(value)
                if name_of(target) in replaced and number is not None and number <= 0.0:
                    yield value


def results_of(source: Source, called: re.Pattern[str]) -> set[str]:
    """Return the names that keep what a call of such a name returns."""
    return {
        name_of(node.targets[0])
        for node in source.of_type(ast.Assign)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        if called.search(name_of(node.value.func))
    } - {""}


def exponentials(root: ast.AST) -> Iterator[ast.Call]:
    """Yield calls of exp."""
    for node in ast.walk(root):
        if isinstance(node, ast.Call) and name_of(node.func) == "exp":
            yield node


class Logarithm:
    """The logarithm of an expression, taken apart where it is a product of powers."""

    def __init__(self, file: SourceFile, function: ast.FunctionDef) -> None:
        self.file, self.function = file, function
        self.is_whole = True  # Until an exponential inside remains
        first = next(exponentials(function), None)
        prefix = file.text(first.func).removesuffix("exp") if first else ""
        self.log, self._has_exponential = f"{prefix}log", first is not None
        self._values = {
            node.targets[0].id: node.value
            for node in ast.walk(function)
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }

    def returns(self) -> list[ast.expr]:
        """Return what the function returns, if it is one density."""
        results = [
            node.value
            for node in ast.walk(self.function)
            if isinstance(node, ast.Return) and node.value is not None
        ]
        return results if self._has_exponential and len(results) == 1 else []

    def densities(self) -> list[tuple[str, ast.expr]]:
        """Return the variables that keep a density, and their values."""
        return [pair for pair in self._values.items() if "exp(" in self._text_of(pair[0])]

    def of(self, node: ast.expr) -> str:  # noqa: C901, PLR0911  one case per form
        """Return the text of an expression's logarithm."""
        text = self.file.text
        match node:
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                return f"{self.of(left)} + {self.of(right)}"
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                if number_in(left) == 1:
                    return f"-({self.of(right)})"
                return f"{self.of(left)} - ({self.of(right)})"
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                return f"({text(right)}) * ({self.of(left)})"
            case ast.Call(func=func, args=[argument]) if name_of(func) == "exp":
                return f"({text(argument)})"
            case ast.Call(func=func, args=[argument]) if name_of(func) == "sqrt":
                return f"0.5 * {self.log}({text(argument)})"
            case ast.Name(id=name) if "exp(" in self._text_of(name):
                value = self._values.pop(name)  # Of itself it is no value
                logarithm, self._values[name] = self.of(value), value
                return logarithm
        if "exp(" in text(node):
            self.is_whole = False
        return f"{self.log}({text(node)})"

    def _text_of(self, name: str) -> str:
        return self.file.text(self._values[name]) if name in self._values else ""


def difference(before: str, after: str, name: str) -> str:
    """Return the changes of a file as a unified diff."""
    sides = before.splitlines(), after.splitlines()
    return "\n".join(unified_diff(*sides, name, name, lineterm="", n=1))


def applied(text: str, chosen: Iterable[Edits]) -> str:
    """Return the source with all edits; empty where two change the same text."""
    content = text.encode()
    edits = sorted(
        {edit for edits in chosen for edit in edits}, key=lambda e: (e.start, e.end)
    )
    if any(a.end > b.start for a, b in pairwise(edits)):
        return ""
    for edit in reversed(edits):
        content = content[: edit.start] + edit.text.encode() + content[edit.end :]
    changed = content.decode()
    try:
        ast.parse(changed)
    except SyntaxError:
        return ""
    return changed
