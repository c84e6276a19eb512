"""No two classes of the project have the same name, so that a name says which class is meant."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests.architecture.sources import ROOT, python_files

pytestmark = pytest.mark.xdist_group("names of classes")

PRODUCT: Final = ("thetahat", "replications", "service", "worker", "clients")

"""The client does not import the library: its typed dicts are generated from the result classes,
under the names that these classes have in OpenAPI."""


def test_exact_every_class_has_a_name_of_its_own() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path, names in read_names().items():
        for name, line in names.classes:
            places[name].append(f"{path}:{line}")

    assert {name: at for name, at in places.items() if len(at) > 1} == {}


def test_exact_no_type_alias_has_the_name_of_a_class_elsewhere() -> None:
    classes = {name for names in read_names().values() for name, _ in names.classes}
    aliases = {(str(path), name) for path, names in read_names().items() for name in names.assigned}

    assert {(path, name) for path, name in aliases if name in classes} == set()


class Names(NamedTuple):
    """The classes of a file with their lines, and the names that it assigns at its top level."""

    classes: list[tuple[str, int]]
    assigned: list[str]


@cache
def read_names() -> dict[Path, Names]:
    """Return the names of each Python file of the product; both tests read it once."""
    found = {}
    for path in python_files(*PRODUCT):
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        classes = [
            (node.name, node.lineno) for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
        ]
        found[path] = Names(classes, list(assigned_names(tree)))
    return found


def assigned_names(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a module assigns at its top level."""
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.AnnAssign):
            targets = [node.target]
        yield from (target.id for target in targets if isinstance(target, ast.Name))
