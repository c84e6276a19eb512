"""Losses of models, compared."""

from __future__ import annotations

from thetahat_presentation.kinds.base import Presentation
from thetahat_presentation.parts.documents import ask_about_models, build_models_document

PRESENTATION = Presentation(
    name="losses", title="Losses", view=build_models_document, ask=ask_about_models
)
