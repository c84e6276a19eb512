"""Means and variances of losses within blocks, of one model and of the differences of several."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.rows import Bench, BenchmarkRow, relative_difference
from thetahat.analyses.losses.pair_moments import make_pair_moments
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import BlockKind, FloatArray

USE = "Mean and variance of a model's losses within each of ten blocks, the basis of all estimates."
SIZES = tuple(10**power for power in range(3, 9))
"""10^8 losses are 0.8 GB, so that each pass streams them from memory."""
USE_BLOCKS = (
    "Variances within blocks of one million losses, from two blocks to one for each ten rows."
)
USE_PAIRS = (
    "Variances within blocks of the differences of all pairs of models: the basis of comparisons."
)
PAIRS_TIMED = 50


def compute_variances(layout: Layout, losses: FloatArray, order: np.ndarray) -> FloatArray:
    """Return the variance within each block in the order of the labels; NaN is looked for."""
    moments = BlockLosses(layout, values=losses).moments
    return np.asarray(next(moments.yield_repeats()).within_variances[order])


def compute_by_masks(losses: FloatArray, block: np.ndarray) -> FloatArray:
    """Return the variance within each block, as most people write it."""
    return np.array([losses[block == k].var(ddof=1) for k in range(10)])


def compute_by_groups(losses: FloatArray, block: np.ndarray) -> FloatArray:
    """Return the variance within each block by pandas."""
    import pandas as pd  # type: ignore[import-untyped]

    return np.asarray(pd.Series(losses).groupby(block).var())


def measure_rows(bench: Bench) -> Iterator[BenchmarkRow]:
    rng = np.random.default_rng(1)
    yield from _measure_ten_blocks(bench, rng)
    yield from _measure_many_blocks(bench, rng)
    yield from _measure_pairs(bench, rng)
    yield from _measure_many_models(bench, rng)


def _measure_ten_blocks(bench: Bench, rng: np.random.Generator) -> Iterator[BenchmarkRow]:
    for shuffled in (False, True):
        for n in (10**3, 10**4) if bench.short else SIZES[: -1 if shuffled else None]:
            block = np.repeat(np.arange(10), n // 10)
            block = rng.permutation(block) if shuffled else block
            losses = rng.random(n)
            layout = build_layout(BlockKind.RANDOM, block)
            yield bench.compare(
                task="variances within ten blocks" + (", rows in random order" * shuffled),
                use=USE,
                size=n,
                unit="losses",
                ours=partial(compute_variances, layout, losses, np.argsort(layout.block_labels)),
                peer="numpy, a mask for each block",
                peer_call=partial(compute_by_masks, losses, block),
                difference=relative_difference,
                tolerance=1e-10,
                bytes_read=8 * n,
            )


def _measure_many_blocks(bench: Bench, rng: np.random.Generator) -> Iterator[BenchmarkRow]:
    n = 10**4 if bench.short else 10**6
    losses = rng.gamma(2.0, size=n)
    for blocks in (2, 100, 1000) if bench.short else (2, 10, 100, 1000, 10**4, 10**5):
        block = np.repeat(np.arange(blocks), n // blocks)
        layout = build_layout(BlockKind.RANDOM, block)
        yield bench.compare(
            task="variances within many blocks",
            use=USE_BLOCKS,
            size=blocks,
            unit="blocks",
            setting=f"{n:.0e} losses",
            ours=partial(compute_variances, layout, losses, np.argsort(layout.block_labels)),
            peer="pandas groupby",
            peer_call=partial(compute_by_groups, losses, block),
            difference=relative_difference,
            tolerance=1e-10,
            bytes_read=8 * n,
        )


def _measure_pairs(bench: Bench, rng: np.random.Generator) -> Iterator[BenchmarkRow]:
    n = 10**4 if bench.short else 10**6
    block = np.repeat(np.arange(10), n // 10)
    for shuffled in (False, True):
        layout = build_layout(BlockKind.RANDOM, rng.permutation(block) if shuffled else block)
        labels = layout.get_split_of_row()
        for n_models in (4, 8):
            losses = rng.gamma(2.0, size=(n_models, n))
            models = [BlockLosses(layout, values=row) for row in losses]
            places = [(i, j) for i in range(n_models) for j in range(i + 1, n_models)]
            masks = [labels == k for k in range(10)]
            peer: Callable[[], Any] = partial(_pair_variances_by_loops, losses, places, masks)
            yield bench.compare(
                task="variances of all pairs of models" + (", rows in random order" * shuffled),
                use=USE_PAIRS,
                size=n_models,
                unit="models",
                setting=f"{n:.0e} losses of each",
                ours=partial(_pair_variances, models, places),
                peer="numpy, loops over pairs and blocks",
                peer_call=peer,
                difference=relative_difference,
                tolerance=1e-8,
                bytes_read=8 * n * n_models,
            )


def _measure_many_models(bench: Bench, rng: np.random.Generator) -> Iterator[BenchmarkRow]:
    """Yield the variances of all pairs of up to 1000 models."""
    n = 1000
    block = np.repeat(np.arange(5), n // 5)
    layout = build_layout(BlockKind.RANDOM, block)
    masks = [block == k for k in range(5)]
    for n_models in (5, 20) if bench.short else (10, 100, 1000):
        losses = rng.gamma(2.0, size=(n_models, n))
        models = [BlockLosses(layout, values=row) for row in losses]
        pairs = [(i, j) for i in range(n_models) for j in range(i + 1, n_models)]
        timed = pairs[:PAIRS_TIMED]
        yield bench.compare(
            task="variances of all pairs of many models",
            use=USE_PAIRS,
            size=n_models,
            unit="models",
            setting=f"{n} losses of each",
            ours=partial(_pair_variances, models, pairs),
            peer="numpy, loops over pairs and blocks",
            peer_call=partial(_pair_variances_by_loops, losses, timed, masks),
            peer_share=len(timed) / len(pairs),
            difference=lambda own, theirs: relative_difference(own[: len(theirs)], theirs),
            tolerance=1e-8,
            flops=2.0 * n * n_models**2 / 2,
        )


def _pair_variances(models: list[BlockLosses], places: list[tuple[int, int]]) -> FloatArray:
    variances = []
    for moments in make_pair_moments(models, len(places))(np.array(places)):
        assert moments is not None
        assert moments.centred_squares is not None
        variances.append(moments.centred_squares / (moments.sizes - 1))
    return np.stack(variances)


def _pair_variances_by_loops(
    losses: FloatArray, places: list[tuple[int, int]], masks: list[np.ndarray]
) -> FloatArray:
    differences = (losses[i] - losses[j] for i, j in places)
    return np.array([[d[mask].var(ddof=1) for mask in masks] for d in differences])
