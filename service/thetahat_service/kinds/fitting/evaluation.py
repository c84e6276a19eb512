"""The evaluation of learners from the outputs of their chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from thetahat.analyses.cross_validation import EvaluatedOutcomes, OutcomesTask
from thetahat.analyses.cross_validation import evaluate_outcomes as evaluate
from thetahat.analyses.losses import Choices
from thetahat.cross_validation import SplitOutcome
from thetahat.losses.base import Loss
from thetahat.tables.data import Data
from thetahat.values.types import BlockKind
from thetahat_service.kinds.fields.metrics import Metrics
from thetahat_service.kinds.fitting.refits import NO_REFITS, Refits, StageArrays, read_refits


def evaluate_outcomes(  # noqa: PLR0913 - the fields of OutcomesTask, and the extra fits
    outcomes: Mapping[str, Sequence[SplitOutcome]],
    data: Data,
    block_kind: BlockKind,
    loss: Loss,
    choices: Choices,
    metrics: Metrics,
    seed: int,
    *,
    requested: Sequence[str],
    refits: Refits = NO_REFITS,
    refit_arrays: Mapping[str, StageArrays] | None = None,
) -> EvaluatedOutcomes:
    """Evaluate the losses of some learners, and their metrics and extra fits.

    Parameters
    ----------
    outcomes : mapping of str to sequence of SplitOutcome
        By model, over the same splits.
    requested : sequence of str
        The models that the request names; some of them may have no outcomes.
    refit_arrays : mapping or None
        By model, the arrays of the extra fits.
    """
    task = OutcomesTask(
        data=data,
        block_kind=block_kind,
        loss=loss,
        choices=choices,
        metrics=metrics,
        seed=seed,
        requested=requested,
    )
    return evaluate(task, outcomes, read_refits(refits, data, seed, refit_arrays or {}))
