"""A file store in a bucket of an object store with the protocol of Amazon S3, by obstore.

Readers get a local copy below ``THETAHAT_DATA_DIR/cache``. Address, region and credentials come
from the standard variables ``AWS_ENDPOINT_URL``, ``AWS_REGION``, ``AWS_ACCESS_KEY_ID`` and so on.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import urlsplit
from uuid import UUID

import obstore
from obstore.exceptions import BaseError, NotFoundError
from obstore.store import S3Store

from thetahat_service.errors import DamagedFile, Unavailable
from thetahat_service.settings import get_settings
from thetahat_service.storage.checksums import is_named_by_content, verify
from thetahat_service.storage.files import (
    LEAST_FREE_BYTES,
    MARK,
    FileEntry,
    FileStore,
    translate_file_errors,
)

PIECE: Final = 8 * 1024 * 1024
CONNECT_TIMEOUT_S: Final = 3
TIMEOUT_S: Final = 120
"""Longest time of one request; a piece of an upload or a download is one."""
RETRY_S: Final = 5
MISSING: Final = (FileNotFoundError, NotFoundError)
KEPT_S: Final = 600.0
"""Local copies that were used within this time are not removed."""

_STORES: Final[dict[str, S3Store]] = {}
"""Clients by URL; each has connections of its own."""
os.register_at_fork(after_in_child=_STORES.clear)


class ObjectFileStore(FileStore):
    """Files that are objects of a bucket, below a prefix.

    Parameters
    ----------
    bucket : S3Store
        The client.
    root : Path
        The local folder of the copies.
    read_id : callable or None
        Returns the id that the store must have.
    cache_bytes : int
        Total size of the copies above which the least recently used are removed.
    """

    def __init__(
        self,
        bucket: S3Store,
        root: Path,
        read_id: Callable[[FileStore], UUID] | None,
        cache_bytes: int,
    ) -> None:
        super().__init__(root, read_id)
        self._bucket = bucket
        self._cache_bytes = cache_bytes

    def read_mark(self) -> str | None:
        """Return the id in the object ``MARK``."""
        with _translate_bucket_errors("The file store cannot be reached"):
            try:
                content = bytes(obstore.get(self._bucket, MARK).bytes())
            except MISSING:
                return None
        return content.decode("utf-8", "replace").strip("\0\r\n ")

    def write_mark(self, identifier: UUID) -> None:
        """Write the object ``MARK``."""
        with _translate_bucket_errors("The file store cannot be marked"):
            obstore.put(self._bucket, MARK, f"{identifier}\n".encode())

    def check_space(self) -> None:
        """Check that the bucket is there, and the free space of the disk of the copies."""
        self.check()
        with translate_file_errors("The folder of local copies cannot be written to"):
            self.root.mkdir(parents=True, exist_ok=True)
            free = shutil.disk_usage(self.root).free
        if free < LEAST_FREE_BYTES:
            raise Unavailable(f"The disk of the local copies has only {free} free bytes.")

    def stage(self, temporary: IO[bytes], name: str) -> None:
        """Upload a file, unless the bucket has it."""
        temporary.flush()
        if not self._has(name):
            self._put(temporary, name)

    def keep(self, temporary: IO[bytes], name: str) -> None:
        """Upload a file; a name that has its content already is not uploaded again."""
        self.check()
        temporary.flush()
        if not (is_named_by_content(name) and self._has(name)):
            self._put(temporary, name)
        path = self.build_path(name)
        with translate_file_errors("The local copy cannot be stored"):
            path.parent.mkdir(parents=True, exist_ok=True)
            Path(temporary.name).replace(path)
        self._make_room()

    def fetch(self, name: str) -> Path:
        """Return the local copy of an object, downloaded if it is not there or is damaged."""
        path = self.build_path(name)
        with translate_file_errors("The local copy cannot be read"):
            with suppress(FileNotFoundError, DamagedFile):
                verify(path, name)
                os.utime(path)  # when it was last used
                return path
            self._download(name, path)
            verify(path, name)
        self._make_room()
        return path

    def list_files(self, prefix: str) -> Iterator[FileEntry]:
        """Yield the objects below a prefix."""
        with _translate_bucket_errors("The file store cannot be listed"):
            for batch in obstore.list(self._bucket, prefix=prefix):
                for entry in batch:
                    yield FileEntry(entry["path"], entry["last_modified"].timestamp())

    def delete(self, name: str) -> None:
        """Remove an object and its local copy."""
        path = self.build_path(name)
        with _translate_bucket_errors("The file cannot be deleted"), suppress(*MISSING):
            obstore.delete(self._bucket, name)
        path.unlink(missing_ok=True)

    def delete_folder(self, name: str) -> None:
        """Remove all objects below a prefix."""
        for file in list(self.list_files(name)):
            self.delete(file.name)
        shutil.rmtree(self.build_path(name), ignore_errors=True)

    def _has(self, name: str) -> bool:
        with _translate_bucket_errors("The file store cannot be reached"):
            try:
                obstore.head(self._bucket, name)
            except MISSING:
                return False
        return True

    def _put(self, temporary: IO[bytes], name: str) -> None:
        with (
            _translate_bucket_errors("The file cannot be stored"),
            Path(temporary.name).open("rb") as file,
        ):
            obstore.put(self._bucket, name, file, chunk_size=PIECE)

    def _download(self, name: str, path: Path) -> None:
        """Write an object to a temporary file, and then give it its local path."""
        with self.open_upload() as file:
            with _translate_bucket_errors("The file cannot be read"):
                try:
                    for piece in obstore.get(self._bucket, name).stream(min_chunk_size=PIECE):
                        file.write(piece)
                except MISSING:
                    raise DamagedFile(f"The stored file {name} is missing.", name=name) from None
            file.flush()
            path.parent.mkdir(parents=True, exist_ok=True)
            Path(file.name).replace(path)

    def _make_room(self) -> None:
        """Remove the least recently used copies until all copies together are small enough."""
        states = []
        for folder, _, names in os.walk(self.root):
            for path in (Path(folder, name) for name in names):
                with suppress(FileNotFoundError):
                    states.append((path.stat().st_mtime, path.stat().st_size, path))
        too_large_by = sum(size for _, size, _ in states) - self._cache_bytes
        for used_at, size, path in sorted(states):
            if too_large_by <= 0 or time.time() - used_at < KEPT_S:
                break
            path.unlink(missing_ok=True)
            too_large_by -= size


def open_bucket(url: str, read_id: Callable[[FileStore], UUID] | None) -> ObjectFileStore:
    """Return the store of a URL ``s3://bucket/prefix``."""
    if url not in _STORES:
        parts = urlsplit(url)
        options: dict[str, Any] = {"prefix": parts.path.strip("/") or None}
        endpoint = os.environ.get("AWS_ENDPOINT_URL", "")
        _STORES[url] = S3Store(
            parts.netloc,
            **options,
            client_options={
                "allow_http": endpoint.startswith("http://"),
                "connect_timeout": timedelta(seconds=CONNECT_TIMEOUT_S),
                "timeout": timedelta(seconds=TIMEOUT_S),
            },
            retry_config={"max_retries": 3, "retry_timeout": timedelta(seconds=RETRY_S)},
        )
    folder = hashlib.sha256(url.encode()).hexdigest()[:16]
    root = get_settings().data_dir.resolve() / "cache" / folder
    return ObjectFileStore(_STORES[url], root, read_id, get_settings().cache_mb * 1024 * 1024)


@contextmanager
def _translate_bucket_errors(action: str) -> Iterator[None]:
    """Raise ``Unavailable`` instead of the errors of the object store."""
    try:
        yield
    except BaseError as error:
        raise Unavailable(f"{action}: {type(error).__name__}.") from error
