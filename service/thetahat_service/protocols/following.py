"""An evaluation and its protocol: what is known when it is stored, and when its result is there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import orjson
import sqlalchemy as sa

from thetahat_service.errors import FieldError, InvalidRequest
from thetahat_service.json_types import JsonObject
from thetahat_service.kinds.digests import RequestDigests
from thetahat_service.kinds.fields.analysis import AnalysisRequest
from thetahat_service.kinds.planned_results import add_outcome
from thetahat_service.protocols.checking import list_deviations, list_unknown
from thetahat_service.protocols.facts import Facts, read_request_facts, read_result_facts
from thetahat_service.protocols.outcome import write_date, write_outcome, write_times
from thetahat_service.schemas.protocol_outcome import DataWay, Deviation, PlanTime, ProtocolOutcome
from thetahat_service.storage import data_history, protocols
from thetahat_service.storage.protocols import ProtocolRow
from thetahat_service.storage.unit_of_work import reading

DATA, COUNT, WITHDRAWN = "data", "evaluations", "protocol"
KEPT: Final = frozenset({DATA, COUNT, WITHDRAWN})
"""Deviations that are found when an evaluation is stored, and that no result changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedProtocol:
    """The protocol that a request names, with what is compared with it."""

    id: UUID
    """Its id."""
    facts: Facts
    """What the request says."""
    data_sha256: str
    """The digest of the data."""
    files: Collection[str]
    """The digests of the files; empty where the request holds the data."""
    has_values: bool
    """Whether the request holds values of rows."""


def build_gone_error(protocol_id: UUID) -> InvalidRequest:
    """Return the error of a request that names a protocol which its owner has not."""
    message = f"There is no protocol {protocol_id}."
    return InvalidRequest(message, (FieldError(("protocol",), message, str(protocol_id)),))


def name_protocol(
    owner_id: UUID, request: Any, digests: RequestDigests, files: Collection[str]
) -> NamedProtocol:
    """Return the protocol of a checked request; ``InvalidRequest`` if the owner has it not."""
    identifier: UUID = request.protocol
    with reading() as connection:
        if protocols.ROWS.find(connection, owner_id, identifier) is None:
            raise build_gone_error(identifier)
    return NamedProtocol(
        id=identifier,
        facts={**read_request_facts(request), "data_sha256": [digests.data_sha256, *files]},
        data_sha256=digests.data_sha256,
        files=files,
        has_values=digests.has_values,
    )


def begin(connection: sa.Connection, owner_id: UUID, named: NamedProtocol) -> JsonObject:
    """Count an evaluation that is stored in this transaction; return what is known of it.

    Raises ``InvalidRequest`` if the protocol was deleted meanwhile.
    """
    row = protocols.count_use(connection, owner_id, named.id, "evaluations")
    if row is None:
        raise build_gone_error(named.id)
    fixed: Mapping[str, Any] = orjson.loads(row.request)
    seen, plan_time = _place_in_time(connection, row, named)
    before, besides = (
        data_history.count_evaluated(
            connection, owner_id, named.data_sha256, named.files, condition
        )
        for condition in (
            data_history.ended_by(row.created_at),
            data_history.is_besides(row.id, row.created_at),
        )
    )
    outcome = begin_outcome(
        row,
        fixed,
        plan_time=plan_time,
        came=DataWay.UPLOADED if named.files else DataWay.SENT,
        seen=seen,
        before=before,
        besides=besides,
        number=row.evaluations,
    )
    deviations = [*_list_circumstances(row, fixed, outcome), *list_deviations(fixed, named.facts)]
    unknown = list_unknown(fixed, named.facts)
    return write_outcome(outcome, deviations, unknown, is_final=False)


def begin_outcome(  # noqa: PLR0913 - what is known at the beginning
    row: ProtocolRow,
    fixed: Mapping[str, Any],
    *,
    plan_time: PlanTime,
    came: DataWay,
    seen: datetime | None,
    before: int,
    besides: int,
    number: int,
) -> ProtocolOutcome:
    """Return an outcome of which nothing is compared yet."""
    return ProtocolOutcome(
        id=row.id,
        name=row.name,
        fixes_margin="margin" in fixed,
        fixed_at=row.created_at,
        fixed=plan_time,
        data_came=came,
        data_first_seen_at=seen,
        evaluated_before=before,
        evaluated_besides=besides,
        number=number,
        is_final=False,
        as_planned=True,
        deviations=[],
        not_checked=[],
        sentence="",
    )


def _place_in_time(
    connection: sa.Connection, row: ProtocolRow, named: NamedProtocol
) -> tuple[datetime | None, PlanTime]:
    """Return when the data were first there, and whether the plan was fixed before."""
    if not named.files and not named.has_values:
        return None, PlanTime.NOT_KNOWN
    if named.files:
        seen = data_history.find_first_upload(connection, row.owner_id, named.files)
    else:
        seen = data_history.find_first_use(connection, row.owner_id, named.data_sha256)
    if seen is not None and seen <= row.created_at:
        return seen, PlanTime.AFTER_DATA
    if named.files and named.has_values:  # values beside files have no digest of their own
        return None, PlanTime.NOT_KNOWN
    return seen, PlanTime.BEFORE_DATA


def _list_circumstances(
    row: ProtocolRow, fixed: Mapping[str, Any], outcome: ProtocolOutcome
) -> list[Deviation]:
    """Return what is not as planned whatever the request says."""
    found = []
    if row.withdrawn_at is not None:
        when = write_date(row.withdrawn_at)
        text = f"the protocol was withdrawn on {when} ({row.withdrawn_reason})"
        found.append(
            Deviation(field=WITHDRAWN, planned="in force", actual=f"withdrawn on {when}", text=text)
        )
    times = outcome.evaluated_before
    if times:
        what = "margin" if outcome.fixes_margin else "plan"
        text = f"the data had been evaluated {write_times(times)} before the {what} was fixed"
        found.append(Deviation(field=DATA, planned="0", actual=str(times), text=text))
    most = fixed.get("evaluations")
    if most is not None and outcome.number > most:
        text = f"evaluation {outcome.number} (planned: at most {most})"
        found.append(
            Deviation(field=COUNT, planned=str(most), actual=str(outcome.number), text=text)
        )
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowedProtocol:
    """The protocol of an evaluation that is computed."""

    outcome: JsonObject
    """What was known when it was stored."""
    fixed: str
    """What the protocol fixes, as JSON."""
    files: Collection[str]
    """The digests of the files of its data."""

    def finish(self, request: AnalysisRequest, result: dict[str, Any]) -> dict[str, Any]:
        """Return a result with what is as planned, and what is not."""
        fixed: Mapping[str, Any] = orjson.loads(self.fixed)
        facts = read_result_facts(request, result)
        facts["data_sha256"] = [result["provenance"]["data_sha256"], *self.files]
        begun = ProtocolOutcome.model_validate(self.outcome)
        kept = [each for each in begun.deviations if each.field in KEPT]
        outcome = write_outcome(
            begun,
            [*kept, *list_deviations(fixed, facts)],
            list_unknown(fixed, facts),
            is_final=True,
        )
        return add_outcome(request, result, outcome)

    def finish_partly(self, result: dict[str, Any]) -> dict[str, Any]:
        """Return a partial result with what is known before the result."""
        return {**result, "protocol": self.outcome}
