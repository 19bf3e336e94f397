"""Which files of a folder are checked, and why the others are skipped."""

import os
from collections.abc import Iterator
from pathlib import Path

from gnbbench.errors import OptionError
from gnbbench.implementations.sources import SUFFIXES

# Folders of generated or installed files.
_FOLDERS = {"__pycache__", "node_modules", "site-packages", "__MACOSX", "build", "dist"}
_TESTS = {"test", "tests"}
_SET_UP = {"setup.py", "conftest.py", "noxfile.py", "manage.py"}


def files_in(folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Return the files to check by relative path, and why others are skipped.

    Of identical files only the first is checked.
    """
    files: dict[str, str] = {}
    skipped: dict[str, str] = {}
    known: dict[bytes, str] = {}
    for path in _sources(folder):
        name, content = path.relative_to(folder).as_posix(), b""
        reason = _other_task(path.relative_to(folder))
        try:
            content = path.read_bytes()
            reason = reason if content.strip() else "empty"
        except OSError:
            reason = "unreadable"
        if content in known and not reason:
            reason = f"the same as {known[content]}"
        if reason:
            skipped[name] = reason
        else:
            known[content] = name
            files[name] = str(path)
    if not files:
        beside = "; ".join(f"{name}: {reason}" for name, reason in skipped.items())
        what = "holds no Python file or notebook"
        what += f" to check ({beside})" if beside else ""
        raise OptionError(str(folder), what, "Give one, or its folder.")
    return files, skipped


def _sources(folder: Path) -> Iterator[Path]:
    """Yield Python files and notebooks outside environments and caches."""
    for place, folders, names in os.walk(folder):
        inner = (Path(place) / name for name in sorted(folders))
        folders[:] = [
            path.name
            for path in inner
            if path.name not in _FOLDERS and path.name[0] != "."
            if not os.path.lexists(path / "pyvenv.cfg")
        ]
        paths = (Path(place) / name for name in sorted(names) if name[0] != ".")
        yield from (path for path in paths if path.suffix in SUFFIXES and path.is_file())


def _other_task(path: Path) -> str:
    """Return why a file is not an implementation; empty if it may be one."""
    if _TESTS & set(path.parts[:-1]) or path.stem.startswith("test_"):
        return "a test"
    if path.stem.endswith("_test") or path.stem in _TESTS:
        return "a test"
    if path.name in _SET_UP:
        return "set-up, not an implementation"
    return "a package initialiser" if path.name == "__init__.py" else ""
