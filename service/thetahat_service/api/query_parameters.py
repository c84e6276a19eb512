"""Types of query parameters, with their descriptions for OpenAPI."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, Final

from fastapi import Query
from pydantic import BeforeValidator, Field

from thetahat.analyses.losses.result_parts import ResultPart

MAX_LABELS: Final = 16
DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
NO_NUL: Final = {"pattern": r"^[^\u0000]*$"}


def _check_date(value: Any) -> Any:
    """Refuse numbers, which pydantic would read as seconds since 1970."""
    if isinstance(value, str) and DATE.match(value) is None:
        raise ValueError("must be a time such as 2026-01-31T12:00:00Z")
    return value


Moment = Annotated[datetime, BeforeValidator(_check_date)]
"""A time in ISO 8601."""

Label = Annotated[str, Field(json_schema_extra={"pattern": r"^[^\u0000]*:[^\u0000]*$"})]
"""A label and its value."""

Cursor = Annotated[
    str | None,
    Query(
        max_length=500,
        description="The field next of the page before.",
        json_schema_extra={"pattern": "^[0-9a-f]{12}[A-Za-z0-9_-]+$"},
    ),
]
"""A position in a list."""

Include = Annotated[
    str | None,
    Query(
        max_length=200,
        description="Parts that the result shall have beside those of its request, with commas "
        f"between them: {', '.join(ResultPart)}, or all.",
        examples=["tests,variances"],
    ),
]
"""Parts of a result."""

Limit = Annotated[int, Query(ge=1, le=200, description="Length of a page.")]
"""Most entries of a page."""
