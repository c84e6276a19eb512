"""Several API processes and 2 to 16 workers on one PostgreSQL, and the memory of each process.

``python -m benchmarks.processes`` starts PostgreSQL, Redis, API processes and workers as on a
cluster, all on this machine, and prints three tables for ``docs/scale.md``. The rates are what so
many processes reach on the cores that they share with the database and the client.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final

import httpx
import numpy as np
import orjson
import pyarrow as pa

from benchmarks.service_load import build_request, send_requests
from benchmarks.tasks.service import build_losses_request, cancel_queued, draw_forest_request
from tests.servers.postgres import DURABLE, fresh_database, postgres_server
from tests.servers.processes import free_port
from tests.servers.redis import redis_server

API_PROCESSES: Final = (1, 2, 3)
WORKER_PROCESSES: Final = (2, 4, 8, 16)
REQUESTS: Final = 1500
SMALL_EVALUATIONS: Final = 600
TREES: Final = 60
MANY_LOSSES: Final = 10**7
UNTIL_IDLE_S: Final = 25.0
"""Time in which workers import what they may need while they have nothing to do."""
UNTIL_READY_S: Final = 120.0
JSON: Final = {"Content-Type": "application/json"}


@contextlib.contextmanager
def run_cluster(n_apis: int, n_workers: int) -> Iterator[tuple[list[int], Callable[[], Memory]]]:
    """Run API processes and workers; the value is the ports and a function that reads memory."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        server = stack.enter_context(postgres_server(DURABLE))
        environment = {
            **os.environ,
            "THETAHAT_DATABASE_URL": stack.enter_context(fresh_database(server)),
            "THETAHAT_BROKER_URL": f"{stack.enter_context(redis_server())}/0",
            "THETAHAT_FILES_URL": (folder / "files").as_uri(),
            "THETAHAT_DATA_DIR": str(folder / "data"),
            "THETAHAT_WORKERS": str(n_workers),
            "THETAHAT_MAX_UNFINISHED": "1000000",
        }
        _start("migrate", environment=environment).wait(UNTIL_READY_S)
        ports = [free_port() for _ in range(n_apis)]
        apis = [
            stack.enter_context(_run("api", "--port", str(port), environment=environment))
            for port in ports
        ]
        workers = stack.enter_context(_run("worker", environment=environment))
        for port in ports:
            _wait_until_ready(port)
        yield ports, lambda: read_memory([api.pid for api in apis], workers.pid)


Memory = Mapping[str, list[float]]
"""MiB of each process by kind: ``API`` and ``worker``. A page that n processes share counts 1/n."""


def _start(*words: str, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "thetahat_service.cli", *words]
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)


@contextlib.contextmanager
def _run(*words: str, environment: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command of the service until the block ends."""
    process = _start(*words, environment=environment)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)


def _wait_until_ready(port: int) -> None:
    until = time.monotonic() + UNTIL_READY_S
    while time.monotonic() < until:
        with contextlib.suppress(httpx.HTTPError):
            if httpx.get(f"http://127.0.0.1:{port}/readyz").status_code == httpx.codes.OK:
                return
        time.sleep(0.1)
    message = f"The API on port {port} did not become ready."
    raise RuntimeError(message)


def read_memory(apis: Sequence[int], workers: int) -> Memory:
    """Return the memory of API processes and of the processes that the worker command forks."""
    return {
        "API": [_read_mib(pid) for pid in apis],
        "worker": [_read_mib(pid) for pid in _list_leaves(workers)],
    }


def _read_mib(pid: int) -> float:
    """Return the memory of a process, in which a page that n processes share counts 1/n."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0


def _list_leaves(pid: int) -> list[int]:
    """Return the descendants of a process that have no children: the processes that compute."""
    children = [
        int(child)
        for task in Path(f"/proc/{pid}/task").iterdir()
        for child in (task / "children").read_text().split()
    ]
    return [leaf for child in children for leaf in _list_leaves(child)] if children else [pid]


def measure_apis() -> Iterator[str]:
    """Yield the lines of the table of requests a second by number of API processes."""
    yield "| API processes | submissions a second | polls a second |"
    yield "|---:|---:|---:|"
    body = build_losses_request(np.random.default_rng(2), 2, 3, zero_one=True)
    submission = build_request("POST", "/v1/evaluations", body)
    for n_apis in API_PROCESSES:
        with run_cluster(n_apis, 2) as (ports, _):
            time.sleep(UNTIL_IDLE_S)
            submissions = _find_rate(ports, lambda _: submission)
            with httpx.Client(base_url=f"http://127.0.0.1:{ports[0]}", timeout=120) as client:
                stored = client.get("/v1/evaluations?limit=200").json()["items"]
                cancel_queued(client, ports[0])
            polls = [build_request("GET", f"/v1/evaluations/{item['id']}") for item in stored]
            rate = _find_rate(ports, lambda at, polls=polls: polls[at % len(polls)])  # type: ignore[misc]
        yield f"| {n_apis} | {submissions:.0f} | {rate:.0f} |"


def _find_rate(ports: Sequence[int], send: Callable[[int], bytes]) -> float:
    """Return the median of three rates of requests that are sent to all ports at the same time."""

    async def send_to_all() -> float:
        began = time.perf_counter()
        share = REQUESTS // len(ports)
        await asyncio.gather(*(send_requests(port, send, share) for port in ports))
        return share * len(ports) / (time.perf_counter() - began)

    return statistics.median(asyncio.run(send_to_all()) for _ in range(3))


def measure_workers() -> Iterator[str]:
    """Yield the lines of the table of jobs by number of worker processes."""
    yield "| workers | small evaluations a second | 32 fits of a forest, s | MiB each |"
    yield "|---:|---:|---:|---:|"
    small = build_losses_request(np.random.default_rng(2), 5, 9, zero_one=True)
    submission = build_request("POST", "/v1/evaluations", small)
    for n_workers in WORKER_PROCESSES:
        with (
            run_cluster(1, n_workers) as ((port,), memory),
            httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=600) as client,
        ):
            time.sleep(UNTIL_IDLE_S)
            began = time.perf_counter()
            asyncio.run(send_requests(port, lambda _: submission, SMALL_EVALUATIONS))
            while client.get("/v1/evaluations?status=queued&limit=1").json()["items"]:
                time.sleep(0.05)
            rate = SMALL_EVALUATIONS / (time.perf_counter() - began)
            forests = _run_forests(client)
            each = statistics.median(memory()["worker"])
        yield f"| {n_workers} | {rate:.0f} | {forests:.1f} | {each:.0f} |"


def _run_forests(client: httpx.Client) -> float:
    """Return the seconds of a job of four forests on eight folds."""
    forest = {"name": "RandomForestClassifier", "params": {"n_estimators": TREES}}
    body = draw_forest_request(8) | {"learners": {f"f{i}": forest for i in range(4)}}
    evaluation = _wait_for_end(client, client.post("/v1/evaluations", json=body).json())
    start, end = (datetime.fromisoformat(evaluation[at]) for at in ("started_at", "finished_at"))
    return (end - start).total_seconds()


def _wait_for_end(client: httpx.Client, evaluation: dict[str, Any]) -> dict[str, Any]:
    while evaluation["status"] in {"queued", "running"}:
        evaluation = client.get(f"/v1/evaluations/{evaluation['id']}?wait=30").json()
    if evaluation["status"] != "succeeded":
        raise RuntimeError(str(evaluation["error"]))
    return evaluation


def measure_memory() -> Iterator[str]:
    """Yield the lines of the table of memory at rest and at its peak, by what was done."""
    yield "| after | API, MiB | worker, MiB |"
    yield "|---|---:|---:|"
    rng = np.random.default_rng(5)
    with (
        run_cluster(1, 2) as ((port,), memory),
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=600) as client,
    ):
        steps: tuple[tuple[str, Callable[[], None]], ...] = (
            ("the start", lambda: time.sleep(1.0)),
            ("25 idle seconds, in which workers import scikit-learn", _rest),
            ("600 small evaluations", lambda: _send_small(port)),
            ("32 fits of a forest", lambda: _discard(_run_forests(client))),
            ("two models of 100 000 numbers as JSON", lambda: _send_numbers(client, rng)),
            ("an uploaded file of 10^7 losses, evaluated", lambda: _send_file(client, rng)),
            ("all pairs of 200 models", lambda: _send_models(client, rng)),
        )
        for name, step in steps:
            peaks = _watch(memory, step)
            yield f"| {name} | {peaks['API']:.0f} | {peaks['worker']:.0f} |"


def _watch(memory: Callable[[], Memory], step: Callable[[], None]) -> dict[str, float]:
    """Return the largest memory of each kind of process while a step runs and just after it."""
    done, peaks = Event(), {"API": 0.0, "worker": 0.0}

    def record() -> None:
        with contextlib.suppress(OSError):  # a worker may be replaced between two readings
            for kind, values in memory().items():
                peaks[kind] = max(peaks[kind], *values)

    def watch() -> None:
        while not done.wait(0.05):
            record()

    thread = Thread(target=watch)
    thread.start()
    try:
        step()
    finally:
        done.set()
        thread.join()
    record()
    return peaks


def _rest() -> None:
    time.sleep(UNTIL_IDLE_S)


def _discard(_: object) -> None:
    """Take a value that is not needed."""


def _send_small(port: int) -> None:
    body = build_losses_request(np.random.default_rng(2), 5, 9, zero_one=True)
    submission = build_request("POST", "/v1/evaluations", body)
    asyncio.run(send_requests(port, lambda _: submission, SMALL_EVALUATIONS))
    time.sleep(5.0)


def _send_numbers(client: httpx.Client, rng: np.random.Generator) -> None:
    body = build_losses_request(rng, 10, 10_000, zero_one=False)
    _wait_for_end(client, client.post("/v1/evaluations", content=body, headers=JSON).json())


def _send_file(client: httpx.Client, rng: np.random.Generator) -> None:
    blocks = np.repeat(np.arange(10), MANY_LOSSES // 10)
    table: Any = pa.table({"loss": rng.random(MANY_LOSSES), "block": blocks})
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    headers = {"Content-Type": "application/vnd.apache.arrow.stream"}
    dataset = client.post("/v1/datasets", content=sink.getvalue(), headers=headers).json()
    columns = {"losses": ["loss"], "block": "block"}
    body = {"kind": "losses", "blocks": "random", "dataset": dataset["id"], "columns": columns}
    _wait_for_end(client, client.post("/v1/evaluations", json=body).json())


def _send_models(client: httpx.Client, rng: np.random.Generator) -> None:
    losses = {f"m{i}": [rng.random(1000).round(5).tolist()] for i in range(200)}
    body = orjson.dumps({"kind": "losses", "blocks": "holdout", "losses": losses})
    evaluation = client.post("/v1/evaluations", content=body, headers=JSON).json()
    client.get(_wait_for_end(client, evaluation)["links"]["result"])


def main() -> int:
    """Print the three tables."""
    for measure in (measure_apis, measure_workers, measure_memory):
        for line in measure():
            print(line, flush=True)
        print(flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
