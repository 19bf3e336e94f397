"""Datasets of OpenML and UCI, downloaded once and kept in the user's cache.

scikit-learn and ucimlrepo download them; each failure becomes a one-line error. A cached
copy has a line with the SHA-256 digest of the rest, a line of JSON that describes
the data, and the data as CSV; a damaged copy is ignored. It is named after its source,
such as ``openml-61.csv``, with ``+name`` added if it was requested by name, so that the
name can be resolved offline.
"""

import hashlib
import json
import os
import socket
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from http import HTTPStatus
from http.client import HTTPException
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from gnbbench.data.catalogue import OPENML, UCI, UCI_LICENCE, Repository, refuse_impossible
from gnbbench.data.sources import listed, one_line, shell_word
from gnbbench.errors import DatasetError, OptionError, install_command
from gnbbench.files import replace_file

DIRECTORY_VARIABLE = "GNBBENCH_CACHE"
OFFLINE_VARIABLE = "GNBBENCH_OFFLINE"
FIRST_LINE = b"gnbbench dataset 1 sha256 "
# UCI's roles of columns that are not features.
NO_FEATURES = ("ID", "Other")
# How long a server may be silent; the libraries would wait forever.
PATIENCE_SECONDS = 30.0
# Undocumented exceptions of the libraries: no connection, a truncated answer, or an answer
# that is not JSON or lacks a field.
FAILURES = (
    *(OSError, HTTPException, EOFError, ValueError),
    *(LookupError, TypeError, AttributeError),
)
INSTEAD = "download the file yourself and give its path"


@dataclass(frozen=True)
class Fetched:
    """A dataset as a repository provides it."""

    source: str  # Its permanent name, such as ``openml:61``
    name: str  # Its name in the repository
    origin: str  # Where it comes from, in one sentence
    text: str = field(repr=False)  # Its rows as CSV, with a header
    licence: str = ""  # Terms of use as far as known
    targets: tuple[str, ...] = ()  # Columns that the repository lists as targets
    aside: tuple[str, ...] = ()  # Columns that it lists as neither features nor targets
    notes: tuple[str, ...] = ()  # Remarks, one sentence each


def fetch_openml(wanted: str) -> Fetched:
    """Download a dataset of OpenML by number or name."""
    from sklearn.datasets import fetch_openml as fetch

    asked: dict[str, Any] = (
        {"data_id": int(wanted)} if wanted.isdigit() else {"name": wanted}
    )
    with fetching(f"openml:{wanted}", OPENML) as remarks:
        bunch = fetch(**asked, target_column=None, as_frame=True, cache=False, n_retries=1)
        details = bunch.details
        number, name = int(details["id"]), one_line(details["name"])
        columns = [str(column) for column in bunch.data.columns]
        text = bunch.data.to_csv(index=False, lineterminator="\n")
        version = one_line(details["version"])
        targets = _openml_targets(details, columns)
    return Fetched(
        source=f"openml:{number}",
        name=name,
        origin=f"OpenML, dataset {number} ({name}, version {version}), "
        f"https://{OPENML.site}/d/{number}",
        text=text,
        licence=one_line(details.get("licence") or ""),
        targets=targets,
        notes=_openml_notes(details, remarks),
    )


def _openml_targets(details: Mapping[str, Any], columns: list[str]) -> tuple[str, ...]:
    """Return the default targets that OpenML lists."""
    attribute = str(details.get("default_target_attribute") or "")
    if attribute in columns:
        return (attribute.strip(),)
    names = (name.strip() for name in attribute.split(","))
    return tuple(name for name in names if name in columns)


def _openml_notes(details: Mapping[str, Any], remarks: list[str]) -> tuple[str, ...]:
    notes = []
    if any(text.startswith("Multiple active versions") for text in remarks):
        notes.append("OpenML has several active versions of that name; this is the oldest.")
    if details.get("status") != "active":
        notes.append("OpenML has found issues in this version: it is not active.")
    for key in ("row_id_attribute", "ignore_attribute"):
        if details.get(key):
            ignored = details[key]
            names = ignored if isinstance(ignored, list) else [ignored]
            shown = one_line(", ".join(map(str, names)))
            notes.append(f"Left out, as OpenML does ({key}): {shown}.")
    return tuple(notes)


