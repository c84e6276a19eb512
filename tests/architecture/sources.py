"""The project's own files, as git knows them."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def committed_files() -> list[Path]:
    """Return every file of the project that git keeps, relative to its root."""
    # A build machine's checkout may belong to another user; reading it is all that is done.
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    paths = [Path(name) for name in done.stdout.split("\0") if name]
    return [path for path in paths if (ROOT / path).is_file()]


def python_files(*folders: str) -> list[Path]:
    """Return the Python files below folders, relative to the root."""
    return sorted(p.relative_to(ROOT) for f in folders for p in (ROOT / f).rglob("*.py"))


def parse_those_with(words: str, paths: Iterable[Path]) -> Iterator[tuple[Path, ast.Module]]:
    """Yield the syntax trees of the files in whose text a regular expression is found.

    Parsing the whole product takes two seconds of a processor, searching its text a tenth of that:
    a test that looks for names parses the files that have them.
    """
    wanted = re.compile(words)
    for path in paths:
        text = (ROOT / path).read_text(encoding="utf-8")
        if wanted.search(text):
            yield path, ast.parse(text)


def imported_names(path: Path, *, module_level_only: bool) -> Iterator[str]:
    """Return the dotted names that a file imports; those for type checkers alone are left out.

    ``from a import b`` counts as ``a.b``, since b may be a module.
    """
    yield from (name for name, late in _imports_of(path) if not (module_level_only and late))


@cache
def _imports_of(path: Path) -> tuple[tuple[str, bool], ...]:
    """Return each imported name of a file, and whether only a function imports it."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return tuple(_names_below(tree, late=False))


def _names_below(node: ast.AST, *, late: bool) -> Iterator[tuple[str, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from ((alias.name, late) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            yield from ((f"{child.module}.{alias.name}", late) for alias in child.names)
        elif not _is_for_type_checkers(child):
            in_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from _names_below(child, late=late or in_function)


def _is_for_type_checkers(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
