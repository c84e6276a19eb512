"""The service as one command starts it: starts, small jobs, requests per second, uploads.

These rows are measured by the clock on the wall, because other processes do the work. The service
runs on SQLite and on a PostgreSQL server that is started for it.
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
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_predict

import thetahat
from benchmarks import learning
from benchmarks.rows import Bench, BenchmarkRow
from benchmarks.service_load import Send, build_request, send_requests
from tests.servers.postgres import DURABLE, fresh_database, postgres_server
from thetahat.cross_validation import build_rows
from thetahat.schemes.k_fold import KFold
from thetahat.tables.data import build_data

ROOT = Path(__file__).resolve().parents[2]
UNTIL_READY = 120.0
UNTIL_IMPORTED_S = 6.0  # what the first request does not need is imported in the background
SMALL_JOBS = ((5, 9, True), (10, 1000, True), (10, 1000, False))
SUBMITS_PER_SECOND = {"SQLite": 800, "PostgreSQL": 500}
POLLS_PER_SECOND = {"SQLite": 1000, "PostgreSQL": 900}
MEASURED = "Measured apart from this run, on the same kind of machine: "
REASON_FOR_START = (
    f"{MEASURED}the start is imports. `serve` imports for 0.8 s of processor time, and the worker, "
    "which is forked after that, needs 0.6 s more (numba and the compiled loops 0.3 s, Celery "
    "0.15 s, the first evaluation and the registration 0.15 s), beside the API with 0.45 s and the "
    "tables of the new database with 0.2 s."
)
REASON_FOR_FIRST_REQUEST = (
    f"{MEASURED}75 to 180 ms in twelve starts. There is one first request for each start of the "
    "service, so this row is a single call. A second evaluation takes 38 to 54 ms; the first one "
    "also waits for code that the API and the worker are still importing in the background."
)
REASON_FOR_JOBS = (
    f"{MEASURED}for 20 000 numbers a worker computes for 21 ms, of which the evaluation is 14 ms "
    "(sign flips 3 ms), and JSON and the file of losses are 5 ms; the claim and the record of the "
    "result take 4 ms. The API works for 14 to 16 ms, of which 4 ms check the request before the "
    "worker begins. The file of losses waits for the disk twice, because a result may only name a "
    "file that is on the disk. On PostgreSQL three commits wait for the disk too, 4 ms each, where "
    "SQLite's do not."
)
REASON_FOR_POLLS = (
    f"{MEASURED}the API needs 0.67 ms of processor time for each poll on SQLite, of which an "
    "answer without work (`/healthz`) is 0.25 ms. That is at most 1 490 polls in a second of one "
    "core, and the workers and the client share both cores with the API."
)
REASON_FOR_SUBMISSIONS = (
    f"{MEASURED}the API needs 1.0 ms of processor time for each submission on SQLite and 1.4 ms on "
    "PostgreSQL (about a third is HTTP and routes, a third checks the request, an eighth is "
    "messages to workers, and the remainder stores it), which is most of one core. Two workers "
    "that are not paused want both cores at the same time: 1.1 ms in the time of a submission."
)
REASON_FOR_LONG_JOB = (
    f"{MEASURED}the eight folds take 0.87 of 0.96 s, as long as in the script. The remainder is 3 "
    "to 5 ms between two folds (a claim, a file and a record of each, so that none is lost), 20 ms "
    "to begin, 20 ms for the intervals, and some 30 ms of HTTP and checks of 40 000 numbers."
)
REASON_FOR_TWO_WORKERS = (
    f"{MEASURED}before and after the folds one worker works alone: 0.02 s to begin, and 0.14 s for "
    "the intervals and comparisons of all models. The API and the broker need 0.2 s of processor "
    "time meanwhile, most of it to take 40 000 numbers. That is a tenth of a job of two seconds, "
    "and little of a longer one. Two scripts at the same time slow each other by 1 to 5 per cent."
)
STARTS = {"SQLite": 5, "PostgreSQL": 3}
TREES = (10, 60)
"""Trees of each forest: on one worker the jobs take 2 and 9 seconds."""
REPEATS_OF_FORESTS = 5


def measure_rows(bench: Bench) -> Iterator[BenchmarkRow]:
    if not bench.short:
        # As after an installation: sources that were edited since have no compiled form.
        compile_all = [sys.executable, "-m", "thetahat_service.cli", "compile"]
        subprocess.run(compile_all, cwd=ROOT, check=True)
    yield from _measure_command_line(bench)
    yield from _measure_database(bench, "SQLite", "")
    if not bench.short:  # the same calls on another database
        with postgres_server(DURABLE) as server:
            yield from _measure_database(bench, "PostgreSQL", server)
        yield _measure_long_job()
        yield from _measure_two_workers()


def _measure_database(bench: Bench, database: str, server: str) -> Iterator[BenchmarkRow]:
    """Yield the rows of the service on one database; each start has a new one."""
    readies: list[float] = []
    for _ in range(0 if bench.short else STARTS[database] - 1):
        with _open_database(server) as url, run_service(database_url=url) as (_, _, seconds):
            readies.append(seconds)
    with (
        _open_database(server) as url,
        run_service(database_url=url) as (port, pid, seconds),
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120) as client,
    ):
        readies.append(seconds)
        use = "`thetahat serve` on a new data folder until it says that it is ready."
        yield _build_row(
            "start of the service", use, readies, target=2.0, setting=database,
            reason=REASON_FOR_START,
        )  # fmt: skip
        yield from _measure_jobs(bench, client, database)
        yield from _measure_rates(bench, client, (port, pid), database)
        if not server:
            yield from _measure_uploads(bench, port)


def _open_database(server: str) -> contextlib.AbstractContextManager[str]:
    """Return the URL of a new database of the server; without a server it is SQLite's."""
    return fresh_database(server) if server else contextlib.nullcontext("")


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
    limit: tuple[float | None, str] = (None, ""),
    reason: str = "",
) -> BenchmarkRow:
    limit_seconds, limit_text = limit
    return BenchmarkRow(
        task=task, use=use, size=size, unit=unit, setting=setting, clock="wall",
        limit_seconds=limit_seconds, limit=limit_text, reason=reason,
        seconds=statistics.median(seconds), repeats=len(seconds), target_seconds=target,
        note="; ".join(filter(None, [f"at most {max(seconds):.3g} s", note])),
    )  # fmt: skip