def fetch_uci(wanted: str) -> Fetched:
    """Download a dataset of the UCI Machine Learning Repository by number."""
    where = f"uci:{wanted}"
    if find_spec("ucimlrepo") is None:
        remedy = f"Install it: {install_command('ucimlrepo')}"
        raise DatasetError(where, "ucimlrepo, which fetches it, is not installed", remedy)
    from ucimlrepo import DatasetNotFoundError, fetch_ucirepo

    with fetching(where, UCI):
        try:
            answer = fetch_ucirepo(id=int(wanted))
        except DatasetNotFoundError as error:
            if isinstance(error.__context__, OSError):
                raise error.__context__ from None
            raise _uci_refusal(where, error) from error
        frame, metadata = answer.data.original, answer.metadata
        roles = dict(zip(answer.variables["name"], answer.variables["role"], strict=True))
        columns = {str(column): roles.get(column, "Feature") for column in frame.columns}
        name, text = one_line(metadata.name), frame.to_csv(index=False, lineterminator="\n")
        address = metadata.repository_url or f"https://{UCI.site}/dataset/{wanted}"
    return Fetched(
        source=f"uci:{int(wanted)}",
        name=name,
        origin=f"UCI Machine Learning Repository, dataset {int(wanted)} ({name}), "
        f"{one_line(address)}",
        text=text,
        licence=UCI_LICENCE,
        targets=_of_roles(columns, "Target"),
        aside=_of_roles(columns, *NO_FEATURES),
    )


def _of_roles(columns: Mapping[str, str], *roles: str) -> tuple[str, ...]:
    return tuple(column.strip() for column, role in columns.items() if role in roles)


def _uci_refusal(where: str, error: Exception) -> DatasetError:
    """Return the error for a dataset that is unknown, or whose table is absent or empty.

    ucimlrepo raises the same class for all three.
    """
    if "not available for import" in str(error):
        what = "UCI has it, but not as one table that can be fetched"
        return DatasetError(where, what, "Download its files and give the path of one.")
    if "reading data csv" in str(error):
        what = f"the answer from {UCI.site} cannot be used (a table without rows)"
        return DatasetError(where, what, f"Try again, or {INSTEAD}.")
    return _unknown(where, UCI)


@contextmanager
def fetching(where: str, repository: Repository) -> Iterator[list[str]]:
    """Turn failures into one-line errors, and collect warnings."""
    remarks: list[str] = []
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(PATIENCE_SECONDS if before is None else before)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield remarks
        remarks += [one_line(warning.message) for warning in caught]
    except FAILURES as error:
        chain = _chain(error)
        refusal = _refusal(chain, where, repository)
        for cause in chain:
            # HTTP errors keep the connection open.
            close = getattr(cause, "close", None)
            if callable(close):
                close()
        raise refusal from error
    finally:
        socket.setdefaulttimeout(before)


def _refusal(
    chain: list[BaseException], where: str, repository: Repository
) -> DatasetError:
    site = repository.site
    codes = [getattr(error, "code", None) for error in chain]
    status = next((code for code in codes if isinstance(code, int)), 0)
    # Raised by scikit-learn if OpenML has no such dataset.
    if any(type(error).__name__ == "OpenMLError" for error in chain):
        return _unknown(where, repository)
    if status == HTTPStatus.NOT_FOUND:
        what = f"{site} has nothing there (404 Not Found)"
        return DatasetError(where, what, f"Look for it at {site}, or {INSTEAD}.")
    if status:
        reason = getattr(chain[codes.index(status)], "reason", "")
        what = f"{site} answered with an error ({one_line(f'{status} {reason}'.strip())})"
        return DatasetError(where, what, f"Try again later, or {INSTEAD}.")
    if any(isinstance(error, HTTPException | EOFError) for error in chain):
        what = f"the answer from {site} was cut off"
    elif isinstance(chain[-1], OSError):
        reason = getattr(chain[-1], "strerror", None) or chain[-1]
        what = f"{site} cannot be reached ({one_line(reason)})"
        if any(isinstance(error, TimeoutError) for error in chain):
            seconds = socket.getdefaulttimeout() or PATIENCE_SECONDS
            what = f"{site} did not answer within {seconds:g} s"
    else:
        text = one_line(" ".join(f"{type(chain[0]).__name__}: {chain[0]}".split()))
        shown = text if len(text) <= 200 else text[:200] + "…"
        what = f"the answer from {site} cannot be used ({shown})"
    return DatasetError(where, what, f"Try again, or {INSTEAD}.")


def _unknown(where: str, repository: Repository) -> DatasetError:
    """Return the error for a dataset that the repository does not have."""
    what = f"{repository.called} has no such dataset"
    return DatasetError(where, what, f"Look up its name or number at {repository.site}.")


