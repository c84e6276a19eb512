"""Which tests say that they are about which method, read from the files without running them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.architecture.sources import ROOT, python_files
from thetahat.families import collect_families

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


@cache
def every_method() -> frozenset[str]:
    """Return all methods of the core, as ``family/name``."""
    return frozenset(
        f"{family}/{name}" for family, methods in collect_families().items() for name in methods
    )


@cache
def proofs() -> tuple[Proof, ...]:
    """Return every test function there is."""
    return tuple(proof for path in python_files("tests") for proof in proofs_in(path))


def proofs_in(path: Path) -> Iterator[Proof]:
    """Yield the test functions of one file."""
    if not path.name.startswith("test_"):
        return
    by_file = f"{path.parent.name}/{path.stem.removeprefix('test_')}"
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    tree = ast.parse("\n".join(lines))
    constants = _constants(tree)
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef) or not node.name.startswith("test_"):
            continue
        sources, about = (_marks(node, m, constants) for m in ("outside", "about"))
        first = min([node.lineno, *(mark.lineno for mark in node.decorator_list)])
        yield Proof(
            path=path,
            name=node.name,
            methods=frozenset(about or ({by_file} & every_method())),
            sources=tuple(sources),
            text="\n".join(lines[first - 1 : node.end_lineno]),
        )


def _marks(function: ast.FunctionDef, name: str, constants: Mapping[str, str]) -> list[str]:
    """Return the texts given to a mark, on the function or on one of its parameters."""
    return [
        text
        for decorator in function.decorator_list
        for call in ast.walk(decorator)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == name
        for argument in call.args
        for text in _texts(argument, constants)
    ]


def _texts(argument: ast.expr, constants: Mapping[str, str]) -> list[str]:
    """Read a string, a module's constant, or ``*(f"family/{name}" for name in REGISTRY)``.

    Anything else gives a text that is neither a method nor a source, which a test refuses.
    """
    if isinstance(argument, ast.Constant):
        return [str(argument.value)]
    if isinstance(argument, ast.Name) and argument.id in constants:
        return [constants[argument.id]]
    if isinstance(argument, ast.Starred) and isinstance(argument.value, ast.GeneratorExp):
        family, _, rest = ast.unparse(argument.value.elt).removeprefix("f'").partition("/")
        if rest == "{name}'":
            return [method for method in every_method() if method.startswith(f"{family}/")]
    return ["?"]


def _constants(tree: ast.Module) -> dict[str, str]:
    """Return the strings that a module gives names to."""
    return {
        node.targets[0].id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    }


@cache
def names_in(path: Path) -> frozenset[str]:
    """Return what a file names, and the test modules that it imports.

    Names are strings, imported modules, their packages, and all methods of an imported registry.
    """
    names: set[str] = set()
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.add(node.value)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {name for other in imported_tests(node) for name in names_in(other)}
            packages, module = node.module.split(".")[:-1], node.module.rpartition(".")[2]
            names |= {
                module,
                *packages[-1:],
                *(collect_families().get(module, ()) if packages else ()),
            }
    return frozenset(names)


def imported_tests(node: ast.ImportFrom) -> list[Path]:
    """Return the files of the tests that an import reads from."""
    if not str(node.module).startswith("tests."):
        return []
    folder = Path(*str(node.module).split("."))
    files = [folder.with_suffix(".py"), *(folder / f"{alias.name}.py" for alias in node.names)]
    return [path for path in files if (ROOT / path).is_file()]
