"""A grid of sizes, and the three passes over it: labels, then memory, then times.

Labels come first and decide which implementations are timed where. Each axis gets a share
of the budget by its number of points, each point at most two thirds of what earlier points
left, and each implementation an equal share of that, plus what faster ones do not need. An
implementation that would exceed its share at the next point stops along that axis.
"""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from gnbbench.errors import OptionError
from gnbbench.implementations import Implementation
from gnbbench.measurement.operations import ImplementationTimings
from gnbbench.measurement.rounds import SHORTEST_NANOSECONDS, Clock, williams_design
from gnbbench.measurement.scale import (
    FEWEST_OF_A_CLASS,
    Probe,
    disagreements,
    memory_peaks,
    needed_bytes,
    probe,
    scale_samples,
    time_point,
)
from gnbbench.measurement.timing import FEWEST_ROUNDS as SIGN_TEST_ROUNDS
from gnbbench.measurement.timing import TimingPlan
from gnbbench.processes.client import CallFailure, FreshProcess, in_fresh_process, outcome
from gnbbench.processes.messages import payload
from gnbbench.progress import Progress
from gnbbench.records import RUN_METRICS, TABLES
from gnbbench.statistics.scale import some_of
from gnbbench.studies.store import Store
from gnbbench.tracebacks import described
from gnbbench.words import data_size

# A round size nearer than this to an end of the range is left out.
_NEAREST = 1.4
_STEPS = (1, 2, 5)


class AxisKind(NamedTuple):
    """One of the three sizes."""

    name: str  # Name of the option, without its dashes
    held: int  # The size while another axis varies
    fewest: int  # The smallest possible size


KINDS = (
    AxisKind("samples", 10_000, 2),
    AxisKind("features", 20, 1),
    AxisKind("classes", 5, 2),
)
# Name of an axis -> its ascending ``sizes``, empty where it is fixed, and the size at which
# it is ``held`` while another axis varies.
Axes: TypeAlias = Mapping[str, Mapping[str, Any]]


def axis(kind: AxisKind, typed: Any) -> dict[str, Any]:
    """Parse the sizes of an axis, and choose the one at which it is held.

    A range ``A:B`` has A, A·2, A·4 ... where B is A times a power of two, else the sizes 1,
    2, 5, 10, 20, 50 ... between its two ends. While another axis varies, this one is held
    at its default size, or at the nearest end of the range.
    """
    option = f"--{kind.name}"
    least = 1000 if kind.name == "samples" else max(kind.fewest, 4)
    remedy = f"Give whole numbers: FIRST:LAST such as {least}:{16 * least}, a list, or one."
    is_range = isinstance(typed, str) and ":" in typed
    parts = typed
    if isinstance(typed, str):
        parts = typed.split(":" if is_range else ",")
    elif not isinstance(typed, Sequence):
        parts = [typed]
    try:
        exact = [Decimal(str(part).strip()) for part in parts]
        sizes = tuple(int(number) for number in exact)
    except (ArithmeticError, ValueError):
        exact, sizes = [], ()
    if not sizes or list(sizes) != exact or (is_range and len(sizes) != 2):
        raise OptionError(option, f"'{typed}' cannot be read", remedy)
    few = next((size for size in sizes if size < kind.fewest), None)
    if few is not None:
        what = f"{few:,} is less than {kind.fewest}"
        raise OptionError(option, what, f"Give sizes of at least {kind.fewest}.")
    if list(sizes) != sorted(set(sizes)):
        raise OptionError(option, f"'{typed}' is not in ascending order", remedy)
    if len(sizes) == 1:
        return {"sizes": [], "held": sizes[0]}
    held = min(max(kind.held, sizes[0]), sizes[-1])
    return {"sizes": list(spread(*sizes) if is_range else sizes), "held": held}


def spread(first: int, last: int) -> tuple[int, ...]:
    """Return sizes from the first to the last in roughly equal ratios."""
    ratio, rest = divmod(last, first)
    if rest == 0 and ratio & (ratio - 1) == 0:
        return tuple(first << power for power in range(ratio.bit_length()))
    inner = [step * 10**power for power in range(len(str(last))) for step in _STEPS]
    kept = [size for size in inner if size >= _NEAREST * first and size * _NEAREST <= last]
    return (first, *kept, last)


