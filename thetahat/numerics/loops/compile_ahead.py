"""Compiling the loops in advance, so that no evaluation waits for them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from itertools import chain
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
from thetahat.numerics.loops.compiling import compiled, is_installed
from thetahat.values.types import FloatArray

Call = tuple[Callable[..., object], *tuple[Any, ...]]
"""A function and its arguments."""


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
    that it does not keep the loops of the others from being compiled. Without numba there is
    nothing to compile.
    """
    if not is_installed():
        return
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
    for function, *arguments in chain(
        _list_moments(losses),
        _list_ranks(losses),
        _list_resamples(losses),
        _list_cells(losses),
        _list_counts(losses),
        _list_rows(),
        _list_nearest(),
    ):
        function(*arguments)
        yield


def _list_moments(losses: FloatArray) -> Iterator[Call]:
    starts, split = np.array([0, 2], dtype=np.intp), np.zeros(2, dtype=np.uint16)
    yield moments.by_runs, losses, starts, 0.0
    yield moments.by_rows, losses, losses[:1], np.full(1, 2.0), split
    for order in (None, np.arange(2, dtype=np.intp)):
        yield products.block_products, [losses], order, starts, np.zeros((1, 1))
    yield sign_flips.add_sums, losses, np.zeros(1, dtype=np.uint64), np.zeros(1)


def _list_resamples(losses: FloatArray) -> Iterator[Call]:
    starts, drawn = np.array([0, 2], dtype=np.intp), np.zeros((1, 2), dtype=np.uint32)
    yield compiled(bootstrap.draw_indices), starts, np.zeros(1, dtype=np.uint64), drawn
    yield compiled(bootstrap.count_draws), drawn, np.zeros((1, 2))
    yield compiled(bootstrap.gather_sums), losses, drawn, np.zeros(1)
    sums = np.zeros((1, 1, 1))
    yield compiled(bootstrap.sum_by_stratum), losses[None], losses[:, None], starts, sums


def _list_ranks(values: FloatArray) -> Iterator[Call]:
    yield signed_ranks.positive_sums, np.zeros((1, 2), dtype=np.uint64)
    both = np.zeros((1, 2), dtype=np.intp)
    yield paired_units.zero_rounding_errors, values[None], values[None], both


def _list_cells(column: FloatArray) -> Iterator[Call]:
    first, size, held = (np.full(1, n, dtype=np.intp) for n in (0, 2, 2))
    drawn = first, size, held[:, None], np.zeros(1, dtype=np.uint64)
    yield compiled(cells.add_cell_sums), column, *drawn, np.zeros(1)
    yield compiled(cells.count_kinds), np.zeros(2, dtype=np.uint16), *drawn, np.zeros((1, 1))
    yield compiled(cells.fill_cell_counts), *drawn, 0, np.zeros((1, 2))
    starts = np.array([0, 1], dtype=np.intp)
    yield compiled(equal_units.draw_kinds), starts, size, drawn[-1], np.zeros((1, 1))


def _list_counts(weights: FloatArray) -> Iterator[Call]:
    from scipy.sparse import csr_array  # noqa: PLC0415 - few features are sparse

    counts, rows, ones = csr_array(np.eye(2)), np.arange(2), np.eye(2, dtype=np.intp)
    short: Any = counts.astype(np.uint16)
    for matrix in (counts, short):
        yield sparse_counts.sums_by_kernel, matrix, rows, rows, weights, 2
        yield sparse_counts.scores_by_kernel, matrix, rows, np.eye(2)
    yield sparse_counts.left_out_by_kernel, counts, rows, weights, ones, weights


def _list_rows() -> Iterator[Call]:
    rows, X = np.arange(2), np.eye(2)
    yield class_moments.moments_by_kernel, X, rows, rows, X[0], 2
    yield class_moments.distances_by_kernel, X, rows, X, X + 1
    yield tridiagonal.solved_by_kernel, X[0], X[0, 1:], X[0], X[0], -1.0


def _list_nearest() -> Iterator[Call]:
    near, X = np.zeros((1, 4), dtype=np.float32), np.eye(2)
    rows = np.zeros((1, 1), dtype=np.intp)
    smallest, limits = nearest_rows.smallest_by_kernel(near, 1)
    yield nearest_rows.near_by_kernel, near, smallest, limits, rows
    nearest, squares = nearest_rows.ranked_by_kernel(X[:1], X, rows, rows[0] + 1, 1)
    lists = nearest, squares, squares[0]
    inside = np.ones((1, 1), dtype=np.bool_)
    yield nearest_rows.taken_by_kernel, *lists, rows[0], rows[0], inside, 1
