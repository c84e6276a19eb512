"""Series and looks as the JSON of responses."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any
from uuid import UUID

import orjson

from thetahat.analyses.series.design import SeriesDesign
from thetahat.analyses.series.plans import plan_series
from thetahat.analyses.series.statements import Statement
from thetahat.analyses.series.steps import SequentialLook, SeriesState
from thetahat.values.json_values import to_json
from thetahat_service.figures.figure import Figure
from thetahat_service.figures.sequence import MOST_LOOKS, build_sequence
from thetahat_service.protocols.series_plans import describe_following
from thetahat_service.series import keeping
from thetahat_service.series.keeping import read_design
from thetahat_service.storage.series import LookRow, SeriesRow


def build_series_path(series_id: UUID) -> str:
    """Return the path of a series."""
    return f"/v1/series/{series_id}"


def build_look_document(row: LookRow) -> dict[str, Any]:
    """Return the document of a look."""
    return {**orjson.loads(row.body), "at": row.at, "received_at": row.received_at}


def build_series_document(row: SeriesRow, latest: LookRow | None) -> dict[str, Any]:
    """Return the document of a series with its newest look and its plan."""
    look = None if latest is None else build_look_document(latest)
    design, state = read_design(row.request), SeriesState.from_json(row.state)
    plan = plan_series(design, state, None if latest is None else _read_look(latest))
    return {
        **build_listed_document(row),
        "latest": look,
        "plan": to_json(plan),
        "sentence": _write_sentence(design, row, look),
    }


def build_listed_document(row: SeriesRow) -> dict[str, Any]:
    """Return the document of a series in a list."""
    design, path = read_design(row.request), build_series_path(row.id)
    expected = design.expected
    return {
        "id": row.id,
        "name": row.name,
        "labels": row.labels,
        "status": row.status,
        "models": list(design.models),
        "better": design.better,
        "reference": design.reference,
        "margin": design.margin,
        "level": design.level,
        "method": orjson.loads(row.request)["method"],
        "stop": list(design.decisions),
        "unit": design.unit,
        "protocol": describe_following(row.protocol, row.state["rows"]),
        "expected": None if expected is None else asdict(expected),
        "batches": row.batches,
        "rows": row.state["rows"],
        "decision": row.decision,
        "decided_at": row.decided_at,
        "decided_at_look": row.state["decided_at_look"],
        "created_at": row.created_at,
        "last_batch_at": row.last_batch_at,
        "closed_at": row.closed_at,
        "links": {
            "self": path,
            "batches": f"{path}/batches",
            "looks": f"{path}/looks",
            "figure": f"{path}/figures/sequence.svg",
            "close": f"{path}/close",
        },
    }


def read_figure(owner_id: UUID, series_id: UUID) -> Figure:
    """Return the figure of an owner's series."""
    row, latest = keeping.get_with_latest(owner_id, series_id)
    looks = keeping.list_drawn_looks(row, MOST_LOOKS)
    return build_sequence(
        build_series_document(row, latest), [build_look_document(look) for look in looks]
    )


def _read_look(row: LookRow) -> SequentialLook:
    body = orjson.loads(row.body)
    decision = body["decision"]
    return SequentialLook(
        **{
            **body,
            "holds": tuple(map(Statement, body["holds"])),
            "decision": None if decision is None else Statement(decision),
        }
    )


def _write_sentence(design: SeriesDesign, row: SeriesRow, look: dict[str, Any] | None) -> str:
    if look is None:
        return "There is no batch yet."
    if row.decision is None:
        return str(look["sentence"])
    word = row.decision.replace("_", " ")
    subject = " and ".join(design.models) if row.decision == Statement.EQUIVALENT else ""
    start = f"{subject or design.models[0]}: {word}, decided at look {row.state['decided_at_look']}"
    return f"{start}. {look['sentence']}"
