"""Exit codes, and how what a user can mend reaches the user: one line on stderr."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from gnbbench.errors import GnbBenchError

GATE_FAILED = 1
USER_INPUT = 2
INCONCLUSIVE = 3
INTERRUPTED = 130


@contextmanager
def user_errors() -> Iterator[None]:
    """Turn what a user can mend into a line each on stderr and exit code 2."""
    try:
        yield
    except GnbBenchError as error:
        for text in map(str, error.args):
            typer.echo("gnbbench: " + " ".join(text.split()), err=True)
        raise typer.Exit(USER_INPUT) from error
