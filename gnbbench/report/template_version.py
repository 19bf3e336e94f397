"""Which version of a page's template made it: a digest over all that it draws in."""

from hashlib import sha256

from jinja2 import BaseLoader, Environment
from jinja2.meta import find_referenced_templates

DIGITS = 12


def template_version(loader: BaseLoader, name: str) -> str:
    """Return a digest of a template and of those that it extends, includes or imports.

    A page names it in ``<meta name="generator">``, so that a stored page can be told from
    one that the present templates would make.
    """
    digest = sha256()
    for found, text in sorted(_texts(loader, name).items()):
        digest.update(f"{found}\0{text}\0".encode())
    return digest.hexdigest()[:DIGITS]


def _texts(loader: BaseLoader, name: str) -> dict[str, str]:
    """Return the text of each template, by name."""
    environment = Environment(loader=loader)  # noqa: S701  parses and renders nothing
    texts: dict[str, str] = {}
    waiting = [name]
    while waiting:
        one = waiting.pop()
        if one in texts:
            continue
        texts[one] = loader.get_source(environment, one)[0]
        for referenced in find_referenced_templates(environment.parse(texts[one])):
            if referenced is None:
                raise ValueError(f"{one} names a template by an expression")
            waiting.append(referenced)
    return texts
