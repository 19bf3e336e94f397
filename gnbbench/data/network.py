"""A dataset of a repository on the network, or of its copy here, becomes a Dataset."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from gnbbench.data import openml, uci
from gnbbench.data.copies import Fetched, copies_of, directory, read_copy, write_copy
from gnbbench.data.dataset import Dataset
from gnbbench.data.fetching import INSTEAD
from gnbbench.data.sources import listed, one_line, shell_word
from gnbbench.data.tables import table_of
from gnbbench.data.tabular import Reading, dataset_from_table
from gnbbench.errors import DatasetError, OptionError

OFFLINE_VARIABLE = "GNBBENCH_OFFLINE"
CHECKS: Mapping[str, Callable[[str], None]] = {"openml": openml.check, "uci": uci.check}
FETCHES: Mapping[str, Callable[[str], Fetched]] = {"openml": openml.fetch, "uci": uci.fetch}


def load_from_network(
    source: str,
    *,
    offline: bool = False,
    target: str | None = None,
    drop: Sequence[str] = (),
    missing: str = "error",
    one_hot: bool = False,
) -> Dataset:
    """Return a dataset of OpenML or UCI; what was fetched once is not fetched again."""
    fetched = had(source, offline=offline or _is_offline())
    table = table_of(fetched.source, fetched.text, ",", header=True)
    wanted = _target_of(fetched) if target is None else target
    dataset = dataset_from_table(
        replace(table, is_file=False),
        Reading(wanted, tuple(drop), missing, one_hot, fetched.aside),
        source={"source": fetched.source},
        name=fetched.name,
        origin=fetched.origin,
        licence=fetched.licence,
        notes=fetched.notes,
    )
    others = [name for name in fetched.targets if name in dataset.feature_names]
    if not others:
        return dataset
    note = f"Features here, though targets to the repository: {listed(others)}."
    return replace(dataset, notes=(*dataset.notes, note))


def had(source: str, *, offline: bool) -> Fetched:
    """Return a dataset as the repository has it, from a copy if there is a whole one."""
    repository, _, wanted = source.partition(":")
    CHECKS[repository](wanted)
    is_number = wanted.isdigit()
    wanted = str(int(wanted)) if is_number else wanted.lower()
    paths = copies_of(repository, wanted)
    for path in paths:
        copy = read_copy(path)
        if copy is not None:
            return copy
    if offline:
        raise _not_here(source, paths)
    fetched = FETCHES[repository](wanted)
    write_copy(fetched, asked="" if is_number else wanted)
    return fetched


def _not_here(source: str, damaged: Sequence[Path]) -> DatasetError:
    """Return the error that there is no copy, or none that is whole."""
    if damaged:
        what = f"its copy {one_line(damaged[0])} is damaged, and nothing may be fetched"
    else:
        what = f"there is no copy in {one_line(directory())}, and nothing may be fetched"
    remedy = f"Fetch it once without --offline and {OFFLINE_VARIABLE}, or {INSTEAD}."
    return DatasetError(source, what, remedy)


def _target_of(fetched: Fetched) -> str | None:
    """Return the repository's target, None where it has none."""
    if len(fetched.targets) > 1:
        what = f"not given, and {fetched.source} has several: {listed(fetched.targets)}"
        example = shell_word(fetched.targets[-1])
        raise OptionError("--target", what, f"Give one, such as --target {example}.")
    return fetched.targets[0] if fetched.targets else None


def _is_offline() -> bool:
    return os.environ.get(OFFLINE_VARIABLE, "") not in {"", "0"}
