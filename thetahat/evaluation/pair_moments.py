r"""Moments of the differences of all pairs, from one matrix product per block.

.. math::
    \sum_i (d_i - \bar d)^2 = Q_{aa} + Q_{bb} - 2 Q_{ab}, \qquad
    Q_{ab} = \sum_i (a_i - \bar a)(b_i - \bar b)

Where two models move together the left side is a small difference of large numbers. Below
``LEAST_SHARE`` of them it is not taken from here, and the difference itself is looked at; above, it
is good to about twelve digits. The means are exact where the losses are whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np

from thetahat.block_losses import BlockLosses
from thetahat.layout import Layout
from thetahat.moments import Moments
from thetahat.types import FloatArray

LEAST_SHARE: Final = 1e-3
"""Of the two models' own squares: what the difference's must at least be."""

_MOST_PRODUCTS = 2**23  # blocks x models x models: 64 MB
_FEWEST_MODELS = 3
_LOSSES_AT_ONCE = 2**20


def pair_moments(
    models: Sequence[BlockLosses], n_pairs: int
) -> Callable[[int, int], Moments | None]:
    """Return what gives the moments of model i minus model j, or None where it cannot.

    It can where losses are known row by row, all pairs of several models are compared, and there
    are not so many blocks that their products would fill the memory.
    """
    layout, m = models[0].layout, len(models)
    worth_it = m >= _FEWEST_MODELS and n_pairs >= m
    if not (worth_it and layout.has_rows and layout.n_splits * m * m <= _MOST_PRODUCTS):
        return lambda _i, _j: None
    return _Products([losses.rows for losses in models], layout).difference


class _Products:
    """Per block: first losses, sums about them, and centred products of all models.

    Parameters
    ----------
    rows : sequence of ndarray
        (m,) of (n,) losses.
    layout : Layout
        With rows.
    """

    def __init__(self, rows: Sequence[FloatArray], layout: Layout) -> None:
        k, m = layout.n_splits, len(rows)
        self.sizes = layout.n_test
        self.split_repeat = layout.split_repeat
        self.first = np.empty((k, m))
        self.sums = np.empty((k, m))
        self.products = np.empty((k, m, m))
        for at in range(k):
            self._take(at, list(_parts(at, layout, m)), rows)
        self.squares = np.einsum("kii->ki", self.products).copy()

    def _take(
        self, at: int, parts: Sequence[slice | np.ndarray], rows: Sequence[FloatArray]
    ) -> None:
        """Fill in one block: sums in a first pass over its parts, products in a second."""
        self.first[at] = first = np.array([losses[parts[0]][0] for losses in rows])
        held = None
        sums = np.zeros(len(rows))
        for part in parts:
            held = _about(first, part, rows)
            sums += held.sum(axis=1)
        self.sums[at] = sums
        mean, left = sums / self.sizes[at], np.zeros(len(rows))
        products = np.zeros((len(rows), len(rows)))
        for part in parts:
            held = held if len(parts) == 1 and held is not None else _about(first, part, rows)
            held -= mean[:, None]
            left += held.sum(axis=1)
            products += held @ held.T
        # the means are rounded: what is left of the sums corrects the products (Chan et al.)
        self.products[at] = products - np.outer(left, left) / self.sizes[at]

    def difference(self, i: int, j: int) -> Moments | None:
        """Return the moments of model i minus model j, or None where digits would be lost."""
        of_models = self.squares[:, i] + self.squares[:, j]
        squares = of_models - 2 * self.products[:, i, j]
        if np.any(squares < LEAST_SHARE * of_models):
            return None
        first = self.first[:, i] - self.first[:, j]
        shift = float(first[0])
        deviations = (first - shift) + (self.sums[:, i] - self.sums[:, j]) / self.sizes
        return Moments(self.sizes, shift, deviations, squares, self.split_repeat)


def _parts(at: int, layout: Layout, n_models: int) -> Iterator[slice | np.ndarray]:
    """Yield the rows of one block, so many at a time that all models' losses stay few."""
    assert layout.starts is not None  # noqa: S101 - the layout has rows
    start, stop = int(layout.starts[at]), int(layout.starts[at + 1])
    step = max(1, _LOSSES_AT_ONCE // n_models)
    for low in range(start, stop, step):
        rows = slice(low, min(low + step, stop))
        yield rows if layout.order is None else layout.order[rows]


def _about(first: FloatArray, part: slice | np.ndarray, rows: Sequence[FloatArray]) -> FloatArray:
    """(m, r) losses of all models in some rows, relative to each model's first of the block."""
    return np.stack([losses[part] - shift for losses, shift in zip(rows, first, strict=True)])
