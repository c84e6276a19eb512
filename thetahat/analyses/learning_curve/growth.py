"""Training parts that grow: every smaller one is part of every larger one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.analyses.learning_curve.sizes import counts_of
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.schemes.base import Rows, Scheme, Split
from thetahat.seeds import stream
from thetahat.tables.labels import encode_labels
from thetahat.values.types import BlockKind, IntArray

GROW_BY: Final = ("instance", "source", "time")
"""What is added to a training part: rows at random, whole sources at random, older rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """How training parts are cut down to a size.

    The rows (or sources) of a training part are put in order once for each split, and a size is
    that many of the first: the parts are nested, so two sizes differ by what was added alone.
    The order depends on the seed and the split, never on the learner, which makes curves of two
    learners comparable point by point.

    Parameters
    ----------
    sizes : tuple of float
        As ``check_sizes`` returns them.
    grow_by : str
        ``instance``: rows in random order. ``source``: whole sources in random order, and counts
        are of sources; a curve for new sources asks what a further source would bring. ``time``:
        the latest rows first, so that a smaller part forgets the older ones.
    stratified : bool
        Whether rows are put in order so that every beginning has the class shares of the whole
        training part: at most one row of a class too many, and so at most C - 1 too few. Each of
        the C classes is there from C rows on, which a rare one would else not be. Only for
        ``instance``.
    """

    sizes: tuple[float, ...]
    grow_by: str
    stratified: bool = False

    def __post_init__(self) -> None:
        if self.grow_by not in GROW_BY:
            raise InvalidParameter(
                f"grow_by must be one of {', '.join(GROW_BY)}, and is {self.grow_by!r}",
                loc=("grow_by",),
                value=self.grow_by,
            )
        if self.stratified and self.grow_by != "instance":
            raise UnsupportedCombination(
                f"stratified orders single rows, and grow_by is {self.grow_by!r}; leave it out, "
                "or grow by instance",
                loc=("stratified",),
                value=True,
            )

    def units_of(self, split: Split, rows: Rows) -> int:
        """Return how many units the training part of a split has."""
        if self.grow_by != "source":
            return len(split.train)
        return len(np.unique(_sources(rows)[split.train]))

    def part(self, split: Split, rows: Rows, seed: int, size: int) -> Split:
        """Return the split with its training part cut down to the size of that number."""
        place = f"repeat {split.repeat}, block {split.block}"
        units = self.units_of(split, rows)
        unit = "source" if self.grow_by == "source" else "row"
        count = counts_of(self.sizes, units, unit, place)[size]
        kept = self._kept(split, rows, seed, count)
        return Split(split.repeat, split.block, split.label, train=kept, test=split.test)

    def _kept(self, split: Split, rows: Rows, seed: int, count: int) -> IntArray:
        train = split.train
        rng = stream(seed, "growth", split.repeat, split.block)
        if self.grow_by == "source":
            of_row = _sources(rows)[train]
            there = np.unique(of_row)
            return np.asarray(train[np.isin(of_row, rng.permutation(there)[:count])])
        if self.grow_by == "time":
            if rows.time is None:
                raise InvalidParameter("to grow by time, rows need a time", loc=("columns", "time"))
            latest_first = np.argsort(rows.time[train], kind="stable")[::-1]
            return np.sort(train[latest_first[:count]])
        order = rng.permutation(len(train))
        if self.stratified:
            order = order[_spread(_classes(rows)[train[order]])]
        return np.sort(train[order[:count]])


def grown(
    splits: Iterable[Split], growth: Growth, rows: Rows, seed: int, size: int
) -> Iterator[Split]:
    """Yield the splits with training parts of the size of that number."""
    return (growth.part(split, rows, seed, size) for split in splits)


def growth_of(
    sizes: Sequence[float],
    scheme: Scheme,
    task: str,
    *,
    grow_by: str | None = None,
    stratified: bool | None = None,
) -> Growth:
    """Return how parts grow under a scheme, with its own way where the request leaves it open.

    Sources where blocks are sources, backwards in time where the scheme goes by time, else rows;
    stratified where there are classes and rows are what is added.
    """
    if grow_by is None:
        by_source = scheme.block_kind is BlockKind.SOURCE
        by_time = "time" in scheme.requires
        grow_by = "source" if by_source else "time" if by_time else "instance"
    classify = task == "classification"
    if stratified and not classify:
        raise UnsupportedCombination(
            "stratified spreads classes, and the task is regression",
            loc=("stratified",),
            value=True,
        )
    if stratified is None:
        stratified = classify and grow_by == "instance"
    return Growth(sizes=tuple(sizes), grow_by=grow_by, stratified=stratified)


def _spread(codes: IntArray) -> IntArray:
    """Return an order in which every beginning holds each class in its share.

    A row's place is its number within its class over the size of the class; rows of equal place
    keep their order.
    """
    by_class = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    starts = np.cumsum(sizes) - sizes
    rank = np.empty(len(codes))
    rank[by_class] = np.arange(len(codes)) - starts[codes[by_class]]
    return np.argsort(rank / sizes[codes], kind="stable")


def _classes(rows: Rows) -> IntArray:
    assert rows.y is not None  # noqa: S101 - stratified is for classifications alone
    return rows.y


def _sources(rows: Rows) -> IntArray:
    """(n,) codes of the sources; those of the fold column where folds are the sources."""
    labels = rows.source if rows.source is not None else rows.fold
    if labels is None:
        raise InvalidParameter(
            "to grow by source, rows need a source; or grow by instance", loc=("grow_by",)
        )
    return encode_labels(labels)[0]
