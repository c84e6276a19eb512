"""A release that is still running while the tables are migrated: it writes, and the new code reads.

The previous release's statements name the columns of its own tables. Here they are made from the
tables as they were after each migration, with those columns alone; the values are what that
release's code wrote.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import orjson
import pytest
import sqlalchemy as sa
from alembic.script import ScriptDirectory

import thetahat_migrations
from tests.service.jobs.conftest import sleeping
from tests.service.jobs.evaluations import look, make_executor, submit_nap
from tests.service.storage.databases import SQLITE_FILE
from tests.worker.sleeping_kind import expected_draws
from thetahat_service.jobs import read, retention, sweep
from thetahat_service.jobs.cancel import cancel
from thetahat_service.process.request_context import Scope
from thetahat_service.settings import get_settings
from thetahat_service.storage import api_keys, engine, schema
from thetahat_service.storage.datasets import ROWS
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.tables import METADATA
from thetahat_service.storage.unit_of_work import reading, unit_of_work

__all__ = ["sleeping"]

pytestmark = pytest.mark.xdist_group("previous releases")  # each is migrated once

SCRIPTS = ScriptDirectory.from_config(schema.build_configuration())
REVISIONS = [script.revision for script in SCRIPTS.walk_revisions()]
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def test_exact_every_revision_but_the_newest_is_tested() -> None:
    folder = Path(thetahat_migrations.__path__[0]) / "versions"
    assert len(REVISIONS) == len(list(folder.glob("2*.py")))
    assert REVISIONS[0] == schema.find_newest_revision()


def read_old_tables() -> dict[str, sa.TableClause]:
    """Return the tables of the database as it is now, with their own columns alone."""
    with engine.get_engines().reading.connect() as connection:
        inspector = sa.inspect(connection)
        names = set(inspector.get_table_names()) & set(METADATA.tables)
        return {
            name: sa.table(
                name,
                *(
                    sa.column(column["name"], _type_of(name, column["name"]))
                    for column in inspector.get_columns(name)
                ),
            )
            for name in names
        }


def _type_of(table: str, column: str) -> Any:
    """Return the type of a column, which no migration changes."""
    types = {c.name: c.type for c in METADATA.tables[table].columns}
    assert column in types, f"{table}.{column} is gone; the previous release still writes it"
    return types[column]


def compute(evaluation_id: UUID) -> None:
    """Compute all units of an evaluation, as messages to a worker would."""
    worker, deadline = make_executor(), time.monotonic() + 60
    while look(evaluation_id).status != "succeeded":
        worker.compute_queued_units((evaluation_id, 0))
        assert time.monotonic() < deadline


class PreviousRelease:
    """The statements of a release, as its tables had them."""

    def __init__(self) -> None:
        self.tables = read_old_tables()

    def insert(self, table: str, **values: Any) -> None:
        known = self.tables[table].c
        row = {name: value for name, value in values.items() if name in known}
        with unit_of_work() as connection:
            connection.execute(sa.insert(self.tables[table]), row)

    def select(self, table: str) -> list[Mapping[str, Any]]:
        columns = self.tables[table].c
        with reading() as connection:
            return [dict(row) for row in connection.execute(sa.select(*columns)).mappings()]

    def insert_evaluation(self, identifier: UUID, status: str = "queued") -> None:
        """Submit a nap, as the first release did: the evaluation, its unit and its event."""
        request = '{"n_chunks":2}'
        digest = hashlib.sha256(request.encode()).hexdigest()
        ended = None if status == "queued" else NOW
        self.insert(
            "evaluation", id=identifier, owner_id=LOCAL_OWNER_ID, kind="sleeping", name=None,
            status=status, version=1, request=request, request_sha256=digest, data_sha256=digest,
            seed=5, progress_done=0, progress_total=None, progress_unit="evaluation",
            created_at=NOW, finished_at=ended,
        )  # fmt: skip
        self.insert("event", evaluation_id=identifier, number=1, at=NOW, type="queued", data={})
        self.insert("evaluation_label", evaluation_id=identifier, key="team", value="red")
        now = time.time()
        self.insert(
            "unit", evaluation_id=identifier, number=0, stage="start", payload={}, size=1,
            state="queued" if status == "queued" else "done", place=now - 1e9, attempt=0, lost=0,
            not_before=now - 1, nudged_at=now, part=None,
        )  # fmt: skip


ON_POSTGRES = [*REVISIONS[1:4], REVISIONS[-1]]
"""The last releases, one of which may be running, and the first; others run on SQLite alone."""
EACH_RELEASE = pytest.mark.parametrize(
    ("empty_database", "previous"),
    [
        *(("sqlite", revision) for revision in REVISIONS[1:]),
        *(pytest.param("postgres", each, marks=pytest.mark.servers) for each in ON_POSTGRES),
    ],
    indirect=True,
)
MIGRATED: dict[str, tuple[PreviousRelease, bytes]] = {}
"""By revision, the release and its migrated SQLite file, which is the same for each test."""


@pytest.fixture
def previous(
    request: pytest.FixtureRequest, empty_database: str, tmp_path: Path
) -> PreviousRelease:
    """The release of an earlier revision, on a database that was migrated to the newest one."""
    revision: str = request.param
    if empty_database == "sqlite" and revision in MIGRATED:
        release, content = MIGRATED[revision]
        (tmp_path / SQLITE_FILE).write_bytes(content)
        return release
    schema.upgrade(revision)
    release = PreviousRelease()
    schema.upgrade()
    assert schema.is_current()
    if empty_database == "sqlite":
        engine.reset()
        MIGRATED[revision] = release, (tmp_path / SQLITE_FILE).read_bytes()
    return release


@EACH_RELEASE
def test_exact_what_the_previous_release_submits_is_computed(previous: PreviousRelease) -> None:
    identifier = uuid4()
    previous.insert_evaluation(identifier)
    previous.insert(
        "idempotency_key", owner_id=LOCAL_OWNER_ID, key="k", fingerprint="f",
        evaluation_id=identifier, created_at=NOW,
    )  # fmt: skip
    assert look(identifier).labels == {"team": "red"}

    sweep.sweep(uuid4(), get_settings())
    compute(identifier)
    body = orjson.loads(read.get_result(LOCAL_OWNER_ID, identifier))
    assert body["draws"] == expected_draws(5, 2)
    with unit_of_work() as connection:  # as the previous release deletes
        table = previous.tables["evaluation"]
        connection.execute(sa.delete(table).where(table.c.id == identifier))
    assert previous.select("unit") == previous.select("event") == []


@EACH_RELEASE
def test_exact_the_previous_release_reads_what_the_new_one_writes(
    previous: PreviousRelease,
) -> None:
    identifier = submit_nap(n_chunks=2, seed=5)
    compute(identifier)
    cancelled = submit_nap()
    cancel(LOCAL_OWNER_ID, cancelled)
    rows = {row["id"]: row["status"] for row in previous.select("evaluation")}
    assert rows == {identifier: "succeeded", cancelled: "cancelled"}
    (result,) = previous.select("evaluation_result")
    assert orjson.loads(result["body"])["draws"] == expected_draws(5, 2)
    states = [row["state"] for row in previous.select("unit")]
    assert sorted(states) == ["cancelled", *["done"] * 4]


@EACH_RELEASE
def test_exact_a_key_and_a_data_set_of_the_previous_release_work(
    previous: PreviousRelease,
) -> None:
    previous.insert(
        "api_key", id=uuid4(), owner_id=LOCAL_OWNER_ID, name="n", prefix="th_12345678",
        digest="d" * 64, created_at=NOW, last_used_at=None, revoked_at=None,
    )  # fmt: skip
    identifier = uuid4()
    previous.insert(
        "dataset", id=identifier, owner_id=LOCAL_OWNER_ID, sha256="a" * 64,
        media_type="text/csv", bytes=4, rows=1, columns=[{"name": "a"}], details={}, name="x",
        created_at=NOW,
    )  # fmt: skip
    with reading() as connection:
        credential = api_keys.find(connection, "th_12345678")
        (key,) = api_keys.list_all(connection)
    assert credential is not None
    assert (key.scope, key.expires_at) == (Scope.SUBMIT, None)
    row = ROWS.fetch(LOCAL_OWNER_ID, identifier)
    assert (row.rows, row.columns) == (1, [{"name": "a"}])


@EACH_RELEASE
def test_exact_retention_applies_to_rows_of_the_previous_release(
    previous: PreviousRelease, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished, queued = uuid4(), uuid4()
    previous.insert_evaluation(finished, "cancelled")
    previous.insert_evaluation(queued)
    limits = get_settings().model_copy(update={"keep_results_days": 1, "keep_datasets_days": 1})
    assert retention.remove_expired(limits).evaluations == 1
    assert [row["id"] for row in previous.select("evaluation")] == [queued]
