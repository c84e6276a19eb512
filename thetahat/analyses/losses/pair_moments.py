r"""Moments of the differences of all pairs, from the products of all models in each block.

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

from thetahat.numerics.loops.products import MANY_LOSSES, MOST_MODELS, block_products
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.many_moments import ManyMoments
from thetahat.values.moments import Moments
from thetahat.values.types import FloatArray, IntArray

LEAST_SHARE: Final = 1e-3
"""Of the two models' own squares: what the difference's must at least be."""

_MOST_PRODUCTS = 2**23  # blocks x models x models: 64 MB
_FEWEST_MODELS = 3
_LOSSES_AT_ONCE = 2**17  # 1 MB: they stay in the cache from their copy to their products
_MOST_DIGITS_LOST = 16.0  # squares about the first loss over those about the mean: one of 16


def pair_moments(
    models: Sequence[BlockLosses], n_pairs: int
) -> Callable[[IntArray], Sequence[Moments | None]]:
    """Return a function of (p, 2) positions i, j that gives the moments of model i minus j.

    None in the place of those that it cannot give.

    It can where losses are known row by row, all pairs of several models are compared, and there
    are not so many blocks that their products would fill the memory.
    """
    layout, m = models[0].layout, len(models)
    worth_it = m >= _FEWEST_MODELS and n_pairs >= m
    if not (worth_it and layout.has_rows and layout.n_splits * m * m <= _MOST_PRODUCTS):
        return lambda places: [None] * len(places)
    return _Products([losses.rows for losses in models], layout).differences


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
        assert layout.starts is not None  # noqa: S101 - the layout has rows
        self.sizes = layout.n_test
        self.split_repeat = layout.split_repeat
        heads = layout.starts[:-1] if layout.order is None else layout.order[layout.starts[:-1]]
        self.first: FloatArray = np.stack([losses[heads] for losses in rows], axis=1)
        self.sums, about_first = _products(rows, layout, self.first)
        self.products: FloatArray = about_first - self._moved(self.sums)
        lost = _diagonals(about_first) > _MOST_DIGITS_LOST * _diagonals(self.products)
        if lost.any():
            # the means are rounded: what is left of the sums corrects the products (Chan et al.)
            means = self.first + self.sums / self.sizes[:, None]
            left, products = _products(rows, layout, means)
            blocks = lost.any(axis=1)
            self.products[blocks] = (products - self._moved(left))[blocks]
        self.squares: FloatArray = _diagonals(self.products).copy()

    def _moved(self, sums: FloatArray) -> FloatArray:
        """(J, m, m) what the products have too much for being about something else than means."""
        return sums[:, :, None] * sums[:, None] / self.sizes[:, None, None]

    def differences(self, places: IntArray) -> ManyMoments:
        """Return the moments of pairs of models, None where digits would be lost."""
        i, j = places.T
        of_models = self.squares[:, i] + self.squares[:, j]
        squares = of_models - 2 * self.products[:, i, j]
        first = self.first[:, i] - self.first[:, j]
        moved = (self.sums[:, i] - self.sums[:, j]) / self.sizes[:, None]
        # a row for each pair
        return ManyMoments(
            self.sizes,
            self.split_repeat,
            first[0],
            np.ascontiguousarray(((first - first[0]) + moved).T),
            np.ascontiguousarray(squares.T),
            known=~np.any(squares < LEAST_SHARE * of_models, axis=0),
        )


def _diagonals(products: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("kii->ki", products))


def _products(
    rows: Sequence[FloatArray], layout: Layout, about: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """(J, m) sums and (J, m, m) sums of products of what the losses have above ``about``."""
    assert layout.starts is not None  # noqa: S101 - the layout has rows
    m = len(rows)
    if m <= MOST_MODELS and m * layout.n_rows >= MANY_LOSSES:
        return block_products(rows, layout.order, layout.starts, about)
    total = np.empty((layout.n_splits, m + 1, m + 1))
    for at, own in enumerate(about):
        _take(total[at], list(_parts(at, layout, m)), rows, own)
    return total[:, m, :m].copy(), total[:, :m, :m]


def _parts(at: int, layout: Layout, n_models: int) -> Iterator[slice | np.ndarray]:
    """Yield the rows of one block, so many at a time that all models' losses stay few."""
    assert layout.starts is not None  # noqa: S101 - the layout has rows
    start, stop = int(layout.starts[at]), int(layout.starts[at + 1])
    step = max(1, _LOSSES_AT_ONCE // n_models)
    for low in range(start, stop, step):
        rows = slice(low, min(low + step, stop))
        yield rows if layout.order is None else layout.order[rows]


def _take(
    total: FloatArray,
    parts: Sequence[slice | np.ndarray],
    rows: Sequence[FloatArray],
    about: FloatArray,
) -> None:
    """Fill in the (m + 1, m + 1) sums of products of one block and, in the last row, sums.

    A row of ones makes the sums products too, so that everything is one product of matrices; and
    they are exact for whole numbers.
    """
    m = len(rows)
    held = np.empty((m + 1, _n_rows(parts[0])))
    held[m] = 1.0
    total[:] = 0.0
    for part in parts:
        some = held[:, : _n_rows(part)]
        for i, losses in enumerate(rows):
            np.subtract(losses[part], about[i], out=some[i])
        total += some @ some.T


def _n_rows(part: slice | np.ndarray) -> int:
    return int(part.stop - part.start) if isinstance(part, slice) else len(part)
