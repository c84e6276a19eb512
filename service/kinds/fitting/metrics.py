"""The predictions that metrics are computed from, checked for scores where a metric needs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from service.kinds.fields.metrics import Metrics, check_metrics
from thetahat.analyses.metrics.predictions import judged_from
from thetahat.cross_validation import SplitOutcome
from thetahat.errors import UnsupportedCombination
from thetahat.metrics.base import Judged
from thetahat.tables.data import Data


def check_scores_of(
    metrics: Metrics, outcomes: Sequence[SplitOutcome], data: Data, name: str
) -> None:
    """Refuse the outcomes of a learner without scores where a metric needs them."""
    needing = [entry.name for entry in metrics if entry.method.uses == "scores"]
    if needing and len(outcomes) and judged_from(outcomes, data, name).scores is None:
        raise UnsupportedCombination(
            f"The metric {needing[0]} needs scores, and the learner {name!r} returned none.",
            loc=("metrics",),
        )


def collect_judged(
    metrics: Metrics, data: Data, outcomes: Mapping[str, Sequence[SplitOutcome]]
) -> dict[str, Judged]:
    """Return the predictions of each learner, with rows split by split as in the loss table."""
    if not metrics:
        return {}
    judged = {name: judged_from(of_learner, data, name) for name, of_learner in outcomes.items()}
    without = [name for name, one in judged.items() if one.scores is None]
    check_metrics(metrics, data.task, classes=data.classes)
    for i, entry in enumerate(metrics):
        if entry.method.uses == "scores" and without:
            raise UnsupportedCombination(
                f"{entry.name} needs scores in every split, and learner {without[0]!r} gave none "
                "in at least one of them",
                loc=("metrics", i),
                value=entry.name,
            )
    return judged
