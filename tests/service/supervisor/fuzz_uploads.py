"""Uploads of damaged files to a running API: ``python -m tests.service.supervisor.fuzz_uploads``.

Valid files of every format are damaged at random, from a seed, and uploaded. What is accepted is
previewed and deleted. The API must stay the same process, answer nothing with a status of 500 or
more, and stay below a gigabyte of memory, and so must each parser. Meanwhile another client asks
for something small all the time, and its longest wait is reported.
"""

from __future__ import annotations

import argparse
import dataclasses
import io
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import httpx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy.sparse import csr_array

from tests.service.supervisor.processes import Command, descendants, environment, running

MOST_MEMORY_KB: Final = 1_000_000
EXPECTED: Final = frozenset({200, 201, 413, 422})
CLIENTS: Final = 2
EXTREMES: Final = (b"\xff" * 4, b"\xff\xff\xff\x7f", b"\x00" * 8, b"\xff" * 8, b"\x80", b"\x01\x00")


@dataclasses.dataclass
class Report:
    """What happened to the uploads.

    Parameters
    ----------
    statuses : Counter
        Number of answers by status, of uploads and of previews.
    faults : list of str
        Descriptions of everything that must not happen.
    longest_wait_s : float
        Of another client's small request.
    memory_kb : dict of int
        Largest resident memory of the API process and of a parser.
    """

    statuses: Counter[str] = dataclasses.field(default_factory=Counter)
    faults: list[str] = dataclasses.field(default_factory=list)
    longest_wait_s: float = 0.0
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
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    variables = {**environment(), "THETAHAT_DATA_DIR": str(folder), "THETAHAT_RATE_PER_S": "0"}
    command = [sys.executable, "-m", "service.cli", "migrate"]
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


def upload_damaged_files(n: int, seed: int, folder: Path) -> Report:
    """Upload n damaged files to an API of its own, and return what happened."""
    report, stop = Report(), threading.Event()
    files = valid_files()
    names = sorted(files)
    with api_alone(folder) as (api, url), ThreadPoolExecutor(CLIENTS + 2) as threads:
        watching = [
            threads.submit(_ask_all_the_time, url, report, stop),
            threads.submit(_measure_memory, api.process.pid, report, stop),
        ]
        try:
            with httpx.Client(base_url=url, timeout=120, trust_env=False) as client:

                def upload(number: int) -> None:
                    rng = random.Random(f"{seed} {number}")
                    media_type = names[number % len(names)]
                    content = damage(rng.choice(files[media_type]), files[media_type], rng)
                    _upload(client, media_type, content, number, report)

                list(threads.map(upload, range(n)))
        finally:
            stop.set()
            for one in watching:
                one.result()
        if api.process.poll() is not None:
            report.faults.append(f"The API ended with status {api.process.returncode}.")
    report.faults += [
        f"A process {name} took {kilobytes} kB."
        for name, kilobytes in report.memory_kb.items()
        if kilobytes > MOST_MEMORY_KB
    ]
    return report


def _upload(
    client: httpx.Client, media_type: str, content: bytes, number: int, report: Report
) -> None:
    try:
        answer = client.post("/v1/datasets", content=content, headers={"Content-Type": media_type})
        report.statuses[f"upload {answer.status_code}"] += 1
        answers = [answer]
        if answer.is_success:
            links = answer.json()["links"]
            answers.append(client.get(links["preview"]))
            report.statuses[f"preview {answers[-1].status_code}"] += 1
            client.delete(links["self"])
    except httpx.TransportError as error:
        report.faults.append(f"File {number} ({media_type}): no answer, {error!r}.")
        return
    report.faults += [
        f"File {number} ({media_type}): {one.request.method} {one.status_code} {one.text[:300]}"
        for one in answers
        if one.status_code not in EXPECTED
    ]


def _ask_all_the_time(url: str, report: Report, stop: threading.Event) -> None:
    with httpx.Client(base_url=url, timeout=120, trust_env=False) as client:
        while not stop.wait(0.02):
            began = time.monotonic()
            try:
                client.get("/v1/datasets", params={"limit": 1})
            except httpx.TransportError as error:
                report.faults.append(f"A small request was not answered: {error!r}.")
                return
            report.longest_wait_s = max(report.longest_wait_s, time.monotonic() - began)


def _measure_memory(pid: int, report: Report, stop: threading.Event) -> None:
    while not stop.wait(0.25):
        for process, line in {pid: "api", **descendants(pid)}.items():
            name = "api" if process == pid else line.split()[0]
            try:
                status = Path(f"/proc/{process}/status").read_text()
            except OSError:
                continue
            peak = next((s.split()[1] for s in status.splitlines() if s.startswith("VmHWM")), "0")
            report.memory_kb[name] = max(report.memory_kb.get(name, 0), int(peak))


def main() -> int:
    """Run from the command line, print what happened, and return 1 if anything must not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = upload_damaged_files(options.files, options.seed, Path(folder))
    print(f"{options.files} files in {time.monotonic() - began:.0f} s: {dict(report.statuses)}")
    print(f"Longest wait of another client: {report.longest_wait_s:.3f} s")
    print(f"Largest memory in kB: {report.memory_kb}")
    print("\n".join(report.faults[:50]) or "No faults.")
    return int(bool(report.faults))


if __name__ == "__main__":
    sys.exit(main())
