"""The filters of the list of evaluations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from thetahat.similar_names import suggest_name
from thetahat_service.api.query_parameters import MAX_LABELS
from thetahat_service.errors import FieldError, InvalidRequest
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.storage.evaluations import Filters


def parse_filters(
    others: Filters,
    labels: Sequence[str],
    created_after: datetime | None,
    created_before: datetime | None,
) -> Filters:
    """Return the filters of a query, added to others; times without a zone are in UTC."""
    errors = [
        FieldError(("query", "label"), f"The label {label!r} must have the form key:value.", label)
        for label in labels
        if ":" not in label or "\0" in label
    ]
    if len(labels) > MAX_LABELS:
        message = f"The query has {len(labels)} labels. At most {MAX_LABELS} are allowed."
        errors.append(FieldError(("query", "label"), message, len(labels)))
    if others.name is not None and "\0" in others.name:
        message = "The query parameter name must not have a NUL character."
        errors.append(FieldError(("query", "name"), message, others.name))
    if others.kind is not None and others.kind not in JOB_KINDS:
        message = f"There is no kind {others.kind!r}{suggest_name(others.kind, JOB_KINDS)}. "
        message += f"The kinds are {', '.join(JOB_KINDS)}."
        errors.append(FieldError(("query", "kind"), message, others.kind))
    if errors:
        raise InvalidRequest(errors[0].message, tuple(errors))
    pairs = [label.partition(":") for label in labels]
    return replace(
        others,
        labels=tuple((key, value) for key, _, value in pairs),
        created_after=_to_utc(created_after, "created_after"),
        created_before=_to_utc(created_before, "created_before"),
    )


def _to_utc(moment: datetime | None, name: str) -> datetime | None:
    """Return a time in UTC, which a time without a zone is taken for."""
    if moment is None:
        return None
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:
        message = f"The time {moment.isoformat()} of {name} is outside the calendar."
        error = FieldError(("query", name), message, moment.isoformat())
        raise InvalidRequest(message, (error,)) from None
