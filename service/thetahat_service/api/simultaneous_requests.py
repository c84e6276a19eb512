"""How many requests of one sort an owner may have at the same time in this process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from thetahat_service.errors import RateLimitExceeded

RETRY_AFTER_S: Final = 2


@dataclass(eq=False)
class SimultaneousRequests:
    """Counts the requests of one sort by owner."""

    noun: str
    """What they are, such as "uploads"."""
    participle: str
    """What happens to them, such as "received"."""
    _running: Counter[UUID] = field(default_factory=Counter, init=False)

    @contextmanager
    def count(self, owner_id: UUID, limit: int) -> Iterator[None]:
        """Count a request until the block ends; ``RateLimitExceeded`` if the owner has too many."""
        if self._running[owner_id] >= limit:
            raise RateLimitExceeded(
                f"{limit} {self.noun} of this owner are being {self.participle}, which is the "
                "most at a time.",
                retry_after=RETRY_AFTER_S,
            )
        self._running[owner_id] += 1
        try:
            yield
        finally:
            self._running[owner_id] -= 1
            if not self._running[owner_id]:
                del self._running[owner_id]
