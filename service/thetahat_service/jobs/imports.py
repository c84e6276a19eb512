"""Receiving the file of a data set from a host that the operator has listed."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO, Any
from urllib.parse import unquote, urlsplit
from uuid import UUID

from thetahat_service.data.receiving import check_length
from thetahat_service.errors import (
    FieldError,
    InvalidFile,
    InvalidRequest,
    SourceFailed,
    Unavailable,
)
from thetahat_service.outbound.addresses import CheckedTarget, RefusedAddress, resolve_target
from thetahat_service.settings import get_settings
from thetahat_service.storage import audit
from thetahat_service.storage.audit import Action
from thetahat_service.storage.unit_of_work import unit_of_work

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedFile:
    """A file that was received completely."""

    content_type: str
    """The header Content-Type of the answer; may be empty."""
    file_name: str
    """The last part of the path of the URL; may be empty."""
    sha256: str
    """SHA-256 of the bytes, in hexadecimal."""
    size: int
    """Number of bytes."""


def check_source(url: str) -> CheckedTarget:
    """Return where to connect; ``InvalidRequest`` for a host that the operator has not listed."""
    allowed = get_settings().allowed_import_hosts
    if allowed.hosts:
        try:
            return resolve_target(url, allowed)
        except RefusedAddress as error:
            message = str(error)
    else:
        message = (
            "This service imports no data sets by URL: its operator has listed no host "
            "(THETAHAT_IMPORT_HOSTS). Upload the file to /v1/datasets."
        )
    raise InvalidRequest(message, (FieldError(("url",), message, url),))


def fetch_file(url: str, file: IO[bytes]) -> FetchedFile:
    """Write the answer of a URL to a file, within the limits of size and time.

    Raises ``InvalidRequest`` for a URL that is not allowed, ``TooLarge``, and ``SourceFailed`` for
    an answer other than 200, also a redirect, or none in time.
    """
    from thetahat_service.outbound.connections import RequestFailed, RequestTimedOut, open_response  # noqa: PLC0415 - httpx, seldom needed

    target = check_source(url)
    timeout_s = get_settings().import_timeout_s
    log.info("dataset.import", extra={"host": target.host, "port": target.port})
    try:
        with open_response(
            target, headers={"User-Agent": "thetahat-import/1"}, timeout_s=timeout_s
        ) as response:
            _check_answer(response, target.host)
            digest, size = _write(response, file)
            content_type = str(response.headers.get("content-type", ""))
    except RequestTimedOut:
        raise SourceFailed(
            f"{target.host} did not send the file within {timeout_s:g} seconds "
            "(THETAHAT_IMPORT_TIMEOUT_S)."
        ) from None
    except RequestFailed as error:
        raise SourceFailed(f"{target.host} did not send the file: {error}.") from None
    if size == 0:
        raise InvalidFile("The file is empty.")
    name = PurePosixPath(unquote(urlsplit(url).path)).name
    return FetchedFile(content_type=content_type, file_name=name, sha256=digest, size=size)


def note_import(owner_id: UUID, dataset_id: UUID) -> None:
    """Write to the audit log that a data set was imported."""
    with unit_of_work() as connection:
        audit.add(connection, Action.IMPORT_DATASET, dataset_id, owner_id)


def _check_answer(response: Any, host: str) -> None:
    """Raise ``SourceFailed`` for an answer whose body is not the file."""
    if 300 <= response.status_code < 400:
        raise SourceFailed(
            f"{host} redirects to another address, which is not followed. Send the URL of the file "
            "itself."
        )
    if response.status_code != 200:
        raise SourceFailed(f"{host} answered with the status {response.status_code}.")
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise SourceFailed(f"{host} sent the file with a Content-Encoding, which is not supported.")
    length = response.headers.get("content-length", "")
    if length.isascii() and length.isdigit():
        check_length(int(length[:20]), get_settings().max_upload_bytes)


def _write(response: Any, file: IO[bytes]) -> tuple[str, int]:
    """Write the body to a file, and return its SHA-256 and its size."""
    digest, size, limit = hashlib.sha256(), 0, get_settings().max_upload_bytes
    for piece in response.iter_raw():
        size += len(piece)
        check_length(size, limit)
        digest.update(piece)
        try:
            file.write(piece)
        except OSError as error:
            raise Unavailable(f"The file cannot be stored: {error.strerror}.") from error
    return digest.hexdigest(), size
