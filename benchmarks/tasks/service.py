"""The service as one command starts it: starts, small jobs, requests per second, uploads.

These rows are measured by the clock on the wall, because other processes do the work.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import orjson

from benchmarks.rows import Bench, BenchmarkRow
from benchmarks.service_load import Send, build_request, send_requests

ROOT = Path(__file__).resolve().parents[2]
UNTIL_READY = 120.0
SMALL_JOBS = ((5, 9, True), (10, 1000, True), (10, 1000, False))


def measure_rows(bench: Bench) -> Iterator[BenchmarkRow]:
    yield from _measure_command_line(bench)
    readies = []
    for _ in range(0 if bench.short else 4):
        with run_service() as (_, _, seconds):
            readies.append(seconds)
    with run_service() as (port, pid, seconds):
        readies.append(seconds)
        use = "`thetahat serve` on a new data folder until it says that it is ready."
        yield _build_row("start of the service", use, readies, target=2.0)
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120) as client:
            yield from _measure_jobs(bench, client)
            yield from _measure_rates(bench, client, port, pid)
            yield from _measure_uploads(bench, port)
    if not bench.short:
        yield _measure_two_workers()


def _build_row(  # noqa: PLR0913 - the columns of the page
    task: str,
    use: str,
    seconds: list[float],
    *,
    target: float | None = None,
    size: int = 1,
    unit: str = "calls",
    setting: str = "",
    note: str = "",
) -> BenchmarkRow:
    return BenchmarkRow(
        task=task, use=use, size=size, unit=unit, setting=setting, clock="wall",
        seconds=statistics.median(seconds), repeats=len(seconds), target_seconds=target,
        note="; ".join(filter(None, [f"at most {max(seconds):.3g} s", note])),
    )  # fmt: skip


def _measure_command_line(bench: Bench) -> Iterator[BenchmarkRow]:
    """Yield the times of commands in a process of their own."""
    commands = (
        (
            "import of the package",
            "import thetahat",
            "`import thetahat`.",
            ["-c", "import thetahat"],
        ),
        ("command line", "--version", "`thetahat --version`.", ["-m", "service.cli", "--version"]),
        ("command line", "--help", "`thetahat --help`.", ["-m", "service.cli", "--help"]),
    )
    for task, setting, use, arguments in commands:
        seconds = []
        for _ in range(1 if bench.short else 6):
            began = time.perf_counter()
            subprocess.run([sys.executable, *arguments], cwd=ROOT, check=True, capture_output=True)
            seconds.append(time.perf_counter() - began)
        yield _build_row(task, use, seconds[1:] or seconds, target=0.15, setting=setting)


@contextlib.contextmanager
def run_service(*arguments: str) -> Iterator[tuple[int, int, float]]:
    """Run the service in a fresh folder; the value is port, process id and seconds until ready."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        settings = {"THETAHAT_DATABASE_URL": "", "THETAHAT_MAX_UNFINISHED": "1000000"}
        words = ["serve", "--port", "0", "--data-dir", folder, *arguments]
        began = time.perf_counter()
        log = Path(folder) / "log"
        with log.open("w") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "service.cli", *words],
                cwd=ROOT,
                env={**os.environ, **settings},
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            while (address := re.search(r"ready at http://[\d.]+:(\d+)", log.read_text())) is None:
                if process.poll() is not None or time.perf_counter() - began > UNTIL_READY:
                    message = f"The service did not become ready: {log.read_text()[-500:]}"
                    raise RuntimeError(message)
                time.sleep(0.02)
            yield int(address[1]), process.pid, time.perf_counter() - began
        finally:
            process.terminate()
            process.wait(60)


def build_losses_request(
    rng: np.random.Generator, blocks: int, size: int, *, zero_one: bool
) -> bytes:
    """Return a job of two models with losses of its own."""
    shape = (2, blocks, size)
    drawn = rng.integers(0, 2, shape) if zero_one else rng.normal(size=shape).round(6)
    losses = dict(zip("ab", drawn.tolist(), strict=True))
    return orjson.dumps({"kind": "losses", "blocks": "random", "losses": losses})


