"""A series and its protocol: what deviates is refused at creation, and later rows are counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

import orjson
import sqlalchemy as sa

from thetahat_service.errors import FieldError, InvalidRequest
from thetahat_service.json_types import JsonObject
from thetahat_service.protocols.checking import list_deviations, list_unknown
from thetahat_service.protocols.facts import SoFar, read_series_facts
from thetahat_service.protocols.following import begin_outcome, build_gone_error
from thetahat_service.protocols.outcome import write_date, write_outcome
from thetahat_service.schemas.protocol_outcome import DataWay, PlanTime, ProtocolOutcome
from thetahat_service.storage import protocols

PLACES: Final = {
    "kinds": "protocol",
    "new": "models",
    "old": "models",
    "clusters": "unit",
}
"""The field of a series in which a field of its protocol is sent, where the name is another."""


def admit(
    connection: sa.Connection, owner_id: UUID, protocol_id: UUID, fixed: JsonObject
) -> JsonObject:
    """Count a series that is stored in this transaction; return what is kept of its protocol.

    Raises ``InvalidRequest`` with each deviation: a series has no data yet, so that a plan that is
    not followed costs nothing but another request. ``fixed`` is the request of the series, with all
    its defaults.
    """
    row = protocols.count_use(connection, owner_id, protocol_id, "series")
    if row is None:
        raise build_gone_error(protocol_id)
    plan: Mapping[str, Any] = orjson.loads(row.request)
    facts = read_series_facts(fixed)
    if row.withdrawn_at is not None:
        message = (
            f"The protocol {protocol_id} was withdrawn on {write_date(row.withdrawn_at)} "
            f"({row.withdrawn_reason}), so no series begins under it."
        )
        raise InvalidRequest(message, (FieldError(("protocol",), message, str(protocol_id)),))
    deviations = list_deviations(plan, facts)
    if deviations:
        listed = "; ".join(each.text for each in deviations)
        raise InvalidRequest(
            f"The series is not as its protocol plans: {listed}. Send what is planned.",
            tuple(
                FieldError((PLACES.get(each.field, each.field),), f"Not as planned: {each.text}.")
                for each in deviations
            ),
        )
    outcome = begin_outcome(
        row,
        plan,
        plan_time=PlanTime.BEFORE_DATA,
        came=DataWay.BATCHES,
        seen=None,
        before=0,
        besides=0,
        number=row.series,
    )
    written = write_outcome(outcome, (), list_unknown(plan, facts), is_final=True)
    return {"outcome": written, "rows": plan.get("rows")}


def describe_following(kept: Mapping[str, Any] | None, rows: int) -> dict[str, Any] | None:
    """Return how a series with so many rows follows its protocol; None without one."""
    if kept is None:
        return None
    outcome = ProtocolOutcome.model_validate(kept["outcome"])
    plan = {} if kept["rows"] is None else {"rows": kept["rows"]}
    deviations = list_deviations(plan, {"rows": SoFar(rows)})
    return write_outcome(outcome, deviations, outcome.not_checked, is_final=True)
