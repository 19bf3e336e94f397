"""Which parts of a file fit and predict, found by calling them on a few samples.

What names say runs without such trials, which are for files that it leaves without labels.
"""

import inspect
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from gnbbench.errors import ImplementationError
from gnbbench.implementations import modules, tasks, ways
from gnbbench.implementations.adapting import undisturbed
from gnbbench.implementations.attempts import ENOUGH, attempted, examples
from gnbbench.implementations.conventions import (
    ANSWERED,
    CHANCES,
    FAILED,
    FITTED,
    Convention,
)
from gnbbench.implementations.modules import defined_in, functions_in
from gnbbench.implementations.objects import METHODS, Code, has
from gnbbench.implementations.probing import find_convention
from gnbbench.implementations.roles import (
    asks_by_name,
    gives_nothing,
    is_data,
    joined,
    names_used,
    parameters_of,
    required,
    roles_of_one_call,
    texts_for,
    words_of,
)
from gnbbench.implementations.sources import SAYS_BAYES
from gnbbench.words import listing

_WRITE = "Write a class with fit(X, y) and predict(X)."
_OF_SCRIPT = ", or let the script make y_pred of X_train, y_train and X_test."
MOST_LISTED = 8  # Functions or methods of a file in which nothing is known
# Stand for a parameter that only its author knows: smoothing, a number, an amount, a name.
VALUES, SMOOTHING = (1e-9, 1, 10, 0.001, "label"), {"eps", "epsilon", "smoothing"}
SAYS_NAIVE = re.compile(r"(?i)naive|diag|gauss|normal|independent")
TRYING_SECONDS, MOST_TRIED = 5.0, 20  # For all that a file contains
Load = Callable[[str, Mapping[str, Any]], Code]  # Of a name in a file, with parameters


class Offer(NamedTuple):
    """A class and its methods, or functions joined by +; and what only its author knows."""

    name: str
    methods: Mapping[str, str] = MappingProxyType({})
    unknown: Sequence[str] = ()

    @property
    def calls(self) -> list[str]:
        """The names of its functions, or Class.method, in turn."""
        owned = [f"{self.name}.{method}" for method in self.methods.values()]
        return owned or self.name.split("+")


class Named(NamedTuple):
    """A name on a command line, what it stands for, and how that labels."""

    line: str
    code: Code
    how: Convention
    share: float  # Of right labels; negative if there are none
    is_known: bool  # Whether no value stands for what only its author knows

    @property
    def is_good(self) -> bool:
        """Whether it labels well, and not by its largest scores."""
        return self.share >= ENOUGH and self.how.answer not in {"score", *CHANCES}


def code_by_trial(module: ModuleType, where: str, load: Load, *, is_open: bool) -> Code:
    """Return the code of names that label well by trial; else raise with what is there."""
    what = what_is_there(module, where)
    trials = _tried(offers(module), where, load, module)
    if trials.errors and not trials.names:
        raise trials.errors[0]
    if is_open and (best := _best(trials.done, module)):
        notes = (*best.code.notes, "what to call was found by trial")
        return replace(best.code, notes=notes, line=best.line)
    made = _made_elsewhere(module)
    files = [file.name for file in made.values() if file]
    # One that has rows to label by name is refused for another reason.
    is_split = any(map(asks_by_name, vars(module).get("__script__", ())))
    parts = defined_in(module).items()
    does = any(isinstance(p, type) or tasks.learns(n) or tasks.answers(n) for n, p in parts)
    is_bare = not (made or does or is_split)
    remedy = _WRITE[:-1] + _OF_SCRIPT if is_bare else _WRITE
    remedy = f"Give {files[0]}." if files else remedy
    if labelled := [trial for trial in trials.done if trial.share >= 0.0]:
        best = max(labelled, key=attrgetter("share"))
        remedy = f"Name what fits and what predicts, such as {best.line}"
    elif unmade := ways.not_made(functions_in(module), vars(module)):
        what += unmade
    elif scoring := [n for n, f in functions_in(module).items() if _scores(f)]:
        remedy = f"Let {scoring[0]} return the label of each row that it is asked for."
    elif trials.names:
        what += f"; no right labels came from {listing(trials.names, 3)}"
        what += "" if trials.ended else " in a few seconds"
    raise ImplementationError(where, what, remedy)


