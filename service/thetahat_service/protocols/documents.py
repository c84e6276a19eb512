"""Protocols as the JSON of responses."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import orjson

from thetahat.values.number_text import format_number
from thetahat_service.protocols.outcome import write_date
from thetahat_service.storage.protocols import ProtocolRow

PEOPLE: tuple[str, ...] = ("name", "description")
"""Fields that nothing is checked against."""


def build_protocol_path(protocol_id: UUID) -> str:
    """Return the path of a protocol."""
    return f"/v1/protocols/{protocol_id}"


def build_protocol_document(row: ProtocolRow) -> dict[str, Any]:
    """Return the document of a protocol."""
    path, request = build_protocol_path(row.id), orjson.loads(row.request)
    return {
        "id": row.id,
        "name": row.name,
        "description": request.get("description"),
        "fixed": {name: value for name, value in request.items() if name not in PEOPLE},
        "fixed_at": row.created_at,
        "evaluations": row.evaluations,
        "series": row.series,
        "withdrawn_at": row.withdrawn_at,
        "withdrawn_reason": row.withdrawn_reason,
        "sentence": _write_sentence(row, request),
        "links": {
            "self": path,
            "evaluations": f"/v1/evaluations?protocol={row.id}",
            "withdraw": f"{path}/withdraw",
        },
    }


def _write_sentence(row: ProtocolRow, request: dict[str, Any]) -> str:
    margin = request.get("margin")
    what = "Plan" if margin is None else f"Margin {format_number(margin)}"
    sentences = [
        f"{what} fixed on {write_date(row.created_at)}.",
        f"Named so far by {_count(row.evaluations, 'evaluation')} and {row.series} series.",
    ]
    if row.withdrawn_at is not None:
        when = write_date(row.withdrawn_at)
        sentences.append(f"Withdrawn on {when}: {row.withdrawn_reason}")
    return " ".join(sentences)


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