def _chain(error: BaseException) -> list[BaseException]:
    """Return an error and its causes, the original one last."""
    chain = [error]
    while following := chain[-1].__cause__ or chain[-1].__context__:
        chain.append(following)
    inner = getattr(chain[-1], "reason", None)  # The cause of a URLError
    return [*chain, *_chain(inner)] if isinstance(inner, BaseException) else chain


FETCH = {OPENML.prefix: fetch_openml, UCI.prefix: fetch_uci}


def fetch_or_load(source: str, *, offline: bool = False) -> Fetched:
    """Return a dataset from an intact cached copy, or else from the repository."""
    refuse_impossible(source)
    repository, _, wanted = source.partition(":")
    is_number = wanted.isdigit()
    wanted = str(int(wanted)) if is_number else wanted.lower()
    paths = copies_of(repository, wanted)
    for path in paths:
        copy = read_copy(path)
        if copy is not None:
            return copy
    if offline or os.environ.get(OFFLINE_VARIABLE, "") not in {"", "0"}:
        what = f"there is no copy in {one_line(directory())}"
        if paths:
            what = f"its copy {one_line(paths[0])} is damaged"
        remedy = f"Fetch it once without --offline and {OFFLINE_VARIABLE}, or {INSTEAD}."
        raise DatasetError(source, f"{what}, and the network may not be used", remedy)
    fetched = FETCH[f"{repository}:"](wanted)
    write_copy(fetched, asked="" if is_number else wanted)
    return fetched


def default_target(fetched: Fetched) -> str | None:
    """Return the repository's target, None if it has none."""
    if len(fetched.targets) > 1:
        what = f"not given, and {fetched.source} has several: {listed(fetched.targets)}"
        example = shell_word(fetched.targets[-1])
        raise OptionError("--target", what, f"Give one, such as --target {example}.")
    return fetched.targets[0] if fetched.targets else None


def directory() -> Path:
    """Return the cache directory: GNBBENCH_CACHE, or the user's cache."""
    chosen = os.environ.get(DIRECTORY_VARIABLE, "")
    return Path(chosen) if chosen else user_cache_path("gnbbench", appauthor=False)


def copies_of(repository: str, wanted: str) -> list[Path]:
    """Return the cached copies of a dataset, the newest first."""
    pattern = f"{repository}-{wanted}" if wanted.isdigit() else f"{repository}-*+{wanted}"
    paths: set[Path] = set()
    with suppress(OSError):
        paths |= set(directory().glob(f"{pattern}.csv"))
        if wanted.isdigit():
            paths |= set(directory().glob(f"{pattern}+*.csv"))
    return sorted(paths, key=_age)


def read_copy(path: Path) -> Fetched | None:
    """Return the dataset in a cached copy, None if it is damaged or not ours."""
    if not path.is_file():
        return None
    try:
        head, _, content = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    if head != FIRST_LINE + _digest(content):
        return None
    try:
        described, _, text = content.decode("utf-8").partition("\n")
        fields = json.loads(described)
        lists = {name: tuple(v) for name, v in fields.items() if isinstance(v, list)}
        fetched = Fetched(text=text, **{**fields, **lists})
        sentences = (fetched.source, fetched.name, fetched.origin, fetched.licence)
        texts = (*sentences, *fetched.targets, *fetched.aside, *fetched.notes)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    if not (fetched.text.strip() and all(isinstance(entry, str) for entry in texts)):
        return None
    # A renamed copy would be taken for another dataset.
    stem = path.name.removesuffix(".csv").partition("+")[0]
    return fetched if stem == fetched.source.replace(":", "-") else None


def write_copy(fetched: Fetched, *, asked: str = "") -> Path:
    """Write a cached copy atomically; return its path."""
    described = asdict(fetched)
    text = described.pop("text")
    content = f"{json.dumps(described)}\n{text}".encode()
    name = fetched.source.replace(":", "-") + (f"+{asked}" if asked else "")
    path = directory() / f"{name}.csv"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, FIRST_LINE + _digest(content) + b"\n" + content)
    except OSError as error:
        what = f"the copy {one_line(path)} cannot be written ({error.strerror or error})"
        remedy = f"Give another directory in the environment: {DIRECTORY_VARIABLE}=DIR"
        raise DatasetError(fetched.source, what, remedy) from error
    return path


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


def _age(path: Path) -> tuple[float, str]:
    """Return a sort key: the newest file first, then by name."""
    try:
        return -path.stat().st_mtime, path.name
    except OSError:
        return 0.0, path.name