class ScalePoint(NamedTuple):
    """One point of the grid."""

    number: int  # From 0, axis by axis
    axis: str  # Name of its axis
    size: int  # Size along that axis
    sizes: tuple[int, int, int]  # Samples, features, classes


def points_of(axes: Axes) -> tuple[ScalePoint, ...]:
    """Return every point of the grid, axis by axis, sizes ascending."""
    points: list[ScalePoint] = []
    for name, axis in axes.items():
        for size in axis["sizes"]:
            held = {other: axes[other]["held"] for other in axes}
            n, d, k = {**held, name: size}.values()
            points.append(ScalePoint(len(points), name, size, (n, d, k)))
    return tuple(points)


def require_possible(points: Sequence[ScalePoint], available: int | None) -> None:
    """Raise if there is no point, or one has too few samples or exceeds the memory."""
    if not points:
        what = "every size is fixed"
        remedy = "Give a range for one of them, such as 1e3:1e5."
        raise OptionError("--samples", what, remedy)
    few = [point for point in points if point.sizes[0] < FEWEST_OF_A_CLASS * point.sizes[2]]
    if few:
        n, _, k = max((point.sizes for point in few), key=lambda sizes: sizes[2])
        # Name the option that the user set.
        option, least = "--samples", FEWEST_OF_A_CLASS * k
        remedy = f"Give {least:,} at least, or fewer --classes."
        if n >= KINDS[0].held:
            option, most = "--classes", n // FEWEST_OF_A_CLASS
            remedy = f"Give {most:,} at most, or more --samples."
        what = f"{n:,} samples are too few for {k:,} classes"
        raise OptionError(option, what, remedy)
    for point in points:
        if max(point.sizes) > 10**15:
            what = "a size above 10^15 fits no machine"
            raise OptionError(f"--{point.axis}", what, "Give a smaller one.")
        needed = needed_bytes(*point.sizes)
        if available is not None and needed > available:
            n, d, k = point.sizes
            sizes = zip(point.sizes, KINDS, strict=True)
            _, option = max((size / kind.held, kind.name) for size, kind in sizes)
            raise OptionError(
                f"--{option}",
                f"{n:,} × {d:,} values with {k:,} classes need about "
                f"{data_size(needed)}, and {data_size(available)} are free",
                "Give smaller sizes.",
            )


# Prefixes of the keys of notes.
LABELS, MEMORY, TIMES = "look ", "memory ", "times "
LEFT_OUT = "processes left out"
OVER_BUDGET = "the next point would have exceeded its share of the budget"

# Shares of the budget; the rest is for labels and starting processes.
TIMING_SHARE = 0.65
MEMORY_SHARE = 0.2
USUAL_ROUNDS = 20
FEWEST_ROUNDS = 4
# Share of the rest of the budget that a point may take: costs double with the size, and the
# largest size that both reach matters most.
_LARGEST_PART = 2 / 3
# Share of an even part of the rest that more than the fewest rounds may take.
_SPARING = 1 / 3
# Calls before the rounds: cold, two to find the inner count, one to fit a model.
_CALLS_BEFORE = 4
# Assumed speed of reading X, used for the inner count only.
_READ_BYTES_PER_SECOND = 1e10
_FLOAT_BYTES = 8
_SHORTEST_CALL = 1e-6
# Timing stops before a process that would exceed its budget by this factor.
OVERRUN = 2.0
# Time for starting, importing and drawing samples; how much longer than expected a visit
# may take; how much slower tracing may be.
_START_SECONDS = 60.0
_VISIT_FACTOR = 10.0
_TRACED_FACTOR = 50.0


