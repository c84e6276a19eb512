"""What the service knows, as the JSON that goes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote
from uuid import UUID

import orjson
from starlette.responses import Response

from service.api.calls import ask
from service.errors import ResourceNotFound
from service.jobs import progress
from service.storage.datasets import DatasetRow
from service.storage.evaluations import EvaluationRow

_NOT_CUT = progress.DetailedProgress()


def json_response(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return JSON; ids and moments are strings, NaN cannot be."""
    content = orjson.dumps(value, option=orjson.OPT_UTC_Z | orjson.OPT_SERIALIZE_NUMPY)
    return Response(content, status, headers, "application/json")


def identifier(text: str, what: str) -> UUID:
    """Return the id in a path; a text that cannot be one names nothing."""
    try:
        return UUID(text)
    except ValueError:
        raise ResourceNotFound(f"There is no {what} {text[:80]!r}.") from None


def evaluation_path(evaluation_id: UUID) -> str:
    """Return where an evaluation is."""
    return f"/v1/evaluations/{evaluation_id}"


async def seen(row: EvaluationRow) -> dict[str, Any]:
    """Return an evaluation as its client sees it now, with how far its learners are."""
    if row.is_finished:
        return evaluation_document(row)
    return evaluation_document(row, await ask(progress.read_progress, row))


def evaluation_document(
    row: EvaluationRow, outlook: progress.DetailedProgress = _NOT_CUT
) -> dict[str, Any]:
    """Return an evaluation as its client sees it."""
    here = evaluation_path(row.id)
    return {
        "id": row.id,
        "kind": row.kind,
        "name": row.name,
        "status": row.status,
        "labels": row.labels,
        "seed": row.seed,
        "created_at": row.created_at,
        "started_at": row.started_at,
        "finished_at": row.finished_at,
        "progress": {
            "done": row.progress_done,
            "total": row.progress_total,
            "unit": row.progress_unit,
        },
        **outlook_document(outlook),
        "error": row.error,
        "links": {
            "self": here,
            "result": f"{here}/result",
            "losses": f"{here}/losses",
            "figures": f"{here}/figures",
            "cancel": f"{here}/cancel",
            "events": f"{here}/events",
        },
    }


def outlook_document(outlook: progress.DetailedProgress) -> dict[str, Any]:
    """Return how far the learners are, and the seconds that are left by what was measured."""
    learners = {
        name: {"done": part.done, "total": part.total, "status": part.status}
        for name, part in outlook.parts.items()
    }
    return {"learners": learners, "seconds_left": outlook.seconds_left}


def figures_document(evaluation_id: UUID, figures: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Return the list of a result's figures, from their names and titles."""
    here = f"{evaluation_path(evaluation_id)}/figures"
    return {
        "items": [
            {
                "name": name,
                "title": title,
                "links": {form: f"{here}/{quote(name, safe='')}.{form}" for form in ("svg", "png")},
            }
            for name, title in figures
        ]
    }


def dataset_path(dataset_id: UUID) -> str:
    """Return where a data set is."""
    return f"/v1/datasets/{dataset_id}"


def dataset_document(row: DatasetRow) -> dict[str, Any]:
    """Return a data set as its client sees it."""
    here = dataset_path(row.id)
    return {
        "id": row.id,
        "name": row.name,
        "sha256": row.sha256,
        "media_type": row.media_type,
        "bytes": row.bytes,
        "rows": row.rows,
        "columns": row.columns,
        "understood": row.details,
        "created_at": row.created_at,
        "links": {"self": here, "preview": f"{here}/preview"},
    }
