"""Files of separated values: bytes decoded to text, text split into records, the header.

Imports nothing heavy, so that headers are checked early.
"""

import contextlib
import csv
import gzip
import os
import re
import stat
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import BinaryIO, cast

from gnbbench.data.sources import listed, one_line, quoted
from gnbbench.errors import DatasetError, OptionError, install_command

# Of text; parsing a fragment takes about ten times as much memory.
FRAGMENT_BYTES = 2**23
# The longest text read at once, and the longest sample as a fraction of it.
LIMIT_VARIABLE, DEFAULT_MIB, SAMPLE_SHARE = "GNBBENCH_MAX_MIB", 1024, 16
MIB = 2**20
MOST_TIMES = 200  # Largest ratio of unpacked to compressed size
WHITESPACE = r"\s+"
CANDIDATES = ("\t", ";", ",", "|")
SAMPLE_RECORDS = 20
LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
SPELLINGS = {
    "tab": "\t",
    r"\t": "\t",
    "comma": ",",
    "semicolon": ";",
    **dict.fromkeys(("space", "whitespace", " "), WHITESPACE),
}
# First bytes -> the program that compressed a file; the last are those of pzstd.
PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"\x50\x2a\x4d\x18": "zstd"}
PACKED_SUFFIXES = (".gz", ".zst")
# Exceptions on reading a file, compressed or not.
READ_ERRORS = (OSError, ValueError, EOFError, zlib.error)
PARQUET, NPY, ZIP = b"PAR1", b"\x93NUMPY", b"PK\x03\x04"
# First bytes -> encoding; UTF-32 comes first, since its mark begins like that of UTF-16.
ENCODINGS = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
# First bytes -> kind of file, and an example of a target for streaming it.
_STREAMED = {PARQUET: ("a Parquet file", "COLUMN"), NPY: ("a NumPy array", "y.npy")}


@dataclass(frozen=True)
class Header:
    """The column names of a table, and how it is split into columns."""

    where: str  # Path of the file as the user gave it, or name of the data
    # One per column, distinct and stripped; c0, c1, … by position if the file has none
    names: tuple[str, ...]
    nameless: tuple[str, ...] = ()  # Columns whose name is empty in the file
    separator: str = ","  # In the notation of pandas
    is_first_record: bool = True  # Whether the first record holds the names
    is_file: bool = True  # Whether it is the user's file, with lines and a separator
    notes: tuple[str, ...] = ()  # Why a first record with numbers was taken as names


def read_text(path: Path) -> str:
    """Return the whole text of a UTF-8 file, without a byte order mark."""
    refuse_endless(path)
    most, longest = most_bytes()
    content, unended = bytearray(), 0
    try:
        with open_bytes(path) as file:
            before = path.stat()
            while more := file.read(FRAGMENT_BYTES):
                content += more
                unended = 0 if end_of_lines(more) else unended + len(more)
                if unended > longest:
                    raise too_long(path, 1 + content.count(b"\n"))
                refuse_bomb(path, len(content))
                if len(content) > most:
                    what = f"its text is longer than {most // MIB:,} MiB"
                    remedy = _raise_limit("Read it by compare --stream")
                    raise DatasetError(one_line(path), what, remedy)
            after = path.stat()
    except READ_ERRORS as error:
        raise unreadable(path, error) from error
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        what = "it changed while it was read"
        raise DatasetError(one_line(path), what, "Run the command again.")
    return refuse_empty(path, decoded(path, bytes(content)))


