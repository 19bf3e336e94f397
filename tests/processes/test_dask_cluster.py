"""Addresses of Dask: encrypted ones with their certificates, and open ones."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from faults.clusters import certificate, loopback_cluster

from gnbbench.processes.dask_cluster import is_open


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


@pytest.fixture(scope="module")
def encrypted(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Give the address of a cluster that wants certificates, and how Dask is told them."""
    pytest.importorskip("distributed", reason="Dask is not installed")
    if shutil.which("openssl") is None:
        pytest.skip("openssl, which makes the certificates, is not installed")
    folder = tmp_path_factory.mktemp("tls")
    settings = certificate(folder)
    with loopback_cluster(folder, settings, n_workers=1) as cluster:
        yield cluster.address, settings


def compared(address: str, here: Path, settings: Mapping[str, str]) -> tuple[int, str]:
    """Return exit code and stderr of a study on a cluster, in a process of its own."""
    words = ("compare", "iris", "--runs", "4", "--quiet", "--budget", "20ms")
    ended = subprocess.run(
        [sys.executable, "-m", "gnbbench", *words, "--dask", address, "--out", "here"],
        cwd=here,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.returncode, ended.stderr


@pytest.mark.slow
def test_an_encrypted_cluster_works_with_its_certificates(
    encrypted: tuple[str, Mapping[str, str]], tmp_path: Path
) -> None:
    address, settings = encrypted

    assert address.startswith("tls://")
    assert compared(address, tmp_path, settings) == (0, "")
    assert (tmp_path / "here" / "index.html").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("none", "needs certificates, and none are configured"),
        ("missing", "cannot be used (one of their files does not exist)"),
        ("other", "cannot be used (certificate verify failed)"),
    ],
)
def test_an_encrypted_cluster_is_refused_with_any_others(
    change: str, words: str, encrypted: tuple[str, Mapping[str, str]], tmp_path: Path
) -> None:
    address, settings = encrypted
    if change == "other":
        settings = certificate(tmp_path)
    elif change == "missing":
        settings = {name: str(tmp_path / "absent.pem") for name in settings}
    else:
        settings = {}

    code, err = compared(address, tmp_path, settings)

    assert code == 2
    assert err.startswith("gnbbench: --dask: ")
    assert words in err
    assert "DASK_DISTRIBUTED__COMM__TLS__CA_FILE" in err
    assert len(err.splitlines()) == 1
