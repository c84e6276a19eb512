"""The service as one command starts it: ready when, small jobs, requests per second, an upload.

It starts ``thetahat serve`` on a free port in a folder of its own, on SQLite and, where the tests
have a PostgreSQL server, on that with every commit on the disk; both are taken down at the end.
The load is one asyncio client over bare sockets with 32 connections. Submissions are measured with
the workers at work on what comes in, and with them held still, which is the API by itself. Other
work on the machine makes every figure worse; its load is printed.

Python keeps what it has compiled of the modules, as it does in any installation, in a folder of the
run's own: the first start finds none of it, as the first after an installation that compiled
nothing, and is told apart from those that follow.
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
from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import orjson

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.service_load import Connection, Send, build_request, send_requests
from tests.servers.postgres import DURABLE, fresh_database, postgres_server
from tests.servers.processes import ServerFault

SUBMITS, POLLS, JOBS, STARTS = 3_000, 6_000, 31, 3
RNG = np.random.default_rng(1)


def print_figure(what: str, measured: str, target: str = "") -> None:
    print(f"{what:56s} {measured:>46s}   {target}", flush=True)


def build_losses_request(blocks: int, size: int, *, zero_one: bool) -> bytes:
    """Return a job of two models with losses of its own."""
    shape = (2, blocks, size)
    drawn = RNG.integers(0, 2, shape) if zero_one else RNG.normal(size=shape).round(6)
    body = {"kind": "losses", "blocks": "random", "losses": dict(zip("ab", drawn.tolist()))}  # noqa: B905
    return orjson.dumps(body)


def measure_rate(port: int, pid: int, send: Send, count: int) -> str:
    """Return the middle of three rounds in words: rate, p50 and p99, and the API's CPU time each.

    The last is the one that other work on the machine changes little.
    """
    before = read_cpu_seconds(list_descendants(pid, "thetahat-api"))
    rounds = sorted(asyncio.run(send_requests(port, send, count // 3)) for _ in range(3))
    rate, times = rounds[1]
    p50, p99 = (1e3 * times[int(q * len(times))] for q in (0.5, 0.99))
    cpu = 1e3 * (read_cpu_seconds(list_descendants(pid, "thetahat-api")) - before) / count
    return f"{rate:.0f}/s, p50 {p50:.0f} ms, p99 {p99:.0f} ms, CPU {cpu:.2f} ms"


@contextlib.contextmanager
def run_service(compiled: str, database_url: str = "") -> Iterator[tuple[int, int, float]]:
    """Run the service in a fresh folder; the value is port, process id and seconds until ready.

    ``compiled`` is where Python keeps the compiled modules.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        settings = {"THETAHAT_DATABASE_URL": database_url, "THETAHAT_MAX_UNFINISHED": "1000000"}
        settings |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": compiled}
        began = time.perf_counter()
        with subprocess.Popen(
            [sys.executable, "-m", "service.cli", "serve", "--port", "0", "--data-dir", folder],
            cwd=ROOT,
            env={**os.environ, **settings},
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                assert process.stdout is not None
                line = process.stdout.readline()
                seconds_by_start = re.search(r"answers at http://127\.0\.0\.1:(\d+)", line)
                assert seconds_by_start is not None, line
                yield int(seconds_by_start[1]), process.pid, time.perf_counter() - began
            finally:
                process.terminate()


def list_descendants(pid: int, name: str) -> list[int]:
    """Return a process's descendants of that name, each after its parent."""
    seconds_by_start: list[int] = []
    for number in sorted(int(entry.name) for entry in Path("/proc").glob("[0-9]*")):
        with contextlib.suppress(OSError):
            entry = Path("/proc") / str(number)
            if (entry / "comm").read_text().strip() == name and int(
                read_process_fields(number)[1]
            ) in {
                pid,
                *seconds_by_start,
            }:
                seconds_by_start.append(number)
    return seconds_by_start


def read_process_fields(pid: int) -> list[str]:
    """Return what the system tells of a process, after its name."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def read_cpu_seconds(pids: list[int]) -> float:
    """Return the CPU time that processes have taken."""
    ticks = sum(int(field) for pid in pids for field in read_process_fields(pid)[11:13])
    return ticks / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def pause_processes(processes: list[int]) -> Iterator[None]:
    """Hold processes still until the block ends."""
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            os.kill(process, signal.SIGCONT)


def measure_small_jobs(client: httpx.Client) -> None:
    """Time small evaluations from submission to result; the data are new each time."""
    for name, shape, zero_one in (
        ("5 x 9 x 2", (5, 9), True),
        ("10 x 1000 x 2 of 0 and 1", (10, 1000), True),
        ("10 x 1000 x 2 of numbers", (10, 1000), False),
    ):
        times = []
        for _ in range(JOBS):
            body = build_losses_request(*shape, zero_one=zero_one)
            headers = {"Prefer": "wait=30", "Content-Type": "application/json"}
            began = time.perf_counter()
            answer = client.post("/v1/evaluations", content=body, headers=headers)
            times.append(1e3 * (time.perf_counter() - began))
            assert answer.json()["status"] == "succeeded", answer.text
        middle, most = statistics.median(times), max(times)
        target = "< 50 ms" if shape[1] == 1000 else ""
        print_figure(
            f"losses {name}, submit to result", f"{middle:.0f} ms, at most {most:.0f} ms", target
        )


def requests_per_second(client: httpx.Client, port: int, pid: int, targets: dict[str, str]) -> None:
    """Submit and poll over all connections."""
    small = build_losses_request(2, 3, zero_one=True)
    submit = build_request("POST", "/v1/evaluations", small)
    with pause_processes(list_descendants(pid, "thetahat-worker")):
        words = measure_rate(port, pid, lambda _: submit, SUBMITS)
        print_figure("submits, workers held", words, targets["submits"])
        waiting = [item["id"] for item in client.get("/v1/evaluations?limit=200").json()["items"]]
        cancel_queued(client, port)
    words = measure_rate(port, pid, lambda _: submit, SUBMITS)
    print_figure("submits, workers at work on them", words)
    cancel_queued(client, port)
    polls = [build_request("GET", f"/v1/evaluations/{identifier}") for identifier in waiting]
    words = measure_rate(port, pid, lambda number: polls[number % len(polls)], POLLS)
    print_figure("polls", words, targets["polls"])


def cancel_queued(client: httpx.Client, port: int) -> None:
    """Cancel what is queued, so that the next figure is of that alone."""
    while items := client.get("/v1/evaluations?status=queued&limit=200").json()["items"]:
        cancels = [build_request("POST", item["links"]["cancel"]) for item in items]
        asyncio.run(send_requests(port, cancels.__getitem__, len(cancels)))


def send_file(port: int, data: bytes, media_type: str) -> float:
    """Return the seconds until a file is stored."""
    head = f"POST /v1/datasets HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\n"
    with socket.create_connection(("127.0.0.1", port)) as connection:
        began = time.perf_counter()
        connection.sendall(f"{head}Content-Type: {media_type}\r\n\r\n".encode())
        connection.sendall(data)
        answer = connection.recv(65536)
        assert answer.startswith(b"HTTP/1.1 201"), answer
        return time.perf_counter() - began


async def measure_upload(port: int, data: bytes, media_type: str) -> tuple[float, float]:
    """Return an upload's seconds, and the longest wait of another client meanwhile."""
    watching, longest = await Connection(port).open(), 0.0
    going = asyncio.create_task(asyncio.to_thread(send_file, port, data, media_type))
    while not going.done():
        at = time.perf_counter()
        await watching.ask(build_request("GET", "/v1/evaluations?limit=1"))
        longest = max(longest, time.perf_counter() - at)
        await asyncio.sleep(0.005)
    watching.close()
    return going.result(), longest


def measure_uploads(port: int) -> None:
    """Store ten million losses in two formats, while another client asks every few milliseconds."""
    for name in ("NPY", "Arrow"):
        seconds_by_start = []
        for _ in range(3):
            data, media_type = encode_values(RNG.normal(size=10_000_000), name)
            seconds_by_start.append(asyncio.run(measure_upload(port, data, media_type)))
        seconds, longest = (
            statistics.median(column) for column in zip(*seconds_by_start, strict=True)
        )
        words = f"{seconds:.2f} s, longest wait {1e3 * longest:.0f} ms"
        print_figure(f"upload of 10^7 losses, {name}", words, "< 1 s, < 100 ms")


def encode_values(values: np.ndarray, name: str) -> tuple[bytes, str]:
    if name == "NPY":
        file = io.BytesIO()
        np.save(file, values)
        return file.getvalue(), "application/x-npy"
    import pyarrow as pa

    table, sink = pa.table({"loss": values}), pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes(), "application/vnd.apache.arrow.stream"


def measure_starts(compiled: str) -> None:
    """Start and stop the service: once with nothing compiled, then a few times."""
    seconds_by_start = []
    for _ in range(1 + STARTS):
        with run_service(compiled) as (_, _, ready):
            seconds_by_start.append(ready)
    print_figure("ready for the first time, modules not compiled", f"{seconds_by_start[0]:.1f} s")
    later = seconds_by_start[1:]
    words = f"{statistics.median(later):.1f} s, at most {max(later):.1f} s"
    print_figure(f"ready, {STARTS} starts on new data folders", words, "< 4 s")


def print_figures(compiled: str, database_url: str, targets: dict[str, str]) -> None:
    with contextlib.ExitStack() as stack:
        port, pid, _ = stack.enter_context(run_service(compiled, database_url))
        client = stack.enter_context(httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120))
        began = time.perf_counter()
        headers = {"Prefer": "wait=60", "Content-Type": "application/json"}
        first = build_losses_request(10, 1000, zero_one=False)
        client.post("/v1/evaluations", content=first, headers=headers).raise_for_status()
        print_figure("first result after ready", f"{time.perf_counter() - began:.1f} s")
        time.sleep(5)  # the workers load in the background what they may need
        measure_small_jobs(client)
        requests_per_second(client, port, pid, targets)
        measure_uploads(port)


def main() -> None:
    """Print the figures beside their targets."""
    print(f"{os.cpu_count()} cores; load before: {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as compiled:
        print_all_figures(compiled)
    print(f"load after: {os.getloadavg()[0]:.1f}")


def print_all_figures(compiled: str) -> None:
    print("== SQLite and the embedded broker")
    measure_starts(compiled)
    embedded = {"submits": ">= 800/s, p99 < 250 ms", "polls": ">= 1000/s, p99 < 250 ms"}
    print_figures(compiled, "", embedded)
    try:
        with postgres_server(DURABLE) as server, fresh_database(server) as url:
            print("== PostgreSQL")
            own = {"submits": ">= 400/s, p99 < 250 ms", "polls": ">= 700/s, p99 < 250 ms"}
            print_figures(compiled, url, own)
    except ServerFault as fault:
        print(f"no PostgreSQL here: {fault}")


if __name__ == "__main__":
    main()
