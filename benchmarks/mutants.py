"""Mutation testing: plant small faults in a copy, one at a time, and run the tests.

A mutant changes one operator, comparison, constant or negation. It is killed if a test
fails or takes too long. The sample depends on the seed and the sources alone, so that the
tests of two commits can be compared on the same mutants.

    python benchmarks/mutants.py gnbbench/statistics gnbbench/core --sample 30
    python benchmarks/mutants.py gnbbench/report --tests tests/report --checkout /tmp/before
"""

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
OPERATORS: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


@dataclass(frozen=True)
class Mutant:
    """A change in one place of a file; `path` is relative to the checkout."""

    path: str
    line: int
    start: int  # Of what is changed, in characters of the file
    end: int
    text: str  # What stands there instead

    def source(self, original: str) -> str:
        return original[: self.start] + self.text + original[self.end :]


# A mutant without a change, which all tests must pass.
NONE = Mutant("gnbbench/__init__.py", 1, 0, 0, "")


def mutants(path: str, source: str) -> Iterator[Mutant]:
    """Yield every mutant of a module."""
    lines = source.splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]

    def place(line: int, column: int) -> int:
        encoded = lines[line - 1].encode()[:column]
        return starts[line - 1] + len(encoded.decode())

    for node in ast.walk(ast.parse(source)):
        changed = _changed(node)
        if changed is not None and isinstance(node, ast.expr):
            start = place(node.lineno, node.col_offset)
            end = place(node.end_lineno or 0, node.end_col_offset or 0)
            yield Mutant(path, node.lineno, start, end, f"({ast.unparse(changed)})")


def _changed(node: ast.AST) -> ast.expr | None:
    """Return an expression with one change, None if it has nothing to change."""
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)
    if isinstance(node, ast.BoolOp):
        return ast.BoolOp(OPERATORS[type(node.op)](), node.values)
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OPERATORS:
        first = OPERATORS[type(node.ops[0])]()
        return ast.Compare(node.left, [first, *node.ops[1:]], node.comparators)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return node.operand
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        is_flag = isinstance(node.value, bool)
        return ast.Constant(not node.value if is_flag else node.value + 1)
    return None


def is_killed(mutant: Mutant, checkout: Path, tests: list[str], seconds: float) -> bool:
    """Return whether a test fails or does not end on the mutant."""
    file = checkout / mutant.path
    original = file.read_text(encoding="utf-8")
    file.write_text(mutant.source(original), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    options = ["-m", "not browser", "--ignore", "tests/test_architecture.py"]
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    try:
        done = subprocess.run(  # noqa: S603  our own tests
            [*command, *options, *tests],
            cwd=checkout,
            env=environment,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return True
    finally:
        file.write_text(original, encoding="utf-8")
    return done.returncode in {1, 2}


def tests_of(path: str, checkout: Path) -> list[str]:
    """Return the tests of a module's package, its own first; all tests if it has none."""
    parts = Path(path).with_suffix("").parts[1:]
    folder, own = Path("tests", parts[0]), f"test_{parts[-1]}.py"
    named = [folder / own, Path("tests") / own, folder]
    return [str(test) for test in named if (checkout / test).exists()] or ["tests"]


def main() -> None:
    """Print which of the sampled mutants are killed, and how many."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="*", default=["gnbbench"])
    parser.add_argument("--sample", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=600.0, help="for the tests of one")
    parser.add_argument("--tests", nargs="*", help="which; else those of the package")
    parser.add_argument("--checkout", type=Path, default=ROOT, help="whose tests are asked")
    options = parser.parse_args()

    files = sorted(
        file.relative_to(ROOT).as_posix()
        for package in options.packages
        for file in [ROOT / package, *(ROOT / package).rglob("*.py")]
        if file.suffix == ".py"
    )
    every = [
        mutant
        for path in files
        for mutant in mutants(path, (ROOT / path).read_text(encoding="utf-8"))
    ]
    sample = random.Random(options.seed).sample(every, min(options.sample, len(every)))  # noqa: S311
    killed = 0
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "checkout"
        ignored = shutil.ignore_patterns(".venv*", ".git", "__pycache__", "reports")
        shutil.copytree(options.checkout, copy, ignore=ignored)
        if options.tests and is_killed(NONE, copy, options.tests, options.seconds):
            sys.exit("The tests fail without a mutant.")
        for mutant in sample:
            source = (copy / mutant.path).read_text(encoding="utf-8")
            tests = options.tests or tests_of(mutant.path, copy)
            before = " ".join(source[mutant.start : mutant.end].split())
            is_found = is_killed(mutant, copy, tests, options.seconds)
            killed += is_found
            word = "killed  " if is_found else "SURVIVED"
            place = f"{mutant.path}:{mutant.line}"
            print(f"{word} {place}: {before} -> {mutant.text}", flush=True)
    print(f"{killed} of {len(sample)} mutants killed, out of {len(every)}")


if __name__ == "__main__":
    main()
