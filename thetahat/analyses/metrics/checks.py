"""Checks that metrics fit the task, the classes and the predictions, before they are computed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from thetahat.analyses.losses import ChosenMethod
from thetahat.analyses.metrics.predictions import collect_predictions
from thetahat.cross_validation import SplitOutcome
from thetahat.error_paths import errors_located_at, located_errors
from thetahat.errors import Loc, UnsupportedCombination
from thetahat.metrics import METRICS
from thetahat.metrics.base import Metric, TruthAndPredictions
from thetahat.tables.data import Data
from thetahat.values.types import Label


def check_metrics(
    metrics: Sequence[ChosenMethod[Metric]],
    task: str,
    *,
    classes: tuple[Label, ...] | None = None,
    without_scores: Collection[str] = (),
) -> None:
    """Refuse metrics that ``check_metric`` refuses, with their paths in the field ``metrics``."""
    for i, entry in enumerate(metrics):
        check_metric(entry, task, ("metrics", i), classes=classes, without_scores=without_scores)


def check_metric(
    entry: ChosenMethod[Metric],
    task: str,
    loc: Loc,
    *,
    classes: tuple[Label, ...] | None = None,
    without_scores: Collection[str] = (),
) -> None:
    """Refuse a metric of the other task, one without scores, and an unknown positive class.

    Parameters
    ----------
    task : str
        ``classification`` or ``regression``.
    loc : tuple
        Path of the metric in the request.
    classes : tuple of label or None
        None where they are not known yet.
    without_scores : collection of str
        Names of the models, or learners, that have no scores.

    Raises
    ------
    UnsupportedCombination
        The message names the metrics that fit.
    InvalidParameter
        A positive class that does not occur.
    """
    metric = entry.method
    if metric.task != task:
        raise UnsupportedCombination(
            f"The metric {entry.name} is for {metric.task}, and the task is {task}. Metrics that "
            f"fit: {_list_fitting(task, scores=not without_scores)}.",
            loc=loc,
            value=entry.name,
        )
    if metric.uses == "scores" and without_scores:
        names = ", ".join(map(repr, without_scores))
        raise UnsupportedCombination(
            f"The metric {entry.name} needs scores, and there are none of {names}. Metrics that "
            f"fit: {_list_fitting(task, scores=False)}.",
            loc=loc,
            value=entry.name,
        )
    if classes is not None:
        with located_errors(within=loc):
            metric.check(classes)


def check_scores(
    metrics: Sequence[ChosenMethod[Metric]], outcomes: Sequence[SplitOutcome], data: Data, name: str
) -> None:
    """Refuse the outcomes of a learner without scores where a metric needs them."""
    needing = [entry.name for entry in metrics if entry.method.uses == "scores"]
    if needing and len(outcomes) and collect_predictions(outcomes, data, name).scores is None:
        raise UnsupportedCombination(
            f"The metric {needing[0]} needs scores, and the learner {name!r} returned none.",
            loc=("metrics",),
        )


def check_shape_of_scores(
    metrics: Sequence[ChosenMethod[Metric]], judged: TruthAndPredictions, loc: Loc
) -> None:
    """Refuse scores whose shape a metric cannot use; the first row shows the shape.

    ``loc`` is the request's path of the model's scores.
    """
    for entry in metrics:
        if entry.method.uses == "scores":
            with errors_located_at(loc):
                entry.method.statistic(judged.rows(slice(0, 1)))


def collect_judged(
    metrics: Sequence[ChosenMethod[Metric]],
    data: Data,
    outcomes: Mapping[str, Sequence[SplitOutcome]],
) -> dict[str, TruthAndPredictions]:
    """Return the predictions of each learner, with rows split by split as in the loss table."""
    if not metrics:
        return {}
    judged = {
        name: collect_predictions(of_learner, data, name) for name, of_learner in outcomes.items()
    }
    without = [name for name, of_learner in judged.items() if of_learner.scores is None]
    check_metrics(metrics, data.task, classes=data.classes)
    for i, entry in enumerate(metrics):
        if entry.method.uses == "scores" and without:
            raise UnsupportedCombination(
                f"The metric {entry.name} needs scores in every split, and the learner "
                f"{without[0]!r} returned none in at least one split.",
                loc=("metrics", i),
                value=entry.name,
            )
    return judged


def _list_fitting(task: str, *, scores: bool) -> str:
    names = [
        name
        for name in METRICS
        if METRICS[name].task == task and (scores or METRICS[name].uses != "scores")
    ]
    return ", ".join(names) or "none"
