"""Compile the loops of the replications in advance, so that no study waits for it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from thetahat.numerics.loops.compiling import compiled
from thetahat_replications.loops import drawn_words, gaussian_kernels, kernel_means


def one_by_one() -> Iterator[None]:
    """Run each loop once on a tiny input, which compiles it; yield after each loop."""
    yield from _warm_weights()
    yield from _warm_words()


def _warm_weights() -> Iterator[None]:
    rows, kernels = np.eye(2), np.empty((2, 2))
    compiled(kernel_means.fill_nearest_squares)(rows, rows, kernels)
    yield
    compiled(gaussian_kernels.fill_squares)(rows, rows, kernels)
    yield
    compiled(gaussian_kernels.exponentiate)(kernels, -1.0)
    yield
    compiled(kernel_means.exchange)(kernels, np.ones(2), 1e-9, np.zeros(2))
    yield


def _warm_words() -> Iterator[None]:
    """Compile the loops over drawn documents."""
    indptr, indices = np.arange(2, dtype=np.uint32), np.zeros(1, dtype=np.uint32)
    data, classes = np.ones(1, dtype=np.uint16), np.zeros(1, dtype=np.uint8)
    rows, starts, common = np.zeros(1, dtype=np.uint64), np.arange(2), np.ones(1, dtype=np.intp)
    sums, logs, scores = np.zeros((1, 2), dtype=np.uint32), np.zeros(2), np.zeros(1)
    stored = indptr, indices, data
    compiled(drawn_words.add_words)(*stored, classes, rows, sums)
    yield
    arrays = classes, rows, starts, common, sums, logs, scores
    compiled(drawn_words.score_blocks)(*stored, *arrays)
    yield
    compiled(drawn_words.score_others)(*stored, rows, 1, sums, logs, scores)
    yield