def _measure_command_line(bench: Bench) -> Iterator[BenchmarkRow]:
    """Yield the times of commands in a process of their own, beside that of an empty one."""
    commands = (
        ("import of the package", "import thetahat", ["-c", "import thetahat"]),
        ("command line", "--version", ["-m", "thetahat_service.cli", "--version"]),
        ("command line", "--help", ["-m", "thetahat_service.cli", "--help"]),
    )
    least = statistics.median(_time_command(bench, ["-c", "import numpy"]))
    for task, setting, arguments in commands:
        use = f"`{setting}`." if "import" in task else f"`thetahat {setting}`."
        yield _build_row(
            task, use, _time_command(bench, arguments), target=0.15, setting=setting,
            limit=(least, "`import numpy` in a new process"),
        )  # fmt: skip


def _time_command(bench: Bench, arguments: list[str]) -> list[float]:
    """Return the seconds of runs of Python in a process of their own; the first one warms up."""
    seconds = []
    for _ in range(1 if bench.short else 6):
        began = time.perf_counter()
        subprocess.run([sys.executable, *arguments], cwd=ROOT, check=True, capture_output=True)
        seconds.append(time.perf_counter() - began)
    return seconds[1:] or seconds


@contextlib.contextmanager
def run_service(*arguments: str, database_url: str = "") -> Iterator[tuple[int, int, float]]:
    """Run the service in a fresh folder; the value is port, process id and seconds until ready."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        settings = {"THETAHAT_DATABASE_URL": database_url, "THETAHAT_MAX_UNFINISHED": "1000000"}
        words = ["serve", "--port", "0", "--data-dir", folder, *arguments]
        began = time.perf_counter()
        log = Path(folder) / "log"
        with log.open("w") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "thetahat_service.cli", *words],
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


def _measure_jobs(bench: Bench, client: httpx.Client, database: str) -> Iterator[BenchmarkRow]:
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
    yield _build_row(
        "first request", use, [first], target=0.2, setting=database,
        reason=REASON_FOR_FIRST_REQUEST,
    )  # fmt: skip
    time.sleep(0.0 if bench.short else UNTIL_IMPORTED_S)
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
            setting=f"{'0 and 1' if zero_one else 'numbers'}, {database}",
            limit=(_time_library(bodies[:5]), "`thetahat.evaluate` in a process that runs"),
            reason=REASON_FOR_JOBS,
        )


def _time_library(bodies: list[bytes]) -> float:
    """Return the median seconds of the library for the losses of these requests."""
    seconds = []
    for body in bodies:
        losses = orjson.loads(body)["losses"]
        arrays = {name: np.array(rows, dtype=float) for name, rows in losses.items()}
        began = time.perf_counter()
        thetahat.to_json(thetahat.evaluate(arrays))
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)


def _measure_rates(
    bench: Bench, client: httpx.Client, server: tuple[int, int], database: str
) -> Iterator[BenchmarkRow]:
    """Yield seconds for each of many requests over 32 connections."""
    port, pid = server
    count = 96 if bench.short else 3000
    body = build_losses_request(np.random.default_rng(2), 2, 3, zero_one=True)
    submit = build_request("POST", "/v1/evaluations", body)
    health = build_request("GET", "/healthz")
    rate, _ = _find_rate(port, lambda _: health, count)
    limit = (1 / rate, "an answer without work, `/healthz`")
    submits = 1 / SUBMITS_PER_SECOND[database]
    with pause_processes(list_descendants(pid, "thetahat-worker")):
        yield _measure_rate(
            f"submissions, workers paused, {database}", port, lambda _: submit, count, submits,
            limit,
        )  # fmt: skip
        waiting = [item["id"] for item in client.get("/v1/evaluations?limit=200").json()["items"]]
        cancel_queued(client, port)
    yield _measure_rate(
        f"submissions, workers busy, {database}", port, lambda _: submit, count, submits, limit
    )
    cancel_queued(client, port)
    polls = [build_request("GET", f"/v1/evaluations/{identifier}") for identifier in waiting]
    yield _measure_rate(
        f"polls, {database}", port, lambda at: polls[at % len(polls)], 2 * count,
        1 / POLLS_PER_SECOND[database], limit,
    )  # fmt: skip


def _find_rate(port: int, send: Send, count: int) -> tuple[float, list[float]]:
    """Return the median of three rates, and the seconds of each request of that round."""
    rounds = [asyncio.run(send_requests(port, send, count // 3)) for _ in range(3)]
    return sorted(rounds, key=lambda measured: measured[0])[1]


def _measure_rate(  # noqa: PLR0913 - what is sent, where, and its row
    task: str, port: int, send: Send, count: int, target: float, limit: tuple[float, str]
) -> BenchmarkRow:
    rate, times = _find_rate(port, send, count)
    p50, p99 = (1e3 * times[int(q * len(times))] for q in (0.5, 0.99))
    note = (
        f"{rate:.0f} in a second; median answer after {p50:.0f} ms, 99 in 100 within {p99:.0f} ms"
    )
    return BenchmarkRow(
        task=f"rate of {task}", size=count, unit="requests", seconds=1 / rate, repeats=3,
        use="Requests of many clients at once: the seconds of each, and how many in a second.",
        clock="wall", target_seconds=target, note=note, setting="32 connections",
        limit_seconds=limit[0], limit=limit[1],
        reason=REASON_FOR_SUBMISSIONS if "submissions" in task else REASON_FOR_POLLS,
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
                limit=bench.limits.describe_limit(8.0 * n, 0.0),
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


def draw_forest_request(n_folds: int) -> dict[str, Any]:
    """Return a request of random forests without its learners."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2_000, 20))
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=2_000) > 0, "yes", "no")
    return {
        "kind": "cross_validation",
        "data": {"X": X.tolist(), "y": y.tolist()},
        "task": "classification",
        "scheme": {"name": "k_fold", "params": {"n_folds": n_folds}},
        "seed": learning.SEED,
    }


