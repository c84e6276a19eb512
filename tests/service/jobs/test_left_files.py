"""Files that killed processes leave are deleted; those that something names or locks stay."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID, uuid4

import pytest
import sqlalchemy as sa

from tests.service.jobs.evaluations import look, make_executor, submit_nap
from tests.service.jobs.test_datasets import keep, kept_files
from tests.service.storage.query_plans import reads_few_rows
from thetahat_service.jobs import left_files
from thetahat_service.jobs.cancel import cancel
from thetahat_service.jobs.left_files import remove_left_files
from thetahat_service.storage.open_files import open_file_store
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.tables import DATASET, EVALUATION, EVALUATION_RESULT
from thetahat_service.storage.unit_of_work import unit_of_work

SHA = "ab" * 32
NOW = -1.0
"""An age that every file has."""


def list_names() -> set[str]:
    root = open_file_store().root
    return {path.relative_to(root).as_posix() for path in kept_files()}


def run_chunks(evaluation_id: UUID, count: int) -> None:
    worker = make_executor()
    for number in range(count + 1):
        assert worker.run((evaluation_id, number))


def test_exact_what_nothing_names_is_deleted_and_the_rest_stays(sqlite: None) -> None:
    store = open_file_store()
    running = submit_nap(n_chunks=2, seed=5)
    run_chunks(running, 1)
    done = submit_nap(n_chunks=1, seed=5)
    run_chunks(done, 2)
    assert look(done).status == "succeeded"
    cancelled = submit_nap(n_chunks=2, seed=5)
    run_chunks(cancelled, 1)
    cancel(LOCAL_OWNER_ID, cancelled)
    keep(b"a\n1\n")
    store.delete_folder(f"chunks/{cancelled}")
    store.write(f"chunks/{running}/2-1.npz", b"of an attempt that was killed")
    named = list_names()
    left = {
        f"chunks/{done}/1-1.npz",
        f"chunks/{cancelled}/1-1.npz",
        f"chunks/{uuid4()}/1-1.npz",
        f"losses/{done}-7.parquet",
        f"losses/{uuid4()}-1.parquet",
        f"datasets/ab/{SHA}",
        f"datasets/ab/{SHA}.table-2.arrow",
        f"datasets/ab/{SHA}.table.arrow",
    }
    for name in left:
        store.write(name, b"1")
    (store.root / "uploads" / "tmpkilled").write_bytes(b"1")

    assert remove_left_files() == 0  # too young
    assert list_names() == named | left | {"uploads/tmpkilled"}
    with store.open_upload() as upload:
        upload.write(b"a,b\n")
        upload.flush()
        remove_left_files(NOW)
        assert list_names() == named | {f"uploads/{upload.name.rpartition('/')[2]}"}
        store.keep(upload, "losses/x")
    run_chunks_again = make_executor()
    assert run_chunks_again.run((running, 2))
    assert run_chunks_again.run((running, 3))
    assert look(running).status == "succeeded"


def test_exact_a_store_without_left_files_is_left_alone(sqlite: None) -> None:
    keep(b"a\n1\n")
    before = list_names()
    assert remove_left_files(NOW) == 0
    assert list_names() == before


def test_exact_rows_are_read_for_a_batch_of_files(
    sqlite: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(left_files, "BATCH", 3)
    batches: list[Sequence[str]] = []
    read_names = left_files._read_names

    def spy(names: Sequence[str]) -> left_files._NamedFiles:
        batches.append(names)
        return read_names(names)

    monkeypatch.setattr(left_files, "_read_names", spy)
    keep(b"a\n1\n")
    named = list_names()
    for i in range(8):
        open_file_store().write(f"losses/{uuid4()}-{i}.parquet", b"1")

    assert remove_left_files(NOW) == 8
    assert list_names() == named
    assert max(len(names) for names in batches) == 3
    assert sum(len(names) for names in batches) == 8 + len(named)


ADD_MANY = """
INSERT INTO {table} ({names}) WITH RECURSIVE numbers(i) AS
(SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 3000)
SELECT {values} FROM {table}, numbers
"""


def _add_copies(connection: sa.Connection, table: sa.Table, **values: str) -> None:
    """Add 3000 copies of the one row of a table, with other values in some columns."""
    columns = {column.name: f"{table.name}.{column.name}" for column in table.c} | values
    names, expressions = ", ".join(columns), ", ".join(columns.values())
    text = ADD_MANY.format(table=table.name, names=names, values=expressions)
    connection.execute(sa.text(text))


def test_exact_the_queries_read_only_the_rows_that_files_are_named_after(database: str) -> None:
    done = submit_nap()
    assert make_executor().run((done, 0))
    keep(b"a\n1\n")
    if database == "postgres":
        digits, identifier = "lpad(to_hex(i), 32, '0')", "CAST(lpad(to_hex(i), 32, '0') AS uuid)"
    else:
        digits = identifier = "printf('%032x', i)"
    with unit_of_work() as connection:
        _add_copies(connection, EVALUATION, id=identifier)
        _add_copies(
            connection,
            EVALUATION_RESULT,
            evaluation_id=identifier,
            body="'{}'",
        )
        _add_copies(connection, DATASET, id=identifier, sha256=f"{digits} || {digits}")
        connection.execute(sa.text("ANALYZE"))
        evaluations = left_files.select_evaluations([done, UUID(int=7)])
        assert len(connection.execute(evaluations).all()) == 2
        for table in (EVALUATION, EVALUATION_RESULT):
            assert reads_few_rows(connection, evaluations, table, 4)
        digests = left_files.select_digests(["ab" * 32, f"{7:032x}" * 2])
        assert len(connection.scalars(digests).all()) == 1
        assert reads_few_rows(connection, digests, DATASET, 4)
