"""The evaluation of the losses of predictions, with metrics of all predictions together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from thetahat.analyses.losses import Choices, ChosenMethod
from thetahat.analyses.losses.by_group import GroupsOfTable
from thetahat.analyses.losses.evaluation import build_evaluation
from thetahat.analyses.losses.parts import Parts
from thetahat.analyses.losses.refit_estimates import NO_REFIT_ESTIMATES, RefitEstimates
from thetahat.analyses.losses.result import EvaluationResult
from thetahat.analyses.metrics.by_group import add_metrics_to_groups
from thetahat.analyses.metrics.result import compute_metrics
from thetahat.analyses.predictions.losses import PredictionLosses
from thetahat.cautions import BLOCKS_ASSUMED_RANDOM
from thetahat.metrics.base import Metric
from thetahat.tables.labels import find_similar_blocks, find_similar_labels

if TYPE_CHECKING:
    from thetahat.analyses.losses.costs import CostsOfTable

E = TypeVar("E", bound=EvaluationResult)


def evaluate_prediction_losses(  # noqa: PLR0913 - one argument for each part of the result
    build: Callable[..., E],
    losses: PredictionLosses,
    choices: Choices,
    metrics: Sequence[ChosenMethod[Metric]],
    seed: int,
    *,
    names_blocks: bool,
    refits: RefitEstimates = NO_REFIT_ESTIMATES,
    groups: GroupsOfTable | None = None,
    costs: CostsOfTable | None = None,
) -> E:
    """Evaluate the losses together with the metrics.

    Parameters
    ----------
    build : callable
        Makes the result from the fields of ``EvaluationResult``.
    names_blocks : bool
        Whether it was said what a block is; else there is a caution.
    refits : RefitEstimates
        Estimates from extra fits, by model and by pair.
    groups : GroupsOfTable or None
        Groups of the rows, by which losses and metrics are described.
    costs : CostsOfTable or None
        What the models cost.
    """
    table = losses.table
    parts = Parts(
        refits=refits,
        make_metrics=partial(
            compute_metrics, metrics, losses.judged, table.layout, table.names, seed=seed
        ),
        groups=add_metrics_to_groups(groups, metrics, losses.judged, table.layout),
        costs=costs,
        probabilities=losses.probabilities,
        cautions=(
            *losses.cautions,
            *([] if names_blocks else [BLOCKS_ASSUMED_RANDOM()]),
            *find_similar_labels(losses.classes, "labels"),
            *find_similar_blocks(table.layout),
        ),
    )
    return build_evaluation(build, table, choices, seed, parts)
