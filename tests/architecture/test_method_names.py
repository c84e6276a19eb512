"""No rule knows a method by its name: names of methods are in the methods' own files.

Product code asks methods for their traits (``thetahat.traits``), so that a new method is one new
file. A string that equals a wire name is therefore a fault, but for the exceptions here. Not
looked at: docstrings, keys of results, examples of requests, and ``replications``, whose settings
name the methods of the publications that they repeat.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from tests.architecture.sources import parse_those_with, python_files
from thetahat.families import collect_families

pytestmark = pytest.mark.xdist_group("names of methods")  # the files are read once

PRODUCT: Final = ("thetahat", "service", "worker")

ORDINARY_WORDS: Final = {
    "bootstrap": "a kind of evaluation, and the purpose of a random stream",
    "bounded": "a form of minimisation in scipy",
    "correlation": "a parameter of generators",
    "difference": "a field of results",
    "holdout": "a kind of block",
    "log": "a scale of axes and of grids",
    "mean": "a column, a field of results and a strategy of imputation",
    "median": "a strategy of imputation and of kernel widths",
    "nested": "how the runs of items are drawn",
    "none": "what a parameter or a list says where there is nothing",
    "normal": "a form of intervals and of p-values",
    "permutation": "a form of standard error after a test of many models",
    "precision": "a field of advice: how near an estimate comes",
    "prediction": "a field of results",
    "quantile": "a parameter of the pinball loss",
    "size": "a mark in figures, and how large files and samples are",
    "standard_deviation": "a field of plans",
    "variance": "a parameter of tests",
    "weighted": "a field of a pipeline's step",
}
"""Names that are also words of another meaning, so that a string says nothing."""

EXCEPTIONS: Final = {
    "service/thetahat_service/figures/risk_curves.py": "the risks that have a colour of their own",
    "service/thetahat_service/kinds/supplied_fits.py": "the fields of the request with these fits",
    "service/thetahat_service/pages/form_proposals.py": "the schemes that the form proposes",
    "service/thetahat_service/pages/measured_coverage.py": "the study whose table the page shows",
    "service/thetahat_service/pages/new_evaluation.py": "the methods that the form offers first",
    "thetahat/advice/rules.py": "the schemes that the rules advise",
    "thetahat/analyses/groups/result.py": "how groups share a level, without step-down p-values",
    "thetahat/analyses/losses/studied_designs.py": "the studied design with blocks of one instance",
    "thetahat/analyses/probabilities/options.py": "the scores with parts, the rates of thresholds",
    "thetahat/common_names.py": "the names here of what other libraries name otherwise",
    "thetahat/traits.py": "the forms of intervals, which are traits and no methods",
}
"""Files that name methods, and why they may."""


def test_exact_product_code_names_no_method_outside_its_own_file() -> None:
    uses = [
        f"{path}:{line}: {name}"
        for path in product_files()
        if path.as_posix() not in EXCEPTIONS
        for name, line in names_in(path)
        if name not in ORDINARY_WORDS
    ]

    assert not uses


def test_exact_every_exception_is_used() -> None:
    for path in EXCEPTIONS:
        assert any(name not in ORDINARY_WORDS for name, _ in names_in(Path(path))), path
    every = {name for path in product_files() for name, _ in names_in(path)}
    assert set(ORDINARY_WORDS) <= every


@cache
def method_names() -> frozenset[str]:
    """Return the wire names of every family."""
    return frozenset(name for registry in collect_families().values() for name in registry)


def product_files() -> list[Path]:
    """Return the files of product code, relative to the root."""
    return [path for folder in PRODUCT for path in python_files(folder)]


@cache
def names_in(path: Path) -> list[tuple[str, int]]:
    """Return each string of a file that is a method's name and not its own, with its line."""
    names = method_names() - {path.stem}
    found = []
    for _, tree in parse_those_with(rf"[\"']({'|'.join(names)})[\"']", [path]):
        skipped = set(_not_looked_at(tree))
        found += [
            (str(node.value), node.lineno)
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and id(node) not in skipped and node.value in names
        ]
    return found


def _not_looked_at(tree: ast.Module) -> Iterator[int]:
    """Yield the ids of strings that are no decision: keys, and examples of requests."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            yield from (id(key) for key in node.keys if key is not None)
        elif isinstance(node, ast.Subscript):
            yield id(node.slice)
        elif isinstance(node, ast.keyword) and node.arg == "examples":
            yield from (id(part) for part in ast.walk(node.value))
