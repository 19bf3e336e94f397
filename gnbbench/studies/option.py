"""How options are declared, parsed and refused.

Commands, configuration files, Python functions and the documentation of all three are
made from these models. A wrong option is refused before anything else is imported.
"""

import csv
import inspect
import math
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import partial, wraps
from pathlib import Path
from textwrap import wrap
from typing import Any, ParamSpec, Self, TypeVar, cast, get_args, get_origin

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)
from pydantic.fields import FieldInfo

from gnbbench.errors import OptionError, meant, refuse_undecoded

O = TypeVar("O", bound="Options")  # noqa: E741  options
P = ParamSpec("P")
T = TypeVar("T")

# Groups of options, as help shows them; those used most come first.
PANELS = ("Study", "Data", "Timing", "Execution", "Output", "Gates", "Advanced")
STUDY, DATA, TIMING, EXECUTION, OUTPUT, GATES, ADVANCED = PANELS

# Where an option can be given.
COMMAND, FILE, PYTHON = "command", "file", "python"
EVERYWHERE = frozenset({COMMAND, FILE, PYTHON})
NOT_IN_FILES = EVERYWHERE - {FILE}

BOUNDS = ("ge", "gt", "le", "lt")

# Sections in the docstring of every Python function that runs a study.
SECTIONS = (
    *("", "Returns", "-------", "Study", "", "Raises", "------", "GnbBenchError"),
    *("    If an option cannot be used.", ""),
)


@dataclass(frozen=True)
class Option:
    """How an option is grouped, spelled, parsed and refused; pydantic does the rest."""

    panel: str
    text: str  # Its help
    flag: str = ""  # As typed, unless derived from the name
    metavar: str | None = None
    is_argument: bool = False
    plain: Any = None  # Type in commands and files, where Python accepts more
    read: Callable[[Any], Any] | None = None  # Parses what was typed
    typed: Any = None  # Default as typed, if `read` parses it
    refusal: str = "{value} is out of range"
    remedy: str = ""
    interfaces: frozenset[str] = frozenset()  # Empty: those of its panel

    def is_in(self, interface: str) -> bool:
        """Return whether an interface offers it; files hold what results depend on."""
        in_files = EVERYWHERE if self.panel not in {EXECUTION, OUTPUT} else NOT_IN_FILES
        return interface in (self.interfaces or in_files)

    def spelled(self, name: str) -> str:
        """Return the option as it is spelled in a command."""
        return self.flag or "--" + name.replace("_", "-")


def about(panel: str, text: str, **extra: Any) -> Any:
    """Return the metadata of a field, for its ``json_schema_extra``."""
    return {"option": Option(panel, text, **extra)}


def option(panel: str, text: str, default: Any = None, **extra: Any) -> Any:
    """Return a field of `Options`; bounds are passed to pydantic, all else to `Option`."""
    bounds: Any = {name: extra.pop(name) for name in BOUNDS if name in extra}
    # Pydantic lets infinity pass a lower bound.
    bounds |= {"allow_inf_nan": False} if "gt" in bounds else {}
    return Field(default, json_schema_extra=about(panel, text, **extra), **bounds)


switch = partial(option, default=False)
# Metadata of a positional argument.
argument = partial(about, STUDY, is_argument=True)

# scikit-learn's name of an option -> ours.
SKLEARN_NAMES = {"random_state": "seed"}


