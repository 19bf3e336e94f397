"""Times and shares as they are typed."""

import re

from gnbbench.errors import OptionError

_UNITS = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_NUMBER = r"[0-9]+\.?[0-9]*|\.[0-9]+"


def seconds_of(text: str, option: str = "--budget") -> float:
    """Return the seconds that a time such as 30s, 500ms, 2m or 1.5 stands for."""
    found = re.fullmatch(rf"({_NUMBER})\s*([a-z]*)", text.strip(), flags=re.ASCII)
    seconds = float(found[1]) * _UNITS.get(found[2], 0.0) if found else 0.0
    if not 0.0 < seconds < float("inf"):
        remedy = "Give a number above 0 with ms, s, m or h, such as 30s."
        raise OptionError(option, f"'{text}' is no time", remedy)
    return seconds


def share_of(text: str, option: str = "--precision") -> float:
    """Return the share that a percentage such as 1% or a number such as 0.01 stands for."""
    found = re.fullmatch(rf"({_NUMBER})\s*(%?)", text.strip(), flags=re.ASCII)
    share = float(found[1]) / (100.0 if found[2] else 1.0) if found else 0.0
    if not 0.0 < share < 1.0:
        remedy = "Give one above 0 and below 100 %, such as 1% or 0.01."
        raise OptionError(option, f"'{text}' is no share", remedy)
    return share
