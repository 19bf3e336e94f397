"""A server that answers like OpenML and UCI, and fails on request.

It has one dataset, of four numbers and texts a row, as OpenML's 9001 and as UCI's 320.
"""

import gc
import hashlib
import json
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROWS = (
    ("15", "F", "10.5", "u", "4"),
    ("16", "M", "0.1", "v", "11"),
    ("?", "F", "2", "u", "15"),
    ("18", "M", "3.25", "v", "9"),
    ("17", "F", "1e-3", "u", "10"),
)
NAMES = ("age", "sex", "size", "kind", "G3")
ARFF = (
    "@relation toy\n"
    "@attribute age numeric\n@attribute sex {F,M}\n@attribute size numeric\n"
    "@attribute kind {u,v}\n@attribute G3 numeric\n@data\n"
    + "".join(",".join(row) + "\n" for row in ROWS)
)
CSV = "\n".join([",".join(NAMES), *(",".join(row) for row in ROWS)]).replace("?", "") + "\n"
NUMERIC = {"age", "size", "G3"}
UCI_ROLES = ("Feature", "Feature", "ID", "Target", "Target")


class Repositories(ThreadingHTTPServer):
    """Serves on a free port of this machine."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[str] = []  # The paths that were asked for, in order
        # What goes wrong at a path: "", "garbage", "truncated", "silent" or an HTTP status
        self.fault: Callable[[str], str] = lambda _path: ""
        # Called with each path before it is answered
        self.before: Callable[[str], None] = lambda _path: None
        self.closing = threading.Event()
        self.default_target: str | None = "kind"
        self.versions = 1

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.server_port}"

    def answer(self, path: str) -> bytes | None:
        """Return what is at a path, None if nothing is."""
        documents = {place: json.dumps(text) for place, text in self._documents().items()}
        texts = {"/uci/static/320.csv": CSV, "/openml/toy.arff": ARFF, **documents}
        return texts[path].encode("latin-1") if path in texts else None

    def _documents(self) -> dict[str, Any]:
        versions = [
            {"did": 9000 + v, "name": "toy", "version": v, "status": "active"}
            for v in range(1, self.versions + 1)
        ]
        description = {
            "id": "9001",
            "name": "toy",
            "version": "1",
            "description": "made",
            "format": "ARFF",
            "licence": "Public",
            "status": "active",
            "url": f"{self.url}/openml/toy.arff",
            "md5_checksum": hashlib.md5(ARFF.encode()).hexdigest(),  # noqa: S324  OpenML's
        }
        if self.default_target is not None:
            description["default_target_attribute"] = self.default_target
        return {
            "/openml/list/toy/status/active/": {"data": {"dataset": versions}},
            "/openml/info/9001": {"data_set_description": description},
            "/openml/features/9001": {"data_features": {"feature": _features()}},
            "/openml/qualities/9001": {"data_qualities": {"quality": []}},
            "/uci/api?id=320": {"status": 200, "data": self._uci()},
            "/uci/api?id=34": {"status": 200, "data": {**self._uci(), "data_url": None}},
            "/uci/api?id=999": {"status": 404, "message": "No dataset matches"},
        }

    def _uci(self) -> dict[str, Any]:
        return {
            "uci_id": 320,
            "name": "Student Performance",
            "repository_url": "https://archive.ics.uci.edu/dataset/320",
            "data_url": f"{self.url}/uci/static/320.csv",
            "variables": [
                {"name": name, "role": role}
                for name, role in zip(NAMES, UCI_ROLES, strict=True)
            ],
            "additional_info": None,
            "intro_paper": None,
        }


def _features() -> list[dict[str, str]]:
    return [
        {
            "index": str(index),
            "name": name,
            "data_type": "numeric" if name in NUMERIC else "nominal",
            "is_target": str(name == "kind").lower(),
            "is_ignore": "false",
            "is_row_identifier": "false",
            "number_of_missing_values": "0",
        }
        for index, name in enumerate(NAMES)
    ]


class _Handler(BaseHTTPRequestHandler):
    server: Repositories

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.server.before(self.path)
        fault = self.server.fault(self.path)
        found = self.server.answer(self.path)
        if fault == "silent":
            self.server.closing.wait(30)
            return
        if fault.isdigit() or found is None:
            unknown = "412" if self.path.startswith("/openml/") else "404"
            self.send_error(int(fault or unknown))
            return
        body = b"\x00<html>" if fault == "garbage" else found
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if fault == "truncated" else body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def serving() -> Iterator[Repositories]:
    """Run a server until the end of the block."""
    server = Repositories()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()


def redirect(set_attribute: Callable[[Any, str, Any], object], url: str) -> None:
    """Let scikit-learn and ucimlrepo ask the server at this address, without pauses."""
    import sklearn.datasets._openml as of_sklearn
    import ucimlrepo.fetch as of_ucimlrepo

    set_attribute(of_sklearn, "_SEARCH_NAME", f"{url}/openml/list/{{}}")
    for part in ("info", "features", "qualities"):
        set_attribute(of_sklearn, f"_DATA_{part.upper()}", f"{url}/openml/{part}/{{}}")
    set_attribute(of_sklearn, "time", SimpleNamespace(sleep=lambda _seconds: None))
    set_attribute(of_ucimlrepo, "API_BASE_URL", f"{url}/uci/api")


@contextmanager
def standing_in(monkeypatch: pytest.MonkeyPatch, cache: Path) -> Iterator[Repositories]:
    """Serve in place of OpenML and UCI; copies are kept in a directory of the test's."""
    pytest.importorskip("ucimlrepo", reason="the extra uci is not installed")
    monkeypatch.setenv("GNBBENCH_CACHE", str(cache))
    monkeypatch.delenv("GNBBENCH_OFFLINE", raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    gc.freeze()  # so that collecting afterwards looks at little
    with serving() as server:
        redirect(monkeypatch.setattr, server.url)
        yield server
    with warnings.catch_warnings():
        # The libraries leave answers open that broke off.
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
    gc.unfreeze()