@dataclass(frozen=True)
class PointShare:
    """The time that one process may spend at a point, and what it would need."""

    plan: Mapping[str, Any]
    point: ScalePoint
    left: float  # Seconds of the axis that earlier points left
    n_left: int = 1  # Points that share them, this one included

    @property
    def seconds(self) -> float:
        """The most that may be spent here."""
        return self.left * max(_LARGEST_PART, 1 / self.n_left)

    def over_budget(self, seconds: Mapping[str, float]) -> list[str]:
        """Return the implementations that exceed their share even in the fewest rounds."""
        # The null competitor has its own share, so that the reference counts twice.
        parts = len(seconds) + (self.plan["reference"] in seconds)
        calls = self._calls(seconds, FEWEST_ROUNDS)[1]
        left, over = self.seconds, []
        for name in sorted(seconds, key=seconds.__getitem__):
            n_shares = 1 + (name == self.plan["reference"])
            if seconds[name] * calls * parts > left:
                over.append(name)
            else:
                left -= seconds[name] * calls * n_shares
                parts -= n_shares
        return over

    def visit(self, seconds: Mapping[str, float]) -> tuple[int, float]:
        """Return the number of rounds, and how long they take."""
        # The reference is also timed against itself.
        seconds_per_call = sum(seconds.values()) + seconds.get(self.plan["reference"], 0.0)
        rounds, calls = self._calls(seconds, USUAL_ROUNDS)
        if seconds_per_call * calls > _SPARING * self.left / self.n_left:
            rounds, calls = self._calls(seconds, FEWEST_ROUNDS)
        return rounds, seconds_per_call * calls

    def _calls(self, seconds: Mapping[str, float], rounds: int) -> tuple[int, int]:
        """Return the rounds, rounded up to whole blocks, and the calls they take.

        Over all processes they suffice for a sign test. The fastest call sets the inner
        count.
        """
        # One read of X is timed beside the implementations.
        block = len(williams_design(len(seconds) + 1 + (self.plan["reference"] in seconds)))
        rounds = block * math.ceil(
            max(rounds, SIGN_TEST_ROUNDS / self.plan["processes"]) / block
        )
        n, d, _ = self.point.sizes
        read = _SHORTEST_CALL + _FLOAT_BYTES * n * d / _READ_BYTES_PER_SECOND
        fastest = min(
            [read, *(duration / 2 for duration in seconds.values())]
        )  # two operations
        ratio = SHORTEST_NANOSECONDS / 1e9 / max(fastest, _SHORTEST_CALL)
        inner = 1 << max(math.ceil(math.log2(ratio)), 0)
        return rounds, _CALLS_BEFORE + rounds * (1 + inner)


class Loss(NamedTuple):
    """An implementation that failed while it was timed."""

    process: int
    point: int  # Number of the point
    implementation: str
    status: str
    message: str


def losses_of(n_points: int, notes: Mapping[str, Mapping[str, Any]]) -> list[Loss]:
    """Return the losses in the notes of visits, in their order."""
    return [
        Loss(*divmod(number, n_points), *loss)
        for number in sorted(map(int, notes))
        for loss in notes[str(number)]["losses"]
    ]


