"""What is described in one place only: methods in their ``MethodInfo``, fields below themselves."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.architecture.sources import parse_those_with, python_files
from thetahat.families import collect_families

PACKAGES: Final = ("thetahat", "service", "worker", "presentation", "replications")
OF_VALUES: Final = "dataclass|NamedTuple"
SECTION: Final = re.compile(r"^(Parameters|Attributes)\n-", re.MULTILINE)
REPEATED: Final = re.compile(r"^(Source: |Assumes |Assumptions: |Formula: )", re.MULTILINE)


def without_spaces(text: str) -> str:
    """Return a text without spaces and line breaks."""
    return re.sub(r"\s+", "", text)


@pytest.mark.parametrize("family", sorted(collect_families()))
def test_exact_docstrings_repeat_nothing_of_the_description(family: str) -> None:
    repeating = []
    for name, method in collect_families()[family].items():
        text, info = inspect.getdoc(method) or "", method.info
        summary = text.partition("\n")[0]
        assert summary.endswith("."), name
        formula = without_spaces(info.formula)
        if REPEATED.search(text) or (len(formula) > 12 and formula in without_spaces(text)):
            repeating.append(name)

    assert not repeating


def iterate_value_classes() -> Iterator[tuple[Path, ast.ClassDef]]:
    """Yield the dataclasses and named tuples that are no registered methods."""
    for path, tree in parse_those_with(OF_VALUES, python_files(*PACKAGES)):
        for node in ast.walk(tree):
            if not isinstance(node, ast.ClassDef):
                continue
            made = [*node.bases, *node.decorator_list]
            is_value = any(re.search(OF_VALUES, ast.unparse(each)) for each in made)
            names = {
                member.target.id
                for member in node.body
                if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name)
            }
            if is_value and "info" not in names:
                yield path, node


def test_exact_fields_of_value_classes_are_described_below_themselves() -> None:
    """A list of parameters would have each name a second time, and names that are no fields."""
    classes = list(iterate_value_classes())
    listing = [
        f"{path}: {node.name}"
        for path, node in classes
        if SECTION.search(ast.get_docstring(node) or "")
    ]

    assert len(classes) > 300
    assert not listing
