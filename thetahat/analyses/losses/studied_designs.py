"""The designs of losses and metrics that were studied, and those nearest to a layout."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from thetahat.analyses.losses.cautions import count_crossing_clusters
from thetahat.values.clusters import compute_imbalance
from thetahat.values.kept_studies import FARTHEST, explain_imbalance, explain_number, read_study
from thetahat.values.layout import Layout
from thetahat.values.number_text import format_number
from thetahat.values.types import BlockKind, FloatArray, IntArray


class StudiedDesign(NamedTuple):
    """A scheme of a study, with the properties that are compared with those of a layout."""

    name: str
    words: str
    """What the study calls it, and what a result calls it."""
    blocks: str
    """Kind of its blocks."""
    folds: int | None = None
    """Number of its blocks; None if any number is like it."""
    repeated: bool = False
    """Whether it has several partitions."""
    single_rows: bool = False
    """Whether each block is one row."""
    clusters: str | None = None
    """``cut`` if its blocks cut clusters, ``whole`` if they do not; None without clusters."""
    cluster_size: float | None = None
    """Number of rows in each of its clusters."""
    share: float = 1.0
    """Share of the rows that it tests."""
    fixed: bool = False
    """Whether the models were trained on other data than these sources."""


class DesignSizes(NamedTuple):
    """The numbers of a layout that are compared with those of a studied design."""

    n: int
    """Number of instances."""
    blocks: int
    """Number of blocks."""
    block_word: str
    """The plural of what a block is called."""
    clusters: int
    """Number of clusters; 0 without any."""
    block_spread: float
    """Ratio of large to small sources (the quantiles at .9 and .1 of their sizes); 1 where blocks
    are no sources."""
    cluster_spread: float
    """The same of clusters; 1 without any."""
    block_imbalance: float
    cluster_imbalance: float
    """How many sources, and clusters, there are for each equal one that they weigh like."""

    @classmethod
    def of(cls, layout: Layout) -> DesignSizes:
        """Return those of a layout."""
        is_source = layout.kind is BlockKind.SOURCE
        cluster = None if layout.cluster is None else np.bincount(layout.cluster)
        return cls(
            n=layout.n_instances,
            blocks=layout.n_blocks,
            block_word=layout.words.blocks,
            clusters=len(layout.cluster_labels),
            block_spread=_compare_sizes(layout.n_test) if is_source else 1.0,
            cluster_spread=1.0 if cluster is None else _compare_sizes(cluster),
            block_imbalance=compute_imbalance(layout.n_test) if is_source else 1.0,
            cluster_imbalance=1.0 if cluster is None else compute_imbalance(cluster),
        )


def _compare_sizes(sizes: IntArray | FloatArray) -> float:
    small, large = np.quantile(sizes, [0.1, 0.9])
    return float(large / small)


@lru_cache(maxsize=1024)
def explain_distance(design: StudiedDesign, n: int, sizes: DesignSizes) -> str | None:
    """Return why a studied design of n rows is not like these data; None if it is."""
    tested = n * design.share
    pairs = [("instances", sizes.n, tested)]
    if design.folds is not None:
        pairs.append((sizes.block_word, sizes.blocks, design.folds))
    if design.cluster_size is not None:
        pairs.append(("clusters", sizes.clusters, tested / design.cluster_size))
    for noun, own, studied in pairs:
        if missing := explain_number(noun, own, studied):
            return missing
    for noun, spread in (
        (sizes.block_word, sizes.block_spread),
        ("clusters", sizes.cluster_spread),
    ):
        if spread > FARTHEST:
            return (
                f"No studied design is like this one: its large {noun} are "
                f"{format_number(round(spread, 1))} times as large as its small ones, and those of "
                "the studies are equally large."
            )
    return explain_imbalance(
        sizes.block_word, sizes.blocks, sizes.block_imbalance
    ) or explain_imbalance("clusters", sizes.clusters, sizes.cluster_imbalance)


@cache
def read_designs(package: str, file: str) -> tuple[StudiedDesign, ...]:
    """Return the designs of a study; its file may call the blocks of leave-one-out so."""
    designs = []
    for name, properties in read_study(package, file).head["designs"].items():
        design = {"name": name, **properties}
        if design["blocks"] == "leave_one_out":
            design |= {"blocks": BlockKind.RANDOM.value, "single_rows": True}
        designs.append(StudiedDesign(**design))
    return tuple(designs)


def find_nearest_designs(
    designs: Iterable[StudiedDesign], layout: Layout
) -> tuple[StudiedDesign, ...]:
    """Return the designs that are nearest to a layout: several if equally near, or none at all.

    They have the properties of the layout, and the nearest number of blocks, as a ratio. Over a
    holdout models are the same wherever they were trained. No design has rows in the order of time.
    """
    if layout.time is not None:
        return ()
    clusters = None
    if layout.cluster is not None:
        clusters = "cut" if count_crossing_clusters(layout) > 0 else "whole"
    properties = (
        layout.kind.value,
        layout.kind is not BlockKind.SUBSAMPLES and layout.n_repeats > 1,
        layout.kind is BlockKind.RANDOM and bool(layout.n_test.max() == 1),
        clusters,
        layout.kind is BlockKind.SOURCE and layout.has_fixed_models,
    )
    distances = {
        design: 0.0 if design.folds is None else abs(math.log(layout.n_blocks / design.folds))
        for design in designs
        if (design.blocks, design.repeated, design.single_rows, design.clusters, design.fixed)
        == properties
    }
    least = min(distances.values(), default=0.0)
    return tuple(design for design, distance in distances.items() if distance == least)


def find_nearest_size(sizes: Iterable[int], n: int, share: float = 1.0) -> int:
    """Return the size that, times the share that is tested, is nearest to n rows by its ratio."""
    return min(set(sizes), key=lambda size: abs(math.log(size * share / n)))