class Options(BaseModel):
    """Validated options; every mistake raises an `OptionError`."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    @model_validator(mode="wrap")
    @classmethod
    def _refuse_in_our_words(
        cls, values: Any, handler: ModelWrapValidatorHandler[Self]
    ) -> Self:
        try:
            return handler(_renamed(cls, values) if isinstance(values, dict) else values)
        except ValidationError as error:
            raise _refusal(cls, error) from None

    @model_validator(mode="after")
    def _check_seed(self) -> Self:
        values = vars(self)
        if "seed" in values:
            require_seed(values["seed"], values.get("runs", 1))
        return self

    def changed(self, interface: str = FILE) -> dict[str, Any]:
        """Return the options of an interface that differ from their defaults."""
        declared = options_of(type(self), interface)
        values = {name: getattr(self, name) for name in declared}
        return {n: value for n, value in values.items() if value != declared[n][0].default}


def options_of(model: type[Options], interface: str) -> dict[str, tuple[FieldInfo, Option]]:
    """Return the options of an interface, those of the panels used most first."""
    declared = {n: (field, option_of(field)) for n, field in model.model_fields.items()}
    ordered = sorted(declared.items(), key=lambda entry: PANELS.index(entry[1][1].panel))
    return {name: entry for name, entry in ordered if entry[1].is_in(interface)}


def typed(model: type[Options], values: Mapping[str, Any]) -> list[str]:
    """Return the command-line words that set these values; defaults are left out."""
    words = []
    for name, (field, option) in options_of(model, COMMAND).items():
        value = values.get(name)
        if value is None or value in (field.default, option.typed):
            continue
        flag, _, off = option.spelled(name).split()[0].partition("/")
        if isinstance(value, bool):
            words.append(off if off and not value else flag)
            continue
        for item in value if isinstance(value, list | tuple) else (value,):
            words += [str(item)] if option.is_argument else [flag, str(item)]
    return words


def shell_lines(words: Sequence[str]) -> str:
    """Return a command on lines of at most 78 characters, continued by backslashes."""
    lines = [""]
    for word in map(shlex.quote, words):
        if lines[-1] and len(lines[-1]) + len(word) > 75:
            lines[-1] += " \\"
            lines.append("   ")
        lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(lines)


def option_of(field: FieldInfo) -> Option:
    """Return the metadata of a field."""
    extra: Any = field.json_schema_extra
    declared: Option = extra["option"]
    return declared


def plain_type(field: FieldInfo) -> Any:
    """Return the type of an option in commands and files, without None."""
    annotation = option_of(field).plain or field.annotation
    kinds = [kind for kind in get_args(annotation) if kind is not type(None)]
    is_optional = len(kinds) == 1 and get_origin(annotation) is not tuple
    return kinds[0] if is_optional and len(get_args(annotation)) > 1 else annotation


def other_names(model: type[Options]) -> dict[str, str]:
    """Return aliases of options: their flags, and scikit-learn's names."""
    fields = options_of(model, PYTHON).items()
    flags = {name: option.spelled(name).split()[0] for name, (_, option) in fields}
    typed = {
        flag.partition("/")[0][2:]: name
        for name, flag in flags.items()
        if flag.startswith("--") and not flag.startswith("--no-") and "-" not in flag[2:]
    }
    taken, names = model.model_fields, typed | SKLEARN_NAMES
    return {n: ours for n, ours in names.items() if ours in taken and n not in taken}


def _renamed(model: type[Options], values: dict[str, Any]) -> dict[str, Any]:
    """Return the values under our names, with typed text parsed."""
    others, renamed = other_names(model), dict[str, Any]()
    for alias, value in values.items():
        name = others.get(alias, alias)
        if name != alias and name in values:
            what = f"it is another name for {name}, which is also given"
            raise OptionError(alias, what, "Give only one of them.")
        renamed[name] = value
        field = model.model_fields.get(name)
        if field is None:
            continue
        option = option_of(field)
        for item in value if isinstance(value, list | tuple) else (value,):
            refuse_undecoded(item)
        if isinstance(value, str) and not value and plain_type(field) is Path:
            raise OptionError(option.spelled(name), "it is empty", "Give a path.")
        if option.read is not None and not option.is_argument:
            kinds = int | float if isinstance(option.typed, float) else str
            renamed[name] = option.read(value) if isinstance(value, kinds) else value
    return renamed


