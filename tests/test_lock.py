"""What is pinned with digests is what the constraints pin, and its licences are listed."""

import re
from pathlib import Path

from packaging.utils import canonicalize_name

TOP = Path(__file__).parents[1]
LOCK = (TOP / "requirements.lock").read_text(encoding="utf-8")
PIN = re.compile(r"^([\w.-]+)==([^ ;\n]+)", re.MULTILINE)


def pins(text: str) -> dict[str, str]:
    return {canonicalize_name(name): version for name, version in PIN.findall(text)}


def test_versions_equal_those_of_the_constraints() -> None:
    constraints = pins((TOP / "constraints.txt").read_text(encoding="utf-8"))
    locked = pins(LOCK)

    assert len(locked) > 30
    assert {n: v for n, v in locked.items() if constraints.get(n) != v} == {}


def test_every_package_has_digests_and_none_an_address() -> None:
    packages = re.split(r"^(?=[a-z])", LOCK, flags=re.MULTILINE)[1:]

    assert len(packages) == len(pins(LOCK))
    assert all(" --hash=sha256:" in package for package in packages)
    assert "://" not in LOCK


def test_every_package_is_in_the_list_of_licences() -> None:
    page = (TOP / "docs" / "security.md").read_text(encoding="utf-8")
    table = page.partition("| packages |\n")[2]
    rows = re.findall(r"^\| .* \| (.*) \|$", table, re.MULTILINE)
    listed = [re.sub(r" \(.*\)$", "", name) for row in rows for name in row.split(", ")]

    assert sorted(set(listed) - {"---"}) == sorted(pins(LOCK))
