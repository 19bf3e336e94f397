"""Statements of a script that train, or predict as well, as a function of their data."""

import ast
import copy
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gnbbench.implementations import sources
from gnbbench.implementations.roles import (
    asks_by_name,
    count_role,
    extra_role,
    is_asked,
    is_data,
    is_label,
    is_sample,
    is_table,
    is_training,
    says,
    words_of,
)

# The functions that are made: one that trains, and one that predicts, too.
TRAINER, PREDICTOR = "train_in_script", "predict_in_script"
# The list of what a script compares with true labels.
ANSWERS = "answers_in_script"
_STANDS_FOR = "gnbbench_stands_for"  # The statement that a changed copy stands for
# Calls that give data, which a function takes instead.
_GIVES_DATA = re.compile(
    r"(.*\.)?(read|load|fetch|make|open|input|\w*genfromtxt|\w*split\b)", re.DOTALL
)
_LOADS = re.compile(r"(.*\.)?(read|load|fetch)", re.DOTALL)
# Methods of models, which are another's unless a class of the file makes them.
_OF_MODELS = re.compile(r".*(?<!norm)\.(fit|predict|transform)", re.DOTALL)
_SCORES, _OTHER_MODELS = (set(sources.LISTS[kind]) for kind in ("scores", "other_models"))
_Functions = Mapping[str, ast.FunctionDef]


class Part(NamedTuple):
    """A function made of a script: its first and last line, and what it returns."""

    name: str
    ask: str  # The function that predicts
    first: int
    last: int
    returns: list[str]


def make_function(tree: ast.Module) -> Part | None:
    """Put statements of a script into a function of the data that they need.

    They train what a function that predicts reads, or what the script gives to it; or
    else they predict. Return None where there are no such statements.
    """
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    own = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    scopes = [*_scopes(tree)]
    asks = [
        *(n for n in functions if says(n, "answers")),
        *(n for n in functions if sources.SAYS_BAYES.search(n) and not says(n, "learns")),
        *(n for n in functions if not _SCORES.isdisjoint(words_of(n))),
    ]
    trained = (
        _Slice(ask, scope, _needs(ask, scope, functions), own)
        for ask in asks
        for scope in scopes
    )
    predicted = (
        _Slice("", scope, [name], own) for scope in scopes for name in _answers_in(scope)
    )
    counted = (
        _Slice("", _keeping_answers(scope), [ANSWERS], own, scores=True)
        for scope in scopes[:1]
    )
    every = (part for parts in (trained, predicted, counted) for part in parts)
    part = next(filter(None, every), None)
    if part is None:
        return None
    made = part.as_function({n for f in functions for n in _read(f, functions)})
    chosen = {vars(node).get(_STANDS_FOR, node) for node in part.statements}
    past = 1 + max((i for i, node in enumerate(tree.body) if node in chosen), default=-1)
    tree.body[past:past] = made
    tree.body = [node for node in tree.body if node not in chosen]
    last = part.statements[-1].end_lineno or 0
    return Part(part.name, part.ask, part.statements[0].lineno, last, part.wanted)


