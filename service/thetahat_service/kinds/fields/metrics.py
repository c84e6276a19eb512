"""Building the metrics that a request names beside its loss."""

from __future__ import annotations

from collections.abc import Sequence

from thetahat.analyses.losses import ChosenMethod
from thetahat.metrics import METRICS
from thetahat.metrics.base import Metric
from thetahat_service.kinds.fields.method_names import Method
from thetahat_service.kinds.fields.methods import build_method, make_method_entry, parse_methods

Metrics = tuple[ChosenMethod[Metric], ...]


def parse_metrics(methods: Sequence[Method]) -> Metrics:
    """Build the metrics of a request, their parameters checked."""
    return parse_methods(METRICS, methods, "metrics")


def parse_metric(method: Method, field: str) -> ChosenMethod[Metric]:
    """Build the one metric that a field of a request names."""
    entry = make_method_entry(method)
    built = build_method(METRICS, entry.name, entry.params, (field,))
    return ChosenMethod(key=entry.as_ or entry.name, name=entry.name, method=built)