def _scores(function: Callable[..., Any]) -> bool:
    """Return whether a function takes training data, and rows with their true labels."""
    return "y_asked" in roles_of_one_call(required(function))


def instead(
    module: ModuleType, where: str, load: Load, code: Code, how: Convention
) -> tuple[Named | None, str]:
    """Return other names that label well by trial where a convention fails, and a note.

    If it is called as scikit-learn's is and raises an error, which is the finding, the
    note is on another class that labels well.
    """
    is_usual = (how.fit, how.predict, how.answers_from) == (*METHODS, ("X",))
    if is_usual and how.fails != ANSWERED:
        kinds = (n for n, kind in defined_in(module).items() if isinstance(kind, type))
        others = (Offer(n) for n in kinds if n != code.name and _rank(n) > 0)
        best = _best(_tried(others, where, load, module).done, module)
        return None, f"`{best.code.name}` beside it can be run: {best.line}" if best else ""
    owner = _owner(module, code)
    prefix = "" if owner is module else f"{code.name}."
    taken = [f"{prefix}{name}" for name in (*how.learners, how.predict)]
    raised = taken[-1:] if how.fails == FITTED else taken[:-1] * (how.fails == FAILED)
    # What a function calls that raises an error does not stand for it.
    parts = set[str]().union(*(_reached(owner, n.removeprefix(prefix)) for n in raised))
    within = _reached(owner, how.predict) - parts

    def may_stand(offer: Offer) -> bool:
        names = {name.rpartition(".")[2] for name in {*offer.calls} - {*taken}}
        is_same = offer.calls[-1] == taken[-1] or names <= within
        least = 0 if is_same else _rank(taken[0])
        return bool(names) and _rank(offer.name) >= least and not names & parts

    trials = _tried(filter(may_stand, offers(module)), where, load, module)
    done = [t for t in trials.done if t.is_good or how.fails != FITTED]
    if best := _best(done, module):
        names = listing([f"`{name}`" for name in taken])
        return best, f"what to call was found by trial, as {names} gave no labels"
    names = listing(trials.names, 1)
    return None, f"no right labels came from {names} either" if names else ""


def _best(trials: Sequence[Named], module: ModuleType) -> Named | None:
    """Return the first that labels well by itself, else what makes labels of good scores.

    These are the author's, right or wrong; failing that, the scores.
    """
    good = [trial for trial in trials if trial.share >= ENOUGH and trial.is_known]
    if not good or (own := [trial for trial in good if trial.is_good]):
        return own[0] if good else None
    for trial in trials:
        reached = _reached(_owner(module, trial.code), trial.how.predict)
        if trial.share >= 0.0 and good[0].how.predict in reached:
            return trial
    return good[0]


def _owner(module: ModuleType, code: Code) -> Any:
    """Return the class of code, or the module if it is of functions."""
    kind = vars(module).get(code.name)
    return kind if isinstance(kind, type) else module


def _reached(owner: Any, name: str) -> set[str]:
    call = getattr(owner, name, None)
    return tasks.names_reached(call, owner) if call else set()


def _rank(name: str) -> int:
    """Return how much a name says of the model: Gauss, Bayes, nothing, or another one."""
    if tasks.is_other_model(name):
        return -1
    return 2 if "gauss" in name.lower() else int(bool(SAYS_BAYES.search(name)))


def offers(module: ModuleType) -> list[Offer]:
    """Return what may fit and predict, the likeliest first: what the script calls so."""
    functions, calls = functions_in(module), vars(module).get("__calls__", ())
    libraries = {n for n, value in vars(module).items() if tasks.is_estimator(value)}
    own = {n: f for n, f in functions.items() if not names_used(f) & libraries}
    kinds = ((n, k) for n, k in defined_in(module).items() if isinstance(k, type))
    offered = [o for n, k in kinds for o in _offers_of_class(n, k)]
    meant = [n for n, f in own.items() if tasks.is_meant(n, f)]
    inner = set[str]().union(*(names_used(own[n]) for n in filter(tasks.answers, own)))
    other = {n for n in own if tasks.DOES_NEITHER & {*words_of(n)}} | inner
    free = [name for name in own if name in meant or name not in other]
    chains = (ways.of_chain(own, ask, calls)[:1] for ask in free)
    fed = [how.path for ways_of_ask in chains for how in ways_of_ask]
    fed.sort(key=lambda path: not tasks.answers(path.rpartition("+")[2]))
    offered += map(Offer, fed)
    alone = [n for n in meant if roles_of_one_call(required(own[n]))]
    if not (offered or alone) and [len(required(f)) for f in own.values()] == [3]:
        alone = meant
    offered += [*map(Offer, alone), *_pairs_of(own)]
    called = [call.name for call in calls]

    def place(offer: Offer) -> tuple[int, ...]:
        turns = [called.index(name) if name in called else -1 for name in offer.calls]
        is_shown = offer.name in fed or (min(turns) >= 0 and turns == sorted(turns))
        rank = _rank(offer.name)
        return rank < 0, not is_shown, -rank

    distinct = {tuple(offer.calls): offer for offer in offered}
    return sorted(distinct.values(), key=place)[:MOST_TRIED]


