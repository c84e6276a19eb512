"""``python -m tests.soak``: use the service steadily, and see whether its memory stays the same.

Two clients submit evaluations, poll them, read and delete them, and upload, preview and delete data
sets. Meanwhile the resident memory of every process is recorded. Memory is flat if the slope of
each group of processes, once the workers have imported what learners may need, is below a limit per
evaluation.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

import httpx
import numpy as np
from scipy.stats import theilslopes

from tests.chaos.jobs import build_requests, draw_request
from tests.service.supervisor.processes import Command, descendants, environment, running

CLIENTS: Final = 2
SAMPLE_S: Final = 2.0
SETTLED_S: Final = 60.0
SETTLED_MB: Final = 2.0
"""The measurement begins when the workers, which import packages while they are idle, have grown
by less than this in so many seconds."""
LONGEST_SETTLING_S: Final = 900.0
MOST_KB_PER_EVALUATION: Final = 8.0
"""Largest slope of a group. The document, the request and the result of one evaluation that stay in
memory as Python objects take more than this, and a smaller slope cannot be told from the changes
that allocators make by themselves within ten minutes."""
POLL_S: Final = 0.05
END_S: Final = 120.0
UPLOAD_EVERY: Final = 5
UNFINISHED: Final = frozenset({"queued", "running"})
BROKERS: Final = ("valkey-server", "redis-server")


@dataclass
class Record:
    """What was measured.

    Parameters
    ----------
    times : list of float
        Seconds since the start, one for each sample.
    finished : list of int
        Number of evaluations that were submitted, read and deleted by then.
    memory_mb : dict of list
        Resident memory by group of processes.
    workers : set of int
        Process ids of all processes that computed; more than there are at a time if some were
        replaced.
    problems : list of str
        Answers that must not be.
    settling_s : float
        Seconds of use before the measurement began.
    """

    times: list[float] = field(default_factory=list)
    finished: list[int] = field(default_factory=list)
    memory_mb: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    workers: set[int] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    settling_s: float = 0.0


class Load:
    """Clients that use the service until they are stopped."""

    def __init__(self, url: str, pause_s: float, record: Record) -> None:
        self._url, self._pause_s, self._record = url, pause_s, record
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._use, args=[i]) for i in range(CLIENTS)]
        self._numbers = itertools.count()
        self.n_finished = 0

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _use(self, client_number: int) -> None:
        rng, choose = random.Random(client_number), np.random.default_rng(client_number)
        bodies = [body for body in build_requests() if body["kind"] != "sleeping"]
        with httpx.Client(base_url=self._url, timeout=30.0, trust_env=False) as client:
            while not self._ended.is_set():
                number = next(self._numbers)
                try:
                    if number % UPLOAD_EVERY == 0:
                        self._use_dataset(client, rng)
                    self._use_evaluation(
                        client, {**bodies[draw_request(bodies, choose)], "seed": number}
                    )
                except (httpx.HTTPError, AssertionError) as error:
                    self._record.problems.append(repr(error))
                self.n_finished += 1
                self._ended.wait(self._pause_s)

    def _use_evaluation(self, client: httpx.Client, body: Mapping[str, Any]) -> None:
        address = self._submit(client, body)
        client.get("/v1/evaluations", params={"limit": 20}).raise_for_status()
        client.get(f"{address}/result").raise_for_status()
        client.get(f"{address}/losses")
        client.delete(address).raise_for_status()

    def _submit(self, client: httpx.Client, body: Mapping[str, Any]) -> str:
        """Submit an evaluation, wait for its success and return its address."""
        answer = client.post("/v1/evaluations", json=body).raise_for_status()
        address = f"/v1/evaluations/{answer.json()['id']}"
        deadline = time.monotonic() + END_S
        while (document := client.get(address).json())["status"] in UNFINISHED:
            assert time.monotonic() < deadline, document
            time.sleep(POLL_S)
        assert document["status"] == "succeeded", document
        client.get(f"{address}/events").raise_for_status()
        return address

    def _use_dataset(self, client: httpx.Client, rng: random.Random) -> None:
        lines = (f"{rng.random()},{rng.random()},{rng.choice('ab')}" for _ in range(500))
        content = "x,z,y\n" + "\n".join(lines)
        answer = client.post(
            "/v1/datasets", content=content.encode(), headers={"Content-Type": "text/csv"}
        ).raise_for_status()
        links = answer.json()["links"]
        client.get(links["preview"]).raise_for_status()
        client.delete(links["self"]).raise_for_status()


def run(seconds: float, pause_s: float, folder: Path) -> Record:
    """Use an embedded service for so many seconds, and record its memory."""
    record = Record()
    variables = {**environment(), "THETAHAT_RATE_PER_S": "0"}
    words = ("serve", "--port", "0", "--data-dir", str(folder / "data"), "--workers", "2")
    with running(*words, log=folder / "log", variables=variables) as serve:
        url = serve.wait_for(r"answers at (http://\S+)", END_S)[1]
        with Load(url, pause_s, record) as load:
            settling = Record(problems=record.problems)
            _sample_until(lambda: _has_settled(settling), LONGEST_SETTLING_S, serve, load, settling)
            record.settling_s = settling.times[-1]
            _sample_until(lambda: False, seconds, serve, load, record)
    return record


def _sample_until(
    is_over: Callable[[], bool], seconds: float, serve: Command, load: Load, record: Record
) -> None:
    began = time.monotonic()
    while (elapsed := time.monotonic() - began) < seconds and not is_over():
        _sample(serve.process.pid, elapsed, load.n_finished, record)
        time.sleep(SAMPLE_S)


def _has_settled(record: Record) -> bool:
    if not record.times or record.times[-1] < SETTLED_S:
        return False
    recent = np.array(record.times) > record.times[-1] - SETTLED_S
    memory = np.array(record.memory_mb["workers"])[recent]
    return bool(np.ptp(memory) < SETTLED_MB)


def _sample(supervisor: int, elapsed: float, n_finished: int, record: Record) -> None:
    memory: dict[str, float] = defaultdict(float)
    statuses: dict[int, dict[str, str]] = {}
    for pid in (supervisor, *descendants(supervisor)):
        try:
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        except OSError:  # it has just ended
            continue
        statuses[pid] = dict(line.split(":", 1) for line in lines)
    names = {pid: status["Name"].strip() for pid, status in statuses.items()}
    for pid, status in statuses.items():
        parent_name = names.get(int(status["PPid"]), "")
        group = "supervisor" if pid == supervisor else _name_group(names[pid], parent_name)
        if group == "workers":
            record.workers.add(pid)
        memory[group] += int(status.get("VmRSS", "0 kB").split()[0]) / 1024
    record.times.append(elapsed)
    record.finished.append(n_finished)
    for group in GROUPS:
        record.memory_mb[group].append(memory[group])


GROUPS: Final = (
    "api",
    "workers",
    "worker parent",
    "keeper",
    "supervisor",
    "sweep",
    "broker",
    "parsers",
)


def _name_group(name: str, parent_name: str) -> str:
    if name == "thetahat-worker":
        return "worker parent" if parent_name == "thetahat-keeper" else "workers"
    return "broker" if name in BROKERS else name.replace("thetahat-", "").replace("ser", "sers")


@dataclass(frozen=True)
class Slope:
    """How the memory of a group of processes changes.

    Parameters
    ----------
    mb_per_minute : float
        Median slope between all pairs of samples (Theil-Sen), which single peaks do not change.
    kb_per_evaluation : float
        The same, divided by the evaluations in a minute.
    """

    mb_per_minute: float
    kb_per_evaluation: float

    @property
    def is_flat(self) -> bool:
        """Whether the memory does not grow."""
        return self.kb_per_evaluation < MOST_KB_PER_EVALUATION


def measure_slopes(record: Record) -> dict[str, Slope]:
    """Return the slopes of all groups."""
    minutes = np.array(record.times) / 60
    rate = (record.finished[-1] - record.finished[0]) / (minutes[-1] - minutes[0])
    slopes = {}
    for group, memory in record.memory_mb.items():
        slope = float(theilslopes(np.array(memory), minutes).slope)
        slopes[group] = Slope(slope, slope * 1024 / rate)
    return slopes


def format_report(record: Record, slopes: Mapping[str, Slope]) -> Iterator[str]:
    """Yield the lines of the report: the mean memory of each minute, and the slopes."""
    times = np.array(record.times)
    yield "minute  evaluations " + "".join(f"{group:>15}" for group in record.memory_mb)
    for minute in range(int(times[-1] // 60) + 1):
        inside = (times >= 60 * minute) & (times < 60 * (minute + 1))
        finished = np.array(record.finished)[inside][-1]
        means = [np.mean(np.array(memory)[inside]) for memory in record.memory_mb.values()]
        yield f"{minute + 1:6d} {finished:12d} " + "".join(f"{mean:12.1f} MB" for mean in means)
    yield f"Slopes, measured after {record.settling_s:.0f} s of use:"
    for group, slope in slopes.items():
        verdict = "flat" if slope.is_flat else "GROWS"
        yield (
            f"  {group:14} {slope.mb_per_minute:+8.3f} MB a minute, "
            f"{slope.kb_per_evaluation:+8.2f} kB an evaluation: {verdict}"
        )
    yield f"Worker processes: {len(record.workers)}. Problems: {record.problems[:5] or 'none'}"


def main() -> int:
    """Run from the command line; return 1 if memory grows or an answer was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--pause", type=float, default=0.1, help="of a client, in seconds")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="thetahat-soak-") as folder:
        record = run(options.seconds, options.pause, Path(folder))
    slopes = measure_slopes(record)
    print("\n".join(format_report(record, slopes)))
    return int(bool(record.problems) or not all(slope.is_flat for slope in slopes.values()))


if __name__ == "__main__":
    sys.exit(main())
