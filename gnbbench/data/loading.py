"""A name or a path becomes a Dataset."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from gnbbench.data.catalogue import find, is_of_repository, names
from gnbbench.data.dataset import Dataset
from gnbbench.data.files import load_file
from gnbbench.data.network import load_from_network
from gnbbench.errors import OptionError, UnknownNameError

FLAGS = {
    "target": "--target",
    "separator": "--sep",
    "header": "--header",
    "drop": "--drop",
    "missing": "--missing",
    "one_hot": "--one-hot",
    "n_samples": "--n-samples",
    "n_features": "--n-features",
    "n_classes": "--n-classes",
    "seed": "--data-seed",
    "offset": "--offset",
}
LONGEST_NAME = 80
NETWORK_OPTIONS = ("target", "drop", "missing", "one_hot")
FILE_OPTIONS = ("target", "separator", "header", "drop", "missing", "one_hot")


def load(
    source: str | Path,
    *,
    target: str | None = None,
    separator: str | None = None,
    header: bool | None = None,
    drop: Sequence[str] = (),
    missing: str = "error",
    one_hot: bool = False,
    n_samples: int | None = None,
    n_features: int | None = None,
    n_classes: int | None = None,
    seed: int | None = None,
    offset: float | None = None,
    offline: bool = False,
) -> Dataset:
    """Return the dataset of that name, or the one that a file holds.

    A name of the catalogue or of a repository comes before a file of the same name; write
    ``./iris`` for the file. What was fetched from a repository is kept: in the user's
    cache directory, or where the environment variable GNBBENCH_CACHE says. The Dataset's
    `parameters` load it again: ``load(**dataset.parameters)``.

    Parameters
    ----------
    source : str or Path
        Name of the catalogue, or path to a file of separated values, or what a repository
        on the network has: ``openml:NAME``, ``openml:NUMBER`` or ``uci:NUMBER``.
    target : str, optional
        Of a file, which must have one, or of a repository: column of the labels, or a
        comparison such as ``G3>=10``, which makes two classes.
    separator, header
        Of a file; see `gnbbench.data.files.load_file`.
    drop, missing, one_hot
        Of a file or a repository; see there.
    n_samples, n_features, n_classes, seed : int, optional
        Of ``gaussians``; see `gnbbench.data.gaussians.gaussians`.
    offset : float, optional
        Of ``gaussians``: what is added to every feature.
    offline : bool, default=False
        Whether nothing may be fetched, only what was fetched before; so it is as well
        where the environment variable GNBBENCH_OFFLINE is 1.

    Returns
    -------
    Dataset
        Ready to be split.

    Raises
    ------
    UnknownNameError
        If there is neither such a name nor such a file.
    OptionError
        If an option does not apply to the source, or its value cannot be used.
    DatasetError
        If the file cannot serve, or the network cannot be reached.

    Examples
    --------
    >>> load("iris").X.shape
    (150, 4)
    >>> load("gaussians", n_samples=50, n_classes=2).class_names
    ('class 0', 'class 1')
    """
    options: dict[str, Any] = {
        "target": target,
        "separator": separator,
        "header": header,
        "drop": tuple(drop) or None,
        "missing": None if missing == "error" else missing,
        "one_hot": one_hot or None,
        "n_samples": n_samples,
        "n_features": n_features,
        "n_classes": n_classes,
        "seed": seed,
        "offset": offset,
    }
    given = {option: value for option, value in options.items() if value is not None}
    entry = find(source) if isinstance(source, str) else None
    if entry is not None:
        _refuse_others(given, entry.options, f"the dataset '{entry.name}'")
        dataset: Dataset = resolve_name(entry.loader)(**given)
        return dataset
    if isinstance(source, str) and is_of_repository(source):
        _refuse_others(given, NETWORK_OPTIONS, "a dataset of a repository")
        return load_from_network(source, offline=offline, **given)
    path = _path_of(source)
    _refuse_others(given, FILE_OPTIONS, "a file")
    return load_file(path, **given)


def _path_of(source: str | Path) -> Path:
    """Return the path, unless it is more likely that a name was mistyped."""
    looks_like_path = isinstance(source, Path) or "/" in source or "\\" in source
    path = Path(source)
    if not looks_like_path and not path.suffix and not (source and _exists(path)):
        raise UnknownNameError("dataset", str(source)[:LONGEST_NAME], names())
    return path


def _exists(path: Path) -> bool:
    """Tell whether there is something; a name no file can have is no file."""
    try:
        return path.exists()
    except OSError:
        return False


def _refuse_others(given: Mapping[str, Any], allowed: tuple[str, ...], of: str) -> None:
    """Raise at the first option that does not apply."""
    for option in given:
        if option not in allowed:
            flags = ", ".join(FLAGS[known] for known in allowed) or "no option"
            remedy = f"Leave it out; {of} takes {flags}."
            raise OptionError(FLAGS[option], f"it does not apply to {of}", remedy)
