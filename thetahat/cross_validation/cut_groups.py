"""Sources and clusters that a scheme cuts: they have rows in both parts of a split."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

import numpy as np

from thetahat.cautions import CLUSTERS_CROSS_BLOCKS, SOURCES_CROSS_BLOCKS, Caution
from thetahat.cross_validation.loss_tables import build_rows
from thetahat.cross_validation.outcomes import SplitOutcome, SplitTable, as_outcomes
from thetahat.registry import PARTITIONS
from thetahat.schemes.base import Scheme
from thetahat.tables.data import Data
from thetahat.tables.labels import encode_labels
from thetahat.values.types import IntArray
from thetahat.values.words import choose_words

MOST_SPLITS: Final = 100
"""Splits of overlapping test parts that are looked at; most of them cut nearly every group."""


def find_cut_groups(
    data: Data,
    scheme: Scheme,
    seed: int,
    outcomes: Sequence[SplitOutcome],
    columns: Mapping[str, str],
) -> Iterator[Caution]:
    """Yield a caution if the scheme cuts sources, and one if it cuts clusters.

    Of folds, the layout of the losses shows that they cut clusters, and the evaluation adds the
    caution.

    Parameters
    ----------
    seed : int
        The seed of the scheme's splits.
    outcomes : sequence of SplitOutcome
        The splits that were run.
    columns : mapping of str to str
        Names of the columns of ``source`` and ``cluster``; a role that is missing is its own name.
    """
    splits = as_outcomes(outcomes).splits
    if data.source is not None and "source" not in scheme.requires:
        codes, labels = encode_labels(data.source)
        n_cut = _count_cut(codes, len(labels), data, scheme, seed, splits)
        if n_cut:
            column = columns.get("source", "source")
            yield SOURCES_CROSS_BLOCKS(column=column, n_sources=len(labels), n_cut=n_cut)
    if data.cluster is not None and scheme.block_kind not in PARTITIONS:
        codes, labels = encode_labels(data.cluster)
        n_cut = _count_cut(codes, len(labels), data, scheme, seed, splits)
        if n_cut:
            words = choose_words(scheme.block_kind)
            yield CLUSTERS_CROSS_BLOCKS(words, n_cut=n_cut, n_clusters=len(labels))


def _count_cut(  # noqa: PLR0913 - the groups, and what the splits depend on
    codes: IntArray, n_groups: int, data: Data, scheme: Scheme, seed: int, splits: SplitTable
) -> int:
    """Return how many groups have rows in both parts of a split."""
    if scheme.block_kind in PARTITIONS:
        return _count_cut_by_blocks(codes, n_groups, splits)
    sizes = np.bincount(codes, minlength=n_groups)
    is_cut = np.zeros(n_groups, dtype=np.bool_)
    for split in islice(scheme.splits(build_rows(data), seed), MOST_SPLITS):
        is_cut[np.intersect1d(codes[split.train], codes[split.test])] = True
        if is_cut[sizes > 1].all():
            break
    return int(is_cut.sum())


def _count_cut_by_blocks(codes: IntArray, n_groups: int, splits: SplitTable) -> int:
    """Return how many groups have rows in several blocks of one repeat."""
    of_row = np.repeat(np.arange(len(splits.n_test)), splits.n_test)
    pairs = np.unique(codes[splits.test] * len(splits.n_test) + of_row)
    group, split = np.divmod(pairs, len(splits.n_test))
    repeats, repeat = np.unique(splits.repeat, return_inverse=True)
    in_repeat, n_blocks = np.unique(group * len(repeats) + repeat[split], return_counts=True)
    is_cut = np.zeros(n_groups, dtype=np.bool_)
    is_cut[in_repeat[n_blocks > 1] // len(repeats)] = True
    return int(is_cut.sum())