def _refusal(model: type[Options], error: ValidationError) -> OptionError:
    """Return the first mistake that pydantic found, in plain words."""
    fault = error.errors(include_url=False, include_context=False)[0]
    name, value, kind = str(fault["loc"][0]), fault["input"], fault["type"]
    if kind == "extra_forbidden":
        remedy = meant(name, model.model_fields, instead="Leave it out.")
        return OptionError(name, "there is no such option", remedy)
    option = option_of(model.model_fields[name])
    if kind == "missing":
        what = "not given"
    elif kind.startswith(("greater_than", "less_than", "finite", "literal")):
        percent = 100 * value if isinstance(value, int | float) else value
        value = f"{value:g}" if isinstance(value, float) else value
        what = option.refusal.format(value=value, percent=percent)
    else:
        what = f"{value!r} is {_TYPE_FAULTS.get(kind.partition('_')[0], 'not allowed')}"
    return OptionError(option.spelled(name), what, option.remedy or "See --help.")


_TYPE_FAULTS = {
    "int": "not a whole number",
    "float": "not a number",
    "bool": "neither true nor false",
}
_TYPE_FAULTS |= {"string": "not text", "tuple": "not a list", "path": "not a path"}


def require(condition: bool, flag: str, value: object, remedy: str) -> None:  # noqa: FBT001  the condition is the point
    """Raise unless a condition on several options holds."""
    if not condition:
        raise OptionError(flag, f"{value} is out of range", f"Give {remedy}.")


def require_seed(seed: int, runs: int) -> None:
    """Raise unless every run can have its own random state."""
    last = seed + runs - 1
    require(runs <= 2**32, "--runs", runs, f"a whole number up to {2**32}")
    remedy = f"a whole number from 0 to {2**32 - runs}"
    require(seed >= 0 and last < 2**32, "--seed", seed, remedy)


_UNITS = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_NUMBER = r"[0-9]+\.?[0-9]*|\.[0-9]+"


def seconds_of(text: str) -> float:
    """Return the seconds in a time such as 30s, 500ms, 2m or 1.5."""
    match = re.fullmatch(rf"({_NUMBER})\s*([a-z]*)", text.strip(), flags=re.ASCII)
    seconds = float(match[1]) * _UNITS.get(match[2], 0.0) if match else 0.0
    if not 0.0 < seconds < math.inf:
        remedy = "Give a number above 0 with ms, s, m or h, such as 30s."
        raise OptionError("--budget", f"'{text}' is not a time", remedy)
    return seconds


def share_of(text: str) -> float:
    """Return the share in a percentage such as 1% or a number such as 0.01."""
    match = re.fullmatch(rf"({_NUMBER})\s*(%?)", text.strip(), flags=re.ASCII)
    share = float(match[1]) / (100.0 if match[2] else 1.0) if match else 0.0
    if not 0.0 < share < 1.0:
        remedy = "Give one above 0 and below 100 %, such as 1% or 0.01."
        raise OptionError("--precision", f"'{text}' is not a share", remedy)
    return share


def fractions_of(text: str) -> tuple[float, ...]:
    """Return the shares in ``FIRST:LAST:STEP`` or a comma-separated list.

    Decimals are added exactly, so that 0.1:0.9:0.1 has nine shares as a user expects.
    """
    try:
        parts = [Decimal(part.strip()) for part in text.replace(":", ",").split(",")]
    except InvalidOperation:
        parts = []
    is_range = ":" in text
    if not parts or (is_range and (len(parts) != 3 or "," in text or not parts[2] > 0)):
        remedy = "Give FIRST:LAST:STEP, such as 0.1:0.9:0.1, or a list such as 0.1,0.5."
        raise OptionError("--train-fractions", f"'{text}' cannot be read", remedy)
    if not is_range:
        return tuple(map(float, parts))
    first, last, step = parts
    if first > last:
        what = f"{text} contains no fractions (the first is above the last)"
        raise OptionError("--train-fractions", what, "Give the smaller one first.")
    count = int((last - first) / step) + 1
    if count > 1000:
        what = f"{text} contains more than 1,000 fractions"
        raise OptionError("--train-fractions", what, "Give a larger step.")
    return tuple(float(first + step * place) for place in range(count))


def names_of(text: str) -> tuple[str, ...]:
    """Return comma-separated names; a name in quotes may contain a comma."""
    return tuple(name.strip() for name in next(csv.reader([text], skipinitialspace=True)))


