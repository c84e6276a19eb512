"""The published score of a Ladder after a submission, and nothing else of the submission."""

from __future__ import annotations

from typing import Final

from thetahat_presentation.document import Cell, Document, Json, Name, Number, Section, Table
from thetahat_presentation.kinds.base import ModelPair, Presentation
from thetahat_presentation.numbers import format_count
from thetahat_presentation.parts.documents import build_other_document
from thetahat_presentation.parts.test_sets import describe_test_set
from thetahat_presentation.wording import name_method

NO_SENTENCE: Final = "The submission was counted."
NOTE: Final = (
    "The published score is the best one until now, not that of this submission, whose own numbers "
    "are shown to nobody."
)


def view(result: Json, request: Json, pair: ModelPair | None) -> Document:
    """Return the published score."""
    del request, pair
    rows: list[list[Cell]] = [
        ["Published score", Number(result.get("score"))],
        ["Submissions", format_count(result.get("submissions", 0))],
        *list_rule(result, str(result.get("loss", ""))),
    ]
    caption = f"The Ladder after the submission of {result.get('model', 'a model')}"
    table = Table(caption=caption, columns=["What", "Value"], rows=rows, notes=[NOTE])
    main = Section(name="main", title="What is the published score?", tables=[table])
    outcome = [str(result.get("sentence") or NO_SENTENCE), *describe_test_set(result)]
    return build_other_document(result, outcome, main)


def list_rule(ladder: Json, loss: str) -> list[list[Cell]]:
    """Return rows with what the first submission has fixed."""
    step = ladder.get("step")
    return [
        ["Target", Name(str(ladder.get("target", "")))],
        ["Rows", Number(ladder.get("n"))],
        ["Loss", name_method(loss)],
        ["Step", "one standard error" if step is None else Number(step)],
    ]


def ask(result: Json, request: Json) -> list[str]:
    """Return the question."""
    del request
    name = result.get("model", "the model")
    return [f"Is {name} better than the best submission to the Ladder by more than chance?"]


PRESENTATION = Presentation(name="ladder", title="Ladder", view=view, ask=ask)
