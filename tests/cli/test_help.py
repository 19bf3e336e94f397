"""Help: every command is listed, shows an example that can be typed, fits 80 columns."""

import re
import shlex
from contextlib import redirect_stderr
from io import StringIO
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from gnbbench.cli.app import app

GROUP: Any = typer.main.get_command(app)
WIDTH = 80


def shown(*arguments: str) -> str:
    """Return what a call prints for a terminal of 80 columns."""
    result = CliRunner().invoke(app, arguments, terminal_width=WIDTH)
    assert result.exit_code == 0
    return "\n".join(line.strip() for line in result.stdout.splitlines())


def examples(text: str) -> list[str]:
    """Return the commands that follow "Example: ", each up to the end of its sentence."""
    matches = re.findall(r"Example: (gnbbench .*?)(?:\.\s|\.?\n\n|\.?$)", text, re.DOTALL)
    return [" ".join(example.split()) for example in matches]


def refusal(line: str) -> str | None:
    """Return why a command line cannot be typed, None if it can; nothing is carried out."""
    _, name, *arguments = shlex.split(line)
    if name not in GROUP.commands:
        return f"no command {name}"
    remark = StringIO()
    try:
        with redirect_stderr(remark):
            GROUP.commands[name].make_context(name, arguments).close()
    except Exception as error:  # noqa: BLE001  of typer's own copy of click
        return remark.getvalue() or str(error)
    return None


def without_help(command: Any) -> list[str]:
    """Return the parameters that say nothing about themselves."""
    return [
        one.name for one in command.params if not (getattr(one, "help", "") or "").strip()
    ]


def foreign(command: Any) -> set[str]:
    """Return the options that help texts of parameters mention and the command lacks."""
    own = {flag for parameter in command.params for flag in parameter.opts}
    texts = " ".join(getattr(parameter, "help", "") or "" for parameter in command.params)
    return set(re.findall(r"--[a-z][a-z-]*", texts)) - own


@pytest.fixture(params=sorted(GROUP.commands))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_help_fits_80_columns_and_its_example_can_be_typed(name: str) -> None:
    text = shown(name, "--help")

    commands = examples(GROUP.commands[name].help)
    assert [line for line in text.splitlines() if len(line) > WIDTH] == []
    assert commands == examples(text) != []
    for example in commands:
        assert example.startswith(f"gnbbench {name} ")
        assert refusal(example) is None


def test_all_parameters_have_help_that_mentions_no_foreign_option(name: str) -> None:
    assert without_help(GROUP.commands[name]) == []
    assert foreign(GROUP.commands[name]) == set()


def test_the_list_names_every_command() -> None:
    text = shown("--help")

    listed = re.findall(r"^([a-z][a-z-]*)  ", text.partition("Commands:")[2], re.MULTILINE)
    assert listed == list(GROUP.commands)
    assert max(map(len, text.splitlines())) <= WIDTH


def test_the_first_line_to_type_can_be_typed() -> None:
    matches = re.findall(r"Start with: (gnbbench .*)", shown("--help"))

    assert [refusal(line) for line in matches] == [None]


@pytest.mark.parametrize(
    ("planted", "words"),
    [
        ("Do it.\n\nExample: gnbbench compare iris --round 3\n", "--round"),
        ("Do it.\n\nExample: gnbbench conpare iris. And so on.\n", "no command conpare"),
        ("Do it.\n\nExample: gnbbench compare\niris --runs", "requires an argument"),
        ("Example: gnbbench diff before", "new"),
    ],
)
def test_an_example_that_cannot_be_typed_is_noticed(planted: str, words: str) -> None:
    (example,) = examples(planted)

    assert words.lower() in str(refusal(example)).lower()


def test_an_option_of_another_command_is_noticed() -> None:
    other = typer.Typer()

    @other.command()
    def run(runs: int = typer.Option(1, help="With --stream one; as --runs.")) -> None:
        """Do nothing."""

    assert foreign(typer.main.get_command(other)) == {"--stream"}


def test_a_parameter_without_help_is_noticed() -> None:
    other = typer.Typer()

    @other.command()
    def silent(told: bool = typer.Option(False, help="Is told."), untold: int = 1) -> None:
        """Do nothing."""

    assert "untold" in without_help(typer.main.get_command(other))
    assert "told" not in without_help(typer.main.get_command(other))
