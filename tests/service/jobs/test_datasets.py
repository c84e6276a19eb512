from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
import sqlalchemy as sa

from tests.service.jobs.evaluations import submit_nap
from thetahat_service.data.reading import read_columns, read_labels
from thetahat_service.errors import DamagedFile, DatasetInUse, InvalidFile, ResourceNotFound
from thetahat_service.jobs import datasets
from thetahat_service.jobs.datasets import Upload
from thetahat_service.jobs.stored_datasets import build_dataset_file
from thetahat_service.storage import api_keys
from thetahat_service.storage import datasets as stored
from thetahat_service.storage.checksums import TRAILER_LENGTH
from thetahat_service.storage.datasets import DatasetRow
from thetahat_service.storage.files import MARK, build_dataset_file_name
from thetahat_service.storage.open_files import open_file_store
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.tables import EVALUATION_DATASET, OWNER
from thetahat_service.storage.unit_of_work import reading, unit_of_work


def keep(content: bytes, owner_id: UUID = LOCAL_OWNER_ID) -> tuple[DatasetRow, bool]:
    files = open_file_store()
    with files.open_upload() as file, files.open_upload() as table:
        file.write(content)
        sha256 = hashlib.sha256(content).hexdigest()
        return datasets.store_upload(
            owner_id, Upload(file, table, "text/csv", sha256, len(content), "name")
        )


def kept_files() -> Sequence[Path]:
    paths = open_file_store().root.rglob("*")
    return [path for path in paths if path.is_file() and path.name != MARK]


def flip_a_bit(path: Path, position: int) -> None:
    content = bytearray(path.read_bytes())
    content[position] ^= 0x10
    path.write_bytes(content)


def another_owner() -> UUID:
    with unit_of_work() as connection:
        api_keys.create(connection, "k", "bob")
        identifier: UUID = connection.execute(
            sa.select(OWNER.c.id).where(OWNER.c.name == "bob")
        ).scalar_one()
    return identifier


def test_exact_a_data_set_is_kept_once_and_read_back(sqlite: None) -> None:
    row, is_new = keep(b"a,b\n1,x\n")
    again, is_new_again = keep(b"a,b\n1,x\n")

    assert (is_new, is_new_again) == (True, False)
    assert again == row == stored.ROWS.fetch(LOCAL_OWNER_ID, row.id)
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
        stored.ROWS.fetch(LOCAL_OWNER_ID, theirs.id)
    with pytest.raises(ResourceNotFound):
        datasets.delete(LOCAL_OWNER_ID, theirs.id)
    datasets.delete(LOCAL_OWNER_ID, mine.id)
    assert len(kept_files()) == 2
    datasets.delete(other, theirs.id)
    assert kept_files() == []


def test_exact_what_an_evaluation_reads_stays(sqlite: None) -> None:
    row = keep(b"a\n1\n")[0]
    evaluation_id = submit_nap()
    with unit_of_work() as connection:
        link = {"evaluation_id": evaluation_id, "dataset_id": row.id}
        connection.execute(sa.insert(EVALUATION_DATASET), [link])

    with pytest.raises(DatasetInUse):
        datasets.delete(LOCAL_OWNER_ID, row.id)
    assert stored.ROWS.fetch(LOCAL_OWNER_ID, row.id) == row


def test_invalid_a_refused_file_leaves_nothing(sqlite: None) -> None:
    with pytest.raises(InvalidFile):
        keep(b"1,2\n3,4\n")
    assert kept_files() == []


def test_exact_keys_are_found_until_they_are_revoked(database: str) -> None:
    with unit_of_work() as connection:
        assert not api_keys.exist(connection)
        key = api_keys.create(connection, "laptop", "ann")
    prefix = key[: api_keys.PREFIX_LENGTH]
    with reading() as connection:
        credential = api_keys.find(connection, prefix)
        assert credential is not None
        assert credential.id is not None
        assert credential.digest == api_keys.compute_digest(key)
    with unit_of_work() as connection:
        api_keys.record_use(connection, credential.id)
        assert api_keys.revoke(connection, prefix)
        assert api_keys.find(connection, prefix) is None
        assert api_keys.exist(connection)
        assert api_keys.list_all(connection)[0].last_used_at is not None


