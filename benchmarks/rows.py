"""One row of the page of benchmarks: a task timed beside a peer and beside the machine's limit.

Times are CPU seconds of this process with one BLAS thread, so that other work on the machine
changes them little. ``benchmarks.__main__`` sets the number of threads before numpy is imported.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from benchmarks.limits import MachineLimits

REPEATS: Final = 5
SLOW_SECONDS: Final = 0.75
"""A call that takes longer is timed once; the row says how often each side was timed."""
BUDGET_SECONDS: Final = 480.0
"""From so long after the start on every call is timed once, so that a run ends in 15 minutes."""
SHORT_SECONDS: Final = 0.005
"""Calls that take less are repeated until one measurement lasts this long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkRow:
    """What one row of the page shows.

    Parameters
    ----------
    task : str
        Name of the task; rows of one task with several sizes make one figure.
    use : str
        One sentence: what a user does with it.
    size : int
        The number that grows from row to row.
    unit : str
        What is counted by ``size``.
    setting : str
        All else that matters for the cost.
    peer : str
        What a user would call instead; empty without a peer.
    seconds : float or None
        Median seconds of thetahat; None where the row failed.
    peer_seconds : float or None
        Median seconds of the peer, scaled to the whole work.
    peer_share : float
        Share of the work that the peer did.
    repeats, peer_repeats : int
        How often each was timed.
    limit_seconds : float or None
        The least time in which this machine can read the bytes or do the operations.
    limit : str
        Which bytes or operations that are.
    difference : float or None
        Largest difference of the numbers from the peer's.
    tolerance : float
        Largest difference that is expected.
    clock : str
        ``processor`` for CPU seconds of this process, ``wall`` where other processes do the work.
    target_seconds : float or None
        The time that is aimed at, where there is no peer.
    least_ratio : float or None
        The ratio to the peer that is aimed at, where it is another one than 1.
    reason : str
        Why a target may be missed, from measurements; the page shows it where the target is missed.
    note : str
        Anything else that was measured.
    error : str
        Why the row has no figures; empty otherwise.
    """

    task: str
    use: str
    size: int
    unit: str
    setting: str = ""
    peer: str = ""
    seconds: float | None = None
    peer_seconds: float | None = None
    peer_share: float = 1.0
    repeats: int = 0
    peer_repeats: int = 0
    limit_seconds: float | None = None
    limit: str = ""
    difference: float | None = None
    tolerance: float = 0.0
    clock: str = "processor"
    target_seconds: float | None = None
    least_ratio: float | None = None
    reason: str = ""
    note: str = ""
    error: str = ""

    @property
    def ratio_to_peer(self) -> float | None:
        """The peer's seconds for each second of thetahat."""
        if self.seconds is None or self.peer_seconds is None:
            return None
        return self.peer_seconds / self.seconds

    @property
    def ratio_to_limit(self) -> float | None:
        """The seconds of thetahat for each second that the machine needs at least."""
        if self.seconds is None or not self.limit_seconds:
            return None
        return self.seconds / self.limit_seconds

    @property
    def misses_target(self) -> bool:
        """Whether the time, or the ratio to the peer, is worse than what is aimed at."""
        if self.seconds is None:
            return False
        is_late = self.target_seconds is not None and self.seconds > self.target_seconds
        ratio = self.ratio_to_peer
        return is_late or (ratio is not None and ratio < (self.least_ratio or 0.0))

    @property
    def numbers_agree(self) -> bool:
        """Whether the numbers differ from the peer's by no more than the tolerance."""
        return not self.error and (self.difference is None or self.difference <= self.tolerance)


def largest_difference(ours: Any, theirs: Any) -> float:
    """Return the largest absolute difference of two arrays of one shape."""
    first, second = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    if first.shape != second.shape:
        message = f"The results have the shapes {first.shape} and {second.shape}."
        raise ValueError(message)
    return float(np.abs(first - second).max())


def relative_difference(ours: Any, theirs: Any) -> float:
    """Return the largest difference of two arrays, as a share of the largest of the second."""
    return largest_difference(ours, theirs) / float(np.abs(np.asarray(theirs)).max())


def time_call(call: Callable[[], Any], count: int = 1) -> tuple[float, Any]:
    """Return the CPU seconds of one of ``count`` calls, and the last result."""
    result = None
    start = time.process_time()
    for _ in range(count):
        result = call()
    return (time.process_time() - start) / count, result


def time_in_turns(
    calls: list[Callable[[], Any]], repeats: int
) -> tuple[list[list[float]], list[Any]]:
    """Return the CPU seconds of each function, called in turns, and each one's last result.

    The first call of each warms up and is not counted, unless it is slow: then it is the only one.
    """
    results: list[Any] = []
    times: list[list[float]] = [[] for _ in calls]
    counts, wanted = [], []
    for position, call in enumerate(calls):
        seconds, result = time_call(call)
        results.append(result)
        slow = seconds > SLOW_SECONDS
        if slow:
            times[position].append(seconds)
        wanted.append(1 if slow else repeats)
        counts.append(max(1, min(200, int(SHORT_SECONDS / max(seconds, 1e-9)))))
    for _ in range(repeats):
        for position, call in enumerate(calls):
            if len(times[position]) < wanted[position]:
                seconds, results[position] = time_call(call, counts[position])
                times[position].append(seconds)
    return times, results


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Measures rows on one machine in one run.

    Parameters
    ----------
    limits : MachineLimits
        The rates of this machine, measured in the same run.
    short : bool
        Whether tasks take small sizes and time each side once.
    began : float
        When the run began, by ``time.perf_counter``.
    """

    limits: MachineLimits
    short: bool = False
    began: float = field(default_factory=time.perf_counter)

    @property
    def repeats(self) -> int:
        """How often each side of a row is timed from now on."""
        is_late = time.perf_counter() - self.began > BUDGET_SECONDS
        return 1 if self.short or is_late else REPEATS

    def compare(  # noqa: PLR0913 - the columns of the page
        self,
        *,
        task: str,
        use: str,
        size: int,
        unit: str,
        ours: Callable[[], Any],
        peer: str = "",
        peer_call: Callable[[], Any] | None = None,
        peer_share: float = 1.0,
        difference: Callable[[Any, Any], float] | None = largest_difference,
        tolerance: float = 1e-8,
        bytes_read: float = 0.0,
        flops: float = 0.0,
        setting: str = "",
        note: Callable[[Any], str] = lambda _: "",
    ) -> BenchmarkRow:
        """Time thetahat and the peer in turns; an exception becomes the row's ``error``.

        Without ``difference`` the two do the same work on other numbers.
        """
        row: dict[str, Any] = {
            "task": task, "use": use, "size": size, "unit": unit, "setting": setting, "peer": peer,
            "peer_share": peer_share, "tolerance": tolerance,
        }  # fmt: skip
        limit_seconds, limit = self.limits.describe_limit(bytes_read, flops)
        row |= {"limit_seconds": limit_seconds, "limit": limit}
        try:
            calls = [ours] if peer_call is None else [ours, peer_call]
            times, results = time_in_turns(calls, self.repeats)
            row |= {
                "seconds": statistics.median(times[0]),
                "repeats": len(times[0]),
                "note": note(results[0]),
            }
            if peer_call is not None:
                row |= {
                    "peer_seconds": statistics.median(times[1]) / peer_share,
                    "peer_repeats": len(times[1]),
                    "difference": None if difference is None else difference(*results),
                }
        except Exception as fault:  # noqa: BLE001 - the other rows are measured all the same
            row["error"] = f"{type(fault).__name__}: {fault}"
        return BenchmarkRow(**row)
