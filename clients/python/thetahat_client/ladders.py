"""Ladders and the scores that they have published, as the client returns them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from thetahat_client.documents import Document


@dataclass(frozen=True, slots=True)
class LadderScore(Document):
    """A score that a Ladder has published."""

    submission: int
    """Number of the submission that changed the score."""
    score: float
    model: str | None
    """The model of the submission; None if it came before models were kept."""
    at: datetime


@dataclass(frozen=True, slots=True)
class Ladder(Document):
    """The published score of the submissions to one holdout."""

    id: str
    dataset: str
    """Id of the data set."""
    target: str
    loss: Mapping[str, Any]
    """Its ``name`` and ``params``."""
    step: float | None
    """The fixed step; None for the step without a parameter."""
    score: float
    """The published mean loss, of which lower ones are better."""
    leader: str | None
    """The model that it belongs to; None if it was published before models were kept."""
    submissions: int
    sentence: str
    created_at: datetime
    last_at: datetime