def _pairs_of(functions: Mapping[str, Callable[..., Any]]) -> Iterator[Offer]:
    for fit, ask in tasks.pairs_by_shape(functions, of_object=False):
        taken = required(functions[fit])
        unknown = [n for n in taken if not is_data(n)] if len(taken) > 2 else []
        yield Offer(f"{fit}+{ask}", unknown=unknown)


def _offers_of_class(name: str, kind: type) -> Iterator[Offer]:
    """Yield pairs of methods, methods of what is made with data, and the class alone."""
    methods = {} if ways.is_abstract(kind) else tasks.methods_of(kind)
    for fit, ask in tasks.pairs_by_shape(methods, of_object=True):
        yield Offer(name, {"fit": fit, "predict": ask} if fit else {"predict": ask})
    if ways.at_once(kind):
        yield Offer(name)


class _Trials(NamedTuple):
    """Trials of offers, the offers, why pairs are none, and whether time sufficed."""

    done: list[Named]
    names: list[str]
    errors: list[ImplementationError]
    ended: bool


def _tried(offered: Iterable[Offer], where: str, load: Load, module: ModuleType) -> _Trials:
    """Try offers up to one that labels well."""
    trials, left = _Trials([], [], [], ended=True), TRYING_SECONDS
    for offer in offered:
        begun, line = time.process_time(), f"{where}:{offer.name}"
        load_it = partial(load, offer.name)
        tries = trials_of(load_it, line, offer.methods, offer.unknown, module)
        try:
            done, ended = tried(tries, min(left, TRYING_SECONDS / 3))
            trials.done.extend(done)
            trials.names.append("+".join(offer.methods.values()) or offer.name)
            trials = trials._replace(ended=trials.ended and ended)
        except ImplementationError as error:
            # Neither functions nor a method alone are a pair by their names.
            trials.errors.extend([error] if len(offer.methods) > 1 else [])
        left -= time.process_time() - begun
        if left <= 0.0 or any(t.is_good and t.is_known for t in trials.done):
            break
    return trials


def trials_of(
    load: Callable[[Mapping[str, Any]], Code],
    where: str,
    typed: Mapping[str, Any],
    unknown: Sequence[str],
    module: ModuleType,
) -> Iterator[Named]:
    """Yield trials of code, with some values for what only its author knows."""
    is_other = SMOOTHING.isdisjoint(words_of("_".join(unknown)))
    kinds = [kind for kind in defined_in(module).values() if isinstance(kind, type)]
    texts = dict.fromkeys(t for k in kinds for n in unknown for t in texts_for(k, n))
    likely = sorted(texts, key=lambda text: not SAYS_NAIVE.search(text))
    values = (*VALUES[is_other:], *likely, *functions_in(module))
    for value in values if unknown else ("",):
        given = {**typed, **dict.fromkeys(unknown, value)}
        query = "&".join(f"{name}={value}" for name, value in given.items())
        code = load(given)
        how = find_convention(code.make, code.conventions)
        share = _least_share(code, how)
        if share >= 0.0 or not unknown:
            yield Named(f"{where}{query and '?' + query}", code, how, share, not unknown)


def _least_share(code: Code, how: Convention) -> float:
    """Return the least share of right labels of synthetic samples, below 0 without any."""
    most = 2 if how.two_classes else np.inf
    with undisturbed():
        samples = (e for e in examples(None) if len(np.unique(e.y_train)) <= most)
        return min(attempted(code.make, how, example).reached for example in samples)


