"""Which tests say that they are about which method, read from the files without running them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.architecture.sources import ROOT, python_files
from thetahat.families import families

ORACLES = ("test_exact_", "test_naive_", "test_limit_", "test_calibrated_")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """One test function.

    Parameters
    ----------
    path : Path
        Its file, relative to the root.
    name : str
        Its name, which says its oracle.
    methods : frozenset of str
        The methods it is about, as ``family/name``: those of its ``about`` mark, or else the one
        that its file is named after.
    sources : tuple of str
        What its ``outside`` marks say.
    text : str
        Its source, with marks, docstring and comments.
    """

    path: Path
    name: str
    methods: frozenset[str]
    sources: tuple[str, ...]
    text: str

    @property
    def place(self) -> str:
        """Return the path and the name as pytest writes them."""
        return f"{self.path.as_posix()}::{self.name}"


def every_method() -> frozenset[str]:
    """Return all methods of the core, as ``family/name``."""
    return frozenset(f"{family}/{name}" for family, found in families().items() for name in found)


def proofs() -> list[Proof]:
    """Return every test function there is."""
    return [proof for path in python_files("tests") for proof in proofs_in(path)]


def proofs_in(path: Path) -> Iterator[Proof]:
    """Yield the test functions of one file."""
    if not path.name.startswith("test_"):
        return
    by_file = f"{path.parent.name}/{path.stem.removeprefix('test_')}"
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    for node in ast.parse("\n".join(lines)).body:
        if not isinstance(node, ast.FunctionDef) or not node.name.startswith("test_"):
            continue
        sources, about = _marks(node, "outside"), _marks(node, "about")
        first = min([node.lineno, *(mark.lineno for mark in node.decorator_list)])
        yield Proof(
            path=path,
            name=node.name,
            methods=frozenset(about or ({by_file} & every_method())),
            sources=tuple(sources),
            text="\n".join(lines[first - 1 : node.end_lineno]),
        )


def _marks(function: ast.FunctionDef, name: str) -> list[str]:
    """Return the strings given to a mark, on the function or on one of its parameters."""
    return [
        string.value
        for decorator in function.decorator_list
        for call in ast.walk(decorator)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == name
        for argument in call.args
        for string in ast.walk(argument)
        if isinstance(string, ast.Constant) and isinstance(string.value, str)
    ]


def names_in(path: Path) -> set[str]:
    """Return what a file names: its strings (but for those of ``about``) and its imports."""
    found: set[str] = set()
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.rpartition(".")[2])
    return found
