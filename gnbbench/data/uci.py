"""Datasets of the UCI Machine Learning Repository, by number; ucimlrepo fetches them."""

from collections.abc import Mapping
from importlib.util import find_spec

from gnbbench.data.bundled import UCI_LICENCE
from gnbbench.data.copies import Fetched
from gnbbench.data.fetching import INSTEAD, fetching, unknown
from gnbbench.data.sources import one_line
from gnbbench.errors import DatasetError

REPOSITORY = "UCI"
SITE = "archive.ics.uci.edu"
# Roles of columns, as the repository has them.
NO_FEATURES = ("ID", "Other")


def fetch(wanted: str) -> Fetched:
    """Return a dataset of the UCI Machine Learning Repository."""
    check(wanted)
    where = f"uci:{wanted}"
    if find_spec("ucimlrepo") is None:
        remedy = 'Install it: pip install "gnbbench[uci]"'
        raise DatasetError(where, "ucimlrepo, which fetches it, is not installed", remedy)
    from ucimlrepo import DatasetNotFoundError, fetch_ucirepo

    with fetching(where, REPOSITORY, SITE):
        try:
            found = fetch_ucirepo(id=int(wanted))
        except DatasetNotFoundError as error:
            if isinstance(error.__context__, OSError):
                raise error.__context__ from None
            raise _refusal(where, error) from error
        frame, metadata = found.data.original, found.metadata
        roles = dict(zip(found.variables["name"], found.variables["role"], strict=True))
        columns = {str(column): roles.get(column, "Feature") for column in frame.columns}
        name, text = one_line(metadata.name), frame.to_csv(index=False, lineterminator="\n")
        reference = one_line(metadata.repository_url or f"https://{SITE}/dataset/{wanted}")
    return Fetched(
        source=f"uci:{int(wanted)}",
        name=name,
        origin=f"UCI Machine Learning Repository, dataset {int(wanted)} ({name}), "
        f"{reference}",
        text=text,
        licence=UCI_LICENCE,
        targets=_of_roles(columns, "Target"),
        aside=_of_roles(columns, *NO_FEATURES),
    )


def check(wanted: str) -> None:
    """Raise an error where no dataset of the repository can be called so."""
    is_number = wanted.isdigit() and wanted.isascii()
    if not (is_number and 0 < int(wanted[:12]) < 10**9):
        what = "datasets of UCI are asked for by number"
        remedy = f"Give one, such as uci:320; {SITE} shows it in the address."
        raise DatasetError(f"uci:{one_line(wanted[:80])}", what, remedy)


def _of_roles(columns: Mapping[str, str], *roles: str) -> tuple[str, ...]:
    return tuple(column.strip() for column, role in columns.items() if role in roles)


def _refusal(where: str, error: Exception) -> DatasetError:
    """Return the error for a dataset that is not there, or has no table or an empty one.

    ucimlrepo has one kind of error for these.
    """
    if "not available for import" in str(error):
        what = "UCI has it, but not as one table that can be fetched"
        return DatasetError(where, what, "Download its files and give the path of one.")
    if "reading data csv" in str(error):
        what = f"what {SITE} sent cannot be used (a table without rows)"
        return DatasetError(where, what, f"Try again, or {INSTEAD}.")
    return unknown(where, REPOSITORY, SITE)
