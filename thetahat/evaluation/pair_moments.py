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
from thetahat.types import FloatArray, IntArray

LEAST_SHARE: Final = 1e-3
"""Of the two models' own squares: what the difference's must at least be."""

_MOST_PRODUCTS = 2**23  # blocks x models x models: 64 MB
_FEWEST_MODELS = 3
_LOSSES_AT_ONCE = 2**17  # 1 MB: they stay in the cache from their copy to their products
_MOST_DIGITS_LOST = 16.0  # squares about the first loss over those about the mean: one of 16


def pair_moments(
    models: Sequence[BlockLosses], n_pairs: int
) -> Callable[[IntArray], list[Moments | None]]:
    """Return what gives the moments of model i minus model j for some (p, 2) places i and j.

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
        k, m = layout.n_splits, len(rows)
        self.sizes = layout.n_test
        self.split_repeat = layout.split_repeat
        self.first = np.empty((k, m))
        self.sums = np.empty((k, m))
        self.products = np.empty((k, m, m))
        for at in range(k):
            parts = list(_parts(at, layout, m))
            self.first[at] = np.array([losses[parts[0]][0] for losses in rows])
            self._take(at, parts, rows)
        self.squares = np.einsum("kii->ki", self.products).copy()

    def _take(
        self, at: int, parts: Sequence[slice | np.ndarray], rows: Sequence[FloatArray]
    ) -> None:
        """Fill in one block: in one pass about the first losses, in two where digits would go."""
        n, first = self.sizes[at], self.first[at]
        self.sums[at], about_first = _products(parts, rows, first)
        moved = np.outer(self.sums[at], self.sums[at]) / n
        self.products[at] = about_first - moved
        if np.any(np.diag(about_first) > _MOST_DIGITS_LOST * np.diag(self.products[at])):
            # the means are rounded: what is left of the sums corrects the products (Chan et al.)
            left, products = _products(parts, rows, first, self.sums[at] / n)
            self.products[at] = products - np.outer(left, left) / n

    def differences(self, places: IntArray) -> list[Moments | None]:
        """Return the moments of pairs of models, None where digits would be lost."""
        i, j = places.T
        of_models = self.squares[:, i] + self.squares[:, j]
        squares = of_models - 2 * self.products[:, i, j]
        fit = ~(squares < LEAST_SHARE * of_models).any(axis=0)
        first = self.first[:, i] - self.first[:, j]
        moved = (self.sums[:, i] - self.sums[:, j]) / self.sizes[:, None]
        # a row for each pair
        deviations = np.ascontiguousarray(((first - first[0]) + moved).T)
        squares = np.ascontiguousarray(squares.T)
        rows = zip(fit.tolist(), first[0].tolist(), deviations, squares, strict=True)
        return [
            Moments(self.sizes, shift, of_splits, own, self.split_repeat) if is_fit else None
            for is_fit, shift, of_splits, own in rows
        ]


def _parts(at: int, layout: Layout, n_models: int) -> Iterator[slice | np.ndarray]:
    """Yield the rows of one block, so many at a time that all models' losses stay few."""
    assert layout.starts is not None  # noqa: S101 - the layout has rows
    start, stop = int(layout.starts[at]), int(layout.starts[at + 1])
    step = max(1, _LOSSES_AT_ONCE // n_models)
    for low in range(start, stop, step):
        rows = slice(low, min(low + step, stop))
        yield rows if layout.order is None else layout.order[rows]


def _products(
    parts: Sequence[slice | np.ndarray],
    rows: Sequence[FloatArray],
    first: FloatArray,
    mean: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """(m,) sums and (m, m) sums of products of what the losses have above ``first`` + ``mean``.

    A row of ones makes the sums products too, so that everything is one product of matrices; and
    they are exact for whole numbers.
    """
    m, longest = len(rows), _n_rows(parts[0])
    held, total = np.empty((m + 1, longest)), np.zeros((m + 1, m + 1))
    held[m] = 1.0
    for part in parts:
        some = held[:, : _n_rows(part)]
        for i, losses in enumerate(rows):
            np.subtract(losses[part], first[i], out=some[i])
        if mean is not None:
            some[:m] -= mean[:, None]
        total += some @ some.T
    return total[m, :m].copy(), total[:m, :m]


def _n_rows(part: slice | np.ndarray) -> int:
    return int(part.stop - part.start) if isinstance(part, slice) else len(part)
