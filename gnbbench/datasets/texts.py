"""The text of a file, or one line on why it cannot be read."""

from pathlib import Path

from gnbbench.datasets.sources import one_line
from gnbbench.errors import DatasetError

UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read_text(path: Path) -> str:
    """Return the whole text of a UTF-8 file, without a byte order mark.

    Parameters
    ----------
    path : Path
        File to read.

    Returns
    -------
    str
        Its text, line ends as they stand in the file.

    Raises
    ------
    DatasetError
        If there is no such file, if it cannot be opened, is empty, binary or not UTF-8.

    Examples
    --------
    >>> read_text(Path("no-such-file.csv"))
    Traceback (most recent call last):
    gnbbench.errors.DatasetError: no-such-file.csv: there is no such file. Check the path.
    """
    content = _read_bytes(path)
    if content.startswith(UTF_16_MARKS):
        raise DatasetError(one_line(path), "it is UTF-16, not UTF-8", "Save it as UTF-8.")
    if b"\0" in content:
        remedy = "Give a text file: comma, semicolon or tab separated values."
        raise DatasetError(one_line(path), "it is a binary file", remedy)
    text = _decode(path, content)
    if not text.strip():
        raise DatasetError(
            str(path), "the file is empty", "Give one with a header and rows."
        )
    return text


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise DatasetError(
            one_line(path), "there is no such file", "Check the path."
        ) from error
    except IsADirectoryError as error:
        remedy = "Give one CSV or TSV file inside it."
        raise DatasetError(one_line(path), "it is a directory", remedy) from error
    except PermissionError as error:
        remedy = "Ask for permission to read it, or copy it."
        raise DatasetError(one_line(path), "it may not be read", remedy) from error
    except (OSError, ValueError) as error:
        what = f"it cannot be read ({getattr(error, 'strerror', None) or error})"
        raise DatasetError(one_line(path), what, "Check the path.") from error


def _decode(path: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        what = f"it is not UTF-8: byte 0x{content[error.start]:02x} in line {line}"
        remedy = "Save it as UTF-8, or convert it: iconv -f latin1 -t utf-8."
        raise DatasetError(one_line(path), what, remedy) from error
