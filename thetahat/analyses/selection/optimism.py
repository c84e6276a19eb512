"""How much too small the internal estimate of a winner is."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from thetahat.analyses.selection.internal import InternalEstimate
from thetahat.values.block_losses import BlockLosses
from thetahat.values.types import FloatArray


def bias_of_least(
    estimates: Mapping[str, InternalEstimate], chosen: str, *, higher_is_better: bool = False
) -> float | None:
    r"""Estimate how much the least of several cross-validation errors is too small.

    .. math:: \widehat{\text{bias}} = \frac1K \sum_k \bigl[e_k(\hat c) - e_k(\hat c_k)\bigr]

    with :math:`e_k(c)` the mean loss of candidate c on fold k, :math:`\hat c` the chosen one and
    :math:`\hat c_k` the best on fold k alone. It needs no fits beside those of the selection.

    Parameters
    ----------
    estimates : mapping of str to InternalEstimate
        Of all candidates, over the same splits.
    chosen : str
        Name of the chosen one.

    Returns
    -------
    float or None
        Not negative, in units of the loss; to be added to the chosen one's internal error, or
        taken from a metric that is better the higher it is. None for one split, and where the
        splits' own values do not make the estimate: some have none, or their rows are pooled.

    Assumptions: the folds are large: choosing on one fold overfits that fold as choosing on all
    overfits all. It overestimates for many candidates or small folds, and for leave-one-out it
    has no meaning.

    Source: tibshirani2009.
    """
    table = np.array([estimate.means for estimate in estimates.values()])
    pooled = any(estimate.pooled is not None for estimate in estimates.values())
    if table.shape[1] < 2 or pooled or np.isnan(table).any():
        return None
    table = -table if higher_is_better else table
    at = list(estimates).index(chosen)
    return float((table[at] - table.min(axis=0)).mean())


def gap_of(selected: BlockLosses, internal: FloatArray) -> BlockLosses:
    """Return the external losses minus the internal error that the choice rested on.

    Its mean is what the internal minimum leaves out: the optimism of choosing by it, plus what
    the internal models lose by learning from fewer rows, which makes it smaller.

    Parameters
    ----------
    selected : BlockLosses
        External losses of the procedure, split by split.
    internal : ndarray of float
        (J,) internal error of the chosen candidate in each external split.
    """
    return BlockLosses(
        selected.layout, values=selected.rows - internal[selected.layout.split_of_row()]
    )
