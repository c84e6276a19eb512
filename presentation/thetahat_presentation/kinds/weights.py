"""Importance weights that make a source sample like a target sample."""

from __future__ import annotations

from thetahat_presentation.document import Document, Json, Section
from thetahat_presentation.kinds.base import ModelPair, Presentation
from thetahat_presentation.parts.documents import build_other_document
from thetahat_presentation.parts.weights import describe_sample_size, tabulate_weights
from thetahat_presentation.wording import name_method


def view(result: Json, request: Json, pair: ModelPair | None) -> Document:
    """Return the diagnostics of the weights."""
    del request, pair
    weights = result["weights"]
    main = Section(name="main", title="Importance weights", tables=[tabulate_weights(weights)])
    return build_other_document(result, [describe_sample_size(weights)], main)


def ask(result: Json, request: Json) -> list[str]:
    """Return the question."""
    del request
    question = (
        f"Which weights ({name_method(result['weights']['method'])}) make the source sample like "
        "the target sample, and how many rows are the weighted rows worth?"
    )
    return [question]


PRESENTATION = Presentation(name="weights", title="Importance weights", view=view, ask=ask)
