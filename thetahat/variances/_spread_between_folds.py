"""Reasons to rest on the spread between the folds of one partition, and not on single losses."""

from __future__ import annotations

import numpy as np

from thetahat.cautions import FEWEST_FOR_A_TAIL, FOLDS_DIFFER, HEAVY_TAILED_LOSSES, Caution
from thetahat.special_functions import fdtrc
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.skewness import compute_skewness_of_mean
from thetahat.values.types import BlockKind


def check_folds(losses: BlockLosses) -> tuple[Caution, ...]:
    """Return why intervals for the expected loss should rest on fold means; empty if they need not.

    It is also empty where losses of instances are not used for it at all: with clusters, repeats, a
    fold of one instance, or where only fold means are known.
    """
    layout = losses.layout
    if not _is_one_partition(layout) or layout.cluster is not None:
        return ()
    return _test_folds(losses)


def has_heavy_tail(losses: BlockLosses) -> bool:
    """Return whether a few losses of independent instances are so large that intervals suffer.

    Losses of 0 and 1 and their differences never count as heavy-tailed, and fewer than
    ``FEWEST_FOR_A_TAIL`` do not either.
    """
    values = losses.values
    if values is None or losses.layout.n_instances < FEWEST_FOR_A_TAIL:
        return False
    skewness = compute_skewness_of_mean(losses)
    if skewness is None or abs(skewness) < HEAVY_TAILED_LOSSES.threshold:
        return False
    return not ((values == 0) | (np.abs(values) == 1)).all()


def _is_one_partition(layout: Layout) -> bool:
    return (
        layout.kind is BlockKind.RANDOM
        and layout.has_rows
        and layout.n_repeats == 1
        and layout.n_splits >= 2
        and layout.smallest_block >= 2
    )


def _test_folds(losses: BlockLosses) -> tuple[Caution, ...]:
    r"""Return the caution that the folds differ, by the F test of one-way analysis of variance.

    .. math::
        F = \frac{\sum_k M_k (m_k - \bar e)^2 / (K - 1)}{\sum_k (M_k - 1) V_k / (N - K)}

    :math:`m_k, V_k` are mean and variance (ddof 1) of the :math:`M_k` losses of fold k, and
    :math:`\bar e` is the mean of all N.

    Degenerate cases: folds that are each constant, but not all alike, differ; equal losses do not.
    """
    (blocks,) = losses.moments.yield_repeats()
    within = float((blocks.within_variances * (blocks.sizes - 1)).sum())
    between = blocks.total_centred_squares - within
    if between <= blocks.n_losses * losses.rounding_of_means**2:
        return ()
    k, n = blocks.n_blocks, blocks.n_losses
    p = 0.0 if within == 0 else float(fdtrc(k - 1, n - k, between / within * (n - k) / (k - 1)))
    if p >= FOLDS_DIFFER.threshold:
        return ()
    return (FOLDS_DIFFER(losses.layout.words, p=p),)
