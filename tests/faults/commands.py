"""Commands as processes of their own, which can be killed, limited and watched.

Each is forked from a process that has loaded the libraries, so that it starts at once.
"""

import multiprocessing
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NoReturn

from gnbbench.cli import main
from gnbbench.measurement import streaming
from gnbbench.report import blocks
from gnbbench.report.figures.drawing import Absence, Drawing, draw_figure
from gnbbench.studies.store import Store

# Which table, at which point, the how manieth write of it by this process.
Moment = tuple[str, int, int]

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(
    [
        *("gnbbench.cli", "gnbbench.studies.compare", "gnbbench.report.files"),
        *("sklearn.datasets", "sklearn.model_selection", "sklearn.naive_bayes"),
        *("gnbbench.report.figures.accuracy", "matplotlib.backends.backend_svg"),
        "matplotlib.backends.backend_agg",
    ]
)
NUMBERS = count()


@dataclass(frozen=True)
class Started:
    """A command under way."""

    process: BaseProcess
    stderr: Path

    @property
    def pid(self) -> int:
        """The number of its process, and of its group."""
        assert self.process.pid is not None
        return self.process.pid

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self.process.is_alive()

    def kill(self) -> None:
        """End it and all that it started."""
        if self.is_running:
            os.killpg(self.pid, signal.SIGKILL)
        self.process.join()

    def end(self) -> tuple[int, str]:
        """Return exit code and stderr, once it has ended."""
        self.process.join(timeout=240)
        assert self.process.exitcode is not None, "it hangs"
        return self.process.exitcode, self.stderr.read_text()


def start(
    here: Path,
    *arguments: str,
    limit: int | None = None,
    death: Moment | None = None,
    drawn: bool = False,
    save_seconds: float | None = None,
) -> Started:
    """Start a command; no file of it may grow beyond the limit in bytes.

    At the moment of its death it kills itself. Unless all figures are to be drawn it
    draws one: they take most of the time. A stream may be saved more often than usual.
    """
    stderr = here.with_name(f"{here.name}.stderr.{next(NUMBERS)}")
    fate = {"limit": limit, "death": death, "drawn": drawn, "save_seconds": save_seconds}
    given = arguments, here, stderr
    process = CONTEXT.Process(target=_carry_out, args=given, kwargs=fate)
    process.start()
    return Started(process, stderr)


def _carry_out(
    arguments: tuple[str, ...],
    here: Path,
    stderr: Path,
    *,
    limit: int | None,
    death: Moment | None,
    drawn: bool,
    save_seconds: float | None,
) -> None:
    os.setsid()
    os.chdir(here)
    # Started in the background, a process ignores these; a user's does not.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, path in ((1, Path(os.devnull)), (2, stderr)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
    if limit is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    if death is not None:
        _await(death)
    if save_seconds is not None:
        streaming.SAVE_SECONDS, streaming.SAVE_SHARE = save_seconds, 0
    if not drawn:
        blocks.draw_figure = partial(_draw_one, draw_figure)  # type: ignore[attr-defined]
    sys.argv = ["gnbbench", *arguments]
    main()


def _draw_one(
    draw: Callable[..., Drawing | Absence], name: str, *summary: Any
) -> Drawing | Absence:
    if name in {"accuracy", "sweep_gap"}:
        return draw(name, *summary)
    return Absence(name, "A figure", "Left out.")


def _await(moment: Moment) -> None:
    """Die in the middle of a write: of a table's rows, a checkpoint, a report's file."""
    table, point, place = moment
    add, replace = Store.add, Path.replace
    writes = count(1)

    def is_now(found: str, at: int) -> bool:
        return (found, at) == (table, point) and next(writes) == place

    def mortal_add(store: Store, tables: Any, notes: Any = None, *, point: int = 0) -> None:
        name = "timings" if tables.get("timings") else "runs"
        if tables and is_now(name, point):
            tables = {**tables, name: _until_death(tables[name])}
        if "checkpoint" in (notes or {}) and is_now("checkpoint", point):
            tables = {"runs": _until_death([])}
        add(store, tables, notes, point=point)

    def mortal_replace(path: Path, target: Path) -> Path:
        if is_now("report", 0):
            _die()
        return replace(path, target)

    Store.add, Path.replace = mortal_add, mortal_replace  # type: ignore[method-assign, assignment]


def _until_death(rows: Any) -> Iterator[Any]:
    yield from rows[: len(rows) // 2]
    _die()


def _die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError
