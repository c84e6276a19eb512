"""How the database's queries grow with the number of evaluations and the length of the queue.

An empty database (``THETAHAT_DATABASE_URL``, or SQLite in a temporary folder) is filled step by
step, and at each step every query that a request, a worker or the sweep makes is timed: the median
of several calls, in milliseconds. Rolled back, so that one call does not change the next.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import sqlalchemy as sa

N_OWNERS = 20
N_CALLS = 15
STEPS = ((1_000, 100), (10_000, 1_000), (100_000, 10_000), (1_000_000, 100_000))
"""(finished evaluations, queued evaluations)"""

_NUMBERS = """WITH RECURSIVE numbers(i) AS
    (SELECT {first} + 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < {stop})"""
_NEW_ID = {"sqlite": "lower(hex(randomblob(16)))", "postgresql": "gen_random_uuid()"}
_MOMENT = {
    "sqlite": "strftime('%Y-%m-%d %H:%M:%f', 1700000000 + i, 'unixepoch') || '000'",
    "postgresql": "to_timestamp(1700000000 + i)",
}


def add_owners(connection: sa.Connection) -> list[UUID]:
    """Add the owners and return their ids."""
    from service.storage.tables import OWNER

    owners = [uuid4() for _ in range(N_OWNERS)]
    now = datetime.now(UTC)
    rows = [
        {"id": owner, "name": f"owner {at}", "created_at": now} for at, owner in enumerate(owners)
    ]
    connection.execute(sa.insert(OWNER), rows)
    connection.execute(sa.text("CREATE TABLE owner_number (i INTEGER PRIMARY KEY, id CHAR(36))"))
    is_sqlite = connection.dialect.name == "sqlite"
    connection.execute(
        sa.text("INSERT INTO owner_number VALUES (:i, :id)"),
        [{"i": i, "id": owner.hex if is_sqlite else str(owner)} for i, owner in enumerate(owners)],
    )
    return owners


def add_evaluations(connection: sa.Connection, first: int, stop: int, status: str) -> None:
    """Add evaluations with a label, an event and a unit each, by one statement a table."""
    name = connection.dialect.name
    numbers, is_finished = _NUMBERS.format(first=first, stop=stop), status == "succeeded"
    moment = _MOMENT[name]
    owner = f"(SELECT id FROM owner_number o WHERE o.i = numbers.i % {N_OWNERS})"
    as_id = f"CAST({owner} AS UUID)" if name == "postgresql" else owner
    statements = [
        f"""INSERT INTO evaluation (id, owner_id, kind, name, status, version, request,
            request_sha256, data_sha256, seed, progress_done, progress_total, progress_unit,
            created_at, started_at, finished_at)
        {numbers} SELECT {_NEW_ID[name]}, {as_id},
            CASE i % 3 WHEN 0 THEN 'losses' WHEN 1 THEN 'cross_validation' ELSE 'predictions' END,
            'evaluation ' || i, '{status}', 3, '{{"kind": "losses"}}', '', '', i, 1, 1, 'losses',
            {moment}, {moment}, {moment if is_finished else "NULL"} FROM numbers""",
        f"""INSERT INTO evaluation_label (evaluation_id, key, value)
        SELECT id, 'project', 'project ' || (seed % 1000) FROM evaluation
        WHERE seed > {first} AND seed <= {stop}""",
        f"""INSERT INTO unit (evaluation_id, owner_id, number, stage, payload, size, state, place,
            attempt, lost, not_before, nudged_at)
        SELECT id, owner_id, 0, 'start', '{{}}', 1, '{"done" if is_finished else "queued"}', seed,
            0, 0, 0.0, 0.0 FROM evaluation WHERE seed > {first} AND seed <= {stop}""",
    ]
    for statement in statements:
        connection.execute(sa.text(statement.replace(":", r"\:")))


def list_queries(owner: UUID, evaluation_id: UUID) -> dict[str, Callable[[sa.Connection], object]]:
    """Return the timed queries by what they are for."""
    from service.jobs import sweep
    from service.storage import evaluations, queue_state, unit_queue, units
    from service.storage.evaluations import Filters

    now = datetime.now(UTC)

    def page(
        filters: Filters, before: tuple[datetime, UUID] | None = None
    ) -> Callable[..., object]:
        return lambda connection: evaluations.page(connection, owner, filters, before, 50)

    def claim(connection: sa.Connection) -> object:
        (unit, *_) = unit_queue.list_claimable(connection, 4)
        return units.claim(connection, unit.key, uuid4(), 60.0)

    middle = (datetime.fromtimestamp(1_700_000_000, UTC) + timedelta(seconds=500), uuid4())
    return {
        "poll one evaluation": lambda c: evaluations.get(c, owner, evaluation_id),
        "list: newest 50": page(Filters()),
        "list: a page further back": page(Filters(), middle),
        "list: by status": page(Filters(status="succeeded")),
        "list: failed ones, of which there are none": page(Filters(status="failed")),
        "list: by kind": page(Filters(kind="losses")),
        "list: by label": page(Filters(labels=(("project", "project 20"),))),
        "list: search for a word that all names have": page(Filters(search="evaluation")),
        "list: search for a word that no name has": page(Filters(search="nowhere")),
        "submit: count the owner's unfinished": lambda c: evaluations.count_unfinished(c, owner),
        "worker: claim a unit": claim,
        "sweep: expired claims": lambda c: units.list_expired(c, 100),
        "sweep: stalled evaluations": sweep.StalledSearch().search_next_part,
        "sweep: messages to send again": lambda c: unit_queue.mark_due_for_message(c, 5.0, 64),
        "retention: evaluations to delete": lambda c: evaluations.list_finished_before(c, now, 100),
        "metrics: state of the queue": lambda _: queue_state.read_queue_state(60.0),
    }


def time_queries(owner: UUID) -> dict[str, float]:
    """Return the median of the milliseconds of each query."""
    from service.storage.engine import engines

    with engines().reading.connect() as connection:
        row = connection.execute(
            sa.text("SELECT id FROM evaluation ORDER BY created_at LIMIT 1")
        ).scalar_one()
    evaluation_id = row if isinstance(row, UUID) else UUID(row)
    medians = {}
    for name, query in list_queries(owner, evaluation_id).items():
        seconds = []
        for _ in range(N_CALLS):
            with engines().writing.connect() as connection, connection.begin() as transaction:
                began = time.perf_counter()
                query(connection)
                seconds.append(time.perf_counter() - began)
                transaction.rollback()
            if sum(seconds) > 20:
                break
        medians[name] = 1e3 * statistics.median(seconds)
    return medians


def main() -> None:
    """Fill the database step by step and print a table of medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=len(STEPS), help="how many of the sizes")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.environ.setdefault("THETAHAT_DATA_DIR", folder)
        from service.storage import schema
        from service.storage.engine import engines

        schema.upgrade()
        with engines().writing.begin() as connection:
            owner = add_owners(connection)[7]
        columns: dict[str, dict[str, float]] = {}
        finished = queued = 0
        for n_finished, n_queued in STEPS[: asked.steps]:
            with engines().writing.begin() as connection:
                add_evaluations(connection, finished, n_finished, "succeeded")
                add_evaluations(connection, 10**8 + queued, 10**8 + n_queued, "queued")
                connection.execute(sa.text("ANALYZE"))
            finished, queued = n_finished, n_queued
            columns[f"{n_finished} and {n_queued}"] = time_queries(owner)
            print(f"{n_finished} finished, {n_queued} queued: done", flush=True)
    print("| milliseconds | " + " | ".join(columns) + " |")
    print("|---|" + "---|" * len(columns))
    for name in next(iter(columns.values())):
        print(f"| {name} | " + " | ".join(f"{c[name]:.2f}" for c in columns.values()) + " |")


if __name__ == "__main__":
    main()
