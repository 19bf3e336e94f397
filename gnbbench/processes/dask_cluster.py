"""The way past one machine: joblib's Dask backend, where it is installed and asked for."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gnbbench.errors import OptionError, install_command

CONNECT_SECONDS = 10
WORKER_SECONDS = 30


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
        try:
            # Looked at first: a client that cannot even begin stays in everybody's way.
            dask.comm.resolve_address(address)
            client = dask.Client(address, timeout=CONNECT_SECONDS)
        except (OSError, ValueError) as error:
            what = f"no scheduler answers at {address}"
            remedy = "Start one: dask scheduler, then dask worker ADDRESS."
            raise OptionError("--dask", what, remedy) from error
        with client:
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
