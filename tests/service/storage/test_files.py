from __future__ import annotations

from pathlib import Path

import pytest

from service.storage.files import UPLOADS, FileStore, dataset_file_name


@pytest.fixture
def files(tmp_path: Path) -> FileStore:
    return FileStore.open((tmp_path / "a folder").as_uri())


def test_exact_a_kept_upload_has_its_name_and_leaves_nothing_behind(files: FileStore) -> None:
    with files.new_upload() as file:
        file.write(b"abc")
        path = files.keep(file, "datasets/ab/abc")
    assert path == files.path("datasets/ab/abc")
    assert path.read_bytes() == b"abc"
    assert list((files.root / UPLOADS).iterdir()) == []


def test_exact_an_upload_that_is_not_kept_is_gone(files: FileStore) -> None:
    with files.new_upload() as file:
        file.write(b"abc")
    assert [path for path in files.root.rglob("*") if path.is_file()] == []


def test_exact_writing_replaces_and_deleting_twice_is_no_error(files: FileStore) -> None:
    files.write("losses/x", b"1")
    files.write("losses/x", b"2")
    assert files.path("losses/x").read_bytes() == b"2"
    files.delete("losses/x")
    files.delete("losses/x")
    assert not files.path("losses/x").exists()


def test_exact_a_folder_is_deleted_with_its_files_alone(files: FileStore) -> None:
    files.write("chunks/a/1", b"1")
    files.write("chunks/b/1", b"1")
    files.delete_folder("chunks/a")
    files.delete_folder("chunks/a")
    assert [path.name for path in files.path("chunks").iterdir()] == ["b"]


@pytest.mark.parametrize("name", ["", "/etc/passwd", "../x", "a/../../x", "."])
def test_invalid_names_cannot_leave_the_folder(files: FileStore, name: str) -> None:
    with pytest.raises(ValueError, match="is not a name in the file store"):
        files.path(name)


def test_exact_data_sets_lie_under_their_digest() -> None:
    assert dataset_file_name("abcdef") == "datasets/ab/abcdef"
