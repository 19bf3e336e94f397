"""The way past one machine: joblib's Dask backend, where it is installed and asked for."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from ipaddress import ip_address
from ssl import SSLError
from typing import Any

from gnbbench.errors import OptionError, install_command

CONNECT_SECONDS = 10
WORKER_SECONDS = 30
# Schemes of addresses that nobody else can read or use.
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
    """Tell whether what is sent there is neither encrypted nor kept on this machine."""
    scheme, separator, place = address.rpartition("://")
    host = place.rpartition(":")[0].strip("[]")
    try:
        is_here = host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        is_here = False
    return not (is_here or (separator and scheme in _CLOSED))


def _client(dask: Any, address: str) -> Any:
    """Return a client of the scheduler, or raise what keeps it from being reached."""
    remedy = _TO_SET
    cause: Exception
    try:
        # Looked at first: a client that cannot even begin stays in everybody's way.
        dask.comm.resolve_address(address)
        return dask.Client(address, timeout=CONNECT_SECONDS)
    except TypeError as error:  # So Dask says that it was given none
        what, cause = f"{address} needs certificates, and none are configured", error
    except RuntimeError as error:
        what = f"{address} is not encrypted, and Dask's configuration asks for encryption"
        remedy, cause = "Give a tls:// address.", error
    except (OSError, ValueError) as error:
        told = error if isinstance(error, SSLError) else error.__cause__
        what = f"the certificates for {address} cannot be used"
        if isinstance(told, SSLError):
            what += f" ({(told.reason or 'unreadable').replace('_', ' ').lower()})"
        elif isinstance(error, FileNotFoundError):
            what += " (one of their files does not exist)"
        else:
            what = f"no scheduler answers at {address}"
            remedy = "Start one: dask scheduler, then dask worker ADDRESS."
        cause = error
    raise OptionError("--dask", what, remedy) from cause


@contextmanager
def dask_client(address: str) -> Iterator[None]:
    """Send what is computed with Dask within to the workers of a cluster."""
    try:
        import distributed
        from dask import config
    except ImportError as error:
        remedy = f"Install it: {install_command('dask')}"
        raise OptionError("--dask", "Dask is not installed", remedy) from error
    dask: Any = distributed
    before = config.get("scheduler", None)
    try:
        with _client(dask, address) as client:
            try:
                client.wait_for_workers(1, timeout=WORKER_SECONDS)
            except TimeoutError as error:
                what = f"the scheduler at {address} has no worker"
                remedy = f"Start one: dask worker {address}"
                raise OptionError("--dask", what, remedy) from error
            yield
    finally:
        # A client that ends in an error may leave itself behind as everybody's scheduler.
        config.set(scheduler=before)


@contextmanager
def dask_cluster(address: str) -> Iterator[Callable[..., Iterator[Any]]]:
    """Give a function that has work done, piece by piece, by the workers of a cluster.

    It takes a function, what every call of it shares, and the pieces; results come in any
    order. The workers need gnbbench in the same version; what a lost worker had is done
    again by another.
    """
    import joblib

    def done(
        function: Callable[..., Any], shared: Sequence[Any], pieces: Iterable[Any]
    ) -> Iterator[Any]:
        call = joblib.delayed(function)
        parallel = joblib.Parallel(return_as="generator_unordered")
        results: Iterator[Any] = parallel(call(*shared, piece) for piece in pieces)
        return results

    with (
        dask_client(address),
        joblib.parallel_config(
            backend="dask", wait_for_workers_timeout=int(WORKER_SECONDS)
        ),
    ):
        yield done
