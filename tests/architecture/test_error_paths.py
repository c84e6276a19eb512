"""The path of a wrong argument is changed by one function only."""

from __future__ import annotations

import ast

from tests.architecture.sources import parse_those_with, python_files

PRODUCT = ("thetahat", "replications", "service", "worker", "clients")


def _assignments_of_loc(tree: ast.AST) -> list[str]:
    """Return the objects whose attribute ``loc`` is assigned to."""
    return [
        ast.unparse(target.value)
        for node in ast.walk(tree)
        for target in _targets(node)
        if isinstance(target, ast.Attribute) and target.attr == "loc"
    ]


def _targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    if isinstance(node, ast.AnnAssign | ast.AugAssign):
        return [node.target]
    return []


def test_exact_assignments_to_the_path_of_an_error_are_seen() -> None:
    tree = ast.parse("error.loc = ()\nfailure.loc += (1,)\nself.loc: int = 1")
    assert _assignments_of_loc(tree) == ["error", "failure", "self"]


def test_exact_only_one_function_changes_the_path_of_an_error() -> None:
    assigned = {
        str(path): objects
        for path, tree in parse_those_with(r"\.loc\b", python_files(*PRODUCT))
        if (objects := _assignments_of_loc(tree))
    }

    assert assigned == {
        "thetahat/error_paths.py": ["fault"],
        "thetahat/errors.py": ["self"],
    }
