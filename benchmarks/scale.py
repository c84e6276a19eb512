"""How the database's queries grow with the number of evaluations and the length of the queue.

An empty database (SQLite in a temporary folder, or with ``--postgres`` a server of its own) is
filled step by step, and at each step every query that a request, a worker or the sweep makes is
timed: the median of several calls, in milliseconds. Each is rolled back, so that it does not change
the next. Then several workers claim units at the same time.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import sqlalchemy as sa

N_OWNERS = 20
N_CALLS = 15
STEPS = ((1_000, 100), (10_000, 1_000), (100_000, 10_000), (1_000_000, 100_000))
"""(finished evaluations, queued evaluations)"""
WORKERS = (1, 2, 4, 8, 16, 24)
CLAIM_SECONDS = 5.0
FILL_SECONDS = 1800.0

_NUMBERS = """WITH RECURSIVE numbers(i) AS
    (SELECT {first} + 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < {stop})"""
_NEW_ID = {"sqlite": "lower(hex(randomblob(16)))", "postgresql": "gen_random_uuid()"}
_MOMENT = {
    "sqlite": "strftime('%Y-%m-%d %H:%M:%f', 1700000000 + i, 'unixepoch') || '000'",
    "postgresql": "to_timestamp(1700000000 + i)",
}


def add_owners(connection: sa.Connection) -> list[UUID]:
    """Add the owners and return their ids."""
    from thetahat_service.storage.tables import OWNER

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
    from thetahat_service.jobs import sweep
    from thetahat_service.storage import evaluations, queue_state, unit_queue, units
    from thetahat_service.storage.evaluations import Filters

    now = datetime.now(UTC)

    def page(
        filters: Filters, before: tuple[datetime, UUID] | None = None
    ) -> Callable[..., object]:
        return lambda connection: evaluations.list_page(connection, owner, filters, before, 50)

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
        "sweep: units without a message": lambda c: unit_queue.mark_unsent(c, 64),
        "retention: evaluations to delete": lambda c: evaluations.list_finished_before(c, now, 100),
        "metrics: state of the queue": lambda _: queue_state.read_queue_state(60.0),
    }


def time_queries(owner: UUID) -> dict[str, float]:
    """Return the median of the milliseconds of each query."""
    from thetahat_service.storage.engine import get_engines

    with get_engines().reading.connect() as connection:
        row = connection.execute(
            sa.text("SELECT id FROM evaluation ORDER BY created_at LIMIT 1")
        ).scalar_one()
    evaluation_id = row if isinstance(row, UUID) else UUID(row)
    medians = {}
    for name, query in list_queries(owner, evaluation_id).items():
        seconds = []
        for _ in range(N_CALLS):
            with get_engines().writing.connect() as connection, connection.begin() as transaction:
                began = time.perf_counter()
                query(connection)
                seconds.append(time.perf_counter() - began)
                transaction.rollback()
            if sum(seconds) > 20:
                break
        medians[name] = 1e3 * statistics.median(seconds)
    return medians


def count_claims(n_workers: int) -> tuple[float, float]:
    """Return how many units a second so many workers claim and settle, and attempts per claim.

    Every worker is a thread that looks at the queue, tries to claim, and settles at once: it is as
    if units took no time, so that the database is all that is measured.
    """
    from thetahat_service.storage import unit_queue, units
    from thetahat_service.storage.unit_of_work import reading, unit_of_work
    from thetahat_service.storage.unit_transitions import UnitEvent
    from thetahat_worker.executor import CANDIDATES, order_candidates

    end = time.monotonic() + CLAIM_SECONDS

    def work(_: int) -> tuple[int, int]:
        worker_id, claimed, attempts = uuid4(), 0, 0
        while time.monotonic() < end:
            with reading() as connection:
                queued = unit_queue.list_claimable(connection, CANDIDATES)
            for key in order_candidates(queued):
                attempts += 1
                with unit_of_work() as connection:
                    claim = units.claim(connection, key, worker_id, 60.0)
                if claim is not None:
                    with unit_of_work() as connection:
                        units.apply(connection, claim, UnitEvent.FINISH, output_file=None)
                    claimed += 1
                    break
        return claimed, attempts

    with ThreadPoolExecutor(n_workers) as pool:
        counts = list(pool.map(work, range(n_workers)))
    claimed = sum(count for count, _ in counts)
    return claimed / CLAIM_SECONDS, sum(count for _, count in counts) / max(1, claimed)


def main() -> None:
    """Fill the database step by step and print a table of medians, then the claims."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=len(STEPS), help="how many of the sizes")
    parser.add_argument("--postgres", action="store_true", help="on a PostgreSQL of its own")
    asked = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        if asked.postgres:
            from tests.servers.postgres import DURABLE, fresh_database, postgres_server

            server = stack.enter_context(postgres_server(DURABLE))
            os.environ["THETAHAT_DATABASE_URL"] = stack.enter_context(fresh_database(server))
        os.environ.setdefault("THETAHAT_DATA_DIR", folder)
        from thetahat_service.storage import schema
        from thetahat_service.storage.engine import get_engines
        from thetahat_service.storage.time_limits import answer_within

        schema.upgrade()
        with get_engines().writing.begin() as connection:
            owner = add_owners(connection)[7]
        columns: dict[str, dict[str, float]] = {}
        finished = queued = 0
        for n_finished, n_queued in STEPS[: asked.steps]:
            with answer_within(FILL_SECONDS), get_engines().writing.begin() as connection:
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
        print("| workers | units a second | attempts per claim |\n|---|---|---|")
        for n_workers in WORKERS:
            rate, attempts = count_claims(n_workers)
            print(f"| {n_workers} | {rate:.0f} | {attempts:.2f} |", flush=True)


if __name__ == "__main__":
    main()
