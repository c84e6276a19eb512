"""Checks of the classes for stratified schemes, and folds in which every class is spread evenly."""

from __future__ import annotations

import numpy as np

from thetahat.errors import InsufficientData, UnsupportedCombination
from thetahat.schemes._partitions import check_enough, deal_to_folds, get_column
from thetahat.schemes.base import Rows
from thetahat.values.types import IntArray, Label


def get_class_codes(rows: Rows, scheme: str, instead: str) -> IntArray:
    """Return the class code of each row; raise for a regression and name the scheme to use."""
    codes = get_column(rows, "y", scheme)
    if codes.dtype.kind == "f":
        raise UnsupportedCombination(
            f"{scheme} is for classes, and the target is a number. Use {instead}.",
            loc=("scheme",),
            value=scheme,
        )
    sizes = np.bincount(codes)
    if np.count_nonzero(sizes) == 1:
        label = get_class_label(rows, int(np.argmax(sizes)))
        raise InsufficientData(
            f"Every row is of class {label!r}: there is nothing to spread. Use {instead}.",
            loc=("columns", "target"),
            value=label,
        )
    return codes


def get_stratifiable_codes(
    rows: Rows, n_folds: int, scheme: str, instead: str, *, field: str = "n_folds"
) -> IntArray:
    """Return the class codes; raise if a class has fewer rows than there are folds."""
    codes = get_class_codes(rows, scheme, instead)
    check_enough(rows.n, n_folds)
    sizes = np.bincount(codes)
    smallest = int(np.argmin(np.where(sizes > 0, sizes, rows.n + 1)))
    if sizes[smallest] < n_folds:
        raise InsufficientData(
            f"Class {get_class_label(rows, smallest)!r} has {sizes[smallest]} rows, fewer than "
            f"{n_folds} folds. Use fewer folds or {instead}.",
            loc=(field,),
            value=n_folds,
        )
    return codes


def get_class_label(rows: Rows, code: int) -> Label:
    """Return the label of a class code."""
    return rows.classes[code] if rows.classes else code


def deal_to_folds_by_class(codes: IntArray, n_folds: int, rng: np.random.Generator) -> IntArray:
    """Return the (n,) fold of each row: rows are shuffled, sorted by class and dealt in turn."""
    shuffled = rng.permutation(len(codes))
    return deal_to_folds(shuffled[np.argsort(codes[shuffled], kind="stable")], n_folds)
