"""The text of a file, or one line on why it cannot be read."""

from pathlib import Path

from gnbbench.datasets.sources import one_line
from gnbbench.errors import DatasetError

UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
# First bytes -> what the file is, and what a stream of it takes as a target.
_STREAMED = {
    b"PAR1": ("a Parquet file", "COLUMN"),
    b"\x93NUMPY": ("a NumPy array", "y.npy"),
}


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
    try:
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    text = decoded(path, content)
    if not text.strip():
        raise DatasetError(
            str(path), "the file is empty", "Give one with a header and rows."
        )
    return text


def decoded(path: Path, content: bytes, first_line: int = 1) -> str:
    r"""Return the text that bytes of a UTF-8 file stand for.

    Parameters
    ----------
    path : Path
        File they were read from.
    content : bytes
        All of it, or a piece that starts and ends with a line.
    first_line : int, default=1
        Number of the line on which the piece starts.

    Returns
    -------
    str
        Line ends as they stand in the file; without a byte order mark.

    Raises
    ------
    DatasetError
        If the bytes are binary or not UTF-8.

    Examples
    --------
    >>> decoded(Path("a.csv"), b"caf\xc3\xa9,1\n")
    'café,1\n'
    """
    if first_line == 1 and content.startswith(UTF_16_MARKS):
        raise DatasetError(one_line(path), "it is UTF-16, not UTF-8", "Save it as UTF-8.")
    for mark, (kind, target) in _STREAMED.items():
        if first_line == 1 and content.startswith(mark):
            what = f"it is {kind}, which is read in blocks and by compare alone"
            remedy = f"Give: gnbbench compare {one_line(path)} --stream --target {target}"
            raise DatasetError(one_line(path), what, remedy)
    if b"\0" in content:
        remedy = "Give a text file: comma, semicolon or tab separated values."
        raise DatasetError(one_line(path), "it is a binary file", remedy)
    try:
        return content.decode("utf-8-sig" if first_line == 1 else "utf-8")
    except UnicodeDecodeError as error:
        line = first_line + content.count(b"\n", 0, error.start)
        what = f"it is not UTF-8: byte 0x{content[error.start]:02x} in line {line}"
        remedy = "Save it as UTF-8, or convert it: iconv -f latin1 -t utf-8."
        raise DatasetError(one_line(path), what, remedy) from error


def unreadable(path: Path, error: OSError | ValueError) -> DatasetError:
    """Return what to tell of a file that could not be opened or read.

    Parameters
    ----------
    path : Path
        The file.
    error : OSError or ValueError
        What the system said.

    Returns
    -------
    DatasetError
        To be raised from `error`.

    Examples
    --------
    >>> print(unreadable(Path("a.csv"), PermissionError()))
    a.csv: it may not be read. Ask for permission to read it, or copy it.
    """
    if isinstance(error, FileNotFoundError):
        what, remedy = "there is no such file", "Check the path."
    elif isinstance(error, IsADirectoryError):
        what, remedy = "it is a directory", "Give one CSV or TSV file inside it."
    elif isinstance(error, PermissionError):
        what, remedy = "it may not be read", "Ask for permission to read it, or copy it."
    else:
        reason = getattr(error, "strerror", None) or error
        what, remedy = f"it cannot be read ({reason})", "Check the path."
    return DatasetError(one_line(path), what, remedy)
