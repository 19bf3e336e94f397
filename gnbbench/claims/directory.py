"""Where the tables of claims are that come with gnbbench."""

from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from gnbbench.errors import ConfigurationError

CHECKOUT = Path(__file__).parents[2]
INSTALLED = "share/gnbbench/claims/"


def usual_directory(checkout: Path = CHECKOUT) -> Path:
    """Return the directory of the tables: of the checkout, or where pip has put them."""
    ours = checkout / "configs" / "claims"
    if ours.is_dir():
        return ours
    try:
        listed = files("gnbbench") or []
    except PackageNotFoundError:
        listed = []
    for file in listed:
        if INSTALLED in file.as_posix():
            return Path(str(file.locate())).resolve().parent
    what = "the tables of claims are not installed"
    raise ConfigurationError("--claims", what, "Give their directory: --claims DIR")
