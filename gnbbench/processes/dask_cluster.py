"""Evaluation on a Dask cluster of several machines.

A lost scheduler or unsuitable workers end the study with a one-line error; while there
is no worker, a warning says so.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from ipaddress import ip_address
from operator import itemgetter
from pkgutil import resolve_name
from ssl import SSLError
from time import monotonic
from typing import Any

from gnbbench.errors import OptionError, install_command

CONNECT_SECONDS = 10
GREETING_SECONDS = 3
WORKER_SECONDS = 30
# Interval of checks on a cluster that returns nothing.
LOOK_SECONDS = 1
VERSION = "gnbbench:__version__"
# Schemes of encrypted or local connections.
_CLOSED = ("tls", "wss", "inproc")
OPEN = (
    "--dask: {} is not encrypted: whoever reaches it can read the data and run code on the "
    "workers. Use tls://, or a network that you trust."
)
_TO_SET = (
    "Set DASK_DISTRIBUTED__COMM__TLS__CA_FILE, …__CLIENT__CERT and …__CLIENT__KEY to the "
    "paths of its certificates, or their entries in Dask's configuration."
)


def is_open(address: str) -> bool:
    """Return whether a connection is neither encrypted nor local."""
    scheme, separator, place = address.rpartition("://")
    host = place.rpartition(":")[0].strip("[]")
    try:
        is_here = host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        is_here = False
    return not (is_here or (separator and scheme in _CLOSED))


def _refuse_silence(address: str) -> None:
    """Raise unless the server speaks first, as a scheduler does.

    A client would wait forever for a web page such as the dashboard.
    """
    from http.client import HTTPConnection, HTTPException

    scheme, _, place = address.rpartition("://")
    if scheme not in {"", "tcp"}:
        return
    try:
        connection = HTTPConnection(place, timeout=GREETING_SECONDS)
    except HTTPException as error:  # For an invalid port
        raise OSError from error
    with closing(connection):
        connection.connect()
        with suppress(TimeoutError):
            if connection.sock.recv(1):
                return
        with suppress(HTTPException, TimeoutError):
            connection.request("GET", "/")
            connection.getresponse()
            raise _WebPageError
    raise OSError


class _WebPageError(OSError):
    """A web page answers where a scheduler should."""


def _client(dask: Any, address: str) -> Any:
    """Return a client of the scheduler; raise if it cannot be reached."""
    remedy = _TO_SET
    cause: Exception
    try:
        # Checked first, since even a client that fails to start stays Dask's default.
        dask.comm.resolve_address(address)
        _refuse_silence(address)
        return dask.Client(address, timeout=CONNECT_SECONDS)
    except TypeError as error:  # Dask's error for missing certificates
        what, cause = f"{address} needs certificates, and none are configured", error
    except RuntimeError as error:
        what = f"{address} is not encrypted, and Dask's configuration asks for encryption"
        remedy, cause = "Give a tls:// address.", error
    except (OSError, ValueError) as error:
        reason = error if isinstance(error, SSLError) else error.__cause__
        what = f"the certificates for {address} cannot be used"
        if isinstance(reason, SSLError):
            what += f" ({(reason.reason or 'unreadable').replace('_', ' ').lower()})"
        elif isinstance(error, FileNotFoundError):
            what += " (one of their files does not exist)"
        else:
            what = f"no scheduler answers at {address}"
            remedy = "Start one: dask scheduler, then dask worker ADDRESS."
            if isinstance(error, _WebPageError):
                what = f"a web page answers at {address}, not a scheduler"
                remedy = "Give the scheduler's own port, 8786 unless it was set."
        cause = error
    raise OptionError("--dask", what, remedy) from cause


class ClusterWarning(UserWarning):
    """A remark on the cluster during a study."""


class Cluster:
    """A scheduler and its workers, each checked when it joins."""

    def __init__(self, client: Any, address: str) -> None:
        self._client = client
        self._address = address
        self._checked: set[str] = set()  # Workers with the right version
        self._keys: set[str] = set()  # Of all tasks
        self._lonely_since: float | None = None  # Since when there has been no worker

    def results(
        self, function: Callable[..., Any], shared: Sequence[Any], pieces: Sequence[Any]
    ) -> Iterator[tuple[int, Any]]:
        """Yield the index and result of each piece, in any order.

        The function takes the shared arguments, then the piece. The tasks of a lost worker
        are repeated on another one.
        """
        sent = self._client.submit(tuple, list(shared), pure=False)
        futures = self._client.map(
            _called, pieces, function=function, shared=sent, pure=False
        )
        places = {future: place for place, future in enumerate(futures)}
        self._keys |= {sent.key, *(future.key for future in futures)}
        del futures
        while places:
            yield from self._finished(places)

    def results_and_state(
        self,
        function: Callable[..., Any],
        shared: Sequence[Any],
        pieces: Sequence[Any],
        state: Any,
        follow: Callable[..., Any],
    ) -> Iterator[tuple[int, Any]]:
        """Yield like `results`, and at the end the state after all pieces in order.

        The function returns a result and what `follow` needs to advance the state past the
        piece, preferably on the same worker; only a few are kept at once. The
        index of the state is the number of pieces.
        """
        submit = partial(self._client.submit, pure=False)
        sent, state = submit(tuple, list(shared)), submit(tuple, [state])
        self._keys |= {sent.key, state.key}
        places: dict[Any, int] = {}
        kept: list[Any] = []  # States awaited
        most = 2 * max(1, len(self._checked))
        for place, piece in enumerate(pieces):
            both = submit(_called, piece, function=function, shared=sent)
            places[submit(itemgetter(0), both)] = place
            state = submit(_followed, state, both, piece, follow=follow, priority=1)
            self._keys |= {both.key, state.key}
            kept.append(state)
            del both
            while len(kept) >= most:
                yield from self._finished(places, kept)
        while places or kept:
            yield from self._finished(places, kept)
        with self._in_one_line():
            [last] = state.result()
        yield len(pieces), last

    def _finished(
        self, places: dict[Any, int], kept: list[Any] | None = None
    ) -> list[tuple[int, Any]]:
        """Remove what is done from both; return the results with their indices."""
        kept = kept if kept is not None else []
        with self._in_one_line():
            done = self._done([*places, *kept[:1]])
            if kept and kept[0] in done and kept[0].status == "error":
                kept[0].result()  # Raises
            kept[:] = [future for future in kept if future not in done]
            return [
                (places.pop(future), future.result()) for future in done if future in places
            ]

    def _done(self, futures: Iterable[Any]) -> set[Any]:
        """Wait for a while; return the futures that are done."""
        from distributed import wait

        call: Any = wait
        try:
            waited = call([*futures], timeout=LOOK_SECONDS, return_when="FIRST_COMPLETED")
        except TimeoutError:
            self.check()
            return set()
        return set(waited.done)

    @contextmanager
    def _in_one_line(self) -> Iterator[None]:
        """Turn failures of the cluster into one-line errors."""
        from distributed import CancelledError, KilledWorker
        from distributed.comm.core import CommClosedError

        lost = (CancelledError, CommClosedError)
        try:
            yield
        except KilledWorker as error:
            what = f"one task ended {error.allowed_failures + 1} workers in turn"
            remedy = "Give each worker more memory, or use a smaller --block-rows."
            raise OptionError("--dask", what, remedy) from error
        except (OSError, CancelledError) as error:
            if (
                not isinstance(error, (TimeoutError, *lost))
                and self._client.status == "running"
            ):
                what = f"a worker failed ({type(error).__name__}: {error})"
                remedy = "Fix that, then run the same command again."
                raise OptionError("--dask", " ".join(what.split()), remedy) from error
            how = "does not answer" if isinstance(error, TimeoutError) else "was lost"
            what = f"the scheduler at {self._address} {how}"
            remedy = "Start it again, then run the same command again."
            raise OptionError("--dask", what, remedy) from error

    def check(self) -> None:
        """Raise if a worker is unsuitable, or if there has been none for too long."""
        names = set(self._asked(self._client.scheduler.ncores))
        with self._in_one_line():
            self._refuse_unfit(names - self._checked)
        self._checked = names
        if names:
            self._lonely_since = None
        elif self._lonely_since is None:
            self._lonely_since = monotonic()
            text = f"--dask: no worker; waiting {WORKER_SECONDS} s"
            warnings.warn(text, ClusterWarning, stacklevel=2)
        elif monotonic() - self._lonely_since > WORKER_SECONDS:
            what = f"the scheduler at {self._address} has no worker"
            raise OptionError("--dask", what, f"Start one: dask worker {self._address}")

    def wait_for_worker(self) -> None:
        """Wait until there is a worker."""
        self.check()
        while not self._checked:
            with suppress(TimeoutError):
                self._client.wait_for_workers(1, timeout=LOOK_SECONDS)
            self.check()

    def on_each_worker(
        self, function: Callable[..., Any], *arguments: Any
    ) -> dict[str, Any]:
        """Return the result of a function on each worker, or its exception."""
        with self._in_one_line():
            return dict(self._client.run(function, *arguments, on_error="return"))

    def warn_of_repeated_tasks(self) -> None:
        """Warn if tasks had to be repeated because workers were lost."""
        events = self._asked(self._client.scheduler.events, topic="all")
        lost = [event for _, event in events if event.get("action") == "remove-worker"]
        groups = ("processing-tasks", "lost-computed-tasks")
        keys = [key for event in lost for group in groups for key in event[group]]
        n_repeated = sum(key in self._keys for key in keys)
        if n_repeated:
            tasks = "1 task was" if n_repeated == 1 else f"{n_repeated:,} tasks were"
            text = f"--dask: {tasks} done again, because a worker was lost"
            warnings.warn(text, ClusterWarning, stacklevel=2)

    def _asked(self, question: Callable[..., Any], **options: Any) -> Any:
        with self._in_one_line():
            return self._client.sync(question, callback_timeout=CONNECT_SECONDS, **options)

    def _refuse_unfit(self, names: set[str]) -> None:
        """Raise if a worker has another version of this package, or none."""
        if not names:
            return
        expected, workers = resolve_name(VERSION), list(names)
        # A function of the standard library, which works without the package.
        versions = self._client.run(
            resolve_name, VERSION, workers=workers, on_error="return"
        )
        for name, version in sorted(versions.items()):
            if version != expected and not isinstance(version, OSError):
                is_absent = isinstance(version, Exception)
                has = "no gnbbench" if is_absent else f"gnbbench {version}"
                remedy = f"Install gnbbench {expected} there, and start the worker again."
                raise OptionError("--dask", f"the worker {name} has {has}", remedy)


def _called(piece: Any, *, function: Callable[..., Any], shared: Sequence[Any]) -> Any:
    """Process one piece; runs on a worker."""
    return function(*shared, piece)


def _followed(state: Any, both: Any, piece: Any, *, follow: Callable[..., Any]) -> Any:
    """Return the state after one more piece; runs on a worker."""
    return (follow(*state, both[1], piece),)


@contextmanager
def dask_cluster(address: str) -> Iterator[Cluster]:
    """Yield a cluster with a worker, on which Dask computes within this context."""
    try:
        import distributed
        from dask import config
    except ImportError as error:
        remedy = f"Install it: {install_command('dask', 'distributed')}"
        raise OptionError("--dask", "Dask is not installed", remedy) from error
    before, log = config.get("scheduler", None), distributed.client.logger
    # Our own messages replace those of Dask's log.
    was_silent, log.disabled = log.disabled, True
    large = {"distributed.admin.large-graph-warning-threshold": "1 TiB"}
    try:
        with config.set(large), _client(distributed, address) as client:
            cluster = Cluster(client, address)
            cluster.wait_for_worker()
            yield cluster
    finally:
        # A client that fails may stay Dask's default scheduler.
        config.set(scheduler=before)
        log.disabled = was_silent


def require_cluster(address: str | None) -> None:
    """Raise if an address is given and no worker is reached through it."""
    if address is not None:
        with dask_cluster(address):
            pass
