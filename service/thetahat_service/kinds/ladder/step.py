"""By how much a submission to a Ladder must be better."""

from __future__ import annotations

from pydantic import Field

from thetahat_service.schemas.base import Schema


class LadderStep(Schema):
    """A fixed step of the Ladder."""

    step: float = Field(
        gt=0,
        description="By how much a mean loss must be below the published score to be published; "
        "scores are rounded to multiples of it.",
        examples=[0.01],
    )