def most_bytes() -> tuple[int, int]:
    """Return the size limits of a text read at once and of a single sample."""
    limit = os.environ.get(LIMIT_VARIABLE, "") or str(DEFAULT_MIB)
    if not (limit.isdecimal() and limit.isascii() and 0 < int(limit[:10]) < 10**9):
        remedy = f"Give MiB, such as {LIMIT_VARIABLE}={2 * DEFAULT_MIB}."
        raise OptionError(LIMIT_VARIABLE, f"{quoted(limit)} is not a size", remedy)
    most = int(limit) * MIB
    return most, max(MIB, most // SAMPLE_SHARE)


def too_long(path: Path, line: int) -> DatasetError:
    """Return the error for a sample that is too long."""
    what = f"the sample in line {line} is longer than {most_bytes()[1] // MIB:,} MiB"
    return DatasetError(one_line(path), what, _raise_limit("Put each sample on a line"))


def refuse_bomb(path: Path, n_bytes: int) -> None:
    """Raise if a file unpacks to far more than data plausibly would."""
    most = max(most_bytes()[1], MOST_TIMES * path.stat().st_size)
    if n_bytes > most and not os.environ.get(LIMIT_VARIABLE):
        what = f"{packer_of(path)} unpacks it to more than {MOST_TIMES} times its size"
        raise DatasetError(one_line(path), what, _raise_limit("Unpack it"))


def refuse_holes(path: Path, n_bytes: int) -> None:
    """Raise if nearly all of a large file was never written, and so is read as zeros."""
    is_large = n_bytes > most_bytes()[1] and not os.environ.get(LIMIT_VARIABLE)
    if not (is_large and hasattr(os, "SEEK_HOLE")):
        return
    written = end = 0
    with path.open("rb") as file, contextlib.suppress(OSError):  # If no more was written
        while written * MOST_TIMES < n_bytes:
            start = os.lseek(file.fileno(), end, os.SEEK_DATA)
            end = os.lseek(file.fileno(), start, os.SEEK_HOLE)
            written += end - start
    if written * MOST_TIMES < n_bytes:
        what = f"of its bytes, fewer than 1 in {MOST_TIMES} were ever written"
        raise DatasetError(one_line(path), what, _raise_limit("Write it again"))


def _raise_limit(remedy: str) -> str:
    double = 2 * most_bytes()[0] // MIB
    return f"{remedy}, or raise the limit: {LIMIT_VARIABLE}={double}"


def open_bytes(path: Path) -> BinaryIO:
    """Open a file for reading, unpacking it on the fly if it is compressed."""
    packer = packer_of(path)
    if packer == "zstd":
        return _open_zstd(path)
    return cast("BinaryIO", gzip.open(path)) if packer else path.open("rb")


def packer_of(path: Path) -> str:
    """Return the program that compressed a file, by its first bytes; empty if none did."""
    with path.open("rb") as file:
        begin = file.read(4)
    return next((name for mark, name in PACKED.items() if begin.startswith(mark)), "")


def unpacked(path: Path) -> Path:
    """Return the path without the suffix of a compressed file."""
    return path.with_suffix("") if path.suffix in PACKED_SUFFIXES else path


def _open_zstd(path: Path) -> BinaryIO:
    """Open a zstd file with pyarrow, or with Python if it supports zstd."""
    try:
        import pyarrow as pa

        return cast("BinaryIO", pa.CompressedInputStream(str(path), "zstd"))
    except ImportError:
        pass
    try:
        return cast("BinaryIO", import_module("compression.zstd").open(path))
    except ImportError as error:
        what = "zstd compressed it, and pyarrow is not installed"
        remedy = f"Install it: {install_command('pyarrow')}. Or unpack it: zstd -d"
        raise DatasetError(one_line(path), what, remedy) from error


def _head_of(path: Path, n_bytes: int) -> str:
    """Return the first lines of a file, at least two if possible."""
    refuse_endless(path)
    longest = most_bytes()[1]
    try:
        with open_bytes(path) as file:
            content = file.read(n_bytes)
            while not has_two_lines(content) and (more := file.read(n_bytes)):
                content += more
                if len(content) > longest:
                    raise too_long(path, 1)
            cut = end_of_lines(content) if file.read(1) else len(content)
    except READ_ERRORS as error:
        raise unreadable(path, error) from error
    return decoded(path, content[:cut])


def refuse_endless(path: Path) -> None:
    """Raise for a device, a pipe or a socket, which may have no end."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        what = "it is a device or a pipe, and may have no end"
        raise DatasetError(one_line(path), what, "Save the data as a file first.")


def uncut(where: str, text: str, error: csv.Error, place: str) -> DatasetError:
    """Return the error for text that cannot be split into values."""
    if "field limit" in str(error) and text.count('"') % 2 == 0:
        what = f"a value {place} is longer than {csv.field_size_limit():,} characters"
        return DatasetError(where, what, "Shorten it, or close the quote before it.")
    return DatasetError(where, f"a quote {place} is not closed", "Close it.")


def refuse_empty(path: Path, text: str) -> str:
    """Return the text; raise if it is blank."""
    if not text or text.isspace():
        remedy = "Give one with a header and rows."
        raise DatasetError(one_line(path), "the file is empty", remedy)
    return text


def decoded(path: Path, content: bytes, first_line: int = 1) -> str:
    """Decode bytes of a UTF-8 file."""
    for mark, encoding in ENCODINGS.items():
        if first_line == 1 and content.startswith(mark):
            what = f"it is {encoding}, not UTF-8"
            raise DatasetError(one_line(path), what, "Save it as UTF-8.")
    if first_line == 1 and content.startswith(ZIP):
        what = "it is an archive, such as .npz, .zip or .xlsx"
        remedy = "Save its table as CSV, or one array with numpy.save for --stream."
        raise DatasetError(one_line(path), what, remedy)
    for mark, (kind, target) in _STREAMED.items():
        is_marked = content.startswith(mark) and path.suffix not in PACKED_SUFFIXES
        if first_line == 1 and is_marked:
            what = f"it is {kind}, which only compare --stream reads"
            remedy = f"Use: gnbbench compare {one_line(path)} --stream --target {target}"
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


def unreadable(path: Path, error: Exception) -> DatasetError:
    """Return the error for a file that could not be opened or read."""
    if isinstance(error, FileNotFoundError):
        what, remedy = "there is no such file", "Check the path."
        if path.parts[0] in ("http:", "https:"):
            what, remedy = "web addresses are not read", "Download the file first."
    elif isinstance(error, IsADirectoryError):
        what = "it is a directory"
        remedy = "Give one CSV or TSV file inside it, or add --stream to read all."
    elif isinstance(error, PermissionError):
        what, remedy = "you may not read it", "Ask for read permission."
    elif isinstance(error, EOFError | zlib.error | gzip.BadGzipFile):
        what, remedy = "it is damaged: gzip cannot unpack it", "Compress it again."
    elif path.suffix == PACKED_SUFFIXES[1] and getattr(error, "errno", None) is None:
        what, remedy = "it is damaged: zstd cannot unpack it", "Compress it again."
    else:
        reason = getattr(error, "strerror", None) or error
        what, remedy = f"it cannot be read ({reason})", "Check the path."
    return DatasetError(one_line(path), what, remedy)


def separator_of(text: str, requested: str | None) -> str:
    """Return the separator, in the notation of pandas.

    By default it is the first of tab, semicolon, comma, bar and white space that
    splits the first records into equally many values, at least two; else the one that
    splits the first record into the most values.
    """
    if requested is not None:
        separator = SPELLINGS.get(requested, requested)
        if separator != WHITESPACE and (len(separator) != 1 or separator in '"\r\n\0'):
            remedy = "Give a character such as ',' or ';', or the word tab or space."
            raise OptionError("--sep", f"{requested!r} is not one character", remedy)
        return separator
    for separator in (*CANDIDATES, WHITESPACE):
        widths = _widths(text, separator)
        if len(set(widths)) == 1 and widths[0] > 1:
            return separator
    return max((",", *CANDIDATES), key=lambda separator: _widths(text, separator)[:1])


def _widths(text: str, separator: str) -> list[int]:
    """Return the lengths of the first records, empty if they cannot be split."""
    try:
        sample = islice(records(text, separator), SAMPLE_RECORDS)
        return [len(record) for _, record in sample]
    except csv.Error:
        return []


def records(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the records that are not blank, each with the number of its first line."""
    lines = (match[0] for match in LINE.finditer(text))
    if separator == WHITESPACE:
        lines = (re.sub(WHITESPACE, " ", line.strip()) for line in lines)
        reader = csv.reader(lines, delimiter=" ")
    else:
        reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    number = 1
    for record in reader:
        if len(record) > 1 or "".join(record).strip():
            yield number, record
        number = reader.line_num + 1


def start_of_line(text: str, number: int) -> int:
    """Return the position at which a line starts; lines are counted from 1."""
    return next(islice(LINE.finditer(text), number - 1, None)).start()


def end_of_lines(content: bytes) -> int:
    r"""Return where the last whole line ends; a lone \r ends lines where no \n does."""
    return content.rfind(b"\n") + 1 or content.rfind(b"\r", 0, -1) + 1


def has_two_lines(content: bytes) -> bool:
    """Return whether there are two lines that are not blank."""
    stripped = content.strip()
    return b"\n" in stripped or b"\r" in stripped


def header_of_file(
    path: Path, separator: str | None, *, header: bool | None, n_bytes: int = FRAGMENT_BYTES
) -> Header:
    """Return the header of a file."""
    text = refuse_empty(path, _head_of(path, n_bytes))
    return header_of(one_line(path), text, separator_of(text, separator), header=header)


def header_of(where: str, text: str, separator: str, *, header: bool | None) -> Header:
    """Return the header of a text.

    Without a header the columns are named c0, c1, … If `header` is None, one is required;
    a first record with numbers counts as data, unless its numbers are consecutive,
    as pandas writes them, and appear beside a name; a note says so.
    """
    try:
        first = [value.strip() for value in next(records(text, separator))[1]]
    except csv.Error as error:
        raise uncut(where, text, error, "in the first line") from error
    _refuse_comment(where, text, separator)
    if any("\n" in name for name in first) and text.count('"') % 2:
        raise DatasetError(where, "a quote in the first line is not closed", "Close it.")
    numbers = [value for value in first if _is_number(value)] if header is None else []
    if numbers:
        _refuse_data(where, first, numbers)
    named = _named(where, ["" for _ in first] if header is False else first)
    _refuse_doubled(where, named.names)
    nameless = () if header is False else named.nameless
    note = (
        f"The first line was read as names, since its numbers ({listed(numbers)}) only "
        "count columns; --no-header reads it as a sample."
    )
    return replace(
        named,
        nameless=nameless,
        separator=separator,
        is_first_record=header is not False,
        notes=(note,) if numbers else (),
    )


def _refuse_comment(where: str, text: str, separator: str) -> None:
    """Raise if the text begins with a comment, or is ARFF or JSON."""
    start = text.lstrip()[:1]
    is_arff = re.search("^@relation", text, re.IGNORECASE | re.MULTILINE)
    is_json = re.match(r"\s*(\[\s*[\[{]|\{\s*\")", text)
    if (start in {"%", "@"} and is_arff) or is_json:
        remedy = "Convert it to CSV, whose first line holds the column names."
        raise DatasetError(where, f"it is a{' JSON' if is_json else 'n ARFF'} file", remedy)
    if start in {"%", "#"} and len(set(_widths(text, separator))) > 1:
        what = f"the first line is a comment ({start})"
        remedy = "Delete such lines, so that the first one holds the column names."
        raise DatasetError(where, what, remedy)


def named_columns(where: str, spelt: Sequence[str]) -> Header:
    """Return the header of named columns; raise if two names are equal."""
    names = [name.strip() for name in spelt]
    _refuse_doubled(where, names)
    return replace(_named(where, names), is_file=False)


def _named(where: str, spelt: Sequence[str]) -> Header:
    """Return the header, naming the columns that have no name."""
    names = tuple(name or f"c{position}" for position, name in enumerate(spelt))
    known = set(spelt)
    return Header(where, names, tuple(name for name in names if name not in known))


def _refuse_doubled(where: str, names: Sequence[str]) -> None:
    places: dict[str, int] = {}
    for position, name in enumerate(names):
        first = places.setdefault(name, position)
        if first < position:
            what = f"columns {first + 1} and {position + 1} are both called {quoted(name)}"
            raise DatasetError(where, what, "Rename one of them.")


def _refuse_data(where: str, first: list[str], numbers: list[str]) -> None:
    """Raise if the numbers in the first record may belong to a sample."""
    counts = ([str(i + start) for i in range(len(numbers))] for start in (0, 1))
    if 1 < len(numbers) < len(first) and numbers in counts:
        return
    what = f"the first line holds numbers (such as {quoted(numbers[0])}), not names"
    last = f"c{len(first) - 1}"
    remedy = (
        f"Use --no-header (columns are then c0 to {last}, such as --target {last}), or "
        "--header if these are names."
    )
    raise DatasetError(where, what, remedy, header=False)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.lower() != "nan"
