"""Uploads of damaged files to a running API: ``python -m tests.service.supervisor.fuzz_uploads``.

Valid files of every format are damaged at random, from a seed, and uploaded. What is accepted is
previewed and deleted. The API must stay the same process, answer nothing with a status of 500 or
more, and stay below a gigabyte of memory, and so must each parser. Meanwhile a process asks for
something small all the time, and its longest waits are reported beside those for a server that does
nothing else: what that one also waits is the load of the machine, not the uploads.

The counts are printed after each thousand files. SIGTERM and Ctrl-C end the run early; the report
then says how many files were uploaded, and ``--first`` continues with the next one.
"""

from __future__ import annotations

import argparse
import dataclasses
import io
import multiprocessing
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime
from decimal import Decimal
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

import httpx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import uvicorn
from scipy.sparse import csr_array

from tests.servers.processes import free_port
from tests.service.kinds.model_logs import harness_samples, inspect_eval, inspect_json
from tests.service.supervisor.processes import Command, environment, running

MOST_MEMORY_KB: Final = 1_000_000
EXPECTED: Final = frozenset({200, 201, 413, 422})
CLIENTS: Final = 4
PAUSE_S: Final = 0.05
MEMORY_PAUSE_S: Final = 0.1
PROGRESS_FILES: Final = 1000
LONGEST_WAIT_S: Final = 1.0
QUANTILES: Final = (50, 99, 99.9)
EXTREMES: Final = (b"\xff" * 4, b"\xff\xff\xff\x7f", b"\x00" * 8, b"\xff" * 8, b"\x80", b"\x01\x00")


@dataclasses.dataclass
class Report:
    """What happened to the uploads.

    Parameters
    ----------
    files : int
        Number of files that were uploaded.
    statuses : Counter
        Number of answers by status, of uploads and of previews.
    faults : list of str
        Descriptions of everything that must not happen.
    waits_s, control_waits_s : list of float
        How long each small request of another client took, to the API and to a server that does
        nothing else.
    memory_kb : dict of int
        Largest resident memory of the API process and of a parser.
    """

    files: int = 0
    statuses: Counter[str] = dataclasses.field(default_factory=Counter)
    faults: list[str] = dataclasses.field(default_factory=list)
    waits_s: list[float] = dataclasses.field(default_factory=list)
    control_waits_s: list[float] = dataclasses.field(default_factory=list)
    memory_kb: dict[str, int] = dataclasses.field(default_factory=dict)


def _table() -> pa.Table:
    return pa.table(
        {
            "x": pa.array([0.5, None, 2.0, float("inf")] * 25),
            "n": pa.array([1, 2, 3, None] * 25),
            "flag": [True, False] * 50,
            "text": ["a", "b", None, "ä" * 20] * 25,
            "label": pa.array(["u", "v"] * 50).dictionary_encode(),
            "day": pa.array([date(2020, 1, 1), None] * 50),
            "at": pa.array([datetime(2020, 1, 1, tzinfo=UTC)] * 100),
            "price": pa.array([Decimal("1.25"), None] * 50),
        }
    )


def _npz(**arrays: Any) -> bytes:
    sink = io.BytesIO()
    np.savez_compressed(sink, **arrays)
    return sink.getvalue()


def _npy(array: np.ndarray) -> bytes:
    sink = io.BytesIO()
    np.save(sink, array)
    return sink.getvalue()


def _parquet(**options: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(_table(), sink, **options)
    return sink.getvalue()


def _arrow() -> bytes:
    sink, table = io.BytesIO(), _table()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=30)
    return sink.getvalue()


def valid_files() -> dict[str, list[bytes]]:
    """Return valid files by media type."""
    rng = np.random.default_rng(15)
    sparse = csr_array(rng.integers(0, 2, (30, 12)).astype(float))
    text = "x,n,s\n" + "".join(f'{i}.5,{i},"a ""{i}"", ä"\n' for i in range(60))
    parts = {name: getattr(sparse, name) for name in ("data", "indices", "indptr", "shape")}
    lines = "".join(f"{i % 2} qid:{i // 3} 1:{i}.5 7:-1e-3 # c\n" for i in range(60))
    return {
        "text/csv": [text.encode(), text.replace(",", ";").encode()],
        "text/csv; charset=utf-16": [text.encode("utf-16")],
        "application/vnd.apache.parquet": [
            _parquet(compression="snappy", row_group_size=40),
            _parquet(compression="zstd", use_dictionary=False, data_page_version="2.0"),
            _parquet(compression="none", write_page_checksum=True, store_schema=False),
        ],
        "application/vnd.apache.arrow.stream": [_arrow()],
        "application/x-npy": [
            _npy(rng.normal(size=(40, 5))),
            _npy(np.asfortranarray(rng.integers(0, 9, (30, 4), dtype=np.int16))),
            _npy(rng.random(50) < 0.5),
        ],
        "application/x-npz": [
            _npz(X=rng.normal(size=(30, 3)), y=np.arange(30), name=np.array(["ä", "bc"] * 15)),
            _npz(**parts, y=np.arange(30)),
        ],
        "text/x-libsvm": [lines.encode()],
        "application/jsonl": [harness_samples({i: float(i % 2) for i in range(30)})],
        "application/vnd.inspect-ai.log": [
            inspect_eval("arc", "llama", {i: ["C", "I"] for i in range(8)}),
            inspect_json("arc", "llama", {i: ["C", "I"] for i in range(8)}),
        ],
    }


