"""Compiling the loops in advance, so that no evaluation waits for them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from itertools import chain
from typing import Any

import numpy as np

from thetahat.numerics.loops import bootstrap, cells, nearest_rows, sign_flips
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
        _list_resamples(losses),
        _list_cells(losses),
        _list_nearest(),
    ):
        function(*arguments)
        yield


def _list_resamples(losses: FloatArray) -> Iterator[Call]:
    starts, drawn = np.array([0, 2], dtype=np.intp), np.zeros((1, 2), dtype=np.uint32)
    key = np.zeros(1, dtype=np.uint64)
    yield sign_flips.add_sums, losses, key, np.zeros(1)
    yield compiled(bootstrap.draw_indices), starts, key, drawn
    yield compiled(bootstrap.count_draws), drawn, np.zeros((1, 2))
    yield compiled(bootstrap.gather_sums), losses, drawn, np.zeros(1)


def _list_cells(column: FloatArray) -> Iterator[Call]:
    first, size, held = (np.full(1, n, dtype=np.intp) for n in (0, 2, 2))
    drawn = first, size, held[:, None], np.zeros(1, dtype=np.uint64)
    yield compiled(cells.add_cell_sums), column, *drawn, np.zeros(1)
    yield compiled(cells.count_kinds), np.zeros(2, dtype=np.uint16), *drawn, np.zeros((1, 1))
    yield compiled(cells.fill_cell_counts), *drawn, 0, np.zeros((1, 2))


def _list_nearest() -> Iterator[Call]:
    near, X = np.zeros((1, 4), dtype=np.float32), np.eye(2)
    rows = np.zeros((1, 1), dtype=np.intp)
    smallest, limits = nearest_rows.smallest_by_kernel(near, 1)
    yield nearest_rows.near_by_kernel, near, smallest, limits, rows
    yield nearest_rows.ranked_by_kernel, X[:1], X, rows, rows[0] + 1, 1
