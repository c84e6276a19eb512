"""``python -m tests.chaos``: run evaluations under faults and compare every byte of their results.

First each different evaluation runs undisturbed. Then many of them run, two clients add to one
series, and a third names a protocol in evaluations and series, while faults follow one another,
with as many busy processes beside them as ``--load`` says. The exit status is 1 if any count other
than those of evaluations, batches, names and faults is not 0.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import numpy as np
import sqlalchemy as sa

from tests.chaos.jobs import N_SEEDS, Client, Outcome, build_requests, draw_request, judge
from tests.chaos.progress import POLL_S, count_finished, wait_until_finished
from tests.chaos.protocols import ProtocolClient
from tests.chaos.series import PAUSE_S, SeriesClients
from tests.chaos.setups import SETUPS, Setup
from tests.chaos.small_disk import RECORD_MB, SIZE_MB, small_disk
from tests.servers.processes import busy_processes
from thetahat_service.storage.tables import EVALUATION
from thetahat_service.storage.unit_of_work import reading

END_S: Final = 240.0
"""How long all evaluations may take after the last fault; those that take longer are stuck."""
MOST_WAITING: Final = 30
LONGEST_PAUSE_S: Final = 1.0
SLOW_S: Final = 5.0
"""A recovery that is printed with its time, so that it is found in the logs."""
PROGRESS_FAULTS: Final = 20
"""Faults between two lines about the progress."""

Job = tuple[int, UUID, bool]
"""The number of the request, the evaluation, and whether it poisons the process that runs it."""


@dataclass
class Report:
    """What was run, and what went wrong: every count of ``wrong`` must be 0."""

    setup: str
    seed: int
    jobs: int
    faults: Counter[str] = field(default_factory=Counter)
    wrong: dict[str, int] = field(default_factory=dict)
    batches: int = 0
    lost_answers: int = 0
    named: int = 0
    recovery_s: list[tuple[float, str]] = field(default_factory=list)
    seconds: float = 0.0

    def write(self) -> None:
        """Print the report."""
        print(f"== {self.setup}, seed {self.seed}: {self.jobs} evaluations in {self.seconds:.0f} s")
        print(
            f"   series: {self.batches} batches by two clients, {self.lost_answers} answers lost "
            "and the batch sent again"
        )
        print(f"   protocol: named by {self.named} evaluations and series")
        print("   faults:", ", ".join(f"{k} {n}" for k, n in sorted(self.faults.items())))
        print("   wrong:", ", ".join(f"{k} {n}" for k, n in self.wrong.items()))
        by_fault: dict[str, list[float]] = defaultdict(list)
        for seconds, name in self.recovery_s:
            by_fault[name].append(seconds)
            by_fault["all faults"].append(seconds)
        if by_fault:
            print("   seconds from the end of a fault to the next finished evaluation")
            print(f"   {'':20}{'faults':>8}{'median':>8}{'90 %':>8}{'worst':>8}")
        for name in sorted(by_fault):
            median, most, worst = np.quantile(by_fault[name], (0.5, 0.9, 1.0))
            print(f"   {name:20}{len(by_fault[name]):8}{median:8.1f}{most:8.1f}{worst:8.1f}")
        sys.stdout.flush()


class Disturbance(threading.Thread):
    """Makes one fault after another, and measures when the next evaluation is finished.

    The thread then stays until the service is stopped: the kernel ends each server with the thread
    that started it.
    """

    def __init__(self, setup: Setup, n_faults: int, seed: int, report: Report) -> None:
        super().__init__(daemon=True)
        self._setup, self._n_faults, self._report = setup, n_faults, report
        self._rng = np.random.default_rng(seed)
        self.idle = threading.Event()  # all evaluations have been submitted
        self.over = threading.Event()  # all faults have been made
        self.stopped = threading.Event()  # the service is no longer needed
        self.error: BaseException | None = None

    def run(self) -> None:
        """Make the faults."""
        try:
            names = sorted(self._setup.faults)
            for number in range(self._n_faults):
                name = names[int(self._rng.integers(len(names)))]
                # The faults are spread over all evaluations.
                due = number * self._report.jobs // self._n_faults - MOST_WAITING
                wait_until_finished(due, END_S)
                self._setup.faults[name](self._rng)
                self._report.faults[name] += 1
                self._measure(count_finished(), name)
                if (number + 1) % PROGRESS_FAULTS == 0:
                    print(f"   {number + 1} faults, {count_finished()} finished", flush=True)
                time.sleep(self._rng.uniform(0.0, LONGEST_PAUSE_S))
        except BaseException as error:  # noqa: BLE001 - the main thread raises it
            self.error = error
        self.over.set()
        self.stopped.wait()

    def _measure(self, before: int, name: str) -> None:
        ended = time.monotonic()
        while count_finished() <= before and not self.idle.is_set():
            time.sleep(POLL_S)
            if time.monotonic() - ended > END_S:
                return
        seconds = time.monotonic() - ended
        if not self.idle.is_set():
            self._report.recovery_s.append((seconds, name))
        if seconds > SLOW_S:
            print(f"   {name}, {seconds:.1f} s until {datetime.now(UTC):%H:%M:%S}", flush=True)


def run(
    name: str,
    n_jobs: int,
    n_faults: int,
    seed: int,
    folder: Path,
    n_seeds: int = N_SEEDS,
    pause_s: float = PAUSE_S,
) -> Report:
    """Run one set-up under faults and return what happened; logs are kept beside the folder."""
    report = Report(name, seed, n_jobs)
    bodies = build_requests(n_seeds)
    rng = np.random.default_rng([seed, 1])
    size_mb = RECORD_MB if name.startswith("power") else SIZE_MB
    with small_disk(folder, size_mb) as has_small_disk, SETUPS[name](folder) as setup:
        if not has_small_disk and "disk_full" in setup.faults:
            print("   The fault disk_full is left out: no disk can be mounted here.")
            del setup.faults["disk_full"]
        client = Client(setup.url)
        expected = _run_undisturbed(client, bodies)
        series = SeriesClients(setup.url, seed, pause_s)
        planned = ProtocolClient(setup.url, seed)
        began = time.monotonic()
        disturbance = Disturbance(setup, n_faults, seed, report)
        disturbance.start()
        jobs, others = _submit_all(client, bodies, n_jobs, disturbance, planned, rng, folder)
        disturbance.idle.set()
        disturbance.over.wait()
        if disturbance.error is not None:
            raise disturbance.error
        planned.stop()
        n_all = len(bodies) + len(jobs) + len(others) + len(planned.evaluations)
        wait_until_finished(n_all, END_S)
        report.seconds = time.monotonic() - began
        series.stop()
        report.batches, report.lost_answers = series.n_batches, series.lost_answers
        report.lost_answers += planned.lost_answers
        report.named = planned.n_named
        report.wrong = _compare(client, jobs, expected, n_all)
        report.wrong |= series.compare() | planned.compare()
        ended = [job[1] for job in jobs] + planned.list_evaluations()
        report.wrong["undelivered"] = setup.wait_for_deliveries(ended)
        report.jobs = len(jobs)
    disturbance.stopped.set()
    return report


def _run_undisturbed(client: Client, bodies: Sequence[dict[str, Any]]) -> list[Outcome]:
    submitted = [client.submit(body) for body in bodies]
    wait_until_finished(len(submitted), END_S)
    outcomes = [client.read(evaluation) for evaluation in submitted]
    assert all(
        evaluation is not None and evaluation.status == "succeeded" for evaluation in outcomes
    ), outcomes
    return [evaluation for evaluation in outcomes if evaluation is not None]


def _submit_all(
    client: Client,
    bodies: Sequence[dict[str, Any]],
    n_jobs: int,
    disturbance: Disturbance,
    planned: ProtocolClient,
    rng: np.random.Generator,
    folder: Path,
) -> tuple[list[Job], list[UUID]]:
    """Submit evaluations while the faults last; return them, and those that were cancelled.

    Some are cancelled at any moment of their life, and some leave their process unable to compute.
    """
    jobs: list[Job] = []
    cancelled: list[UUID] = []
    while len(jobs) < n_jobs or not disturbance.over.is_set():
        which = draw_request(bodies, rng)
        body, is_poisoned = bodies[which], False
        if body["kind"] == "sleeping" and "n_chunks" not in body and rng.random() < 0.1:
            marker = folder.parent / f"poisoned-{len(jobs)}"
            body, is_poisoned = {**body, "fault": "poison", "marker": str(marker)}, True
        jobs.append((which, client.submit(body), is_poisoned))
        if rng.random() < 0.05:
            victim = client.submit(bodies[draw_request(bodies, rng)])
            time.sleep(rng.uniform(0.0, 0.3))
            client.cancel(victim)
            cancelled.append(victim)
        while _count_left(len(bodies) + len(jobs) + len(cancelled), planned) > MOST_WAITING:
            time.sleep(POLL_S)
            if disturbance.error is not None:
                raise disturbance.error
    return jobs, cancelled


def _count_left(n_submitted: int, planned: ProtocolClient) -> int:
    """Return the evaluations that are not finished."""
    return n_submitted + len(planned.evaluations) - count_finished()


def _compare(
    client: Client, jobs: Sequence[Job], expected: Sequence[Outcome], n_all: int
) -> dict[str, int]:
    """Return the counts of what went wrong; the first cases are printed."""
    wrong: Counter[str] = Counter()
    for which, evaluation_id, is_poisoned in jobs:
        outcome = client.read(evaluation_id)
        verdict = judge(outcome, expected[which], is_poisoned=is_poisoned)
        if verdict is not None:
            wrong[verdict] += 1
            if wrong[verdict] <= 3:
                error = None if outcome is None else outcome.error
                print(f"   {verdict}: evaluation {evaluation_id}, request {which}: {error}")
    with reading() as connection:
        n_stored = connection.execute(sa.select(sa.func.count()).select_from(EVALUATION)).scalar()
    wrong["doubled"] = max(0, int(n_stored or 0) - n_all)
    names = ("lost", "doubled", "stuck", "altered", "falsely failed", "learners missing")
    return {name: wrong[name] for name in names}


@contextlib.contextmanager
def _copied_logs(folder: Path, target: Path | None) -> Iterator[None]:
    """Copy the files beside the data at the end, for whoever looks for the cause of a fault."""
    try:
        yield
    finally:
        if target is not None:
            target.mkdir(parents=True, exist_ok=True)
            for file in folder.iterdir():
                if file.is_file():
                    shutil.copy(file, target)


def main() -> None:
    """Run the set-ups on the command line and print their reports."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2000, help="evaluations on each set-up")
    parser.add_argument("--faults", type=int, default=300, help="faults on each set-up")
    parser.add_argument("--seed", type=int, default=1, help="of the faults and their order")
    parser.add_argument(
        "--seeds", type=int, default=N_SEEDS, help="different evaluations of each sort"
    )
    parser.add_argument(
        "--pause",
        type=float,
        default=PAUSE_S,
        help="longest pause in seconds between two batches of a client",
    )
    parser.add_argument("--setup", choices=sorted(SETUPS), action="append")
    parser.add_argument(
        "--load", type=int, default=0, help="busy processes beside the service, for example 10"
    )
    parser.add_argument("--logs", type=Path, help="folder into which the logs are copied")
    options = parser.parse_args()
    is_wrong = False
    for name in options.setup or sorted(SETUPS):
        with tempfile.TemporaryDirectory(prefix="thetahat-chaos-") as folder:
            (Path(folder) / "data").mkdir()
            logs = options.logs and options.logs / name
            with _copied_logs(Path(folder), logs), busy_processes(options.load):
                report = run(
                    name,
                    options.jobs,
                    options.faults,
                    options.seed,
                    Path(folder) / "data",
                    options.seeds,
                    options.pause,
                )
        report.write()
        is_wrong |= any(report.wrong.values())
    sys.exit(is_wrong)


if __name__ == "__main__":
    main()
