"""The descriptions of a dataclass's fields: the string literal below each field.

Python drops these strings, so they are read from the source of the module.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise


@cache
def describe_fields(cls: type) -> Mapping[str, str]:
    """Return the descriptions of a class's fields, its parents' included, without line breaks."""
    descriptions: dict[str, str] = {}
    for parent in reversed(cls.__mro__):
        descriptions |= _read_module(parent.__module__).get(parent.__qualname__, {})
    return descriptions


@cache
def _read_module(name: str) -> dict[str, dict[str, str]]:
    """Return the descriptions of the fields of each class that a module defines at its top."""
    if name in sys.stdlib_module_names:
        return {}
    tree = ast.parse(inspect.getsource(sys.modules[name]))
    return {
        node.name: dict(_read_class(node)) for node in tree.body if isinstance(node, ast.ClassDef)
    }


def _read_class(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, below in pairwise(node.body):
        match field, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, " ".join(text.split())
