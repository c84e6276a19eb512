"""Bundles and notebooks of stored evaluations."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from typing import IO
from uuid import UUID

from thetahat_service.errors import ResourceNotFound
from thetahat_service.jobs import read
from thetahat_service.recomputation.bundles import find_signing_key, write_bundle
from thetahat_service.recomputation.kept import KeptEvaluation
from thetahat_service.recomputation.notebooks import write_notebook


def open_bundle(owner_id: UUID, evaluation_id: UUID, report: bytes | None) -> IO[bytes]:
    """Return the bundle of an evaluation as an open temporary file, signed if a key is set.

    Raises
    ------
    ResultPending, NoResult
        There is no result.
    PartsNotKept
        The result follows from nothing that is kept.
    """
    evaluation = _read_evaluation(owner_id, evaluation_id)
    with ExitStack() as stack:
        file = stack.enter_context(
            tempfile.NamedTemporaryFile(prefix="thetahat-bundle-", suffix=".zip")
        )
        write_bundle(file, evaluation, find_signing_key(), report)
        file.seek(0)
        stack.pop_all()
        return file


def build_notebook(owner_id: UUID, evaluation_id: UUID) -> bytes:
    """Return the result of an evaluation as a notebook.

    Raises
    ------
    ResultPending, NoResult
        There is no result.
    PartsNotKept, TooLarge
        The result does not follow from the kept losses, or they are too many.
    """
    return write_notebook(_read_evaluation(owner_id, evaluation_id))


def _read_evaluation(owner_id: UUID, evaluation_id: UUID) -> KeptEvaluation:
    row = read.get(owner_id, evaluation_id)
    result = read.read_result(row)
    try:
        losses = read.find_losses_file(owner_id, evaluation_id)
    except ResourceNotFound:
        losses = None
    return KeptEvaluation(
        request={"kind": row.kind, **read.get_request(row)},
        result=result,
        losses=losses,
        name=row.name,
        identifier=str(row.id),
    )
