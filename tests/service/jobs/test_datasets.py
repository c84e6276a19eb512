from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID, uuid4

import pytest
import sqlalchemy as sa

from service.errors import DatasetInUse, InvalidFile, ResourceNotFound
from service.jobs import datasets
from service.jobs.datasets import Upload
from service.storage import api_keys
from service.storage.datasets import DatasetRow
from service.storage.files import FileStore
from service.storage.owners import LOCAL_OWNER_ID
from service.storage.tables import EVALUATION_DATASET, OWNER
from service.storage.unit_of_work import reading, unit_of_work
from tests.service.jobs.evaluations import submit_nap


def keep(content: bytes, owner_id: UUID = LOCAL_OWNER_ID) -> tuple[DatasetRow, bool]:
    files = FileStore.open()
    with files.new_upload() as file, files.new_upload() as table:
        file.write(content)
        sha256 = hashlib.sha256(content).hexdigest()
        return datasets.store_upload(
            owner_id, Upload(file, table, "text/csv", sha256, len(content), "name")
        )


def kept_files() -> Sequence[Path]:
    return [path for path in FileStore.open().root.rglob("*") if path.is_file()]


def another_owner() -> UUID:
    with unit_of_work() as connection:
        api_keys.create(connection, "k", "bob")
        found: UUID = connection.execute(
            sa.select(OWNER.c.id).where(OWNER.c.name == "bob")
        ).scalar_one()
    return found


def test_exact_a_data_set_is_kept_once_and_read_back(database: str) -> None:
    row, is_new = keep(b"a,b\n1,x\n")
    again, is_new_again = keep(b"a,b\n1,x\n")

    assert (is_new, is_new_again) == (True, False)
    assert again == row == datasets.get(LOCAL_OWNER_ID, row.id)
    assert [column["name"] for column in row.columns] == ["a", "b"]
    assert datasets.read_dataset_files(LOCAL_OWNER_ID, [row.id, uuid4()])[row.id].rows == 1
    assert len(kept_files()) == 2


def test_exact_pages_meet_without_gap(database: str) -> None:
    made = [keep(b"a\n%d\n" % i)[0] for i in range(5)]
    rows, end = datasets.list_datasets(LOCAL_OWNER_ID, None, 2)
    seen = [row.id for row in rows]
    while end is not None:
        rows, end = datasets.list_datasets(LOCAL_OWNER_ID, end, 2)
        seen += [row.id for row in rows]

    assert seen == [row.id for row in made[::-1]]


def test_exact_bytes_go_with_their_last_owner(database: str) -> None:
    other = another_owner()
    mine, theirs = keep(b"a\n1\n")[0], keep(b"a\n1\n", other)[0]

    with pytest.raises(ResourceNotFound):
        datasets.get(LOCAL_OWNER_ID, theirs.id)
    with pytest.raises(ResourceNotFound):
        datasets.delete(LOCAL_OWNER_ID, theirs.id)
    datasets.delete(LOCAL_OWNER_ID, mine.id)
    assert len(kept_files()) == 2
    datasets.delete(other, theirs.id)
    assert kept_files() == []


def test_exact_what_an_evaluation_reads_stays(database: str) -> None:
    row = keep(b"a\n1\n")[0]
    evaluation_id = submit_nap()
    with unit_of_work() as connection:
        link = {"evaluation_id": evaluation_id, "dataset_id": row.id}
        connection.execute(sa.insert(EVALUATION_DATASET), [link])

    with pytest.raises(DatasetInUse):
        datasets.delete(LOCAL_OWNER_ID, row.id)
    assert datasets.get(LOCAL_OWNER_ID, row.id) == row


def test_invalid_a_refused_file_leaves_nothing(database: str) -> None:
    with pytest.raises(InvalidFile):
        keep(b"1,2\n3,4\n")
    assert kept_files() == []


def test_exact_keys_are_found_until_they_are_revoked(database: str) -> None:
    with unit_of_work() as connection:
        assert not api_keys.exist(connection)
        key = api_keys.create(connection, "laptop", "ann")
    prefix = key[: api_keys.PREFIX_LENGTH]
    with reading() as connection:
        found = api_keys.find(connection, prefix)
        assert found is not None
        assert found.digest == api_keys.compute_digest(key)
    with unit_of_work() as connection:
        api_keys.record_use(connection, found.id)
        assert api_keys.revoke(connection, prefix)
        assert api_keys.find(connection, prefix) is None
        assert api_keys.exist(connection)
        assert api_keys.list_all(connection)[0].last_used_at is not None
