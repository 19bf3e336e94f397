"""The character between two values of a line: given by the user, or guessed."""

import csv
import re
from collections.abc import Iterator
from itertools import islice

from gnbbench.errors import OptionError

WHITESPACE = r"\s+"
CANDIDATES = ("\t", ";", ",", "|")
SAMPLE_RECORDS = 20
LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
SPELLINGS = {
    "tab": "\t",
    r"\t": "\t",
    "comma": ",",
    "semicolon": ";",
    "space": WHITESPACE,
    "whitespace": WHITESPACE,
    " ": WHITESPACE,
}


def separator_of(text: str, given: str | None) -> str:
    """Return the separator, as pandas takes it.

    Without one given it is the first of tab, semicolon, comma and bar that cuts the
    first records into equally many values, at least two; else runs of white space, if
    they do; else the candidate that cuts the first record into the most values.
    """
    if given is None:
        return _guess(text)
    separator = SPELLINGS.get(given, given)
    if separator != WHITESPACE and (len(separator) != 1 or separator in '"\r\n\0'):
        remedy = "Give a character such as ',' or ';', or the word tab or space."
        raise OptionError("--sep", f"{given!r} is not one character", remedy)
    return separator


def records(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each record that is not blank with the number of its first line."""
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


def _guess(text: str) -> str:
    for separator in (*CANDIDATES, WHITESPACE):
        counts = _counts(text, separator)
        if len(set(counts)) == 1 and counts[0] > 1:
            return separator
    return max((",", *CANDIDATES), key=lambda separator: _counts(text, separator)[:1])


def _counts(text: str, separator: str) -> list[int]:
    """Return the lengths of the first records; none where they cannot be cut."""
    try:
        sample = islice(records(text, separator), SAMPLE_RECORDS)
        return [len(record) for _, record in sample]
    except csv.Error:
        return []
