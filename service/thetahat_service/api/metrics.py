"""The numbers that ``/metrics`` shows, in the format of Prometheus.

Totals of workers and of all API processes come from the database. Requests are counted by the
process that answers them, so several API processes are scraped one by one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector
from starlette.types import Scope

import thetahat
from thetahat_service.process.counters import SECONDS_BOUNDS, CounterKey
from thetahat_service.settings import get_settings
from thetahat_service.storage import counters
from thetahat_service.storage.queue_state import read_queue_state

HISTOGRAMS: Final = {
    "evaluation_seconds": "Seconds from submission to the end, by kind and final status.",
    "unit_seconds": "Seconds that a unit of work was computed, by stage.",
}
COUNTERS: Final = {
    "unit_retries": "Units of work that were queued again after a fault of the infrastructure.",
    "units_lost": "Units of work whose worker was lost.",
    "webhook_deliveries": "Attempts at deliveries to webhooks, by the state that followed.",
}
UNKNOWN_ROUTE: Final = "unknown"
HTTP_BOUNDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)

_REQUESTS: Final = CollectorRegistry()
_HTTP_SECONDS: Final = Histogram(
    "http_request_seconds",
    "Seconds until a request was answered, by method, path and status; long polls included.",
    ("method", "path", "status"),
    namespace="thetahat",
    registry=_REQUESTS,
    buckets=HTTP_BOUNDS,
)


def observe_request(scope: Scope, status: int | None, seconds: float) -> None:
    """Count an answered request; without a status, the client had gone before the answer."""
    _HTTP_SECONDS.labels(scope["method"], find_route_path(scope), str(status or 499)).observe(
        seconds
    )


def find_route_path(scope: Scope) -> str:
    """Return the path of the route that answers a request, with its parameters by name."""
    return getattr(scope.get("route"), "path", UNKNOWN_ROUTE)


def render_metrics() -> bytes:
    """Return all metrics as text; reads the database."""
    counters.store()
    stored = CollectorRegistry()
    stored.register(_StoredMetrics())
    return generate_latest(_REQUESTS) + generate_latest(stored)


class _StoredMetrics(Collector):
    """Reads the metrics that are the same for all processes."""

    def collect(self) -> Iterator[Metric]:
        """Yield each metric with its values."""
        yield GaugeMetricFamily("thetahat_up", "1 if the database answers.", 1)
        build = GaugeMetricFamily("thetahat_build", "The release.", labels=["version"])
        build.add_metric([thetahat.__version__], 1)
        yield build
        yield from _queue_metrics()
        totals = counters.read()
        for name, text in HISTOGRAMS.items():
            yield _format_histogram(name, text, totals)
        for name, text in COUNTERS.items():
            yield _format_counter(name, text, totals)


def _queue_metrics() -> Iterator[Metric]:
    """Yield the numbers of waiting evaluations and units, and of workers."""
    state = read_queue_state(get_settings().lease_s)
    evaluations = GaugeMetricFamily(
        "thetahat_evaluations_unfinished", "Unfinished evaluations.", labels=["kind", "status"]
    )
    for (kind, status), number in sorted(state.evaluations.items()):
        evaluations.add_metric([kind, status], number)
    yield evaluations
    units = GaugeMetricFamily("thetahat_units", "Units of work by state.", labels=["state"])
    for name in ("queued", "running"):
        units.add_metric([name], state.units.get(name, 0))
    yield units
    yield GaugeMetricFamily(
        "thetahat_queue_age_seconds",
        "Seconds since the oldest evaluation was submitted that no worker has begun.",
        state.oldest_s,
    )
    yield GaugeMetricFamily(
        "thetahat_workers", "Worker processes with a recent heartbeat.", state.workers
    )


def _format_histogram(name: str, text: str, totals: dict[CounterKey, float]) -> Metric:
    """Return the durations of one name as a histogram."""
    classes: dict[tuple[tuple[str, str], ...], dict[str, float]] = defaultdict(dict)
    sums: dict[tuple[tuple[str, str], ...], float] = {}
    for (stored, labels), value in totals.items():
        if stored == f"{name}_sum":
            sums[labels] = value
        elif stored == f"{name}_bucket":
            labels_without_bound = tuple(pair for pair in labels if pair[0] != "le")
            classes[labels_without_bound][dict(labels)["le"]] = value
    names = sorted({key for labels in classes for key, _ in labels})
    family = HistogramMetricFamily(f"thetahat_{name}", text, labels=names)
    for labels, counts in sorted(classes.items()):
        total, buckets = 0.0, []
        for bound in [*(str(bound) for bound in SECONDS_BOUNDS), "+Inf"]:
            total += counts.get(bound, 0.0)
            buckets.append((bound, total))
        values = dict(labels)
        family.add_metric([values[key] for key in names], buckets, sums.get(labels, 0.0))
    return family


def _format_counter(name: str, text: str, totals: dict[CounterKey, float]) -> Metric:
    """Return the totals of one name as a counter."""
    rows = {labels: value for (stored, labels), value in totals.items() if stored == name}
    names = sorted({key for labels in rows for key, _ in labels})
    family = CounterMetricFamily(f"thetahat_{name}", text, labels=names)
    for labels, value in sorted(rows.items()):
        family.add_metric([dict(labels)[key] for key in names], value)
    if not rows:
        family.add_metric([], 0.0)
    return family
