"""The file store in a bucket of a real S3-style server."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from pathlib import Path
from typing import Any

import obstore
import pytest

from tests.service.storage.databases import Setting
from thetahat_service.errors import DamagedFile, Unavailable
from thetahat_service.settings import InvalidSettings, get_settings
from thetahat_service.storage.files import build_dataset_file_name
from thetahat_service.storage.object_store import ObjectFileStore, open_bucket
from thetahat_service.storage.open_files import open_file_store

LARGE = os.urandom(1000) * 20_000  # more than two pieces of an upload
PATIENCE_S = 60.0


@pytest.fixture
def files(bucket_url: str, empty_sqlite: None) -> ObjectFileStore:
    """A store without a mark."""
    return open_bucket(bucket_url, None)


def forget_copies(files: ObjectFileStore) -> None:
    """Let the next reader download, as on another machine."""
    shutil.rmtree(files.root)


@pytest.mark.parametrize("content", [b"", b"abc", LARGE], ids=["empty", "small", "large"])
def test_exact_a_file_is_read_back_on_another_machine(
    files: ObjectFileStore, content: bytes
) -> None:
    files.write("losses/x", content)
    assert files.fetch("losses/x").read_bytes() == content
    forget_copies(files)
    assert files.fetch("losses/x").read_bytes() == content
    assert list((files.root / "uploads").iterdir()) == []


def test_exact_writing_replaces_and_deleting_twice_is_no_error(files: ObjectFileStore) -> None:
    files.write("losses/x", b"1")
    files.write("losses/x", b"2")
    forget_copies(files)
    assert files.fetch("losses/x").read_bytes() == b"2"
    files.delete("losses/x")
    files.delete("losses/x")
    with pytest.raises(DamagedFile, match="losses/x is missing"):
        files.fetch("losses/x")


def test_exact_a_folder_is_listed_and_deleted_with_its_files_alone(files: ObjectFileStore) -> None:
    before = time.time()
    for name in ("chunks/a/1", "chunks/a/2", "chunks/ab/1"):
        files.write(name, b"1")
    listed = list(files.list_files("chunks/a"))
    assert sorted(file.name for file in listed) == ["chunks/a/1", "chunks/a/2"]
    assert all(abs(file.modified_at - before) < PATIENCE_S for file in listed)
    files.delete_folder("chunks/a")
    assert [file.name for file in files.list_files("chunks")] == ["chunks/ab/1"]


def test_exact_an_object_that_was_changed_is_refused(files: ObjectFileStore) -> None:
    with files.open_upload() as file:
        file.write(b"abc")
        name = files.keep_with_digest(file, "chunks/a/1-2.npz")
    digest = hashlib.sha256(b"abc").hexdigest()
    assert name == f"chunks/a/1-2.{digest[:32]}.npz"
    obstore.put(files._bucket, name, b"aXd")
    assert files.fetch(name).read_bytes() == b"abc"  # the copy
    forget_copies(files)
    with pytest.raises(DamagedFile, match="does not match its checksum"):
        files.fetch(name)


def test_exact_a_damaged_copy_is_downloaded_again(files: ObjectFileStore) -> None:
    name = build_dataset_file_name(hashlib.sha256(b"abc").hexdigest())
    files.write(name, b"abc")
    files.fetch(name).write_bytes(b"aXd")
    assert files.fetch(name).read_bytes() == b"abc"


def test_exact_a_data_set_is_uploaded_once(
    files: ObjectFileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    uploaded = []
    put = obstore.put

    def count_and_put(bucket: Any, name: str, *args: Any, **options: Any) -> Any:
        uploaded.append(name)
        return put(bucket, name, *args, **options)

    monkeypatch.setattr(obstore, "put", count_and_put)
    name = build_dataset_file_name(hashlib.sha256(b"abc").hexdigest())
    for _ in range(2):
        with files.open_upload() as file:
            file.write(b"abc")
            files.stage(file, name)
            files.keep(file, name)
    assert uploaded == [name]


def test_exact_the_oldest_copies_make_room(
    files: ObjectFileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_cache_bytes", 250)
    names = [f"losses/{i}" for i in range(4)]
    for age, name in enumerate(reversed(names)):
        files.write(name, bytes(100))
        used_at = time.time() - 3600 * (age + 1)
        os.utime(files.build_path(name), (used_at, used_at))
    files.write("losses/new", bytes(100))
    copies = sorted(path.name for path in files.build_path("losses").iterdir())
    assert copies == ["3", "new"]
    assert files.fetch("losses/0").read_bytes() == bytes(100)


def test_invalid_a_bucket_without_its_mark_is_refused(
    bucket_url: str, sqlite: None, setting: Setting
) -> None:
    setting(files_url=bucket_url)
    store = open_file_store()
    store.write("losses/x", b"1")
    store.check_space()
    store.delete("thetahat-store-id")
    for call in (store.check_space, lambda: store.write("losses/y", b"1")):
        with pytest.raises(Unavailable, match="has no mark"):
            call()


def test_invalid_a_server_that_does_not_answer(
    bucket_url: str, empty_sqlite: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    files = open_bucket(f"{bucket_url}/elsewhere", None)
    with pytest.raises(Unavailable, match="cannot be stored: ") as refused:
        files.write("losses/x", b"1")
    assert refused.value.retry_after
    with pytest.raises(Unavailable, match="cannot be read: "):
        files.fetch("losses/x")


def test_invalid_a_bucket_without_obstore(
    setting: Setting, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("thetahat_service.settings.find_spec", lambda _: None)
    setting(files_url="s3://bucket/prefix", data_dir=tmp_path)
    with pytest.raises(InvalidSettings, match="needs the package obstore"):
        get_settings()