def _measure_jobs(bench: Bench, client: httpx.Client) -> Iterator[BenchmarkRow]:
    """Yield the first request after ready, and small evaluations from submission to result."""
    rng = np.random.default_rng(1)
    headers = {"Prefer": "wait=60", "Content-Type": "application/json"}

    def wait_for_result(body: bytes) -> float:
        began = time.perf_counter()
        answer = client.post("/v1/evaluations", content=body, headers=headers)
        seconds = time.perf_counter() - began
        if answer.json()["status"] != "succeeded":
            raise RuntimeError(answer.text)
        return seconds

    first = wait_for_result(build_losses_request(rng, 10, 1000, zero_one=False))
    use = "The first evaluation after the service says that it is ready."
    yield _build_row("first request", use, [first], target=0.2)
    for blocks, size, zero_one in SMALL_JOBS:
        bodies = [
            build_losses_request(rng, blocks, size, zero_one=zero_one)
            for _ in range(2 if bench.short else 31)
        ]
        yield _build_row(
            "small evaluation",
            "Two models' losses from submission to result, with `Prefer: wait`.",
            [wait_for_result(body) for body in bodies],
            target=0.05,
            size=2 * blocks * size,
            unit="losses",
            setting="0 and 1" if zero_one else "numbers",
        )


def _measure_rates(
    bench: Bench, client: httpx.Client, port: int, pid: int
) -> Iterator[BenchmarkRow]:
    """Yield seconds for each of many requests over 32 connections."""
    count = 96 if bench.short else 3000
    body = build_losses_request(np.random.default_rng(2), 2, 3, zero_one=True)
    submit = build_request("POST", "/v1/evaluations", body)
    use = "Requests of many clients at once: the seconds of each, and how many in a second."
    with pause_processes(list_descendants(pid, "thetahat-worker")):
        yield _measure_rate(
            "submissions, workers paused", use, port, lambda _: submit, count, 1 / 800
        )
        waiting = [item["id"] for item in client.get("/v1/evaluations?limit=200").json()["items"]]
        cancel_queued(client, port)
    yield _measure_rate("submissions, workers busy", use, port, lambda _: submit, count, 1 / 800)
    cancel_queued(client, port)
    polls = [build_request("GET", f"/v1/evaluations/{identifier}") for identifier in waiting]
    yield _measure_rate("polls", use, port, lambda at: polls[at % len(polls)], 2 * count, 1 / 1000)


