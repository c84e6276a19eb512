"""The totals of all processes since the database was made; they only grow."""

from __future__ import annotations

from collections.abc import Mapping

import orjson
import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from thetahat_service.process import counters
from thetahat_service.process.counters import CounterKey
from thetahat_service.storage.tables import COUNTER
from thetahat_service.storage.unit_of_work import reading, unit_of_work

_ADD = (
    sa.update(COUNTER)
    .where(COUNTER.c.name == sa.bindparam("wanted"), COUNTER.c.labels == sa.bindparam("labelled"))
    .values(value=COUNTER.c.value + sa.bindparam("added"))
    .returning(COUNTER.c.name)
)


def store() -> None:
    """Add what this process has counted to the totals, if it has counted anything.

    If the database cannot be written to, the counts are kept for the next time.
    """
    counts = counters.take()
    if not counts:
        return
    try:
        with unit_of_work() as connection:
            for key in sorted(counts):  # the same order in every process avoids deadlocks
                _add(connection, key, counts[key])
    except SQLAlchemyError:
        counters.give_back(counts)
        raise


def _add(connection: sa.Connection, key: CounterKey, value: float) -> None:
    """Add to one total, which is inserted if there is none."""
    name, labels = key[0], _encode_labels(key[1])
    row = {"wanted": name, "labelled": labels, "added": value}
    if connection.execute(_ADD, row).one_or_none() is not None:
        return
    try:
        with connection.begin_nested():
            connection.execute(sa.insert(COUNTER).values(name=name, labels=labels, value=value))
    except sa.exc.IntegrityError:  # another process inserted it at the same time
        connection.execute(_ADD, row)


def read() -> dict[CounterKey, float]:
    """Return the totals."""
    with reading() as connection:
        rows = connection.execute(sa.select(COUNTER.c.name, COUNTER.c.labels, COUNTER.c.value))
        return {(row.name, _decode_labels(row.labels)): row.value for row in rows}


def _encode_labels(labels: counters.Labels) -> str:
    return orjson.dumps(dict(labels)).decode()


def _decode_labels(text: str) -> counters.Labels:
    labels: Mapping[str, str] = orjson.loads(text)
    return tuple(sorted(labels.items()))
