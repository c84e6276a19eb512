"""The page with the list of evaluations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from urllib.parse import urlencode
from uuid import UUID

import orjson
from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from thetahat.analyses.losses.result import GateOutcome
from thetahat.similar_names import suggest_name
from thetahat_service.api.blocking_calls import read_database, run_in_thread
from thetahat_service.api.cursors import decode_cursor, encode_cursor
from thetahat_service.api.page_responses import build_page_response
from thetahat_service.errors import ResourceNotFound
from thetahat_service.jobs import read
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.pages.evaluation_list import ListEntry, describe_entry
from thetahat_service.pages.shown_results import show_result
from thetahat_service.states import EvaluationStatus, OverallVerdict, SignOffDecision
from thetahat_service.storage.evaluations import UNSIGNED, EvaluationRow, Filters, Order, SortColumn

router = APIRouter(include_in_schema=False)

PAGE_LENGTH: Final = 25
OUTCOMES_KEPT: Final = 2000
"""Headlines of results of older releases that are kept in memory."""
PERMANENT: Final = 308
CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "status": tuple(EvaluationStatus),
    "verdict": tuple(OverallVerdict),
    "gate": tuple(GateOutcome),
    "sign_off": (*SignOffDecision, UNSIGNED),
    "sort": tuple(SortColumn),
    "order": ("up", "down"),
}
"""The values of the parameters that have a few."""
FILTERS: Final = ("search", "status", "kind", "verdict", "gate", "sign_off", "label")
PLACES: Final = ("cursor", "from")
COLUMNS: Final = {
    SortColumn.NAME: "Evaluation",
    SortColumn.KIND: "Kind",
    SortColumn.VERDICT: "Verdict",
    SortColumn.GATE: "Gate",
    SortColumn.SIGN_OFF: "Signed",
    SortColumn.CREATED_AT: "Submitted",
}
"""Headings of the table, each of which sorts it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading of the table, with the link that sorts by it."""

    title: str
    link: str
    direction: str
    """``ascending`` or ``descending``; empty if the table is not sorted by it."""


@router.get("/evaluations")
async def redirect_to_list(request: Request) -> Response:
    """Send to the list, which is the first page of the service."""
    query = request.url.query
    return RedirectResponse(f"/?{query}" if query else "/", PERMANENT)


async def show_evaluations(request: Request) -> Response:
    """Return the page with the list of evaluations."""
    query = request.query_params
    chosen = {name: query.get(name, "").strip() for name in (*FILTERS, "sort", "order")}
    problem = _find_problem(chosen, [*query])
    if problem:
        chosen |= {"sort": "", "order": ""}
    filters = Filters() if problem else _build_filters(chosen)
    owner_id: UUID = request.scope["owner_id"]
    used = {name: value for name, value in chosen.items() if value}
    order = _read_order(chosen)
    if order is None:
        before = decode_cursor(query.get("cursor"), repr(filters))
        rows, end = await read_database(
            read.list_evaluations, owner_id, filters, before, PAGE_LENGTH
        )
        cursor = encode_cursor(end, repr(filters))
        place = {} if cursor is None else {"cursor": cursor}
    else:
        first = query.get("from", "0")
        offset = int(first) if first.isdecimal() and len(first) < 10 else 0
        rows, following = await read_database(
            read.list_sorted, owner_id, filters, order, offset, PAGE_LENGTH
        )
        place = {} if following is None else {"from": str(following)}
    return build_page_response(
        request,
        "evaluations.html",
        entries=await run_in_thread(_describe_entries, owner_id, rows),
        headings=_list_headings(used, order),
        choices=CHOICES,
        kinds=list(JOB_KINDS),
        chosen={**chosen, "is_set": any(chosen[name] for name in FILTERS)},
        problem=problem,
        next=f"/?{urlencode({**used, **place})}" if place else None,
    )


def _describe_entries(owner_id: UUID, rows: Sequence[EvaluationRow]) -> list[ListEntry]:
    """Return the entries of the list; of an older release, the result is read for its headline."""
    entries = []
    for row in rows:
        is_missing = row.status == EvaluationStatus.SUCCEEDED and row.headline is None
        entries.append(describe_entry(row, _read_outcome(owner_id, row.id) if is_missing else ""))
    return entries


@lru_cache(maxsize=OUTCOMES_KEPT)
def _read_outcome(owner_id: UUID, evaluation_id: UUID) -> str:
    """Return the headline of a result, which never changes."""
    try:
        text = read.get_result(owner_id, evaluation_id)
    except ResourceNotFound:  # deleted since the list was read
        return ""
    return show_result(orjson.loads(text), {}).headline


def _find_problem(chosen: Mapping[str, str], sent: Sequence[str]) -> str:
    """Return what is wrong with the parameters of a list; empty if nothing is."""
    known = [*chosen, *PLACES]
    for name in sent:
        if name not in known:
            near = suggest_name(name, known)
            return f"There is no filter {name!r}{near}, so all evaluations are shown."
    if chosen["label"] and ":" not in chosen["label"]:
        return f"A label is searched as key:value, and {chosen['label']!r} has no colon."
    for name, values in CHOICES.items():
        if chosen[name] and chosen[name] not in values:
            noun = "state" if name == "status" else name.replace("_", "-")
            return f"There is no {noun} {chosen[name]!r}{suggest_name(chosen[name], values)}."
    if any("\0" in value for value in chosen.values()):
        return "A filter must not have a NUL character."
    return ""


def _build_filters(chosen: Mapping[str, str]) -> Filters:
    key, _, value = chosen["label"].partition(":")
    return Filters(
        status=chosen["status"] or None,
        kind=chosen["kind"] or None,
        verdict=chosen["verdict"] or None,
        gate=chosen["gate"] or None,
        sign_off=chosen["sign_off"] or None,
        labels=((key.strip(), value.strip()),) if chosen["label"] else (),
        search=chosen["search"] or None,
    )


def _read_order(chosen: Mapping[str, str]) -> Order | None:
    """Return the order that was chosen; None for the newest first."""
    if not chosen["sort"]:
        return None
    column, is_down = SortColumn(chosen["sort"]), chosen["order"] == "down"
    return None if column is SortColumn.CREATED_AT and is_down else Order(column, is_down)


def _list_headings(used: Mapping[str, str], order: Order | None) -> list[Heading]:
    """Return the headings; the link of the one that sorts turns the order round."""
    current = order or Order(SortColumn.CREATED_AT, descending=True)
    headings = []
    for column, title in COLUMNS.items():
        is_current = column is current.column
        is_new_first = column is SortColumn.CREATED_AT
        is_down = not current.descending if is_current else is_new_first
        query = {**used, "sort": column.value, "order": "down" if is_down else "up"}
        direction = "descending" if current.descending else "ascending"
        headings.append(
            Heading(
                title=title,
                link=f"/?{urlencode(query)}",
                direction=direction if is_current else "",
            )
        )
    return headings
