"""Error responses, in the form of RFC 9457."""

from __future__ import annotations

from pydantic import BaseModel, Field

from thetahat.values.json_values import JsonValue


class ProblemFieldError(BaseModel):
    """One invalid place of a request."""

    loc: list[str | int] = Field(description="Path into the request.", examples=[["level"]])
    message: str = Field(description="The fault as a sentence.")
    value: JsonValue = Field(description="The value at the path, shortened; NaN is the string NaN.")


class ProblemDocument(BaseModel):
    """An error, as ``application/problem+json``."""

    type: str = Field(description="Path of its explanation.", examples=["/problems/not_found"])
    title: str = Field(description="The kind of error.")
    status: int = Field(description="HTTP status.")
    detail: str = Field(description="The fault of this request, as a sentence.")
    instance: str = Field(description="Path of the request.")
    code: str = Field(description="Stable code, the end of type.")
    errors: list[ProblemFieldError] = Field(description="Each invalid place of the request.")
    request_id: str = Field(
        description="Id of the request, as in X-Request-ID and in the service's log."
    )


class ProblemKind(BaseModel):
    """One kind of error."""

    code: str = Field(description="Stable code.")
    type: str = Field(description="Path of its explanation.")
    status: int = Field(description="HTTP status.")
    title: str = Field(description="The kind of error in words.")


class ProblemKindList(BaseModel):
    """Every kind of error."""

    items: list[ProblemKind] = Field(description="The kinds of error.")
