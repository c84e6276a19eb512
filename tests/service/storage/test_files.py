from __future__ import annotations

import errno
import hashlib
import os
import shutil
from pathlib import Path
from uuid import UUID

import pytest

from tests.service.storage.databases import Setting
from thetahat_service.errors import DamagedFile, Unavailable
from thetahat_service.settings import InvalidSettings, get_settings
from thetahat_service.storage import schema, store_mark
from thetahat_service.storage.files import (
    MARK,
    UPLOADS,
    FileStore,
    LocalFileStore,
    build_dataset_file_name,
)
from thetahat_service.storage.open_files import open_file_store


@pytest.fixture
def files(tmp_path: Path) -> FileStore:
    return open_file_store((tmp_path / "a folder").as_uri())


def test_exact_a_kept_upload_has_its_name_and_leaves_nothing_behind(files: FileStore) -> None:
    with files.open_upload() as file:
        file.write(b"abc")
        files.keep(file, "datasets/ab/abc")
    assert files.fetch("datasets/ab/abc").read_bytes() == b"abc"
    assert list((files.root / UPLOADS).iterdir()) == []


def test_exact_an_upload_that_is_not_kept_is_deleted(files: FileStore) -> None:
    with files.open_upload() as file:
        file.write(b"abc")
    assert [path for path in files.root.rglob("*") if path.is_file()] == []


def test_exact_writing_replaces_and_deleting_twice_is_no_error(files: FileStore) -> None:
    files.write("losses/x", b"1")
    files.write("losses/x", b"2")
    assert files.build_path("losses/x").read_bytes() == b"2"
    files.delete("losses/x")
    files.delete("losses/x")
    assert not files.build_path("losses/x").exists()


def test_exact_a_folder_is_deleted_with_its_files_alone(files: FileStore) -> None:
    files.write("chunks/a/1", b"1")
    files.write("chunks/b/1", b"1")
    files.delete_folder("chunks/a")
    files.delete_folder("chunks/a")
    assert [path.name for path in files.build_path("chunks").iterdir()] == ["b"]


@pytest.mark.parametrize("name", ["", "/etc/passwd", "../x", "a/../../x", "."])
def test_invalid_names_cannot_leave_the_folder(files: FileStore, name: str) -> None:
    with pytest.raises(ValueError, match="is not the name of a file in the file store"):
        files.build_path(name)


def test_exact_data_sets_lie_under_their_digest() -> None:
    assert build_dataset_file_name("abcdef") == "datasets/ab/abcdef"


def test_exact_a_name_with_a_digest_is_verified_when_it_is_read(files: FileStore) -> None:
    with files.open_upload() as file:
        file.write(b"abc")
        name = files.keep_with_digest(file, "chunks/a/1-2.npz")
    digest = hashlib.sha256(b"abc").hexdigest()[:32]
    assert name == f"chunks/a/1-2.{digest}.npz"
    assert files.fetch(name).read_bytes() == b"abc"

    files.build_path(name).write_bytes(b"aXd")
    with pytest.raises(DamagedFile, match=r"1-2.* does not match its checksum"):
        files.fetch(name)
    files.build_path(name).unlink()
    with pytest.raises(DamagedFile, match=r"1-2.* is missing"):
        files.fetch(name)


def test_exact_a_data_set_is_verified_by_its_name(files: FileStore) -> None:
    name = build_dataset_file_name(hashlib.sha256(b"abc").hexdigest())
    files.write(name, b"abc")
    assert files.fetch(name).read_bytes() == b"abc"
    files.write(name, b"ab")
    with pytest.raises(DamagedFile, match="does not match"):
        files.fetch(name)


def test_exact_a_file_of_a_release_without_checksums_is_read(files: FileStore) -> None:
    files.write("chunks/a/1-2.npz", b"abc")
    assert files.fetch("chunks/a/1-2.npz").read_bytes() == b"abc"


def test_invalid_a_folder_without_its_mark_is_refused(sqlite: None, setting: Setting) -> None:
    open_file_store().write("losses/x", b"1")
    root = open_file_store().root
    assert root.joinpath(MARK).is_file()
    root.rename(root.with_name("unmounted"))

    with pytest.raises(Unavailable, match="has no mark, so it may not be mounted"):
        open_file_store().write("losses/y", b"1")
    with pytest.raises(Unavailable, match="has no mark"):
        open_file_store().fetch("losses/x")
    assert not root.exists()

    root.with_name("unmounted").rename(root)
    open_file_store().write("losses/y", b"1")


def test_invalid_the_store_of_another_database_is_refused(sqlite: None) -> None:
    store = open_file_store()
    store.write("losses/x", b"1")
    store.write_mark(UUID(int=1))
    with pytest.raises(Unavailable, match="has the mark of another store, '00000000-"):
        store.write("losses/y", b"1")


def test_exact_a_store_that_has_a_mark_keeps_it(empty_sqlite: None) -> None:
    schema.upgrade()
    store = open_file_store()
    store.write_mark(UUID(int=1))
    store.write("losses/x", b"1")
    store_mark.forget_ids()
    assert store_mark.read_store_id(store) == UUID(int=1)
    assert store.read_mark() == str(UUID(int=1))


@pytest.mark.parametrize("left", ["", "\0" * 37, "first nine characters"])
def test_exact_a_mark_that_a_full_disk_cut_off_is_written_again(sqlite: None, left: str) -> None:
    store = open_file_store()
    store.write("losses/x", b"1")
    identifier = store.read_mark()
    assert identifier is not None
    (store.root / MARK).write_text(identifier[:9] if left.startswith("first") else left)
    store.write("losses/y", b"1")
    assert (store.root / MARK).read_text() == f"{identifier}\n"


def test_exact_an_empty_mark_of_a_new_database_is_written(empty_sqlite: None) -> None:
    schema.upgrade()
    store = open_file_store()
    store.root.mkdir()
    (store.root / MARK).touch()
    store.write("losses/x", b"1")
    assert store.read_mark() == str(store_mark.read_store_id(store))


def test_exact_a_disk_that_fills_leaves_no_mark_and_then_an_intact_one(
    empty_sqlite: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    schema.upgrade()
    store = open_file_store()
    store.root.mkdir()
    with monkeypatch.context() as full:
        full.setattr(os, "fsync", fail)
        with pytest.raises(Unavailable, match="cannot be made"):
            store.write("losses/x", b"1")
    assert list(store.root.iterdir()) == []
    store.write("losses/x", b"1")
    assert store.read_mark() == str(store_mark.read_store_id(store))


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EROFS])
def test_invalid_a_disk_that_takes_nothing(
    files: FileStore, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(Unavailable, match="cannot be stored: ") as refused:
        files.write("losses/x", b"1")
    assert refused.value.retry_after
    assert list(files.list_files(UPLOADS)) == []


def test_invalid_a_store_without_free_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = LocalFileStore(tmp_path)
    store.check_space()
    usage = shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(Unavailable, match="has only 1000 free bytes"):
        store.check_space()


@pytest.mark.parametrize("url", ["ftp://host/x", "s3://", "file://host/x", "/a/folder"])
def test_invalid_an_address_that_is_no_file_store(setting: Setting, url: str) -> None:
    setting(files_url=url)
    with pytest.raises(InvalidSettings, match="THETAHAT_FILES_URL must have the form file:///a"):
        get_settings()
