"""The limit of requests per owner, and the delay of answers to wrong keys.

Both are counted in this process. Several API processes together allow several times as much.
"""

from __future__ import annotations

import time
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Final

WINDOW_S: Final = 10
"""Requests of this many seconds may come at once."""
MAX_COUNTED: Final = 10_000

FIRST_DELAY_S: Final = 0.05
LONGEST_DELAY_S: Final = 5.0
FORGIVEN_S: Final = 600.0
MAX_DELAYED: Final = 50
"""Requests with a wrong key that may wait at once; more are refused without a delay."""
RECORDED_AGAIN_S: Final = 60.0
"""Pause between entries of the audit log about the same wrong key of the same address."""
MOST_RECORDED: Final = 600
"""Entries about wrong keys in such a pause, so that nobody fills the audit log."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """The requests that an owner may still send."""

    limit: int
    """Requests that may come at once."""
    remaining: int
    """The number that are left; negative if the request is over the limit."""
    reset_s: float
    """Seconds until all of them may be sent again, if no further request comes."""
    retry_after_s: float
    """Seconds until a request is accepted again; 0 when this one is."""


@dataclass(eq=False)
class RequestRates:
    """A bucket of tokens for each owner, refilled at a fixed rate; a request takes a token."""

    per_second: float
    """Requests per second that an owner may send for a long time."""
    _buckets: dict[Hashable, tuple[float, float]] = field(default_factory=dict)

    def take(self, owner: Hashable) -> Allowance:
        """Take a token of an owner, if there is one."""
        limit, now = self.per_second * WINDOW_S, time.monotonic()
        tokens, at = self._buckets.get(owner, (limit, now))
        tokens = min(limit, tokens + (now - at) * self.per_second)
        is_accepted = tokens >= 1
        tokens -= is_accepted
        if len(self._buckets) >= MAX_COUNTED:
            self._buckets.clear()
        self._buckets[owner] = (tokens, now)
        return Allowance(
            limit=int(limit),
            remaining=int(tokens) if is_accepted else -1,
            reset_s=(limit - tokens) / self.per_second,
            retry_after_s=0.0 if is_accepted else (1 - tokens) / self.per_second,
        )


@dataclass(eq=False)
class WrongKeys:
    """Counts wrong keys by address, so that each is answered later than the one before."""

    waiting: int = 0
    _counts: dict[str, tuple[int, float]] = field(default_factory=dict)
    _recorded: dict[tuple[str, ...], float] = field(default_factory=dict)

    def should_record(self, *attempt: str) -> bool:
        """Return whether the audit log gets an entry about an attempt: not the same in a minute."""
        now = time.monotonic()
        if len(self._recorded) >= MOST_RECORDED:
            recent = {a: at for a, at in self._recorded.items() if now - at < RECORDED_AGAIN_S}
            self._recorded = recent
        is_new = now - self._recorded.get(attempt, -RECORDED_AGAIN_S) >= RECORDED_AGAIN_S
        if not is_new or len(self._recorded) >= MOST_RECORDED:
            return False
        self._recorded[attempt] = now
        return True

    @property
    def are_too_many(self) -> bool:
        """Whether so many requests wait for their refusal that no more should."""
        return self.waiting >= MAX_DELAYED

    def count(self, address: str) -> float:
        """Count a wrong key, and return the seconds after which it is answered."""
        now = time.monotonic()
        before, at = self._counts.get(address, (0, now))
        if now - at > FORGIVEN_S:
            before = 0
        if len(self._counts) >= MAX_COUNTED:
            self._counts.clear()
        self._counts[address] = (before + 1, now)
        return float(min(FIRST_DELAY_S * 2.0 ** min(before, 20), LONGEST_DELAY_S))
