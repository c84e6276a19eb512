"""Spans of requests and units arrive at a collector, and without one nothing is imported."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.service.supervisor.processes import serving
from thetahat_service.process import tracing
from thetahat_service.settings import InvalidSettings

CLIENT_TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


class Collector:
    """The spans that were received, each with the name of the process that sent it."""

    def __init__(self) -> None:
        self.spans: list[tuple[str, Any]] = []

    def receive(self, body: bytes) -> None:
        request = ExportTraceServiceRequest.FromString(body)
        for resource in request.resource_spans:
            names = {a.key: a.value.string_value for a in resource.resource.attributes}
            for scope in resource.scope_spans:
                self.spans += [(names["service.name"], span) for span in scope.spans]

    def find(self, process: str, name: str) -> list[Any]:
        return [span for sender, span in self.spans if sender == process and span.name == name]


@contextmanager
def collecting() -> Iterator[tuple[str, Collector]]:
    """Run a collector on loopback; yields its address and what it received."""
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            collector.receive(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", collector
        finally:
            server.shutdown()


def attributes(span: Any) -> dict[str, Any]:
    return {a.key: a.value.string_value or a.value.int_value for a in span.attributes}


@pytest.mark.usefixtures("nothing_loaded_ahead")
def test_exact_a_request_and_its_units_are_linked_by_the_evaluation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with collecting() as (address, collector):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
        monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "100")
        with serving(tmp_path / "data", tmp_path / "log", workers=1) as service:
            base = service.wait_for(r"answers at (http://\S+)").group(1)
            with httpx.Client(base_url=base, timeout=60) as client:
                posted = client.post(
                    "/v1/evaluations",
                    json={"kind": "sleeping", "n_chunks": 2},
                    headers={
                        "Prefer": "wait=60",
                        "traceparent": f"00-{CLIENT_TRACE}-00f067aa0ba902b7-01",
                    },
                )
                path = posted.headers["location"]
                deadline = time.monotonic() + 60
                while client.get(path).json()["status"] != "succeeded":
                    assert time.monotonic() < deadline
                    time.sleep(0.05)
                assert client.get("/v1/evaluations/none").status_code in {404, 422}
            service.stop()
    evaluation_id = UUID(path.rpartition("/")[2])

    (submitted,) = collector.find("thetahat-api", "POST /v1/evaluations")
    assert submitted.trace_id.hex() == CLIENT_TRACE
    assert attributes(submitted)["thetahat.evaluation"] == str(evaluation_id)
    assert attributes(submitted)["thetahat.request_id"] == posted.headers["x-request-id"]
    assert attributes(submitted)["http.response.status_code"] == posted.status_code
    assert [link.trace_id for link in submitted.links] == [evaluation_id.bytes]

    units = [
        s
        for name in ("start", "chunk", "gather")
        for s in collector.find("thetahat-worker", f"unit {name}")
    ]
    assert sorted(attributes(unit)["thetahat.unit"] for unit in units) == [0, 1, 2, 3]
    assert {unit.trace_id for unit in units} == {evaluation_id.bytes}
    assert {attributes(unit)["thetahat.evaluation"] for unit in units} == {str(evaluation_id)}
    names = {span.name for _, span in collector.spans}
    assert not any(str(evaluation_id) in name for name in names)


def test_exact_nothing_is_imported_without_a_collector() -> None:
    # FastAPI and redis import the interface, opentelemetry-api, by themselves
    script = (
        "import sys, thetahat_service.api.app, thetahat_worker.app\n"
        "from thetahat_service.process import tracing\n"
        "tracing.configure('x')\n"
        "with tracing.trace_request('GET', None) as span: assert span is None\n"
        "ours = 'opentelemetry.sdk', 'opentelemetry.exporter', 'thetahat_service.process.spans'\n"
        "print([name for name in sys.modules if name.startswith(ours)])"
    )
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OTEL_")}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout == "[]\n"


def test_invalid_a_collector_without_the_packages_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setattr(tracing, "find_spec", lambda _: None)
    with pytest.raises(InvalidSettings, match=r"thetahat\[tracing\]"):
        tracing.configure("x")
