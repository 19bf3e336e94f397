"""Look an implementation up: in the catalogue, in third-party code, or as an object."""

import re
import sys
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

from gnbbench.errors import ImplementationError
from gnbbench.implementations import modules
from gnbbench.implementations.answers import predictions
from gnbbench.implementations.catalogue import Implementation, Library, by_name
from gnbbench.implementations.names import Specification, announced, parsed, unknown_name
from gnbbench.implementations.objects import Code, code_in, code_of, with_parameters
from gnbbench.implementations.probing import Data, find_convention
from gnbbench.implementations.programs import program


def implementation(model: Any, data: Data = None) -> Implementation:
    """Return the implementation that a text or an object stands for.

    The convention of third-party code is found by trial, on `data` if synthetic samples do
    not suffice.
    """
    if isinstance(model, Implementation):
        return model
    code = named_code(model) if isinstance(model, str) else code_of(model)
    if isinstance(code, Code):
        how = find_convention(code.make, code.conventions, data)
        if isinstance(model, str):
            # Whichever process makes it loads it again.
            text = parsed(model).absolute
            forget(text)
            code = replace(code, make=partial(fresh, text, code.digest))
        code = code.called(how)
    elif parsed(model).query:
        code = replace(code, make=partial(fresh, model, code.digest))
    return replace(code, specification=model if isinstance(model, str) else "")


def is_foreign(model: Any) -> bool:
    """Return whether a text or object stands for third-party code; nothing is loaded."""
    if isinstance(model, str):
        specification = parsed(model)
        is_ours = specification.kind == "predictions" or specification.place in by_name()
        return not is_ours
    return model.foreign if isinstance(model, Implementation) else True


def forget(text: str) -> None:
    """Forget a loaded file: trying conventions may have left traces in it."""
    specification = parsed(text)
    if specification.kind == "file":
        module, _ = _module_of(specification)
        sys.modules.pop(module.__name__, None)
        _cached.cache_clear()


def watched(text: str) -> set[int]:
    """Load a file again when it is used next; return a set to which it adds lines that run.

    They are the first of pieces that run as a whole; see `sources.mark`.
    """
    forget(text)
    return modules.watched.setdefault(_path_of(text), set())


def unwatched(text: str) -> None:
    """Load a file again, as it is, when it is used next."""
    forget(text)
    modules.watched.pop(_path_of(text), None)


def _path_of(text: str) -> Path:
    return Path(parsed(text).place).expanduser()


def fresh(text: str, digest: str, *args: Any) -> Any:
    """Return a fresh model of what a text stands for, in any process."""
    return _cached(text, digest).make(*args)


@cache
def _cached(text: str, digest: str) -> Implementation | Code:
    specification = parsed(text)
    code = named_code(text)
    if code.digest != digest:
        remedy = "Run the command again; it is now a new study."
        raise ImplementationError(
            specification.where, "was changed while the study ran", remedy
        )
    return code


def named_code(text: str) -> Implementation | Code:
    """Return what a text stands for: a catalogued implementation, or third-party code.

    The maker of code is valid in this process only.
    """
    specification = parsed(text)
    place, query = specification.place, specification.query
    if specification.kind == "command":
        return program(text)
    if specification.kind == "predictions":
        return predictions(text)
    if specification.kind == "name":
        return _of_name(specification)
    is_file = specification.kind == "file"
    module, digest = _module_of(specification) if is_file else (modules.imported(place), "")
    notes = vars(module).get("__left_out__") if is_file else ""
    code = code_in(module, place, specification.attribute, specification.parameters)
    return replace(
        code,
        name=code.name + query,
        description=f"{code.name} of {place}",
        digest=digest,
        notes=(*([notes] if notes else []), *code.notes),
    )


def _module_of(specification: Specification) -> tuple[ModuleType, str]:
    """Return the module of a file, and the digest of it and of what it imports."""
    path = Path(specification.place).expanduser()
    wanted = specification.attribute.partition(".")[0].partition("+")[0]
    digest = modules.digest_of(path)
    return modules.module_of(path, digest, wanted), digest


def _of_name(specification: Specification) -> Implementation | Code:
    name, parameters = specification.place, specification.parameters
    known = by_name()
    if name not in known:
        points = announced()
        if name not in points:
            raise unknown_name(name)
        code = code_of(modules.announced_object(points[name]), name, parameters)
        return replace(code, name=name + specification.query)
    entry = known[name]
    if not parameters:
        return entry
    is_library = isinstance(entry.make, Library)
    entry = with_parameters(entry, parameters, where=name)
    if not is_library:
        _check_values(entry.make(), name)
    return replace(entry, name=name + specification.query)


def _check_values(model: Any, where: str) -> None:
    """Refuse a value that fit would refuse on any data."""
    try:
        model.fit([[0.0], [1.0]], [0, 1])
    except ValueError as error:
        # scikit-learn's words; whether priors match the classes depends on the data.
        parameter = re.match(r"The '(\w+)' parameter of \w+ (must .+)", str(error))
        if parameter:
            what = f"its parameter '{parameter[1]}' {parameter[2].rstrip('.')}"
            raise ImplementationError(where, what, "Give another value.") from error
