"""Compiling the loops in advance, so that no evaluation waits for them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from importlib.metadata import entry_points
from typing import Any

import numpy as np

from thetahat.numerics.loops import (
    bootstrap,
    cells,
    class_moments,
    equal_units,
    moments,
    nearest_rows,
    paired_units,
    products,
    sign_flips,
    signed_ranks,
    sparse_counts,
    tridiagonal,
)
from thetahat.numerics.loops.compiling import compiled
from thetahat.values.types import FloatArray


def compile_all() -> None:
    """Run each loop once on a tiny input.

    With compiled loops in the cache on disk this takes a second or two, mostly to import numba.
    """
    for _ in every_loop():
        pass


def every_loop() -> Iterator[None]:
    """Compile the loops of this package, then those of other packages, one after another.

    Other packages name a function like ``one_by_one`` as an entry point of the group
    ``thetahat.loops``. A package whose function cannot be imported is left out with a warning, so
    that it does not keep the loops of the others from being compiled.
    """
    yield from one_by_one()
    for entry_point in entry_points(group="thetahat.loops"):
        try:
            compile_others = entry_point.load()
        except (ImportError, AttributeError) as error:
            message = f"The loops of {entry_point.value} are not compiled in advance: {error}."
            warnings.warn(message, RuntimeWarning, stacklevel=2)
            continue
        yield from compile_others()


def one_by_one() -> Iterator[None]:
    """Compile the loops of this package one at a time; yields after each."""
    losses = np.array([0.0, 1.0])
    yield from _warm_moments(losses)
    yield from _warm_ranks(losses)
    yield from _warm_resamples(losses)
    yield from _warm_cells(losses)
    yield from _warm_counts(losses)
    yield from _warm_rows()
    yield from _warm_lists()


def _warm_moments(losses: FloatArray) -> Iterator[None]:
    starts = np.array([0, 2], dtype=np.intp)
    moments.by_runs(losses, starts, 0.0)
    yield
    moments.by_rows(losses, losses[:1], np.full(1, 2.0), np.zeros(2, dtype=np.uint16))
    yield
    for order in (None, np.arange(2, dtype=np.intp)):
        products.block_products([losses], order, starts, np.zeros((1, 1)))
        yield
    sign_flips.add_sums(losses, np.zeros(1, dtype=np.uint64), np.zeros(1))
    yield


def _warm_resamples(losses: FloatArray) -> Iterator[None]:
    starts, drawn = np.array([0, 2], dtype=np.intp), np.zeros((1, 2), dtype=np.uint32)
    compiled(bootstrap.draw_indices)(starts, np.zeros(1, dtype=np.uint64), drawn)
    yield
    compiled(bootstrap.count_draws)(drawn, np.zeros((1, 2)))
    yield
    compiled(bootstrap.gather_sums)(losses, drawn, np.zeros(1))
    yield
    compiled(bootstrap.sum_by_stratum)(losses[None], losses[:, None], starts, np.zeros((1, 1, 1)))
    yield


def _warm_ranks(values: FloatArray) -> Iterator[None]:
    signed_ranks.positive_sums(np.zeros((1, 2), dtype=np.uint64))
    yield
    both = np.zeros((1, 2), dtype=np.intp)
    paired_units.zero_rounding_errors(values[None], values[None], both)
    yield


def _warm_cells(column: FloatArray) -> Iterator[None]:
    first, size, held = (np.full(1, n, dtype=np.intp) for n in (0, 2, 2))
    keys = np.zeros(1, dtype=np.uint64)
    compiled(cells.add_cell_sums)(column, first, size, held[:, None], keys, np.zeros(1))
    yield
    alike = np.zeros(2, dtype=np.uint16)
    compiled(cells.count_kinds)(alike, first, size, held[:, None], keys, np.zeros((1, 1)))
    yield
    compiled(cells.fill_cell_counts)(first, size, held[:, None], keys, 0, np.zeros((1, 2)))
    yield
    compiled(equal_units.draw_kinds)(np.array([0, 1], dtype=np.intp), size, keys, np.zeros((1, 1)))
    yield


def _warm_counts(weights: FloatArray) -> Iterator[None]:
    from scipy.sparse import csr_array  # noqa: PLC0415 - few features are sparse

    counts, rows = csr_array(np.eye(2)), np.arange(2)
    short: Any = counts.astype(np.uint16)
    for matrix in (counts, short):
        sparse_counts.sums_by_kernel(matrix, rows, rows, weights, 2)
        yield
        sparse_counts.scores_by_kernel(matrix, rows, np.eye(2))
        yield
    sparse_counts.whole_sums_by_kernel(short, rows, weights, 2)
    yield
    for matrix in (counts, short):
        sparse_counts.left_out_by_kernel(matrix, rows, weights, np.eye(2, dtype=np.intp), weights)
        yield
    sparse_counts.short_by_kernel(weights)
    yield
    sums = np.eye(2, dtype=np.intp)
    sparse_counts.odds_by_kernel(sums, sums.astype(np.int32), weights, weights)
    yield


def _warm_rows() -> Iterator[None]:
    rows, X = np.arange(2), np.eye(2)
    class_moments.moments_by_kernel(X, rows, rows, X[0], 2)
    yield
    class_moments.distances_by_kernel(X, rows, X, X + 1)
    yield
    tridiagonal.solved_by_kernel(X[0], X[0, 1:], X[0], X[0], -1.0)
    yield


def _warm_lists() -> Iterator[None]:
    near, X = np.zeros((1, 4), dtype=np.float32), np.eye(2)
    rows = np.zeros((1, 1), dtype=np.intp)
    nearest_rows.near_by_kernel(near, *nearest_rows.smallest_by_kernel(near, 1), rows)
    yield
    nearest, squares = nearest_rows.ranked_by_kernel(X[:1], X, rows, rows[0] + 1, 1)
    yield
    inside = np.ones((1, 1), dtype=np.bool_)
    nearest_rows.taken_by_kernel(nearest, squares, squares[0], rows[0], rows[0], inside, 1)
    yield