ROWS = b"a,b\n" + b"".join(b"%d,x%d\n" % (i, i) for i in range(500))
TABLE = ".table-2.arrow"


@pytest.mark.parametrize("position", [0, 700, -200, -10])
def test_exact_a_table_with_a_flipped_bit_is_made_again(sqlite: None, position: int) -> None:
    row, _ = keep(ROWS)
    file = build_dataset_file(row, open_file_store())
    assert file.path is not None
    table = file.path.with_name(file.path.name + TABLE)
    as_written = table.read_bytes()

    flip_a_bit(table, position)
    assert read_columns(file)["a"].tolist() == list(range(500))
    assert table.read_bytes() == as_written


def test_exact_a_table_that_is_lost_or_without_checksum_is_made_again(sqlite: None) -> None:
    row, _ = keep(ROWS)
    file = build_dataset_file(row, open_file_store())
    assert file.path is not None
    table = file.path.with_name(file.path.name + TABLE)
    as_written = table.read_bytes()
    for damaged in (None, b"", as_written[:100], as_written[:-TRAILER_LENGTH]):
        table.unlink()
        if damaged is not None:
            table.write_bytes(damaged)
        assert read_columns(file)["b"].tolist() == [f"x{i}" for i in range(500)]
        assert table.read_bytes() == as_written


def test_exact_uploading_again_repairs_a_lost_or_damaged_file(sqlite: None) -> None:
    row, _ = keep(ROWS)
    file = build_dataset_file(row, open_file_store())
    assert file.path is not None
    path = open_file_store().build_path(build_dataset_file_name(row.sha256))
    for is_lost in (False, True):
        if is_lost:
            path.unlink()
        else:
            flip_a_bit(path, 40)
        table = file.path.with_name(file.path.name + TABLE)
        table.unlink()
        with pytest.raises(DamagedFile, match=r"Upload the data set again\.$"):
            read_columns(file)
        again, is_new = keep(ROWS)
        assert (again.id, is_new) == (row.id, False)
        assert read_columns(file)["a"].tolist() == list(range(500))
        assert path.read_bytes() == ROWS


def test_exact_a_table_of_an_earlier_release_is_not_read(sqlite: None) -> None:
    # that release kept 01 and 1 as one number
    row, _ = keep(b"site,a\n01,1\n1,2\n")
    file = build_dataset_file(row, open_file_store())
    assert file.path is not None
    table = file.path.with_name(file.path.name + TABLE)
    merged = file.path.with_name(file.path.name + ".table.arrow")
    table.rename(merged)

    assert read_labels(file, ["site"])["site"].tolist() == ["01", "1"]
    assert table.is_file()
    datasets.delete(LOCAL_OWNER_ID, row.id)
    assert not merged.exists()
    assert not table.exists()


@pytest.mark.parametrize("found", [{"columns": [{"name": "sep=", "type": "string"}]}, {"rows": 3}])
def test_exact_a_file_that_was_read_in_another_way_is_refused_until_its_upload(
    sqlite: None, found: dict[str, Any]
) -> None:
    content = b"sep=;\nchol;a\n1;2\n?;3\n"
    now, _ = keep(content)
    with unit_of_work() as connection:
        stored.replace_content(connection, replace(now, **found))
    before = stored.ROWS.fetch(LOCAL_OWNER_ID, now.id)

    with pytest.raises(DamagedFile, match="to an earlier release, which read its file in another"):
        read_columns(build_dataset_file(before, open_file_store()))
    again, is_new = keep(content)

    assert (again, is_new) == (now, False)
    assert stored.ROWS.fetch(LOCAL_OWNER_ID, now.id) == now
    assert read_columns(build_dataset_file(again, open_file_store()))["a"].tolist() == [2, 3]
