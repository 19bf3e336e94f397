"""Commands built from option models: parameters, help and completion."""

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_origin

import typer
from typer.core import TyperCommand, TyperGroup

from gnbbench.cli.exits import user_errors
from gnbbench.errors import OptionError, meant
from gnbbench.studies.option import (
    COMMAND,
    OUTPUT,
    Option,
    Options,
    option_of,
    options_of,
    plain_type,
)


class PanelCommand(TyperCommand):
    """A command whose help groups its options in panels."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **{**named, "rich_markup_mode": "rich"})

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Return the remaining words; raise if a word is empty."""
        with user_errors(), _parser_errors(ctx):
            _refuse_empty(args)
            return super().parse_args(ctx, args)

    def get_help_option(self, ctx: Any) -> Any:
        """Return ``--help``, in the panel of output options."""
        option = super().get_help_option(ctx)
        vars(option)["rich_help_panel"] = OUTPUT
        return option


class CommandGroup(TyperGroup):
    """The group of commands; an unknown name gets a one-line error."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Return the name of the command and its words."""
        with user_errors(), _parser_errors(ctx):
            return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the named command and its words."""
        with user_errors():
            if self.get_command(ctx, args[0]) is None:
                remedy = meant(args[0], self.commands, "See: gnbbench --help")
                raise OptionError(args[0], "there is no such command", remedy)
        return super().resolve_command(ctx, args)


@contextmanager
def _parser_errors(ctx: Any) -> Iterator[None]:
    """Turn errors of the command-line parser into an `OptionError`."""
    try:
        yield
    except _UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            raise
        name = getattr(error, "option_name", "")
        help_of = "" if ctx.parent is None else f"{ctx.info_name} "
        remedy = f"See: gnbbench {help_of}--help"
        if type(error).__name__ == "NoSuchOption":
            known = [
                option for parameter in ctx.command.params for option in parameter.opts
            ]
            where, what = name, "there is no such option"
            remedy = meant(name, known, instead=remedy)
        else:
            where, what = ctx.info_name, error.format_message().rstrip(".")
            what = what.replace("Got unexpected extra argument(s)", "too many arguments")
        raise OptionError(where, what, remedy) from None


# Base class of typer's parser errors, which it does not export.
_UsageError: Any = typer.BadParameter.__base__


# The function of a command and its option models.
Command: TypeAlias = tuple[Callable[..., None], *tuple[type[Options], ...]]


def command(
    run: Callable[..., None], document: str, *models: type[Options]
) -> Callable[..., None]:
    """Return a function for typer that builds the options and passes them to `run`."""
    fields = {n: e for model in models for n, e in options_of(model, COMMAND).items()}

    def call(context: typer.Context, **typed: Any) -> None:
        usual = {n for n in typed if "DEFAULT" in str(context.get_parameter_source(n))}
        with user_errors():
            options = [model(**_values(typed, model, usual)) for model in models]
        run(*options)

    # typer wraps the lines.
    call.__doc__ = "\n\n".join(" ".join(p.split()) for p in document.split("\n\n"))
    call.__annotations__ = {}
    # typer reads it through `inspect`.
    vars(call)["__signature__"] = inspect.Signature(
        [CONTEXT, *(_parameter(name, *entry) for name, entry in fields.items())]
    )
    return call


def _refuse_empty(words: Sequence[str]) -> None:
    """Raise for an empty word, often an unset variable; as a path it would mean "."."""
    for before, word in pairwise(["", *words]):
        flag, is_value, value = word.partition("=")
        if not word or (word.startswith("--") and is_value and not value):
            where = flag or (before if before.startswith("-") else "an argument")
            raise OptionError(where, "it is empty", "Give a value, or leave it out.")


CONTEXT = inspect.Parameter(
    "context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context
)


def _values(
    typed: Mapping[str, Any], model: type[Options], usual: Collection[str]
) -> dict[str, Any]:
    """Return the options set on the command line."""
    values = {}
    for name, (field, option) in options_of(model, COMMAND).items():
        value = typed[name]
        if value is None or value == [] or (name in usual and value == field.default):
            continue
        if option.read is not None:
            value = option.read(value)
        elif isinstance(value, list):
            value = tuple(value)
        values[name] = not value if field.default is True else value
    return values


def _parameter(name: str, field: Any, option: Option) -> inspect.Parameter:
    kind = plain_type(field)
    default = None if field.is_required() else field.default
    if option.read is not None and not option.is_argument:
        default = option.typed
        kind = str if default is None else type(default)
    elif kind == tuple[str, ...]:
        kind, default = list[str], None
    elif default is True:
        # The flag turns it off.
        default = False
    is_needed = option.is_argument and field.is_required()
    common: Any = {"help": option.text.replace("[", r"\[")}
    common["autocompletion"] = candidates(name, field)
    if option.is_argument:
        shown = option.metavar or option.flag or name.upper()
        info = typer.Argument(metavar=shown, show_default=False, **common)
    else:
        number = {int: "<int>", float: "<float>"}.get(kind)
        info = typer.Option(
            *option.spelled(name).split(),
            metavar=option.metavar or number,
            parser=partial(_number, kind) if number else None,
            rich_help_panel=option.panel,
            show_default=default not in (None, False),
            **common,
        )
    is_optional = default is None and not is_needed
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if is_needed else default,
        annotation=Annotated[kind | None if is_optional else kind, info],
    )


def _number(kind: type, typed: Any) -> Any:
    """Return the number, or the text as typed, which option validation then rejects."""
    try:
        return kind(typed)
    except ValueError:
        return typed


def candidates(name: str, field: Any) -> Callable[[str], list[str]] | None:
    """Return a completer for an option; without one, the shell completes file names."""
    if name in {"against", "reference", "implementation"}:
        return _beginning("implementations")
    if name == "data" and option_of(field).is_argument:
        return _beginning("datasets")
    if name == "missing":
        return _beginning("error drop")
    is_choice = get_origin(field.annotation) is Literal
    return _beginning(" ".join(get_args(field.annotation))) if is_choice else None


def _beginning(kind: str) -> Callable[[str], list[str]]:
    return lambda incomplete: [name for name in _names(kind) if name.startswith(incomplete)]


def _names(kind: str) -> Iterable[str]:
    if kind == "datasets":
        from gnbbench.data.catalogue import names

        return names()
    if kind == "implementations":
        from gnbbench.implementations.catalogue import by_name

        return by_name()
    return kind.split()
