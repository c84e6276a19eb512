"""Noticing that the database's clock was set to another time.

A sweeper compares the database's clock with its own monotonic clock, which no setting changes. At
the first sweep of a process there is no earlier reading; then the end of the last sweeper's duty,
which was ahead of the clock by a known time, shows whether the clock has gone back since.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Final

import sqlalchemy as sa

from thetahat_service.settings import Settings
from thetahat_service.storage import clock_jumps
from thetahat_service.storage.engine import read_clock
from thetahat_service.storage.unit_of_work import call_after_commit

log = logging.getLogger(__name__)

LEAST_JUMP_S: Final = 2.0
"""Smaller differences are left alone: every lease and pause is longer or may end early."""
LONGEST_ANSWER_S: Final = 0.5
"""A reading that took longer is not used, because its time is not known well."""
DELIVERY_MARGIN: Final = 1.2
"""The pauses before deliveries are up to a tenth longer than the settings say."""


class ClockWatch:
    """One sweeper's readings of the database's clock.

    Parameters
    ----------
    settings : Settings
        The lease, and the pauses before deliveries.
    monotonic : callable
        Returns the seconds of a clock that is never set.
    """

    def __init__(self, settings: Settings, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._lease_s = settings.lease_s
        self._delivery_s = DELIVERY_MARGIN * max(settings.webhook_pauses, default=0.0)
        self._monotonic = monotonic
        self._offset: float | None = None
        self._has_duty = False

    def adjust_times(
        self, connection: sa.Connection, duty_end: float, duty_s: float, *, on_duty: bool
    ) -> float:
        """Return by how many seconds the clock has jumped; on duty, move the stored times by it.

        ``duty_end`` is when the duty of the last sweep would have ended, by the database's clock,
        and ``duty_s`` for how long a sweep takes the duty.
        """
        began = self._monotonic()
        now = read_clock(connection)
        answered = self._monotonic()
        is_first = on_duty and not self._has_duty
        if answered - began > LONGEST_ANSWER_S:
            return 0.0
        offset = now - (began + answered) / 2
        jump_s = 0.0 if self._offset is None else offset - self._offset
        if is_first and jump_s > -LEAST_JUMP_S:
            # The last sweep was at this time or earlier.
            jump_s = min(jump_s, now + duty_s - duty_end)
        if abs(jump_s) < LEAST_JUMP_S:
            jump_s = 0.0
        if on_duty and (jump_s < 0.0 or is_first):
            gone_back_s = max(-jump_s, 0.0)
            clock_jumps.move_back(connection, now, gone_back_s, self._lease_s, self._delivery_s)
        if on_duty and jump_s > 0.0:
            clock_jumps.move_forward(
                connection, now - jump_s, jump_s, self._lease_s, self._delivery_s
            )
        if on_duty and jump_s:
            log.warning("clock.jumped", extra={"seconds": round(jump_s, 1)})

        def accept() -> None:
            self._offset, self._has_duty = offset, on_duty

        call_after_commit(connection, accept)
        return jump_s
