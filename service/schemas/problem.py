"""How every refusal looks on the wire: RFC 9457."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field


class ProblemFieldError(BaseModel):
    """One wrong place."""

    loc: list[str | int] = Field(description="Path into the request.", examples=[["level"]])
    message: str
    value: Any = Field(description="What was found there, shortened; NaN is the string NaN.")


class ProblemDocument(BaseModel):
    """``application/problem+json``."""

    type: str = Field(description="Stable; a page explains it.", examples=["/problems/not_found"])
    title: str
    status: int
    detail: str
    instance: str = Field(description="Path of the request.")
    code: str = Field(description="The end of type.")
    errors: list[ProblemFieldError]
    request_id: str = Field(description="Also in X-Request-ID, and in the service's log.")