def one_or_several(names: list[str]) -> str | list[str]:
    """Unwrap a single name, since a list of one would make a matrix."""
    return names[0] if len(names) == 1 else names


def limit_of(typed: float | str) -> float | None:
    """Return the time limit of a call of third-party code in seconds, None for no limit."""
    remedy = "Give seconds above 0, or 0 for no limit."
    if isinstance(typed, str):
        raise OptionError("--timeout", f"{typed!r} is not a number", remedy)
    if not (math.isfinite(typed) and typed >= 0.0):
        raise OptionError("--timeout", f"{typed:g} is out of range", remedy)
    return typed or None


def study_function(model: Callable[P, O]) -> Callable[[Callable[[O], T]], Callable[P, T]]:
    """Turn a function of an options model into one that takes each option by name."""
    options = cast("type[O]", model)
    fields = options_of(options, PYTHON)
    first = [name for name in fields if fields[name][0].kw_only is False]
    ordered = [*first, *(name for name in fields if name not in first)]
    others = other_names(options)
    signature = inspect.Signature([_parameter(name, fields[name][0]) for name in ordered])

    def decorate(function: Callable[[O], T]) -> Callable[P, T]:
        @wraps(function)
        def call(*arguments: P.args, **named: P.kwargs) -> T:
            ours = {name: value for name, value in named.items() if name not in others}
            also = {name: value for name, value in named.items() if name in others}
            unknown = [name for name in ours if name not in fields]
            if unknown:
                hint = meant(unknown[0], fields, instead="See help().")
                what = f"got an unexpected keyword argument '{unknown[0]}'. {hint}"
                raise TypeError(f"{function.__name__}() {what}")
            bound = signature.bind(*arguments, **ours).arguments
            with _parameters_named(options):
                return function(options(**bound, **also))

        call.__doc__ = _documented(function.__doc__ or "", options, ordered)
        # `inspect` must show these parameters, not those of the wrapped function.
        vars(call)["__signature__"] = signature
        del vars(call)["__wrapped__"]
        return call

    return decorate


@contextmanager
def _parameters_named(model: type[Options]) -> Iterator[None]:
    """Let errors name the Python parameter instead of the command-line option."""
    try:
        yield
    except OptionError as error:
        for name, (_, option) in options_of(model, PYTHON).items():
            if error.where == option.spelled(name).split()[0].partition("/")[0]:
                error.where, remedy = name, error.remedy.replace("See --help", "See help()")
                error.args = (f"{name}: {error.what}. {remedy}",)
        raise


def _parameter(name: str, field: Any) -> inspect.Parameter:
    kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    default = inspect.Parameter.empty if field.is_required() else field.default
    kind = kinds[field.kw_only is not False]
    return inspect.Parameter(name, kind, default=default, annotation=field.annotation)


def _documented(text: str, model: type[Options], names: list[str]) -> str:
    """Return a docstring with parameters, returns and raises before its examples.

    Parameters of a study come first; the signature has the others.
    """
    fields = options_of(model, PYTHON)
    also = {name: f" Also `{other}`." for other, name in other_names(model).items()}
    lines = ["Parameters", "----------"]
    for name in names:
        field, option = fields[name]
        if option.panel != STUDY:
            continue
        kind = inspect.formatannotation(field.annotation).replace("typing.", "")
        default = "" if field.is_required() else f", default={field.default!r}"
        lines += [f"{name} : {'object' if kind == 'Any' else kind}{default}"]
        plain, _, hint = option.text.partition("  [default: ")
        plain = re.sub("[;.] [Ww]ith --stream.*", ".", plain)
        shown = plain.partition("  [")[0].replace("; repeatable", ", or several in a list")
        shown += (f" Default: {hint[:-1]}." if hint else "") + also.get(name, "")
        lines += wrap(shown, 84, initial_indent="    ", subsequent_indent="    ")
    lines += ["", "Other Parameters", "----------------", "others : object"]
    lines += ["    The command's --help describes them."]
    before, heading, examples = inspect.cleandoc(text).partition("Examples\n--------\n")
    return "\n".join([before.rstrip(), "", *lines, *SECTIONS, heading + examples])
