"""Spans of OpenTelemetry; needs the extra ``tracing``, and is only imported by ``tracing``.

All units of an evaluation are in one trace, whose id is the id of the evaluation. The request that
submitted it has a link to that trace. So nothing has to be stored or sent to connect them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final
from uuid import UUID

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import (
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

EVALUATION: Final = "thetahat.evaluation"
"""The attribute with the id of an evaluation."""
LEAST_FAULT_STATUS: Final = 500
FLUSH_MS: Final = 2000  # longest wait for the collector when a process ends
_LOWER_HALF: Final = (1 << 64) - 1


class RequestSpan:
    """The span of an HTTP request, completed when the response is known."""

    def __init__(self, span: Span) -> None:
        self._span = span

    def set_response(self, method: str, route: str, status: int, request_id: str) -> None:
        """Store the status of the response and the id of the request."""
        self._span.update_name(f"{method} {route}")
        self._span.set_attribute("http.request.method", method)
        self._span.set_attribute("http.route", route)
        self._span.set_attribute("thetahat.request_id", request_id)
        self._span.set_attribute("http.response.status_code", status)
        if status >= LEAST_FAULT_STATUS:
            self._span.set_status(Status(StatusCode.ERROR))

    def set_evaluation(self, evaluation_id: UUID) -> None:
        """Link the request to the trace of an evaluation's units."""
        self._span.set_attribute(EVALUATION, str(evaluation_id))
        self._span.add_link(_build_root_span(evaluation_id))


class SpanExporter:
    """Sends the spans of this process to the collector that the environment names."""

    def __init__(self, process_name: str) -> None:
        resource = Resource.create({"service.name": process_name, "process.pid": os.getpid()})
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self._tracer = self._provider.get_tracer("thetahat")

    def shut_down(self) -> None:
        """Send the remaining spans; an unreachable collector delays this only briefly."""
        self._provider.force_flush(FLUSH_MS)
        self._provider.shutdown()

    @contextmanager
    def trace_request(self, method: str, traceparent: str | None) -> Iterator[RequestSpan]:
        """Record the HTTP request that is answered in the block, in the trace of the client."""
        carrier = {} if traceparent is None else {"traceparent": traceparent}
        parent = TraceContextTextMapPropagator().extract(carrier)
        with self._start(method, parent, SpanKind.SERVER) as span:
            yield RequestSpan(span)

    @contextmanager
    def trace_unit(
        self, stage: str, evaluation_id: UUID, attributes: Mapping[str, Any]
    ) -> Iterator[None]:
        """Record the unit of work that is computed in the block, in the evaluation's trace."""
        parent = set_span_in_context(NonRecordingSpan(_build_root_span(evaluation_id)))
        with self._start(f"unit {stage}", parent, SpanKind.CONSUMER) as span:
            span.set_attribute(EVALUATION, str(evaluation_id))
            for name, value in attributes.items():
                if value is not None:
                    span.set_attribute(f"thetahat.{name}", value)
            yield

    @contextmanager
    def _start(self, name: str, parent: Context, kind: SpanKind) -> Iterator[Span]:
        """Start a span that ends with the block.

        An exception marks it as failed; its message, which may hold data, stays out.
        """
        with self._tracer.start_as_current_span(
            name, parent, kind, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield span
            except BaseException as error:
                span.set_status(Status(StatusCode.ERROR, type(error).__name__))
                raise


def _build_root_span(evaluation_id: UUID) -> SpanContext:
    """Return the root of the trace of an evaluation; it is never exported itself."""
    return SpanContext(
        trace_id=evaluation_id.int,
        span_id=(evaluation_id.int & _LOWER_HALF) or 1,
        is_remote=True,
        trace_flags=TraceFlags(TraceFlags.SAMPLED),
    )
