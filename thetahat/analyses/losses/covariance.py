r"""Second moments of every pair of blocks, for the picture of block moments.

.. math::
    w_k = m_k^2 - V_k / M_k, \qquad g_{kl} = m_k m_l

with :math:`m_k` the block means: the average over ordered pairs of two instances of block k, and
of an instance of block k with one of block l. Off the diagonal they are products of the means: one
data set holds no covariances.

Source: geras2013 (Figure 1).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.analyses.losses.optional_results import BlockCovariance, SecondMoments
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.moments import BlockMoments
from thetahat.values.types import BlockKind

MAX_BLOCKS: Final = 200
"""Largest number of blocks for which second moments are part of the result."""

MAX_ENTRIES: Final = 500_000
"""Largest number of entries over all models, because a result is read as a whole."""


def compute_covariance(table: LossTable) -> BlockCovariance:
    """Return the second moments of every model's block means, or the reason to leave them out.

    With several repeats those of the first are shown. An undefined entry (a block of one instance,
    split means only) is NaN.
    """
    reason = _explain_omission(table)
    if reason is not None:
        return BlockCovariance(models={}, reason=reason)
    return BlockCovariance(
        models={name: _compute_second_moments(losses) for name, losses in table.models.items()},
        repeat=None if table.layout.n_repeats == 1 else 0,
    )


def _explain_omission(table: LossTable) -> str | None:
    layout, blocks = table.layout, table.layout.words.blocks
    first = int((layout.split_repeat == 0).sum())
    if layout.kind is BlockKind.HOLDOUT:
        return "a holdout is one block"
    if layout.kind is BlockKind.SUBSAMPLES:
        return "the test parts of subsamples may hold the same instances"
    if first > MAX_BLOCKS:
        return f"{first} {blocks} are more than the {MAX_BLOCKS} that are shown"
    if len(table.models) * first**2 > MAX_ENTRIES:
        return f"{len(table.models)} models of {first} {blocks} are more than a result can show"
    return None


def _compute_second_moments(losses: BlockLosses) -> SecondMoments:
    layout = losses.layout
    blocks = next(losses.moments.yield_repeats())
    within = _compute_within_variances(blocks)
    means = blocks.means
    moments = np.outer(means, means)
    np.fill_diagonal(moments, means**2 - within / blocks.sizes)
    codes = layout.split_block[layout.split_repeat == 0]
    return SecondMoments(
        blocks=tuple(layout.block_labels[code] for code in codes.tolist()),
        mean=means,
        within_variance=within,
        moments=moments,
    )


def _compute_within_variances(blocks: BlockMoments) -> np.ndarray:
    """Return (K,) V_k; NaN where it is undefined."""
    within = np.full(blocks.n_blocks, np.nan)
    if blocks.centred_squares is not None:
        several = blocks.sizes > 1
        within[several] = blocks.centred_squares[several] / (blocks.sizes[several] - 1)
    return within
