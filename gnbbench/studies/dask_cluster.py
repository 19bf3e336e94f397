"""The way past one machine: joblib's Dask backend, where it is installed and asked for."""

from collections.abc import Iterator
from contextlib import contextmanager

import joblib

from gnbbench.errors import OptionError

CONNECT_SECONDS = 10
WORKER_SECONDS = 30


@contextmanager
def dask_client(address: str) -> Iterator[None]:
    """Send what is computed with Dask within to the workers of a cluster.

    Parameters
    ----------
    address : str
        Of the scheduler, such as ``tcp://127.0.0.1:8786``.

    Yields
    ------
    None

    Raises
    ------
    OptionError
        If Dask is not installed, nobody answers there, or there is no worker.
    """
    try:
        import distributed
    except ImportError as error:
        remedy = "Install it: pip install 'gnbbench[dask]'"
        raise OptionError("--dask", "Dask is not installed", remedy) from error
    try:
        client = distributed.Client(address, timeout=CONNECT_SECONDS)  # type: ignore[no-untyped-call]  # Dask has no types
    except (OSError, ValueError) as error:
        remedy = "Start one: dask scheduler, then dask worker ADDRESS."
        raise OptionError("--dask", f"no scheduler answers at {address}", remedy) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=WORKER_SECONDS)
        except TimeoutError as error:
            what = f"the scheduler at {address} has no worker"
            remedy = f"Start one: dask worker {address}"
            raise OptionError("--dask", what, remedy) from error
        yield


@contextmanager
def dask_cluster(address: str) -> Iterator[None]:
    """Send what joblib does within to the workers of a Dask cluster.

    The workers need gnbbench in the same version; batches of a worker that is lost are
    done again by another.

    Parameters
    ----------
    address : str
        Of the scheduler, such as ``tcp://127.0.0.1:8786``.

    Yields
    ------
    None

    Raises
    ------
    OptionError
        If Dask is not installed, nobody answers there, or there is no worker.
    """
    with (
        dask_client(address),
        joblib.parallel_config(
            backend="dask", wait_for_workers_timeout=int(WORKER_SECONDS)
        ),
    ):
        yield
