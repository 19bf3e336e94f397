"""Files that list checks whose failure is known."""

from difflib import get_close_matches
from pathlib import Path

from gnbbench.conformance import CHECKS
from gnbbench.errors import ConfigurationError


def expected_failures(path: str | Path) -> tuple[str, ...]:
    """Return the ids of checks that a file lists, each once."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        what = f"cannot be read ({reason or error})"
        remedy = "Give a text file with one id of a check a line."
        raise ConfigurationError(str(path), what, remedy) from error
    known = [check.id for check in CHECKS]
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        wanted = line.partition("#")[0].strip()
        if wanted and wanted not in known:
            what = f"there is no check '{wanted}'"
            where = f"{path}, line {number}"
            raise ConfigurationError(where, what, unknown_check_remedy(wanted, known))
        if wanted:
            found.append(wanted)
    return tuple(dict.fromkeys(found))


def unknown_check_remedy(name: str, known: list[str]) -> str:
    """Return what to do about a check, or family, that there is not."""
    guesses = get_close_matches(name, known, n=1)
    hint = f"Did you mean '{guesses[0]}'? " if guesses else ""
    return f"{hint}See: gnbbench conformance --list"
