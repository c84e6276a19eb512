"""Predictions of models, compared by their losses."""

from __future__ import annotations

from thetahat_presentation.document import Document
from thetahat_presentation.json_objects import Json
from thetahat_presentation.kinds.base import ModelPair, Presentation
from thetahat_presentation.parts.documents import ask_about_models, build_models_document


def view(result: Json, request: Json, pair: ModelPair | None) -> Document:
    """Return the models, their differences and their metrics."""
    return build_models_document(result, request, pair)


PRESENTATION = Presentation(
    name="predictions", title="Predictions", view=view, ask=ask_about_models
)