def _measure_long_job() -> BenchmarkRow:
    """Return the row of a cross-validation of about a second beside a script, by one worker."""
    params = {"n_estimators": 25, "random_state": 0}
    body = draw_forest_request(8)
    body["learners"] = {"forest": {"name": "RandomForestClassifier", "params": params}}
    X, y = np.array(body["data"]["X"]), np.array(body["data"]["y"])
    columns = {f"x{at}": column for at, column in enumerate(X.T)}
    rows = build_rows(build_data(columns, y, "classification"))
    folds = [(split.train, split.test) for split in KFold(n_folds=8).splits(rows, learning.SEED)]

    def run_script() -> float:
        predicted = cross_val_predict(RandomForestClassifier(**params), X, y, cv=folds)
        return float((predicted != y).mean())

    with (
        run_service("--workers", "1") as (port, _, _),
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120) as client,
    ):

        def run_job() -> float:
            evaluation = client.post(
                "/v1/evaluations", json=body, headers={"Prefer": "wait=60"}
            ).json()
            if evaluation["status"] != "succeeded":
                raise RuntimeError(evaluation)
            result = client.get(evaluation["links"]["result"]).json()
            return float(result["models"]["forest"]["mean"]["pooled"])

        times: dict[str, list[float]] = {"job": [], "script": []}
        values: dict[str, float] = {}
        run_job()  # loads scikit-learn into the worker
        for _ in range(5):
            for name, run in (("job", run_job), ("script", run_script)):
                began = time.perf_counter()
                values[name] = run()
                times[name].append(time.perf_counter() - began)
    return BenchmarkRow(
        task="a job of a second", size=8, unit="folds", clock="wall", repeats=5, peer_repeats=5,
        use="Cross-validates a random forest, from submission to result, on one worker.",
        seconds=statistics.median(times["job"]), peer="cross_val_predict in a script",
        peer_seconds=statistics.median(times["script"]),
        difference=abs(values["job"] - values["script"]), tolerance=0.02,
        least_ratio=1 / 1.1, reason=REASON_FOR_LONG_JOB,
    )  # fmt: skip


