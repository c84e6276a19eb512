"""Evaluations, data sets and figures as the JSON of responses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final
from urllib.parse import quote
from uuid import UUID

import orjson
from starlette.responses import Response

from thetahat_service.api.blocking_calls import read_database
from thetahat_service.errors import ResourceNotFound
from thetahat_service.figures.figure import Figure
from thetahat_service.jobs import datasets, progress
from thetahat_service.schemas.evaluation import EvaluationRead
from thetahat_service.storage.datasets import DatasetRow
from thetahat_service.storage.evaluations import EvaluationRow
from thetahat_service.storage.test_sets import Uses

FIGURE_FORMATS: Final = ("svg", "png", "pdf", "json")
_NO_PROGRESS = progress.DetailedProgress()


def build_json_response(
    value: Any, status: int = 200, headers: dict[str, str] | None = None
) -> Response:
    """Return a JSON response; ids and times become strings."""
    content = orjson.dumps(value, option=orjson.OPT_UTC_Z | orjson.OPT_SERIALIZE_NUMPY)
    return Response(content, status, headers, "application/json")


def parse_id(text: str, resource: str) -> UUID:
    """Return the id in a path; ``ResourceNotFound`` if it is not an id."""
    try:
        return UUID(text)
    except ValueError:
        raise ResourceNotFound(f"There is no {resource} {text[:80]!r}.") from None


def build_evaluation_path(evaluation_id: UUID) -> str:
    """Return the path of an evaluation."""
    return f"/v1/evaluations/{evaluation_id}"


async def read_document(row: EvaluationRow) -> dict[str, Any]:
    """Return the document of an evaluation, with the progress of its learners."""
    if row.is_finished:
        return build_document(row)
    return build_document(row, await read_database(progress.read_progress, row))


def build_document(
    row: EvaluationRow, detailed: progress.DetailedProgress = _NO_PROGRESS
) -> dict[str, object]:
    """Return the document of an evaluation."""
    path = build_evaluation_path(row.id)
    learners = {
        name: {"done": part.done, "total": part.total, "status": part.status}
        for name, part in detailed.parts.items()
    }
    values: dict[str, object] = {
        "progress": {
            "done": row.progress_done,
            "total": row.progress_total,
            "unit": row.progress_unit,
        },
        "learners": learners,
        "seconds_left": detailed.seconds_left,
        "links": {
            "self": path,
            "request": f"{path}/request",
            "result": f"{path}/result",
            "losses": f"{path}/losses",
            "figures": f"{path}/figures",
            "report": f"{path}/report.html",
            "report_pdf": f"{path}/report.pdf",
            "bundle": f"{path}/bundle.zip",
            "notebook": f"{path}/notebook.ipynb",
            "sign_offs": f"{path}/sign-offs",
            "cancel": f"{path}/cancel",
            "events": f"{path}/events",
        },
    }
    return {
        name: values[name] if name in values else getattr(row, name)
        for name in EvaluationRead.model_fields
    }


def build_figure_list(evaluation_id: UUID, figures: Sequence[Figure]) -> dict[str, object]:
    """Return the document of a result's figures."""
    path = f"{build_evaluation_path(evaluation_id)}/figures"
    return {
        "items": [
            {
                "name": figure.name,
                "title": figure.title,
                "caption": figure.caption,
                "alt": figure.alt,
                "about": list(figure.about),
                "links": {
                    form: f"{path}/{quote(figure.name, safe='')}.{form}" for form in FIGURE_FORMATS
                },
            }
            for figure in figures
        ]
    }


def build_dataset_path(dataset_id: UUID) -> str:
    """Return the path of a data set."""
    return f"/v1/datasets/{dataset_id}"


async def read_dataset_documents(
    owner_id: UUID, rows: Sequence[DatasetRow]
) -> list[dict[str, object]]:
    """Return the documents of an owner's data sets, with the uses of each."""
    uses = await read_database(datasets.read_uses, owner_id, rows)
    return [_build_dataset_document(row, uses[row.sha256]) for row in rows]


def _build_dataset_document(row: DatasetRow, uses: Uses) -> dict[str, object]:
    path = build_dataset_path(row.id)
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
        "uses": asdict(uses),
        "links": {
            "self": path,
            "preview": f"{path}/preview",
            "understood": f"{path}/understood",
        },
    }
