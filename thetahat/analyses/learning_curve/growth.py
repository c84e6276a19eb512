"""Training parts that grow: a smaller part is contained in every larger one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

import numpy as np

from thetahat.analyses.learning_curve.sizes import convert_to_counts
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.schemes.base import Rows, Scheme, Split
from thetahat.seeds import make_random_stream
from thetahat.tables.labels import encode_labels
from thetahat.values.types import BlockKind, IntArray

GrowBy: TypeAlias = Literal["instance", "source", "time"]
GROW_BY: Final[tuple[GrowBy, ...]] = get_args(GrowBy)
"""What a larger part has more of: rows at random, whole sources at random, older rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """How training parts are reduced to the sizes of a curve.

    The rows (or sources) of a training part are put in order once for each split, and a size
    takes so many of the first. The parts are therefore nested: two sizes differ only by the rows
    that were added. The order depends on the seed and the split, never on the learner, so that
    the curves of two learners can be compared point by point.
    """

    sizes: tuple[float, ...]
    """As ``check_sizes`` returns them."""
    grow_by: GrowBy
    """``instance``: rows in random order. ``source``: whole sources in random order, and sizes are
    numbers of sources; such a curve shows what a further source would bring. ``time``: the latest
    rows first, so that a smaller part leaves out the older ones."""
    stratified: bool = False
    """Whether the order keeps the class shares of the whole training part in every size, up to one
    row of a class too many and C - 1 too few. Each of the C classes is present from C rows on, also
    a rare one. Only for ``instance``."""

    def __post_init__(self) -> None:
        if self.grow_by not in GROW_BY:
            raise InvalidParameter(
                f"The value {self.grow_by!r} of grow_by is not one of {', '.join(GROW_BY)}.",
                loc=("grow_by",),
                value=self.grow_by,
            )
        if self.stratified and self.grow_by != "instance":
            raise UnsupportedCombination(
                f"The option stratified is for single rows, and grow_by is {self.grow_by!r}. Leave "
                "stratified out, or set grow_by to 'instance'.",
                loc=("stratified",),
                value=True,
            )

    def count_units(self, split: Split, rows: Rows) -> int:
        """Return the number of rows, or of sources, in the training part of a split."""
        if self.grow_by != "source":
            return len(split.train)
        return len(np.unique(_get_sources(rows)[split.train]))

    def reduce_split(self, split: Split, rows: Rows, seed: int, size: int) -> Split:
        """Return the split with its training part reduced to the size number ``size``."""
        place = f"repeat {split.repeat}, block {split.block}"
        n_units = self.count_units(split, rows)
        unit = "source" if self.grow_by == "source" else "row"
        count = convert_to_counts(self.sizes, n_units, unit, place)[size]
        kept = self._choose_rows(split, rows, seed, count)
        return Split(split.repeat, split.block, split.label, train=kept, test=split.test)

    def _choose_rows(self, split: Split, rows: Rows, seed: int, count: int) -> IntArray:
        """Return the rows of the training part that belong to its first ``count`` units."""
        train = split.train
        rng = make_random_stream(seed, "growth", split.repeat, split.block)
        if self.grow_by == "source":
            source_of_row = _get_sources(rows)[train]
            sources = np.unique(source_of_row)
            return np.asarray(train[np.isin(source_of_row, rng.permutation(sources)[:count])])
        if self.grow_by == "time":
            if rows.time is None:
                raise InvalidParameter(
                    "A curve that grows by time needs the time of each row.",
                    loc=("grow_by",),
                )
            latest_first = np.argsort(rows.time[train], kind="stable")[::-1]
            return np.sort(train[latest_first[:count]])
        order = rng.permutation(len(train))
        if self.stratified:
            order = order[_stratify(_get_classes(rows)[train[order]])]
        return np.sort(train[order[:count]])


def grow_splits(
    splits: Iterable[Split], growth: Growth, rows: Rows, seed: int, size: int
) -> Iterator[Split]:
    """Return the splits with their training parts reduced to the size number ``size``."""
    return (growth.reduce_split(split, rows, seed, size) for split in splits)


def choose_growth(
    sizes: Sequence[float],
    scheme: Scheme,
    task: str,
    *,
    grow_by: GrowBy | None = None,
    stratified: bool | None = None,
) -> Growth:
    """Return how training parts grow under a scheme, with defaults for what is None.

    By default they grow by source if blocks are sources, by time if the scheme needs a time, and
    else by instance; and they are stratified if the task is classification and they grow by
    instance.
    """
    if grow_by is None:
        by_source = scheme.block_kind is BlockKind.SOURCE
        by_time = "time" in scheme.requires
        grow_by = "source" if by_source else "time" if by_time else "instance"
    has_classes = task == "classification"
    if stratified and not has_classes:
        raise UnsupportedCombination(
            "The option stratified needs classes, and the task is regression. Leave it out.",
            loc=("stratified",),
            value=True,
        )
    if stratified is None:
        stratified = has_classes and grow_by == "instance"
    return Growth(sizes=tuple(sizes), grow_by=grow_by, stratified=stratified)


def _stratify(codes: IntArray) -> IntArray:
    """Return an order in which the first rows, however many, have each class in its share.

    Rows are ordered by their number within their class over the size of the class; rows with
    equal values keep their order.
    """
    by_class = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    starts = np.cumsum(sizes) - sizes
    rank = np.empty(len(codes))
    rank[by_class] = np.arange(len(codes)) - starts[codes[by_class]]
    return np.argsort(rank / sizes[codes], kind="stable")


def _get_classes(rows: Rows) -> IntArray:
    assert rows.y is not None  # noqa: S101 - only classifications are stratified
    return rows.y


def _get_sources(rows: Rows) -> IntArray:
    """Return the (n,) codes of the sources, or of the folds where the folds are the sources."""
    labels = rows.source if rows.source is not None else rows.fold
    if labels is None:
        raise InvalidParameter(
            "A curve that grows by source needs the source of each row. Name the sources, or set "
            "grow_by to 'instance'.",
            loc=("grow_by",),
        )
    return encode_labels(labels)[0]
