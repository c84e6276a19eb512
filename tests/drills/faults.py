"""Drills with a service at work: a part of it is lost, the disk is full or the clock is set."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from tests.chaos.jobs import Client, Outcome, build_requests, judge
from tests.chaos.progress import POLL_S, count_finished, wait_until_finished
from tests.chaos.setups import HOUR_S, SETUPS, Setup
from tests.chaos.small_disk import small_disk
from tests.drills.report import Drill

END_S: Final = 240.0
FAULTS: Final = {
    "loss of the broker": "broker_killed",
    "loss of a machine with workers": "machine_lost",
    "full disk": "disk_full",
}
CLOCKS: Final = {"clock an hour forward": HOUR_S, "clock an hour back": -HOUR_S}
"""Where the clock is set, from the right time."""


def run(setup_name: str, folder: Path) -> Iterator[Drill]:
    """Run the drills on a set-up, one after another."""
    rng = np.random.default_rng(1)
    with small_disk(folder) as has_small_disk, SETUPS[setup_name](folder) as setup:
        expected = _run_undisturbed(setup)
        for name, fault in FAULTS.items():
            if fault == "disk_full" and not has_small_disk:
                print("   The full disk is left out: no disk can be mounted here.")
                continue
            yield _drill(name, partial(setup.faults[fault], rng), setup, expected)
        if setup.set_clock is None:
            return
        for name, seconds in CLOCKS.items():
            yield _drill(name, partial(setup.set_clock, seconds), setup, expected)
            setup.set_clock(0)


def _run_undisturbed(setup: Setup) -> list[Outcome]:
    client = Client(setup.url)
    submitted = [client.submit(body) for body in build_requests()]
    wait_until_finished(len(submitted), END_S)
    outcomes = [client.read(identifier) for identifier in submitted]
    found = [outcome for outcome in outcomes if outcome and outcome.status == "succeeded"]
    assert len(found) == len(submitted), outcomes
    return found


def _drill(
    name: str, fault: Callable[[], None], setup: Setup, expected: Sequence[Outcome]
) -> Drill:
    """Have a fault while work is done, and compare all results with those without it.

    The recovery is the time from the end of the fault to the next result.
    """
    client, n_before = Client(setup.url), count_finished()
    submitted = [client.submit(body) for body in build_requests()]
    wait_until_finished(n_before + 1, END_S)
    n_at_fault, n_all = count_finished(), n_before + len(submitted)
    fault()
    ended = time.monotonic()
    while count_finished() <= n_at_fault < n_all and time.monotonic() - ended < END_S:
        time.sleep(POLL_S)
    recovery_s = time.monotonic() - ended
    wait_until_finished(n_all, END_S)
    outcomes = [client.read(identifier) for identifier in submitted]
    verdicts = map(judge, outcomes, expected)
    lost = Counter(verdict for verdict in verdicts if verdict is not None)
    undelivered = setup.wait_for_deliveries(submitted)
    return Drill(name, lost | {"undelivered": undelivered}, recovery_s)