def damage(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """Return the content with one to four random changes."""
    data = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        # Formats keep their structure at the ends; the middle is mostly values.
        at = rng.randrange(len(data)) if data else 0
        if rng.random() < 0.4:
            at = max(0, len(data) - 1 - rng.randrange(600))
        _change(data, at, others, rng)
    return bytes(data)


def _change(data: bytearray, at: int, others: list[bytes], rng: random.Random) -> None:
    kind = rng.randrange(7)
    if not data or kind == 0:
        data[at:at] = rng.randbytes(rng.randint(1, 8))
    elif kind == 1:
        data[at] ^= 1 << rng.randrange(8)
    elif kind == 2:
        data[at] = rng.randrange(256)
    elif kind == 3:
        extreme = rng.choice(EXTREMES)
        data[at : at + len(extreme)] = extreme
    elif kind == 4:
        del data[at : at + rng.randint(1, 40)]
    elif kind == 5:
        data[at:at] = data[at : at + rng.randint(1, 200)]
    else:
        other = rng.choice(others)
        start = rng.randrange(len(other))
        data[at : at + 60] = other[start : start + rng.randint(1, 60)]


@contextmanager
def api_alone(folder: Path) -> Iterator[tuple[Command, str]]:
    """Run the API by itself, with an empty database."""
    port = free_port()
    variables = {**environment(), "THETAHAT_DATA_DIR": str(folder), "THETAHAT_RATE_PER_S": "0"}
    command = [sys.executable, "-m", "thetahat_service.cli", "migrate"]
    subprocess.run(command, check=True, env=variables, capture_output=True)
    with running("api", "--port", str(port), log=folder / "log", variables=variables) as api:
        url = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + 60
        while True:
            try:
                if httpx.get(f"{url}/v1/datasets").is_success:
                    break
            except httpx.TransportError:
                pass
            assert time.monotonic() < deadline, api.log.read_text()
            time.sleep(0.05)
        yield api, url


def upload_damaged_files(
    numbers: range,
    seed: int,
    folder: Path,
    *,
    stop: threading.Event | None = None,
    show_progress: Callable[[Report], None] | None = None,
) -> Report:
    """Upload damaged files to an API of its own, and return what happened.

    Parameters
    ----------
    numbers : range
        Numbers of the files; the seed and its number determine a file.
    stop : threading.Event or None
        Once it is set, no further file is uploaded.
    show_progress : callable or None
        Called with the report after each thousand files.
    """
    report, stop = Report(), stop or threading.Event()
    ended, counting = threading.Event(), threading.Lock()
    files = valid_files()
    names = sorted(files)
    with (
        api_alone(folder) as (api, url),
        _asking_all_the_time(url, report),
        ThreadPoolExecutor(CLIENTS + 1) as threads,
    ):
        measuring = threads.submit(_measure_memory, api.process.pid, report, ended)
        try:
            with httpx.Client(base_url=url, timeout=120, trust_env=False) as client:

                def upload(number: int) -> None:
                    if stop.is_set():
                        return
                    rng = random.Random(f"{seed} {number}")
                    media_type = names[number % len(names)]
                    content = damage(rng.choice(files[media_type]), files[media_type], rng)
                    answered, faults = _upload(client, media_type, content, number)
                    with counting:
                        report.files += 1
                        report.statuses.update(answered)
                        report.faults += faults
                        if show_progress and report.files % PROGRESS_FILES == 0:
                            show_progress(report)

                list(threads.map(upload, numbers))
        finally:
            ended.set()
            measuring.result()
        if api.process.poll() is not None:
            report.faults.append(f"The API ended with status {api.process.returncode}.")
    report.faults += [
        f"A process {name} took {kilobytes} kB."
        for name, kilobytes in report.memory_kb.items()
        if kilobytes > MOST_MEMORY_KB
    ]
    return report


def _upload(
    client: httpx.Client, media_type: str, content: bytes, number: int
) -> tuple[list[str], list[str]]:
    """Upload, preview and delete a file; return the statuses and what must not happen."""
    statuses = []
    try:
        answer = client.post("/v1/datasets", content=content, headers={"Content-Type": media_type})
        statuses.append(f"upload {answer.status_code}")
        answers = [answer]
        if answer.is_success:
            links = answer.json()["links"]
            answers.append(client.get(links["preview"]))
            statuses.append(f"preview {answers[-1].status_code}")
            client.delete(links["self"])
    except httpx.TransportError as error:
        return statuses, [f"File {number} ({media_type}): no answer, {error!r}."]
    return statuses, [
        f"File {number} ({media_type}): {reply.request.method} {reply.status_code} "
        f"{reply.text[:300]}"
        for reply in answers
        if reply.status_code not in EXPECTED
    ]


@contextmanager
def _asking_all_the_time(url: str, report: Report) -> Iterator[None]:
    """Send small requests until the block ends, from a process that does nothing else."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    port = free_port()
    control = context.Process(target=_serve_nothing, args=[port], daemon=True)
    asking = context.Process(
        target=_ask_all_the_time, args=[url, f"http://127.0.0.1:{port}", theirs], daemon=True
    )
    control.start()
    asking.start()
    theirs.close()  # so that the end of that process is noticed here
    try:
        yield
        ours.send(None)
        report.waits_s, report.control_waits_s, faults = ours.recv()
        report.faults += faults
    finally:
        asking.terminate()
        control.terminate()


def _serve_nothing(port: int) -> None:
    """Answer every request at once, with the same server as the API's."""

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await receive()
            headers = [(b"content-type", b"application/json"), (b"content-length", b"2")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": b"{}"})

    uvicorn.run(answer, host="127.0.0.1", port=port, log_level="error", lifespan="off")


def _ask_all_the_time(url: str, control_url: str, parent: Connection) -> None:
    """Ask both servers in turn until the parent sends something; send it what was measured."""
    waits: dict[str, list[float]] = {url: [], control_url: []}
    faults: list[str] = []
    with httpx.Client(timeout=120, trust_env=False) as client:
        while not parent.poll(PAUSE_S):
            for address, measured in waits.items():
                began = time.monotonic()
                try:
                    client.get(f"{address}/v1/datasets", params={"limit": 1})
                except httpx.TransportError as error:
                    if address == url or measured:  # the control has started
                        faults.append(f"A small request was not answered: {error!r}.")
                else:
                    measured.append(time.monotonic() - began)
    parent.send((waits[url], waits[control_url], faults))


def _measure_memory(pid: int, report: Report, ended: threading.Event) -> None:
    while not ended.wait(MEMORY_PAUSE_S):
        for process in (pid, *_list_descendants(pid)):
            try:
                status = Path(f"/proc/{process}/status").read_text()
            except OSError:
                continue
            fields = dict(line.split(":", 1) for line in status.splitlines())
            name = "api" if process == pid else fields["Name"].strip()
            peak = int(fields.get("VmHWM", "0 kB").split()[0])
            report.memory_kb[name] = max(report.memory_kb.get(name, 0), peak)


def _list_descendants(pid: int) -> Iterator[int]:
    """Return the living descendants of a process; that takes far less time than ``ps``."""
    pids: list[int] = []
    with suppress(OSError):  # the process has ended
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):  # the thread has ended
                pids += map(int, (thread / "children").read_text().split())
    for child in pids:
        yield child
        yield from _list_descendants(child)


def describe_waits(seconds: list[float]) -> str:
    """Return the distribution of waits as text."""
    quantiles = ", ".join(f"{q:g} % within {np.percentile(seconds, q):.3f} s" for q in QUANTILES)
    beyond = sum(wait > LONGEST_WAIT_S for wait in seconds)
    return (
        f"{len(seconds)} requests, {quantiles}, longest {max(seconds):.3f} s, "
        f"{beyond} beyond {LONGEST_WAIT_S:g} s"
    )


def main() -> int:
    """Run from the command line, print what happened, and return 1 if anything must not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=3000, help="Number of files.")
    parser.add_argument("--first", type=int, default=0, help="Number of the first file.")
    parser.add_argument("--seed", type=int, default=0, help="Seed of the damages.")
    options = parser.parse_args()
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    began = time.monotonic()

    def show_progress(report: Report) -> None:
        seconds, memory = time.monotonic() - began, report.memory_kb
        counts = f"{report.files} files in {seconds:.0f} s: {dict(report.statuses)}"
        print(f"{counts}, {len(report.faults)} faults, largest memory in kB {memory}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        report = upload_damaged_files(
            range(options.first, options.first + options.files),
            options.seed,
            Path(folder),
            stop=stop,
            show_progress=show_progress,
        )
    show_progress(report)
    if report.files < options.files:
        print(f"The run ended early. --first {options.first + report.files} continues it.")
    print("Waits of another client:", describe_waits(report.waits_s))
    print("   for a server that does nothing else:", describe_waits(report.control_waits_s))
    print("\n".join(report.faults[:50]) or "No faults.")
    return int(bool(report.faults))


if __name__ == "__main__":
    sys.exit(main())
