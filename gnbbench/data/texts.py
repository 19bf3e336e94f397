"""The text of a file, or one line on why it cannot be read."""

from pathlib import Path

from gnbbench.data.sources import one_line
from gnbbench.errors import DatasetError

UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
# First bytes -> what the file is, and what a stream of it takes as a target.
_STREAMED = {
    b"PAR1": ("a Parquet file", "COLUMN"),
    b"\x93NUMPY": ("a NumPy array", "y.npy"),
}


def read_text(path: Path) -> str:
    """Return the whole text of a UTF-8 file, without a byte order mark."""
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
    """Return the text that bytes of a UTF-8 file stand for."""
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
    """Return what to tell of a file that could not be opened or read."""
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