def tried(
    trials: Iterable[Named], seconds: float = TRYING_SECONDS
) -> tuple[list[Named], bool]:
    """Return trials up to one that labels well, and whether they ended in time.

    That is time of the processor, where a signal can interrupt them.
    """
    done: list[Named] = []
    with suppress(_OutOfTimeError), _interrupted_after(seconds):
        for trial in trials:
            done.append(trial)
            if trial.is_good:
                break
        return done, True
    return done, False


class _OutOfTimeError(KeyboardInterrupt):
    """Third-party code takes too long."""


@contextmanager
def _interrupted_after(seconds: float) -> Iterator[None]:
    """Raise after some time of the processor, where a signal can do that."""

    def interrupt(*_: object) -> None:
        raise _OutOfTimeError

    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGPROF, interrupt)
    # Again, if it is caught there.
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def what_is_there(module: ModuleType, where: str) -> str:
    """Return what a file contains in which nothing is known.

    Raise if a failed import may be the reason, as what is there needs it.
    """
    functions = functions_in(module)
    classes = {n: kind for n, kind in defined_in(module).items() if isinstance(kind, type)}
    members = [m for kind in classes.values() for m in tasks.members(kind).values()]
    absent = modules.absent_for(module, [*functions.values(), *members])
    for error in (*absent, *_without_self(classes, where)):
        raise error
    first = {n: [p.name for p in parameters_of(f)][:1] for n, f in functions.items()}
    if not classes and (lost := [n for n in first if first[n] == ["self"]]):
        what = f"takes self in {listing(lost)}, outside of a class"
        raise ImplementationError(where, what, "Indent such functions below a class.")
    texts: list[str] = []
    for name, kind in classes.items():
        methods = _signatures(tasks.public_functions(kind), kind) or "no methods"
        what = f"class {name} ({methods})"
        texts.append(f"the abstract {what}" if ways.is_abstract(kind) else what)
    made = _made_elsewhere(module)
    texts += [f"{text} of {f.name if f else 'a library'}" for text, f in made.items()]
    if functions:
        noun = "functions" if len(functions) > 1 else "function"
        texts.append(f"{noun} {_signatures(functions, module)}")
    what = "does not contain a class with fit and predict, or functions named so; it "
    return f"{what}contains {'; '.join(texts) or 'neither classes nor functions'}"


def _made_elsewhere(module: ModuleType) -> dict[str, Path | None]:
    """Return what a file makes of imported classes, and their files beside it, if any."""
    folder, made = Path(module.__file__ or "").parent, {}
    for name, origin in vars(module).get("__made__", {}).items():
        maker = origin.call.name if origin.call and not origin.part else ""
        kind = vars(module).get(maker)
        if isinstance(kind, type) and all(has(kind, method) for method in METHODS):
            home = Path(getattr(sys.modules.get(kind.__module__), "__file__", None) or "")
            is_beside = folder in home.parents and "site-packages" not in home.parts
            made[f"{name}, made by {maker}"] = home if is_beside else None
    return made


def _without_self(classes: Mapping[str, type], where: str) -> Iterator[ImplementationError]:
    """Yield an error for each method whose first parameter is for samples."""
    for name, kind in classes.items():
        for method in tasks.public_functions(kind):
            held = inspect.getattr_static(kind, method)  # Not of static and class methods
            parameters = parameters_of(held) if inspect.isfunction(held) else ()
            first = next((p.name for p in parameters), "")
            if joined(first) in {"x", "df", "data"}:
                what = f"`{name}.{method}` has no self before {first}"
                remedy = f"Write def {method}(self, {first}, ...)."
                yield ImplementationError(where, what, remedy)


def _signatures(functions: Iterable[str], owner: Any) -> str:
    """Return the first functions of a class or module with their parameters."""
    texts = []
    for name in functions:
        call = tasks.method_of(owner, name)
        is_asked = tasks.answers(name) or SAYS_BAYES.search(name)
        note = " (returns nothing)" if is_asked and gives_nothing(call) else ""
        texts.append(f"{name}({', '.join(p.name for p in parameters_of(call))}){note}")
    more = [f"{len(texts) - MOST_LISTED} more"] if len(texts) > MOST_LISTED else []
    return listing([*texts[:MOST_LISTED], *more])