def _scopes(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    """Yield the script, alone and with each function that needs no argument.

    Or with what is done for each part of the data, as in cross-validation.
    """
    script = [*_flat(tree.body)]
    yield script
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.args.args:
            yield [*script, *_flat(node.body)]
    for node in script:
        body = [*_flat(node.body)] if isinstance(node, ast.For) else []
        if any(map(is_training, made := _made_in(body))) and any(map(asks_by_name, made)):
            yield [*(other for other in script if other is not node), *body]


def _flat(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements, and in place of a main block, try or with what is in it."""
    for node in body:
        if sources.is_main(node) or isinstance(node, ast.Try | ast.With):
            yield from _flat(next(sources.blocks(node)))
        elif not isinstance(node, sources.DEFINITIONS):
            yield node


def _answers_in(scope: list[ast.stmt]) -> list[str]:
    """Return the names that a script calls answers, or compares with labels it asks for."""
    bound = _made_in(node for node in scope if isinstance(node, ast.Assign | ast.AnnAssign))
    compared = set[str]()
    for node in (inner for statement in scope for inner in ast.walk(statement)):
        names = _names_in(node) if isinstance(node, ast.Compare | ast.Call) else set()
        if any(is_label(name) and asks_by_name(name) for name in names):
            compared |= names
    said = {name for name in bound if says(name, "answers")}
    return [*sorted(said), *sorted(compared & bound - said)]


def _keeping_answers(scope: list[ast.stmt]) -> list[ast.stmt]:
    """Return a script that keeps what it compares with each true label in a loop."""
    kept: list[ast.stmt] = []
    for node in scope:
        loop = copy.deepcopy(node) if isinstance(node, ast.For) else None
        if loop and _keeps(loop.body, _truths_in(loop)):
            vars(loop)[_STANDS_FOR] = node
            kept += [ast.copy_location(ast.parse(f"{ANSWERS} = []").body[0], node), loop]
        else:
            kept.append(node)
    return kept


def _truths_in(loop: ast.For) -> set[str]:
    """Return the code of what stands for the true label of a row in a loop."""
    names = {name for name in _names_in(loop) if is_label(name) and asks_by_name(name)}
    targets = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
    sources_of = [loop.iter]
    if isinstance(loop.iter, ast.Call) and getattr(loop.iter.func, "id", "") == "zip":
        sources_of = loop.iter.args
    truths = set[str]()
    for target, source in zip(targets, sources_of, strict=False):
        place, text = ast.unparse(target), ast.unparse(source)
        truths |= {place} if text in names else set()
        truths |= {f"{place}[-1]"} if asks_by_name(text) and text not in names else set()
        truths |= {f"{name}[{place}]" for name in names if "range" in text}
    return truths


def _keeps(block: list[ast.stmt], truths: set[str]) -> bool:
    """Put a statement that keeps an answer before the first that compares it."""
    for place, node in enumerate(block):
        inner = [*sources.blocks(node)]
        if any(_keeps(part, truths) for part in inner):
            return True
        heads = [node.test] if isinstance(node, ast.If) else [node] * (not inner)
        for part in (each for head in heads for each in ast.walk(head)):
            if answer := _compared(part, truths):
                new = ast.parse(f"{ANSWERS}.append({answer})").body[0]
                for each in ast.walk(new):
                    ast.copy_location(each, node)
                block.insert(place, new)
                return True
    return False


def _compared(node: ast.AST, truths: set[str]) -> str:
    """Return the code of what is compared with a true label, if something computed is."""
    if not (isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq)):
        return ""
    sides = [node.left, *node.comparators]
    for answer, truth in (sides, sides[::-1]) if len(sides) == 2 else ():
        if ast.unparse(truth) in truths and not isinstance(answer, ast.Constant):
            return ast.unparse(answer)
    return ""


def _made_in(scope: Iterable[ast.stmt]) -> set[str]:
    return set[str]().union(*map(sources.bound_or_filled, scope))


class _Slice:
    """The statements that compute names, from names for data that they are given."""

    def __init__(
        self,
        ask: str,
        scope: list[ast.stmt],
        wanted: Sequence[str],
        own: set[str],
        *,
        scores: bool = False,
    ) -> None:
        self.scores = scores  # Whether true labels of the rows are given, too
        self.name, self.ask = TRAINER if ask else PREDICTOR, ask
        self.wanted, self.data = [*wanted], set[str]()
        made, needed, chosen = _made_in(scope), {*wanted}, set[ast.stmt]()
        while more := {n for n in scope if n not in chosen and _changed(n) & needed}:
            chosen |= more
            loaded = set[str]().union(*map(_read_by, more)) & made - needed
            data = {name for name in loaded if _is_given(name, scope)}
            self.data |= data
            needed |= loaded - data
        self.statements = [node for node in scope if node in chosen]
        self.own = own  # Classes of the file

    def __bool__(self) -> bool:
        """Whether they only learn from labels, and label other rows if they predict."""
        asked = {*filter(asks_by_name, self.data)}
        is_asking = bool(asked) and (self.scores or not any(map(is_label, asked)))
        is_meant = is_asking if self.name == PREDICTOR else not asked
        called = _called(*self.statements)
        is_own = bool(called & self.own) or not any(map(_OF_MODELS.match, called))
        acts = sources.ACTS & {name.rpartition(".")[2] for name in called}
        is_closed = is_own and not acts and not any(map(_GIVES_DATA.match, called))
        is_taught = any(is_label(name) or is_table(name) for name in self.data - asked)
        read = set[str]().union(*map(_names_in, self.statements))
        words = {w for name in read | _made_in(self.statements) for w in words_of(name)}
        is_other = bool(words & _OTHER_MODELS) and words.isdisjoint(_SCORES)
        return is_meant and is_closed and is_taught and not is_other

    def as_function(self, read: set[str]) -> list[ast.stmt]:
        """Return the function, and the call that stands for the statements.

        What functions read from outside stays global.
        """
        part_of = self._parts()
        taken = ", ".join(sorted(self.data - {*part_of}, key=_place))
        made, shared = ", ".join(self.wanted), _made_in(self.statements) & read
        whole = "".join(f" {name} = {part}\n" for name, part in part_of.items())
        text = f"def {self.name}({taken}):\n{whole} return {made}\n"
        text += f"{made} = {self.name}({taken})"
        function, call = ast.parse(text).body
        assert isinstance(function, ast.FunctionDef)  # noqa: S101  as written above
        declared: list[ast.stmt] = [ast.Global(sorted(shared))] if shared else []
        new: list[ast.AST] = [function.args, *function.body, call, *declared]
        for part in (inner for node in new for inner in ast.walk(node)):
            ast.copy_location(part, self.statements[-1])
        ast.copy_location(function, self.statements[0])
        function.body[-1:-1] = copy.deepcopy(self.statements)
        function.body[:0] = declared
        return [function, call]

    def _parts(self) -> dict[str, str]:
        """Return names for all samples or labels -> those for the training data among them.

        Beside these, what is all there is for a function stands for them.
        """
        names = sorted(self.data, reverse=True)
        apart = {is_label(name): name for name in names if is_training(name)}
        return {
            name: apart[is_label(name)]
            for name in names
            if _is_apart(name) and is_label(name) in apart
            if not (extra_role(name) or is_training(name) or asks_by_name(name))
        }


def _place(name: str) -> tuple[bool, bool, str]:
    """Return where a name is in order: training samples, their labels, rows to label."""
    return asks_by_name(name), is_label(name), name


def _needs(ask: str, scope: list[ast.stmt], functions: _Functions) -> list[str]:
    """Return the names of a script that a function reads, or is given there."""
    calls = [
        node
        for part in scope
        for node in ast.walk(part)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == ask
    ]
    passed = [arg.id for call in calls for arg in call.args if isinstance(arg, ast.Name)]
    names = dict.fromkeys([*_read(ask, functions), *passed])
    made = {name for name in _made_in(scope) if not _is_given(name, scope)}
    return [name for name in names if name in made and not is_asked(name)]


def _read(name: str, functions: _Functions) -> list[str]:
    """Return the names from outside that a function, and those it names, read."""
    read, waiting = dict[str, None](), [name]
    while waiting:
        outer = sources.from_outside(functions[waiting.pop()])
        waiting += [n for n in outer if n in functions and n not in read]
        read |= dict.fromkeys(sorted(outer))
    return [n for n in read if n not in functions]


def _is_apart(name: str) -> bool:
    """Return whether a name is one for samples or labels, not for both together."""
    return (is_label(name) or is_sample(name)) and not is_table(name)


def _is_given(name: str, scope: list[ast.stmt]) -> bool:
    """Return whether a name is one for data, and not for what is computed of labels.

    What is called training data, or rows to label, is computed only of training labels.
    """
    is_split = is_training(name) or asks_by_name(name)
    makers = [node for node in scope if name in sources.bound_or_filled(node)]
    if extra_role(name) and not any(map(_gives_data, makers)):
        loads = (node for node in scope if any(map(_LOADS.match, _called(node))))
        whole = {n for n in _made_in(loads) if not _is_apart(n)}
        return any(_names_in(node) & whole for node in makers)
    used = [_names_in(node) for node in makers if not _gives_data(node)]
    labels = {n for names in used if name not in names for n in names if is_label(n)}
    is_computed = any(map(is_training, labels)) if is_split else bool(labels)
    is_grouped = not is_split and any(map(_goes_through_training, makers))
    is_known = is_data(name) or (asks_by_name(name) and is_asked(name))
    return is_known and not (count_role(name) or is_computed or is_grouped)


def _goes_through_training(node: ast.stmt) -> bool:
    """Return whether a statement is a loop over a table of training data."""
    return isinstance(node, ast.For) and is_training(getattr(node.iter, "id", ""))


def _gives_data(node: ast.stmt) -> bool:
    """Return whether a statement calls what gives data."""
    return any(map(_GIVES_DATA.match, _called(node)))


def _called(*nodes: ast.AST) -> set[str]:
    """Return what statements call, as code."""
    parts = (part for node in nodes for part in ast.walk(node))
    return {ast.unparse(part.func) for part in parts if isinstance(part, ast.Call)}


def _names_in(node: ast.AST) -> set[str]:
    """Return the names that a statement reads, also in functions that it makes."""
    parts = [*ast.walk(node)]
    items = (part for part in parts if isinstance(part, ast.Subscript))
    filled = {id(item.value) for item in items if isinstance(item.ctx, ast.Store)}
    names = (part for part in parts if isinstance(part, ast.Name))
    return {n.id for n in names if isinstance(n.ctx, ast.Load) and id(n) not in filled}


def _read_by(node: ast.stmt) -> set[str]:
    """Return the names that a statement needs from before it."""
    added = {  # n += 1, or n = n + 1
        name
        for part in ast.walk(node)
        if isinstance(part, ast.AugAssign | ast.Assign)
        for name in sources.bound_or_filled(part)
        if isinstance(part, ast.AugAssign) or name in _names_in(part.value)
    }
    return _names_in(node) - sources.bound_or_filled(node) | added


def _changed(node: ast.stmt) -> set[str]:
    """Return the names that a statement binds or fills, and that of what learns in it."""
    method = getattr(getattr(node, "value", None), "func", None)
    owner = getattr(getattr(method, "value", None), "id", "")
    learns = isinstance(node, ast.Expr) and says(getattr(method, "attr", ""), "learns")
    return sources.bound_or_filled(node) | ({owner} if learns else set())
