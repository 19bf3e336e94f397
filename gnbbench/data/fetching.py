"""What can go wrong when a dataset is fetched, each as one line."""

import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.client import HTTPException

from gnbbench.data.sources import one_line
from gnbbench.errors import DatasetError

# Seconds that a server may be silent; the libraries that fetch would wait for ever.
PATIENCE_SECONDS = 30.0
# What the libraries raise, of which none promises a kind: no connection, an answer that
# breaks off, one that is no JSON or lacks what they look for.
FAILURES = (
    OSError,
    HTTPException,
    EOFError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
)
INSTEAD = "download the file yourself and give its path"


@contextmanager
def fetching(where: str, repository: str, site: str) -> Iterator[list[str]]:
    """Turn what goes wrong inside into one line; collect warnings."""
    told: list[str] = []
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(PATIENCE_SECONDS if before is None else before)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield told
        told += [one_line(warning.message) for warning in caught]
    except FAILURES as error:
        refusal = _refusal(error, where, repository, site)
        _close(error)
        raise refusal from error
    finally:
        socket.setdefaulttimeout(before)


def unknown(where: str, repository: str, site: str) -> DatasetError:
    """Return the error that the repository has no such dataset."""
    what = f"{repository} has no such dataset"
    return DatasetError(where, what, f"Look its name and number up at {site}.")


def _refusal(error: BaseException, where: str, repository: str, site: str) -> DatasetError:
    chain = _chain(error)
    codes = [getattr(e, "code", None) for e in chain]
    status = next((code for code in codes if isinstance(code, int)), 0)
    # So scikit-learn calls OpenML's answer that it has no such dataset.
    if any(type(e).__name__ == "OpenMLError" for e in chain):
        return unknown(where, repository, site)
    if status == HTTPStatus.NOT_FOUND:
        what = f"{site} has nothing there (404 Not Found)"
        return DatasetError(where, what, f"Look for it at {site}, or {INSTEAD}.")
    if status:
        told = f"{status} {getattr(chain[codes.index(status)], 'reason', '')}".strip()
        what = f"{site} answered with an error ({one_line(told)})"
        return DatasetError(where, what, f"Try again later, or {INSTEAD}.")
    if any(isinstance(e, HTTPException | EOFError) for e in chain):
        what = f"the answer of {site} broke off"
    elif isinstance(chain[-1], OSError):
        reason = getattr(chain[-1], "strerror", None) or chain[-1]
        what = f"{site} cannot be reached ({one_line(reason)})"
    else:
        what = f"what {site} sent cannot be used ({_short(error)})"
    return DatasetError(where, what, f"Try again, or {INSTEAD}.")


def _chain(error: BaseException) -> list[BaseException]:
    """Return an error and what led to it, the last of them where all began."""
    chain = [error]
    while following := chain[-1].__cause__ or chain[-1].__context__ or _reason(chain[-1]):
        chain.append(following)
    return chain


def _close(error: BaseException) -> None:
    """Close the answers that errors of HTTP hold open."""
    for one in _chain(error):
        close = getattr(one, "close", None)
        if callable(close):
            close()


def _reason(error: BaseException) -> BaseException | None:
    """Return the error that a URLError holds."""
    reason = getattr(error, "reason", None)
    return reason if isinstance(reason, BaseException) else None


def _short(error: BaseException) -> str:
    """Return what an error says, on one line that is not too long."""
    said = one_line(" ".join(f"{type(error).__name__}: {error}".split()))
    return said if len(said) <= 200 else said[:200] + "…"
