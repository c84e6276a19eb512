"""The request of kind ``ladder``."""

from __future__ import annotations

from typing import ClassVar, Literal
from uuid import UUID

from pydantic import Field

from thetahat_service.kinds.fields.list_items import ScoreItem, ValueItem
from thetahat_service.kinds.fields.loss_names import LossEntry, LossName
from thetahat_service.kinds.ladder.step import LadderStep
from thetahat_service.kinds.predictions.request import OutputColumns
from thetahat_service.schemas.base import EvaluationRequest


class LadderRequest(EvaluationRequest):
    """A submission to a Ladder on a data set: the predictions of one model."""

    data_fields: ClassVar[frozenset[str]] = frozenset({"predictions", "scores", "classes"})

    kind: Literal["ladder"] = Field("ladder", description="The kind of the evaluation.")
    ladder: Literal[True] | LadderStep = Field(
        True,
        description="true: a mean loss is published if it is below the published score by more "
        "than the standard error of its difference to the leader's. With a step: by more than the "
        "step. The first submission to a Ladder fixes it.",
    )
    dataset: UUID = Field(description="The id of the data set with the true values.")
    columns: OutputColumns = Field(
        description="The column of the true values, and those of the predictions if the data set "
        "has them too."
    )
    predictions: dict[str, list[ValueItem]] | None = Field(
        None,
        min_length=1,
        description="The predictions of the model, one for each row of the data set.",
    )
    scores: dict[str, list[ScoreItem]] | None = Field(
        None,
        min_length=1,
        description="The scores of the model: for each row the probability (or decision value) of "
        "the second class, or the probabilities of all classes.",
    )
    classes: list[ValueItem] | None = Field(
        None,
        description="The classes in the order of the scores' columns. Left out: the classes that "
        "occur, sorted.",
    )
    blocks: Literal["holdout"] | None = Field(
        None, description="A Ladder is about one holdout; it need not be said."
    )
    loss: LossName | LossEntry = Field(
        description="The loss that is computed for each prediction. The first submission to a "
        "Ladder fixes it."
    )

    @property
    def step(self) -> float | None:
        """The fixed step, if there is one."""
        return None if self.ladder is True else self.ladder.step
