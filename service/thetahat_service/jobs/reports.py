"""Reports of stored evaluations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

import orjson

from thetahat_service.errors import ResourceNotFound
from thetahat_service.jobs import read
from thetahat_service.jobs.sign_offs import compute_digest
from thetahat_service.reports.document import ReportSource
from thetahat_service.storage import datasets, sign_offs
from thetahat_service.storage.sign_offs import SignOffRow
from thetahat_service.storage.unit_of_work import reading

MAX_SIGN_OFFS: Final = 60
"""The newest sign-offs, which a page and a report show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredResult:
    """A result with the SHA-256 of its text."""

    result: dict[str, object]
    sha256: str


def read_report_source(owner_id: UUID, evaluation_id: UUID) -> ReportSource:
    """Return what the report of an evaluation is made of.

    Raises ``ResultPending`` or ``NoResult`` if the evaluation has no result.
    """
    row = read.get(owner_id, evaluation_id)
    text = read.read_result(row)
    request = read.get_request(row)
    with reading() as connection:
        used = datasets.list_of_evaluation(connection, evaluation_id)
    if row.finished_at is None:
        raise ResourceNotFound(f"There is no evaluation {evaluation_id}.")  # deleted meanwhile
    return ReportSource(
        row=row,
        finished_at=row.finished_at,
        request=request,
        result=orjson.loads(text),
        result_sha256=compute_digest(text),
        data=used,
        sign_offs=list_newest_sign_offs(evaluation_id),
    )


def list_newest_sign_offs(evaluation_id: UUID) -> list[SignOffRow]:
    """Return the newest sign-offs of an evaluation, as its page and its report show them."""
    with reading() as connection:
        return sign_offs.list_page(connection, evaluation_id, None, MAX_SIGN_OFFS)


def read_result(owner_id: UUID, evaluation_id: UUID) -> StoredResult:
    """Return the result of an evaluation, or raise ``ResultPending`` or ``NoResult``."""
    text = read.get_result(owner_id, evaluation_id)
    return StoredResult(result=orjson.loads(text), sha256=compute_digest(text))
