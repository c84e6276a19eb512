r"""Moments of the differences of all pairs, computed from products of the models in each block.

.. math::
    \sum_i (d_i - \bar d)^2 = Q_{aa} + Q_{bb} - 2 Q_{ab}, \qquad
    Q_{ab} = \sum_i (a_i - \bar a)(b_i - \bar b)

If the losses of two models are highly correlated, the left side is a small difference of large
numbers. If it is less than ``MIN_SPREAD_SHARE`` of them, it is not used, and the moments are
computed from the differences themselves; otherwise it has about twelve correct digits. The means
are exact if the losses are whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import numpy as np

from thetahat.analyses.thresholds import MIN_MODELS_FOR_PRODUCTS
from thetahat.values.batch_sizes import NUMBERS_IN_1_MB
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.moments import Moments
from thetahat.values.types import FloatArray, IntArray

MIN_SPREAD_SHARE: Final = 1e-3
"""Smallest centred square of a difference that is used, relative to those of its two models."""

_MAX_PRODUCTS = 2**23  # blocks x models x models: 64 MB
_MAX_LOSS_OF_DIGITS = (
    16.0  # largest ratio of squares about the first loss to squares about the mean
)


def make_pair_moments(
    models: Sequence[BlockLosses], n_pairs: int
) -> Callable[[IntArray], Iterable[Moments | None]]:
    """Return a function from (p, 2) pairs of positions to the moments of model i minus model j.

    The function returns None for each pair whose moments would lose too many digits. It returns
    None for all pairs if the losses are not known by row, if few pairs are compared, or if the
    products of all models in all blocks would need too much memory.
    """
    layout, m = models[0].layout, len(models)
    worth_it = m >= MIN_MODELS_FOR_PRODUCTS and n_pairs >= m
    if not (worth_it and layout.has_rows and layout.n_splits * m * m <= _MAX_PRODUCTS):
        return lambda places: [None] * len(places)
    return _Products([losses.rows for losses in models], layout).differences


class _Products:
    """First losses, sums relative to them, and centred products of all models, by block.

    Parameters
    ----------
    rows : sequence of ndarray
        (m,) of (n,) losses.
    layout : Layout
        The layout; it must know its rows.
    """

    def __init__(self, rows: Sequence[FloatArray], layout: Layout) -> None:
        assert layout.starts is not None  # noqa: S101 - the layout has rows
        self.sizes = layout.n_test
        self.split_repeat = layout.split_repeat
        heads = layout.starts[:-1] if layout.order is None else layout.order[layout.starts[:-1]]
        self.first: FloatArray = np.stack([losses[heads] for losses in rows], axis=1)
        self.sums, about_first = _multiply_blocks(rows, layout, self.first)
        self.products: FloatArray = about_first - self._compute_shift_correction(self.sums)
        lost = _get_diagonals(about_first) > _MAX_LOSS_OF_DIGITS * _get_diagonals(self.products)
        if lost.any():
            # the means are rounded, and the remaining sums correct the products (Chan et al.)
            means = self.first + self.sums / self.sizes[:, None]
            left, products = _multiply_blocks(rows, layout, means)
            blocks = lost.any(axis=1)
            self.products[blocks] = (products - self._compute_shift_correction(left))[blocks]
        self.squares: FloatArray = _get_diagonals(self.products).copy()

    def _compute_shift_correction(self, sums: FloatArray) -> FloatArray:
        """Return (J, m, m) terms to subtract from products about other values than the means."""
        return sums[:, :, None] * sums[:, None] / self.sizes[:, None, None]

    def differences(self, places: IntArray) -> Iterator[Moments | None]:
        """Yield the moments of pairs of models; None where digits would be lost."""
        i, j = places.T
        of_models = self.squares[:, i] + self.squares[:, j]
        squares = of_models - 2 * self.products[:, i, j]
        first = self.first[:, i] - self.first[:, j]
        moved = (self.sums[:, i] - self.sums[:, j]) / self.sizes[:, None]
        known = ~np.any(squares < MIN_SPREAD_SHARE * of_models, axis=0)
        deviations = np.ascontiguousarray(((first - first[0]) + moved).T)  # a row for each pair
        rows = known.tolist(), first[0].tolist(), deviations, np.ascontiguousarray(squares.T)
        for is_known, shift, of_pair, squares_of_pair in zip(*rows, strict=True):
            own = Moments(self.sizes, shift, of_pair, squares_of_pair, self.split_repeat)
            yield own if is_known else None


def _get_diagonals(products: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("kii->ki", products))


def _multiply_blocks(
    rows: Sequence[FloatArray], layout: Layout, about: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the (J, m) sums and (J, m, m) products of the losses minus ``about``, by block."""
    assert layout.starts is not None  # noqa: S101 - the layout has rows
    m = len(rows)
    total = np.empty((layout.n_splits, m + 1, m + 1))
    for at, own in enumerate(about):
        _multiply_block(total[at], list(_split_into_chunks(at, layout, m)), rows, own)
    return total[:, m, :m].copy(), total[:, :m, :m]


def _split_into_chunks(at: int, layout: Layout, n_models: int) -> Iterator[slice | np.ndarray]:
    """Yield the rows of one block in chunks of ``NUMBERS_IN_1_MB`` losses of all models."""
    assert layout.starts is not None  # noqa: S101 - the layout has rows
    start, stop = int(layout.starts[at]), int(layout.starts[at + 1])
    step = max(1, NUMBERS_IN_1_MB // n_models)
    for low in range(start, stop, step):
        rows = slice(low, min(low + step, stop))
        yield rows if layout.order is None else layout.order[rows]


def _multiply_block(
    total: FloatArray,
    parts: Sequence[slice | np.ndarray],
    rows: Sequence[FloatArray],
    about: FloatArray,
) -> None:
    """Write the (m + 1, m + 1) products of one block to ``total``; its last row has the sums.

    With a row of ones added to the losses, one matrix product gives the sums as well, and they are
    exact for whole numbers.
    """
    m = len(rows)
    buffer = np.empty((m + 1, _count_rows(parts[0])))
    buffer[m] = 1.0
    total[:] = 0.0
    for part in parts:
        chunk = buffer[:, : _count_rows(part)]
        for i, losses in enumerate(rows):
            np.subtract(losses[part], about[i], out=chunk[i])
        total += chunk @ chunk.T


def _count_rows(part: slice | np.ndarray) -> int:
    return int(part.stop - part.start) if isinstance(part, slice) else len(part)
