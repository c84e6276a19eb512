"""No two classes of the project have the same name, so that a name says which class is meant."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.architecture.sources import ROOT, python_files

PRODUCT: Final = ("thetahat", "replications", "service", "worker", "clients")

"""The client does not import the library: its typed dicts are generated from the result classes,
under the names that these classes have in OpenAPI."""


def test_exact_every_class_has_a_name_of_its_own() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in written_files():
        for node in ast.walk(_parse(path)):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path}:{node.lineno}")

    assert {name: at for name, at in places.items() if len(at) > 1} == {}


def test_exact_no_type_alias_has_the_name_of_a_class_elsewhere() -> None:
    classes = {
        node.name
        for path in written_files()
        for node in ast.walk(_parse(path))
        if isinstance(node, ast.ClassDef)
    }
    aliases = {
        (str(path), name) for path in written_files() for name in assigned_names(_parse(path))
    }

    assert {(path, name) for path, name in aliases if name in classes} == set()


def written_files() -> list[Path]:
    """Return the Python files of the product, relative to the root."""
    return list(python_files(*PRODUCT))


def assigned_names(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a module assigns at its top level."""
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.AnnAssign):
            targets = [node.target]
        yield from (target.id for target in targets if isinstance(target, ast.Name))


def _parse(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))
