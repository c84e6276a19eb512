"""What a kind of evaluation says of its presentation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from thetahat_presentation.document import Document, Json

ModelPair: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Presentation:
    """How the results of one kind are shown."""

    name: str
    """The kind, as in requests; the name of its file."""
    title: str
    """The kind as people write it."""
    view: Callable[[Json, Json, ModelPair | None], Document]
    """Returns the document of a result and its request; the pair names the models that are compared
    by source, and may be None."""
    ask: Callable[[Json, Json], list[str]]
    """Returns the question that a result and its request answer, as sentences."""
