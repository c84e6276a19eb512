"""The metrics that a request names beside its loss, checked before anything is computed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from service.kinds.fields.locations import errors_located_at, located_errors
from service.kinds.fields.method_names import Method
from service.kinds.fields.methods import build_method, method_entry, parse_methods
from thetahat.analyses.losses import Chosen
from thetahat.errors import Loc, UnsupportedCombination
from thetahat.metrics import METRICS
from thetahat.metrics.base import Judged, Metric
from thetahat.values.types import Label

Metrics = tuple[Chosen[Metric], ...]


def parse_metrics(methods: Sequence[Method]) -> Metrics:
    """Build the metrics of a request, their parameters checked."""
    return parse_methods(METRICS, methods, "metrics")


def parse_metric(method: Method, field: str) -> Chosen[Metric]:
    """Build the one metric that a field of a request names."""
    entry = method_entry(method)
    built = build_method(METRICS, entry.name, entry.params, (field,))
    return Chosen(key=entry.as_ or entry.name, name=entry.name, method=built)


def check_metrics(
    metrics: Metrics,
    task: str,
    *,
    classes: tuple[Label, ...] | None = None,
    without_scores: Collection[str] = (),
) -> None:
    """Refuse metrics that ``check_metric`` refuses, with their paths in the field ``metrics``."""
    for i, entry in enumerate(metrics):
        check_metric(entry, task, ("metrics", i), classes=classes, without_scores=without_scores)


def check_metric(
    entry: Chosen[Metric],
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
            f"{entry.name} is for {metric.task}, and the task is {task}; metrics that fit: "
            f"{_list_fitting(task, scores=not without_scores)}",
            loc=loc,
            value=entry.name,
        )
    if metric.uses == "scores" and without_scores:
        names = ", ".join(map(repr, without_scores))
        raise UnsupportedCombination(
            f"{entry.name} needs scores, and there are none of {names}; metrics that fit: "
            f"{_list_fitting(task, scores=False)}",
            loc=loc,
            value=entry.name,
        )
    if classes is not None:
        with located_errors(within=loc):
            metric.check(classes)


def check_scores(metrics: Metrics, judged: Judged, scores_path: Loc) -> None:
    """Refuse scores of a shape that a metric cannot rank by; the first row shows the shape.

    Parameters
    ----------
    scores_path : tuple
        The request's path of the model's scores.
    """
    for entry in metrics:
        if entry.method.uses == "scores":
            with errors_located_at(scores_path):
                entry.method.statistic(judged.rows(slice(0, 1)))


def _list_fitting(task: str, *, scores: bool) -> str:
    names = [
        name
        for name in METRICS
        if METRICS[name].task == task and (scores or METRICS[name].uses != "scores")
    ]
    return ", ".join(names) or "none"
