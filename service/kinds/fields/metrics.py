"""Metrics that a request asks for beside its loss: checked early, and put into the result."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from service.kinds.fields.methods import MethodEntry, build, chosen, entry_of
from service.kinds.fields.methods_used import method_used
from thetahat.analyses.losses import Chosen
from thetahat.errors import EvaluationError, Loc, UnsupportedCombination
from thetahat.metrics import METRICS
from thetahat.metrics.base import Judged, Metric
from thetahat.values.types import Label

Metrics = tuple[Chosen[Metric], ...]


def metrics_of(methods: Sequence[str | MethodEntry]) -> Metrics:
    """Build the metrics of a request, their parameters checked."""
    return chosen(METRICS, methods, "metrics") or ()


def metric_of(method: str | MethodEntry, field: str) -> Chosen[Metric]:
    """Build the one metric that a field of a request names."""
    entry = entry_of(method)
    built = build(METRICS, entry.name, entry.params, (field,))
    return Chosen(key=entry.as_ or entry.name, name=entry.name, method=built)


def check_metrics(
    metrics: Metrics,
    task: str,
    *,
    classes: tuple[Label, ...] | None = None,
    without_scores: Collection[str] = (),
) -> None:
    """Refuse metrics of the other task, without the scores they need, or of a class not there.

    Parameters
    ----------
    task : str
        ``classification`` or ``regression``.
    classes : tuple of label or None
        None where they are not known yet.
    without_scores : collection of str
        Models, or learners, that give no scores.

    Raises
    ------
    UnsupportedCombination
        The message names the metrics that fit.
    InvalidParameter
        A positive class that is not there.
    """
    for i, entry in enumerate(metrics):
        metric, loc = entry.method, ("metrics", i)
        if metric.task != task:
            raise UnsupportedCombination(
                f"{entry.name} is for {metric.task}, and the task is {task}; metrics that fit: "
                f"{_fitting(task, scores=not without_scores)}",
                loc=loc,
                value=entry.name,
            )
        if metric.uses == "scores" and without_scores:
            raise UnsupportedCombination(
                f"{entry.name} needs scores, and there are none of "
                f"{', '.join(map(repr, without_scores))}; metrics that fit: "
                f"{_fitting(task, scores=False)}",
                loc=loc,
                value=entry.name,
            )
        if classes is not None:
            try:
                metric.check(classes)
            except EvaluationError as error:
                error.loc = (*loc, *error.loc)
                raise


def check_scores(metrics: Metrics, judged: Judged, loc: Loc) -> None:
    """Refuse scores of a shape that a metric cannot rank by; one row tells.

    Parameters
    ----------
    loc : tuple
        Where the request has the model's scores.
    """
    for entry in metrics:
        if entry.method.uses == "scores":
            try:
                entry.method.statistic(judged.rows(slice(0, 1)))
            except EvaluationError as error:
                error.loc = loc
                raise


def metrics_used(metrics: Metrics) -> list[dict[str, Any]]:
    """Return the metrics as records for the provenance."""
    return [method_used("metrics", entry.name, entry.method, entry.key) for entry in metrics]


def _fitting(task: str, *, scores: bool) -> str:
    names = [
        name
        for name in METRICS
        if METRICS[name].task == task and (scores or METRICS[name].uses != "scores")
    ]
    return ", ".join(names) or "none"
