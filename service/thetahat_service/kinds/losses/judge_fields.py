"""The fields of a request that have the grades of a judge."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from thetahat.values.types import Sampled
from thetahat_service.kinds.fields.list_items import LabelItem, NumberItem
from thetahat_service.schemas.base import Schema


class JudgeFields(Schema):
    """The grades of a judge for every row, and how the labelled rows were found."""

    model_config = ConfigDict(populate_by_name=True)

    losses: dict[str, list[NumberItem]] | None = Field(
        None, description="The grade of every row, by model, in the units of the losses."
    )
    losses_by_fold: dict[str, list[list[NumberItem]]] | None = Field(
        None,
        description="In the place of losses, where the judge was trained on the labels in folds: "
        "by model, one list of grades of all rows for each fold, from the judge that was trained "
        "without the labels of that fold.",
    )
    fold: list[int | None] | None = Field(
        None,
        description="The fold of each labelled row, from 0, for losses_by_fold; null for the "
        "others.",
    )
    weight: float | Literal["tuned"] | None = Field(
        None,
        alias="lambda",
        description="The weight of the judge: tuned, or a number from 0 (labels alone) to 1. Left "
        "out: tuned, and 1 with losses_by_fold.",
    )
    stratum: list[LabelItem] | None = Field(
        None, description="The stratum of each row, in which rows were drawn for labelling."
    )
    sampled: Sampled | None = Field(
        None,
        description="How the labelled rows were found: random, stratified, or chosen by people. "
        "For chosen rows the grades are not used, and the labels answer alone. Left out: random, "
        "and stratified with stratum.",
    )
    half_width: float | None = Field(
        None,
        description="A half width of intervals. The result says how many labels it needs.",
    )


class JudgeColumns(Schema):
    """The columns of a data set with the grades of a judge."""

    losses: list[str] | None = Field(
        None, description="The columns of grades, in the order of the columns of losses."
    )
    losses_by_fold: list[list[str]] | None = Field(
        None,
        description="In the place of losses: for each column of losses, the columns of the grades "
        "of the judges of all folds.",
    )
    fold: str | None = Field(None, description="The column with the fold of each labelled row.")
    stratum: str | None = Field(None, description="The column with the stratum of each row.")

    def list_grades(self) -> list[str]:
        """Return the columns of grades."""
        return [*(self.losses or ()), *(name for row in self.losses_by_fold or () for name in row)]
