"""Addresses of Dask: encrypted ones with their certificates, and open ones."""

import shutil
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from faults.clusters import Cluster, certificate, loopback_cluster

import gnbbench
from gnbbench.errors import OptionError
from gnbbench.processes import dask_cluster as dask_clusters
from gnbbench.processes.dask_cluster import ClusterWarning, dask_cluster, is_open


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("tcp://10.0.0.5:8786", True),
        ("10.0.0.5:8786", True),
        ("scheduler:8786", True),
        ("ws://h:1", True),
        ("tcp://[2001:db8::1]:8786", True),
        ("tls://10.0.0.5:8786", False),
        ("wss://h:1", False),
        ("tcp://127.0.0.1:8786", False),
        ("localhost:8786", False),
        ("tcp://[::1]:8786", False),
    ],
)
def test_an_address_is_open_unless_it_is_encrypted_or_of_this_machine(
    address: str, expected: bool
) -> None:
    assert is_open(address) is expected


Encrypted = tuple[str, Mapping[str, str]]


@pytest.fixture(scope="module")
def encrypted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Encrypted]:
    """Yield the address of a cluster that requires certificates, and Dask's settings."""
    pytest.importorskip("distributed", reason="Dask is not installed")
    if shutil.which("openssl") is None:
        pytest.skip("openssl, which makes the certificates, is not installed")
    folder = tmp_path_factory.mktemp("tls")
    settings = certificate(folder)
    with loopback_cluster(folder, settings, n_workers=1) as cluster:
        yield cluster.address, settings


def configured(settings: Mapping[str, str]) -> Any:
    """Have Dask configured as such variables of the environment would."""
    import dask

    names = (name.removeprefix("DASK_").lower().replace("__", ".") for name in settings)
    return dask.config.set(dict(zip(names, settings.values(), strict=True)))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Dask and Tornado warn of their own workings
@pytest.mark.usefixtures("undrawn")
def test_an_encrypted_cluster_works_with_its_certificates(encrypted: Encrypted) -> None:
    address, settings = encrypted
    options = {"runs": 4, "budget_seconds": 0.02}
    alone = gnbbench.compare("iris", **options)

    with configured(settings):
        study = gnbbench.compare("iris", dask=address, **options)

    assert address.startswith("tls://")
    assert study.runs.equals(alone.runs)


def refused(address: str, words: str = "") -> str:
    """Try a cluster that cannot be used; return the message."""
    with pytest.raises(OptionError, match=words) as caught, dask_cluster(address):
        pass
    return str(caught.value)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Dask and Tornado warn of their own workings
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("none", "needs certificates, and none are configured"),
        ("missing", "cannot be used (one of their files does not exist)"),
        ("other", "cannot be used (certificate verify failed)"),
    ],
)
def test_an_encrypted_cluster_is_refused_with_any_others(
    change: str, words: str, encrypted: Encrypted, tmp_path: Path
) -> None:
    address, settings = encrypted
    if change == "other":
        settings = certificate(tmp_path)
    elif change == "missing":
        settings = {name: str(tmp_path / "absent.pem") for name in settings}
    else:
        settings = {}

    with configured(settings):
        text = refused(address)
    assert text.startswith("--dask: ")
    assert words in text
    assert "DASK_DISTRIBUTED__COMM__TLS__CA_FILE" in text
    assert "\n" not in text


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """Give a cluster of one worker that a test may end."""
    pytest.importorskip("distributed", reason="Dask is not installed")
    with loopback_cluster(tmp_path, n_workers=1) as found:
        yield found


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Dask and Tornado warn of their own workings
def test_a_scheduler_that_ends_is_reported(cluster: Cluster) -> None:
    with dask_cluster(cluster.address) as found:
        cluster.scheduler.kill()

        with pytest.raises(OptionError, match=r"--dask: the scheduler at .* was lost"):
            next(found.results(time.sleep, (), [60]))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_work_without_a_worker_waits_says_so_and_ends(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_clusters, "WORKER_SECONDS", 2)
    with dask_cluster(cluster.address) as found:
        cluster.workers[0].kill()

        with (
            pytest.warns(ClusterWarning, match="--dask: no worker; waiting 2 s"),
            pytest.raises(OptionError, match=r"--dask: the scheduler at .* has no worker"),
        ):
            next(found.results(time.sleep, (), [60]))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_workers_that_cannot_do_the_work_are_refused_at_the_start(
    encrypted: Encrypted, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, settings = encrypted
    with configured(settings), dask_cluster(address) as found:
        assert sorted(found.results(max, (2,), [1, 3])) == [(0, 2), (1, 3)]

    monkeypatch.setattr(gnbbench, "__version__", "0.0.1")
    with configured(settings):
        refused(address, r"has gnbbench .* Install gnbbench 0\.0\.1 there")
    monkeypatch.setitem(sys.modules, "here_alone", gnbbench)
    monkeypatch.setattr(dask_clusters, "VERSION", "here_alone:__version__")
    with configured(settings):
        refused(address, r"the worker tls://.* has no gnbbench")


class Page(BaseHTTPRequestHandler):
    """A web page, as the dashboard is one."""

    def do_GET(self) -> None:
        self.send_error(404)

    def log_message(self, *_: Any) -> None:
        """Say nothing of it."""


@pytest.mark.slow
def test_a_page_or_silent_listener_is_no_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed")
    monkeypatch.setattr(dask_clusters, "GREETING_SECONDS", 1)
    with HTTPServer(("127.0.0.1", 0), Page) as server:
        address = f"tcp://127.0.0.1:{server.server_port}"
        refused(address, f"no scheduler answers at {address}")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        refused(address, f"a web page answers at {address}")
        server.shutdown()
