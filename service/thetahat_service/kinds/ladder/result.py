"""The result of kind ``ladder``: what is published, and nothing that tells more of the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from thetahat.cautions import Caution
from thetahat_service.kinds.provenance import KindResult


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedScore(KindResult):
    """The published score of a Ladder after a submission."""

    kind: Literal["ladder"] = "ladder"
    """``ladder``."""
    model: str
    """The model that was sent."""
    score: float
    """The published mean loss, of which lower ones are better. It is the best that was published,
    not the mean loss of this submission."""
    has_changed: bool
    """Whether this submission changed it."""
    submissions: int
    """Submissions to the Ladder, this one included."""
    loss: str
    """The loss."""
    n: int
    """Rows of the data set."""
    target: str
    """Its column with the true values."""
    step: float | None
    """The fixed step; null for the step without a parameter, whose size is not shown."""
    sentence: str
    """The outcome in words."""
    cautions: tuple[Caution, ...] = ()
    """Keys of the cautions about the Ladder."""
