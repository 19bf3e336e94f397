"""A page names the version of its template, which follows every text it draws in."""

import re

import pytest
from jinja2 import DictLoader, PackageLoader

from gnbbench.report.template_version import template_version

TEXTS = {
    "page": '{% extends "base" %}{% from "parts" import table %}',
    "base": '{% include "style" %}',
    "parts": "{% macro table() %}{% endmacro %}",
    "style": "p { color: red }",
    "other": "",
}


def version(**changed: str) -> str:
    return template_version(DictLoader({**TEXTS, **changed}), "page")


@pytest.mark.parametrize("part", ["page", "base", "parts", "style"])
def test_a_change_in_any_part_changes_the_version(part: str) -> None:
    assert version(**{part: TEXTS[part] + " "}) != version()


def test_what_the_page_does_not_draw_in_changes_nothing() -> None:
    assert version(other="changed") == version()


def test_texts_that_move_between_parts_change_the_version() -> None:
    moved = version(style="p { color", parts=TEXTS["parts"] + ": red }")

    assert moved != version()


def test_a_template_named_by_an_expression_is_refused() -> None:
    with pytest.raises(ValueError, match="base names a template by an expression"):
        version(base="{% include name %}")


def test_every_page_has_a_version() -> None:
    loader = PackageLoader("gnbbench", "report/templates")
    pages = [name for name in loader.list_templates() if name.endswith(".html")]

    assert all(
        re.fullmatch("[0-9a-f]{12}", template_version(loader, name)) for name in pages
    )
    assert template_version(loader, "page.html") != template_version(loader, "sweep.html")