def _measure_two_workers() -> Iterator[BenchmarkRow]:
    """Yield a row for each number of trees: a job of forests on two worker processes beside one."""
    alone, together = (_run_forests(workers, draw_forest_request(8)) for workers in (1, 2))
    for trees in TREES:
        (one_worker, first), (two_workers, second) = alone[trees], together[trees]
        yield BenchmarkRow(
            task="two workers", use="One job of random forests on two worker processes.",
            size=trees, unit="trees", setting="4 learners, 8 folds", clock="wall",
            seconds=two_workers, repeats=REPEATS_OF_FORESTS, peer="one worker",
            peer_seconds=one_worker, peer_repeats=REPEATS_OF_FORESTS,
            difference=float(first != second), tolerance=0.0,
            limit_seconds=one_worker / 2, limit="half the time of one worker", least_ratio=1.9,
            reason=REASON_FOR_TWO_WORKERS,
            note="difference: 0 where the bytes of the result are the same",
        )  # fmt: skip


def _run_forests(workers: int, body: dict[str, Any]) -> dict[int, tuple[float, bytes]]:
    """Return the median seconds from start to end on so many workers, and the result, by trees."""

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
        runs = {trees: [run(client, trees) for _ in range(REPEATS_OF_FORESTS)] for trees in TREES}
    return {
        trees: (statistics.median(seconds for seconds, _ in of_size), of_size[0][1])
        for trees, of_size in runs.items()
    }
