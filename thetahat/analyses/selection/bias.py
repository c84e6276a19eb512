"""How much too good the internal value of the chosen candidate is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from thetahat.analyses.losses import Choices, evaluate
from thetahat.analyses.losses.recommendation import DEFAULT_TARGET
from thetahat.analyses.losses.result_parts import ResultPart
from thetahat.analyses.selection.criterion import Criterion
from thetahat.analyses.selection.external_choices import SELECTED, ExternalChoices
from thetahat.analyses.selection.internal_estimates import InternalEstimate
from thetahat.analyses.selection.result import SelectionBias
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.types import FloatArray

_GAP: Final = "gap"


def estimate_bias(  # noqa: PLR0913 - the losses, the choice, and how it was made
    table: LossTable,
    external: ExternalChoices | None,
    internal: Mapping[str, InternalEstimate],
    chosen: str,
    criterion: Criterion,
    choices: Choices,
    seed: int,
) -> SelectionBias:
    """Return how much too small the internal error of the chosen candidate is.

    With external splits it is external minus internal error, with intervals, and with the part of
    it that would remain without a choice. Without them it is estimated from the best candidate of
    each internal split. For a metric it is the mean over the external splits, without an interval:
    a metric is no average over rows.

    Parameters
    ----------
    table : LossTable
        With the external losses of the procedure, if there are external splits.
    external : ExternalChoices or None
        The choices inside the external training parts.
    internal : mapping of str to InternalEstimate
        The estimates that the last choice rests on.
    chosen : str
        Name of the candidate that is chosen in the end.
    """
    bias = SelectionBias(
        estimate=None,
        interval=None,
        without_choice=None,
        of_choice=None,
        of_minima=estimate_bias_of_minimum(
            internal, chosen, higher_is_better=criterion.higher_is_better
        ),
        variances={},
        intervals=(),
    )
    if external is None:
        return bias
    without_choice, of_choice = external.divide_gap() or (None, None)
    bias = replace(
        bias,
        estimate=external.compute_mean_gap(),
        without_choice=without_choice,
        of_choice=of_choice,
    )
    if criterion.metric is not None:
        return bias
    gap = subtract_internal(table.models[SELECTED], external.internal)
    kept = [entry for entry in choices.intervals or () if not entry.method.info.only_zero_one]
    gap_choices = replace(
        choices,
        intervals=tuple(kept) or None,  # a gap is no share, also where losses are 0 and 1
        tests=(),
        omnibus=(),
        control=None,
        gate=None,
        clip=False,
        include=(ResultPart.INTERVALS, ResultPart.VARIANCES),
    )
    evaluation = evaluate(LossTable(table.layout, {_GAP: gap}), gap_choices, seed)
    model = evaluation.models[_GAP]
    first = DEFAULT_TARGET[table.layout.kind]
    recommended = [interval for interval in model.intervals or () if interval.recommended]
    recommended.sort(key=lambda interval: interval.target != first)
    return replace(
        bias,
        estimate=model.mean.macro,
        interval=recommended[0] if recommended else None,
        variances=model.variances or {},
        intervals=model.intervals or (),
    )


def estimate_bias_of_minimum(
    estimates: Mapping[str, InternalEstimate], chosen: str, *, higher_is_better: bool = False
) -> float | None:
    r"""Estimate how much the smallest of several cross-validation errors is too small.

    .. math:: \widehat{\text{bias}} = \frac1K \sum_k \bigl[e_k(\hat c) - e_k(\hat c_k)\bigr]

    with :math:`e_k(c)` the mean loss of candidate c on fold k, :math:`\hat c` the chosen one and
    :math:`\hat c_k` the best on fold k alone. It needs no fits beside those of the selection.

    Parameters
    ----------
    estimates : mapping of str to InternalEstimate
        Of all candidates, over the same splits.
    chosen : str
        Name of the chosen candidate.

    Returns
    -------
    float or None
        Not negative, in units of the loss; to be added to the internal error of the chosen
        candidate, or subtracted from a metric of which higher is better. None for one split, and
        where the values of the splits do not determine it: some are undefined, or the metric is
        computed over the rows of all splits.

    Assumptions: the folds are large, so that choosing on one fold overfits that fold as much as
    choosing on all overfits all. It is too large for many candidates or small folds, and has no
    meaning for leave-one-out.

    Source: tibshirani2009.
    """
    means = np.array([estimate.means for estimate in estimates.values()])
    is_pooled = any(estimate.pooled is not None for estimate in estimates.values())
    if means.shape[1] < 2 or is_pooled or np.isnan(means).any():
        return None
    means = -means if higher_is_better else means
    row = list(estimates).index(chosen)
    return float((means[row] - means.min(axis=0)).mean())


def subtract_internal(selected: BlockLosses, internal: FloatArray) -> BlockLosses:
    """Return the external losses minus the internal error that the choice rested on.

    Their mean is the optimism of choosing by the smallest internal error, minus what the internal
    models lose by learning from fewer rows. ``selected`` are the external losses of the procedure,
    split by split, and ``internal`` the (J,) internal errors of the chosen candidates in the
    external splits.
    """
    return BlockLosses(
        selected.layout, values=selected.rows - internal[selected.layout.get_split_of_row()]
    )
