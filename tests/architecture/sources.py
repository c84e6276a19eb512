"""The project's own files, as git knows them."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
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


def imported_names(path: Path, *, module_level_only: bool) -> Iterator[str]:
    """Return the dotted names that a file imports; those for type checkers alone are left out.

    ``from a import b`` counts as ``a.b``, since b may be a module.
    """
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    yield from _names_below(tree, module_level_only=module_level_only)


def _names_below(node: ast.AST, *, module_level_only: bool) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            yield from (f"{child.module}.{alias.name}" for alias in child.names)
        elif _is_for_type_checkers(child):
            continue
        elif not (module_level_only and isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)):
            yield from _names_below(child, module_level_only=module_level_only)


def _is_for_type_checkers(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
