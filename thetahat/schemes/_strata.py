"""Random folds, in which every class may be spread evenly, and checks of the classes for that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from thetahat.errors import InsufficientData, UnsupportedCombination
from thetahat.schemes._partitions import (
    check_enough,
    check_number,
    deal_to_folds,
    get_column,
    yield_partition_splits,
)
from thetahat.schemes.base import Rows, Scheme, Split, Splits
from thetahat.seeds import make_random_stream
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


class RandomFolds(Scheme):
    """Base class of random partitions of the rows into folds, the same number in each repeat."""

    __slots__ = ()
    unstratified: ClassVar[str | None] = None
    """The scheme without classes, if every class is spread evenly over the folds."""
    n_folds: int

    def __post_init__(self) -> None:
        check_number("n_folds", self.n_folds, 2)
        check_number("n_repeats", self._n_repeats, 1)

    def n_splits(self, rows: Rows) -> int:
        """Return K times the number of repeats; raise if there are too few rows of a class."""
        self._read_codes(rows)
        return self.n_folds * self._n_repeats

    def splits(self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None) -> Splits:
        """Yield one split for each fold, repeat by repeat."""
        codes = self._read_codes(rows)
        return yield_random_folds(rows, codes, self.n_folds, self._n_repeats, seed, start, stop)

    @property
    def _n_repeats(self) -> int:
        return getattr(self, "n_repeats", 1)

    def _read_codes(self, rows: Rows) -> IntArray | None:
        if self.unstratified is not None:
            return get_stratifiable_codes(rows, self.n_folds, self.info.name, self.unstratified)
        check_enough(rows.n, self.n_folds)
        return None


def yield_random_folds(  # noqa: PLR0913 - what the folds depend on, and which of them
    rows: Rows,
    codes: IntArray | None,
    n_folds: int,
    n_repeats: int,
    seed: int,
    start: int,
    stop: int | None,
) -> Iterator[Split]:
    """Yield the splits from ``start`` to ``stop`` of random partitions of the rows into folds.

    Every class is spread evenly over the folds of a partition if ``codes``, the (n,) class codes,
    are given. The rows are then shuffled, sorted by class and dealt in turn.
    """

    def partition(repeat: int) -> IntArray:
        order = make_random_stream(seed, "folds", repeat).permutation(rows.n)
        if codes is not None:
            order = order[np.argsort(codes[order], kind="stable")]
        return deal_to_folds(order, n_folds)

    return yield_partition_splits(partition, range(n_folds), n_repeats, start, stop)
