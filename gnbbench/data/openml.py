"""Datasets of OpenML, by number or by name; scikit-learn fetches them."""

import re
from collections.abc import Mapping
from typing import Any

from sklearn.datasets import fetch_openml

from gnbbench.data.copies import Fetched
from gnbbench.data.fetching import fetching
from gnbbench.data.sources import one_line
from gnbbench.errors import DatasetError

REPOSITORY = "OpenML"
SITE = "www.openml.org"
# As OpenML allows names to be.
NAME = re.compile(r"[A-Za-z0-9_.(),-]{1,128}")


def fetch(wanted: str) -> Fetched:
    """Return a dataset of OpenML."""
    where = f"openml:{wanted}"
    check(wanted)
    asked: dict[str, Any] = (
        {"data_id": int(wanted)} if wanted.isdigit() else {"name": wanted}
    )
    with fetching(where, REPOSITORY, SITE) as told:
        bunch = fetch_openml(**asked, target_column=None, as_frame=True, cache=False)
        details = bunch.details
        number, name = int(details["id"]), one_line(details["name"])
        columns = [str(column) for column in bunch.data.columns]
        text = bunch.data.to_csv(index=False, lineterminator="\n")
        version = one_line(details["version"])
        targets = _targets(details, columns)
    return Fetched(
        source=f"openml:{number}",
        name=name,
        origin=f"OpenML, dataset {number} ({name}, version {version}), "
        f"https://{SITE}/d/{number}",
        text=text,
        licence=one_line(details.get("licence") or ""),
        targets=targets,
        notes=_notes(details, told),
    )


def check(wanted: str) -> None:
    """Raise an error where no dataset of OpenML can be called so."""
    if wanted.isdigit() and wanted.isascii():
        good = 0 < int(wanted[:12]) < 10**9
    else:
        good = NAME.fullmatch(wanted) is not None
    if not good:
        what = "no dataset of OpenML can be called so"
        remedy = "Give a number or a name, such as openml:61 or openml:iris."
        raise DatasetError(f"openml:{one_line(wanted[:80])}", what, remedy)


def _targets(details: Mapping[str, Any], columns: list[str]) -> tuple[str, ...]:
    """Return the default target, or several where OpenML names several."""
    given = str(details.get("default_target_attribute") or "")
    names = [given] if given in columns else [name.strip() for name in given.split(",")]
    return tuple(name.strip() for name in names if name in columns)


def _notes(details: Mapping[str, Any], told: list[str]) -> tuple[str, ...]:
    notes = []
    if any(text.startswith("Multiple active versions") for text in told):
        notes.append("OpenML has several active versions of that name; this is the oldest.")
    if details.get("status") != "active":
        notes.append("OpenML has found issues in this version: it is not active.")
    for key in ("row_id_attribute", "ignore_attribute"):
        if details.get(key):
            given = details[key]
            names = given if isinstance(given, list) else [given]
            shown = one_line(", ".join(map(str, names)))
            notes.append(f"Left out, as OpenML does ({key}): {shown}.")
    return tuple(notes)
