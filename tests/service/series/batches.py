"""Series and batches to add; run as a program, it adds batches until it is killed.

``python -m tests.service.series.batches SERIES PREFIX COUNT [HOW]`` adds batches whose keys begin
with the prefix. HOW is ``after`` or ``before``: the process ends by itself, without a word, after
or before the commit of its last batch.
"""

from __future__ import annotations

import os
import sys
from typing import Any
from uuid import UUID

import numpy as np
import sqlalchemy as sa

from thetahat.analyses.series.batches import Batch
from thetahat_service.series import adding, keeping
from thetahat_service.series.adding import SentBatch
from thetahat_service.series.request import SeriesRequest
from thetahat_service.storage import series
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.series import LookRow, SeriesRow

ROWS = 20


def create_series(**fields: Any) -> UUID:
    """Create a series of two models, and return its id."""
    request = SeriesRequest.model_validate({"models": ["new", "old"], **fields})
    row, _ = keeping.create(LOCAL_OWNER_ID, request, None, "")
    return row.id


def draw(key: str) -> Batch:
    """Return the batch of a key: new has errors with probability .1, old .4."""
    rng = np.random.default_rng(list(key.encode()))
    return Batch(
        losses={
            "new": (rng.random(ROWS) < 0.1).astype(float),
            "old": (rng.random(ROWS) < 0.4).astype(float),
        }
    )


def add(series_id: UUID, key: str, batch: Batch | None = None) -> tuple[LookRow, bool]:
    """Add the batch of a key."""
    sent = SentBatch(batch=batch or draw(key), at=None, key=key, fingerprint=key)
    return adding.add(LOCAL_OWNER_ID, series_id, sent)


def read(series_id: UUID) -> SeriesRow:
    """Return a series."""
    return series.ROWS.fetch(LOCAL_OWNER_ID, series_id)


def _end_at_next(how: str) -> None:
    """Let this process end at its next batch, before or after the commit, or wait to be killed."""
    if how == "wait":
        sys.stdin.read()

    @sa.event.listens_for(sa.Engine, "commit")
    def _end_before(connection: Any) -> None:
        del connection
        if how == "before":
            os._exit(9)

    insert = series.insert_look

    def insert_and_end(connection: sa.Connection, look: LookRow) -> None:
        insert(connection, look)
        if how == "after":
            connection.commit()
            os._exit(9)

    series.insert_look = insert_and_end


def main() -> None:
    """Add batches."""
    series_id, prefix, count = UUID(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    for number in range(count):
        if len(sys.argv) > 4 and number == count - 1:
            _end_at_next(sys.argv[4])
        add(series_id, f"{prefix}{number}")
        print(number, flush=True)


if __name__ == "__main__":
    main()
