"""Read files up to a size limit, and write them completely or not at all."""

import errno
import json
import os
import stat
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from gnbbench.errors import PlacedError

# Size limit for settings, source files and summaries; data have their own.
MOST_BYTES = 2**28
UNFINISHED = ".gnbbench-unfinished"  # Suffix of a file while it is being written


def content_of(path: Path) -> bytes:
    """Return the content of a file; raise OSError for a pipe, a device or a huge file."""
    _refuse_device(path)
    with path.open("rb") as file:
        # read() allocates its argument; some files with content report a size of 0.
        size = max(os.fstat(file.fileno()).st_size, 2**20)
        content = file.read(min(size, MOST_BYTES) + 1)
    if len(content) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"it is larger than {MOST_BYTES // 2**20} MiB")
    return content


def _refuse_device(path: Path) -> None:
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise OSError(errno.EINVAL, "it is a device or a pipe")


def toml_beside(module: str, name: str) -> dict[str, Any]:
    """Load a TOML file beside a module of this package."""
    return tomllib.loads((Path(module).parent / name).read_text(encoding="utf-8"))


def json_of(path: Path) -> Any:
    """Load the JSON in a file; raise ValueError for anything else."""
    try:
        return json.loads(content_of(path))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def text_of(path: Path, kind: type[PlacedError], remedy: str) -> str:
    """Read the text of a file; raise an error of class `kind` if that fails."""
    try:
        return content_of(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what, remedy = f"byte {error.start} is not UTF-8", "Save it as UTF-8."
        raise kind(str(path), what, remedy) from error
    except (OSError, ValueError) as error:
        what = f"it cannot be read ({getattr(error, 'strerror', None) or error})"
        raise kind(str(path), what, remedy) from error


def _umask() -> int:
    """Return the process's umask, which can only be read by setting it."""
    umask = os.umask(0o077)
    os.umask(umask)
    return umask


def replace_file(path: Path, content: bytes) -> None:
    """Replace the content of a file atomically; a failure leaves the old file.

    Devices are refused: renaming onto `/dev/null` would remove it for the whole machine.
    """
    if path.exists():
        _refuse_device(path)
    handle, name = tempfile.mkstemp(UNFINISHED, f".{path.name}.", path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