def _measure_rate(  # noqa: PLR0913 - what is sent, where, and its row
    task: str, use: str, port: int, send: Send, count: int, target: float
) -> BenchmarkRow:
    rounds = [asyncio.run(send_requests(port, send, count // 3)) for _ in range(3)]
    rate, times = sorted(rounds, key=lambda measured: measured[0])[1]
    p50, p99 = (1e3 * times[int(q * len(times))] for q in (0.5, 0.99))
    note = (
        f"{rate:.0f} in a second; median answer after {p50:.0f} ms, 99 in 100 within {p99:.0f} ms"
    )
    return BenchmarkRow(
        task=f"rate of {task}", use=use, size=count, unit="requests", seconds=1 / rate, repeats=3,
        clock="wall", target_seconds=target, note=note, setting="32 connections",
    )  # fmt: skip


def cancel_queued(client: httpx.Client, port: int) -> None:
    """Cancel what is queued, so that the next figure is of that alone."""
    while items := client.get("/v1/evaluations?status=queued&limit=200").json()["items"]:
        cancels = [build_request("POST", item["links"]["cancel"]) for item in items]
        with contextlib.suppress(AssertionError):  # some have started meanwhile
            asyncio.run(send_requests(port, cancels.__getitem__, len(cancels)))


def list_descendants(pid: int, name: str) -> list[int]:
    """Return a process's descendants of that name, each after its parent."""
    found: list[int] = []
    for number in sorted(int(entry.name) for entry in Path("/proc").glob("[0-9]*")):
        with contextlib.suppress(OSError):
            entry = Path("/proc") / str(number)
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            if (entry / "comm").read_text().strip() == name and parent in {pid, *found}:
                found.append(number)
    return found


@contextlib.contextmanager
def pause_processes(processes: list[int]) -> Iterator[None]:
    """Pause processes until the block ends."""
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            os.kill(process, signal.SIGCONT)


def _measure_uploads(bench: Bench, port: int) -> Iterator[BenchmarkRow]:
    rng = np.random.default_rng(3)
    encoders: tuple[tuple[str, Callable[[np.ndarray], tuple[bytes, str]]], ...] = (
        ("NPY", _encode_npy),
        ("Arrow", _encode_arrow),
    )
    for n in (10**4,) if bench.short else (10**5, 10**6, 10**7):
        for name, encode in encoders:
            seconds = []
            for _ in range(1 if bench.short else 3):
                data, media_type = encode(rng.normal(size=n))
                seconds.append(send_file(port, data, media_type))
            yield _build_row(
                f"upload of losses, {name}",
                "Stores a file of losses, checked.",
                seconds,
                target=1.0 if n == 10**7 else None,
                size=n,
                unit="losses",
            )


def _encode_npy(values: np.ndarray) -> tuple[bytes, str]:
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue(), "application/x-npy"


def _encode_arrow(values: np.ndarray) -> tuple[bytes, str]:
    import pyarrow as pa

    table: Any = pa.table({"loss": values})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes(), "application/vnd.apache.arrow.stream"


def send_file(port: int, data: bytes, media_type: str) -> float:
    """Return the seconds until a file is stored."""
    head = f"POST /v1/datasets HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\n"
    with socket.create_connection(("127.0.0.1", port)) as connection:
        began = time.perf_counter()
        connection.sendall(f"{head}Content-Type: {media_type}\r\n\r\n".encode())
        connection.sendall(data)
        answer = connection.recv(65536)
        if not answer.startswith(b"HTTP/1.1 201"):
            raise RuntimeError(answer.decode(errors="replace"))
        return time.perf_counter() - began


def _measure_two_workers() -> BenchmarkRow:
    """Return the row of a job of forests on two worker processes beside one."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2_000, 20))
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=2_000) > 0, "yes", "no")
    body = {
        "kind": "cross_validation",
        "data": {"X": X.tolist(), "y": y.tolist()},
        "task": "classification",
        "scheme": {"name": "k_fold", "params": {"n_folds": 8}},
        "seed": 1,
    }
    (one, first), (two, second) = (_run_forests(workers, body) for workers in (1, 2))
    return BenchmarkRow(
        task="two workers", use="One job of random forests on two worker processes.", size=2,
        unit="workers", clock="wall", seconds=two, repeats=1, peer="one worker", peer_seconds=one,
        peer_repeats=1, difference=float(first != second), tolerance=0.0,
        note="difference: 0 where the bytes of the result are the same",
    )  # fmt: skip


def _run_forests(workers: int, body: dict[str, Any]) -> tuple[float, bytes]:
    """Return the seconds from start to end on so many workers, and the result."""

    def run(client: httpx.Client, trees: int) -> tuple[float, bytes]:
        params = {"n_estimators": trees}
        learners = {f"f{i}": {"name": "RandomForestClassifier", "params": params} for i in range(4)}
        evaluation = client.post("/v1/evaluations", json=body | {"learners": learners}).json()
        while evaluation["status"] in {"queued", "running"}:
            evaluation = client.get(f"{evaluation['links']['self']}?wait=30").json()
        if evaluation["status"] != "succeeded":
            raise RuntimeError(evaluation["error"])
        ends = (datetime.fromisoformat(evaluation[at]) for at in ("started_at", "finished_at"))
        start, end = ends
        return (end - start).total_seconds(), client.get(evaluation["links"]["result"]).content

    with (
        run_service("--workers", str(workers)) as (port, _, _),
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120) as client,
    ):
        run(client, 1)  # loads scikit-learn into every worker
        return run(client, 10)