@dataclass(frozen=True)
class GridMeasurement:
    """The measurement over a grid; each step adds what the store lacks."""

    store: Store
    entries: Sequence[Implementation]  # The reference first
    plan: Mapping[str, Any]
    progress: Progress
    clock: Clock = time.perf_counter_ns

    @cached_property
    def points(self) -> tuple[ScalePoint, ...]:
        """Every point of the grid."""
        return points_of(self.plan["axes"])

    @property
    def varied(self) -> dict[str, list[ScalePoint]]:
        """The points of each axis that has more than one size."""
        points: dict[str, list[ScalePoint]] = {}
        for point in self.points:
            points.setdefault(point.axis, []).append(point)
        return points

    def compare_labels(self) -> None:
        """Compare labels at every point, and decide what is timed there.

        An implementation leaves an axis where it fails, or where its time at the point
        before shows that it would exceed its share.
        """
        plan, kept = self.plan, self.store.notes(LABELS)
        self.progress.begin("labels", total=len(self.points), done=len(kept))
        for points in self.varied.values():
            left = TIMING_SHARE * plan["budget_seconds"] / plan["processes"]
            left *= len(points) / len(self.points)
            active = [entry.name for entry in self.entries]
            seconds: dict[str, float] = {}
            for place, point in enumerate(points):
                if not active:
                    break
                note = kept.get(str(point.number))
                if note is None:
                    growth = point.size / points[place - 1].size
                    share = PointShare(plan, point, left, len(points) - place)
                    expected = {n: duration * growth for n, duration in seconds.items()}
                    note = self._compare_at(share, active, expected)
                    self.progress.advance(1)
                active, seconds = note["timed"], note["seconds"]
                left -= note["expected_seconds"]

    def _compare_at(
        self, share: PointShare, active: Sequence[str], expected: Mapping[str, float]
    ) -> dict[str, Any]:
        """Store the note and the rows of a point; return the note."""
        plan, point, reference = self.plan, share.point, self.plan["reference"]
        known = {name: expected[name] for name in active if name in expected}
        stopped = share.over_budget(known)
        asked = {name for name in active if name not in stopped}
        # A reference too slow to be timed still gives labels where that is cheap.
        if asked and expected.get(reference, math.inf) <= share.seconds:
            asked.add(reference)
        probes: list[Probe] = []
        if asked:
            samples, k = scale_samples(*point.sizes, seed=plan["seed"]), point.sizes[2]
            probes = [
                probe(entry, samples, k, threads=plan["threads"], clock=self.clock)
                for entry in self.entries
                if entry.name in asked
            ]
        seconds = {r.implementation: r.seconds for r in probes if r.status == "ok"}
        timed = {name: seconds[name] for name in active if name in seconds.keys() - stopped}
        for name in share.over_budget(timed):
            stopped.append(name)
            del timed[name]
        rounds, visit_seconds = share.visit(timed)
        note = {
            "seconds": seconds,
            "timed": list(timed),
            "rounds": rounds,
            "expected_seconds": visit_seconds,
        }
        outcomes = {r.implementation: (r.status, r.message) for r in probes}
        outcomes |= dict.fromkeys(stopped, ("budget", OVER_BUDGET))
        n, blank = point.sizes[0], [None] * (len(TABLES["pairs"]) - 4)
        metrics = [None] * len(RUN_METRICS)
        differing = disagreements(probes, reference)
        rows = {
            "runs": [(0, name, *outcomes[name], n, n, 0, *metrics) for name in active],
            "pairs": [(0, name, n, number, *blank) for name, number in differing.items()],
        }
        self.store.add(rows, {f"{LABELS}{point.number}": note}, point=point.number)
        return note

    def measure_memory(self) -> None:
        """Measure the extra memory of fit and predict, each time in a fresh process.

        The first axis is always measured, the others until memory's share is spent.
        """
        pairs = [(axis, entry) for axis in self.varied for entry in self.entries]
        kept, labels = self.store.notes(MEMORY), self.store.notes(LABELS)
        spent = sum(note["seconds"] for note in kept.values())
        self.progress.begin("memory", total=len(pairs), done=len(kept))
        for place, (axis, entry) in enumerate(pairs):
            if str(place) in kept:
                continue
            start = self.clock()
            reached = [
                point
                for point in self.varied[axis]
                if entry.name in labels.get(str(point.number), {"timed": ()})["timed"]
            ]
            note: dict[str, Any] = {"axis": axis, "implementation": entry.name}
            if not reached:
                note |= {"status": "absent", "message": ""}
            elif (
                place >= len(self.entries)
                and spent > MEMORY_SHARE * self.plan["budget_seconds"]
            ):
                note |= {"status": "budget", "message": "its share of the budget was spent"}
            else:
                call_seconds = labels[str(reached[-1].number)]["seconds"][entry.name]
                note |= self._peaks(entry, some_of(reached), call_seconds)
            note["seconds"] = (self.clock() - start) / 1e9
            spent += note["seconds"]
            self.store.add({}, {f"{MEMORY}{place}": note})
            self.progress.advance(1)

    def _peaks(
        self, entry: Implementation, points: Sequence[ScalePoint], call_seconds: float
    ) -> dict[str, Any]:
        try:
            peaks = in_fresh_process(
                memory_peaks,
                payload(entry.direct or entry.make),
                [point.sizes for point in points],
                self.plan["seed"],
                seconds=_START_SECONDS + _TRACED_FACTOR * call_seconds,
            )
        except Exception as error:  # noqa: BLE001  third-party code may raise anything
            status, message = _failure(error)
            return {"status": status, "message": message}
        rows = [[points[place].number, *peak] for place, *peak in peaks]
        return {"status": "ok", "message": "", "rows": rows}

    def measure_times(self) -> None:
        """Time fit and predict at every point, process by process.

        Each process goes through the whole grid, so that after an interruption all points
        are measured equally often except in the last process. Processes that would exceed
        twice the budget are left out.
        """
        plan, labels = self.plan, self.store.notes(LABELS)
        n_points = len(self.points)
        timed = {number: note for number, note in labels.items() if note["timed"]}
        points = [point for point in self.points if str(point.number) in timed]
        kept = self.store.notes(TIMES)
        self.progress.begin("timing", total=plan["processes"] * len(points), done=len(kept))
        for process in range(plan["processes"]):
            spent = sum(note["seconds"] for note in kept.values())
            most = OVERRUN * TIMING_SHARE * plan["budget_seconds"]
            if process and spent + spent / process > most:
                if not self.store.note(LEFT_OUT):
                    self.store.add({}, {LEFT_OUT: plan["processes"] - process})
                return
            with FreshProcess() as fresh:
                for point in points:
                    number = str(process * n_points + point.number)
                    if number in kept:
                        continue
                    start = self.clock()
                    # Implementations that ended a process or failed on this axis.
                    failed = {
                        loss.implementation
                        for loss in losses_of(n_points, kept)
                        if loss.status != "error"
                        or self.points[loss.point].axis == point.axis
                    }
                    note = dict(timed[str(point.number)])
                    note["timed"] = [name for name in note["timed"] if name not in failed]
                    note, rows = self._visit(fresh, point, note, process)
                    note["seconds"] = (self.clock() - start) / 1e9
                    kept[number] = note
                    batch = {"timings": rows}
                    self.store.add(batch, {f"{TIMES}{number}": note}, point=int(number))
                    self.progress.advance(1)

    def _visit(
        self,
        fresh: FreshProcess,
        point: ScalePoint,
        planned: Mapping[str, Any],
        process: int,
    ) -> tuple[dict[str, Any], list[tuple[Any, ...]]]:
        """Time one point; return its note and rows, even if third-party code crashes."""
        plan, losses = self.plan, list[tuple[str, str, str]]()
        entries = [entry for entry in self.entries if entry.name in planned["timed"]]
        timing = TimingPlan(
            rounds=planned["rounds"], threads=plan["threads"], seed=plan["seed"] + process
        )
        while entries:
            try:
                plain = fresh.call(
                    time_point,
                    payload({entry.name: entry.direct or entry.make for entry in entries}),
                    point.sizes,
                    plan["seed"],
                    reference=plan["reference"],
                    plan=payload(timing),
                    seconds=_START_SECONDS + _VISIT_FACTOR * planned["expected_seconds"],
                )
                timings = ImplementationTimings(**plain)
                break
            except Exception as error:  # noqa: BLE001  pickling runs third-party code
                status, message = _failure(error)
                foreign = [entry for entry in entries if entry.direct is not None]
                # An error, such as too little memory, concerns all; only third-party code
                # crashes.
                guilty = foreign if foreign and status != "error" else entries
                losses += [(entry.name, status, message) for entry in guilty]
                entries = [entry for entry in entries if entry not in guilty]
        else:
            return {"losses": losses, "warnings": [], "regime": timing.sentence()}, []
        losses += [(name, "error", why) for name, why in timings.skipped.items()]
        kept = (
            *("warnings", "noise", "regime", "rounds", "inner_counts", "cold_seconds"),
            "pools_after",
        )
        note = {"losses": losses, **{name: timings.notes[name] for name in kept}}
        return note, list(timings.rows)


def _failure(error: Exception) -> tuple[str, str]:
    if isinstance(error, CallFailure):
        return outcome(error)
    return "error", described(error)
