"""Traces for OpenTelemetry: a span for each HTTP request and each unit of work.

Its SDK and exporter are imported only if ``OTEL_EXPORTER_OTLP_ENDPOINT`` is set.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final
from uuid import UUID

from thetahat_service.settings import InvalidSettings

if TYPE_CHECKING:
    from thetahat_service.process.spans import RequestSpan, SpanExporter

VARIABLES: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


class _Process:
    """The exporter of this process; None while tracing is not configured."""

    exporter: SpanExporter | None = None


def is_configured() -> bool:
    """Return whether the environment names a collector."""
    return any(os.environ.get(name) for name in VARIABLES)


def configure(process_name: str) -> None:
    """Export the spans of this process if a collector is named; call this after a fork.

    Raises ``InvalidSettings`` if the packages are not installed.
    """
    if not is_configured():
        return
    if find_spec("opentelemetry") is None or find_spec("opentelemetry.sdk") is None:
        raise InvalidSettings(
            f"{VARIABLES[0]} needs the package opentelemetry-sdk (pip install 'thetahat[tracing]')."
        )
    from thetahat_service.process.spans import SpanExporter  # noqa: PLC0415 - optional packages

    _Process.exporter = SpanExporter(process_name)


def shut_down() -> None:
    """Send the remaining spans before the process ends."""
    if _Process.exporter is not None:
        _Process.exporter.shut_down()
        _Process.exporter = None


def trace_request(
    method: str, traceparent: str | None
) -> AbstractContextManager[RequestSpan | None]:
    """Record the HTTP request that is answered in the block; None if nothing is recorded.

    ``traceparent`` is the client's header of that name, whose trace is continued.
    """
    exporter = _Process.exporter
    return nullcontext() if exporter is None else exporter.trace_request(method, traceparent)


def trace_unit(
    stage: str, evaluation_id: UUID, attributes: Mapping[str, object]
) -> AbstractContextManager[None]:
    """Record the unit of work that is computed in the block."""
    exporter = _Process.exporter
    if exporter is None:
        return nullcontext()
    return exporter.trace_unit(stage, evaluation_id, attributes)
